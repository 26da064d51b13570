"""What the tasks of one level compute, with NumPy arrays in and out: it runs in the executors, and in the driver for small levels.

Nothing here knows the model: a task gets the texts of its kernels, and compiles them or finds them in its cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.explorer.compile.cache import loaded_kernel

from .tables import Words, read_rows, word_columns, write_states

OUT_ROWS = 1 << 16
"""Successors that are made between two rounds of dropping duplicates: few enough for the cache of a core."""

FLUSH_ROWS = 1 << 20
"""Candidates that a task holds before it hands them on; more of them would drop more duplicates, and miss the cache more often."""

FULLNESS = 0.7
FIRST_ROWS = 1 << 12


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The rows from `begin` to `end` of one shard of a level."""

    shard: int
    begin: int
    end: int


@dataclass(frozen=True, kw_only=True)
class LevelWork:
    """All that a task must know to make level `level + 1` out of level `level`.

    `rows[k][shard]` is how many states of level k the shard has. The wanted properties are bits. `cache` is where an executor
    keeps kernels, if its own environment does not say.
    """

    store: str
    cache: str
    level: int
    words: int
    shards: int
    kernel_text: str
    candidates_text: str
    actions: int
    settings: int
    steps_wanted: int
    states_wanted: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def kernel(self) -> ModuleType:
        """The kernel of the model."""
        return loaded_kernel(self.kernel_text)[0]

    @property
    def table_kernel(self) -> ModuleType:
        """The kernel of the tables of candidates."""
        return loaded_kernel(self.candidates_text)[0]

    def known_files(self, shard: int) -> list[Path]:
        """The files that hold what a shard knows, the latest level first."""
        levels = reversed(range(self.level + 1))
        return [Path(self.store) / states_path(level, shard) for level in levels if self.rows[level][shard]]


def states_path(level: int, shard: int) -> str:
    """Where the states of a shard of a level lie, below the store. Readers of Parquet take level and shard from the path."""
    return f"states/level={level}/shard={shard}/states.parquet"


@dataclass(kw_only=True)
class Counts:
    """How often each property was decided by a state of a task, and the least such state."""

    counts: Words
    least: Words
    flaw: Words

    @classmethod
    def none(cls, wanted: int, words: int) -> Counts:
        size = max(1, wanted.bit_length())
        return cls(
            counts=np.zeros(size, np.int64), least=np.zeros((size, words), np.int64), flaw=np.zeros(1, np.int64)
        )

    def values(self) -> dict[str, Any]:
        """By the number of the property: how many, and the least."""
        return {
            str(k): [int(n), [int(word) for word in self.least[k]]] for k, n in enumerate(self.counts) if n
        }


