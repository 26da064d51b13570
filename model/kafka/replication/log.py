"""Logs: their records, appending, cutting, and where two logs diverge."""

from __future__ import annotations

from neverlost.model.core import NONE, require

from .state import Epoch, LostDecision, Offset, Partition, ProducerEpoch, Replica, Value


def holds_value(s: Partition, replica: Replica, value: Value) -> bool:
    """Is the value in the broker's log?"""
    for offset in s.each(Offset):
        if s.record_value[replica][offset] == value:
            return True
    return False


def append(s: Partition, replica: Replica, value: int, epoch: int) -> None:
    """Append a record at the log end; a full log takes no record."""
    offset = s.log_end[replica]
    require(offset < s.size(Offset))

    s.record_value[replica][offset] = value
    s.record_epoch[replica][offset] = epoch
    s.log_end[replica] = offset + 1
    if s.flush and s.crashes > 0 and s.power_losses > 0:
        s.cached[replica] = 0


def cut(s: Partition, replica: Replica, end: int) -> None:
    """Cut the log at `end`; the high watermark is then at most there."""
    for offset in s.each(Offset):
        if offset >= end:
            s.record_value[replica][offset] = NONE
            s.record_epoch[replica][offset] = NONE
            for producer_epoch in s.each(ProducerEpoch):
                s.numbered_anew[producer_epoch][replica][offset] = 0
    if s.flush and s.crashes > 0 and s.power_losses > 0 and end < s.log_end[replica]:
        s.cached[replica] = 0
    s.log_end[replica] = min(s.log_end[replica], end)
    s.high_watermark[replica] = min(s.high_watermark[replica], end)


def last_epoch(s: Partition, replica: Replica) -> int:
    """The leader epoch of the last record; NONE for an empty log."""
    found = -1
    for offset in s.each(Offset):
        if offset < s.log_end[replica]:
            found = s.record_epoch[replica][offset]
    return found


def shared_end(s: Partition, one: Replica, other: Replica) -> int:
    """The end of the largest leader epoch in both logs, in the log where it ends first; 0 if they share no epoch (KIP-279)."""
    end = 0
    for offset in s.each(Offset):
        if s.record_epoch[one][offset] != NONE and s.record_epoch[one][offset] == s.record_epoch[other][offset]:
            end = offset + 1
    return end


def knows_end_of(s: Partition, leader: Replica, epoch: int) -> bool:
    """Can the leader tell where an epoch ends from its records alone? It needs one of that epoch or before, and one of it or after."""
    earlier = False
    later = False
    for offset in s.each(Offset):
        if offset < s.log_end[leader]:
            if s.record_epoch[leader][offset] <= epoch:
                earlier = True
            if s.record_epoch[leader][offset] >= epoch:
                later = True
    return earlier and later


def start_after(s: Partition, replica: Replica, epoch: int) -> int:
    """Where the records of later epochs start in a log; its end if it has no such records."""
    for offset in s.each(Offset):
        if s.record_epoch[replica][offset] > epoch:
            return offset
    return s.log_end[replica]


def newest_up_to(s: Partition, replica: Replica, epoch: int) -> int:
    """The newest epoch of a log's records that is at most `epoch`; NONE if all are later."""
    found = -1
    for offset in s.each(Offset):
        if s.record_epoch[replica][offset] <= epoch:
            found = max(found, s.record_epoch[replica][offset])
    return found


def asked_epoch(s: Partition, follower: Replica, leader: Replica) -> int:
    """The epoch whose end a response names: the follower's last one, or else the newest before it that the leader has."""
    asked = last_epoch(s, follower)
    found = newest_up_to(s, leader, asked)
    return asked if found == NONE else found


def end_as_said(s: Partition, follower: Replica, epoch: int, end: int) -> int:
    """Where the follower cuts if its leader says where the epoch ends: where it ends in both logs; without records of it, where the
    follower's own earlier epochs end. If the logs have parted before, the next fetch says so.
    """
    own = start_after(s, follower, epoch)
    return min(own, end) if newest_up_to(s, follower, epoch) == epoch else own


def end_of_round(s: Partition, follower: Replica, leader: Replica) -> int:
    """Where a follower cuts its log by one response."""
    epoch = asked_epoch(s, follower, leader)
    return end_as_said(s, follower, epoch, start_after(s, leader, epoch))


def may_repeat_epochs(s: Partition) -> bool:
    """May two leaders have written in the same leader epoch, or one in an earlier epoch than its log already has?"""
    return s.size(LostDecision) > 0


def end_up_to(s: Partition, replica: Replica, epoch: int) -> int:
    """Where the records of an epoch and of earlier ones end in a log whose epochs may go back."""
    end = 0
    for offset in s.each(Offset):
        if s.record_epoch[replica][offset] != NONE and s.record_epoch[replica][offset] <= epoch:
            end = offset + 1
    return end


def end_by_epochs(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where one response has the follower cut, by epochs alone: whether they have the same records, nobody looks.

    In the leader's own epoch, whoever wrote there, and in one that is newer than the leader's, that is where the leader's log ends.
    """
    end = s.log_end[follower]
    last = last_epoch(s, follower)
    if last >= s.epoch[leader]:
        return min(end, s.log_end[leader])
    known = newest_up_to(s, leader, last)
    return min(end, end_up_to(s, leader, known), end_up_to(s, follower, known))


def is_beyond_epochs(s: Partition, leader: Replica, follower: Replica) -> bool:
    """Does the follower's log end in a newer epoch than the leader's, and not beyond its log? Then fetches fail, and nothing is cut."""
    if not may_repeat_epochs(s):
        return False
    return last_epoch(s, follower) > s.epoch[leader] and s.log_end[follower] <= s.log_end[leader]


def end_of_last_epoch(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where the leader's log leaves the follower's last epoch; the follower's high watermark if it cannot tell (KIP-101)."""
    epoch = last_epoch(s, follower)
    if knows_end_of(s, leader, epoch):
        return min(start_after(s, leader, epoch), s.log_end[follower])
    return s.high_watermark[follower]


def end_by_records(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where a follower cuts by KIP-279 while leaders know only epochs that they have records of (before KAFKA-7415).

    The follower asks for its last epoch, then for earlier ones, until both know the epoch that the leader names. If the leader
    does not know, the follower cuts to its high watermark. If the follower has no record of the named epoch or an earlier one, it
    cuts to where the leader's epoch ends.
    """
    end = s.log_end[follower]
    bound = s.newest_epoch
    for _ in s.each(Epoch):
        asked = newest_up_to(s, follower, bound)
        if asked == NONE:
            return end
        if not knows_end_of(s, leader, asked):
            return min(end, s.high_watermark[follower])
        named = newest_up_to(s, leader, asked)
        own = newest_up_to(s, follower, named)
        if own == NONE:
            return min(end, start_after(s, leader, asked))
        end = min(end, start_after(s, follower, named))
        if own == named:
            return min(end, start_after(s, leader, asked))
        bound = named  # type: ignore[assignment]
    return end
