"""`neverlost reproduce`: a counterexample, played on real brokers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.words import counted

from ..options import json_option, release_options
from ..output import Output
from ..progress import StatusLine, interruptible
from .traces import load

if TYPE_CHECKING:
    from neverlost.conformance.cluster.reproduction import Reproduction
    from neverlost.conformance.judging import JudgedStep
    from neverlost.explorer.traces.trace import Trace


@click.command("reproduce")
@click.argument("file", metavar="TRACE")
@release_options
@click.option("--classes", metavar="JAR", help="Your own build of some classes: they come before those of the release.")
@click.option("--times", default=1, type=click.IntRange(min=1), metavar="N", help="How many times; 1.")
@click.option(
    "--unpatched",
    is_flag=True,
    help="Change no request on its way: only delay and cut. A follower's fetch then waits for data.",
)
@click.option(
    "--profile", metavar="PROFILE", help="The file of a profile of your own, path/to/file.py:NAME: it is run."
)
@click.option("--keep", is_flag=True, help="Keep the brokers' data and logs.")
@json_option("the outcome")
@click.option("--quiet", is_flag=True, help="Only the verdicts.")
def reproduce_command(
    file: str,
    version: str,
    mode: str | None,
    classes: str | None,
    times: int,
    unpatched: bool,
    profile: str | None,
    keep: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Play the counterexample in TRACE on a cluster of real brokers: does each step go as the model says, is the record gone?

    The brokers run on this machine, on 127.0.0.1 only. Java 17 and Maven must be there; Maven downloads the release once.

    Exit codes: 0 reproduced each time, 1 the brokers went another way than the model, 2 the input is wrong or something is missing,
    3 the run cannot be scheduled on real brokers, or was interrupted.
    """
    from neverlost.conformance.adapter import CannotSchedule
    from neverlost.conformance.cluster.clusters import Clusters
    from neverlost.conformance.cluster.releases import release_named
    from neverlost.conformance.cluster.reproduction import Reproduced, reproduce
    from neverlost.reports.reproduce.as_json import reproduction_values
    from neverlost.reports.reproduce.as_text import reproduction_text

    output = Output({"--json": json_path}, inputs=[file, *files_of(profile)], quiet=quiet)
    release = release_named(version, mode, classes)
    trace = load(file, profile)
    found: list[Reproduction] = []
    cannot = ""
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
    for number, one in enumerate(found, start=1):
        output.show(reproduction_text(one, file, quiet, number if times > 1 else None))
    if cannot:
        output.show(f"{file} on Kafka {release}: UNDECIDED, {cannot}")
    for folder in clusters.folders:
        output.show(f"The brokers' data and logs are in {folder}")
    output.write(
        "--json",
        lambda: json_text({"schema": 1, "runs": [reproduction_values(one) for one in found], "undecided": cannot}),
    )
    if any(one.verdict is not Reproduced.YES for one in found):
        return ExitCode.VIOLATED
    return ExitCode.UNDECIDED if cannot else ExitCode.HOLDS


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
