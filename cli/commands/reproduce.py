"""`neverlost reproduce`: a counterexample, given or searched for, played on real brokers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.explorer.words import counted

from ..bounds import GIVEN, USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names, property_names
from ..limits import limits_of
from ..options import OptionsError, json_option, release_options
from ..output import Output
from ..progress import StatusLine, interruptible
from .traces import load

if TYPE_CHECKING:
    from neverlost.conformance.cluster.finding import Found
    from neverlost.conformance.cluster.reproduction import Reproduction
    from neverlost.conformance.judging import JudgedStep
    from neverlost.explorer.traces.trace import Trace


TRACE_OUT = "--trace-out"


@click.command("reproduce", cls=BoundedCommand, options_metavar=USAGE)
@click.argument("played", metavar="TRACE|PROFILE", shell_complete=profile_names)
@release_options
@click.option(
    "--property",
    "prop",
    metavar="NAME",
    shell_complete=property_names,
    help="What a run of PROFILE is to violate; its first property if not given.",
)
@click.option("--list", "list_only", is_flag=True, help="Show the run of PROFILE, and start no brokers.")
@click.option(TRACE_OUT, metavar="FILE", help="Write the run of PROFILE that was found, for trace and reproduce.")
@click.option("--classes", metavar="JAR", help="Your own build of some classes: they come before those of the release.")
@click.option("--times", default=1, type=click.IntRange(min=1), metavar="N", help="How many times; 1.")
@click.option(
    "--unpatched",
    is_flag=True,
    help="Change no request on its way: only delay and cut. A follower's fetch then waits for data.",
)
@click.option(
    "--profile",
    metavar="PROFILE",
    help="For TRACE: the file of a profile of your own, path/to/file.py:NAME: it is run.",
)
@click.option("--keep", is_flag=True, help="Keep the brokers' data and logs.")
@json_option("the outcome")
@click.option("--quiet", is_flag=True, help="Only the verdicts.")
@click.pass_context
def reproduce_command(
    context: click.Context,
    /,
    played: str,
    version: str,
    mode: str | None,
    prop: str | None,
    list_only: bool,
    trace_out: str | None,
    classes: str | None,
    times: int,
    unpatched: bool,
    profile: str | None,
    keep: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Play a counterexample on a cluster of real brokers: does each step go as the model says, is the record gone?

    TRACE is a file that `check --trace-out` wrote. Of a PROFILE, within bounds that are options as in `check`, the shortest run is
    searched that real brokers can be made to do: first its own shortest, then among the steps that brokers were seen to do.

    The brokers run on this machine, on 127.0.0.1 only. Java 17 and Maven must be there; Maven downloads the release once.

    Exit codes: 0 reproduced each time, 1 the brokers went another way than the model, 2 the input is wrong or something is missing,
    3 no run can be scheduled on real brokers, there is none, or it was interrupted.
    """
    from neverlost.conformance.adapter import CannotSchedule
    from neverlost.conformance.cluster.clusters import Clusters
    from neverlost.conformance.cluster.releases import release_named
    from neverlost.conformance.cluster.reproduction import Reproduced, reproduce
    from neverlost.reports.reproduce.as_json import reproduction_values, tried_values
    from neverlost.reports.reproduce.as_text import found_text, reproduction_text

    given = Path(played).exists() or played.endswith(".json")
    inputs = [played, *files_of(profile)] if given else files_of(played)
    output = Output({"--json": json_path, TRACE_OUT: trace_out}, inputs=inputs, quiet=quiet)
    release = release_named(version, mode, classes)
    if given:
        _refuse_options_of_a_search(context, prop, list_only, trace_out)
        looked: Found | None = None
        trace: Trace | None = load(played, profile)
    else:
        looked = _searched(context, played, prop, profile, quiet)
        trace = looked.trace
        output.show(found_text(looked, quiet))
        if trace is not None:
            found_trace = trace
            output.write(TRACE_OUT, lambda: trace_json(found_trace))
    name = played if looked is None or trace is None else trace.model.profile.name
    found: list[Reproduction] = []
    cannot = "" if trace is not None else "no run was found that real brokers can be made to do"
    folders: list[Path] = []
    if trace is not None and not list_only:
        with ExitStack() as stack:
            interrupted = stack.enter_context(interruptible())
            status = stack.enter_context(ReproduceStatus(quiet, trace))
            clusters = stack.enter_context(
                Clusters(release, keep=keep, watch=Watch(progress=status.say, interrupted=interrupted))
            )
            try:
                for number in range(1, times + 1):
                    status.begin(number)
                    found.append(reproduce(trace, clusters, patched=not unpatched, progress=status.step))
            except CannotSchedule as error:
                cannot = str(error)
            except KeyboardInterrupt:
                cannot = "it was interrupted"
        folders = list(clusters.folders)
    for number, one in enumerate(found, start=1):
        output.show(reproduction_text(one, name, quiet, number if times > 1 else None))
    if cannot:
        output.show(f"{name} on Kafka {release}: UNDECIDED, {cannot}")
    for folder in folders:
        output.show(f"The brokers' data and logs are in {folder}")
    output.write(
        "--json",
        lambda: json_text(
            {
                "schema": 1,
                "runs": [reproduction_values(one) for one in found],
                "undecided": cannot,
                "tried": [] if looked is None else tried_values(looked),
            }
        ),
    )
    if any(one.verdict is not Reproduced.YES for one in found):
        return ExitCode.VIOLATED
    return ExitCode.UNDECIDED if cannot else ExitCode.HOLDS


def _refuse_options_of_a_search(
    context: click.Context, prop: str | None, list_only: bool, trace_out: str | None
) -> None:
    options = {"--property": prop, "--list": list_only, TRACE_OUT: trace_out} | {
        option: True for option, _ in context.meta[GIVEN]
    }
    for option, value in options.items():
        if value:
            raise OptionsError(
                f"{option} is for the search of a profile; a trace has its own run and bounds, so leave it out"
            )


def _searched(context: click.Context, reference: str, prop: str | None, profile: str | None, quiet: bool) -> Found:
    """What a search for a run of a profile found. Raises NeverlostError."""
    from neverlost.conformance.cluster.finding import Found, Tried, find_run

    if profile is not None:
        raise OptionsError("--profile says which profile a trace is of; a profile to be searched is named without it")
    model = bounded_model(context, known_profile(reference))
    decided = model.profile.properties[0] if prop is None else model.profile.property_named(prop)
    with StatusLine(quiet) as status, interruptible() as interrupted:
        watch = Watch(progress=status.say, interrupted=interrupted)
        try:
            return find_run(model, decided.name, limits=limits_of(), watch=watch)
        except KeyboardInterrupt:
            interrupted_search = Tried(profile=model.profile.name, length=None, why="the search was interrupted")
            return Found(trace=None, tried=(interrupted_search,))


class ReproduceStatus(StatusLine):
    """Shows which step is being done."""

    def __init__(self, quiet: bool, trace: Trace) -> None:
        super().__init__(quiet)
        self.steps, self.number = len(trace.steps), 1

    def begin(self, number: int) -> None:
        """A run begins."""
        self.number = number

    def step(self, judged: JudgedStep) -> None:
        """A step was done."""
        self.say(f"run {self.number}: {judged.number} of {counted(self.steps, 'step')}")
