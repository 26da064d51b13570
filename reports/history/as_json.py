"""What was found in a history, for programs."""

from __future__ import annotations

from typing import Any

from neverlost.conformance.history.columns import FAIL, INFO, OK
from neverlost.conformance.history.findings import KINDS, Anomaly
from neverlost.conformance.history.judged import JudgedHistory
from neverlost.conformance.history.recording import History

from ..common import malformed_values
from .as_text import sentence

SCHEMA = 3


def history_values(found: JudgedHistory) -> dict[str, Any]:
    """The verdict as plain values, ready for JSON."""
    history = found.history
    return {
        "neverlost": "history",
        "schema": SCHEMA,
        "history": history.name,
        "verdict": found.verdict,
        "operations": history.operations,
        "sent": {
            "acknowledged": int((history.sends.outcome == OK).sum()),
            "refused": int((history.sends.outcome == FAIL).sum()),
            "indeterminate": int((history.sends.outcome == INFO).sum()),
        },
        "read": len(history.reads),
        "unread": found.unread,
        "transactions": {
            "committed": int((history.transactions.outcome == OK).sum()),
            "aborted": int((history.transactions.outcome == FAIL).sum()),
            "indeterminate": int((history.transactions.outcome == INFO).sum()),
        },
        "groups": [name or None for name in history.groups.names],
        "isolation_level": "read_uncommitted" if found.uncommitted else "read_committed",
        "counts": dict(found.counts),
        "allowed": dict(found.allowed),
        "not_judged": [
            {"kinds": list(one.kinds), "why": one.why, "in_doubt": bool(one.in_doubt)} for one in found.not_judged
        ],
        "unknown": dict(history.unknown),
        "findings": [_anomaly_values(history, one) for kind in KINDS for one in found.anomalies[kind]],
        "malformed": malformed_values(history.malformed),
        "malformed_count": history.malformed_count,
    }


def _anomaly_values(history: History, anomaly: Anomaly) -> dict[str, Any]:
    return {
        "kind": anomaly.kind,
        "partition": history.partitions[anomaly.partition],
        "value": None if anomaly.value is None else history.value_name(anomaly.value),
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
