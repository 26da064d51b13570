"""The new protocol (KIP-848): each member moves to the group's epoch by itself, as soon as it has given up what it must."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .assigning import (
    all_done,
    begin_at,
    commits_automatically,
    commits_last,
    drop_rest,
    free,
    give_up,
    has_listener,
    has_no_rest,
    in_poll,
    take,
    target,
)
from .member import commits_early
from .offsets import refuse_sent, reset_offset, starts_at, write_offset
from .record import is_fenced
from .state import Commit, Generation, Group, Member, Partition, Protocol, Standing


@action("ConsumerGroupHeartbeat, member epoch 0", sends("member", "coordinator", "heartbeat to join"))
def join_by_heartbeat(s: Group, member: Member) -> None:
    """A member joins; one that has learned that it was expelled first loses what it owned, without a commit.

    So does one in an epoch that the coordinator has not. The coordinator still has it as a member, in its epoch, with its partitions.

    Source: AbstractMembershipManager.transitionToFenced, GroupMetadataManager.consumerGroupHeartbeat.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.up[member])
    require(in_poll(s, member))
    require(may_join(s, member))

    for partition in s.each(Partition):
        if s.owned[member][partition]:
            give_up(s, member, partition)
    drop_rest(s, member)
    enter(s, member)
    if s.known[member] > s.member_epoch[member]:
        s.known[member] = 0


def may_join(s: Group, member: Member) -> bool:
    """Is the member not in the group, or not in an epoch that the coordinator has?"""
    return is_fenced(s, member) or (s.standing[member] == Standing.UNKNOWN and s.generation + 1 < s.size(Generation))


def enter(s: Group, member: Member) -> None:
    """The coordinator has a member, in an epoch. What it sent before does not count any more."""
    refuse_sent(s, member)
    if s.standing[member] == Standing.UNKNOWN:
        s.standing[member] = Standing.STABLE
        s.generation += 1
        s.member_epoch[member] = s.generation
        s.emptied = False


@action("ConsumerGroupHeartbeat, member epoch 0, without a poll", sends("member", "coordinator", "heartbeat to join"))
def join_in_background(s: Group, member: Member, partition: Partition) -> None:
    """A member that was expelled joins again without a poll, while its application has a record of the partition in hand.

    It loses what it owned. The application goes on, and its commits name the new epoch. With `before` it has polled the record, and has
    yet to commit it. A consumer with a ConsumerRebalanceListener joins only in poll, where onPartitionsLost runs; so does one that has
    left because max.poll.interval.ms had passed.

    Source: AbstractMembershipManager.transitionToFenced, ConsumerMembershipManager.invokeOnPartitionsLostCallback,
    CommitRequestManager.onMemberEpochUpdated.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(not commits_automatically(s))
    require(not has_listener(s))
    require(s.up[member])
    require(may_join(s, member))
    if s.commit == Commit.BEFORE and s.owned[member][partition]:
        require(all_done(s, member))
        require(s.start[partition] <= s.position[member][partition] < s.end[partition])
    else:
        require(s.done[member][partition] < s.position[member][partition])

    if s.commit == Commit.BEFORE and s.owned[member][partition]:
        s.position[member][partition] += 1
    s.owned[member][partition] = False
    s.fresh[member][partition] = False
    for other in s.each(Partition):
        if other != partition:
            give_up(s, member, other)
    enter(s, member)
    s.known[member] = s.member_epoch[member]


@action(
    "ConsumerGroupHeartbeat", sends("member", "coordinator", "heartbeat"), sends("coordinator", "member", "assignment")
)
def heartbeat(s: Group, member: Member) -> None:
    """The coordinator takes back what the member has given up, and asks for what it must give up next.

    If there is nothing, the member reaches the epoch of the group, and is assigned what is free and meant for it. Until it has given up
    what it was asked for, a heartbeat changes nothing.

    Source: CurrentAssignmentBuilder.build, computeNextAssignment.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.up[member])
    require(s.standing[member] == Standing.STABLE)
    require(not is_fenced(s, member))
    require(not is_revoking(s, member))
    require(has_news(s, member))

    for partition in s.each(Partition):
        if s.given[partition] == member and s.asked[partition]:
            free(s, partition)
    for partition in s.each(Partition):
        if s.given[partition] == member and target(s, partition) != member:
            s.asked[partition] = True
    if not is_asked(s, member):
        reach_epoch(s, member)


