"""Cases of a suite: the steps of one walk through a model, with what should be seen after each; and how few of them cover most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, Progress, reached_graph
from neverlost.model.core import Model, NeverlostError, Step

from .goals import Goals, goals_of
from .walks import Walk, walks

SOON = 10_000
"""States that the interpreter has explored before the compiled engine is compiled."""


class UnfinishedGraphError(NeverlostError):
    """The graph of a model is too large to cover."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """The steps of a case from the initial state, and how many goals it covers that no case before it does."""

    name: str
    steps: tuple[Step, ...]
    adds: int


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Cases that cover `covered` of the `goals` of a kind in the graph of a model."""

    model: Model
    cover: str
    goals: int
    covered: int
    cases: tuple[Case, ...]

    @property
    def steps(self) -> int:
        """Of all cases together."""
        return sum(len(case.steps) for case in self.cases)


def suite_of(
    model: Model,
    cover: str,
    *,
    budget: int | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Suite:
    """Cases that cover the graph of a model: all of it, or with a `budget` of cases as much as the best so many of them do.

    Before them come the shortest witnesses of what the profile says must be possible. Raises UnfinishedGraphError if the search
    is cut short.
    """
    sought = [p.name for p in model.profile.properties if p.kind == "sometimes"]
    most = limits or Limits()
    few = replace(most, states=min(SOON, most.states or SOON))
    for engine, within in (("interpreted", few), ("compiled", most)):
        result, graph = reached_graph(
            model, engine=engine, properties=sought, limits=within, progress=progress, interrupted=interrupted
        )
        if graph is not None or interrupted() or within == most:
            break
    if graph is None:
        raise UnfinishedGraphError(
            f"the search ended after {result.distinct:,} states, before it had seen all; a suite covers a whole graph."
            " Take lower bounds, fewer faults, or a higher --max-states"
        )
    goals = goals_of(model, graph, cover)
    chosen = _best(goals, walks(goals), budget)
    cases = [
        Case(name=f"{number:05}", steps=_steps(model, goals, walk), adds=walk.adds)
        for number, walk in enumerate(chosen, start=1)
    ]
    return Suite(
        model=model,
        cover=cover,
        goals=len(goals.wanted),
        covered=sum(walk.adds for walk in chosen),
        cases=(*_witnesses(result), *cases),
    )


def _witnesses(result: Result) -> list[Case]:
    """The shortest way to each thing that was found to be possible."""
    return [
        Case(name=f"witness-{name}", steps=finding.trace.steps, adds=0)
        for name, finding in result.findings.items()
        if finding.trace is not None
    ]


def _steps(model: Model, goals: Goals, walk: Walk) -> tuple[Step, ...]:
    return tuple(model.steps[goals.step_of[edge]] for edge in walk.edges if edge in goals.step_of)


def _best(goals: Goals, found: Sequence[Walk], budget: int | None) -> list[Walk]:
    """The walks; with a budget, so many of them, each the one that adds most to those before it."""
    if budget is None or budget >= len(found):
        return list(found)
    left = {number: goals.wanted.intersection(walk.edges) for number, walk in enumerate(found)}
    chosen: list[Walk] = []
    covered: set[tuple[int, int]] = set()
    for _ in range(budget):
        best = max(left, key=lambda number: (len(left[number]), -number))
        new = left.pop(best)
        chosen.append(Walk(edges=found[best].edges, adds=len(new)))
        covered |= new
        left = {number: goals_left - new for number, goals_left in left.items()}
    return chosen
