"""The whole graph of a model, for suites and state machines."""

from __future__ import annotations

from dataclasses import replace

from neverlost.explorer.engines.graph import StateGraph
from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, Progress, reached_graph
from neverlost.model.arguments import argument
from neverlost.model.core import Model, NeverlostError, Step

MOST = 200_000
"""The default limit on the states of a graph."""

SOON = 10_000
"""So many states the interpreter explores before the compiled engine is compiled."""


class UnfinishedGraphError(NeverlostError):
    """The graph of a model is too large to cover."""


def whole_graph(
    model: Model,
    *,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> tuple[Result, StateGraph]:
    """All states with their steps, and the findings on every property of states or steps.

    Raises UnfinishedGraphError if the search ends early.
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
        f"the search ended after {result.distinct:,} states and is not complete, but the whole graph is needed."
        f" Use lower bounds, fewer faults, or a higher limit of states ({argument('limits', options=('max_states',))})"
    )


def known_traces(result: Result) -> dict[str, tuple[Step, ...]]:
    """The shortest trace to each violation and to each witness, as `violation-NAME` or `witness-NAME`."""
    return {
        f"{'witness' if finding.property.seeks else 'violation'}-{name}": finding.trace.steps
        for name, finding in result.findings.items()
        if finding.trace is not None
    }