def reach_epoch(s: Group, member: Member) -> None:
    """A member that has nothing to give up is in the group's epoch, and gets what is free and meant for it."""
    s.member_epoch[member] = s.generation
    fetches = s.resets_unfetched == 1 and any(is_to_take(s, member, partition) for partition in s.each(Partition))
    for partition in s.each(Partition):
        if s.given[partition] == NONE and s.discovered[partition] and target(s, partition) == member:
            s.given[partition] = member
            s.given_in[partition] = s.generation
            s.unfetched[partition] = fetches


def is_to_take(s: Group, member: Member, partition: Partition) -> bool:
    """Is a partition assigned to a member that does not own it yet?"""
    return s.given[partition] == member and not s.asked[partition] and not s.owned[member][partition]


@action("ConsumerGroupHeartbeat after an error", sends("member", "coordinator", "heartbeat"))
def take_unseen(s: Group, member: Member, partition: Partition) -> None:
    """A member takes a partition, and a heartbeat fails meanwhile, as when the coordinator moves. The next one repeats everything.

    The partition is not yet its own by that request, so that the coordinator takes it for given up, if it is meant for another member.
    The member reads it, until it has followed the answer. It takes all that it was assigned at once.

    Source: AbstractMembershipManager.revokeAndAssign (the current assignment follows onPartitionsAssigned),
    AbstractHeartbeatRequestManager (all fields after an error), CurrentAssignmentBuilder.computeNextAssignment.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.drops_what_is_taken)
    require(s.heartbeat_failures_left > 0 or s.coordinator_moves_left > 0)
    require(s.up[member])
    require(s.standing[member] == Standing.STABLE)
    require(in_poll(s, member))
    require(has_no_rest(s, member))
    require(not is_fenced(s, member))
    require(s.given[partition] == member and not s.owned[member][partition] and starts_at(s, partition) != NONE)
    require(not is_revoking(s, member))
    require(not s.asked[partition] and target(s, partition) != member)
    require(not must_give_up(s, member))

    if s.heartbeat_failures_left > 0:
        s.heartbeat_failures_left -= 1
    else:
        s.coordinator_moves_left -= 1
    s.known[member] = s.member_epoch[member]
    drop_rest(s, member)
    for other in s.each(Partition):
        if s.given[other] == member and not s.asked[other]:
            take(s, member, other)
    for other in s.each(Partition):
        if s.given[other] == member and target(s, other) != member:
            free(s, other)
    reach_epoch(s, member)


def must_give_up(s: Group, member: Member) -> bool:
    """Does the member own a partition that is meant for another?"""
    for partition in s.each(Partition):
        if s.given[partition] == member and s.owned[member][partition] and target(s, partition) != member:
            return True
    return False


def is_asked(s: Group, member: Member) -> bool:
    """Must the member give a partition up?"""
    return any(s.given[partition] == member and s.asked[partition] for partition in s.each(Partition))


def is_revoking(s: Group, member: Member) -> bool:
    """Has the member yet to give up a partition that it was asked for?"""
    for partition in s.each(Partition):
        if s.given[partition] == member and s.asked[partition] and s.owned[member][partition]:
            return True
    return False


def has_news(s: Group, member: Member) -> bool:
    """Does a heartbeat of the member change anything?"""
    if s.member_epoch[member] != s.generation or is_asked(s, member):
        return True
    return any(
        s.given[partition] == NONE and s.discovered[partition] and target(s, partition) == member
        for partition in s.each(Partition)
    )


@action("AbstractMembershipManager.maybeReconcile")
def reconcile(s: Group, member: Member) -> None:
    """A member follows its assignment: it commits and gives up what it was asked for, and takes what it was given.

    Source: AbstractMembershipManager.maybeReconcile, revokeAndAssign.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.up[member])
    require(s.standing[member] == Standing.STABLE)
    require(in_poll(s, member))
    require(has_no_rest(s, member))
    require(not is_fenced(s, member))
    require(is_behind(s, member))

    s.known[member] = s.member_epoch[member]
    drop_rest(s, member)
    give_up_others(s, member)
    for partition in s.each(Partition):
        if s.given[partition] == member and not s.asked[partition]:
            take(s, member, partition)


