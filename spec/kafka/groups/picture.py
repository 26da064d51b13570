"""How runs of a consumer group are drawn: the coordinator, a lane for each member, and what a reader must not overlook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neverlost.model.core import NONE, LaneView, Note, Picture
from neverlost.model.kafka.groups.offsets import passed_over
from neverlost.model.kafka.groups.record import is_fenced
from neverlost.model.kafka.groups.state import Group, Member, Partition, Protocol, Standing, Times

FAULT_WORDS = {
    "crash": "CRASH",
    "fail": "PROCESSING FAILS, CLOSES",
    "leave": "CLOSES",
    "expel": "EXPELLED",
    "expire": "OFFSETS EXPIRE",
    "expire_early": "OFFSETS EXPIRE",
    "move_coordinator": "COORDINATOR MOVES, COMMIT LOST",
    "roll_back": "COMMIT LOST",
    "truncate": "TRUNCATED",
    "remove": "REMOVED BY RETENTION",
    "add_partition": "PARTITION ADDED",
    "fail_commit": "COMMIT FAILS",
    "take_unseen": "HEARTBEAT FAILS",
    "repeat_commit": "COMMIT FAILS, REPEATED WITH NEWER POSITIONS",
    "fail_after_write": "COMMIT WRITTEN, ANSWERED WITH AN ERROR",
    "load_log": "COORDINATOR MOVES, LOADS ITS LOG",
    "move_under_commit": "COORDINATOR MOVES, COMMIT REFUSED",
    "forget_generation": "COORDINATOR MOVES, GENERATION LOST",
    "heartbeat_forgotten": "COORDINATOR MOVES, ASSIGNMENT LOST",
}


def coordinator(s: Group) -> LaneView:
    """The coordinator: the generation or epoch, who has which partition, what is committed."""
    called = "epoch" if s.protocol == Protocol.CONSUMER else "generation"
    doing = ", rebalancing" if s.rebalancing else ""
    lines = [
        f"p{p + 1}: {f'committed {s.committed[p]}' if s.committed[p] != NONE else 'nothing committed'}"
        + (f", {s.unseen[p]} in the log" if s.unseen[p] != NONE else "")
        + (f", of m{s.given[p] + 1}" if s.given[p] != NONE else "")
        for p in range(len(s.exists))
        if s.exists[p]
    ]
    return LaneView(role=f"{called} {s.generation}{doing}", lines=tuple(lines))


def source(s: Group) -> LaneView:
    """The partitions: how many records each has, and how often each was processed."""
    lines = [
        f"p{p + 1}: {', '.join(Times.names[s.processed[p][o]] for o in range(s.start[p], s.end[p])) or 'empty'}"
        for p in range(len(s.exists))
        if s.exists[p]
    ]
    return LaneView(role="processed", lines=tuple(lines))


def member(s: Group, m: int) -> LaneView:
    """A member: what it owns, where it reads, what it has in hand, and what the coordinator takes it for."""
    role = Standing.names[s.standing[m]] if s.up[m] else "not running"
    if s.up[m] and any(is_fenced(s, member) for member in s.each(Member) if member == m):
        role = f"of {'an epoch' if s.protocol == Protocol.CONSUMER else 'a generation'} that is lost"
    if s.up[m] and s.standing[m] == Standing.UNKNOWN:
        role = "not in the group"
    return LaneView(role=role, lines=tuple(_owned(s, m)), alive=s.up[m])


def _owned(s: Group, m: int) -> Iterator[str]:
    for p in range(len(s.exists)):
        if s.owned[m][p] or s.done[m][p] < s.position[m][p]:
            in_hand = f", in hand from {s.done[m][p]}" if s.done[m][p] < s.position[m][p] else ""
            yield f"{'owns' if s.owned[m][p] else 'gave up'} p{p + 1}, position {s.position[m][p]}{in_hand}"


def notes(name: str, arguments: Mapping[str, int], before: Group, after: Group) -> Sequence[Note]:
    """What a reader of the picture must not overlook."""
    return list(_notes(before, after))


def _notes(before: Group, after: Group) -> Iterator[Note]:
    for p in after.each(Partition):
        for o in range(after.end[p]):
            if _skipped(after, p, o) and not _skipped(before, p, o):
                yield Note(text=f"the record {o} of p{p + 1} is passed over", bad=True)
            if after.processed[p][o] == Times.AGAIN != before.processed[p][o]:
                yield Note(text=f"the record {o} of p{p + 1} is processed again", bad=True)
        if after.committed[p] < before.committed[p]:
            yield Note(text=f"the committed offset of p{p + 1} goes back", bad=True)
        readers = [m for m in after.each(Member) if after.owned[m][p]]
        if len(readers) > 1 and sum(1 for m in before.each(Member) if before.owned[m][p]) < 2:
            yield Note(text=f"two members believe that p{p + 1} is their own", bad=True)


def _skipped(s: Group, p: Partition, o: int) -> bool:
    return o < s.end[p] and s.processed[p][o] == Times.NEVER and passed_over(s, p, o)


PICTURE = Picture(
    lanes={"coordinator": coordinator, "partitions": source},
    members=Member,
    member=member,
    faults=FAULT_WORDS,
    notes=notes,
)
