"""Profiles for any bounds, and what the proof of KIP-320 needs beside the protocol, the properties and the lemmas.

A ghost notes the epoch in which a record was committed, so that a lemma can name it where it would have to say "in some epoch".
A meaning says what `first_mismatch` finds, whose search goes from offset to offset.
"""

from __future__ import annotations

from neverlost.model.core import Meaning, Unbounded, action, lemma, optional, per
from neverlost.model.published.base import Epoch, Offset, Partition, Replica, first_mismatch, has_offset, same_record
from neverlost.model.published.kip_320 import fenced_follower_fetch, fenced_leader_advance_high_watermark

from .lemmas import LEMMAS, exposed_record_was_committed_in_some_epoch, was_committed_in
from .partition import KIP_320
from .replicated_log import REPLICATED_LOG

advance_high_watermark = fenced_leader_advance_high_watermark.function
fetch = fenced_follower_fetch.function


class TracedPartition(Partition):
    """A partition, and when what is exposed was committed."""

    commit_epoch = per(Replica, Offset, optional(Epoch))
    """For a record below the replica's high watermark the leader epoch in which it was committed."""


@action("Kip320, FencedLeaderIncHighWatermark, noting the epoch")
def traced_leader_advance_high_watermark(s: TracedPartition, leader: Replica) -> None:
    """The record that a leader exposes is committed in the epoch that the leader is in."""
    offset = s.high_watermark[leader]
    advance_high_watermark(s, leader)

    s.commit_epoch[leader][offset] = s.leader_epoch[leader]


@action("Kip320, FencedFollowerFetch, noting the epochs")
def traced_follower_fetch(s: TracedPartition, follower: Replica, leader: Replica) -> None:
    """With the high watermark, a follower learns in which epochs the records below it were committed."""
    fetch(s, follower, leader)

    for offset in s.each(Offset):
        s.commit_epoch[follower][offset] = s.commit_epoch[leader][offset]


def share(s: Partition, one: Replica, other: Replica, offset: int) -> bool:
    """Do two logs have the same record at the offset?"""
    return has_offset(s, one, offset) and has_offset(s, other, offset) and same_record(s, one, other, offset)


def is_first_mismatch(s: Partition, leader: Replica, follower: Replica, end: int) -> bool:
    """Is `end` the offset after the last record that two logs share, or 0 if they share none?"""
    if end > 0 and not share(s, leader, follower, end - 1):
        return False
    for offset in s.each(Offset):
        if offset >= end and share(s, leader, follower, offset):
            return False
    return True


@lemma(exposed_record_was_committed_in_some_epoch.reason)
def exposed_record_was_committed_in_its_commit_epoch(s: TracedPartition, replica: Replica, offset: Offset) -> bool:
    """For each record below a high watermark, the epoch noted beside it is one that it was committed in."""
    if offset >= s.high_watermark[replica]:
        return True
    epoch = s.commit_epoch[replica][offset]
    return epoch >= 0 and was_committed_in(s, replica, offset, epoch)


KIP_320_ANY_BOUNDS = Unbounded(
    profile=KIP_320,
    traced=KIP_320.replacing(
        "published/kip-320, traced",
        "KIP-320, with the epoch noted in which each record was committed.",
        state=TracedPartition,
        fenced_leader_advance_high_watermark=traced_leader_advance_high_watermark,
        fenced_follower_fetch=traced_follower_fetch,
        lemmas=(
            *(each for each in LEMMAS if each is not exposed_record_was_committed_in_some_epoch),
            exposed_record_was_committed_in_its_commit_epoch,
        ),
    ),
    meanings=(Meaning(function=first_mismatch, says=is_first_mismatch, up_to=Offset),),
)

REPLICATED_LOG_ANY_BOUNDS = Unbounded(profile=REPLICATED_LOG, traced=REPLICATED_LOG)

ANY_BOUNDS = {each.profile.name: each for each in (KIP_320_ANY_BOUNDS, REPLICATED_LOG_ANY_BOUNDS)}
"""The profiles that are proven for any bounds, by their names."""
