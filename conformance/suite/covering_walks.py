"""Short walks from the root of a graph that take every wanted edge at least once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import networkx as nx

from .goals import Goals

LONGEST = 40
"""The most steps of a case beyond the path to its first goal: short cases are easier to read if they fail."""

DETOUR = 500
"""States that are searched for the next goal before a walk ends and another begins: continuing is shorter than starting again."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The edges of a walk from the root, and how many goals it covers that no earlier walk covers."""

    edges: tuple[tuple[int, int], ...]
    adds: int


def walks(goals: Goals) -> list[Walk]:
    """Walks that together take every wanted edge, the nearest goals first."""
    return _Cover(goals).all()


class _Cover:
    def __init__(self, goals: Goals) -> None:
        self.goals, self.graph = goals, goals.graph
        self.open: dict[int, list[int]] = {}
        for source, target in sorted(goals.wanted, reverse=True):
            self.open.setdefault(source, []).append(target)
        self.taken: set[tuple[int, int]] = set()
        self.parent = dict(nx.bfs_predecessors(self.graph, goals.root))
        self.near_first: deque[int] = deque([goals.root, *self.parent])

    def all(self) -> list[Walk]:
        """One walk after the other, until nothing is open."""
        found = []
        while (start := self._nearest_open()) is not None:
            found.append(self._walk(start))
        return found

    def _nearest_open(self) -> int | None:
        while self.near_first:
            if self.open.get(self.near_first[0]):
                return self.near_first[0]
            self.near_first.popleft()
        return None

    def _walk(self, start: int) -> Walk:
        before = len(self.taken)
        edges: list[tuple[int, int]] = []
        for edge in self._way_to(start):
            self._take(edge, edges)
        node, end = start, len(edges) + LONGEST
        while len(edges) < end:
            way = self._next(node)
            if not way:
                break
            for edge in way:
                self._take(edge, edges)
            node = edges[-1][1]
        return Walk(edges=tuple(edges), adds=len(self.taken) - before)

    def _way_to(self, node: int) -> list[tuple[int, int]]:
        way = []
        while node != self.goals.root:
            way.append((self.parent[node], node))
            node = self.parent[node]
        return way[::-1]

    def _take(self, edge: tuple[int, int], edges: list[tuple[int, int]]) -> None:
        edges.append(edge)
        if edge in self.goals.wanted and edge not in self.taken:
            self.taken.add(edge)
            self.open[edge[0]].remove(edge[1])

    def _next(self, node: int) -> list[tuple[int, int]]:
        """An open edge from here, if possible to a node with more open edges; else a short path to one."""
        here = self.open.get(node)
        if here:
            onward = next((target for target in reversed(here) if self.open.get(target)), here[-1])
            return [(node, onward)]
        return self._detour(node)

    def _detour(self, node: int) -> list[tuple[int, int]]:
        came: dict[int, int] = {node: node}
        waiting = deque([node])
        while waiting and len(came) < DETOUR:
            source = waiting.popleft()
            for target in self.graph.successors(source):
                if target in came:
                    continue
                came[target] = source
                if self.open.get(target):
                    return _back(came, node, target)
                waiting.append(target)
        return []


def _back(came: dict[int, int], start: int, node: int) -> list[tuple[int, int]]:
    way = []
    while node != start:
        way.append((came[node], node))
        node = came[node]
    return way[::-1]
