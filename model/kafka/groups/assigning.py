"""What partitions are for whom, and what a member does when it gets a partition or gives it up."""

from __future__ import annotations

from neverlost.model.core import NONE

from .offsets import accepts, may_be_fresh, starts_at, write_offset
from .state import ABSENT, Commit, Group, Member, Partition, Slot, Standing


def target(s: Group, partition: Partition) -> int:
    """The member that the assignor chooses for a partition, round robin among those in the group; NONE if there is none."""
    return target_if(s, partition, ABSENT, ABSENT)


def target_if(s: Group, partition: Partition, joined: int, gone: int) -> int:
    """The same, as if one member had joined and another, if it is not the same, were gone."""
    count = sum(1 for member in s.each(Member) if is_counted(s, member, joined, gone))
    turn = partition % s.size(Partition)
    for _ in s.each(Partition):
        if 0 < count <= turn:
            turn -= count
    found = ABSENT
    for member in s.each(Member):
        if is_counted(s, member, joined, gone):
            if turn == 0:
                found = member
            turn -= 1
    return found


def is_counted(s: Group, member: Member, joined: int, gone: int) -> bool:
    """Is the member in the group, or would it be?"""
    return member == joined or (s.standing[member] != Standing.UNKNOWN and member != gone)


def free(s: Group, partition: Partition) -> None:
    """A partition is nobody's."""
    s.given[partition] = NONE
    s.given_in[partition] = 0
    s.asked[partition] = False
    s.unfetched[partition] = False


def in_threads(s: Group) -> bool:
    """Are records processed by other threads than the one that polls?"""
    return s.commit == Commit.AUTO_THREADS


def all_done(s: Group, member: Member) -> bool:
    """Has the member processed everything that it has polled?

    A record that was lost before its commit, which is to come first, it may drop.
    """
    for partition in s.each(Partition):
        may_drop = s.commit == Commit.BEFORE and not s.owned[member][partition]
        if s.done[member][partition] < s.position[member][partition] and not may_drop:
            return False
    return True


def in_poll(s: Group, member: Member) -> bool:
    """May the thread of the member be in a call of poll? Rebalances and automatic commits happen only there."""
    return in_threads(s) or all_done(s, member)


def has_listener(s: Group) -> bool:
    """Has the consumer a ConsumerRebalanceListener? It needs one to commit before it gives a partition up."""
    return s.commits_on_revoke == 1 and s.commit != Commit.BEFORE


def commits_automatically(s: Group) -> bool:
    """Is enable.auto.commit on? It commits positions."""
    return s.commit == Commit.AUTO or s.commit == Commit.AUTO_THREADS


def commits_last(s: Group, member: Member, partition: Partition) -> None:
    """A member commits once more before it gives the partition up: automatically its position, or else what it has processed.

    One that is not in the group gives up without a commit: what it might commit in an empty group it may commit in a step before.
    """
    if s.standing[member] != Standing.UNKNOWN and accepts(s, member, partition, s.known[member]):
        if commits_automatically(s):
            write_offset(s, partition, s.position[member][partition])
        elif s.commits_on_revoke and s.commit != Commit.BEFORE and not s.fresh[member][partition]:
            write_offset(s, partition, s.done[member][partition])
            drop_earlier_commits(s, member, partition)


def drop_earlier_commits(s: Group, member: Member, partition: Partition) -> None:
    """What commitAsync has sent before has come before, on the same connection, and is overwritten."""
    for k in s.each(Slot):
        if s.sent[member][k] == partition:
            s.sent_offset[member][k] = s.done[member][partition]


def give_up(s: Group, member: Member, partition: Partition) -> None:
    """A member does not own the partition any more. Other threads may finish what they have of it."""
    s.owned[member][partition] = False
    s.fresh[member][partition] = False
    if not in_threads(s) or s.drops_records or s.done[member][partition] == s.position[member][partition]:
        s.position[member][partition] = 0
        s.done[member][partition] = 0


def drop_rest(s: Group, member: Member) -> None:
    """A member that polls again has nothing in hand any more of partitions that it lost in the background."""
    for partition in s.each(Partition):
        if not in_threads(s) and not s.owned[member][partition]:
            s.position[member][partition] = 0
            s.done[member][partition] = 0


def take(s: Group, member: Member, partition: Partition) -> None:
    """A member begins to read a partition that is new to it; without a place to begin, it fails and reads nothing of it."""
    if not s.owned[member][partition] and starts_at(s, partition) != NONE:
        begin_at(s, member, partition, starts_at(s, partition))


def begin_at(s: Group, member: Member, partition: Partition, offset: int) -> None:
    """A member owns a partition, and reads it from an offset on."""
    s.unfetched[partition] = False
    s.owned[member][partition] = True
    s.position[member][partition] = offset
    s.done[member][partition] = offset
    s.fresh[member][partition] = may_be_fresh(s) and offset != s.committed[partition]


def has_no_rest(s: Group, member: Member) -> bool:
    """Have the other threads finished what they had of partitions that were given up?"""
    for partition in s.each(Partition):
        in_hand = s.done[member][partition] < s.position[member][partition]
        if in_threads(s) and not s.owned[member][partition] and in_hand:
            return False
    return True
