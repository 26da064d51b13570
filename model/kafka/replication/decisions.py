"""What the controllers may lose of their decisions: the state before each, and who has read what was lost.

A broker reads decisions from the metadata log, and its own copy of that log never goes back behind what is committed. So a broker that
has read a lost decision can read nothing of what the controllers decide instead, and its process ends (KafkaMetadataLog.truncateTo).
"""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, contains, with_member, without

from .state import LostDecision, Partition, Replica


def is_next_loss(s: Partition, loss: LostDecision) -> bool:
    """Is this the first loss of a decision that has not happened yet?"""
    for earlier in s.each(LostDecision):
        if earlier < loss and not s.decision_was_lost[earlier]:
            return False
    return not s.decision_was_lost[loss]


def remember_decision(s: Partition) -> None:
    """Keep what is so before a decision, for as many decisions as may still be lost; the newest first."""
    epoch = s.newest_epoch
    leader = s.controller_leader
    isr = s.controller_isr
    eligible = s.eligible
    last_leader = s.last_leader
    for loss in s.each(LostDecision):
        if not s.decision_was_lost[loss]:
            older_epoch = s.earlier_epoch[loss]
            older_leader = s.earlier_leader[loss]
            older_isr = s.earlier_isr[loss]
            older_eligible = s.earlier_eligible[loss]
            older_last_leader = s.earlier_last_leader[loss]
            s.earlier_epoch[loss] = epoch
            s.earlier_leader[loss] = leader
            s.earlier_isr[loss] = isr
            s.earlier_eligible[loss] = eligible
            s.earlier_last_leader[loss] = last_leader
            epoch = older_epoch
            leader = older_leader
            isr = older_isr
            eligible = older_eligible
            last_leader = older_last_leader


def forget_decision(s: Partition, loss: LostDecision) -> None:
    """The decision is lost, and no other can be lost in its place."""
    s.decision_was_lost[loss] = 1
    s.earlier_epoch[loss] = NONE
    s.earlier_leader[loss] = NONE
    s.earlier_isr[loss] = EMPTY
    s.earlier_eligible[loss] = EMPTY
    s.earlier_last_leader[loss] = NONE


def cannot_read_on(s: Partition, replica: Replica) -> bool:
    """Has the broker read what the controllers have lost?"""
    for loss in s.each(LostDecision):
        if contains(s.has_read_lost[loss], replica):
            return True
    return False


def may_have_to_end(s: Partition, replica: Replica) -> bool:
    """Has the broker read what the controllers have lost, or may it have?"""
    for loss in s.each(LostDecision):
        if contains(s.has_read_lost[loss], replica) or contains(s.may_have_read_lost[loss], replica):
            return True
    return False


def read_on(s: Partition, replica: Replica) -> None:
    """The broker reads what the controllers have decided since: it had read nothing that they lost."""
    for loss in s.each(LostDecision):
        s.may_have_read_lost[loss] = without(s.may_have_read_lost[loss], replica)


def read_anew(s: Partition, replica: Replica) -> None:
    """The process ends. When it starts again, nothing of its metadata log is committed, and it takes over what the controllers have."""
    for loss in s.each(LostDecision):
        s.has_read_lost[loss] = without(s.has_read_lost[loss], replica)
        s.may_have_read_lost[loss] = without(s.may_have_read_lost[loss], replica)


def note_readers(s: Partition, loss: LostDecision, epoch: int) -> None:
    """Who was in a later epoch than `epoch` has read the lost decision. Every other live broker may have read it too."""
    for replica in s.each(Replica):
        if s.up[replica] and s.epoch[replica] > epoch:
            s.has_read_lost[loss] = with_member(s.has_read_lost[loss], replica)
        elif s.up[replica]:
            s.may_have_read_lost[loss] = with_member(s.may_have_read_lost[loss], replica)


def leader_is_ahead(s: Partition) -> bool:
    """Does the leader know a newer ISR than the controllers? They refuse its requests, and it ignores theirs (partition epochs)."""
    for loss in s.each(LostDecision):
        if s.leader_knows_lost[loss]:
            return True
    return False


def catch_up(s: Partition) -> None:
    """The controllers decide again: their partition epoch comes nearer to the leader's by one, and counts if it is the same."""
    behind = True
    for loss in s.each(LostDecision):
        if behind and s.leader_knows_lost[loss]:
            s.leader_knows_lost[loss] = 0
            behind = False
