"""`neverlost soak`: random runs of the model on real brokers, as many as the time allows."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_reading import JsonError, read_json
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.words import counted
from neverlost.model.core import NeverlostError
from neverlost.reports.quantities import show_seconds

from ..counts import WholeNumber
from ..options import release_options
from ..output import Output
from ..progress import StatusLine, interruptible, until_interrupted
from ..quantities import time_seconds

if TYPE_CHECKING:
    from neverlost.conformance.cluster.soaking import Kind, SoakRun


class SoakFileError(NeverlostError):
    """A file has something else than the runs of a soak."""


@click.command("soak")
@release_options
@click.option("--time", "duration", default="5m", metavar="TIME", help="How long: 90s, 10m, 2h; 5m.")
@click.option(
    "--number",
    "numbers",
    type=WholeNumber(min=1),
    multiple=True,
    metavar="N",
    help="Only the run of this number. Repeatable.",
)
@click.option(
    "--steps",
    "longest",
    type=WholeNumber(min=1),
    metavar="N",
    help="The most steps of a run, 60; more also bring larger bounds and more kinds of faults.",
)
@click.option("--clients", is_flag=True, help="Also producers that number what they send, and consumers.")
@click.option("--brokers", type=WholeNumber(min=2), metavar="N", help="How many brokers host the partition, 3.")
@click.option("--out", metavar="FILE", help="Append each run to FILE, and begin after the runs that are there.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def soak_command(
    version: str,
    mode: str | None,
    duration: str,
    numbers: tuple[int, ...],
    longest: int | None,
    clients: bool,
    brokers: int | None,
    out: str | None,
    quiet: bool,
) -> int:
    """Do random runs of the release's version of the model on real brokers, and judge every step.

    Each run has a number, which makes the same run again. With --out, a later soak begins with the next number.
    Runs with another --steps or --brokers, or with --clients, are other runs, with numbers of their own.

    Exit codes: 0 every step was one of the model's, 1 a run differs from the model, 2 the input is wrong or something is missing.
    """
    from neverlost.conformance.cluster.releases import release_named
    from neverlost.conformance.cluster.soaking import PLAIN, Kind, soak
    from neverlost.reports.soak.as_json import soak_values
    from neverlost.reports.soak.as_text import difference_text, soak_verdict

    release, seconds = release_named(version, mode), time_seconds(duration)
    kind = Kind(longest=longest or PLAIN.longest, clients=clients, brokers=brokers or PLAIN.brokers)
    done = runs_there(Path(out), release.version, release.mode, kind) if out else 0
    output = Output({"--out": out}, quiet=quiet)
    steps = runs = 0
    differing: list[SoakRun] = []
    with StatusLine(quiet) as status, interruptible() as interrupted:
        in_time = itertools.takewhile(lambda _: status.seconds < seconds, itertools.count(done + 1))
        for run in until_interrupted(
            soak(
                release,
                numbers or in_time,
                kind=kind,
                watch=Watch(progress=status.say, interrupted=interrupted),
            )
        ):
            runs, steps = runs + 1, steps + len(run.judged)
            differing += [run] if run.difference is not None or run.trouble else []
            if out:
                with Path(out).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(soak_values(release, run)) + "\n")
            status.say(f"{counted(runs, 'run')}, {counted(steps, 'step')}, {len(differing)} differ")
    said = soak_verdict(release, runs, steps, differing)
    output.show(f"{said} ({show_seconds(status.seconds)})")
    for run in [] if quiet else differing:
        output.show(difference_text(run))
    return ExitCode.VIOLATED if differing else ExitCode.HOLDS


def runs_there(file: Path, version: str, mode: str, kind: Kind) -> int:
    """The number of the last run of a release, of a kind, in a file; 0 if it has none. Raises SoakFileError."""
    from neverlost.reports.soak.as_json import kind_of

    if not file.exists():
        return 0
    last = 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            values = read_json(line)
            if (values["release"], values["mode"], kind_of(values)) == (version, mode, kind):
                last = max(last, int(values["number"]))
        except (JsonError, LookupError, TypeError, ValueError) as error:
            raise SoakFileError(f"{file}, line {number} is no run of a soak ({error}); name another file") from error
    return last
