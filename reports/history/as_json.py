"""What was found in a history, for programs."""

from __future__ import annotations

from typing import Any

from neverlost.conformance.history.anomalies import KINDS, Anomaly
from neverlost.conformance.history.judged import JudgedHistory
from neverlost.conformance.history.recording import FAIL, INFO, OK, History
from neverlost.explorer.verdict import Verdict

from ..common import malformed_values
from .as_text import sentence

SCHEMA = 1


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
        "malformed": malformed_values(history.malformed),
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
