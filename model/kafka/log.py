"""Logs: what lies where, appending, cutting, and where two logs part."""

from __future__ import annotations

from neverlost.model.core import NONE, require

from .state import Offset, Partition, Replica, Value


def holds_value(s: Partition, replica: Replica, value: Value) -> bool:
    """Is the value anywhere in the broker's log?"""
    for offset in s.each(Offset):
        if s.record_value[replica][offset] == value:
            return True
    return False


def append(s: Partition, replica: Replica, value: int, epoch: int) -> None:
    """A record goes to the log end; a full log takes none."""
    offset = s.log_end[replica]
    require(offset < s.size(Offset))

    s.record_value[replica][offset] = value
    s.record_epoch[replica][offset] = epoch
    s.log_end[replica] = offset + 1


def cut(s: Partition, replica: Replica, end: int) -> None:
    """The log ends at `end` from now on, and the high watermark no later."""
    for offset in s.each(Offset):
        if offset >= end:
            s.record_value[replica][offset] = NONE
            s.record_epoch[replica][offset] = NONE
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
    """The end of the largest leader epoch that both logs have, in the log where it ends first; 0 if they share none (KIP-279)."""
    end = 0
    for offset in s.each(Offset):
        if s.record_epoch[one][offset] != NONE and s.record_epoch[one][offset] == s.record_epoch[other][offset]:
            end = offset + 1
    return end


def end_of_last_epoch(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where the leader's log leaves the follower's last epoch; the follower's high watermark if it cannot tell (KIP-101)."""
    epoch = last_epoch(s, follower)
    newest = last_epoch(s, leader)
    if s.log_end[follower] == 0:
        return 0
    if newest == epoch:
        return min(s.log_end[leader], s.log_end[follower])
    for offset in s.each(Offset):
        if s.record_epoch[leader][offset] > epoch:
            return min(offset, s.log_end[follower])
    return s.high_watermark[follower]


def epoch_start(s: Partition, leader: Replica) -> int:
    """Where the leader's own epoch starts in its log: at its first record of it, else at the log end."""
    for offset in s.each(Offset):
        if s.record_epoch[leader][offset] != NONE and s.record_epoch[leader][offset] == s.epoch[leader]:
            return offset
    return s.log_end[leader]
