"""What must hold of a consumer group, and what shows that it is not empty talk."""

from __future__ import annotations

from neverlost.model.core import NONE, always, eventually, sometimes, step_always, suffices
from neverlost.model.kafka.groups.offsets import passed_over
from neverlost.model.kafka.groups.state import Generation, Group, Member, Offset, Partition, Standing, Times

from .stories import refused, repeated, skipped, two_owners, two_readers, went_back


@always("No record is skipped: passed over by whoever reads on, although nobody has processed it.", story=skipped)
def none_skipped(s: Group) -> bool:
    for partition in s.each(Partition):
        for offset in s.each(Offset):
            if s.processed[partition][offset] == Times.NEVER and passed_over(s, partition, offset):
                return False
    return True


@always("No record is processed twice.", story=repeated)
def none_repeated(s: Group) -> bool:
    for partition in s.each(Partition):
        for offset in s.each(Offset):
            if s.processed[partition][offset] == Times.AGAIN:
                return False
    return True


@step_always(
    "A committed offset never goes back. (That it expires, so that there is none, is another matter.)", story=went_back
)
def never_back(before: Group, after: Group) -> bool:
    for partition in before.each(Partition):
        if 0 <= after.committed[partition] < before.committed[partition]:
            return False
    return True


@always("No two members own a partition at a time, in the coordinator's view.", story=two_owners)
def one_owner(s: Group) -> bool:
    for partition in s.each(Partition):
        owning = sum(
            1 for member in s.each(Member) if s.owned[member][partition] and s.standing[member] != Standing.UNKNOWN
        )
        if owning > 1:
            return False
    return True


@always("No two running consumers believe at a time that a partition is their own.", story=two_readers)
def one_reader(s: Group) -> bool:
    for partition in s.each(Partition):
        if sum(1 for member in s.each(Member) if s.owned[member][partition]) > 1:
            return False
    return True


@step_always("No commit is refused while its member keeps the partition.", story=refused)
def keeps_commits(before: Group, after: Group) -> bool:
    for member in before.each(Member):
        partition = before.sent[member][0]
        if partition != NONE and before.sent[member][1] == NONE and after.sent[member][0] == NONE:
            keeps = before.owned[member][partition] and before.given[partition] == member
            stays = after.owned[member][partition] and after.given[partition] == member
            failed = after.commit_failures_left < before.commit_failures_left
            if keeps and stays and not failed and after.committed[partition] != before.sent_offset[member][0]:
                return False
    return True


@sometimes("Every record that there may be is processed and committed.")
def everything_committed(s: Group) -> bool:
    for partition in s.each(Partition):
        if s.exists[partition] and (s.end[partition] < s.size(Offset) or s.committed[partition] < s.end[partition]):
            return False
    return True


@sometimes("A partition has moved to another member, which has processed a record of it.")
def moved(s: Group) -> bool:
    for partition in s.each(Partition):
        for member in s.each(Member):
            if s.owned[member][partition] and s.done[member][partition] > 0 and partition > 0 and member == 0:
                return True
    return False


@sometimes("A commit is refused: its member is in no generation that counts any more.")
def fenced(s: Group) -> bool:
    for member in s.each(Member):
        for partition in s.each(Partition):
            if s.owned[member][partition] and s.done[member][partition] > 0 and s.standing[member] == Standing.UNKNOWN:
                return True
    return False


@suffices("generations", "A generation is left, or nothing asks for one: these bounds hide nothing.")
def generations_suffice(s: Group) -> bool:
    if s.generation + 1 < s.size(Generation):
        return True
    if s.rebalancing:
        return False
    return all(s.up[member] == (s.standing[member] != Standing.UNKNOWN) for member in s.each(Member))


def waits(s: Group) -> bool:
    """Is there a record that nobody has processed?"""
    for partition in s.each(Partition):
        for offset in s.each(Offset):
            if s.start[partition] <= offset < s.end[partition] and s.processed[partition][offset] == Times.NEVER:
                return True
    return False


def nothing_waits(s: Group) -> bool:
    """Is every record processed?"""
    return not waits(s)


FAIR = (
    "poll",
    "reset_position",
    "process",
    "join",
    "complete",
    "sync",
    "join_by_heartbeat",
    "heartbeat",
    "reconcile",
    "expel",
    "discover",
    "restart",
)
"""What goes on by itself, if it can."""


@eventually("Every record is processed in the end.", after=waits, weak=FAIR)
def processed_in_the_end(s: Group) -> bool:
    return nothing_waits(s)
