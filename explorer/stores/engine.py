"""The compiled engine with a store: levels that the store has are not searched again, and each new one is committed to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, Packed, Property

from ..engines.compiled import CompiledEngine
from ..engines.engine import Stopped, Tally, Tick
from ..engines.graph import StateGraph
from ..engines.hashing import MASK
from ..symmetry import Symmetry
from .identity import REMEDY, StoreError
from .levels import LevelStore, StoredLevel
from .manifest import digest_of, generated_by, kept_tallies, tallies_of


class StoredEngine:
    """Explores as the compiled engine does, after the levels of its store. Raises StoreError if states of the store were changed."""

    def __init__(
        self, model: Model, properties: Sequence[Property], symmetry: Symmetry, workers: int, store: LevelStore
    ) -> None:
        self.model, self.store = model, store
        self.engine = CompiledEngine(model, properties, symmetry, workers, store.blocks())
        self.name, self.workers = self.engine.name, workers
        self.state_properties, self.step_properties = self.engine.state_properties, self.engine.step_properties
        self.step_tallies = [Tally() for _ in self.step_properties]
        # The last level that the search has got: while it goes through a resumed store, the store has more.
        self.reached = -1

    @property
    def reported(self) -> Sequence[StoredLevel]:
        """The levels that the search has got."""
        return self.store.levels[: self.reached + 1]

    @property
    def compile_seconds(self) -> float:
        return self.engine.compile_seconds

    @property
    def digest(self) -> int:
        return digest_of(self.reported)

    @property
    def generated(self) -> list[int]:
        return generated_by(self.reported)

    def start(self, initial: Sequence[Packed]) -> int:
        started = time.perf_counter()
        if self.store.levels:
            self._adopt(0, lambda: None)
        else:
            self.engine.start(initial)
            try:
                self._commit(started, 0, [0] * len(self.model.profile.actions))
            except Stopped as stop:
                raise StoreError(f"{self.store.folder} cannot be made a store: no room on the disk") from stop
        self.reached = 0
        return self.store.levels[0].new

    def expand(self, tick: Tick) -> int:
        started, level = time.perf_counter(), self.reached + 1
        distinct = sum(record.new for record in self.reported)
        self.step_tallies = [Tally() for _ in self.step_properties]
        tick(0, distinct, 0)
        if level < len(self.store.levels):
            self._adopt(level, lambda: tick(0, distinct, 0))
            self.step_tallies = tallies_of(self.step_properties, self.store.levels[level].step_tallies)
        else:
            if not self.engine.visited.count and self.engine.insert_adopted(tick) != distinct:
                raise StoreError(f"{self.store.path} is damaged: it has a state twice. {REMEDY}")
            digest, generated = self.engine.digest, self.engine.generated
            try:
                self.engine.expand(tick)
            finally:
                self.step_tallies = self.engine.step_tallies
            self._commit(started, digest, generated)
        self.reached = level
        return self.store.levels[level].new

    def _adopt(self, level: int, tick: Callable[[], None]) -> None:
        """Take a level of the store, after a check that its states are those that were written."""
        record = self.store.levels[level]
        if self.engine.adopt(record.new, tick) != record.digest:
            raise StoreError(
                f"{self.store.path} is damaged: the states of level {level} are not those written. {REMEDY}"
            )

    def _commit(self, started: float, digest: int, generated: Sequence[int]) -> None:
        """Write the engine's last level to the store; digest and generated states are those before it.

        Raises Stopped if the disk is full; then the level does not count.
        """
        engine, level = self.engine, len(self.store.levels)
        self.store.commit(
            StoredLevel(
                level=level,
                frontier=self.store.levels[-1].new if level else 0,
                new=sum(block.count for block in engine.levels[level]),
                digest=(engine.digest - digest) & MASK,
                generated=[after - before for before, after in zip(generated, engine.generated, strict=True)],
                seconds=time.perf_counter() - started,
                state_tallies=kept_tallies(self.state_properties, engine.evaluate(level)),
                step_tallies=kept_tallies(self.step_properties, engine.step_tallies),
                whole=engine.whole(level),
            )
        )

    def evaluate(self, level: int) -> list[Tally]:
        if level <= self.reached:
            return tallies_of(self.state_properties, self.store.levels[level].state_tallies)
        if level < len(self.engine.levels):
            return self.engine.evaluate(level)
        return [Tally() for _ in self.state_properties]

    def whole(self, level: int) -> int | None:
        return self.store.levels[level].whole

    def has(self, level: int, target: Packed) -> bool:
        return self.engine.has(level, target)

    def predecessor(self, level: int, target: Packed) -> Packed:
        return self.engine.predecessor(level, target)

    def states(self) -> list[npt.NDArray[np.int64]]:
        return self.engine.states()

    def graph(self) -> StateGraph:
        return self.engine.graph()