class Table:
    """Candidates without duplicates, each with its least parent."""

    def __init__(self, kernel: ModuleType) -> None:
        self.kernel = kernel
        self.states = np.empty((FIRST_ROWS, kernel.WORDS), np.int64)
        self.parents = np.empty((FIRST_ROWS, kernel.WORDS), np.int64)
        self.index = np.zeros(int(FIRST_ROWS / FULLNESS), np.uint32)
        self.places = np.empty(kernel.CHUNK, np.int64)
        self.hashes = np.empty(kernel.CHUNK, np.uint64)
        self.count = 0

    def clear(self) -> None:
        """Forget all candidates."""
        self.index[:] = 0
        self.count = 0

    def gather(self, rows: Words, origins: Words, origin_of: Words, count: int) -> None:
        """Add the first `count` rows, row k with origins[origin_of[k]] as its parent."""
        begin = 0
        while begin < count:
            room = len(self.states)
            begin, self.count = self.kernel.gather(
                rows, origins, origin_of, begin, count, self.states, self.parents,
                self.count, room, self.index, self.places, self.hashes,
            )  # fmt: skip
            if begin < count:
                self._grow()

    def _grow(self) -> None:
        size = 2 * len(self.states)
        for name in ("states", "parents"):
            larger = np.empty((size, self.kernel.WORDS), np.int64)
            larger[: self.count] = getattr(self, name)[: self.count]
            setattr(self, name, larger)
        self.index = np.zeros(int(size / FULLNESS), np.uint32)
        self.kernel.rebuild(self.states, self.count, self.index, self.places, self.hashes)

    def by_shard(self, shards: int) -> Iterator[tuple[int, Words]]:
        """Each shard that owns candidates, with their words, and behind all of these the words of their parents."""
        size, words = self.count, self.kernel.WORDS
        states, parents = (np.empty((size, words), np.int64) for _ in range(2))
        starts = np.zeros(shards + 1, np.int64)
        self.kernel.deal(self.states, self.parents, size, states, parents, starts, np.empty(size, np.int64))
        for shard, (begin, end) in enumerate(zip(starts, starts[1:], strict=False)):
            if begin < end:
                yield int(shard), np.concatenate([states[begin:end].ravel(), parents[begin:end].ravel()])

    def gather_box(self, box: Words) -> None:
        """Add what `by_shard` made."""
        words = self.kernel.WORDS
        count = len(box) // (2 * words)
        states, parents = box.reshape(2, count, words)
        self.gather(states, parents, np.arange(count), count)

    def strike_known(self, files: Sequence[Path]) -> npt.NDArray[np.uint8]:
        """Which candidates are known: found in one of the files."""
        struck = np.zeros(self.count, np.uint8)
        for path in files:
            for rows in read_rows(path, word_columns(self.kernel.WORDS)):
                self.kernel.strike(rows, len(rows), self.states, self.index, struck, self.places, self.hashes)
        return struck


def expand(work: LevelWork, pieces: Sequence[Piece]) -> Iterator[tuple[int, Words] | dict[str, Any]]:
    """The candidates that some states of the frontier lead to, shard by shard; at the end, what was counted on the way."""
    kernel, table = work.kernel, Table(work.table_kernel)
    out = np.empty((OUT_ROWS + kernel.STEPS, work.words), np.int64)
    sources = np.empty(len(out), np.int64)
    generated = np.zeros(work.actions, np.int64)
    decided = Counts.none(work.steps_wanted, work.words)
    sent, flaws = 0, list[list[int]]()
    for piece in pieces:
        path, first = Path(work.store) / states_path(work.level, piece.shard), piece.begin
        for rows in read_rows(path, word_columns(work.words), piece.begin, piece.end):
            begin = 0
            while begin < len(rows):
                before = begin
                begin, count = kernel.expand_from(
                    rows, begin, len(rows), out, sources, generated, decided.counts, decided.least, decided.flaw,
                    work.settings, work.steps_wanted,
                )  # fmt: skip
                if decided.flaw[0]:
                    flaws.append([piece.shard, first + before, first + begin])
                    decided.flaw[0] = 0
                table.gather(out, rows, sources, count)
                if table.count >= FLUSH_ROWS:
                    sent += table.count
                    yield from table.by_shard(work.shards)
                    table.clear()
            first += len(rows)
    sent += table.count
    yield from table.by_shard(work.shards)
    yield {
        "generated": [int(n) for n in generated],
        "candidates": sent,
        "step_tallies": decided.values(),
        "flaws": flaws,
    }


def merge(work: LevelWork, shard: int, table: Table) -> dict[str, Any]:
    """Write the candidates of a shard that are new as its part of the next level; what there is to say of them."""
    struck = table.strike_known(work.known_files(shard))
    count, digest = table.kernel.survivors(table.states, table.parents, struck, table.count)
    decided = Counts.none(work.states_wanted, work.words)
    states = table.states[:count]
    if work.states_wanted:
        work.kernel.evaluate(
            states, 0, count, decided.counts, decided.least, decided.flaw, work.settings, work.states_wanted
        )
    told: dict[str, Any] = {
        "shard": shard,
        "digest": int(digest),
        "state_tallies": decided.values(),
        "flaw": bool(decided.flaw[0]),
        "file": None,
    }
    if count:
        path = states_path(work.level + 1, shard)
        told["file"] = vars(write_states(Path(work.store), path, states, table.parents[:count]))
    return told
