"""The computation of the tasks of one level on NumPy arrays: it runs in the executors, and in the driver for small levels.

Nothing here knows the model: a task gets the texts of its kernels, and compiles them or finds them in its cache.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.explorer.compile.cache import loaded_kernel
from neverlost.explorer.compile.emitter.machine import Kernel
from neverlost.explorer.engines.successors import OUT_ROWS, out_arrays
from neverlost.explorer.stores.identity import StoreError
from neverlost.model.core import Packed

from .scratch import scratch
from .tables import (
    Words,
    Written,
    read_columns,
    read_rows,
    transition_columns,
    word_columns,
    write_columns,
    write_states,
)

FLUSH_ROWS = 1 << 20
"""Candidates that a task collects before it passes them on; with more, it would drop more duplicates, but miss the cache more often."""

BLOOM_SHARE = 8
"""The most candidates for a word of the Bloom filter: it fits the cache of a core, and stops nine in ten of the other states."""

GROWTH = 4
FIRST_ROWS = 1 << 12


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The rows from `begin` to `end` of one shard of a level."""

    shard: int
    begin: int
    end: int


@dataclass(frozen=True, kw_only=True)
class LevelWork:
    """All that a task needs to make level `level + 1` from level `level`.

    `rows[k][shard]` is how many states of level k the shard has, `paths[k][shard]` the file that they are in. The wanted properties
    are bits. `expected` is how many candidates a shard may have; it only saves time. The texts of the kernels are paths below the
    store; executors keep the compiled kernels in their own caches, because nothing in a store is executed.
    """

    store: str
    level: int
    words: int
    shards: int
    kernel_text: str
    candidates_text: str
    edges_text: str | None
    actions: int
    settings: Packed
    steps_wanted: int
    states_wanted: int
    rows: tuple[tuple[int, ...], ...]
    paths: tuple[tuple[str, ...], ...]
    expected: int

    @property
    def kernel(self) -> Kernel:
        """The kernel of the model."""
        return _kernel(self.store, self.kernel_text)

    @property
    def table_kernel(self) -> Kernel:
        """The kernel of the tables of candidates."""
        return _kernel(self.store, self.candidates_text)

    @property
    def edges_kernel(self) -> Kernel | None:
        """The kernel that makes steps one by one, if these are kept."""
        return None if self.edges_text is None else _kernel(self.store, self.edges_text)

    def known_files(self, shard: int) -> list[Path]:
        """The files with the known states of a shard, the latest level first."""
        levels = reversed(range(self.level + 1))
        return [self.file(level, shard) for level in levels if self.rows[level][shard]]

    def file(self, level: int, shard: int) -> Path:
        """The file of the states of a shard of a level."""
        return Path(self.store) / self.paths[level][shard]


@cache
def _kernel(store: str, path: str) -> Kernel:
    text = (Path(store) / path).read_text(encoding="utf-8")
    if source_path(text) != path:
        raise StoreError(
            f"{Path(store) / path} was edited while the search ran; a kernel is compiled only from the model's own text"
        )
    return loaded_kernel(text)[0]


def source_path(text: str) -> str:
    """The path of a kernel's text below the store: tasks read it there, so that it need not be sent to each of them."""
    return f"sources/{hashlib.sha256(text.encode()).hexdigest()}.py"


def new_path(table: str, level: int, shard: int) -> str:
    """A path for a part of a table, below the store. Readers of Parquet take level and shard from it.

    The name is new each time, so an abandoned task never replaces the file of another task.
    """
    return f"{table}/level={level}/shard={shard}/{uuid.uuid4().hex}.parquet"


@dataclass(kw_only=True)
class Counts:
    """In how many states of a task each property was decided, and the least such state."""

    counts: Words
    least: Words
    flaw: Words

    @classmethod
    def none(cls, wanted: int, words: int) -> Counts:
        size = max(1, wanted.bit_length())
        return cls(counts=np.zeros(size, np.int64), least=np.zeros((size, words), np.int64), flaw=np.zeros(1, np.int64))

    def values(self) -> dict[str, Any]:
        """By the number of the property: how many, and the least."""
        return {str(k): [int(n), [int(word) for word in self.least[k]]] for k, n in enumerate(self.counts) if n}


