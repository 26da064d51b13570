"""The compiled engine: generated kernels over packed states, in threads that each own a shard of the visited set."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, ModelError, Packed, Property

from .compile.cache import loaded_kernel
from .compile.generate import kernel_source, numbered_properties, visited_source
from .compile.machine import Kernel
from .compiled_graph import BEYOND, CompiledGraph
from .engine import Stopped, Tally, Tick, at_depth
from .hashing import MASK, state_hash
from .symmetry import Symmetry

Words = npt.NDArray[np.int64]

BOX_ROWS = 1 << 16
"""Successors that a worker computes between two exchanges with the others: enough to outweigh an exchange, few enough for its cache."""

FULLNESS = 0.8
"""The share of an index that is used before it grows."""

GROWTH = 2
FIRST_INDEX = 1 << 12
LARGEST_INDEX = (1 << 32) - 1


class Shard:
    """The states that one worker owns, in the order of discovery, and their index."""

    def __init__(self, visited: Kernel, capacity: int) -> None:
        self.visited = visited
        self.states = _reserved(capacity, visited.WORDS)
        self.count = 0
        self.level_starts = [0]
        self.digest = 0
        self.index = np.zeros(FIRST_INDEX, np.uint32)
        self.places = np.empty(visited.CHUNK, np.int64)
        self.hashes = np.empty(visited.CHUNK, np.uint64)

    @property
    def room(self) -> int:
        """How many states fit before the index must grow."""
        return min(int(len(self.index) * FULLNESS), len(self.states))

    def growth_for(self, more: int) -> int:
        """Bytes that inserting `more` states may allocate for the index."""
        size = len(self.index)
        while self.count + more + self.visited.CHUNK > size * FULLNESS and size < LARGEST_INDEX:
            size *= GROWTH
        return 4 * (size - len(self.index))

    def insert(self, rows: Words, count: int) -> None:
        """Insert the first `count` rows, each unless it is known."""
        begin = 0
        while begin < count:
            begin, self.count, digest = self.visited.insert(
                rows, begin, count, self.states, self.count, self.room, self.index, self.places, self.hashes
            )
            self.digest += int(digest)
            if begin < count:
                self._grow()

    def _grow(self) -> None:
        """Build a larger index. The old one is freed first: the two never exist together."""
        size = min(len(self.index) * GROWTH, LARGEST_INDEX)
        if self.count + self.visited.CHUNK > len(self.states) or size == len(self.index):
            raise Stopped("memory")
        self.index = np.zeros(0, np.uint32)
        self.index = np.zeros(size, np.uint32)
        self.visited.rebuild(self.states, self.count, self.index, self.places, self.hashes)

    def level(self, number: int) -> tuple[int, int]:
        """The range of rows of a level."""
        return self.level_starts[number], self.level_starts[number + 1]


@dataclass
class Worker:
    """One thread's own memory: its counts, and the successors for the owners of the shards."""

    out: Words
    boxes: npt.NDArray[np.int64]
    box_counts: Words
    generated: Words
    step_counts: Words
    step_least: Words
    flaw: Words
    begin: int = 0
    end: int = 0
    batch: tuple[int, int] = field(default=(0, 0))


