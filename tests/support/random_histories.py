"""Histories of a log that works, at random; and changes to them that plant one anomaly each."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

from written_histories import Op, assign, op, poll, send

PARTITIONS, PRODUCERS, READERS = 2, 3, 2
FIRST_READER = 100


@dataclass
class Record:
    """A value in the log: where, and how it was sent."""

    partition: int
    offset: int
    value: int
    outcome: str


@dataclass
class Run:
    """A history, and the truth behind it: the log of each partition, and the values that were refused."""

    operations: list[Op] = field(default_factory=list)
    logs: dict[int, list[Record]] = field(default_factory=lambda: {p: [] for p in range(PARTITIONS)})
    refused: list[tuple[int, int]] = field(default_factory=list)

    @property
    def records(self) -> list[Record]:
        return [record for log in self.logs.values() for record in log]

    def reads(self, record: Record) -> list[tuple[int, list[list[int]]]]:
        """Where a record was read: the number of the operation, and the pairs that it got of the partition."""
        pair = [record.offset, record.value]
        return [
            (number, pairs)
            for number, operation in enumerate(self.operations)
            if operation["f"] == "poll" and operation["type"] == "ok"
            for pairs in [operation["value"][0][1].get(str(record.partition), [])]
            if pair in pairs
        ]

    def completion(self, record: Record) -> int:
        """The number of the operation that answered the send of a record."""
        return next(n for n, one in enumerate(self.operations) if one["type"] != "invoke" and _sends(one, record))

    def invocation(self, record: Record) -> int:
        return next(n for n, one in enumerate(self.operations) if one["type"] == "invoke" and _sends(one, record))


def _sends(operation: Op, record: Record) -> bool:
    if operation["f"] != "send":
        return False
    _, partition, sent = operation["value"][0]
    value = sent[1] if isinstance(sent, list) else sent
    return bool(partition == record.partition and value == record.value)


class Simulation:
    """Producers and readers that overlap, on a log that does what it should; offsets have gaps, as those of transactions do."""

    def __init__(self, random: Random) -> None:
        self.random, self.run = random, Run()
        self.value, self.fresh = 0, PRODUCERS
        self.producers: list[tuple[int, Any]] = [(number, None) for number in range(PRODUCERS)]
        self.positions: dict[tuple[int, int], int] = {}
        self.polling: dict[int, tuple[int, list[list[int]] | None]] = {}
        self.late: list[tuple[int, int]] = []

    def steps(self, count: int) -> Run:
        for _ in range(count):
            choice = self.random.random()
            if choice < 0.6:
                self._produce(self.random.randrange(PRODUCERS))
            elif choice < 0.95:
                self._read(FIRST_READER + self.random.randrange(READERS))
            elif self.late:
                self._append(*self.late.pop(), "info")
        return self.run

    def _append(self, partition: int, value: int, outcome: str) -> Record:
        log = self.run.logs[partition]
        offset = (log[-1].offset + 1 if log else 0) + (self.random.random() < 0.2)
        record = Record(partition, offset, value, outcome)
        log.append(record)
        return record

    def _produce(self, number: int) -> None:
        process, begun = self.producers[number]
        if begun is None:
            partition = self.random.randrange(PARTITIONS)
            self.value += 1
            outcome = self.random.choices(("ok", "info", "fail"), (8, 1, 1))[0]
            at_once = outcome == "ok" and self.random.random() < 0.5
            record = self._append(partition, self.value, outcome) if at_once else None
            self.producers[number] = (process, (partition, self.value, outcome, record))
            self.run.operations.append(op("invoke", "send", process, [["send", partition, self.value]]))
            return
        partition, value, outcome, record = begun
        self.producers[number] = (process, None)
        if outcome == "ok":
            record = record or self._append(partition, value, outcome)
            offset = record.offset if self.random.random() < 0.9 else None
            self.run.operations.append(op("ok", "send", process, [["send", partition, [offset, value]]]))
            return
        if outcome == "fail":
            self.run.refused.append((partition, value))
        else:
            self.fresh += 1
            self.producers[number] = (self.fresh, None)
            if self.random.random() < 0.5:
                self.late.append((partition, value))
        self.run.operations.append(op(outcome, "send", process, [["send", partition, value]]))

    def _read(self, process: int) -> None:
        if process not in self.polling:
            if self.random.random() < 0.1:
                # The reader keeps its position in partition 0, unless it goes back to the beginning.
                back = self.random.random() < 0.5
                more = {"seek-to-beginning?": True} if back else {}
                self.run.operations += [one | more for one in assign(process, 0)]
                kept = {} if back else {(process, 0): self.positions.get((process, 0), 0)}
                self.positions = {key: at for key, at in self.positions.items() if key[0] != process} | kept
                return
            partition = self.random.randrange(PARTITIONS)
            got = self._fetch(process, partition) if self.random.random() < 0.5 else None
            self.polling[process] = (partition, got)
            self.run.operations.append(op("invoke", "poll", process, [["poll"]]))
            return
        partition, got = self.polling.pop(process)
        pairs = self._fetch(process, partition) if got is None else got
        self.run.operations.append(op("ok", "poll", process, [["poll", {str(partition): pairs}]]))

    def _fetch(self, process: int, partition: int) -> list[list[int]]:
        at = self.positions.get((process, partition), 0)
        found = [record for record in self.run.logs[partition] if record.offset >= at][: self.random.randrange(5)]
        if found:
            self.positions[process, partition] = found[-1].offset + 1
        return [[record.offset, record.value] for record in found]


def working_run(random: Random, steps: int = 120) -> Run:
    """A history without an anomaly."""
    return Simulation(random).steps(steps)


def read_again(run: Run, partition: int, *more: tuple[int, int]) -> None:
    """A new reader gets the whole log of a partition, and more after it."""
    process = FIRST_READER + READERS + len(run.operations)
    pairs = [(record.offset, record.value) for record in run.logs[partition]]
    run.operations += poll(process, partition, *pairs, *more)


Planted = tuple[Run, dict[str, list[int]]] | None
"""A history with an anomaly, and the values that should be found, by kind; None if there is no place for it."""


def plant_lost(run: Run, random: Random) -> Planted:
    """Nobody gets a record that was acknowledged."""
    run = copy.deepcopy(run)
    high = {p: max((r.offset for r in log if run.reads(r)), default=-1) for p, log in run.logs.items()}
    acknowledged = [r for r in run.records if r.outcome == "ok" and r.offset < high[r.partition]]
    with_offset = [r for r in acknowledged if _acknowledged_at(run, r) is not None]
    if not with_offset:
        return None
    lost = random.choice(with_offset)
    for _, pairs in run.reads(lost):
        pairs.remove([lost.offset, lost.value])
    return run, {"lost": [lost.value]}


def _acknowledged_at(run: Run, record: Record) -> int | None:
    answers = [one for one in run.operations if one["type"] == "ok" and _sends(one, record)]
    return answers[0]["value"][0][2][0] if answers else None


def plant_vanished(run: Run, random: Random) -> Planted:
    """A new reader passes by a record that was read before."""
    run = copy.deepcopy(run)
    middle = [r for log in run.logs.values() for r in log[1:-1] if run.reads(r)]
    if not middle:
        return None
    gone = random.choice(middle)
    read_again(run, gone.partition)
    run.reads(gone)[-1][1].remove([gone.offset, gone.value])
    return run, {"vanished": [gone.value]}


def plant_replaced(run: Run, random: Random) -> Planted:
    """A new reader gets another value in the place of a record that was read before."""
    run = copy.deepcopy(run)
    known = [r for r in run.records if run.reads(r)]
    if not known:
        return None
    gone = random.choice(known)
    read_again(run, gone.partition)
    pairs = run.reads(gone)[-1][1]
    pairs[pairs.index([gone.offset, gone.value])] = [gone.offset, 10_000]
    return run, {"vanished": [gone.value], "inconsistent": [gone.value], "unsent": [10_000]}


def plant_duplicated(run: Run, random: Random) -> Planted:
    """A record lies in the log once more."""
    run = copy.deepcopy(run)
    if not run.records:
        return None
    twice = random.choice(run.records)
    read_again(run, twice.partition, (run.logs[twice.partition][-1].offset + 1, twice.value))
    return run, {"duplicated": [twice.value]}


def plant_reordered(run: Run, random: Random) -> Planted:
    """Two records change places, of which one was acknowledged before the other was sent."""
    run = copy.deepcopy(run)
    pairs = [
        (one, other)
        for log in run.logs.values()
        for one, other in pairwise(log)
        if one.outcome == "ok" and other.outcome != "info" and _complete(run, one) < run.invocation(other)
        if all(number > run.invocation(other) for number, _ in run.reads(one))
    ]
    if not pairs:
        return None
    one, other = random.choice(pairs)
    read_again(run, one.partition)
    swapped = {one.value: other.value, other.value: one.value}
    places = {one.value: other.offset, other.value: one.offset}
    for operation in run.operations:
        if operation["f"] == "poll" and operation["type"] == "ok":
            for pair in operation["value"][0][1].get(str(one.partition), []):
                pair[1] = swapped.get(pair[1], pair[1])
        elif operation["f"] == "send" and isinstance(sent := operation["value"][0][2], list) and sent[0] is not None:
            sent[0] = places.get(sent[1], sent[0])
    return run, {"reordered": [one.value]}


def _complete(run: Run, record: Record) -> int:
    try:
        return run.completion(record)
    except StopIteration:
        return len(run.operations)


def plant_read_twice(run: Run, random: Random) -> Planted:
    """A reader gets a record twice in a row."""
    run = copy.deepcopy(run)
    known = [r for r in run.records if run.reads(r)]
    if not known:
        return None
    twice = random.choice(known)
    pairs = random.choice(run.reads(twice))[1]
    pairs.insert(pairs.index([twice.offset, twice.value]), [twice.offset, twice.value])
    return run, {"reordered": [twice.value]}


def plant_elsewhere(run: Run, random: Random) -> Planted:
    """The producer got another offset than the one at which the record is read."""
    run = copy.deepcopy(run)
    known = [r for r in run.records if r.outcome == "ok" and run.reads(r) and _acknowledged_at(run, r) is not None]
    if not known:
        return None
    moved = random.choice(known)
    run.operations[run.completion(moved)]["value"][0][2][0] = 10_000
    return run, {"inconsistent": [moved.value]}


def plant_skipped(run: Run, random: Random) -> Planted:
    """A reader passes by a record that another reader gets later."""
    run = copy.deepcopy(run)
    middle = [r for log in run.logs.values() for r in log[1:-1] if not run.reads(r)]
    if not middle:
        return None
    missed = random.choice(middle)
    read_again(run, missed.partition)
    run.reads(missed)[-1][1].remove([missed.offset, missed.value])
    read_again(run, missed.partition)
    return run, {"skipped": [missed.value]}


def plant_unsent(run: Run, random: Random) -> Planted:
    """A record is read that nobody sent, or that was sent to another partition."""
    run = copy.deepcopy(run)
    elsewhere = [r.value for r in run.logs[1]] + [10_000]
    value = random.choice(elsewhere)
    log = run.logs[0]
    read_again(run, 0, (log[-1].offset + 1 if log else 0, value))
    return run, {"unsent": [value]}


def plant_early(run: Run, random: Random) -> Planted:
    """A record is read before it is sent."""
    run = copy.deepcopy(run)
    if not run.records:
        return None
    early = random.choice(run.records)
    run.operations[:0] = poll(FIRST_READER + READERS, early.partition, (early.offset, early.value))
    read_again(run, early.partition)
    return run, {"unsent": [early.value]}


def plant_second_copy_elsewhere(run: Run, random: Random) -> Planted:
    """A value was sent twice; the copy that was acknowledged is gone, and the other one is there."""
    run = copy.deepcopy(run)
    partition = random.randrange(PARTITIONS)
    end = run.logs[partition][-1].offset + 1 if run.logs[partition] else 0
    run.operations += send(PRODUCERS + 1_000, partition, 10_000, end, "ok")
    run.operations += send(PRODUCERS + 1_001, partition, 10_000, None, "info")
    read_again(run, partition, (end + 1, 10_000))
    return run, {"inconsistent": [10_000]}


def plant_refused(run: Run, random: Random) -> Planted:
    """A record is read that was refused, as the producer knows."""
    run = copy.deepcopy(run)
    if not run.refused:
        return None
    partition, value = random.choice(run.refused)
    log = run.logs[partition]
    read_again(run, partition, (log[-1].offset + 1 if log else 0, value))
    return run, {"refused-yet-read": [value]}


PLANTS = {
    "lost": plant_lost,
    "vanished": plant_vanished,
    "replaced": plant_replaced,
    "duplicated": plant_duplicated,
    "reordered": plant_reordered,
    "read twice": plant_read_twice,
    "acknowledged elsewhere": plant_elsewhere,
    "refused": plant_refused,
    "skipped": plant_skipped,
    "unsent": plant_unsent,
    "read before it was sent": plant_early,
    "second copy elsewhere": plant_second_copy_elsewhere,
}
