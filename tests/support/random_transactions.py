"""Histories of transactions and a group at random, as Jepsen's workload writes them, on partitions that work or have one fault."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from random import Random
from typing import Any

from written_histories import Op, op

PARTITIONS, WORKERS, AUDITORS = 3, 4, 1
FIRST_AUDITOR = 1_000
OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"


@dataclass
class Record:
    """A record in a partition, and what its marker made of it."""

    offset: int
    value: int
    fate: str = OPEN


@dataclass
class Consumer:
    """Where a client reads: a member of the group, or one that assigned itself all partitions."""

    in_group: bool
    position: dict[int, int] = field(default_factory=dict)


@dataclass
class Worker:
    """A client, with the operation that it is in: what it asked, what it has done, and where it began to read in it."""

    process: int
    consumer: Consumer
    asked: list[Any] = field(default_factory=list)
    done: list[Any] = field(default_factory=list)
    written: list[tuple[int, Record]] = field(default_factory=list)
    began: dict[int, int] = field(default_factory=dict)
    rebalances: list[Any] = field(default_factory=list)
    busy: bool = False


class Simulation:
    """Clients that overlap. Markers come one by one, after the answer or before; a partition moves when its member has given it up.

    `tears`: of some transactions one partition gets the marker of an abort. `dirty`: readers do not wait for markers. `jumps`: what an
    aborted transaction read is not read again. `shares`: a partition moves though its member does not know.
    """

    def __init__(self, random: Random, *, fault: str = "") -> None:
        self.random, self.fault = random, fault
        self.operations: list[Op] = []
        self.logs: dict[int, list[Record]] = defaultdict(list)
        self.ends: dict[int, int] = defaultdict(int)
        self.markers: list[tuple[int, list[Record], str]] = []
        self.value, self.fresh = 0, WORKERS
        self.committed: dict[int, int] = defaultdict(int)
        self.owner: dict[int, Worker | None] = dict.fromkeys(range(PARTITIONS))
        self.wanted: dict[int, Worker | None] = dict.fromkeys(range(PARTITIONS))
        self.workers = [self._started(number) for number in range(WORKERS)]
        self.auditor = Worker(FIRST_AUDITOR, Consumer(False, dict.fromkeys(range(PARTITIONS), 0)))
        self.operations += [op(kind, "assign", FIRST_AUDITOR, list(range(PARTITIONS))) for kind in ("invoke", "ok")]

    def _started(self, process: int) -> Worker:
        worker = Worker(process, Consumer(True))
        self.operations += [op(kind, "subscribe", process, list(range(PARTITIONS))) for kind in ("invoke", "ok")]
        return worker

    def steps(self, count: int) -> list[Op]:
        for _ in range(count):
            choice = self.random.random()
            if choice < 0.7:
                self._work(self.random.choice(self.workers))
            elif choice < 0.85 and self.markers:
                self._mark(self.markers.pop(self.random.randrange(len(self.markers))))
            elif choice < 0.9:
                self.wanted[self.random.randrange(PARTITIONS)] = self.random.choice(self.workers)
            else:
                self._audit()
        while self.markers:
            self._mark(self.markers.pop())
        self._audit()
        return self.operations

    def _work(self, worker: Worker) -> None:
        if not worker.busy:
            self._begin(worker)
        elif worker.asked:
            part = worker.asked.pop(0)
            worker.done.append(self._polled(worker) if part[0] == "poll" else self._sent(worker, part))
        else:
            self._end(worker)

    def _begin(self, worker: Worker) -> None:
        parts: list[Any] = []
        for _ in range(self.random.randint(1, 4)):
            self.value += 1
            is_poll = self.random.random() < 0.4
            parts.append(["poll"] if is_poll else ["send", self.random.randrange(PARTITIONS), self.value])
        worker.busy, worker.asked, worker.done, worker.written = True, parts, [], []
        worker.began, worker.rebalances = {}, []
        kinds = {part[0] for part in parts}
        function = "txn" if len(kinds) > 1 else kinds.pop()
        self.operations.append(op("invoke", function, worker.process, list(parts)))

    def _sent(self, worker: Worker, part: list[Any]) -> list[Any]:
        _, partition, value = part
        record = Record(self.ends[partition], value)
        self.ends[partition] += 1
        self.logs[partition].append(record)
        worker.written.append((partition, record))
        offset = record.offset if self.random.random() < 0.8 else None
        return ["send", partition, [offset, value]]

    def _polled(self, worker: Worker) -> list[Any]:
        self._rebalance(worker)
        pairs = {}
        for partition in worker.consumer.position:
            got = self._fetch(worker.consumer, partition)
            if got:
                worker.began.setdefault(partition, got[0][0])
                pairs[str(partition)] = got
        return ["poll", pairs]

    def _fetch(self, consumer: Consumer, partition: int) -> list[list[int]]:
        stable: list[Record] = []
        for record in self.logs[partition]:
            if record.fate == OPEN and self.fault != "dirty":
                break
            stable.append(record)
        at = consumer.position[partition]
        seen = [r for r in stable if r.offset >= at and (r.fate == COMMITTED or self.fault == "dirty")]
        seen = seen[: self.random.randint(0, 4)]
        if seen:
            consumer.position[partition] = seen[-1].offset + 1
        return [[record.offset, record.value] for record in seen]

    def _rebalance(self, worker: Worker) -> None:
        for partition, wanted in self.wanted.items():
            owner = self.owner[partition]
            if owner is worker and wanted is not worker:
                del worker.consumer.position[partition]
                self.owner[partition] = None
                worker.rebalances.append({"type": "revoked", "keys": [partition]})
            elif wanted is worker and owner is not worker and (owner is None or self.fault == "shares"):
                self.owner[partition] = worker
                worker.consumer.position[partition] = self.committed[partition]
                worker.rebalances.append({"type": "assigned", "keys": [partition]})

    def _end(self, worker: Worker) -> None:
        kind = self.random.choices(("ok", "fail", "info"), (7, 2, 1))[0]
        commits = kind == "ok" or (kind == "info" and self.random.random() < 0.5)
        by_partition: dict[int, list[Record]] = defaultdict(list)
        for partition, record in worker.written:
            by_partition[partition].append(record)
        torn = self.random.choice(list(by_partition)) if commits and len(by_partition) > 1 else None
        for partition, records in by_partition.items():
            is_torn = self.fault == "tears" and partition == torn
            self.markers.append((partition, records, COMMITTED if commits and not is_torn else ABORTED))
        owned = dict(worker.consumer.position)
        if commits:
            self.committed.update(owned)
        function = "txn" if len({part[0] for part in worker.done}) > 1 else worker.done[0][0]
        more = {"rebalance-log": worker.rebalances} if worker.rebalances else {}
        self.operations.append(op(kind, function, worker.process, worker.done, **more))
        worker.busy = False
        if kind != "ok" and self.fault != "jumps":
            for partition, first in worker.began.items():
                if partition in owned:
                    worker.consumer.position[partition] = min(first, self.committed[partition])
        if kind == "info":
            self._crash(worker)

    def _crash(self, worker: Worker) -> None:
        self.fresh += 1
        fresh = self._started(self.fresh)
        self.workers[self.workers.index(worker)] = fresh
        for moves in (self.owner, self.wanted):
            for partition, one in moves.items():
                if one is worker:
                    moves[partition] = None

    def _mark(self, marker: tuple[int, list[Record], str]) -> None:
        partition, records, fate = marker
        for record in records:
            record.fate = fate
        self.ends[partition] += 1

    def _audit(self) -> None:
        self.operations.append(op("invoke", "poll", self.auditor.process, [["poll"]]))
        pairs = {str(p): got for p in range(PARTITIONS) if (got := self._fetch(self.auditor.consumer, p))}
        self.operations.append(op("ok", "poll", self.auditor.process, [["poll", pairs]]))
