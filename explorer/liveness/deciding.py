"""Deciding `eventually` properties: is there a fair run that waits for one forever?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neverlost.model.core import Model, Packed, Property

from ..engines.graph import StateGraph
from .fair_components import NONE, fair_components, fairness_of
from .fair_loop import fair_loop
from .region import Region, region_of


@dataclass(frozen=True, kw_only=True)
class Lasso:
    """A run that waits for a property forever: the wait begins in `states[0]`, `level` steps from the start.

    `steps[i]` (a number among the model's steps) leads from `states[i]` to `states[i + 1]`; the last state is `states[loop_start]`
    again, and from there the run repeats itself. If that is the last state itself, nothing more happens.
    """

    level: int
    states: tuple[Packed, ...]
    steps: tuple[int, ...]
    loop_start: int


def find_lasso(graph: StateGraph, model: Model, prop: Property, tick: Callable[[int], None]) -> Lasso | None:
    """A run that refutes an `eventually`; None if it holds. The same one for every engine.

    Among the states in which a fair run can wait forever, it goes to the one that is reached first, to the least packed of several. It
    is built backwards from there through the least predecessors, and then gets a short fair loop.
    """
    region = region_of(graph, prop, len(model.steps), tick)
    fairness = fairness_of(model, prop)
    labels = fair_components(region, fairness, tick)
    traps = np.flatnonzero(labels != NONE)
    if not len(traps):
        return None
    head = int(traps[np.argmin(region.distance[traps])])
    stem = _stem(region, head)
    loop = fair_loop(region, labels, head, fairness)
    path = [*stem, *loop]
    numbers = [int(region.edges.sources[position]) for position in path] + [head]
    return Lasso(
        level=int(region.distance[numbers[0]]),
        states=tuple(region.state(number) for number in numbers),
        steps=tuple(int(region.edges.steps[position]) for position in path),
        loop_start=len(stem),
    )


def _stem(region: Region, head: int) -> list[int]:
    """The edges from the beginning of the wait to `head`, found backwards: each state follows its least predecessor."""
    way: list[int] = []
    state = head
    while not region.begins[state]:
        leading = np.flatnonzero(region.edges.targets == state)
        sources = region.edges.sources[leading]
        way.insert(0, int(leading[region.distance[sources] == region.distance[state] - 1][0]))
        state = int(region.edges.sources[way[0]])
    return way
