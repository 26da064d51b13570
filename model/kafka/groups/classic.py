"""The classic protocol: a rebalance is a barrier at which every member joins, and then gets its assignment."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .assigning import commits_automatically, commits_last, give_up, has_no_rest, in_poll, take, target
from .offsets import refuse_sent
from .record import is_fenced, record_generation, stop_waiting
from .state import ABSENT, Generation, Group, Member, Partition, Protocol, Standing


@action("JoinGroup", sends("member", "coordinator", "JoinGroup"))
def join(s: Group, member: Member) -> None:
    """A member joins: it is new, has learned that it was expelled, or has learned that the group rebalances.

    An eager one first commits and gives up all that it owns. One that was expelled, or is in a generation that the coordinator has not,
    loses it without a commit. A cooperative one commits automatically, and keeps what it owns.

    Source: ConsumerCoordinator.onJoinPrepare, GroupCoordinator.handleJoinGroup.
    """
    require(s.protocol != Protocol.CONSUMER)
    require(s.up[member])
    require(in_poll(s, member))
    require(s.standing[member] != Standing.JOINING)
    require(s.rebalancing or is_out(s, member) or s.unanswered[member])
    require(s.generation + 1 < s.size(Generation))

    for partition in s.each(Partition):
        if s.owned[member][partition]:
            if not s.unanswered[member] and (s.protocol == Protocol.EAGER or commits_automatically(s)):
                commits_last(s, member, partition)
            if s.protocol == Protocol.EAGER or is_out(s, member):
                give_up(s, member, partition)
    if is_out(s, member):
        refuse_sent(s, member)
    if s.standing[member] == Standing.UNKNOWN:
        s.recorded[member] = False
    stop_waiting(s, member)
    s.standing[member] = Standing.JOINING
    s.rebalancing = True


def is_out(s: Group, member: Member) -> bool:
    """Is a member not in the group, or not in a generation that the coordinator has?"""
    return s.standing[member] == Standing.UNKNOWN or is_fenced(s, member)


@action("JoinGroup, KAFKA-14196", sends("member", "coordinator", "JoinGroup"))
def join_later(s: Group, member: Member) -> None:
    """The last commit went out when the member began to join; since then poll has returned records that nobody commits."""
    require(s.reads_while_revoking)
    require(s.protocol == Protocol.EAGER)
    require(commits_automatically(s))
    require(s.up[member])
    require(in_poll(s, member))
    require(s.standing[member] == Standing.STABLE)
    require(s.rebalancing)
    require(s.generation + 1 < s.size(Generation))

    for partition in s.each(Partition):
        if s.owned[member][partition]:
            give_up(s, member, partition)
    s.standing[member] = Standing.JOINING


@action("JoinGroup, SyncGroup of the leader")
def complete(s: Group) -> None:
    """All members have joined: there is a new generation, and its leader has assigned the partitions.

    A partition that a member still owns is given to no other: it is free in the next generation (KIP-429). Of two that claim it,
    the one of the later generation counts; up to 3.4.0, a member of an earlier generation claims nothing (KAFKA-14639).

    Source: GroupCoordinator.onCompleteJoin, AbstractStickyAssignor.allSubscriptionsEqual, CooperativeStickyAssignor.
    """
    require(s.protocol != Protocol.CONSUMER)
    require(all_joined(s))

    s.generation += 1
    s.rebalancing = False
    s.emptied = False
    for partition in s.each(Partition):
        s.given[partition] = assignee(s, partition)
    for member in s.each(Member):
        if s.standing[member] == Standing.JOINING:
            s.standing[member] = Standing.SYNCING
    record_generation(s)


def assignee(s: Group, partition: Partition) -> int:
    """The member that gets a partition; NONE if the group does not know it, or a member owns it for which it is not meant."""
    owner = claimant(s, partition)
    if not s.discovered[partition] or (owner != NONE and owner != target(s, partition)):
        return ABSENT
    return target(s, partition)


def all_joined(s: Group) -> bool:
    """Have all members joined, and is there one?"""
    for member in s.each(Member):
        if s.standing[member] == Standing.STABLE or s.standing[member] == Standing.SYNCING:
            return False
    return any(s.standing[member] == Standing.JOINING for member in s.each(Member))


def claimant(s: Group, partition: Partition) -> int:
    """The member of the latest generation that has joined and owns the partition; NONE if there is none."""
    newest = 0
    for member in s.each(Member):
        if s.standing[member] == Standing.JOINING:
            newest = max(newest, s.known[member])
    found = ABSENT
    since = 0
    for member in s.each(Member):
        if s.standing[member] == Standing.JOINING and s.owned[member][partition]:
            counts = s.known[member] == newest or not s.ignores_old_claims
            if counts and (found == ABSENT or s.known[member] > since):
                found = member
                since = s.known[member]
    return found


def follows_again(s: Group, member: Member) -> bool:
    """Does a coordinator without the last generation answer a member with the one before, without another rebalance?

    It does for a member that does not lead, and has joined with the same metadata. Those of a cooperative one have what it owns, and
    from 3.4 on each has its generation in them (KIP-792).

    Source: GroupCoordinator.doCurrentMemberJoinGroup, ConsumerCoordinator.metadata.
    """
    others = any(s.standing[other] != Standing.UNKNOWN and other != member for other in s.each(Member))
    return s.protocol == Protocol.EAGER and s.rejoins_quietly == 1 and others


@action("SyncGroup", sends("coordinator", "member", "assignment"))
def sync(s: Group, member: Member) -> None:
    """A member gets its assignment. A cooperative one gives up what it has lost, and then asks for another rebalance.

    enable.auto.commit does not commit here once more (ConsumerCoordinator.onJoinComplete).

    Source: ConsumerCoordinator.onJoinComplete, GroupCoordinator.handleSyncGroup.
    """
    require(s.protocol != Protocol.CONSUMER)
    require(s.up[member])
    require(s.standing[member] == Standing.SYNCING)
    require(in_poll(s, member))
    require(has_no_rest(s, member))
    require(not s.rebalancing)
    require(not s.unanswered[member] or follows_again(s, member))

    stop_waiting(s, member)
    s.standing[member] = Standing.STABLE
    s.known[member] = s.generation
    for partition in s.each(Partition):
        if s.owned[member][partition] and s.given[partition] != member:
            if not commits_automatically(s):
                commits_last(s, member, partition)
            give_up(s, member, partition)
            s.rebalancing = True
        elif s.given[partition] == member:
            take(s, member, partition)
