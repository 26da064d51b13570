"""`neverlost conform`: run a suite against an implementation."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.model.core import UnknownNameError
from neverlost.reports.quantities import show_seconds

from ..bounds import named_profile
from ..completion import adapter_names
from ..counts import WholeNumber
from ..options import OptionsError, json_option
from ..output import Output
from ..progress import StatusLine, interruptible
from ..quantities import time_seconds
from ..waiting import waiting_for
from .traces import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neverlost.conformance.suite.cases import SuiteCase
    from neverlost.conformance.suite.parts import PartOutcome
    from neverlost.conformance.suite.run import CasesRun, SuiteOutcome
    from neverlost.model.core import Model

UNTIL = ("first", "all")
CASE_TIME, KAFKA_CASE_TIME = "30s", "10m"


@dataclass(frozen=True, kw_only=True)
class ConformOptions:
    """The options of `neverlost conform` that say what runs, and how."""

    adapter: str
    version: str | None
    mode: str | None
    classes: str | None
    until: str
    case_time: str | None
    random_steps: int | None
    seed: int
    parts: bool

    @property
    def seconds(self) -> float:
        """How long a case may take."""
        return time_seconds(self.case_time or (CASE_TIME if self.version is None else KAFKA_CASE_TIME))

    def refuse_wrong(self) -> None:
        """Refuse options that do not go together."""
        from neverlost.conformance.adapters import KAFKA

        on_kafka = self.adapter == KAFKA
        if self.until not in UNTIL:
            raise UnknownNameError("way to end a run", self.until, UNTIL)
        if on_kafka != (self.version is not None) or (self.version is None and (self.mode or self.classes)):
            raise OptionsError("--adapter kafka and --kafka VERSION go together; --mode and --classes need both")
        if self.random_steps is not None and on_kafka:
            raise OptionsError(
                "--random-steps does not go with kafka, which plans whole runs: use `neverlost soak` for random runs"
            )
        if self.parts and on_kafka:
            raise OptionsError("--parts does not go with kafka: the timers of real brokers have no adapter")


@click.command("conform")
@click.argument("cases_in", metavar="CASES")
@click.option(
    "--adapter",
    shell_complete=adapter_names,
    required=True,
    metavar="NAME",
    help="What drives the implementation: inprocess, kafka (real brokers), or file.py:NAME.",
)
@click.option("--kafka", "version", metavar="VERSION", help="With --adapter kafka: the release to run, 4.1.1.")
@click.option("--mode", metavar="zookeeper|kraft", help="With --adapter kafka, for a release that has both.")
@click.option(
    "--classes",
    metavar="JAR",
    help="With --adapter kafka: your own build of some classes; they come before those of the release.",
)
@click.option(
    "--until", default="first", metavar="|".join(UNTIL), help="Stop at the first case that fails, or run all."
)
@click.option(
    "--case-time",
    metavar="TIME",
    help="A case that takes longer counts as a failure of the adapter; 30s if not given, 10m with kafka.",
)
@click.option(
    "--random-steps",
    type=WholeNumber(min=1),
    metavar="N",
    help="If all cases pass, take N more steps at random, each time from the end of some case.",
)
@click.option(
    "--seed",
    type=WholeNumber(),
    default=1,
    metavar="N",
    help="Which random steps are taken; the same each time with 1.",
)
@click.option(
    "--parts",
    is_flag=True,
    help="If all cases pass, run the suites of the system's parts too, such as its timer: those that the adapter names.",
)
@click.option(
    "--profile", metavar="PROFILE", help="The file of a profile of your own, path/to/file.py:NAME: it is run."
)
@click.option("--trace-out", metavar="FILE", help="Write the trace to the first divergence, for trace and replay.")
@json_option("the outcome")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def conform_command(
    cases_in: str, profile: str | None, trace_out: str | None, json_path: str | None, quiet: bool, **options: object
) -> int:
    """Run CASES, the folder of a suite or the file of a trace, against an implementation; compare it with the model after each step.

    Exit codes: 0 all cases passed, 1 the implementation differs from the model, 2 the input is wrong or only the adapter failed,
    3 interrupted before a case failed.
    """
    from neverlost.conformance.suite.files import CASES, SUITE
    from neverlost.conformance.suite.parts import COVER
    from neverlost.reports.conform.as_json import outcome_values
    from neverlost.reports.conform.as_text import outcome_text

    chosen = ConformOptions(**options)  # type: ignore[arg-type]
    chosen.refuse_wrong()
    is_trace = Path(cases_in).is_file()
    read = [cases_in] if is_trace else [f"{cases_in}/{SUITE}", f"{cases_in}/{CASES}"]
    inputs = [*read, *files_of(chosen.adapter, profile)]
    output = Output({"--json": json_path, "--trace-out": trace_out}, inputs=inputs, quiet=quiet)
    given = of_trace(cases_in, profile) if is_trace else of_suite(cases_in, profile)
    outcome, took = _run(given, chosen, quiet=output.quiet)
    output.show(outcome_text(given.model, given.cover, outcome, trace_out, output.quiet, took))
    parts = []
    if chosen.parts and outcome.complete and not outcome.failures:
        for part, took in _run_parts(chosen, quiet=output.quiet):
            output.show(outcome_text(part.model, COVER, part.outcome, trace_out, output.quiet, took))
            parts.append(part)
    failures = [failure for one in (outcome, *(part.outcome for part in parts)) for failure in one.failures]
    complete = outcome.complete and all(part.outcome.complete for part in parts)
    first = next((f.divergence for f in failures if f.divergence is not None), None)
    if first is not None:
        output.write("--trace-out", lambda: trace_json(first.trace))
    output.write("--json", lambda: json_text(outcome_values(given.model, given.cover, outcome, parts)))
    if failures:
        return ExitCode.VIOLATED if first is not None else ExitCode.WRONG_INPUT
    return ExitCode.HOLDS if complete else ExitCode.UNDECIDED


def _run_parts(chosen: ConformOptions, *, quiet: bool) -> Iterator[tuple[PartOutcome, float]]:
    """The outcome of the suite of each part that the adapter names, and how many seconds it took."""
    from neverlost.conformance.adapters import adapter_named
    from neverlost.conformance.suite.parts import conform_parts, parts_of

    parts = parts_of(adapter_named(chosen.adapter))
    began = time.perf_counter()
    with ConformStatus(quiet, 0) as status, interruptible() as interrupted:
        watch = Watch(progress=status.case, interrupted=interrupted)
        for part in conform_parts(parts, until=chosen.until, seconds=chosen.seconds, watch=watch):
            yield part, time.perf_counter() - began
            began = time.perf_counter()


def _run(given: Given, chosen: ConformOptions, *, quiet: bool) -> tuple[SuiteOutcome, float]:
    """The outcome of all cases, and of the random steps after them; and how many seconds they took."""
    from neverlost.conformance.adapters import adapter_named, kafka_adapters
    from neverlost.conformance.cluster.planning import shrinks
    from neverlost.conformance.suite.run import conform, go_beyond

    cases = given.cases if chosen.random_steps is None else list(given.cases)
    seconds, version = chosen.seconds, chosen.version
    began = time.perf_counter()
    with (
        ConformStatus(quiet, given.count) as status,
        interruptible() as interrupted,
        nullcontext(adapter_named(chosen.adapter))
        if version is None
        else kafka_adapters(
            version, chosen.mode, chosen.classes, watch=Watch(progress=status.say, interrupted=interrupted)
        ) as make,
    ):
        outcome = conform(
            given.model,
            # Runs in which the ISR shrinks need another cluster than those in which it must not.
            cases if version is None else sorted(cases, key=lambda case: shrinks(case.steps)),
            make,
            until=chosen.until,
            seconds=seconds,
            watch=Watch(progress=status.case, interrupted=interrupted),
        )
        if chosen.random_steps is not None and outcome.complete and not outcome.failures:
            outcome = go_beyond(
                outcome,
                given.model,
                list(cases),
                make,
                seed=chosen.seed,
                steps=chosen.random_steps,
                seconds=seconds,
                watch=Watch(progress=status.walk, interrupted=interrupted),
            )
    return outcome, time.perf_counter() - began


@dataclass(frozen=True, kw_only=True)
class Given:
    """The cases to run: of a suite, or one that is a recorded trace. `cover` says what they cover."""

    model: Model
    cover: str
    count: int
    cases: Iterable[SuiteCase]


def of_suite(folder: str, profile: str | None) -> Given:
    """The cases of the suite in a folder, read one by one. Raises SuiteError, UnknownNameError, BoundsError."""
    from neverlost.conformance.suite.files import CASES, SUITE, SuiteFiles

    with waiting_for(str(Path(folder) / SUITE)):
        files = SuiteFiles(Path(folder), lambda recorded: named_profile(recorded, profile, f"{folder} is a suite"))
    cases = files.cases()
    with waiting_for(str(Path(folder) / CASES)):
        opened = list(islice(cases, 1))
    return Given(
        model=files.model,
        cover=files.values["cover"],
        count=int(files.values["cases"]),
        cases=chain(opened, cases),
    )


def of_trace(file: str, profile: str | None) -> Given:
    """The run in a file as a case, in which refused steps are tried everywhere. Raises NeverlostError."""
    from neverlost.conformance.suite.cases import SuiteCase

    trace = load(file, profile)
    everywhere = tuple(range(len(trace.steps) + 1))
    case = SuiteCase(name=file, steps=trace.steps, adds=1, attempts_after=everywhere)
    return Given(model=trace.model, cover="trace", count=1, cases=[case])


class ConformStatus(StatusLine):
    """Shows how many cases have run."""

    def __init__(self, quiet: bool, cases: int) -> None:
        super().__init__(quiet)
        self.cases = cases

    def case(self, so_far: CasesRun) -> None:
        """One more case has run."""
        seconds = self.seconds
        self.show(
            seconds,
            lambda: (
                f"{so_far.cases:,}{f' of {self.cases:,}' if self.cases else ''} cases | {so_far.failures:,} failed | "
                f"{show_seconds(seconds)}"
            ),
        )

    def walk(self, steps: int) -> None:
        """One more walk has ended, after so many random steps of all together."""
        seconds = self.seconds
        self.show(seconds, lambda: f"{steps:,} random steps | {show_seconds(seconds)}")
