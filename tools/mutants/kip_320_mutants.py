"""KIP-320 with one mistake in each profile: what its lemmas have to notice."""

from __future__ import annotations

from neverlost.model.core import action, contains, require, with_member
from neverlost.model.published.base import (
    Epoch,
    Partition,
    Replica,
    adopt,
    first_mismatch,
    has_offset,
    presumes_leadership,
    truncate,
    update_isr,
)
from neverlost.model.published.kip_320 import follows_in_epoch
from neverlost.spec.published.profiles import KIP_320


@action("KIP-320 without the last guard of FencedLeaderExpandIsr")
def expand_isr_before_the_epoch_is_reached(s: Partition, leader: Replica, follower: Replica) -> None:
    """A follower is taken in although the leader has yet to expose records of earlier epochs, which the follower may lack."""
    require(not contains(s.isr[leader], follower))
    require(follows_in_epoch(s, leader, follower))
    require(s.high_watermark[leader] <= s.log_end[follower])

    update_isr(s, leader, with_member(s.isr[leader], follower))


@action("KIP-320 without epochs in FencedLeaderIncHighWatermark")
def advance_high_watermark_whatever_the_epochs(s: Partition, leader: Replica) -> None:
    """A leader counts members of its ISR that follow it, in whichever epoch they do."""
    offset = s.high_watermark[leader]
    require(has_offset(s, leader, offset))
    require(presumes_leadership(s, leader))
    for follower in s.each(Replica):
        if contains(s.isr[leader], follower):
            require(s.leader[follower] == leader)
            require(has_offset(s, follower, offset))

    s.high_watermark[leader] = offset + 1


@action("KIP-320 without lengths in FencedLeaderIncHighWatermark")
def advance_high_watermark_whatever_the_lengths(s: Partition, leader: Replica) -> None:
    """A leader commits a record once its ISR is in its epoch, though members of it have yet to fetch the record."""
    offset = s.high_watermark[leader]
    require(has_offset(s, leader, offset))
    for follower in s.each(Replica):
        if contains(s.isr[leader], follower):
            require(follows_in_epoch(s, leader, follower))

    s.high_watermark[leader] = offset + 1


@action("KIP-320 without the last guard of FencedBecomeFollowerAndTruncate")
def become_follower_before_the_leader(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """A new follower cuts its log by that of a leader that has yet to enter the epoch, and may still cut its own before it does."""
    require(s.request_leader[epoch] == leader)
    require(epoch > s.leader_epoch[follower])
    require(leader != follower)

    truncate(s, follower, first_mismatch(s, leader, follower))
    adopt(s, follower, epoch)


EXPANSION_UNGUARDED = KIP_320.replacing(
    "mutant/expansion-unguarded",
    "The ISR grows before the leader's high watermark has reached its epoch.",
    fenced_leader_expand_isr=expand_isr_before_the_epoch_is_reached,
)
EPOCHS_NOT_COMPARED = KIP_320.replacing(
    "mutant/epochs-not-compared",
    "A leader counts followers of other epochs.",
    fenced_leader_advance_high_watermark=advance_high_watermark_whatever_the_epochs,
)
LENGTHS_NOT_COMPARED = KIP_320.replacing(
    "mutant/lengths-not-compared",
    "A leader counts followers that do not hold the record.",
    fenced_leader_advance_high_watermark=advance_high_watermark_whatever_the_lengths,
)
LEADER_NOT_IN_EPOCH = KIP_320.replacing(
    "mutant/leader-not-in-epoch",
    "Replicas follow a leader into an epoch that it has not entered.",
    fenced_become_follower_and_truncate=become_follower_before_the_leader,
)
