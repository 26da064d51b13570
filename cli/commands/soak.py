"""`neverlost soak`: random runs of the model on real brokers, as many as the time allows."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.json_reading import JsonError, read_json
from neverlost.explorer.render_text import counted
from neverlost.explorer.watch import Watch
from neverlost.model.core import NeverlostError

from ..progress import StatusLine, interruptible
from ..quantities import show_seconds, time_seconds

if TYPE_CHECKING:
    from neverlost.conformance.cluster.soaking import SoakRun

AS_THE_MODEL, DIFFERS = 0, 1


class SoakFileError(NeverlostError):
    """A file has something else than the runs of a soak."""


@click.command("soak")
@click.option("--kafka", "version", required=True, metavar="VERSION", help="The release of Apache Kafka to run: 4.1.1.")
@click.option("--mode", metavar="zookeeper|kraft", help="For a release that has both; kraft if not given.")
@click.option("--time", "duration", default="5m", metavar="TIME", help="How long: 90s, 10m, 2h; 5m.")
@click.option("--out", metavar="FILE", help="Append each run to FILE, and begin after the runs that are there.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def soak_command(version: str, mode: str | None, duration: str, out: str | None, quiet: bool) -> int:
    """Do random runs of the release's version of the model on real brokers, and judge every step.

    Each run has a number, by which it is made again: what was interrupted goes on with the next number.

    Exit codes: 0 every step was one of the model's, 1 a run differs from the model, 2 the input is wrong or something is missing.
    """
    from neverlost.conformance.cluster.releases import release_named
    from neverlost.conformance.cluster.soaking import soak, soak_values

    release, seconds = release_named(version, mode), time_seconds(duration)
    done = runs_there(Path(out), release.version, release.mode) if out else 0
    began, steps, runs = time.perf_counter(), 0, 0
    differing: list[SoakRun] = []
    with StatusLine(quiet) as status, interruptible() as interrupted:

        def say(text: str) -> None:
            status.show(time.perf_counter() - began, lambda: text)

        in_time = itertools.takewhile(lambda _: time.perf_counter() - began < seconds, itertools.count(done + 1))
        for run in until_interrupted(soak(release, in_time, watch=Watch(progress=say, interrupted=interrupted))):
            runs, steps = runs + 1, steps + len(run.judged)
            differing += [run] if run.difference is not None or run.trouble else []
            if out:
                with Path(out).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(soak_values(release, run)) + "\n")
            say(f"{counted(runs, 'run')}, {counted(steps, 'step')}, {len(differing)} differ")
    verdict = "every step as the model" if not differing else f"{counted(len(differing), 'run')} of them differ"
    took = show_seconds(time.perf_counter() - began)
    print(f"Kafka {release}: {counted(runs, 'random run')} of {counted(steps, 'step')} together, {verdict} ({took})")
    for run in [] if quiet else differing:
        print(f"\nRun {run.number}")
        for judged in run.judged:
            print(f"{judged.number:4}. {judged.step.show(run.model.bounds)}")
            for line in [*([judged.refusal] if judged.refusal else []), *(one.show() for one in judged.differences)]:
                print(f"        {line}")
        if run.trouble:
            print(f"      {run.trouble}")
    return DIFFERS if differing else AS_THE_MODEL


def until_interrupted(found: Iterator[SoakRun]) -> Iterator[SoakRun]:
    """The runs before the user interrupts."""
    with suppress(KeyboardInterrupt):
        yield from found


def runs_there(file: Path, version: str, mode: str) -> int:
    """The number of the last run of a release in a file; 0 if it has none. Raises SoakFileError."""
    if not file.exists():
        return 0
    last = 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            values = read_json(line)
            if (values["release"], values["mode"]) == (version, mode):
                last = max(last, int(values["number"]))
        except (JsonError, LookupError, TypeError, ValueError) as error:
            raise SoakFileError(f"{file}, line {number} is no run of a soak ({error}); name another file") from error
    return last
