"""KIP-320 as first proposed: leader and follower compare the epochs of records, and a follower finds divergence while fetching.

Kept because it fails: the epoch of a record is not the epoch that a replica is in.
"""

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


def is_caught_up_in_epoch(s: Partition, leader: Replica, follower: Replica, end: int) -> bool:
    """Does the follower follow a presumed leader and have, just below `end`, a record of the same epoch as the leader's?"""
    return (
        presumes_leadership(s, leader)
        and s.leader[follower] == leader
        and (
            end == 0
            or (
                has_offset(s, leader, end - 1)
                and has_offset(s, follower, end - 1)
                and s.record_epoch[leader][end - 1] == s.record_epoch[follower][end - 1]
            )
        )
    )


def high_watermark_reached_epoch(s: Partition, leader: Replica) -> bool:
    """Has the leader exposed everything older than its own epoch?"""
    end = s.high_watermark[leader]
    return end == s.log_end[leader] or (
        has_offset(s, leader, end) and s.record_epoch[leader][end] == s.leader_epoch[leader]
    )


@action("Kip320FirstTry, LeaderExpandIsrBetterFencing", sends("leader", "controller", "{follower} into the ISR"))
def leader_expand_isr_better_fencing(s: Partition, leader: Replica, follower: Replica) -> None:
    """The true leader adds a follower that reached its high watermark, once the high watermark has reached the leader's epoch."""
    require(not contains(s.isr[leader], follower))
    require(is_caught_up_in_epoch(s, leader, follower, s.high_watermark[leader]))
    require(high_watermark_reached_epoch(s, leader))

    update_isr(s, leader, with_member(s.isr[leader], follower))


@action("Kip320FirstTry, LeaderShrinkIsrBetterFencing", sends("leader", "controller", "{follower} out of the ISR"))
def leader_shrink_isr_better_fencing(s: Partition, leader: Replica, follower: Replica) -> None:
    """The true leader drops a follower whose record below the leader's log end is missing or of another epoch."""
    require(contains(s.isr[leader], follower))
    require(not is_caught_up_in_epoch(s, leader, follower, s.log_end[leader]))

    update_isr(s, leader, without(s.isr[leader], follower))


@action("Kip320FirstTry, ImprovedLeaderIncHighWatermark")
def improved_leader_advance_high_watermark(s: Partition, leader: Replica) -> None:
    """A presumed leader moves its high watermark past one more record once all of its ISR hold a record of the same epoch there."""
    end = s.high_watermark[leader] + 1
    require(presumes_leadership(s, leader))
    for follower in s.each(Replica):
        if contains(s.isr[leader], follower):
            require(is_caught_up_in_epoch(s, leader, follower, end))

    s.high_watermark[leader] = end


@action("Kip320FirstTry, BecomeFollower", sends("controller", "follower", "follow {leader} in epoch {epoch}"))
def become_follower(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """A replica adopts a newer epoch with another leader; it cuts nothing until it fetches."""
    require(s.request_leader[epoch] == leader)
    require(leader != follower)
    require(epoch > s.leader_epoch[follower])

    adopt(s, follower, epoch)


@action(
    "Kip320FirstTry, FollowerFetch",
    sends("leader", "follower", "the next record, high watermark {high_watermark[leader]}"),
)
def follower_fetch(s: Partition, follower: Replica, leader: Replica) -> None:
    """A follower copies the next record if its last one has the epoch of the leader's record there."""
    require(is_caught_up_in_epoch(s, leader, follower, s.log_end[follower]))

    append_from_leader(s, follower, leader)


def diverges(s: Partition, leader: Replica, follower: Replica) -> bool:
    """Is the follower's log longer than the leader's, or its last record of another epoch than the leader's there?"""
    end = s.log_end[follower]
    return end > s.log_end[leader] or (end > 0 and s.record_epoch[follower][end - 1] != s.record_epoch[leader][end - 1])


@action("Kip320FirstTry, FollowerTruncate", sends("leader", "follower", "your log is not mine"))
def follower_truncate(s: Partition, follower: Replica, leader: Replica) -> None:
    """A follower whose log diverges cuts it after the last record that both agree on."""
    require(presumes_leadership(s, leader))
    require(s.leader[follower] == leader)
    require(diverges(s, leader, follower))

    truncate(s, follower, first_mismatch(s, leader, follower))
