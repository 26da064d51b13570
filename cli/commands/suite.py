"""`neverlost suite`: write test cases from the explored graph."""

from __future__ import annotations

import time
from pathlib import Path

import click

from neverlost.explorer.exit_code import ExitCode
from neverlost.explorer.render_text import counted
from neverlost.explorer.watch import Watch
from neverlost.model.core import UnknownNameError

from ..bounds import USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names
from ..counts import WholeNumber
from ..limits import limits_of
from ..progress import SearchStatus, interruptible
from ..quantities import show_seconds

COVERS = ("states", "transitions", "pairs")


@click.command("suite", cls=BoundedCommand,
               options_metavar=USAGE)  # fmt: skip
@click.argument("profile", shell_complete=profile_names)
@click.option("--out", required=True, metavar="DIR", help="The folder that the suite is written to.")
@click.option(
    "--cover", default="transitions", metavar="|".join(COVERS), help="What the cases cover; transitions if not given."
)
@click.option(
    "--budget",
    type=WholeNumber(min=1),
    metavar="N",
    help="In addition to the witnesses, write only the N cases that cover most.",
)
@click.option(
    "--max-states",
    type=WholeNumber(min=1),
    default=200_000,
    metavar="N",
    help="Refuse a graph of more states; 200000 if not given.",
)
@click.option("--quiet", is_flag=True, help="Only what was written.")
@click.pass_context
def suite_command(
    context: click.Context,
    /,
    profile: str,
    out: str,
    cover: str,
    budget: int | None,
    max_states: int,
    quiet: bool,
) -> int:
    """Write test cases that cover the graph of PROFILE: steps from the initial state, with the expected state after each.

    Every bound and setting of the profile is an option, as for `neverlost check`. Choose bounds with a small graph:
    ten thousand states give a suite that runs in about a minute.

    Exit codes: 0 the suite is written, 2 the input is wrong or the graph too large, 130 interrupted, and nothing is written.
    """
    if cover not in COVERS:
        raise UnknownNameError("cover", cover, COVERS)
    model = bounded_model(context, known_profile(profile))
    from neverlost.conformance.exploring import UnfinishedGraphError
    from neverlost.conformance.suite.cases import suite_of
    from neverlost.conformance.suite.files import refuse_folder, write_suite

    from ..terminal import show

    refuse_folder(Path(out))
    began = time.perf_counter()
    with SearchStatus(quiet) as status, interruptible() as interrupted:
        try:
            watch = Watch(progress=status.search, interrupted=interrupted)
            suite = suite_of(model, cover, budget=budget, limits=limits_of(states=max_states), watch=watch)
        except UnfinishedGraphError:
            if interrupted():
                raise click.Abort from None
            raise
    write_suite(suite, Path(out))
    took = "" if quiet else f" ({show_seconds(time.perf_counter() - began)})"
    show(
        f"{out}: {counted(len(suite.cases), 'case')} of {counted(suite.steps, 'step')} together, covering"
        f" {suite.covered:,} of {suite.goals:,} {cover}{took}"
    )
    return ExitCode.HOLDS
