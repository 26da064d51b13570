"""What of a group is in the coordinator's log, and what a coordinator may answer of which the next one knows nothing."""

from __future__ import annotations

from .state import ABSENT, Group, Member, Partition, Protocol, Standing


def forgets_acknowledged(s: Group) -> bool:
    """Has the next coordinator perhaps not what was acknowledged (KAFKA-5059, KAFKA-5600, KAFKA-20634)?"""
    if s.protocol == Protocol.CONSUMER:
        return s.acknowledges_lost == 1 or s.preview_acknowledges_lost == 1
    return s.loads_old == 1 or s.loads_to_high_watermark == 1 or s.acknowledges_lost == 1


def answers_unacknowledged(s: Group) -> bool:
    """Does a coordinator answer with an assignment that it has only read in its log?

    Source: GroupMetadataManager.doLoadGroupsAndOffsets (to the log's end), GroupCoordinator.doCurrentMemberJoinGroup, doSyncGroup.
    """
    return s.preview_answers_at_once == 1 if s.protocol == Protocol.CONSUMER else s.rejoins_quietly == 1


def may_forget(s: Group) -> bool:
    """May members get an assignment that the next coordinator does not have?

    What was acknowledged takes one move of the coordinator. What was not takes two: the next coordinator reads it and answers, and the
    one after has not got it.
    """
    if forgets_acknowledged(s):
        return s.coordinator_moves_left > 0
    return answers_unacknowledged(s) and s.coordinator_moves_left > 1


def spend_moves(s: Group) -> None:
    """The coordinator has moved, so that an assignment is forgotten."""
    s.coordinator_moves_left -= 1 if forgets_acknowledged(s) else 2
    if not may_forget(s):
        for member in s.each(Member):
            s.recorded[member] = False


def record_generation(s: Group) -> None:
    """The record of a generation has the members that joined it. What was answered of an older one comes too late."""
    for member in s.each(Member):
        in_record = s.protocol != Protocol.CONSUMER and s.standing[member] != Standing.UNKNOWN
        s.recorded[member] = in_record and may_forget(s)
        stop_waiting(s, member)


def stop_waiting(s: Group, member: Member) -> None:
    """A member does not wait any more for its assignment of a generation that is forgotten."""
    s.unanswered[member] = False
    for partition in s.each(Partition):
        if s.forgotten[partition] == member:
            s.forgotten[partition] = ABSENT


def has_members(s: Group) -> bool:
    """Does the coordinator know of a member?"""
    return any(s.standing[member] != Standing.UNKNOWN for member in s.each(Member))


def is_fenced(s: Group, member: Member) -> bool:
    """Is a member of the group in a later generation or epoch than the coordinator has it in? It learns so, and loses what it owns.

    Source: GroupCoordinator.doHeartbeat (ILLEGAL_GENERATION), GroupMetadataManager.throwIfConsumerGroupMemberEpochIsInvalid
    (FENCED_MEMBER_EPOCH).
    """
    if s.standing[member] == Standing.UNKNOWN:
        return False
    return s.known[member] > (s.member_epoch[member] if s.protocol == Protocol.CONSUMER else s.generation)
