"""A short loop in a fair component that is fair by itself: it takes each fair step, or visits a state that disables it."""

from __future__ import annotations

import numpy as np

from ..engines.graph import Edges, Numbers
from .fair_components import Fairness, Labels
from .region import OUTSIDE, Flags, Region


def fair_loop(region: Region, labels: Labels, head: int, fairness: Fairness) -> list[int]:
    """The edges of a fair loop from `head` back to it, by their positions in the region; none if standing still is fair.

    It always goes to the nearest state or step that meets an open demand, the least of several, and in the end back.
    """
    walk = _Walk(region, labels == labels[head], head, fairness)
    while True:
        weak, strong = walk.demands()
        if weak.any() or strong.any():
            walk.go(walk.lacking(weak), weak | strong)
        elif walk.at != head:
            walk.go(np.arange(len(region)) == head, np.zeros_like(strong))
        else:
            return walk.path


class _Walk:
    def __init__(self, region: Region, component: Flags, head: int, fairness: Fairness) -> None:
        self.region, self.component, self.fairness = region, component, fairness
        self.inner: Flags = (region.edges.targets != OUTSIDE) & component[region.edges.targets]
        self.at, self.path = head, list[int]()
        self.happened = np.zeros(len(fairness.weak), np.bool_)
        self.sometimes_enabled = self._enabled(head)
        self.always_enabled = self._enabled(head)

    def _enabled(self, state: int) -> Flags:
        enabled = np.zeros(len(self.fairness.weak), np.bool_)
        enabled[self.region.edges.steps[self.region.rows[state] : self.region.rows[state + 1]]] = True
        return enabled

    def demands(self) -> tuple[Flags, Flags]:
        """The steps to which the loop so far is unfair, by weak and by strong fairness."""
        weak = self.fairness.weak & self.always_enabled & ~self.happened
        strong = self.fairness.strong & self.sometimes_enabled & ~self.happened
        return weak, strong

    def lacking(self, steps: Flags) -> Flags:
        """The states of the component in which not all of these steps are enabled."""
        edges: Edges = self.region.edges
        enabled = np.bincount(edges.sources[steps[edges.steps]], minlength=len(self.region))
        return self.component & (enabled < np.count_nonzero(steps))

    def go(self, goals: Flags, steps: Flags) -> None:
        """Take a shortest path to one of the goals, or through one of the steps."""
        for position in self._way(goals, steps):
            self.happened[self.region.edges.steps[position]] = True
            self.at = int(self.region.edges.targets[position])
            self.sometimes_enabled |= self._enabled(self.at)
            self.always_enabled &= self._enabled(self.at)
            self.path.append(position)

    def _way(self, goals: Flags, steps: Flags) -> list[int]:
        edges = self.region.edges
        reached_by = np.full(len(self.region), -1, np.int64)
        frontier = np.array([self.at])
        while True:
            out = self._edges_from(frontier)
            serving = out[steps[edges.steps[out]]]
            if len(serving):
                return self._back(int(serving[0]), reached_by)
            out = out[(reached_by[edges.targets[out]] < 0) & (edges.targets[out] != self.at)]
            frontier, first = np.unique(edges.targets[out], return_index=True)
            reached_by[frontier] = out[first]
            found = frontier[goals[frontier]]
            if len(found):
                return self._back(int(reached_by[found[0]]), reached_by)
            if not len(frontier):
                raise AssertionError("a fair component lacks what makes it fair")

    def _edges_from(self, states: Numbers) -> Numbers:
        begins, ends = self.region.rows[states], self.region.rows[states + 1]
        lengths = ends - begins
        out: Numbers = np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        return out[self.inner[out]]

    def _back(self, last: int, reached_by: Numbers) -> list[int]:
        way = [last]
        while (source := int(self.region.edges.sources[way[0]])) != self.at:
            way.insert(0, int(reached_by[source]))
        return way
