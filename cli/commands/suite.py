"""`neverlost suite`: write test cases from the explored graph."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.traces.render_text import counted
from neverlost.model.core import Profile, UnknownNameError
from neverlost.reports.quantities import show_seconds

from ..bounds import USAGE, BoundedCommand, bounded_model, chosen_bounds, known_profile
from ..completion import profile_names
from ..counts import WholeNumber
from ..limits import limits_of
from ..options import OptionsError
from ..progress import SearchStatus, StatusLine, interruptible
from ..stores import store_folder

if TYPE_CHECKING:
    from neverlost.conformance.mutants.killing import Kills
    from neverlost.conformance.mutants.mutation import Mutant
    from neverlost.conformance.suite.cases import Suite
    from neverlost.conformance.suite.kept_suites import KeptSuite

COVERS = ("states", "transitions", "pairs")
IN_PROCESS = "inprocess"
MOST_STATES = 200_000


@click.command("suite", cls=BoundedCommand,
               options_metavar=USAGE)  # fmt: skip
@click.argument("profile", shell_complete=profile_names)
@click.option("--out", metavar="DIR", help="The folder that the suite is written to.")
@click.option(
    "--from-mutants", is_flag=True, help="A case for every mistake in a rule that a run can show, instead of the graph."
)
@click.option(
    "--list", "list_only", is_flag=True, help="With --from-mutants: only show what is killed, and what survives."
)
@click.option(
    "--adapter",
    metavar="NAME",
    help="With --from-mutants: what sees and tries the steps; inprocess if not given, kafka, or file.py:NAME.",
)
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
    metavar="N",
    help="Refuse a graph of more states, 200000 if not given; with --from-mutants search so many, 100000.",
)
@click.option(
    "--store",
    metavar="DIR",
    help="With --from-mutants: keep the suite in this folder, and use it next time; the cache folder if not given.",
)
@click.option("--quiet", is_flag=True, help="Only what was written.")
@click.pass_context
def suite_command(
    context: click.Context,
    /,
    profile: str,
    out: str | None,
    from_mutants: bool,
    list_only: bool,
    adapter: str | None,
    cover: str,
    budget: int | None,
    max_states: int | None,
    store: str | None,
    quiet: bool,
) -> int:
    """Write test cases that cover the graph of PROFILE: steps from the initial state, with the expected state after each.

    With --from-mutants the cases are the shortest runs that kill a mutant: PROFILE with one mistake, in several small
    configurations, or in the one that is given.

    Every bound and setting of the profile is an option, as for `neverlost check`. Choose bounds with a small graph:
    ten thousand states give a suite that runs in about a minute.

    Exit codes: 0 the suite is written, 2 the input is wrong or the graph too large, 130 interrupted, and nothing is written.
    """
    if cover not in COVERS:
        raise UnknownNameError("cover", cover, COVERS)
    if (out is None) != list_only or (not from_mutants and (list_only or adapter is not None or store is not None)):
        raise OptionsError(
            "name a folder with --out; --list takes its place, and like --adapter and --store needs --from-mutants"
        )
    if from_mutants:
        return _from_mutants(context, known_profile(profile), out, adapter or IN_PROCESS, max_states, store, quiet)
    model = bounded_model(context, known_profile(profile))
    assert out is not None
    from neverlost.conformance.exploring import UnfinishedGraphError
    from neverlost.conformance.suite.cases import suite_of
    from neverlost.conformance.suite.files import refuse_folder, write_suite

    from ..terminal import show

    refuse_folder(Path(out))
    began = time.perf_counter()
    with SearchStatus(quiet) as status, interruptible() as interrupted:
        try:
            watch = Watch(progress=status.search, interrupted=interrupted)
            suite = suite_of(
                model, cover, budget=budget, limits=limits_of(states=max_states or MOST_STATES), watch=watch
            )
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


def _from_mutants(
    context: click.Context,
    profile: Profile,
    out: str | None,
    adapter: str,
    max_states: int | None,
    store: str | None,
    quiet: bool,
) -> int:
    """Write the suite of the runs that kill mutants, or show what it would have."""
    from neverlost.conformance.adapters import adapter_and_planner
    from neverlost.conformance.mutants.killing import MOST_STATES as MOST_SEARCHED
    from neverlost.conformance.suite.files import refuse_folder, write_files
    from neverlost.conformance.suite.from_mutants import kills_of, suite_from
    from neverlost.conformance.suite.kept_suites import SuiteKey, keep_suite, read_suite

    from ..terminal import show

    if out is not None:
        refuse_folder(Path(out))
    began, folder = time.perf_counter(), store_folder(store)
    key = SuiteKey(
        profile=profile,
        adapter=adapter,
        given=chosen_bounds(context, profile),
        most_states=max_states or MOST_SEARCHED,
    )
    make, possible = adapter_and_planner(adapter)
    kept = read_suite(folder, key)
    took = "kept from an earlier run"
    if kept is None:
        with StatusLine(quiet) as status, interruptible() as interrupted:
            kills = kills_of(
                profile,
                make,
                key.given,
                possible=possible,
                most_states=key.most_states,
                watch=Watch(progress=status.say, interrupted=interrupted),
            )
        kept = _about(suite_from(profile, kills), kills)
        keep_suite(folder, key, kept)
        took = show_seconds(time.perf_counter() - began)
    if out is not None:
        write_files(Path(out), kept.suite, [kept.cases])
    show(f"{out or profile.name}: {kept.about}{'' if quiet else f' ({took})'}")
    if not quiet:
        show(kept.kills_in_full if out is None else kept.kills)
    return ExitCode.HOLDS


def _about(suite: Suite, kills: Kills) -> KeptSuite:
    """A suite as it is kept."""
    from neverlost.conformance.suite.files import case_lines, suite_values
    from neverlost.conformance.suite.kept_suites import KeptSuite

    return KeptSuite(
        suite=json_text(suite_values(suite)),
        cases="".join(case_lines(suite)),
        about=f"{counted(len(suite.cases), 'case')} of {counted(suite.steps, 'step')} together, which kill"
        f" {suite.covered:,} of {counted(suite.goals, 'mutant')}",
        kills="\n".join(kill_lines(kills, in_full=False)),
        kills_in_full="\n".join(kill_lines(kills, in_full=True)),
    )


def kill_lines(kills: Kills, *, in_full: bool) -> list[str]:
    """How many mistakes in the functions of each module are killed, and why the others survive; in full also which."""
    modules: dict[str, list[Mutant]] = {}
    for mutant in kills.mutants:
        modules.setdefault(mutant.name.partition(".")[0] if not mutant.switched else "releases", []).append(mutant)
    lines = ["", "mutants of   killed  of"]
    lines += [f"{name:11}  {sum(m.name in kills.runs for m in own):>6}  {len(own):>2}" for name, own in modules.items()]
    lines += ["", "Survived"]
    for reason in dict.fromkeys(kills.survivals.values()):
        names = [m for m in kills.mutants if kills.survivals.get(m.name) is reason]
        lines.append(f"{len(names):>5}  {reason.value}")
        lines += [f"         {m.name}  {_line(m.about)}" for m in names] if in_full else []
    if in_full:
        lines += ["", "Killed, with how many steps"]
        lines += [
            f"{len(kills.runs[m.name].steps):>5}  {m.name}  {_line(m.about)}"
            for m in kills.mutants
            if m.name in kills.runs
        ]
    return lines


def _line(text: str) -> str:
    return " ".join(text.split())
