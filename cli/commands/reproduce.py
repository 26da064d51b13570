"""`neverlost reproduce`: a counterexample, played on real brokers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.traces.render_text import counted, sentence
from neverlost.reports.quantities import show_seconds

from ..output import Output
from ..progress import StatusLine, interruptible
from .traces import load

if TYPE_CHECKING:
    from neverlost.conformance.cluster.reproduction import Reproduction
    from neverlost.conformance.judging import JudgedStep
    from neverlost.explorer.traces.trace import Trace


@click.command("reproduce")
@click.argument("file", metavar="TRACE")
@click.option("--kafka", "version", required=True, metavar="VERSION", help="The release of Apache Kafka to run: 4.1.1.")
@click.option("--mode", metavar="zookeeper|kraft", help="For a release that has both; kraft if not given.")
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
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the outcome as JSON; with -, the text goes to standard error."
)
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
    from neverlost.conformance.cluster.reproduction import Reproduced, reproduce, reproduction_values

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
        output.show("\n".join(reproduction_lines(one, file, quiet, number if times > 1 else None)))
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


def reproduction_lines(found: Reproduction, file: str, quiet: bool, number: int | None) -> list[str]:
    """How a run went, for people."""
    model, verdict = found.trace.model, found.verdict
    run = "" if number is None else f", run {number}"
    lines = [f"{file} on Kafka {found.release}{run}: {verdict.upper()}. {_ending(found)}"]
    if quiet:
        return lines
    if found.trace.property is not None:
        lines += ["", f"The run shows: {sentence(found.trace)}", ""]
    width = max((len(step.step.show(model.bounds)) for step in found.steps), default=0)
    for step in found.steps:
        how = "as the run" if step.as_the_run else "as the model, but another way" if step.as_the_model else "OTHERWISE"
        lines.append(f"{step.number:3}. {step.step.show(model.bounds):{width}}  {how}  {show_seconds(step.seconds)}")
        lines += [f"       by itself: {hidden.show(model.bounds)}" for hidden in step.hidden]
        lines += [f"       not done: {step.refusal}"] if step.refusal else []
        lines += [f"       {difference.show()}" for difference in step.differences]
    if found.final is not None:
        lines += ["", "When everything flows again"]
        lines += [f"  r{found.final.leader} leads epoch {found.final.leader_epoch}"]
        for broker, log in found.final.logs.items():
            records = " ".join(value if epoch is None else f"{value}@{epoch}" for _, epoch, value in log)
            lines.append(f"  log of r{broker}: [{records}]")
        lines.append(f"  a consumer reads: {' '.join(found.final.consumer) or 'nothing'}")
        lines += [f"  note: {note}" for note in found.final.notes]
    return lines


def _ending(found: Reproduction) -> str:
    """What is left in the end, in a sentence."""
    if found.final is None:
        return f"The brokers did not come back together: {found.trouble}"
    said = []
    difference = found.first_difference
    if difference is not None:
        said.append(f"The brokers differ from the model at step {difference.number}.")
    if found.lost:
        values = ", ".join(f"v{value}" for value in found.lost)
        said.append(f"Acknowledged and gone: {values}; a consumer does not read it.")
    else:
        said.append("Every acknowledged record is there." if found.acknowledged else "Nothing was acknowledged.")
    if found.diverged:
        said.append("Logs have different records at one offset.")
    return " ".join(said)
