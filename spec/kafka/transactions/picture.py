"""How runs of transactions are drawn: producers, coordinator, partitions, and what a reader must not overlook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from neverlost.model.core import EMPTY, NONE, LaneView, Note, Picture
from neverlost.model.kafka.transactions.state import (
    Decision,
    Fate,
    Partition,
    Phase,
    Producer,
    Stage,
    Transactions,
    Way,
)

from .stories import ASKED, named, partition_name, parts, txn_name, txns

FAULT_WORDS = {
    "time_out": "TRANSACTION TIMES OUT",
    "move_coordinator": "COORDINATOR MOVES",
    "move_without_tail": "COORDINATOR MOVES",
    "read_early": "FETCH DURING AN APPEND",
    "expire_producer": "PRODUCER EXPIRES",
    "lose_marker": "MARKER IS LOST",
}


def producers(s: Transactions) -> LaneView:
    """The producers that have started, and what their applications know of their transactions."""
    lines = []
    for producer in range(s.size(Producer)):
        if s.phase[producer] != Phase.NEW:
            epoch = "" if s.epoch[producer] == NONE else f", epoch {s.epoch[producer]}"
            lines.append(f"{Producer.show(producer, s.bounds)}: {Phase.names[s.phase[producer]]}{epoch}")
    lines += [f"{txn_name(s, t)}: {Stage.names[s.stage[t]]}" for t in txns(s) if s.stage[t] != Stage.NOT_BEGUN]
    return LaneView(lines=tuple(lines))


def coordinator(s: Transactions) -> LaneView:
    """The coordinator: its state, the newest epoch, the partitions of the transaction."""
    lines = [] if s.partitions == EMPTY else [f"partitions {named(s, s.partitions)}"]
    epoch = "" if s.newest_epoch == NONE else f", epoch {s.newest_epoch}"
    return LaneView(role=f"{Decision.names[s.state]}{epoch}", lines=tuple(lines))


def partition_lane(s: Transactions, partition: int) -> LaneView:
    """A partition: its records and what readers make of them."""
    lines = []
    for txn in txns(s):
        if s.record[txn][partition] != Fate.ABSENT:
            lines.append(f"{txn_name(s, txn)}: {Fate.names[s.record[txn][partition]]}")
        if s.copy[txn][partition] != Fate.ABSENT:
            lines.append(f"{txn_name(s, txn)} again: {Fate.names[s.copy[txn][partition]]}")
    seen = "knows no producer" if s.seen_epoch[partition] == NONE else f"knows epoch {s.seen_epoch[partition]}"
    return LaneView(role=seen, lines=tuple(lines))


def notes(name: str, arguments: Mapping[str, int], before: Transactions, after: Transactions) -> list[Note]:
    """What is held up, what arrives late, and which records readers see or skip by it."""
    return [*_held_up(name, arguments, after), *_decided(name, before, after), *_ended(before, after)]


def _held_up(name: str, arguments: Mapping[str, int], after: Transactions) -> Iterator[Note]:
    if arguments.get("way") == Way.LATE:
        yield Note(text="It is held up: the sender has no answer, and sends it again.")
    if arguments.get("way") == Way.UNACKNOWLEDGED:
        yield Note(
            text="The coordinator writes it, and another takes its place before the log has acknowledged it: that one has it in its"
            " log, and acts on it. The sender has no answer.",
            bad=True,
        )
    if name.startswith("late_") or name in ("verify_late", "append_late"):
        yield Note(text="It was held up, and arrives now: nobody waits for it any more.", bad=True)


def _decided(name: str, before: Transactions, after: Transactions) -> Iterator[Note]:
    if name == "late_end_arrives":
        yield Note(
            text=f"The coordinator takes it for the end of what is ongoing: {Decision.names[after.state]}.", bad=True
        )
    if name == "move_without_tail":
        yield Note(text="The log of the next coordinator lacks what the one before has acted on.", bad=True)
    if name == "late_add_arrives" and before.state != Decision.ONGOING:
        yield Note(text="The coordinator takes it for the begin of a transaction.", bad=True)


def _ended(before: Transactions, after: Transactions) -> Iterator[Note]:
    for txn in txns(after):
        for p in parts(after):
            where = f"{txn_name(after, txn)} in {partition_name(after, p)}"
            now, was = after.record[txn][p], before.record[txn][p]
            if after.read_early[txn][p] > before.read_early[txn][p]:
                yield Note(text=f"Readers see the record of {where}, which is open.", bad=True)
            if now == Fate.VISIBLE != was:
                asked = after.stage[txn] in (Stage.COMMITTING, Stage.COMMITTED)
                but = "" if asked else f", though its application {ASKED[after.stage[txn]]}"
                yield Note(text=f"Readers see the record of {where}{but}.", bad=not asked)
            if now == Fate.SKIPPED != was:
                bad = after.stage[txn] == Stage.COMMITTED
                yield Note(text=f"Readers skip the record of {where}{', which is committed' if bad else ''}.", bad=bad)
            if was in (Fate.VISIBLE, Fate.SKIPPED) and now == Fate.OPEN:
                yield Note(text=f"The record of {where} is open again.", bad=True)
            if after.copy[txn][p] == Fate.OPEN != before.copy[txn][p]:
                yield Note(text=f"The record of {where} is in the log twice.", bad=True)
        for p in parts(after):
            if after.stage[txn] == Stage.COMMITTED != before.stage[txn] and after.record[txn][p] == Fate.SKIPPED:
                yield Note(
                    text=f"{txn_name(after, txn)} is answered as committed, and its record is skipped.", bad=True
                )


PICTURE = Picture(
    lanes={"producers": producers, "coordinator": coordinator},
    members=Partition,
    member=partition_lane,
    faults=FAULT_WORDS,
    notes=notes,
)
