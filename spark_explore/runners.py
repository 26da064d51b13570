"""Where the tasks of a level run: in the driver, for small levels, or on Spark."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from neverlost.explorer.engines.engine import Stopped

from .boxes import boxes_of, found_in_file, left_in_file, unboxed
from .candidates import LevelWork, Piece, Table, expand, merge
from .session import SparkError, needing_java, spark_session
from .tables import Words

Notes = list[dict[str, Any]]
Sent = dict[str, Any] | bytes
"""What a task of the first stage sends to the task of a shard: a report, the name of a file, or a box."""

Watching = Callable[[float], None]
"""Called repeatedly while a level runs, with the share of it that is done; may raise Stopped."""

POLL_SECONDS = 0.2
"""How often Spark is asked for its progress; each time costs it some milliseconds."""

PIECE_ROWS = 1 << 19
"""States of the frontier for one task, if there are enough: with more tasks than cores, no core waits long."""


@dataclass(frozen=True, kw_only=True)
class LevelRun:
    """The notes of the tasks of a level, and the amount of data between them."""

    notes: Notes
    shuffled_bytes: int


def pieces_of(rows: Sequence[int], tasks: int) -> list[list[Piece]]:
    """The frontier, given its states by shard, divided into lists of about the same size."""
    total = sum(rows)
    cuts = [total * k // tasks for k in range(tasks + 1)]
    found: list[list[Piece]] = [[] for _ in range(tasks)]
    first = 0
    for shard, size in enumerate(rows):
        for task in range(tasks):
            begin, end = max(cuts[task] - first, 0), min(cuts[task + 1] - first, size)
            if begin < end:
                found[task].append(Piece(shard=shard, begin=begin, end=end))
        first += size
    return [pieces for pieces in found if pieces]


class DriverRunner:
    """Runs the tasks in threads of this process: for a small level this takes no longer than Spark's planning."""

    name = "driver"

    def __init__(self) -> None:
        self.workers = os.cpu_count() or 1
        self.pool = ThreadPoolExecutor(self.workers)

    def run(self, work: LevelWork, watching: Watching) -> LevelRun:
        """Make the next level."""
        boxes: list[list[Words]] = [[] for _ in range(work.shards)]
        notes: Notes = []
        pieces = pieces_of(work.rows[work.level], self.workers)
        for made in self._each(partial(_made, work), pieces, watching):
            for one in made:
                if isinstance(one, dict):
                    notes.append(one)
                else:
                    boxes[one[0]].append(one[1])
        owners = [shard for shard, owned in enumerate(boxes) if owned]
        notes += self._each(lambda shard: _merged(work, shard, boxes[shard]), owners, watching)
        return LevelRun(notes=notes, shuffled_bytes=0)

    def _each(self, task: Callable[[Any], Any], items: Sequence[Any], watching: Watching) -> list[Any]:
        found = []
        for future in [self.pool.submit(task, item) for item in items]:
            found.append(future.result())
            watching(len(found) / len(items) / 2)
        return found


def _made(work: LevelWork, pieces: Sequence[Piece]) -> list[tuple[int, Words] | dict[str, Any]]:
    return [made if isinstance(made, dict) else (made[0], made[1].copy()) for made in expand(work, pieces)]


def _merged(work: LevelWork, shard: int, boxes: Sequence[Words]) -> dict[str, Any]:
    table = Table(work.table_kernel, work.expected)
    for box in boxes:
        table.gather_pairs(box)
    return merge(work, shard, table)


