"""One consumer and its successors: polls below the high watermark, processes, commits its offset (R-CONS)."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

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


@action(
    "R-CONS-1, R-CONS-2",
    sends("consumer", "leader", "fetch offset {offset}"),
    sends("leader", "consumer", "record at offset {offset}"),
)
def poll(s: Partition, leader: Replica, offset: Offset) -> None:
    """The consumer gets the next record below the leader's high watermark; by its mode, this commits an offset."""
    require(leads(s, leader))

    get_next(s, leader, offset)


@action(
    "R-CONS-1, KIP-392",
    sends("consumer", "follower", "fetch offset {offset}"),
    sends("follower", "consumer", "record at offset {offset}"),
)
def poll_follower(s: Partition, follower: Replica, offset: Offset) -> None:
    """The consumer gets the next record from a follower, below the high watermark that the follower knows."""
    require(s.fetch_from_followers)
    require(s.leader[follower] != NONE)
    require(not leads(s, follower))

    get_next(s, follower, offset)


@action(
    "R-CONS-1, KAFKA-9835",
    sends("consumer", "leader", "fetch offset {offset}"),
    sends("leader", "consumer", "records from offset {offset} on"),
)
def poll_too_far(s: Partition, leader: Replica, offset: Offset) -> None:
    """A record is appended while a consumer's fetch reads up to the log end: the fetch returns it, although it is not committed."""
    require(s.reads_past_high_watermark)
    require(leads(s, leader))
    require(offset + 1 == s.high_watermark[leader])
    require(s.high_watermark[leader] < s.log_end[leader])

    get_next(s, leader, offset)
    s.read[s.position] = s.record_value[leader][s.position]
    s.position += 1
    if s.commit == COMMIT_BEFORE:
        s.committed_offset = s.position


def get_next(s: Partition, broker: Replica, offset: Offset) -> None:
    """The consumer gets the record at its position below the broker's high watermark; by its mode, this commits an offset.

    If the cleaner has removed the record, the consumer gets the next one.
    """
    require(s.commit != NO_CONSUMER)
    require(s.position == offset)
    require(offset < s.high_watermark[broker])
    require(s.position == s.processed_end or s.commit == COMMIT_AUTO)

    if s.commit == COMMIT_AUTO:
        s.committed_offset = s.position
    s.read[offset] = s.record_value[broker][offset]
    s.position += 1
    if s.compacted and s.read[offset] == NONE:
        require(s.processed_end == offset)
        s.processed_end += 1
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
    """The consumer dies or is rebalanced; its successor continues from the committed offset."""
    require(s.commit != NO_CONSUMER)
    require(s.consumer_crashes_left > 0)

    s.consumer_crashes_left -= 1
    s.position = s.committed_offset
    s.processed_end = s.committed_offset
