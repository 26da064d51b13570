"""The coordinator: whom it expels, what it forgets, and when it asks for a rebalance."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .offsets import forget_offset, refuse_sent, take_over, write_offset
from .state import Generation, Group, Member, Partition, Protocol, Standing


def drop(s: Group, member: Member) -> None:
    """The coordinator drops a member: what it was assigned is free, and the others are to rebalance.

    What it has sent names a member that does not exist any more, and is refused for good.
    """
    s.standing[member] = Standing.UNKNOWN
    s.member_epoch[member] = 0
    refuse_sent(s, member)
    if s.protocol == Protocol.CONSUMER:
        s.generation += 1
        for partition in s.each(Partition):
            if s.given[partition] == member:
                s.given[partition] = NONE
                s.given_in[partition] = 0
                s.asked[partition] = False
    else:
        s.rebalancing = has_members(s)
    if not has_members(s):
        s.emptied = s.expires_in_rebalance == 1


def has_members(s: Group) -> bool:
    """Does the coordinator know of a member?"""
    return any(s.standing[member] != Standing.UNKNOWN for member in s.each(Member))


@action("session.timeout.ms, max.poll.interval.ms")
def expel(s: Group, member: Member) -> None:
    """The coordinator has not heard of a member for too long: it expels it. The member may be running, and does not know.

    Source: GroupCoordinator.onExpireHeartbeat, GroupMetadataManager.scheduleConsumerGroupSessionTimeout.
    """
    require(s.standing[member] != Standing.UNKNOWN)
    require(s.timeouts_left > 0 or not s.up[member])
    require(s.protocol != Protocol.CONSUMER or s.generation + 1 < s.size(Generation))

    if s.up[member]:
        s.timeouts_left -= 1
    drop(s, member)


@action("metadata.max.age.ms")
def discover(s: Group, partition: Partition) -> None:
    """The group learns of a new partition, and rebalances.

    Source: ConsumerCoordinator.rejoinNeededOrPending (the leader's metadata), GroupMetadataManager.onNewMetadataImage (KIP-848).
    """
    require(s.exists[partition])
    require(not s.discovered[partition])
    require(has_members(s))
    require(s.generation + 1 < s.size(Generation))

    s.discovered[partition] = True
    if s.protocol == Protocol.CONSUMER:
        s.generation += 1
    else:
        s.rebalancing = True


@action("offsets.retention.minutes, KIP-211")
def expire(s: Group) -> None:
    """The group has been empty for long: its offsets are dropped.

    Source: GroupMetadata.getExpiredOffsets, from 4.0 on OffsetMetadataManager.cleanupExpiredOffsets.
    """
    require(s.expiries_left > 0)
    require(not has_members(s))
    require(any(s.committed[partition] != NONE for partition in s.each(Partition)))

    s.expiries_left -= 1
    for partition in s.each(Partition):
        forget_offset(s, partition)


@action("offsets.retention.minutes, KAFKA-4682, KAFKA-13636")
def expire_early(s: Group, partition: Partition) -> None:
    """Nothing was committed for a partition for long: its offset is dropped although the group has members.

    To 2.0 this needs no more. From 2.4 on, to KAFKA-13636, the group must be rebalancing after it had no member.
    """
    require(s.idle_times_left > 0)
    require(has_members(s))
    require(s.expires_in_use or (s.expires_in_rebalance and s.rebalancing and s.emptied))
    require(s.committed[partition] != NONE)

    s.idle_times_left -= 1
    forget_offset(s, partition)


@action("KAFKA-20634, KAFKA-5600")
def move_coordinator(s: Group, partition: Partition) -> None:
    """The coordinator's partition gets another leader, and an acknowledged commit no longer counts: it is truncated, or not loaded.

    Source: CoordinatorPartitionWriter.ListenerAdapter: the high watermark of the follower's log passed for the coordinator's own.
    GroupMetadataManager.doLoadGroupsAndOffsets of 0.11.0.0: what was loaded from the first part of the log is kept. Up to 0.10.2 it
    reads to the high watermark of the new leader, which its followers have yet to raise.
    """
    require(s.coordinator_moves_left > 0)
    require(
        s.loads_old
        or s.loads_to_high_watermark
        or s.acknowledges_lost
        or (s.preview_acknowledges_lost and s.protocol == Protocol.CONSUMER)
    )
    require(s.committed[partition] != s.older[partition])

    s.coordinator_moves_left -= 1
    lose_commit(s, partition)
    take_over(s)


@action("offsets.commit.timeout.ms, a coordinator that loads its log")
def load_log(s: Group) -> None:
    """The coordinator's partition gets another leader, which reads the log: commits that were written and answered with an error count.

    Source: GroupMetadataManager.doLoadGroupsAndOffsets: for each key the last record.
    """
    require(s.coordinator_moves_left > 0)
    require(any(s.unseen[partition] != NONE for partition in s.each(Partition)))

    s.coordinator_moves_left -= 1
    take_over(s)


@action("an unclean election of __consumer_offsets")
def roll_back(s: Group, partition: Partition) -> None:
    """The coordinator's log loses the last commit of a partition."""
    require(s.rollbacks_left > 0)
    require(s.committed[partition] != s.older[partition])

    s.rollbacks_left -= 1
    lose_commit(s, partition)
    take_over(s)


def lose_commit(s: Group, partition: Partition) -> None:
    """What was committed before counts again; what was written behind it is lost too."""
    if s.older[partition] == NONE:
        forget_offset(s, partition)
    else:
        write_offset(s, partition, s.older[partition])
        s.older[partition] = s.committed[partition]
