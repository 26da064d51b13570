"""How runs of the quorum are drawn: a lane for each controller, one for the partition, and what a reader must not overlook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neverlost.model.core import NONE, Cell, LaneView, Note, Picture
from neverlost.model.kafka.quorum.state import Controller, Decision, Quorum, Role

from .properties import leaders, name_of

FAULT_WORDS = {
    "crash": "CRASH",
    "power_loss": "POWER LOSS",
    "disk_loss": "DIRECTORY LOST",
    "quorum_state_loss": "QUORUM-STATE DELETED",
    "restore_copy": "OLDER COPY RESTORED",
    "borrow_copy": "COPY OF ANOTHER'S",
}


def partition(s: Quorum) -> LaneView:
    """The partition, as the brokers b1 and b2 learn of it from what is committed."""
    known = [Decision.names[d] for d in s.committed_decision if d != NONE]
    lines = [f"committed: {', '.join(known)}"] if known else []
    lines += ["b1 has acknowledged a record that only b1 has"] if s.acknowledged else []
    lines += ["b2 leads without it"] if s.record_lost else []
    return LaneView(lines=tuple(lines))


def controller(s: Quorum, one: int) -> LaneView:
    """A controller: its state and epoch, whom it has voted for, its log and its high watermark."""
    lines = [f"has voted for {name_of(s, s.voted[one])}"] if s.voted[one] not in (NONE, one) else []
    lines += [f"directory {s.directory[one]}"] if s.directory[one] else []
    cells = tuple(
        Cell(record=None if decision == NONE else int(decision), epoch=int(epoch))
        for decision, epoch in zip(s.log_decision[one], s.log_epoch[one], strict=True)
    )
    return LaneView(
        role=f"{Role.names[s.role[one]]}, epoch {s.epoch[one]}" if s.up[one] else "down",
        lines=tuple(lines),
        alive=bool(s.up[one]),
        slots=len(s.log_epoch[one]),
        cells=cells[: s.log_end[one]],
        high_watermark=s.high_watermark[one],
    )


def notes(name: str, arguments: Mapping[str, int], before: Quorum, after: Quorum) -> Sequence[Note]:
    """Who leads beside whom, who leads without what was committed, what was replaced, and what is lost by it."""
    found = []
    if len(leaders(after)) > 1 and leaders(after) != leaders(before):
        named = " and ".join(f"{name_of(after, c)} (epoch {after.epoch[c]})" for c in leaders(after))
        same = len({int(after.epoch[c]) for c in leaders(after)}) == 1
        found.append(Note(text=f"{named} believe that they lead.", bad=same))
    if after.committed_end > before.committed_end:
        found.append(Note(text=f"Committed up to offset {after.committed_end}.", bad=False))
    if after.replaced and not before.replaced:
        found.append(Note(text="What was committed there is replaced.", bad=True))
    if after.record_lost and not before.record_lost:
        found.append(Note(text="b2 leads, cleanly, and does not have the record that b1 acknowledged.", bad=True))
    if name == "fetch" and before.up[arguments["controller"]] and not after.up[arguments["controller"]]:
        ended = name_of(after, arguments["controller"])
        found.append(Note(text=f"{ended} has to cut below its high watermark, and ends.", bad=True))
    return found


PICTURE = Picture(
    lanes={"partition": partition},
    members=Controller,
    member=controller,
    faults=FAULT_WORDS,
    notes=notes,
)