def give_up_others(s: Group, member: Member) -> None:
    """A member gives up what it is asked for, after a last commit."""
    for partition in s.each(Partition):
        if s.owned[member][partition] and (s.given[partition] != member or s.asked[partition]):
            commits_last(s, member, partition)
            give_up(s, member, partition)


@action("SubscriptionState.resetInitializingPositions, KAFKA-17674")
def take_unfetched(s: Group, member: Member) -> None:
    """Partitions come while their member fetches the committed offset of another, and begin where auto.offset.reset says.

    The application's thread waits for that offset in poll; the other one assigns the partitions. Then the first resets each partition
    that has no position, also those whose committed offsets nobody has fetched. Without auto.offset.reset poll fails.

    Source: AsyncKafkaConsumer.updateFetchPositions, SubscriptionState.resetInitializingPositions; KAFKA-16556. Seen on 3.9.1.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.resets_unfetched)
    require(s.up[member])
    require(s.standing[member] == Standing.STABLE)
    require(in_poll(s, member))
    require(has_no_rest(s, member))
    require(not is_fenced(s, member))
    require(any(is_reset(s, member, partition) for partition in s.each(Partition)))

    s.known[member] = s.member_epoch[member]
    drop_rest(s, member)
    give_up_others(s, member)
    for partition in s.each(Partition):
        if is_reset(s, member, partition):
            begin_at(s, member, partition, reset_offset(s, partition))
        elif s.given[partition] == member and not s.asked[partition]:
            take(s, member, partition)


def is_reset(s: Group, member: Member, partition: Partition) -> bool:
    """Does a partition that the member is to take begin elsewhere if nobody fetches its committed offset?"""
    if not s.unfetched[partition] or not is_to_take(s, member, partition) or reset_offset(s, partition) == NONE:
        return False
    return reset_offset(s, partition) != starts_at(s, partition)


def is_behind(s: Group, member: Member) -> bool:
    """Has the member anything to follow?"""
    return s.known[member] != s.member_epoch[member] or has_other_partitions(s, member)


def has_other_partitions(s: Group, member: Member) -> bool:
    """Has the member partitions to give up, or to take?"""
    for partition in s.each(Partition):
        is_its_own = s.given[partition] == member and not s.asked[partition]
        if s.owned[member][partition] and not is_its_own:
            return True
        if not s.owned[member][partition] and is_its_own and starts_at(s, partition) != NONE:
            return True
    return False


@action("OffsetCommit before a reconciliation, repeated", sends("member", "coordinator", "commit of {partition}"))
def repeat_commit(s: Group, member: Member, partition: Partition) -> None:
    """The automatic commit before a reconciliation fails, and goes out again with newer positions: with a record in hand.

    Poll returns records of what the member keeps meanwhile. The commit fails on a connection that breaks, at a coordinator that moves
    or loads, or in an epoch that is over (STALE_MEMBER_EPOCH); then it names the newest. From 3.8 on; where automatic commits have such
    positions anyway, commit_auto does it.

    Source: CommitRequestManager.autoCommitSyncBeforeRebalanceWithRetries, AbstractMembershipManager.maybeReconcile. Seen on 4.1.1.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.commit == Commit.AUTO)
    require(not commits_early(s))
    require(s.up[member])
    require(s.standing[member] == Standing.STABLE)
    require(not is_fenced(s, member))
    require(has_other_partitions(s, member))
    require(s.owned[member][partition] and s.given[partition] == member and not s.asked[partition])
    require(s.done[member][partition] < s.position[member][partition])
    require(s.position[member][partition] != s.committed[partition])
    fails = s.late_of == member or has_newer_epoch(s, member)
    require(fails or s.commit_failures_left > 0 or s.coordinator_moves_left > 0)

    if not fails:
        if s.commit_failures_left > 0:
            s.commit_failures_left -= 1
        else:
            s.coordinator_moves_left -= 1
    write_offset(s, partition, s.position[member][partition])


def has_newer_epoch(s: Group, member: Member) -> bool:
    """Has a heartbeat raised the member's epoch since it was assigned what it is to take?"""
    for partition in s.each(Partition):
        if is_to_take(s, member, partition) and s.given_in[partition] < s.member_epoch[member]:
            return True
    return False
