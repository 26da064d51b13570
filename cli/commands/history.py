"""`neverlost history`: judge what clients of a real system saw."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.model.core import NeverlostError
from neverlost.reports.quantities import show_seconds

from ..counts import WholeNumber
from ..options import json_option
from ..output import Output
from ..progress import StatusLine
from ..waiting import called, opened_input

if TYPE_CHECKING:
    from neverlost.conformance.history.malformed import Numbered

TICK = 50_000
MOST = 1_000
COMMITTED, UNCOMMITTED = "read_committed", "read_uncommitted"


class HistoryInputError(NeverlostError):
    """The history cannot be read."""


@click.command("history")
@click.argument("file", metavar="HISTORY")
@click.option(
    "--most",
    type=WholeNumber(min=1),
    default=MOST,
    metavar="N",
    help=f"Keep at most N findings of each kind for --json; all are counted. {MOST:,} if not given.",
)
@click.option(
    "--isolation-level",
    type=click.Choice([COMMITTED, UNCOMMITTED]),
    default=COMMITTED,
    help=f"What the readers of transactions were set to. {COMMITTED} if not given. With {UNCOMMITTED} anomalies of transactions "
    "are not judged.",
)
@click.option("--one-group", is_flag=True, help="All clients that subscribe are in one group, as in Jepsen's workload.")
@json_option("what was found")
@click.option("--quiet", is_flag=True, help="Only the verdict and the counts.")
def history_command(
    file: str, most: int, isolation_level: str, one_group: bool, json_path: str | None, quiet: bool
) -> int:
    """Search a history of clients for records that are lost, vanished, duplicated, out of order, or at inconsistent offsets; for
    transactions that are torn, or read before their commit; and for consumer groups that skip records, read with two members at a time,
    or go back. HISTORY is a file in Jepsen's format, EDN or JSON, or what Kafka's VerifiableProducer and VerifiableConsumer print; - is
    standard input.

    Exit codes: 0 the history is clean, 1 it has an anomaly, 2 the input is wrong, 3 something that is not judged may be an anomaly.
    """
    from neverlost.conformance.history import Recorder, forms_of, notation_of
    from neverlost.conformance.history.judged import judged
    from neverlost.reports.history.as_json import history_values
    from neverlost.reports.history.as_text import history_text, verdict_text

    output = Output({"--json": json_path}, inputs=[file], quiet=quiet)
    try:
        with opened_input(file) as opened, StatusLine(output.quiet) as status:
            recorder = Recorder(notation_of(opened))
            recorder.take(_watched(forms_of(opened, recorder.note), status))
    except OSError as error:
        raise HistoryInputError(f"{called(file)} cannot be read: {error.strerror}") from error
    history = recorder.history(called(file))
    found = judged(history, most=most, uncommitted=isolation_level == UNCOMMITTED, one_group=one_group)
    output.show(verdict_text(found) if output.quiet else history_text(found))
    output.write("--json", lambda: json_text(history_values(found)))
    return found.exit_code


def _watched(forms: Iterator[Numbered], status: StatusLine) -> Iterator[Numbered]:
    """The forms unchanged; the status line shows how many were read."""
    began = time.monotonic()
    for number, form in enumerate(forms):
        if number % TICK == 0:
            _tell(status, number, time.monotonic() - began)
        yield form


def _tell(status: StatusLine, number: int, seconds: float) -> None:
    status.show(seconds, lambda: f"{number:,} operations read | {show_seconds(seconds)}")
