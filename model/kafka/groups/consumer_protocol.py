"""The new protocol (KIP-848): each member moves to the group's epoch by itself, as soon as it has given up what it must."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .assigning import commits_last, give_up, has_no_rest, in_poll, take, target
from .offsets import refuse_sent, starts_at
from .state import Generation, Group, Member, Partition, Protocol, Standing


@action("ConsumerGroupHeartbeat, member epoch 0", sends("member", "coordinator", "heartbeat to join"))
def join_by_heartbeat(s: Group, member: Member) -> None:
    """A member joins; one that has learned that it was expelled first loses what it owned, without a commit.

    Source: AbstractMembershipManager.transitionToFenced, GroupMetadataManager.consumerGroupHeartbeat.
    """
    require(s.protocol == Protocol.CONSUMER)
    require(s.up[member])
    require(in_poll(s, member))
    require(s.standing[member] == Standing.UNKNOWN)
    require(s.generation + 1 < s.size(Generation))

    for partition in s.each(Partition):
        if s.owned[member][partition]:
            give_up(s, member, partition)
    refuse_sent(s, member)
    s.standing[member] = Standing.STABLE
    s.generation += 1
    s.member_epoch[member] = s.generation
    s.emptied = False


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
    require(not is_revoking(s, member))
    require(has_news(s, member))

    for partition in s.each(Partition):
        if s.given[partition] == member and s.asked[partition]:
            s.given[partition] = NONE
            s.given_in[partition] = 0
            s.asked[partition] = False
    for partition in s.each(Partition):
        if s.given[partition] == member and target(s, partition) != member:
            s.asked[partition] = True
    if not is_asked(s, member):
        s.member_epoch[member] = s.generation
        for partition in s.each(Partition):
            if s.given[partition] == NONE and s.discovered[partition] and target(s, partition) == member:
                s.given[partition] = member
                s.given_in[partition] = s.generation


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
    require(is_behind(s, member))

    s.known[member] = s.member_epoch[member]
    for partition in s.each(Partition):
        if s.owned[member][partition] and (s.given[partition] != member or s.asked[partition]):
            commits_last(s, member, partition)
            give_up(s, member, partition)
    for partition in s.each(Partition):
        if s.given[partition] == member and not s.asked[partition]:
            take(s, member, partition)


def is_behind(s: Group, member: Member) -> bool:
    """Has the member anything to follow?"""
    if s.known[member] != s.member_epoch[member]:
        return True
    for partition in s.each(Partition):
        is_its_own = s.given[partition] == member and not s.asked[partition]
        if s.owned[member][partition] and not is_its_own:
            return True
        if not s.owned[member][partition] and is_its_own and starts_at(s, partition) != NONE:
            return True
    return False
