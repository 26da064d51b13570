"""The visited set of the compiled engine: one exact table, shared by all workers, that grows in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from ..compile.cache import first_text, loaded_kernel
from ..compile.emitter.machine import Kernel
from ..compile.generate import visited_source
from ..compile.slot_format import LINE_WORDS, SlotFormat, low_bits, slot_format
from .engine import Stopped
from .table_memory import give_back, reserved

Words = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

FIRST_SPAN = 1 << 14
"""Lines of a table at first. A smaller one would need slots of another format."""

HOMES = 32
"""A worker notes the homes of so many states ahead: AHEAD of the text `visited`, which writes no further."""

FULLNESS, LARGE_FULLNESS = 0.8, 0.88
"""The share of the slots used before a table, and a large table, grows. The fuller it is, the more states lie behind their home."""

LARGE_BYTES, HUGE_BYTES = 1 << 30, 1 << 33
"""A table below the first doubles. A larger one grows by a quarter, beyond the second by an eighth, to be never much too large."""

LARGE_STEP, HUGE_STEP = 4, 8
OVERFLOW_LINES = 16
"""Lines behind the last home: no state lies farther behind its own."""

HEAD_LINES = 512
"""Lines at the beginning that are set aside while a table grows: only behind them, every line moves to no lower line."""

MOST_LINES = 1 << 31

PARTS_EACH, LEAST_LINES = 2, 1 << 12
"""Into how many parts for each worker the lines are divided that several threads move at a time, and how many a part has at least."""

Each = Callable[[int, Callable[[int], None]], None]
"""Calls a function with each number below a limit."""


def one_by_one(count: int, work: Callable[[int], None]) -> None:
    """One after the other."""
    for number in range(count):
        work(number)


@dataclass
class Hands:
    """What a worker needs of its own to insert states."""

    homes: Hashes = field(default_factory=lambda: np.zeros(HOMES, np.uint64))
    hand: Hashes = field(default_factory=lambda: np.zeros(64, np.uint64))


class VisitedSet:
    """The states seen so far. Several threads may insert at a time, each with hands of its own; nobody inserts while it grows."""

    def __init__(self, words: int, last: int, workers: int, baseline: bool = False) -> None:
        """For states of so many words, the last with `last` used bits; 0 if there is only one word.

        With `baseline`, kernels that are not compiled yet are not optimised until `optimise` is called.
        """
        self.words, self.last, self.baseline = words, last, baseline
        self.share(workers)
        self.span = self.largest = FIRST_SPAN
        self.count = 0
        self.compile_seconds = 0.0
        self.slots, self.kernel = self._slots(self.span)
        self.line_words = LINE_WORDS * self.slots.full
        self.memory = reserved(FIRST_SPAN * self.line_words * 2)
        self.lines = self.memory.words
        self.capacity = len(self.lines) // self.line_words - OVERFLOW_LINES

    def _slots(self, span: int) -> tuple[SlotFormat, Kernel]:
        slots = slot_format(self.words, self.last, span)
        text = visited_source(self.words, slots)
        kernel, seconds = loaded_kernel(first_text(text) if self.baseline else text)
        self.compile_seconds += seconds
        return slots, kernel

    def share(self, workers: int) -> None:
        """So many threads may insert from now on."""
        self.workers, self.several = workers, int(workers > 1)

    def optimise(self) -> None:
        """Go on with optimised kernels."""
        self.baseline = False
        self.slots, self.kernel = self._slots(self.span)

    @property
    def bytes(self) -> int:
        """The memory that the lines take."""
        return self.span * self.line_words * 8

    @property
    def room(self) -> int:
        """How many more states fit before the table should grow."""
        fullness = FULLNESS if self.bytes < LARGE_BYTES and self.growth_bytes() else LARGE_FULLNESS
        return max(0, int(self.span * self.slots.slots * fullness) - self.count)

    def insert(
        self, found: Words, begin: int, end: int, fresh: Words, used: int, most: int, hands: Hands
    ) -> tuple[int, int, int, bool]:
        """Insert found[begin:end], and append what is new to the first `used` rows of `fresh`, up to `most` rows.

        Returns the row to go on with, how many rows of `fresh` are used, the sum of the new states' hashes, and whether the table must
        grow first. Does not count the new states.
        """
        begin, used, digest, full = self.kernel.insert(
            found,
            begin,
            end,
            self.lines,
            self.span,
            low_bits(self.span),
            fresh,
            used,
            most,
            self.several,
            hands.homes,
            hands.hand,
        )
        return begin, used, digest, full

    def digest(self, states: Words) -> int:
        """The sum of the hashes of some states."""
        return int(self.kernel.digest(states, 0, len(states)))

    def larger_span(self) -> int:
        """How many lines the table has after it grows; as many as now if there is no room."""
        step = 1 if self.bytes < LARGE_BYTES else LARGE_STEP if self.bytes < HUGE_BYTES else HUGE_STEP
        more = self.span // step
        return self.span + more if self.span + more <= min(self.capacity, MOST_LINES) else self.span

    def growth_bytes(self) -> int:
        """How much memory growing takes."""
        return (self.larger_span() - self.span) * self.line_words * 8

    def grow(self, left: Sequence[Hands], each: Each = one_by_one) -> None:
        """Grow in place. `left` are the hands of the workers that could not insert: some hold a state that lost its slot.

        `each` calls a function with every number from 0 on that it is given, perhaps in several threads. Raises Stopped if there is
        no more room; then nothing more may be inserted.
        """
        span, old = self.larger_span(), self.slots
        if span == self.span:
            raise Stopped("memory")
        width = self.line_words
        homeless = [self._line_of(hands) for hands in left if hands.hand[old.full + 1]]
        before = (self.span, low_bits(self.span), old.slots, old.each, old.width)
        self.largest = span
        self.slots, self.kernel = self._slots(span)
        end, head = self.span + OVERFLOW_LINES, HEAD_LINES

        def move(source: Hashes, first: int, begin: int, end: int) -> None:
            spare = (np.zeros(width, np.uint64), np.zeros(old.full + 2, np.uint64))
            arguments = (*before, self.lines, span, low_bits(span), self.several, *spare)
            if not self.kernel.regrow(source, first, begin, end, *arguments):
                raise Stopped("memory")

        def move_part(limits: Sequence[int], number: int) -> None:
            move(self.lines, 0, limits[number], limits[number + 1])

        set_aside = self.lines[: head * width].copy()
        self.lines[: head * width] = 0
        # Lines from `begin` on move behind `end`, so that several threads may move them at a time.
        while end > head:
            begin = max(head, end * self.span // span + OVERFLOW_LINES)
            parts = PARTS_EACH * self.workers
            if not self.several or end - begin < parts * LEAST_LINES:
                parts, begin = 1, head
            limits = [begin + (end - begin) * k // parts for k in range(parts + 1)]
            each(parts, partial(move_part, limits))
            end = begin
        move(set_aside, 0, 0, head)
        for number, line in homeless:
            move(line, number, number, number + 1)
        self.span = span

    def _line_of(self, hands: Hands) -> tuple[int, Hashes]:
        """A line with only the state that a worker has in its hand, and the line's number."""
        full, line = self.slots.full, np.zeros(self.line_words, np.uint64)
        slots = self.slots.slots
        line[0], line[slots] = hands.hand[0], hands.hand[full + 1]
        line[slots + self.slots.groups :][: full - 1] = hands.hand[1:full]
        hands.hand[full + 1] = 0
        return int(hands.hand[full]), line

    def forget(self) -> None:
        """Let the memory go. Nothing may be inserted afterwards."""
        memory = self.__dict__.pop("memory", None)
        if memory is not None:
            give_back(memory, (self.largest + OVERFLOW_LINES) * self.line_words)
            self.lines = np.zeros(0, np.uint64)

    def __del__(self) -> None:
        self.forget()
