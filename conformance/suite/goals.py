"""What a suite covers: every state of the explored graph, every transition, or every two transitions in a row.

Each is the same question about a different graph: which walks from the root take every edge? To cover states, one edge into each of
them is enough; the edges of the graph of pairs lie between transitions, with a root before the first ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from neverlost.explorer.engines.graph import Numbers, StateGraph
from neverlost.model.core import Model

ROOT = -1
"""The node before the first transition, in the graph of pairs."""


@dataclass(frozen=True, kw_only=True)
class Goals:
    """A graph with the edges that walks from its root should take.

    `step_of` maps an edge to its step of the model, and `state_of` a node to its state of the model; a node between two states has
    none.
    """

    graph: nx.DiGraph
    root: int
    wanted: frozenset[tuple[int, int]]
    step_of: dict[tuple[int, int], int]
    state_of: Callable[[int], int | None]


def goals_of(model: Model, graph: StateGraph, cover: str) -> Goals:
    """What a suite can cover in a graph. If several steps lead from one state to another, each is a transition."""
    packed = graph.packed(np.arange(graph.count))
    order = np.lexsort(packed.T[::-1])
    transitions = _transitions(graph, order)
    initial = np.array(model.initial_states()[0], np.int64)
    root = int(np.flatnonzero((packed[order] == initial).all(axis=1))[0])
    if cover == "pairs":
        return _pairs(transitions, root)
    return _single(transitions, root, every=cover == "transitions")


def _transitions(graph: StateGraph, order: Numbers) -> list[tuple[int, int, int]]:
    """Source, step and target of every transition, with states numbered in an order that is the same for every engine."""
    edges = graph.edges(np.arange(graph.count))
    rank = np.empty(graph.count, np.int64)
    rank[order] = np.arange(graph.count)
    rows = np.stack([rank[edges.sources], edges.steps.astype(np.int64), rank[edges.targets]], axis=1)
    found: list[tuple[int, int, int]] = [tuple(row) for row in rows[np.lexsort(rows.T[::-1])].tolist()]
    return found


def _single(transitions: Sequence[tuple[int, int, int]], root: int, every: bool) -> Goals:
    """States are numbered from 0; a second step between the same two states gets a node of its own, below `ROOT`."""
    graph, step_of, wanted = nx.DiGraph(), dict[tuple[int, int], int](), set[tuple[int, int]]()
    graph.add_node(root)
    beside = ROOT
    for source, step, target in transitions:
        edge = (source, target)
        if edge in step_of:
            if not every:
                continue
            beside -= 1
            edge = (source, beside)
            graph.add_edge(beside, target)
        graph.add_edge(*edge)
        step_of[edge] = step
        if every:
            wanted.add(edge)
    if not every:
        wanted = set(nx.bfs_edges(graph, root))
    return Goals(
        graph=graph,
        root=root,
        wanted=frozenset(wanted),
        step_of=step_of,
        state_of=lambda node: node if node > ROOT else None,
    )


def _pairs(transitions: Sequence[tuple[int, int, int]], root: int) -> Goals:
    leaving = defaultdict[int, list[int]](list)
    for number, (source, _, _) in enumerate(transitions):
        leaving[source].append(number)
    graph, step_of = nx.DiGraph(), dict[tuple[int, int], int]()
    graph.add_node(ROOT)
    before = [(ROOT, root), *((number, target) for number, (_, _, target) in enumerate(transitions))]
    for number, target in before:
        for following in leaving[target]:
            graph.add_edge(number, following)
            step_of[number, following] = transitions[following][1]
    return Goals(
        graph=graph,
        root=ROOT,
        wanted=frozenset(step_of),
        step_of=step_of,
        state_of=lambda node: root if node == ROOT else transitions[node][2],
    )
