"""Distances to rare situations of a model's graph, which few states offer, and the paths to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2

import numpy as np
import numpy.typing as npt

from neverlost.explorer.engines.graph import Edges, StateGraph
from neverlost.model.core import Model, Packed, Step

RARE = 0.05
"""A situation is rare if at most this share of all states offers it."""

Array = npt.NDArray[np.int64]


@dataclass(frozen=True, order=True)
class Situation:
    """An action together with its effect: the fields of which it raises, or lowers, some element.

    So a follower that truncates its log is a different situation from one that finds nothing to truncate.
    """

    action: str
    raises: tuple[str, ...]
    lowers: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<{self.action}, raising {', '.join(self.raises) or 'nothing'}, lowering {', '.join(self.lowers) or 'nothing'}>"


class Guide:
    """The graph of a model with its rare situations. Rarer ones have more weight. Every path is a shortest one."""

    def __init__(self, model: Model, graph: StateGraph, actions: Collection[str] | None = None) -> None:
        """The graph, or the part of it that steps of some `actions` can reach."""
        numbers = np.arange(graph.count)
        packed = graph.packed(numbers)
        self._model, self._count = model, graph.count
        self._number: dict[Packed, int] = {tuple(row): number for number, row in enumerate(packed.tolist())}
        edges = graph.edges(numbers)
        edges = edges.where(np.lexsort((edges.targets, edges.steps, edges.sources)))
        if actions is not None:
            doable = np.array([step.action.name in actions for step in model.steps])
            edges = edges.where(doable[edges.steps])
            edges = edges.where(self._tree(edges)[0][edges.sources])
        self._sources, self._targets = edges.sources.astype(np.int64), edges.targets.astype(np.int64)
        self._steps = edges.steps.astype(np.int64)
        self._first = np.searchsorted(self._sources, np.arange(graph.count + 1))
        self._parents = self._tree(edges)[1]
        self._kind, kinds = _kinds(model, packed, edges)
        self._kind_of = {kind: number for number, kind in enumerate(kinds)}
        self.weights = self._rare(kinds)
        self.transitions = len(self._steps)
        self._distances = lru_cache(maxsize=None)(self._distances_to)

    def _rare(self, kinds: Sequence[Situation]) -> dict[Situation, int]:
        """The rare situations, most common ones first, with a weight that grows by one whenever the number of states halves."""
        offered = np.unique(np.stack([self._kind, self._sources]), axis=1)[0]
        states = np.bincount(offered, minlength=len(kinds))
        order = sorted(range(len(kinds)), key=lambda number: (-states[number], kinds[number]))
        rare = RARE * self._count
        return {kinds[number]: 1 + int(log2(rare / states[number])) for number in order if states[number] <= rare}

    def _tree(self, edges: Edges) -> tuple[npt.NDArray[np.bool_], Array]:
        """The states that edges reach from the start, and the edge that enters each on a shortest path; -1 for the initial state."""
        parents, known = np.full(self._count, -1, np.int64), np.zeros(self._count, bool)
        new = np.array([self._number[self._model.initial_states()[0]]])
        known[new] = True
        while len(new):
            leaving = np.flatnonzero(np.isin(edges.sources, new) & ~known[edges.targets])
            new, first = np.unique(edges.targets[leaving], return_index=True)
            parents[new] = leaving[first]
            known[new] = True
        return known, parents

    def way_to_transition(self, number: int) -> list[Step]:
        """The steps of a shortest path from the initial state to a transition, which is the last of them."""
        way = [number]
        while (before := int(self._parents[self._sources[way[-1]]])) >= 0:
            way.append(before)
        return [self._model.steps[self._steps[edge]] for edge in reversed(way)]

    def _distances_to(self, kind: int) -> npt.NDArray[np.int32]:
        """How many steps each state is from the nearest one that offers the situation; -1 if no path leads to one."""
        distances = np.full(self._count, -1, np.int32)
        distances[self._sources[self._kind == kind]] = 0
        away = 0
        while True:
            nearer = (distances[self._targets] == away) & (distances[self._sources] == -1)
            if not nearer.any():
                return distances
            away += 1
            distances[self._sources[nearer]] = away

    def within_reach(self, words: Packed, situations: Sequence[Situation]) -> list[Situation]:
        """The situations that can still happen."""
        node = self._number[words]
        return [situation for situation in situations if self._distances(self._kind_of[situation])[node] >= 0]

    def way(self, words: Packed, situation: Situation) -> list[Step]:
        """The steps to the situation and its own step; none if it can no longer happen."""
        kind = self._kind_of[situation]
        distances, node, found = self._distances(kind), self._number[words], list[Step]()
        if distances[node] < 0:
            return []
        while distances[node] > 0:
            leaving = np.arange(self._first[node], self._first[node + 1])
            edge = leaving[distances[self._targets[leaving]] == distances[node] - 1][0]
            found.append(self._model.steps[self._steps[edge]])
            node = self._targets[edge]
        leaving = np.arange(self._first[node], self._first[node + 1])
        edge = leaving[self._kind[leaving] == kind][0]
        return [*found, self._model.steps[self._steps[edge]]]


def _kinds(model: Model, packed: Array, edges: Edges) -> tuple[Array, list[Situation]]:
    """For every edge the number of its situation, and the situations by number."""
    layout = model.layout
    columns = [np.array([number for number, _ in _actions(model)], np.int64)[edges.steps]]
    for name in layout.places:
        raised, lowered = np.zeros(len(edges), bool), np.zeros(len(edges), bool)
        for slot in layout.slots[name]:
            values = packed[:, slot.word] >> slot.shift & slot.mask
            grown = values[edges.targets] - values[edges.sources]
            raised |= grown > 0
            lowered |= grown < 0
        columns += [raised, lowered]
    found, kind = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    names, fields = dict(_actions(model)), list(layout.places)
    situations = [
        Situation(
            names[row[0]],
            tuple(field for field, raised in zip(fields, row[1::2], strict=True) if raised),
            tuple(field for field, lowered in zip(fields, row[2::2], strict=True) if lowered),
        )
        for row in found.tolist()
    ]
    return kind.reshape(-1).astype(np.int64), situations


def _actions(model: Model) -> list[tuple[int, str]]:
    """For every step the number of its action, and its name."""
    number = {action.name: position for position, action in enumerate(model.profile.actions)}
    return [(number[step.action.name], step.action.name) for step in model.steps]
