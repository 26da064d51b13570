"""Cycles in a graph: its strongly connected components (Tarjan, 1972), and a shortest cycle in one of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

Edges = Mapping[int, Sequence[int]]


def components(edges: Edges) -> Iterator[list[int]]:
    """The strongly connected components, each after all that it leads to."""
    seen: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in edges:
        if root in seen:
            continue
        work = [(root, iter(edges[root]))]
        seen[root] = low[root] = len(seen)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in seen:
                    seen[other] = low[other] = len(seen)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(edges.get(other, ()))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], seen[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == seen[node]:
                    yield _popped(stack, on_stack, node)


def _popped(stack: list[int], on_stack: set[int], last: int) -> list[int]:
    component: list[int] = []
    while not component or component[-1] != last:
        component.append(stack.pop())
        on_stack.discard(component[-1])
    return component


def shortest_cycle(edges: Edges, component: Sequence[int]) -> list[int]:
    """A shortest cycle through the least node of a component with at least two nodes; the first node is not repeated."""
    inside, start = set(component), min(component)
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in edges.get(node, ()):
            if other == start:
                return _path(came, start, node)
            if other in inside and other not in came:
                came[other] = node
                queue.append(other)
    raise ValueError("a component with one node and no edge to itself has no cycle")


def _path(came: Mapping[int, int], start: int, end: int) -> list[int]:
    path = [end]
    while path[-1] != start:
        path.append(came[path[-1]])
    return path[::-1]
