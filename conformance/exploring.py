"""The whole graph of a model, for what is made from it: suites, and the ways of state machines."""

from __future__ import annotations

from dataclasses import replace

from neverlost.explorer.graph import StateGraph
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, Progress, reached_graph
from neverlost.explorer.watch import UNWATCHED, Watch
from neverlost.model.core import Model, NeverlostError, Step

MOST = 200_000
"""States of a graph, unless a caller says otherwise."""

SOON = 10_000
"""States that the interpreter has explored before the compiled engine is compiled."""


class UnfinishedGraphError(NeverlostError):
    """The graph of a model is too large to cover."""


def whole_graph(
    model: Model,
    *,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> tuple[Result, StateGraph]:
    """All states with their steps, and what was found on every property of states or steps.

    Raises UnfinishedGraphError if the search is cut short.
    """
    sought = [p.name for p in (*model.profile.properties, *model.profile.probes) if not p.over_runs]
    most = limits or Limits(states=MOST)
    few = replace(most, states=min(SOON, most.states or SOON))
    for engine, within in (("interpreted", few), ("compiled", most)):
        result, graph = reached_graph(model, engine=engine, properties=sought, limits=within, watch=watch)
        if graph is not None:
            return result, graph
        if watch.interrupted() or within == most:
            break
    raise UnfinishedGraphError(
        f"the search ended after {result.distinct:,} states, before it had seen all; the whole graph is needed."
        " Take lower bounds, fewer faults, or a higher limit of states (--max-states, Limits(states=...))"
    )


def known_traces(result: Result) -> dict[str, tuple[Step, ...]]:
    """The shortest way to each violation, and to each thing that was found to be possible, as `violation-NAME` or `witness-NAME`."""
    return {
        f"{'witness' if finding.property.seeks else 'violation'}-{name}": finding.trace.steps
        for name, finding in result.findings.items()
        if finding.trace is not None
    }
