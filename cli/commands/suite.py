"""`neverlost suite`: write test cases from the explored graph."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.model.core import Profile, UnknownNameError
from neverlost.reports.quantities import show_seconds

from ..bounds import USAGE, BoundedCommand, bounded_model, chosen_bounds, known_profile
from ..completion import adapter_names, profile_names
from ..counts import WholeNumber
from ..limits import limits_of
from ..options import OptionsError
from ..progress import SearchStatus, StatusLine, interruptible
from ..stores import store_folder

if TYPE_CHECKING:
    from neverlost.conformance.mutants.killing import Kills
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
    shell_complete=adapter_names,
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
    from neverlost.reports.suite.as_text import suite_text

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
    show(f"{out}: {suite_text(suite, cover)}{took}")
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
        if not kept.cases:
            raise OptionsError(
                f"no mistake in {profile.name} shows in what {adapter} does and sees, so there is nothing to write; see why with --list"
            )
        write_files(Path(out), kept.suite, [kept.cases])
    show(f"{out or profile.name}: {kept.about}{'' if quiet else f' ({took})'}")
    if not quiet:
        show(kept.kills_in_full if out is None else kept.kills)
    return ExitCode.HOLDS


def _about(suite: Suite, kills: Kills) -> KeptSuite:
    """A suite as it is kept."""
    from neverlost.conformance.suite.files import case_lines, suite_values
    from neverlost.conformance.suite.kept_suites import KeptSuite
    from neverlost.reports.suite.as_text import kills_text, suite_from_mutants_text

    return KeptSuite(
        suite=json_text(suite_values(suite)),
        cases="".join(case_lines(suite)),
        about=suite_from_mutants_text(suite),
        kills=kills_text(kills, in_full=False),
        kills_in_full=kills_text(kills, in_full=True),
    )
