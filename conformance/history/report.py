"""What was found in a history, as text and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.render_text import counted, wrapped
from neverlost.explorer.verdict import Verdict

from .anomalies import (
    DUPLICATED,
    INCONSISTENT,
    KINDS,
    LOST,
    REFUSED,
    REORDERED,
    SKIPPED,
    UNSENT,
    VANISHED,
    Anomaly,
)
from .recording import FAIL, INFO, OK, History

SCHEMA = 1
SHOWN, SHOWN_MALFORMED, SHOWN_MENTIONS = 5, 20, 8
WORDS = {
    LOST: "acknowledged and lost",
    VANISHED: "read, then vanished",
    DUPLICATED: "duplicated",
    REORDERED: "out of order",
    INCONSISTENT: "inconsistent offsets",
    REFUSED: "refused, yet read",
    SKIPPED: "skipped by a reader",
    UNSENT: "read, yet not sent",
}


@dataclass(frozen=True, kw_only=True)
class JudgedHistory:
    """A history with its findings: the first anomalies of each kind, how many there are, and what is open."""

    history: History
    anomalies: Mapping[str, Sequence[Anomaly]]
    counts: Mapping[str, int]
    unread: int

    @property
    def exit_code(self) -> ExitCode:
        """2 if a line is malformed, because then only a part of the history was judged."""
        if self.history.malformed_count:
            return ExitCode.WRONG_INPUT
        return ExitCode.VIOLATED if any(self.counts.values()) else ExitCode.HOLDS


def history_text(found: JudgedHistory) -> str:
    """The whole report."""
    shown = [_anomalies_text(found, kind) for kind in KINDS if found.counts[kind]]
    return "\n\n".join(part for part in (_malformed_text(found.history), verdict_text(found), *shown) if part)


def verdict_text(found: JudgedHistory) -> str:
    """The parts that were judged, and the number of each kind of anomaly."""
    history = found.history
    outcomes = [int((history.sends.outcome == outcome).sum()) for outcome in (OK, FAIL, INFO)]
    happened = [f"{found.counts[kind]:,} {WORDS[kind]}" for kind in KINDS if found.counts[kind]]
    verdict = f"{history.name}: " + (f"NOT clean: {', '.join(happened)}." if happened else "clean.")
    rows = {
        "operations": f"{history.operations:,}, of {_clients(len(history.processes))}"
        f" on {counted(len(history.partitions), 'partition')}",
        "sent": f"{len(history.sends):,}: {outcomes[0]:,} acknowledged, {outcomes[1]:,} refused, {outcomes[2]:,} indeterminate",
        "read": f"{len(history.reads):,}",
        "left open": f"{counted(found.unread, 'acknowledged value')} not read, and nothing beyond read either",
    }
    return "\n".join([wrapped(verdict), *(f"  {name:10} {text}" for name, text in rows.items())])


def _clients(number: int) -> str:
    return "1 process" if number == 1 else f"{number:,} processes"


def _malformed_text(history: History) -> str:
    if not history.malformed_count:
        return ""
    title = (
        f"{history.name}: {counted(history.malformed_count, 'line')} of it cannot be read. The rest is judged without:"
    )
    lines = [wrapped(f"  {one.show()}", "    ") for one in history.malformed[:SHOWN_MALFORMED]]
    more = history.malformed_count - len(lines)
    return "\n".join([title, *lines, *([f"  and {more:,} more"] if more > 0 else [])])


def _anomalies_text(found: JudgedHistory, kind: str) -> str:
    title = f"{WORDS[kind][0].upper()}{WORDS[kind][1:]}: {found.counts[kind]:,}"
    lines = [title]
    for anomaly in found.anomalies[kind][:SHOWN]:
        lines.append(wrapped(f"  {sentence(found.history, anomaly)}", "    "))
        for mention in anomaly.mentions[:SHOWN_MENTIONS]:
            process = found.history.processes[mention.process]
            index = found.history.index_of(mention.operation)
            lines.append(f"      operation {index}, process {process}: {mention.did}")
        if len(anomaly.mentions) > SHOWN_MENTIONS:
            lines.append(f"      and {len(anomaly.mentions) - SHOWN_MENTIONS:,} more operations")
    if found.counts[kind] > SHOWN:
        lines.append(f"  and {found.counts[kind] - SHOWN:,} more")
    return "\n".join(lines)


def sentence(history: History, anomaly: Anomaly) -> str:
    """`Partition 5: 17 was acknowledged at offset 3, and ...`."""
    value = history.value_name(anomaly.value)
    return f"Partition {history.partitions[anomaly.partition]}: {value} {anomaly.what}."


def history_values(found: JudgedHistory) -> dict[str, Any]:
    """The verdict as plain values, ready for JSON."""
    history = found.history
    return {
        "neverlost": "history",
        "schema": SCHEMA,
        "history": history.name,
        "verdict": Verdict.VIOLATED if any(found.counts.values()) else Verdict.HOLDS,
        "operations": history.operations,
        "sent": {
            "acknowledged": int((history.sends.outcome == OK).sum()),
            "refused": int((history.sends.outcome == FAIL).sum()),
            "indeterminate": int((history.sends.outcome == INFO).sum()),
        },
        "read": len(history.reads),
        "unread": found.unread,
        "counts": dict(found.counts),
        "findings": [_anomaly_values(history, one) for kind in KINDS for one in found.anomalies[kind]],
        "malformed": [{"line": m.line, "what": m.what, "expected": m.expected} for m in history.malformed],
        "malformed_count": history.malformed_count,
    }


def _anomaly_values(history: History, anomaly: Anomaly) -> dict[str, Any]:
    return {
        "kind": anomaly.kind,
        "partition": history.partitions[anomaly.partition],
        "value": history.value_name(anomaly.value),
        "offset": None if anomaly.offset < 0 else anomaly.offset,
        "sentence": sentence(history, anomaly),
        "operations": [
            {
                "index": history.index_of(mention.operation),
                "process": history.processes[mention.process],
                "did": mention.did,
            }
            for mention in anomaly.mentions
        ],
    }
