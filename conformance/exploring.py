"""The whole graph of a model, for what is made from it: suites, and the ways of state machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from neverlost.explorer.graph import StateGraph
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, Progress, reached_graph
from neverlost.model.core import Model, NeverlostError

MOST = 200_000
"""States of a graph, unless a caller says otherwise."""

SOON = 10_000
"""States that the interpreter has explored before the compiled engine is compiled."""


class UnfinishedGraphError(NeverlostError):
    """The graph of a model is too large to cover."""


def whole_graph(
    model: Model,
    properties: Sequence[str],
    *,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> tuple[Result, StateGraph]:
    """All states with their steps, and what was found on some properties. Raises UnfinishedGraphError if the search is cut short."""
    most = limits or Limits(states=MOST)
    few = replace(most, states=min(SOON, most.states or SOON))
    for engine, within in (("interpreted", few), ("compiled", most)):
        result, graph = reached_graph(
            model, engine=engine, properties=properties, limits=within, progress=progress, interrupted=interrupted
        )
        if graph is not None:
            return result, graph
        if interrupted() or within == most:
            break
    raise UnfinishedGraphError(
        f"the search ended after {result.distinct:,} states, before it had seen all; the whole graph is needed."
        " Take lower bounds, fewer faults, or a higher limit of states (--max-states)"
    )
