"""What the protocols before KIP-320 share: epochs are not compared between leader and follower.

They differ only in where a new follower cuts its log: `become_follower_and_truncate_to` with an offset of their own.
"""

from __future__ import annotations

from neverlost.model.core import action, contains, require, sends, with_member, without

from .base import (
    Epoch,
    Offset,
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


def is_caught_up(s: Partition, leader: Replica, follower: Replica, end: int) -> bool:
    """Does the follower follow this leader and hold any record at every offset below `end`? Records are not compared."""
    return s.leader[follower] == leader and (
        end == 0 or (has_offset(s, leader, end - 1) and has_offset(s, follower, end - 1))
    )


@action("KafkaReplication, LeaderShrinkIsr", sends("leader", "controller", "{follower} out of the ISR"))
def leader_shrink_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """The true leader drops a follower that has not caught up to its log end."""
    require(contains(s.isr[leader], follower))
    require(not is_caught_up(s, leader, follower, s.log_end[leader]))

    update_isr(s, leader, without(s.isr[leader], follower))


@action("KafkaReplication, LeaderExpandIsr", sends("leader", "controller", "{follower} into the ISR"))
def leader_expand_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """The true leader adds a follower that has reached its high watermark."""
    require(not contains(s.isr[leader], follower))
    require(is_caught_up(s, leader, follower, s.high_watermark[leader]))

    update_isr(s, leader, with_member(s.isr[leader], follower))


@action("KafkaReplication, LeaderIncHighWatermark")
def leader_advance_high_watermark(s: Partition, leader: Replica) -> None:
    """A presumed leader moves its high watermark past a record once all of its own ISR follow it and hold any record there."""
    require(presumes_leadership(s, leader))
    for follower in s.each(Replica):
        if contains(s.isr[leader], follower):
            require(s.leader[follower] == leader)
            require(has_offset(s, follower, s.high_watermark[leader]))

    s.high_watermark[leader] += 1


@action(
    "KafkaReplication, FollowerReplicate",
    sends("leader", "follower", "the next record, high watermark {high_watermark[leader]}"),
)
def follower_replicate(s: Partition, follower: Replica, leader: Replica) -> None:
    """A follower copies the next record; earlier records are not compared, and its high watermark may decrease."""
    require(presumes_leadership(s, leader))
    require(s.leader[follower] == leader)

    append_from_leader(s, follower, leader)


def become_follower_and_truncate_to(s: Partition, follower: Replica, leader: Replica, epoch: Epoch, end: int) -> None:
    """A replica adopts a newer epoch with another leader and cuts its log at `end`, but never beyond its own log end."""
    require(s.request_leader[epoch] == leader)
    require(leader != follower)
    require(epoch > s.leader_epoch[follower])
    require(end <= s.log_end[follower])

    truncate(s, follower, end)
    adopt(s, follower, epoch)


@action(
    "KafkaTruncateToHighWatermark, BecomeFollowerTruncateToHighWatermark",
    sends("controller", "follower", "follow {leader} in epoch {epoch}"),
)
def become_follower_truncate_to_high_watermark(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """A new follower cuts its log to its own high watermark, which may lag behind what is committed (before KIP-101)."""
    become_follower_and_truncate_to(s, follower, leader, epoch, s.high_watermark[follower])


def end_of_last_epoch(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where the leader's log leaves the follower's last epoch; the follower's high watermark if the leader cannot tell (KIP-101)."""
    if s.log_end[follower] == 0:
        return 0
    epoch = s.record_epoch[follower][s.log_end[follower] - 1]
    if s.log_end[leader] == 0:
        return s.high_watermark[follower]
    if s.record_epoch[leader][s.log_end[leader] - 1] == epoch:
        return s.log_end[leader]
    for offset in s.each(Offset):
        if has_offset(s, leader, offset) and s.record_epoch[leader][offset] > epoch:
            return offset
    return s.high_watermark[follower]


@action(
    "Kip101, BecomeFollowerTruncateKip101",
    sends("controller", "follower", "follow {leader} in epoch {epoch}"),
    sends("follower", "leader", "where does my last epoch end?"),
)
def become_follower_truncate_kip_101(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """A new follower asks the leader where the follower's last epoch ends, and cuts there (KIP-101)."""
    become_follower_and_truncate_to(s, follower, leader, epoch, end_of_last_epoch(s, leader, follower))


@action(
    "Kip279, BecomeFollowerTruncateKip279",
    sends("controller", "follower", "follow {leader} in epoch {epoch}"),
    sends("follower", "leader", "where do our logs part?"),
)
def become_follower_truncate_kip_279(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """A new follower cuts after the last record that it and the leader agree on, searched from the tail (KIP-279)."""
    become_follower_and_truncate_to(s, follower, leader, epoch, first_mismatch(s, leader, follower))
