"""All runs to a violation of a property that are little longer than the shortest: for who can use only some of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from neverlost.model.core import Model, Packed, Property

from .engines.compiled import CompiledEngine
from .engines.compiled_graph import CompiledGraph
from .engines.engine import Stopped
from .process.watch import UNWATCHED, Watch
from .symmetry import symmetry_of

FAR = np.iinfo(np.int16).max
"""No run to a violation is known from there."""


@dataclass(frozen=True, kw_only=True)
class Ways:
    """The runs of at most `length` steps from the first initial state to a violation, states by number."""

    length: int
    start: int
    states: dict[int, Packed]
    """Each state on such a run."""
    onwards: dict[int, list[tuple[int, int, int]]]
    """From each of them: the steps on such runs, where they lead, and how many steps a violation is from there at least."""


class WaysToViolation:
    """Searches a model level by level, without symmetry, for the runs to a violation of a property of states."""

    def __init__(
        self, model: Model, prop: Property, *, most_states: int, workers: int = 1, watch: Watch[str] = UNWATCHED
    ) -> None:
        self.model, self.prop, self.most_states, self.watch = model, prop, most_states, watch
        self.engine = CompiledEngine(model, [prop], symmetry_of(model, False, [prop]), workers)
        self.levels = [self.engine.start(model.initial_states()[:1])]
        self._found = bool(self.engine.evaluate(0)[0].count)

    @property
    def length(self) -> int:
        """How many steps the runs have at most that were searched."""
        return len(self.levels) - 1

    def deepen(self) -> bool:
        """Search on by one step. Returns whether there was anything to search.

        Raises Stopped if there are too many states, KeyboardInterrupt if the watch is interrupted, ModelError as a search does.
        """
        if not self.levels[-1]:
            return False
        self.levels.append(self.engine.expand(self._tick))
        self._found = self._found or bool(self.engine.evaluate(self.length)[0].count)
        return self.levels[-1] > 0

    def _tick(self, expanded: int, distinct: int, allocating: int) -> None:
        self.watch.progress(f"{self.length} steps, {distinct:,} states")
        if self.watch.interrupted():
            raise KeyboardInterrupt
        if distinct > self.most_states:
            raise Stopped("states")

    def ways(self) -> Ways | None:
        """The runs that were searched; None if no violation was found."""
        if not self._found:
            return None
        graph = self.engine.graph_so_far()
        numbers = np.arange(graph.count)
        depths = graph.levels(numbers).astype(np.int16)
        edges = graph.edges(np.flatnonzero(depths < self.length))
        far = np.full(graph.count, FAR, np.int16)
        far[self._violating(graph)] = 0
        for steps in range(1, self.length + 1):
            nearer = edges.sources[far[edges.targets] == steps - 1]
            far[nearer[far[nearer] > steps]] = steps
        near = edges.where(depths[edges.sources] + 1 + far[edges.targets].astype(np.int32) <= self.length)
        onwards: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for source, step, target in zip(near.sources, near.steps, near.targets, strict=True):
            onwards[int(source)].append((int(step), int(target), int(far[target])))
        (start,) = np.flatnonzero(depths == 0)
        numbers = np.unique(np.concatenate([[start], near.sources, near.targets]))
        states = {
            int(number): tuple(map(int, words)) for number, words in zip(numbers, graph.packed(numbers), strict=True)
        }
        return Ways(length=self.length, start=int(start), states=states, onwards=dict(onwards))

    def _violating(self, graph: CompiledGraph) -> list[int]:
        found = list[int]()
        for shard, first in zip(graph.shards, graph.starts, strict=False):
            found += [int(first) + row for row in self.engine.deciding(shard.states, self.prop)]
        return found
