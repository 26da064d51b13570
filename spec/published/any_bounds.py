"""KIP-320 as proofs for any bounds need it: with the epoch that each record was committed in, and what a search in a loop finds.

The epoch is a ghost: no guard reads it, and the fields of the protocol change as they do without it.
"""

from __future__ import annotations

from neverlost.model.core import action, contains, lemma, optional, per, require
from neverlost.model.published import base, kip_320
from neverlost.model.published.base import (
    Epoch,
    Offset,
    Partition,
    Replica,
    has_offset,
    same_record,
)

from .lemmas import LEMMAS, exposed_record_was_committed_in_some_epoch, was_committed_in
from .partition import KIP_320


class TracedPartition(Partition):
    """A partition, and when what is exposed was committed."""

    commit_epoch = per(Replica, Offset, optional(Epoch))
    """For a record below the replica's high watermark, the leader epoch in which it was committed."""


def is_first_mismatch(s: Partition, leader: Replica, follower: Replica, end: int) -> bool:
    """Is `end` what `first_mismatch` finds? Just below it the logs agree on a record, or it is 0; from it on they agree on none."""
    if end > 0 and not agree(s, leader, follower, end - 1):
        return False
    for offset in s.each(Offset):
        if offset >= end and agree(s, leader, follower, offset):
            return False
    return True


def agree(s: Partition, leader: Replica, follower: Replica, offset: int) -> bool:
    """Do both logs have a record at the offset, and the same?"""
    return (
        has_offset(s, leader, offset)
        and has_offset(s, follower, offset)
        and same_record(s, leader, follower, offset)
    )


@action("Kip320, FencedLeaderIncHighWatermark, noting the epoch")
def traced_leader_advance_high_watermark(s: TracedPartition, leader: Replica) -> None:
    """The record that the leader exposes is committed in the leader's epoch."""
    offset = s.high_watermark[leader]
    kip_320_advance(s, leader)

    s.commit_epoch[leader][offset] = s.leader_epoch[leader]


@action("Kip320, FencedFollowerFetch, noting the epochs")
def traced_follower_fetch(s: TracedPartition, follower: Replica, leader: Replica) -> None:
    """With the high watermark a follower learns when the records below it were committed."""
    kip_320_fetch(s, follower, leader)

    for offset in s.each(Offset):
        s.commit_epoch[follower][offset] = s.commit_epoch[leader][offset]


kip_320_advance = kip_320.fenced_leader_advance_high_watermark.function
kip_320_fetch = kip_320.fenced_follower_fetch.function


@lemma(exposed_record_was_committed_in_some_epoch.reason)
def exposed_record_was_committed_in_its_commit_epoch(s: TracedPartition, replica: Replica, offset: Offset) -> bool:
    """For each record below a high watermark, the noted epoch is one that it was committed in."""
    if offset >= s.high_watermark[replica]:
        return True
    epoch = s.commit_epoch[replica][offset]
    return epoch >= 0 and was_committed_in(s, replica, offset, epoch)
