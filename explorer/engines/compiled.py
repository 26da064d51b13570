"""The compiled engine: generated kernels over packed states, in threads that share one visited set."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, ModelError, Packed, Property

from ..compile.cache import first_text, loaded_kernel, optimised
from ..compile.generate import kernel_source, numbered_properties
from ..compile.slot_format import last_bits
from ..symmetry import Symmetry
from .blocks import BLOCK_ROWS, Block, Blocks
from .compiled_graph import BEYOND, CompiledGraph, indexed
from .engine import Tally, Tick, at_depth
from .hashing import MASK
from .successors import out_arrays
from .visited_set import Hands, VisitedSet, one_by_one

Words = npt.NDArray[np.int64]

SLICE = 1 << 13
"""States that a worker takes at a time: enough to outweigh the taking, few enough that all end a level together."""

ROOM_FOR = 8
"""A worker goes on in new memory when there is room for fewer states than this part of a block."""

LEAST_ROOM = 256
"""The table grows before each worker has room for fewer new states."""

TURN_SECONDS = 0.1
"""How long workers go on before the search looks at limits and interrupts."""

NEAR_ROWS = 1 << 12
"""How many states that may lead to another are tried together."""

WORTH_WORKERS = 100_000
"""A search takes on more workers once it has so many states: small ones are over before that pays."""


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Some of the states of a level."""

    rows: Words
    begin: int
    end: int


NOTHING = Slice(rows=np.empty((0, 0), np.int64), begin=0, end=0)


@dataclass
class Worker:
    """One thread's own memory: the states that it expands, their successors, and what is new among them."""

    out: Words
    """Where it computes successors."""
    sources: npt.NDArray[np.uint32]
    """The rows of the states that lead to them."""
    fresh: Words
    generated: Words
    step_counts: Words
    step_least: Words
    flaw: Words
    hands: Hands = field(default_factory=Hands)
    slice: Slice = NOTHING
    row: int = 0
    """The next state of the slice to expand."""
    first_of_batch: int = 0
    source: Words = field(default_factory=lambda: NOTHING.rows)
    begin: int = 0
    end: int = 0
    """The rows of `source` that are still to be inserted."""
    used: int = 0
    """Rows of `fresh` that hold new states."""
    found: list[Block] = field(default_factory=list)
    may_add: int = 0
    full: bool = False
    digest: int = 0
    expanded: int = 0
    left_out: int = 0
    """Harmless states, which it has not expanded."""
    new: int = 0

    @property
    def idle(self) -> bool:
        return self.begin == self.end and self.row == self.slice.end


