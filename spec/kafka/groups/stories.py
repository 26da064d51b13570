"""The sentence of each violation: which record or partition, who had it, and since when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neverlost.model.core import NONE
from neverlost.model.kafka.groups.offsets import passed_over, starts_at
from neverlost.model.kafka.groups.state import Group, Member, Offset, Partition, Reset, Standing, Times


def _member(member: int) -> str:
    return f"m{member + 1}"


def _record(partition: int, offset: int) -> str:
    return f"the record at offset {offset} of p{partition + 1}"


def skipped(states: Sequence[Group]) -> str:
    """Which record nobody has processed, who had it, and why the next owner begins behind it."""
    last = states[-1]
    for partition in last.each(Partition):
        for offset in last.each(Offset):
            if last.processed[partition][offset] == Times.NEVER and passed_over(last, partition, offset):
                why = _begins_behind(states, partition, offset)
                return f"Skipped: nobody has processed {_record(partition, offset)}. {_in_hand(states, partition, offset)}{why}"
    return ""


def _in_hand(states: Sequence[Group], partition: Partition, offset: int) -> str:
    """Who was given a record by poll, and when."""
    for n, s in enumerate(states):
        for member in s.each(Member):
            if s.owned[member][partition] and s.done[member][partition] <= offset < s.position[member][partition]:
                return f"{_member(member)} polled it at step {n} and did not come to process it. "
    return ""


def _begins_behind(states: Sequence[Group], partition: Partition, offset: int) -> str:
    last = states[-1]
    begins = starts_at(last, partition)
    if begins != last.committed[partition]:
        reset = Reset.names[last.reset]
        return f"Nothing valid is committed, and with auto.offset.reset={reset} the partition is read from offset {begins} on."
    since = len(states) - 1
    while since and states[since - 1].committed[partition] > offset:
        since -= 1
    return f"Offset {begins} is committed since step {since}, so its next owner begins behind it."


def _processings(states: Sequence[Group], partition: int, offset: int) -> Iterator[str]:
    """By whom a record was processed, and at which step, each time."""
    for n in range(1, len(states)):
        before, after = states[n - 1], states[n]
        if after.processed[partition][offset] > before.processed[partition][offset]:
            doers = [
                m
                for m in after.each(Member)
                if _has(before, m, partition, offset) and not _has(after, m, partition, offset)
            ]
            yield f"{f'by {_member(doers[0])} ' if doers else ''}at step {n}"


def _has(s: Group, member: int, partition: int, offset: int) -> bool:
    return s.done[member][partition] <= offset < s.position[member][partition]


def repeated(states: Sequence[Group]) -> str:
    """Which record was processed twice, by whom."""
    last = states[-1]
    for partition in last.each(Partition):
        for offset in last.each(Offset):
            if last.processed[partition][offset] == Times.AGAIN:
                times = ", and again ".join(_processings(states, partition, offset))
                return f"Repeated: {_record(partition, offset)} was processed {times}."
    return ""


def went_back(states: Sequence[Group]) -> str:
    """Which committed offset went back."""
    before, last = states[-2], states[-1]
    for partition in last.each(Partition):
        new, old = last.committed[partition], before.committed[partition]
        if 0 <= new < old:
            return (
                f"Went back: the committed offset of p{partition + 1} goes from {old} to {new} at step {len(states) - 1}, so its"
                " next owner reads again what was committed as processed."
            )
    return ""


def two_owners(states: Sequence[Group]) -> str:
    """Which partition has two members as owners in the coordinator's view."""
    last = states[-1]
    for partition in last.each(Partition):
        owners = [m for m in last.each(Member) if last.owned[m][partition] and last.standing[m] != Standing.UNKNOWN]
        if len(owners) > 1:
            return f"Two owners: {_both(owners)} own p{partition + 1}, and both are in the group."
    return ""


def two_readers(states: Sequence[Group]) -> str:
    """Which partition two running consumers believe to be their own, and to whom the coordinator has given it."""
    last = states[-1]
    for partition in last.each(Partition):
        readers = [m for m in last.each(Member) if last.owned[m][partition]]
        if len(readers) > 1:
            given = last.given[partition]
            to = "nobody" if given == NONE else _member(given)
            return f"Two readers: {_both(readers)} believe that p{partition + 1} is their own; the coordinator has given it to {to}."
    return ""


def _both(members: Sequence[int]) -> str:
    return " and ".join(map(_member, members))


def refused(states: Sequence[Group]) -> str:
    """Whose commit was refused although it keeps the partition."""
    before, last = states[-2], states[-1]
    for member in before.each(Member):
        partition = before.sent[member][0]
        if partition != NONE and before.sent[member][1] == NONE and last.sent[member][0] == NONE:
            offset = before.sent_offset[member][0]
            if last.owned[member][partition] and last.committed[partition] != offset:
                return (
                    f"Refused: the commit of offset {offset} of p{partition + 1} by {_member(member)} is refused at step"
                    f" {len(states) - 1}, and the partition stays with {_member(member)}."
                )
    return ""
