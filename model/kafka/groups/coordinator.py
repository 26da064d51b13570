"""The coordinator: whom it expels, what it forgets, and when it asks for a rebalance."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .assigning import free
from .offsets import forget_offset, refuse_sent
from .record import has_members, record_generation
from .state import Generation, Group, Member, Partition, Protocol, Standing


def drop(s: Group, member: Member) -> None:
    """The coordinator drops a member: what it was assigned is free, and the others are to rebalance.

    What it has sent names a member that does not exist any more, and is refused for good. One that waits for others or for its
    assignment learns of it at once, and joins as another.
    """
    if s.standing[member] != Standing.STABLE and not s.unanswered[member]:
        s.recorded[member] = False
    s.standing[member] = Standing.UNKNOWN
    s.member_epoch[member] = 0
    refuse_sent(s, member)
    if s.protocol == Protocol.CONSUMER:
        s.generation += 1
        for partition in s.each(Partition):
            if s.given[partition] == member:
                free(s, partition)
    else:
        s.rebalancing = has_members(s)
    if not has_members(s):
        s.emptied = s.expires_in_rebalance == 1
        record_generation(s)


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