class CompiledEngine:
    """Explores with generated code. Raises ModelError, with the step, when an action leaves a domain."""

    name = "compiled"

    def __init__(
        self,
        model: Model,
        properties: Sequence[Property],
        symmetry: Symmetry,
        workers: int | Callable[[], int],
        blocks: Blocks | None = None,
    ) -> None:
        """`workers` may grow, if a function says how many there may be now. Without `blocks`, states disappear with the engine."""
        self._allowed = workers if callable(workers) else None
        self.model, self.symmetry, self.workers = model, symmetry, workers() if callable(workers) else workers
        self.settings = model.layout.pack_settings()
        self.state_properties = [p for p in properties if p.over_states]
        self.step_properties = [p for p in properties if p.over_steps]
        over_states, over_steps = numbered_properties(model)
        self.state_numbers = [over_states.index(p) for p in self.state_properties]
        self.step_numbers = [over_steps.index(p) for p in self.step_properties]
        self.harmless_of: int | None = None
        """The number of the property whose harmless states are not expanded."""
        self._text = kernel_source(model, symmetry)
        first = first_text(self._text)
        self.kernel, self._kernel_seconds = loaded_kernel(first)
        self._baseline = first != self._text
        self.visited = VisitedSet(model.layout.words, last_bits(model), self.workers, self._baseline)
        self.blocks = blocks or Blocks(model.layout.words)
        self.levels: list[list[Block]] = []
        self.team = [self._worker() for _ in range(self.workers)]
        self.pool = ThreadPoolExecutor(self.workers) if self.workers > 1 else None
        self.step_tallies = [Tally() for _ in self.step_properties]
        self._adopting = False
        self._taking = Lock()
        self._paused = False
        self._turn_ends = 0.0

    def _worker(self) -> Worker:
        words, steps = self.kernel.WORDS, max([0, *(number + 1 for number in self.step_numbers)])
        out, sources = out_arrays(self.kernel)
        return Worker(
            out=out,
            sources=sources,
            fresh=np.empty((BLOCK_ROWS, words), np.int64),
            generated=np.zeros(len(self.model.profile.actions), np.int64),
            step_counts=np.zeros(max(1, steps), np.int64),
            step_least=np.zeros((max(1, steps), words), np.int64),
            flaw=np.zeros(1, np.int64),
        )

    @property
    def compile_seconds(self) -> float:
        return self._kernel_seconds + self.visited.compile_seconds

    @property
    def digest(self) -> int:
        return sum(worker.digest for worker in self.team) & MASK

    @property
    def generated(self) -> list[int]:
        return [int(n) for n in np.sum([w.generated for w in self.team], axis=0)]

    @property
    def left_out(self) -> int:
        return sum(worker.left_out for worker in self.team)

    def leave_out(self, prop: Property) -> None:
        self.harmless_of = numbered_properties(self.model)[0].index(prop)

    def start(self, initial: Sequence[Packed]) -> int:
        self.levels.append([])
        worker = self.team[0]
        worker.source, worker.end = np.array(initial, np.int64), len(initial)
        self._run(lambda expanded, distinct, allocating: None, iter(()))
        return self._close_level()

    def adopt(self, count: int, tick: Callable[[], None]) -> int:
        """Make states that an earlier search kept the next level; `insert_adopted` inserts them. Returns the sum of their hashes.

        Calls `tick` between blocks.
        """
        self.levels.append(self.blocks.found(count))
        total = 0
        for block in self.levels[-1]:
            tick()
            total += self.visited.digest(self.blocks.read(block))
        return total & MASK

    def insert_adopted(self, tick: Tick) -> int:
        """Insert the states of all adopted levels. Returns how many different ones there are. If `tick` raises, some are missing."""
        self._adopting = True
        try:
            for level in range(len(self.levels)):
                self._run(tick, self._slices(level))
        finally:
            self._adopting = False
            for worker in self.team:
                worker.used = worker.begin = worker.end = 0
                worker.slice, worker.row = NOTHING, 0
        return self.visited.count

    def _close_level(self) -> int:
        """Keep the states that are new since the last level. Returns how many there are."""
        for worker in self.team:
            if worker.used:
                self._keep(worker)
            self.levels[-1] += worker.found
            worker.found = []
            worker.begin = worker.end = 0
            worker.slice, worker.row = NOTHING, 0
        return sum(block.count for block in self.levels[-1])

    def expand(self, tick: Tick) -> int:
        for worker in self.team:
            worker.step_counts[:] = 0
            worker.expanded = 0
        self.levels.append([])
        try:
            self._run(tick, self._slices(len(self.levels) - 2))
        finally:
            new = self._close_level()
            self.step_tallies = [Tally() for _ in self.step_properties]
            for worker in self.team:
                if self.step_numbers:
                    numbers = self.step_numbers
                    _collect(self.step_tallies, worker.step_counts[numbers], worker.step_least[numbers])
        return new

    def _slices(self, level: int) -> Iterator[Slice]:
        """The states of a level, in pieces."""
        for block in self.levels[level]:
            rows = self.blocks.read(block)
            for begin in range(0, block.count, SLICE):
                yield Slice(rows=rows, begin=begin, end=min(begin + SLICE, block.count))

    def _run(self, tick: Tick, slices: Iterator[Slice]) -> None:
        """Expand all slices and insert all successors, in turns; between two turns, look at limits, and let the table grow."""
        self._slices_left: Iterator[Slice] = slices
        self._exhausted = False
        try:
            while not (self._exhausted and all(worker.idle for worker in self.team)):
                self._one_turn_each(tick)
        finally:
            # An iterator that has not ended refers to the engine; Python would free the two late, and with them all states.
            self._slices_left = iter(())

    def _one_turn_each(self, tick: Tick) -> None:
        """Let every worker have a turn, after a look at limits and at the room in the table."""
        if self._allowed is not None and self.visited.count >= WORTH_WORKERS:
            self._take_on(self._allowed() - self.workers)
        tight = self.visited.room < self.workers * LEAST_ROOM or any(worker.full for worker in self.team)
        growth = self.visited.growth_bytes() if tight else 0
        tick(sum(worker.expanded for worker in self.team), self.visited.count, growth)
        if tight:
            self.visited.grow([worker.hands for worker in self.team], self._divided)
        for worker in self.team:
            worker.may_add, worker.new, worker.full = self.visited.room // self.workers, 0, False
        began = time.perf_counter()
        self._paused, self._turn_ends = False, began + TURN_SECONDS
        try:
            self._each(self._turn)
        finally:
            self.visited.count += sum(worker.new for worker in self.team)
        self._refuse_flaws()
        if self._baseline and (found := optimised(self._text, time.perf_counter() - began)) is not None:
            self.kernel, seconds = found
            self._kernel_seconds += seconds
            self.visited.optimise()
            self._baseline = False

    def _take_on(self, more: int) -> None:
        """Go on with more workers, between two turns."""
        if more > 0:
            self.workers += more
            self.team += [self._worker() for _ in range(more)]
            self.visited.share(self.workers)
            if self.pool is not None:
                self.pool.shutdown()
            self.pool = ThreadPoolExecutor(self.workers)

    def _turn(self, number: int) -> None:
        """Go on until the level is done, the time is over, or the table must grow."""
        worker = self.team[number]
        # A full worker may hold a state that has lost its slot: it inserts nothing more until the table has grown.
        while not self._paused and not worker.full:
            if worker.begin < worker.end:
                if not self._insert(worker):
                    self._paused = True
            elif worker.row < worker.slice.end or self._take(worker):
                if self._adopting:
                    worker.source, worker.begin, worker.end = worker.slice.rows, worker.row, worker.slice.end
                    worker.row = worker.slice.end
                else:
                    self._expand(worker)
                if worker.flaw[0] or time.perf_counter() > self._turn_ends:
                    self._paused = True
            else:
                return

    def _take(self, worker: Worker) -> bool:
        """Take a slice, if any is left."""
        with self._taking:
            taken = next(self._slices_left, None)
        if taken is None:
            self._exhausted = True
            return False
        worker.slice = taken if self.harmless_of is None else self._expandable(taken, worker)
        worker.row = worker.slice.begin
        return True

    def _expandable(self, taken: Slice, worker: Worker) -> Slice:
        """The states of a slice that are not harmless."""
        size, kept = taken.end - taken.begin, np.empty((taken.end - taken.begin, self.kernel.WORDS), np.int64)
        count = self.kernel.expandable(
            taken.rows, taken.begin, taken.end, self.harmless_of, kept, worker.flaw, *self.settings
        )
        worker.left_out += size - count
        worker.expanded += size - count
        return Slice(rows=kept, begin=0, end=count)

    def _expand(self, worker: Worker) -> None:
        worker.first_of_batch = worker.row
        worker.row, worker.end = self.kernel.expand(
            worker.slice.rows,
            worker.row,
            worker.slice.end,
            worker.out,
            worker.sources,
            worker.generated,
            worker.step_counts,
            worker.step_least,
            worker.flaw,
            *self.settings,
            _bits(self.step_numbers),
        )
        worker.source, worker.begin = worker.out, 0
        worker.expanded += worker.row - worker.first_of_batch

    def _insert(self, worker: Worker) -> bool:
        """Insert the successors. Returns whether the table has room for more."""
        before = worker.used
        most = min(len(worker.fresh), before + worker.may_add)
        worker.begin, worker.used, digest, full = self.visited.insert(
            worker.source, worker.begin, worker.end, worker.fresh, before, most, worker.hands
        )
        worker.digest += digest
        worker.new += worker.used - before
        worker.may_add -= worker.used - before
        worker.full = full
        if worker.used == len(worker.fresh) and self._adopting:
            worker.used = 0
        elif worker.used == len(worker.fresh):
            self._keep(worker)
        return not full and worker.may_add > 0

    def _keep(self, worker: Worker) -> None:
        """Keep a worker's new states where they are, or in the file. Further ones go behind them, while there is room."""
        block = self.blocks.keep(worker.fresh[: worker.used])
        worker.found.append(block)
        if block.rows is not None:
            worker.fresh = worker.fresh[worker.used :]
            if len(worker.fresh) < BLOCK_ROWS // ROOM_FOR:
                worker.fresh = np.empty((BLOCK_ROWS, self.kernel.WORDS), np.int64)
        worker.used = 0

    def _divided(self, count: int, work: Callable[[int], None]) -> None:
        """Do a number of works, each by the next worker that is free."""
        if self.pool is None:
            one_by_one(count, work)
            return
        for _ in self.pool.map(work, range(count)):
            pass

    def _each(self, work: Callable[[int], None]) -> None:
        """Do the work of every worker, and wait for all."""
        if self.pool is None:
            work(0)
            return
        futures = [self.pool.submit(work, k) for k in range(self.workers)]
        wait(futures)
        for future in futures:
            future.result()

    def _refuse_flaws(self) -> None:
        """Raise the interpreter's error for a state in which the kernel found an index or a value outside its domain."""
        for worker in self.team:
            if worker.flaw[0]:
                for row in range(worker.first_of_batch, worker.row):
                    self._interpret(_packed(worker.slice.rows[row]), len(self.levels) - 2)
                raise AssertionError(
                    "the kernel reports an index or a value outside its domain; the interpreter finds none"
                )

    def _interpret(self, words: Packed, depth: int) -> None:
        """Run every step and property on a state. Raises the interpreter's error."""
        with at_depth(depth, words):
            for _, after in self.model.successors(words):
                for prop in self.step_properties:
                    self.model.holds(prop, words, after)
            for prop in self.state_properties:
                self.model.holds(prop, words)

    def _tallied(
        self, level: int, size: int, work: Callable[[Slice, Words, Words, Words], None]
    ) -> tuple[Words, Words]:
        """Counts, and least states, of `size` kinds among the states of a level; `work` adds those of a slice, or sets the flaw."""
        slices, words = self._slices(level), self.kernel.WORDS
        counts, least = np.zeros((self.workers, size), np.int64), np.zeros((self.workers, size, words), np.int64)

        def share(number: int) -> None:
            flaw = np.zeros(1, np.int64)
            while True:
                with self._taking:
                    taken = next(slices, None)
                if taken is None:
                    return
                work(taken, counts[number], least[number], flaw)
                if flaw[0]:
                    for row in range(taken.begin, taken.end):
                        self._interpret(_packed(taken.rows[row]), level)
                    raise ModelError(BEYOND)

        self._each(share)
        return counts, least

    def evaluate(self, level: int) -> list[Tally]:
        tallies = [Tally() for _ in self.state_properties]
        if not tallies:
            return tallies
        wanted = _bits(self.state_numbers)

        def evaluate(part: Slice, counts: Words, least: Words, flaw: Words) -> None:
            self.kernel.evaluate(part.rows, part.begin, part.end, counts, least, flaw, *self.settings, wanted)

        for counts, least in zip(*self._tallied(level, max(self.state_numbers) + 1, evaluate), strict=True):
            _collect(tallies, counts[self.state_numbers], least[self.state_numbers])
        return tallies

    def deciding(self, rows: Words, prop: Property) -> list[int]:
        """The rows in which a property is violated (or, for a `sometimes`, witnessed), where they are few."""
        number = self.state_numbers[self.state_properties.index(prop)]
        found, parts = list[int](), [(0, len(rows))]
        while parts:
            begin, end = parts.pop()
            counts, least = np.zeros(number + 1, np.int64), np.zeros((number + 1, self.kernel.WORDS), np.int64)
            flaw = np.zeros(1, np.int64)
            self.kernel.evaluate(rows, begin, end, counts, least, flaw, *self.settings, _bits([number]))
            if flaw[0]:
                raise ModelError(BEYOND)
            if counts[number] and end - begin == 1:
                found.append(begin)
            elif counts[number]:
                middle = (begin + end) // 2
                parts += [(middle, end), (begin, middle)]
        return found

    def whole(self, level: int) -> int | None:
        if not self.symmetry.keeps_start:
            return None
        if not self.symmetry.renamings:
            return sum(block.count for block in self.levels[level])

        def keeping(part: Slice, counts: Words, least: Words, flaw: Words) -> None:
            self.kernel.renamings_keeping(part.rows, part.begin, part.end, counts)

        counts, _ = self._tallied(level, len(self.symmetry.renamings) + 1, keeping)
        return self.symmetry.states_of_classes(counts.sum(axis=0))

    def has(self, level: int, target: Packed) -> bool:
        return any((self.blocks.read(block) == target).all(axis=1).any() for block in self.levels[level])

    def predecessor(self, level: int, target: Packed) -> Packed:
        goal = np.array([target], np.int64)
        found = Tally()

        def predecessor(part: Slice, counts: Words, least: Words, flaw: Words) -> None:
            worker, near = self._worker(), np.empty((NEAR_ROWS, len(target)), np.int64)
            arguments = (
                goal,
                near,
                worker.out,
                worker.sources,
                worker.generated,
                worker.step_counts,
                worker.step_least,
            )
            self.kernel.predecessor(
                part.rows, part.begin, part.end, *arguments, counts, least, worker.flaw, *self.settings
            )

        for counts, least in zip(*self._tallied(level, 1, predecessor), strict=True):
            _collect([found], counts, least)
        assert found.least is not None
        return found.least

    def states(self) -> list[Words]:
        return [self.blocks.read(block) for level in self.levels for block in level]

    def graph(self) -> CompiledGraph:
        self.visited.forget()
        return self.graph_so_far()

    def graph_so_far(self) -> CompiledGraph:
        """The graph of the states seen so far, without symmetry; steps from states of the last level may lead to others."""
        levels = [[self.blocks.read(block) for block in level] for level in self.levels]
        parts = [[level[number :: self.workers] for level in levels] for number in range(self.workers)]
        return CompiledGraph(self.model, [indexed(part, self.model.layout.words) for part in parts], self._each)


def _collect(tallies: Sequence[Tally], counts: Words, least: Words) -> None:
    for number, tally in enumerate(tallies):
        if counts[number]:
            tally.add(int(counts[number]), _packed(least[number]))


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in numbers)


def _packed(row: Any) -> Packed:
    return tuple(int(word) for word in row)