class SparkRunner:
    """Runs the tasks as one Spark job of two stages: candidates are made, shuffled once by shard, and merged into the known states."""

    name = "spark"

    def __init__(self, master: str, by_files: bool, alone: bool, work: LevelWork) -> None:
        started = time.perf_counter()
        with needing_java():
            self._start(master, alone, work)
        self.jobs, self.by_files = 0, by_files
        self.seconds = time.perf_counter() - started

    def _start(self, master: str, alone: bool, work: LevelWork) -> None:
        self.context = spark_session(master, alone=alone).sparkContext
        self.workers = self.context.defaultParallelism
        try:
            self.context.parallelize(range(self.workers), self.workers).mapPartitions(_loading(work)).collect()
        except Exception as error:  # Java's errors have no common base class
            raise SparkError(f"the kernels do not load on Spark: {_cause(error)}") from error

    def run(self, work: LevelWork, watching: Watching) -> LevelRun:
        """Make the next level. Raises SparkError if a task fails repeatedly, JavaEndedError if Spark itself has ended."""
        with needing_java():
            return self._run(work, watching)

    def _run(self, work: LevelWork, watching: Watching) -> LevelRun:
        rows = work.rows[work.level]
        rounds = -(-sum(rows) // (PIECE_ROWS * self.workers))
        pieces = pieces_of(rows, self.workers * max(1, rounds))
        self.jobs += 1
        group = f"neverlost-{id(self)}-{self.jobs}"
        answer: list[Any] = []
        thread = threading.Thread(target=self._collect, args=(work, pieces, group, answer), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(POLL_SECONDS)
                watching(self._share_done(group))
        except Stopped:
            self.context.cancelJobGroup(group)
            thread.join()
            raise
        if isinstance(answer[0], Exception):
            raise SparkError(f"level {work.level + 1} failed on Spark: {_cause(answer[0])}") from answer[0]
        return LevelRun(notes=answer, shuffled_bytes=self._shuffled_bytes(group))

    def _collect(self, work: LevelWork, pieces: Sequence[Sequence[Piece]], group: str, answer: list[Any]) -> None:
        try:
            self.context.setJobGroup(group, f"level {work.level + 1}", interruptOnCancel=False)
            tasks = self.context.parallelize(range(len(pieces)), len(pieces))
            candidates = tasks.mapPartitions(expanding(work, pieces, self.by_files))
            answer += candidates.partitionBy(work.shards, int).mapPartitions(merging(work)).collect()
        except Exception as error:  # it is raised again in the thread that waits
            answer.insert(0, error)

    def _share_done(self, group: str) -> float:
        tracker = self.context.statusTracker()
        stages = [
            info
            for job in tracker.getJobIdsForGroup(group)
            if (shown := tracker.getJobInfo(job)) is not None
            for stage in shown.stageIds
            if (info := tracker.getStageInfo(stage)) is not None
        ]
        total = sum(info.numTasks for info in stages)
        return sum(info.numCompletedTasks for info in stages) / total if total else 0.0

    def _shuffled_bytes(self, group: str) -> int:
        """Spark's counts of the shuffle."""
        tracker, store = self.context.statusTracker(), self.context._jsc.sc().statusStore()
        stages = [
            s for job in tracker.getJobIdsForGroup(group) if (shown := tracker.getJobInfo(job)) for s in shown.stageIds
        ]
        return sum(int(store.lastStageAttempt(stage).shuffleWriteBytes()) for stage in stages)


def _cause(error: Exception) -> str:
    """The last line of a task's message, or else the first line of Spark's."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    said = [
        line
        for line in lines
        if line.lstrip().split(":")[0].endswith(("Error", "Exception")) and "spark" not in line[:30]
    ]
    return (said or lines or [type(error).__name__])[0].strip()


def _loading(work: LevelWork) -> Callable[[Iterable[int]], Iterable[int]]:
    """A stage that only loads or compiles the kernels, because this makes an executor's first task slow."""

    def task(numbers: Iterable[int]) -> Iterator[int]:
        prepare_executor(work)
        yield from numbers

    return task


def expanding(
    work: LevelWork, pieces: Sequence[Sequence[Piece]], by_files: bool
) -> Callable[[Iterable[int]], Iterable[tuple[int, Sent]]]:
    """The first stage: boxes of candidates, each with the number of its shard, and at the end the notes of the task."""

    def task(numbers: Iterable[int]) -> Iterator[tuple[int, Sent]]:
        prepare_executor(work)
        for number in numbers:
            for made in expand(work, pieces[number]):
                if isinstance(made, dict):
                    yield 0, {"report": made}
                elif by_files:
                    yield made[0], left_in_file(work, made[1])
                else:
                    yield from ((made[0], box) for box in boxes_of(made[1]))

    return task


def merging(work: LevelWork) -> Callable[[Iterable[tuple[int, Sent]]], Iterable[dict[str, Any]]]:
    """The second stage: a task gets all candidates of its shard, and reads its known states from files."""

    def task(arriving: Iterable[tuple[int, Sent]]) -> Iterator[dict[str, Any]]:
        prepare_executor(work)
        table, owner = None, None
        for shard, sent in arriving:
            if isinstance(sent, dict) and "report" in sent:
                yield sent["report"]
                continue
            if table is None:
                table, owner = Table(work.table_kernel, work.expected), shard
            if shard != owner:
                raise AssertionError("Spark gave the candidates of two shards to one task")
            table.gather_pairs(found_in_file(work, sent) if isinstance(sent, dict) else unboxed(work, sent))
        if table is not None and owner is not None:
            yield merge(work, owner, table)

    return task


def prepare_executor(work: LevelWork) -> None:
    """Load the kernels, or compile them."""
    assert work.kernel.WORDS == work.table_kernel.WORDS
    _freeze_what_is_loaded()


@cache
def _freeze_what_is_loaded() -> None:
    """Spark's workers collect garbage after each task: permanent objects are excluded, which saves 80 ms each time."""
    gc.freeze()
