"""What a consumer of a cluster reads, for programs; its status is what the cluster itself answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.conformance.cluster.log_files import LogRecord

from .as_text import CONSUMED, consumed_rows


def consumed_values(broker: int, records: Sequence[LogRecord]) -> dict[str, Any]:
    """The records that a broker has for consumers, as plain values."""
    rows = [dict(zip(CONSUMED, row, strict=True)) for row in consumed_rows(records)]
    return {"schema": 1, "broker": broker, "records": rows}
