"""The graph of all states of the compiled engine: the kernel computes the steps again, and indexed arrays number the states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, ModelError, Property
from neverlost.model.core.reading import INTEGER_BITS

from ..compile.cache import loaded_kernel
from ..compile.generate import positions_source
from ..compile.graph_kernel import GraphKernel, run_properties
from .engine import at_depth
from .graph import Edges, Numbers, joined, judged

Words = npt.NDArray[np.int64]

BATCH = 1 << 14
"""Steps that are computed between two look-ups, in addition to those of one state."""

UNKNOWN = -1

BEYOND = (
    f"an intermediate sum grows beyond 2**{INTEGER_BITS}, which the compiled engine cannot hold; compute with smaller"
    " numbers, or explore with the interpreted engine"
)


INDEX_SHARE = 0.8
"""The share of an index that is used."""


@dataclass(frozen=True, kw_only=True)
class Shard:
    """Some of the states, level by level, and an index of their positions."""

    states: Words
    level_starts: list[int]
    index: npt.NDArray[np.uint32]

    @property
    def count(self) -> int:
        return len(self.states)

    def level(self, number: int) -> tuple[int, int]:
        """The range of rows of a level."""
        return self.level_starts[number], self.level_starts[number + 1]


def indexed(levels: Sequence[Sequence[Words]], words: int) -> Shard:
    """The states of these blocks of levels with an index."""
    states = np.concatenate([np.empty((0, words), np.int64), *(block for level in levels for block in level)])
    starts = np.cumsum([0, *(sum(map(len, level)) for level in levels)])
    index = np.zeros(int(len(states) / INDEX_SHARE) + 1, np.uint32)
    positions, _ = loaded_kernel(positions_source(words))
    spare = (np.empty(positions.CHUNK, np.int64), np.empty(positions.CHUNK, np.uint64))
    positions.rebuild(states, len(states), index, *spare)
    return Shard(states=states, level_starts=[int(start) for start in starts], index=index)


class CompiledGraph:
    """The states of all shards, numbered shard by shard, level by level."""

    def __init__(
        self,
        model: Model,
        shards: Sequence[Shard],
        each: Callable[[Callable[[int], None]], None],
    ) -> None:
        self.model, self.shards, self.each = model, shards, each
        self.kernel, _ = loaded_kernel(GraphKernel(model).text())
        self.positions, _ = loaded_kernel(positions_source(model.layout.words))
        self.settings = model.layout.pack_settings()
        self.numbers_of = {p.name: number for number, p in enumerate(run_properties(model))}
        self.starts = np.cumsum([0, *(shard.count for shard in shards)])
        self.count = int(self.starts[-1])
        self.kind = np.int32 if self.count <= np.iinfo(np.int32).max else np.int64

    def judge(self, prop: Property) -> npt.NDArray[np.uint8]:
        found = np.zeros(self.count, np.uint8)
        for level in range(len(self.shards[0].level_starts) - 1):
            self._judge_level(prop, level, found)
        return found

    def _judge_level(self, prop: Property, level: int, found: npt.NDArray[np.uint8]) -> None:
        flaws = [np.zeros(1, np.int64) for _ in self.shards]

        def work(number: int) -> None:
            shard, own = self.shards[number], found[self.starts[number] : self.starts[number + 1]]
            self.kernel.judge(
                shard.states, *shard.level(level), self.numbers_of[prop.name], own, flaws[number], *self.settings
            )

        self.each(work)
        for shard, flaw in zip(self.shards, flaws, strict=True):
            if flaw[0]:
                for row in range(*shard.level(level)):
                    words = tuple(int(word) for word in shard.states[row])
                    with at_depth(level, words):
                        judged(self.model, prop, words)
                raise ModelError(BEYOND)

    def levels(self, numbers: Numbers) -> Numbers:
        found = np.zeros(len(numbers), np.int64)
        for shard, chosen, positions in self._by_shard(numbers):
            found[chosen] = np.searchsorted(shard.level_starts, positions, side="right") - 1
        return found

    def packed(self, numbers: Numbers) -> npt.NDArray[np.int64]:
        found = np.zeros((len(numbers), self.kernel.WORDS), np.int64)
        for shard, chosen, positions in self._by_shard(numbers):
            found[chosen] = shard.states[positions]
        return found

    def _by_shard(self, numbers: Numbers) -> list[tuple[Shard, npt.NDArray[np.bool_], Numbers]]:
        """Each shard with a mask of the numbers that are its own, and their positions in it."""
        owners = np.searchsorted(self.starts, numbers, side="right") - 1
        masks = [owners == k for k in range(len(self.shards))]
        return [(shard, masks[k], numbers[masks[k]] - self.starts[k]) for k, shard in enumerate(self.shards)]

    def edges(self, numbers: Numbers) -> Edges:
        parts = self._by_shard(numbers)
        found: list[list[Edges]] = [[] for _ in parts]

        def work(number: int) -> None:
            shard, _, positions = parts[number]
            found[number] = self._edges_of(shard, int(self.starts[number]), np.ascontiguousarray(positions))

        self.each(work)
        return joined([edges for of_shard in found for edges in of_shard])

    def _edges_of(self, shard: Shard, first: int, positions: Numbers) -> list[Edges]:
        room = BATCH + self.kernel.STEPS
        out = np.empty((room, self.kernel.WORDS), np.int64)
        sources, steps, targets = (np.empty(room, np.int64) for _ in range(3))
        flaw = np.zeros(1, np.int64)
        parts, begin = [], 0
        while begin < len(positions):
            begin, count = self.kernel.edges(
                shard.states, positions, begin, len(positions), out, sources, steps, flaw, *self.settings
            )
            targets[:count] = UNKNOWN
            for owner, start in zip(self.shards, self.starts, strict=False):
                self.positions.find(out, count, owner.states, owner.index, int(start), targets)
            if (targets[:count] == UNKNOWN).any():
                raise AssertionError("a step leads to a state that the search did not find")
            parts.append(
                Edges(
                    sources=(sources[:count] + first).astype(self.kind),
                    steps=steps[:count].astype(np.int16),
                    targets=targets[:count].astype(self.kind),
                )
            )
        return parts
