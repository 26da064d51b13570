"""The states in which a run waits for an `eventually`: those reached from the beginning of the wait without its becoming true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Packed, Property

from ..engines.graph import BEGINS, OPEN, SETTLED, Edges, Numbers, StateGraph, joined

OUTSIDE = -1
"""The target of a step that ends the wait."""

STEP_BYTES = 100
"""The peak memory for each step within a property's region: the steps, their order, and the search for components."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Region:
    """The states of the wait for a property, numbered in ascending order of the packed states: equal for every engine.

    `distance` is the least number of steps from the start to waiting there; in the states of `begins` the wait may have begun that
    many steps from the start. `edges` are in order of source and step; a step that ends the wait leads OUTSIDE.
    """

    words: npt.NDArray[np.int64]
    distance: Numbers
    begins: Flags
    edges: Edges

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def rows(self) -> Numbers:
        """The positions at which the edges of each state begin, and the end of the last ones."""
        return np.searchsorted(self.edges.sources, np.arange(len(self) + 1))

    def state(self, number: int) -> Packed:
        """A state by its number."""
        return tuple(int(word) for word in self.words[number])


def region_of(graph: StateGraph, prop: Property, steps: int, tick: Callable[[int], None]) -> Region:
    """The region of an `eventually` in a graph whose edges have so many different steps.

    `tick` is called between levels with the bytes about to be allocated, and may raise to stop.
    """
    judged = graph.judge(prop)
    starts = _starts(graph, prop, judged)
    distance = np.full(graph.count, -1, np.int32)
    parts: list[Edges] = []
    reached, level, found = np.empty(0, np.int64), 0, 0
    while len(reached) or level < len(starts):
        if level < len(starts):
            reached = np.concatenate([reached, starts[level][distance[starts[level]] < 0]])
        frontier = _distinct(reached).astype(np.int64)
        distance[frontier] = level
        parts.append(graph.edges(frontier))
        found += len(parts[-1])
        tick(STEP_BYTES * found)
        targets = parts[-1].targets
        awaited = (judged[targets] != SETTLED) & (distance[targets] < 0)
        reached, level = targets[awaited], level + 1
    return _in_order(graph, distance, starts, joined(parts), steps)


def _distinct(numbers: Numbers) -> Numbers:
    """Each number once, in order; np.unique does the same through a hash table, which is slower for millions."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _starts(graph: StateGraph, prop: Property, judged: npt.NDArray[np.uint8]) -> list[Numbers]:
    """The states in which the wait begins, level by level."""
    starts = np.flatnonzero(judged == (OPEN if prop.after is None else BEGINS))
    levels = graph.levels(starts)
    last = 0 if prop.after is None else int(levels.max(initial=-1))
    return [starts[levels == level] for level in range(last + 1)]


def _in_order(
    graph: StateGraph, distance: npt.NDArray[np.int32], starts: list[Numbers], edges: Edges, steps: int
) -> Region:
    """The region with its states and edges in an order that does not depend on the engine's numbers."""
    begins = np.zeros(graph.count, np.bool_)
    for level, numbers in enumerate(starts):
        begins[numbers] = distance[numbers] == level
    numbers = np.flatnonzero(distance >= 0)
    words = graph.packed(numbers)
    order = np.lexsort(words.T[::-1])
    rank = np.full(graph.count, OUTSIDE, np.int32 if graph.count <= np.iinfo(np.int32).max else np.int64)
    rank[numbers[order]] = np.arange(len(numbers))
    by_source = np.argsort(rank[edges.sources].astype(np.int64) * steps + edges.steps)
    chosen = edges.where(by_source)
    return Region(
        words=words[order],
        distance=distance[numbers[order]].astype(np.int64),
        begins=begins[numbers[order]],
        edges=Edges(sources=rank[chosen.sources], steps=chosen.steps, targets=rank[chosen.targets]),
    )
