"""A coordinator that moves: what its successor does not have, and what members were answered by then."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .assigning import drop_rest, give_up, has_no_rest, in_poll, take, target_if
from .classic import all_joined, assignee
from .consumer_protocol import is_revoking
from .member import refuse_first
from .offsets import forget_offset, refuse_sent, starts_at, take_over, write_offset
from .record import forgets_acknowledged, is_fenced, may_forget, spend_moves, stop_waiting
from .state import Generation, Group, Member, Partition, Protocol, Standing


@action("KAFKA-20634, KAFKA-5600")
def move_coordinator(s: Group, partition: Partition) -> None:
    """The coordinator's partition gets another leader, and an acknowledged commit no longer counts: it is truncated, or not loaded.

    Source: CoordinatorPartitionWriter.ListenerAdapter: the high watermark of the follower's log passed for the coordinator's own.
    GroupMetadataManager.doLoadGroupsAndOffsets of 0.11.0.0: what was loaded from the first part of the log is kept. Up to 0.10.2 it
    reads to the high watermark of the new leader, which its followers have yet to raise.
    """
    require(s.coordinator_moves_left > 0)
    require(forgets_acknowledged(s))
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


@action("NOT_COORDINATOR")
def move_under_commit(s: Group, member: Member, partition: Partition) -> None:
    """The coordinator moves, and the first commit that a member has under way is refused for that; the application repeats it.

    Source: GroupCoordinator.handleCommitOffsets, ConsumerCoordinator.OffsetCommitResponseHandler.
    """
    require(s.coordinator_moves_left > 0)
    require(s.retries_async)
    require(s.sent[member][0] == partition)

    s.coordinator_moves_left -= 1
    refuse_first(s, member, partition)
    take_over(s)


@action("JoinGroup, SyncGroup of the leader, and a coordinator without their record")
def forget_generation(s: Group) -> None:
    """All members have joined, and there is a new generation, which the next coordinator does not have. Members may get its assignment.

    The next coordinator has the members of the generation before, in that generation. Some of them may have been expelled since, and
    do not know it. A process that has died since it joined waits for nothing.

    Source: GroupCoordinator.doSyncGroup (the record of the leader's assignment), GroupMetadataManager.loadGroup; KAFKA-20634,
    KAFKA-5059, KAFKA-5600.
    """
    require(s.protocol != Protocol.CONSUMER)
    require(may_forget(s))
    require(all_joined(s))

    for partition in s.each(Partition):
        s.forgotten[partition] = assignee(s, partition)
    for member in s.each(Member):
        if s.standing[member] == Standing.JOINING:
            s.unanswered[member] = True
        if not s.up[member]:
            stop_waiting(s, member)
        if not s.recorded[member]:
            s.standing[member] = Standing.UNKNOWN
        elif s.unanswered[member]:
            s.standing[member] = Standing.SYNCING
        else:
            s.standing[member] = Standing.STABLE
    for partition in s.each(Partition):
        if s.given[partition] != NONE and not any(
            s.given[partition] == member and s.recorded[member] for member in s.each(Member)
        ):
            s.given[partition] = NONE
    s.rebalancing = False
    spend_moves(s)
    take_over(s)


@action("SyncGroup", sends("coordinator", "member", "assignment"))
def sync_forgotten(s: Group, member: Member) -> None:
    """A member gets its assignment of the generation that is forgotten.

    Where a coordinator answers what it has only read, the leader gets no answer: its JoinGroup begins another rebalance. Which member
    leads is not in the model, so one of them waits in vain.

    Source: GroupCoordinator.doSyncGroup, doCurrentMemberJoinGroup (a known member of a stable group).
    """
    require(s.unanswered[member])
    require(in_poll(s, member))
    require(has_no_rest(s, member))
    require(forgets_acknowledged(s) or any(s.unanswered[other] and other != member for other in s.each(Member)))

    s.known[member] = s.generation + 1
    for partition in s.each(Partition):
        if s.owned[member][partition] and s.forgotten[partition] != member:
            give_up(s, member, partition)
        elif s.forgotten[partition] == member:
            take(s, member, partition)
    if s.standing[member] != Standing.UNKNOWN:
        s.standing[member] = Standing.STABLE
    stop_waiting(s, member)


@action(
    "ConsumerGroupHeartbeat, and a coordinator without its records",
    sends("member", "coordinator", "heartbeat"),
    sends("coordinator", "member", "assignment"),
)
def heartbeat_forgotten(s: Group, member: Member, gone: Member) -> None:
    """A member gets partitions by a heartbeat whose records the next coordinator does not have; it joins by it, or was in the group.

    Another member may have been expelled just before, whose partitions these were: the next coordinator does not know that either. If
    `gone` is the member itself, nobody was.

    Source: GroupMetadataManager.consumerGroupHeartbeat; CoordinatorPartitionWriter.ListenerAdapter (KAFKA-20634).
    """
    require(s.protocol == Protocol.CONSUMER)
    require(may_forget(s))
    require(s.up[member])
    require(in_poll(s, member))
    require(has_no_rest(s, member))
    require(not is_fenced(s, member))
    require(not is_revoking(s, member))
    require(epoch_after(s, member, gone) < s.size(Generation))
    require(gone == member or (s.standing[gone] != Standing.UNKNOWN and (s.timeouts_left > 0 or not s.up[gone])))
    require(not must_give_up(s, member, gone))
    require(any(gets(s, member, gone, partition) for partition in s.each(Partition)))

    if gone != member and s.up[gone]:
        s.timeouts_left -= 1
    drop_rest(s, member)
    if s.standing[member] == Standing.UNKNOWN:
        refuse_sent(s, member)
        for partition in s.each(Partition):
            if s.owned[member][partition]:
                give_up(s, member, partition)
    for partition in s.each(Partition):
        if gets(s, member, gone, partition):
            take(s, member, partition)
    s.known[member] = epoch_after(s, member, gone)
    spend_moves(s)
    take_over(s)


def epoch_after(s: Group, member: Member, gone: Member) -> int:
    """The epoch of the group once another member is expelled, and the member itself has joined."""
    return s.generation + (1 if s.standing[member] == Standing.UNKNOWN else 0) + (1 if gone != member else 0)


def gets(s: Group, member: Member, gone: Member, partition: Partition) -> bool:
    """Is a partition free, or its last owner's, and meant for the member? If the member is not in the group, as if it were."""
    free = s.given[partition] == NONE or s.given[partition] == member or (gone != member and s.given[partition] == gone)
    new = s.standing[member] == Standing.UNKNOWN or not s.owned[member][partition]
    meant = s.discovered[partition] == 1 and target_if(s, partition, member, gone) == member
    return free and new and meant and starts_at(s, partition) != NONE


def must_give_up(s: Group, member: Member, gone: Member) -> bool:
    """Has the member a partition that is then meant for another, which it is to give up before it gets more?

    Also one that it has by an answer that was lost before, and that it would give up by this one.
    """
    for partition in s.each(Partition):
        if target_if(s, partition, member, gone) != member:
            given_up = s.asked[partition] == 1 and s.owned[member][partition] == 0
            if s.given[partition] == member and not given_up:
                return True
            if s.standing[member] != Standing.UNKNOWN and s.given[partition] != member and s.owned[member][partition]:
                return True
    return False
