"""`neverlost record`: real brokers and clients while things fail, recorded."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.whole_file import write_whole
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.model.core import NeverlostError
from neverlost.reports.quantities import show_seconds

from ..options import release_options
from ..output import Output
from ..progress import StatusLine, interruptible, until_interrupted

if TYPE_CHECKING:
    from neverlost.conformance.cluster.recording import RecordedRun

CLIENT_NAMES = ("raw", "java", "librdkafka")


class RecordOptionsError(NeverlostError):
    """Options of a recording do not go together."""


@click.command("record")
@release_options
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=20, metavar="N", help="Begin no run after this time; 20."
)
@click.option(
    "--faults",
    default="crash,pause,hold,move",
    metavar="LIST",
    help="The faults that may happen: crash, pause, hold, move, separated by commas, or none; all if not given.",
)
@click.option("--seed", type=int, default=0, metavar="N", help="Other choices for another number; 0.")
@click.option("--values", type=click.IntRange(min=1), default=6, metavar="N", help="How many values a run sends; 6.")
@click.option("--acks", type=click.Choice(["0", "1", "all"]), default="all", help="What the client waits for; all.")
@click.option("--min-isr", type=click.IntRange(min=1, max=3), default=2, metavar="N", help="min.insync.replicas; 2.")
@click.option("--client", type=click.Choice(CLIENT_NAMES), default="raw", help="Who sends the values; raw.")
@click.option(
    "--client-setting",
    "client_settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the client, as its library calls it: enable.idempotence=true. Repeatable; not for raw.",
)
@click.option(
    "--out",
    metavar="FILE",
    help="Write an event log of each run, for neverlost validate: run.ndjson becomes run-001.ndjson and so on.",
)
@click.option("--history", metavar="FILE", help="Write what the clients saw, for neverlost history.")
@click.option("--quiet", is_flag=True, help="Only the totals.")
def record_command(
    version: str,
    mode: str | None,
    seconds: float,
    faults: str,
    seed: int,
    values: int,
    acks: str,
    min_isr: int,
    client: str,
    client_settings: tuple[str, ...],
    out: str | None,
    history: str | None,
    quiet: bool,
) -> int:
    """Run a cluster of real brokers while random faults happen, and record what brokers and clients do.

    Each run has a topic of its own. The brokers run on this machine, on 127.0.0.1 only; Java 17 and Maven must be there.

    Exit codes: 0 recorded, 2 the input is wrong or something is missing.
    """
    from neverlost.conformance.cluster.live_run import LiveSettings
    from neverlost.conformance.cluster.recording import ensure_recordable, history_lines, record
    from neverlost.conformance.cluster.releases import release_named
    from neverlost.reports.record.as_text import run_text, totals_text

    output = Output({"--history": history}, quiet=quiet)
    release = release_named(version, mode)
    settings = LiveSettings(
        client=client,
        client_settings=_settings(client_settings, client),
        values=values,
        acks=acks,
        min_isr=min_isr,
        faults=_faults(faults),
    )
    if out and client != "raw":
        raise RecordOptionsError(
            f"--out needs --client raw: which broker {client} sends to is not seen; ask for --history"
        )
    ensure_recordable(release, client)
    if out is None and history is None:
        raise RecordOptionsError(
            "nothing would be written; name a file for the event logs with --out, or for the history with --history"
        )
    runs: list[RecordedRun] = []
    with StatusLine(quiet) as status, interruptible() as interrupted:
        in_time = itertools.takewhile(lambda number: number == 1 or status.seconds < seconds, itertools.count(1))
        watch = Watch(progress=status.say, interrupted=interrupted)
        for run in until_interrupted(record(release, in_time, settings, seed=seed, watch=watch)):
            runs.append(run)
            if out:
                write_whole(numbered(out, run.number), "".join(f"{line}\n" for line in run.log).encode())
            status.say(run_text(run))
            if not quiet:
                output.show(run_text(run))
    output.write("--history", lambda: "".join(f"{line}\n" for line in history_lines(runs)))
    output.show(f"Kafka {release}: {totals_text(runs, with_events=bool(out))} ({show_seconds(status.seconds)})")
    return ExitCode.HOLDS


def numbered(out: str, number: int) -> Path:
    """The file of a run: run-001.ndjson."""
    path = Path(out)
    return path.with_name(f"{path.stem}-{number:03}{path.suffix}")


def _faults(text: str) -> tuple[str, ...]:
    from neverlost.conformance.cluster.live_run import FAULTS

    chosen = tuple(name.strip() for name in text.split(",") if name.strip() not in ("", "none"))
    unknown = [name for name in chosen if name not in FAULTS]
    if unknown:
        raise RecordOptionsError(f"--faults: {unknown[0]!r} is no fault; there are {', '.join(FAULTS)}")
    return chosen


def _settings(given: tuple[str, ...], client: str) -> dict[str, str]:
    if given and client == "raw":
        raise RecordOptionsError("--client-setting is for --client java and librdkafka; raw has no settings")
    for text in given:
        if "=" not in text:
            raise RecordOptionsError(f"--client-setting {text}: write KEY=VALUE")
    return dict(text.split("=", 1) for text in given)