class CompiledEngine:
    """Explores with generated code. Raises ModelError, with the step, when an action leaves a domain."""

    name = "compiled"

    def __init__(self, model: Model, properties: Sequence[Property], symmetry: Symmetry, workers: int) -> None:
        self.model, self.symmetry, self.workers = model, symmetry, workers
        self.settings = model.layout.pack_settings()
        self.state_properties = [p for p in properties if p.over_states]
        self.step_properties = [p for p in properties if p.over_steps]
        over_states, over_steps = numbered_properties(model)
        self.state_numbers = [over_states.index(p) for p in self.state_properties]
        self.step_numbers = [over_steps.index(p) for p in self.step_properties]
        self.kernel, compiling = loaded_kernel(kernel_source(model, symmetry))
        self.visited, compiling_visited = loaded_kernel(visited_source(model.layout.words))
        self.compile_seconds = compiling + compiling_visited
        self.shards = [Shard(self.visited, _capacity(model.layout.words, workers)) for _ in range(workers)]
        self.team = [[self._worker() for _ in range(workers)] for _ in range(2)]
        self.pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self.step_tallies = [Tally() for _ in self.step_properties]

    def _worker(self) -> Worker:
        words, steps = self.kernel.WORDS, max([0, *(number + 1 for number in self.step_numbers)])
        rows = BOX_ROWS + self.kernel.STEPS
        boxes = np.empty((self.workers, rows if self.workers > 1 else 0, words), np.int64)
        return Worker(
            out=np.empty((rows, words), np.int64),
            boxes=boxes,
            box_counts=np.zeros(self.workers, np.int64),
            generated=np.zeros(len(self.model.profile.actions), np.int64),
            step_counts=np.zeros(max(1, steps), np.int64),
            step_least=np.zeros((max(1, steps), words), np.int64),
            flaw=np.zeros(1, np.int64),
        )

    @property
    def digest(self) -> int:
        return sum(shard.digest for shard in self.shards) & MASK

    @property
    def generated(self) -> list[int]:
        counts = [w.generated for team in self.team for w in team]
        return [int(n) for n in np.sum(counts, axis=0)]

    def start(self, initial: Sequence[Packed]) -> int:
        for words in initial:
            owner = (state_hash(words) >> 32) * self.workers >> 32
            self.shards[owner].insert(np.array([words], np.int64), 1)
        return self._close_level()

    def _close_level(self) -> int:
        for shard in self.shards:
            shard.level_starts.append(shard.count)
        return sum(shard.count - shard.level_starts[-2] for shard in self.shards)

    def expand(self, tick: Tick) -> int:
        before, after = self.team
        for team in self.team:
            for shard, worker in zip(self.shards, team, strict=True):
                worker.step_counts[:] = 0
                worker.box_counts[:] = 0
                worker.begin, worker.end = shard.level(len(shard.level_starts) - 2)
        try:
            while any(w.begin < w.end for w in before) or any(w.box_counts.any() for w in before):
                expanded = sum(w.begin - s.level_starts[-2] for s, w in zip(self.shards, before, strict=True))
                growth = sum(s.growth_for(self._incoming(k, before)) for k, s in enumerate(self.shards))
                tick(expanded, sum(shard.count for shard in self.shards), growth)
                self._each(partial(self._turn, before=before, after=after))
                self._refuse_flaws(after)
                before, after = after, before
        finally:
            new = self._close_level()
            self.step_tallies = [Tally() for _ in self.step_properties]
            for worker in (*before, *after):
                if self.step_numbers:
                    _collect(
                        self.step_tallies, worker.step_counts[self.step_numbers], worker.step_least[self.step_numbers]
                    )
        return new

    def _each(self, work: Callable[[int], None]) -> None:
        """Do the work of every worker, and wait for all."""
        if self.pool is None:
            work(0)
            return
        futures = [self.pool.submit(work, k) for k in range(self.workers)]
        wait(futures)
        for future in futures:
            future.result()

    def _incoming(self, shard: int, team: Sequence[Worker]) -> int:
        return sum(int(w.box_counts[shard]) for w in team)

    def _turn(self, number: int, before: Sequence[Worker], after: Sequence[Worker]) -> None:
        """Insert all successors for this shard from the last turn, then write the next successors to the other set of boxes."""
        shard, worker = self.shards[number], after[number]
        for sender in before:
            rows = sender.boxes[number] if self.workers > 1 else sender.out
            shard.insert(rows, int(sender.box_counts[number]))
        begin, end = before[number].begin, before[number].end
        arguments = (
            worker.out,
            worker.generated,
            worker.step_counts,
            worker.step_least,
            worker.flaw,
            self.settings,
            _bits(self.step_numbers),
        )
        worker.begin, count = self.kernel.expand(shard.states, begin, end, *arguments)
        worker.end, worker.batch = end, (begin, worker.begin)
        if self.workers > 1:
            self.visited.route(worker.out, count, worker.boxes, worker.box_counts)
        else:
            worker.box_counts[0] = count

    def _refuse_flaws(self, team: Sequence[Worker]) -> None:
        """Raise the interpreter's error for a state in which the kernel found an index or a value outside its domain."""
        for shard, worker in zip(self.shards, team, strict=True):
            if worker.flaw[0]:
                depth = len(shard.level_starts) - 2
                for row in range(*worker.batch):
                    self._interpret(_packed(shard.states[row]), depth)
                raise AssertionError(
                    "the kernel reports an index or a value outside its domain; the interpreter finds none"
                )

    def _interpret(self, words: Packed, depth: int) -> None:
        """Run every step and property on a state. Raises the interpreter's error."""
        with at_depth(depth):
            for _, after in self.model.successors(words):
                for prop in self.step_properties:
                    self.model.holds(prop, words, after)
            for prop in self.state_properties:
                self.model.holds(prop, words)

    def evaluate(self, level: int) -> list[Tally]:
        tallies = [Tally() for _ in self.state_properties]
        if not tallies:
            return tallies
        size = max(self.state_numbers) + 1
        counts = [np.zeros(size, np.int64) for _ in self.shards]
        least = [np.zeros((size, self.kernel.WORDS), np.int64) for _ in self.shards]
        flaws = [np.zeros(1, np.int64) for _ in self.shards]

        def work(number: int) -> None:
            shard = self.shards[number]
            arguments = (counts[number], least[number], flaws[number], self.settings, _bits(self.state_numbers))
            self.kernel.evaluate(shard.states, *shard.level(level), *arguments)

        self._each(work)
        for number, shard in enumerate(self.shards):
            if flaws[number][0]:
                for row in range(*shard.level(level)):
                    self._interpret(_packed(shard.states[row]), level)
                raise ModelError(BEYOND)
            _collect(tallies, counts[number][self.state_numbers], least[number][self.state_numbers])
        return tallies

    def has(self, level: int, target: Packed) -> bool:
        for shard in self.shards:
            begin, end = shard.level(level)
            if (shard.states[begin:end] == target).all(axis=1).any():
                return True
        return False

    def predecessor(self, level: int, target: Packed) -> Packed:
        found = [Tally() for _ in self.shards]

        def work(number: int) -> None:
            shard, worker = self.shards[number], self._worker()
            counts, least = np.zeros(1, np.int64), np.zeros((1, self.kernel.WORDS), np.int64)
            goal = np.array([target], np.int64)
            arguments = (
                goal,
                worker.out,
                worker.generated,
                worker.step_counts,
                worker.step_least,
                counts,
                least,
                worker.flaw,
                self.settings,
            )
            self.kernel.predecessor(shard.states, *shard.level(level), *arguments)
            _collect([found[number]], counts, least)

        self._each(work)
        return min(tally.least for tally in found if tally.least is not None)

    def states(self) -> list[Words]:
        return [shard.states[: shard.count] for shard in self.shards]

    def graph(self) -> CompiledGraph:
        return CompiledGraph(self.model, self.shards, self._each)


def _collect(tallies: Sequence[Tally], counts: Words, least: Words) -> None:
    for number, tally in enumerate(tallies):
        if counts[number]:
            tally.add(int(counts[number]), _packed(least[number]))


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in numbers)


def _packed(row: Any) -> Packed:
    return tuple(int(word) for word in row)


def _capacity(words: int, workers: int) -> int:
    """How many states a shard reserves room for. It reserves addresses; the system gives memory page by page as it is used.

    Three quarters of the memory: the index needs room too, and on Linux a process that reserves all memory may not start another one.
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(min(memory // (8 * words) * (0.75 if workers == 1 else 1.5 / workers), LARGEST_INDEX * FULLNESS))


def _reserved(capacity: int, words: int) -> Words:
    while True:
        try:
            return np.empty((capacity, words), np.int64)
        except MemoryError:
            capacity //= 2
