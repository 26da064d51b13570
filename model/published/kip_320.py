"""KIP-320: every exchange between leader and follower is fenced by the leader epoch that both are in."""

from __future__ import annotations

from neverlost.model.core import action, contains, require, sends, with_member, without

from .base import (
    Epoch,
    Partition,
    Replica,
    adopt,
    append_from_leader,
    first_mismatch,
    has_offset,
    presumes_leadership,
    truncate,
    update_isr,
)
from .kip_320_first_try import high_watermark_reached_epoch


def follows_in_epoch(s: Partition, leader: Replica, follower: Replica) -> bool:
    """Does the follower follow a presumed leader in the same epoch that the leader is in?"""
    return (
        presumes_leadership(s, leader)
        and s.leader[follower] == leader
        and s.leader_epoch[follower] == s.leader_epoch[leader]
    )


@action("Kip320, FencedLeaderExpandIsr", sends("leader", "controller", "{follower} into the ISR"))
def fenced_leader_expand_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """The true leader adds a follower in its epoch that reached its high watermark, once the high watermark has reached the epoch."""
    require(not contains(s.isr[leader], follower))
    require(follows_in_epoch(s, leader, follower))
    require(s.high_watermark[leader] <= s.log_end[follower])
    require(high_watermark_reached_epoch(s, leader))

    update_isr(s, leader, with_member(s.isr[leader], follower))


@action("Kip320, FencedLeaderShrinkIsr", sends("leader", "controller", "{follower} out of the ISR"))
def fenced_leader_shrink_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """The true leader drops a follower that is in another epoch or behind its log end."""
    require(contains(s.isr[leader], follower))
    require(not follows_in_epoch(s, leader, follower) or s.log_end[follower] < s.log_end[leader])

    update_isr(s, leader, without(s.isr[leader], follower))


@action("Kip320, FencedLeaderIncHighWatermark")
def fenced_leader_advance_high_watermark(s: Partition, leader: Replica) -> None:
    """A leader moves its high watermark past one more record once every member of its ISR is in its epoch and holds it."""
    offset = s.high_watermark[leader]
    require(has_offset(s, leader, offset))
    for follower in s.each(Replica):
        if contains(s.isr[leader], follower):
            require(follows_in_epoch(s, leader, follower))
            require(has_offset(s, follower, offset))

    s.high_watermark[leader] = offset + 1


@action(
    "Kip320, FencedBecomeFollowerAndTruncate",
    sends("controller", "follower", "follow {leader} in epoch {epoch}"),
    sends("follower", "leader", "where do our logs part?"),
)
def fenced_become_follower_and_truncate(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """A new follower cuts its log after the last record that it shares with a leader that is already in that epoch."""
    require(s.request_leader[epoch] == leader)
    require(epoch > s.leader_epoch[follower])
    require(s.leader_epoch[leader] == epoch)

    truncate(s, follower, first_mismatch(s, leader, follower))
    adopt(s, follower, epoch)


@action(
    "Kip320, FencedFollowerFetch",
    sends("leader", "follower", "the next record, high watermark {high_watermark[leader]}"),
)
def fenced_follower_fetch(s: Partition, follower: Replica, leader: Replica) -> None:
    """A follower in the leader's epoch copies the next record."""
    require(follows_in_epoch(s, leader, follower))

    append_from_leader(s, follower, leader)
