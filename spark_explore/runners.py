"""Where the tasks of a level run: in the driver, for small levels, or on Spark."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from neverlost.explorer.engine import Stopped

from .candidates import LevelWork, Piece, Table, expand, merge
from .session import SparkError, spark_session
from .tables import Words

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Notes = list[dict[str, Any]]
Watching = Callable[[float], None]
"""Called again and again while a level runs, with the share of it that is done; may raise Stopped."""

POLL_SECONDS = 0.02
PIECE_ROWS = 1 << 19
"""States of the frontier for one task, where there are enough of them: more tasks than cores let none of these wait for long."""


@dataclass(frozen=True, kw_only=True)
class LevelRun:
    """What the tasks of a level told, and what went between them."""

    notes: Notes
    shuffled_bytes: int


def pieces_of(rows: Sequence[int], tasks: int) -> list[list[Piece]]:
    """The frontier, given its states by shard, cut into as many lists of about the same size."""
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
    """Runs the tasks in threads of this process: what a small level costs, Spark takes to plan it."""

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
    return list(expand(work, pieces))


def _merged(work: LevelWork, shard: int, boxes: Sequence[Words]) -> dict[str, Any]:
    table = Table(work.table_kernel)
    for box in boxes:
        table.gather_box(box)
    return merge(work, shard, table)


class SparkRunner:
    """Runs the tasks as one Spark job of two stages: candidates are made, shuffled once by shard, and merged into what is known."""

    name = "spark"

    def __init__(self, master: str) -> None:
        started = time.perf_counter()
        self.session: SparkSession = spark_session(master)
        self.context = self.session.sparkContext
        self.workers = self.context.defaultParallelism
        self.seconds = time.perf_counter() - started
        self.jobs = 0

    def run(self, work: LevelWork, watching: Watching) -> LevelRun:
        """Make the next level."""
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
        return LevelRun(notes=[json.loads(row[0]) for row in answer], shuffled_bytes=self._shuffled_bytes(group))

    def _collect(self, work: LevelWork, pieces: Sequence[Sequence[Piece]], group: str, answer: list[Any]) -> None:
        try:
            self.context.setJobGroup(group, f"level {work.level + 1}", interruptOnCancel=False)
            tasks = self.session.range(0, len(pieces), 1, len(pieces))
            candidates = tasks.mapInArrow(expanding(work, pieces), "shard int, notes string, box binary")
            shards = candidates.repartitionById(work.shards, "shard")
            answer += shards.mapInArrow(merging(work), "notes string").collect()
        except Exception as error:  # it is raised again in the thread that waits
            answer.insert(0, error)

    def _share_done(self, group: str) -> float:
        tracker = self.context.statusTracker()
        stages = [
            info
            for job in tracker.getJobIdsForGroup(group)
            if (told := tracker.getJobInfo(job)) is not None
            for stage in told.stageIds
            if (info := tracker.getStageInfo(stage)) is not None
        ]
        total = sum(info.numTasks for info in stages)
        return sum(info.numCompletedTasks for info in stages) / total if total else 0.0

    def _shuffled_bytes(self, group: str) -> int:
        """What Spark counted of the shuffle."""
        tracker, store = self.context.statusTracker(), self.context._jsc.sc().statusStore()  # type: ignore[union-attr]
        stages = [s for job in tracker.getJobIdsForGroup(group) if (told := tracker.getJobInfo(job)) for s in told.stageIds]
        return sum(int(store.lastStageAttempt(stage).shuffleWriteBytes()) for stage in stages)


def _cause(error: Exception) -> str:
    """The last line of what a task said, or else the first of what Spark says."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if line.lstrip().split(":")[0].endswith(("Error", "Exception")) and "spark" not in line[:30]]
    return (said or lines or [type(error).__name__])[0].strip()


Batches = Iterator["pa.RecordBatch"]


def expanding(work: LevelWork, pieces: Sequence[Sequence[Piece]]) -> Callable[[Batches], Batches]:
    """The first stage, for `mapInArrow`: candidates in blocks, one for each shard, and at the end the notes of the task."""

    def task(batches: Batches) -> Batches:
        import pyarrow as pa

        prepare_executor(work)
        for batch in batches:
            for number in batch.column(0).to_numpy():
                for made in expand(work, pieces[number]):
                    shard, notes, box = (0, json.dumps(made), None) if isinstance(made, dict) else (made[0], None, made[1])
                    yield pa.RecordBatch.from_arrays(
                        [pa.array([shard], pa.int32()), pa.array([notes], pa.string()), _box_array(box)],
                        names=["shard", "notes", "box"],
                    )

    return task


def _box_array(box: Words | None) -> pa.Array:
    """A block as a column of one binary value that shares its memory."""
    import pyarrow as pa

    if box is None:
        return pa.array([None], pa.binary())
    offsets = pa.py_buffer(np.array([0, box.nbytes], np.int32))
    return pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(box)])


def merging(work: LevelWork) -> Callable[[Batches], Batches]:
    """The second stage, for `mapInArrow`: a task gets all candidates of its shard, and reads what the shard knows from its files."""

    def task(batches: Batches) -> Batches:
        import pyarrow as pa

        prepare_executor(work)
        tables: dict[int, Table] = {}
        told: list[str] = []
        for batch in batches:
            shards, notes, boxes = (batch.column(k) for k in range(3))
            for row in range(batch.num_rows):
                if notes[row].is_valid:
                    told.append(notes[row].as_py())
                    continue
                shard = shards[row].as_py()
                if shard not in tables:
                    tables[shard] = Table(work.table_kernel)
                tables[shard].gather_box(np.frombuffer(boxes[row].as_buffer(), np.int64))
        told += [json.dumps(merge(work, shard, table)) for shard, table in tables.items()]
        yield pa.RecordBatch.from_arrays([pa.array(told, pa.string())], names=["notes"])

    return task


def prepare_executor(work: LevelWork) -> None:
    """Name the cache of kernels: what one executor compiles, the others find there."""
    os.environ.setdefault("NEVERLOST_CACHE", work.cache)