class Table:
    """Candidates without duplicates, each with its least parent, for about `expected` of them at first.

    A thread has only one at a time, because it reuses the arrays.
    """

    def __init__(self, kernel: Kernel, expected: int) -> None:
        self.kernel, self.width = kernel, 2 * kernel.WORDS
        self.rows, self.places = np.empty(kernel.CHUNK, np.int64), np.empty(kernel.CHUNK, np.int64)
        self.hashes = np.empty(kernel.CHUNK, np.uint64)
        self._reserve(max(FIRST_ROWS, expected))
        self.clear()

    def _reserve(self, rows: int) -> None:
        self.pairs: Words = scratch("pairs", rows, self.width)
        self.index = scratch("index", rows).view(np.uint32).ravel()

    def clear(self) -> None:
        """Forget all candidates."""
        self.index[:] = 0
        self.count = 0

    def gather(self, rows: Words, count: int, origins: Words, first: int, origin_of: npt.NDArray[np.uint32]) -> None:
        """Add the first `count` rows; the parent of row k begins at word `first` of origins[origin_of[k]]."""
        begin = 0
        while begin < count:
            begin, self.count = self.kernel.gather(
                rows, origins, first, origin_of, begin, count,
                self.pairs, self.count, len(self.pairs), self.index, self.places, self.hashes,
            )  # fmt: skip
            if begin < count:
                self._grow()

    def _grow(self) -> None:
        pairs = self.pairs[: self.count].copy()
        self._reserve(GROWTH * len(self.pairs))
        self.pairs[: self.count] = pairs
        self.index[:] = 0
        self.kernel.rebuild(self.pairs, self.count, self.index, self.places, self.hashes)

    def by_shard(self, shards: int) -> Iterator[tuple[int, Words]]:
        """Each shard that owns candidates, with rows of pairs of candidate and parent. Valid until the next one is requested."""
        dealt = scratch("dealt", self.count, self.width)
        starts = np.zeros(shards + 1, np.int64)
        self.kernel.deal(self.pairs, self.count, dealt, starts, scratch("owners", self.count).ravel())
        for shard, (begin, end) in enumerate(pairwise(starts)):
            if begin < end:
                yield shard, dealt[begin:end]

    def gather_pairs(self, pairs: Words) -> None:
        """Add what `by_shard` made."""
        self.gather(pairs, len(pairs), pairs, self.kernel.WORDS, np.arange(len(pairs), dtype=np.uint32))

    def known_among(self, files: Sequence[Path]) -> npt.NDArray[np.uint8]:
        """Which candidates are known, because they are in one of the files."""
        dropped = np.zeros(self.count, np.uint8)
        bloom_filter = np.empty(max(2, 1 << (self.count // BLOOM_SHARE).bit_length()), np.uint64)
        self.kernel.fill_bloom_filter(self.pairs, self.count, bloom_filter)
        for path in files:
            for columns in read_columns(path, word_columns(self.kernel.WORDS)):
                size = len(columns[0])
                self.kernel.drop_known(
                    columns, size, self.pairs, self.index, bloom_filter, dropped, self.rows, self.places, self.hashes
                )
        return dropped


def expand(work: LevelWork, pieces: Sequence[Piece]) -> Iterator[tuple[int, Words] | dict[str, Any]]:
    """The candidates that some states of the frontier lead to, shard by shard; at the end, the counts."""
    kernel, table = work.kernel, Table(work.table_kernel, min(FLUSH_ROWS + 2 * OUT_ROWS, work.expected * work.shards))
    out, sources = out_arrays(kernel)
    generated = np.zeros(work.actions, np.int64)
    decided = Counts.none(work.steps_wanted, work.words)
    sent, flaws, files = 0, list[list[int]](), list[Written]()
    for piece in pieces:
        path, first = work.file(work.level, piece.shard), piece.begin
        for rows in read_rows(path, word_columns(work.words), piece.begin, piece.end):
            if work.edges_kernel is not None:
                files.append(write_transitions(work, work.edges_kernel, piece.shard, rows))
            begin = 0
            while begin < len(rows):
                before = begin
                begin, count = kernel.expand(
                    rows, begin, len(rows), out, sources, generated, decided.counts, decided.least, decided.flaw,
                    *work.settings, work.steps_wanted,
                )  # fmt: skip
                if decided.flaw[0]:
                    flaws.append([piece.shard, first + before, first + begin])
                    decided.flaw[0] = 0
                table.gather(out, count, rows, 0, sources)
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
        "files": [vars(file) for file in files],
    }


def merge(work: LevelWork, shard: int, table: Table) -> dict[str, Any]:
    """Write the new candidates of a shard as its part of the next level. Returns the notes about them."""
    dropped = table.known_among(work.known_files(shard))
    states = scratch("states", table.count, work.words)
    columns = scratch("dealt", 2 * work.words, table.count)
    count, digest = table.kernel.survivors(table.pairs, dropped, table.count, states, columns)
    decided = Counts.none(work.states_wanted, work.words)
    if work.states_wanted:
        work.kernel.evaluate(
            states, 0, count, decided.counts, decided.least, decided.flaw, *work.settings, work.states_wanted
        )
    report: dict[str, Any] = {
        "shard": shard,
        "digest": int(digest),
        "state_tallies": decided.values(),
        "flaw": bool(decided.flaw[0]),
        "file": None,
    }
    if count:
        path = new_path("states", work.level + 1, shard)
        report["file"] = vars(write_states(Path(work.store), path, columns[:, :count]))
    return report


def write_transitions(work: LevelWork, kernel: Kernel, shard: int, rows: Words) -> Written:
    """Write every step from some states that changes something."""
    out = np.empty((OUT_ROWS + kernel.STEPS, work.words), np.int64)
    sources, steps = (np.empty(len(out), np.int64) for _ in range(2))
    numbers, flaw = np.arange(len(rows)), np.zeros(1, np.int64)
    begin, parts = 0, list[Words]()
    while begin < len(rows):
        begin, count = kernel.edges(rows, numbers, begin, len(rows), out, sources, steps, flaw, *work.settings)
        parts.append(np.column_stack([rows[sources[:count]], steps[:count], out[:count]]))
    columns = np.ascontiguousarray(np.concatenate(parts).T)
    path = new_path("transitions", work.level, shard)
    return write_columns(Path(work.store), path, dict(zip(transition_columns(work.words), columns, strict=True)))
