"""`neverlost mutants`: leave out each condition of a model, and say which property finds that."""

from __future__ import annotations

import click

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import Progress, explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import NeverlostError

from ..bounds import USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names, property_names
from ..counts import processors
from ..limits import limits_of
from ..output import Output
from ..progress import StatusLine, interruptible, until_interrupted


class NothingToFindError(NeverlostError):
    """The model does not hold as it is."""


@click.command("mutants", cls=BoundedCommand, options_metavar=USAGE)
@click.argument("profile", shell_complete=profile_names)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    shell_complete=property_names,
    help="Ask just this property. Repeatable.",
)
@click.option("--time-limit", metavar="TIME", help="End each search undecided after this time: 90s, 10m.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
@click.pass_context
def mutants_command(
    context: click.Context, /, profile: str, properties: tuple[str, ...], time_limit: str | None, quiet: bool
) -> int:
    """Leave out each guard of PROFILE, and each part of an `and` or `or`, one at a time, and say which property finds that.

    A condition whose lack nothing finds has no effect within these bounds, or no property needs it. One that cannot show, as the
    settings and bounds are, is no such condition. The model must hold as it is.

    Exit codes: 0 each that can show is found, 1 one is not, 2 the input is wrong, 3 undecided.
    """
    from neverlost.conformance.mutants.conditions import condition_mutants, without_each_condition
    from neverlost.reports.mutants.as_text import conditions_text, conditions_verdict

    model, output = bounded_model(context, known_profile(profile)), Output({}, quiet=quiet)
    limits, asserted = limits_of(time_limit=time_limit), list(properties) or None
    with StatusLine(quiet) as status, interruptible() as interrupted:
        watch = Watch[Progress](interrupted=interrupted)
        whole = explore(model, properties=asserted, workers=processors(), until="all", limits=limits, watch=watch)
        if whole.verdict != Verdict.HOLDS:
            raise NothingToFindError(f"{model.profile.name} {_as_it_is(whole)}; see `neverlost check`")
        found = []
        searches = without_each_condition(model, whole, asserted, limits, processors(), interrupted)
        for outcome in until_interrupted(searches):
            found.append(outcome)
            status.say(f"condition {len(found)}: {outcome.mutant.label}")
    complete = len(found) == len(condition_mutants(model.profile))
    if not quiet:
        output.show(conditions_text(model, found))
    output.show(conditions_verdict(model, found, complete))
    if not complete or not all(outcome.complete for outcome in found):
        return ExitCode.UNDECIDED
    return ExitCode.HOLDS if all(outcome.killed or outcome.decided_by for outcome in found) else ExitCode.VIOLATED


def _as_it_is(whole: Result) -> str:
    """Which properties do not hold, and how to leave them out."""
    names = [name for name, one in whole.findings.items() if one.asserted and one.verdict == whole.verdict]
    if whole.verdict == Verdict.VIOLATED:
        return f"is violated as it is: {' and '.join(names)}. Name what holds with --property"
    return f"is undecided as it is: {' and '.join(names)}"
