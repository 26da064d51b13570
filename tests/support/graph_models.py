"""A model whose state carries a graph of its own to walk in, so that one kernel serves every graph; and a slow, independent oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import networkx as nx

from neverlost.model.core import Index, Model, Packed, Profile, State, action, eventually, flag, optional, per, require

NODES, LABELS = 5, 2
KINDS = ("free", "weak", "strong")

Edge = tuple[str, int, int]
"""(kind, label, node): the step of that kind and label from that node."""


class Node(Index, bound="nodes"):
    """A node."""


class Label(Index, bound="labels"):
    """What tells two steps of one action apart."""


class Walk(State):
    """Where the walk is, where each step leads, and which nodes begin or settle the wait."""

    at = optional(Node)
    free = per(Label, Node, optional(Node))
    weak = per(Label, Node, optional(Node))
    strong = per(Label, Node, optional(Node))
    begins = per(Node, flag())
    settles = per(Node, flag())


def initial(s: Walk) -> None:
    """Nowhere: a GraphModel begins elsewhere."""


@action("test")
def go_freely(s: Walk, label: Label) -> None:
    """Nobody is bound to take this step."""
    require(s.free[label][s.at] >= 0)

    s.at = s.free[label][s.at]


@action("test")
def go_weakly(s: Walk, label: Label) -> None:
    """This step is weakly fair."""
    require(s.weak[label][s.at] >= 0)

    s.at = s.weak[label][s.at]


@action("test")
def go_strongly(s: Walk, label: Label) -> None:
    """This step is strongly fair."""
    require(s.strong[label][s.at] >= 0)

    s.at = s.strong[label][s.at]


def wait_begins(s: Walk) -> bool:
    """Does the wait begin here?"""
    return s.begins[s.at]


@eventually("The wait is over.", after=wait_begins, weak=go_weakly, strong=go_strongly)
def wait_ends(s: Walk) -> bool:
    return s.settles[s.at]


@eventually("The walk comes to a node that settles it.", weak=go_weakly, strong=go_strongly)
def settled_at_some_time(s: Walk) -> bool:
    return s.settles[s.at]


WALK = Profile(
    name="test/walk",
    statement="A walk in a graph.",
    state=Walk,
    initial=initial,
    actions=(go_freely, go_weakly, go_strongly),
    properties=(wait_ends, settled_at_some_time),
    default_bounds={"nodes": NODES, "labels": LABELS},
)


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Where the steps lead (a step that is not there cannot happen), and which nodes begin or settle the wait."""

    edges: dict[Edge, int]
    begins: frozenset[int]
    settles: frozenset[int]

    def model(self) -> GraphModel:
        """The walk in this graph, from node 0."""
        return GraphModel(self)


class GraphModel(Model):
    """The walk in a graph: only the initial state differs from graph to graph."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(WALK, WALK.default_bounds, {})
        self.graph = graph

    def initial_states(self) -> list[Packed]:
        targets = {
            kind: [[self.graph.edges.get((kind, label, node), -1) for node in range(NODES)] for label in range(LABELS)]
            for kind in KINDS
        }
        values = {
            "at": 0,
            **targets,
            "begins": [int(node in self.graph.begins) for node in range(NODES)],
            "settles": [int(node in self.graph.settles) for node in range(NODES)],
        }
        return [self.layout.pack(WALK.state.of(self.bounds, values))]


def random_graph(number: int) -> Graph:
    """One of many graphs, most of them with a run to be argued about."""
    seed = random.Random(number)
    places = [(kind, label, node) for kind in KINDS for label in range(LABELS) for node in range(NODES)]
    chosen = seed.sample(places, seed.randint(4, 16))
    return Graph(
        edges={place: seed.randrange(NODES) for place in chosen},
        begins=frozenset(seed.sample(range(NODES), seed.randint(1, 3))),
        settles=frozenset(seed.sample(range(NODES), seed.randint(0, 2))),
    )


def waits(graph: Graph, from_start: bool) -> nx.DiGraph:
    """The graph of (node, is the wait on?): a wait that is on goes on until it is settled, and may begin at any time that it may."""
    begins = {0} if from_start else graph.begins - graph.settles
    found = nx.DiGraph()
    found.add_node((0, False))
    if 0 in begins and 0 not in graph.settles:
        found.add_edge("start", (0, True))
    found.add_edge("start", (0, False))
    for (_, _, node), target in graph.edges.items():
        found.add_edge((node, False), (target, False))
        if not from_start and target in begins:
            found.add_edge((node, False), (target, True))
        if node not in graph.settles and target not in graph.settles:
            found.add_edge((node, True), (target, True))
    return found


def fair_sets(graph: Graph) -> Iterator[tuple[int, ...]]:
    """Every set of nodes that a fair run may visit again and again, and no others, without settling: by the definition."""
    open_nodes = [node for node in range(NODES) if node not in graph.settles]
    for size in range(1, len(open_nodes) + 1):
        for nodes in combinations(open_nodes, size):
            if _connected(graph, nodes) and _fair(graph, nodes):
                yield nodes


def _connected(graph: Graph, nodes: Sequence[int]) -> bool:
    links = nx.DiGraph((node, target) for (_, _, node), target in graph.edges.items())
    links.add_nodes_from(nodes)
    return bool(nx.is_strongly_connected(links.subgraph(nodes)))


def _fair(graph: Graph, nodes: Sequence[int]) -> bool:
    for kind in ("weak", "strong"):
        for label in range(LABELS):
            targets = {node: graph.edges.get((kind, label, node), node) for node in nodes}
            enabled = [node for node in nodes if targets[node] != node]
            happens = any(targets[node] in nodes for node in enabled)
            demanded = enabled if kind == "strong" else len(enabled) == len(nodes)
            if demanded and not happens:
                return False
    return True


def shortest_stem(graph: Graph, from_start: bool) -> int | None:
    """How soon a run can be where it may await in vain for ever; None if no fair run does."""
    lengths = nx.single_source_shortest_path_length(waits(graph, from_start), "start")
    traps = {node for nodes in fair_sets(graph) for node in nodes}
    found = [lengths[node, True] - 1 for node in traps if (node, True) in lengths]
    return min(found, default=None)
