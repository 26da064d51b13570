"""One consumer and its successors: polls below the high watermark, processes, commits its offset (R-CONS)."""

from __future__ import annotations

from neverlost.model.core import action, require

from .leader import leads
from .state import (
    AGAIN,
    COMMIT_AFTER,
    COMMIT_AUTO,
    COMMIT_BEFORE,
    NEVER,
    NO_CONSUMER,
    ONCE,
    Offset,
    Partition,
    Replica,
    Value,
)


@action("R-CONS-1, R-CONS-2")
def poll(s: Partition, leader: Replica, offset: Offset) -> None:
    """The consumer gets the next record below the leader's high watermark; by its mode, this commits an offset."""
    require(s.commit != NO_CONSUMER)
    require(s.position == offset)
    require(leads(s, leader))
    require(offset < s.high_watermark[leader])
    require(s.position == s.processed_end or s.commit == COMMIT_AUTO)

    if s.commit == COMMIT_AUTO:
        s.committed_offset = s.position
    s.read[offset] = s.record_value[leader][offset]
    s.position += 1
    if s.commit == COMMIT_BEFORE:
        s.committed_offset = s.position


@action("R-CONS-2")
def process(s: Partition, offset: Offset, value: Value) -> None:
    """The consumer processes the next record that it has polled."""
    require(s.processed_end == offset)
    require(s.processed_end < s.position)
    require(s.read[offset] == value)

    if s.processed[value] == NEVER:
        s.processed[value] = ONCE
    else:
        s.processed[value] = AGAIN
    s.processed_end += 1


@action("R-CONS-2")
def commit_offset(s: Partition) -> None:
    """The consumer commits what it has processed."""
    require(s.commit == COMMIT_AFTER)
    require(s.committed_offset < s.processed_end)

    s.committed_offset = s.processed_end


@action("R-CONS-1")
def crash_consumer(s: Partition) -> None:
    """The consumer dies or is rebalanced; its successor goes on from the committed offset."""
    require(s.commit != NO_CONSUMER)
    require(s.consumer_crashes_left > 0)

    s.consumer_crashes_left -= 1
    s.position = s.committed_offset
    s.processed_end = s.committed_offset
