"""Committed offsets: who may commit, where a consumer begins, and what counts as passed over."""

from __future__ import annotations

from neverlost.model.core import NONE

from .record import has_members
from .state import ABSENT, Commit, Generation, Group, Member, Partition, Protocol, Reset, Slot, Standing


def accepts(s: Group, member: Member, partition: Partition, named: Generation) -> bool:
    """Does the coordinator accept a commit of a member that names this generation or epoch?

    With KIP-848 a member that has left or was fenced names no epoch until it has joined again. A group without members accepts that.

    Source: GroupCoordinator.validateOffsetCommit, ClassicGroup.validateOffsetCommit, ConsumerGroup.validateOffsetCommit (KIP-1251 from
    4.3 on); AbstractMembershipManager.transitionToSendingLeaveGroup, transitionToFenced, CommitRequestManager.onMemberEpochUpdated. The
    classic protocol does not ask who owns the partition.
    """
    if s.standing[member] == Standing.UNKNOWN:
        return s.protocol == Protocol.CONSUMER and not has_members(s)
    if s.protocol != Protocol.CONSUMER:
        return named == s.generation
    if s.epoch_per_partition and s.given[partition] == member:
        return s.given_in[partition] <= named <= s.member_epoch[member]
    return named == s.member_epoch[member]


def write_offset(s: Group, partition: Partition, offset: int) -> None:
    """The coordinator writes a commit. What was committed before matters only where a commit may be lost."""
    if s.rollbacks + s.coordinator_moves > 0:
        s.older[partition] = s.committed[partition] if s.unseen[partition] == NONE else s.unseen[partition]
    s.committed[partition] = offset
    s.unseen[partition] = NONE
    s.cut_at[partition] = NONE


def counts_at_once(s: Group) -> bool:
    """Has the coordinator its state from its log, so that what it has written counts whatever it answers?

    With the classic protocol from 4.0 on, with KIP-848 from 3.7 on. The coordinator before takes an offset over once it is replicated,
    and only if that is in time.

    Source: CoordinatorRuntime.CoordinatorContext.append, OperationTimeout; GroupMetadataManager.storeOffsets (putCacheCallback).
    """
    return s.counts_refused == 1 or s.protocol == Protocol.CONSUMER


def write_and_refuse(s: Group, partition: Partition, offset: int) -> None:
    """The coordinator writes a commit, and answers with an error. That it is in the log matters only where a coordinator loads it."""
    if counts_at_once(s):
        write_offset(s, partition, offset)
    elif s.coordinator_moves > 0:
        s.unseen[partition] = NONE if offset == s.committed[partition] else offset


def take_over(s: Group) -> None:
    """A coordinator that loads its log has the last offset of each partition."""
    for partition in s.each(Partition):
        if s.unseen[partition] != NONE:
            s.older[partition] = s.committed[partition]
            s.committed[partition] = s.unseen[partition]
            s.unseen[partition] = NONE
            s.cut_at[partition] = NONE


def may_be_fresh(s: Group) -> bool:
    """Does it matter whether a member has processed anything where auto.offset.reset=latest let it begin? It commits what it has."""
    return s.reset == Reset.LATEST and (s.commit == Commit.SYNC or s.commit == Commit.ASYNC)


def forget_offset(s: Group, partition: Partition) -> None:
    """Nothing is committed any more. A tombstone is written for what the coordinator has, and hides what it has not taken over.

    An application that has committed all that it has processed has nothing to commit again.
    """
    for member in s.each(Member):
        if may_be_fresh(s) and s.owned[member][partition] and s.done[member][partition] == s.committed[partition]:
            s.fresh[member][partition] = True
    if s.committed[partition] != NONE:
        s.unseen[partition] = NONE
    s.committed[partition] = NONE
    s.older[partition] = NONE
    s.cut_at[partition] = NONE


def refuse_sent(s: Group, member: Member) -> None:
    """What a member has sent is refused for good: the coordinator does not know it, and what it sends next comes later."""
    for slot in s.each(Slot):
        s.sent[member][slot] = NONE
        s.sent_offset[member][slot] = 0
        s.sent_in[member][slot] = 0
    if s.late_of == member:
        forget_late(s)


def forget_late(s: Group) -> None:
    """No commit is held up any more."""
    s.late = NONE
    s.late_of = NONE
    s.late_offset = 0
    s.late_in = 0


def reset_offset(s: Group, partition: Partition) -> int:
    """Where auto.offset.reset lets a consumer begin; NONE if it is to fail."""
    if s.reset == Reset.NONE:
        return ABSENT
    return s.start[partition] if s.reset == Reset.EARLIEST else s.end[partition]


def starts_at(s: Group, partition: Partition) -> int:
    """Where a new owner of the partition begins: the committed offset, unless it is out of range; NONE if it fails.

    Source: ConsumerCoordinator.refreshCommittedOffsetsIfNeeded, OffsetFetcher (ListOffsets, OffsetsForLeaderEpoch; KIP-320),
    SubscriptionState.maybeCompleteValidation.
    """
    if s.committed[partition] == NONE:
        return reset_offset(s, partition)
    if s.cut_at[partition] != NONE:
        if s.reset == Reset.NONE or s.cut_at[partition] < s.start[partition]:
            return reset_offset(s, partition)
        return s.cut_at[partition]
    if s.committed[partition] < s.start[partition] or s.committed[partition] > s.end[partition]:
        return reset_offset(s, partition)
    return s.committed[partition]


def out_of_range(s: Group, member: Member, partition: Partition) -> bool:
    """Is the member's position outside of the partition?"""
    return s.position[member][partition] < s.start[partition] or s.position[member][partition] > s.end[partition]


def is_read(s: Group, partition: Partition) -> bool:
    """Does a running member believe that the partition is its own?"""
    return any(s.up[member] and s.owned[member][partition] for member in s.each(Member))


def reads_on_at(s: Group, member: Member, partition: Partition) -> int:
    """The offset that a member fetches next, once it has learned that its position is out of range; NONE if it then fails."""
    return reset_offset(s, partition) if out_of_range(s, member, partition) else s.position[member][partition]


def may_come(s: Group, partition: Partition, offset: int) -> bool:
    """Is the record in the hands of a running member, or before the position of one that owns the partition?"""
    for member in s.each(Member):
        if s.up[member]:
            if s.done[member][partition] <= offset < s.position[member][partition]:
                return True
            if s.owned[member][partition] and NONE < reads_on_at(s, member, partition) <= offset:
                return True
    return False


def passed_over(s: Group, partition: Partition, offset: int) -> bool:
    """Is a record in the partition that nobody has processed, nobody has in hand, and the next owner begins beyond?

    Where nothing valid is committed, the record counts only once someone reads the partition: until then an operator may still set an
    offset.
    """
    if offset < s.start[partition] or offset >= s.end[partition] or may_come(s, partition, offset):
        return False
    begins = starts_at(s, partition)
    return begins > offset and (begins == s.committed[partition] or is_read(s, partition))
