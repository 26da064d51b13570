"""Cases of a suite: the steps of one walk through a model, with the expected state after each; and how a few cases cover most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.search import Limits, Progress
from neverlost.model.core import Model, Step

from ..exploring import known_traces, whole_graph
from .covering_walks import Walk, walks
from .goals import Goals, goals_of


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A mistake that a case is there for: after how many steps it shows, the rules that it breaks, and what is wrong."""

    after: int
    rules: str
    about: str


@dataclass(frozen=True, kw_only=True)
class SuiteCase:
    """The steps of a case from the initial state, and how many goals it covers that no earlier case does.

    `attempts_after` says after how many steps the case is in a state that is new in the suite: refused steps are tried
    there. `chosen` are bounds and settings that are others than the suite's.
    """

    name: str
    steps: tuple[Step, ...]
    adds: int
    attempts_after: tuple[int, ...] = ()
    chosen: Mapping[str, int] = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Cases that cover `covered` of the `goals` of a kind in the graph of a model."""

    model: Model
    cover: str
    goals: int
    covered: int
    cases: tuple[SuiteCase, ...]

    @property
    def steps(self) -> int:
        """Of all cases together."""
        return sum(len(case.steps) for case in self.cases)

    def model_of(self, case: SuiteCase) -> Model:
        """The model that a case is a run of."""
        return with_chosen(self.model, case.chosen)


def with_chosen(model: Model, chosen: Mapping[str, int]) -> Model:
    """The model with some bounds and settings changed; itself if none is."""
    return model.profile.bounded(**{**model.bounds, **model.settings, **chosen}) if chosen else model


def suite_of(
    model: Model,
    cover: str,
    *,
    budget: int | None = None,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Suite:
    """Cases that cover the graph of a model: all of it, or with a `budget` as much as that number of best cases covers.

    Before them come the shortest traces to every violation and every witness of a property.
    Raises UnfinishedGraphError if the search ends early.
    """
    result, graph = whole_graph(model, limits=limits, watch=watch)
    goals = goals_of(model, graph, cover)
    chosen = _best(goals, walks(goals) or [Walk(edges=(), adds=0)], budget)
    witnesses = [SuiteCase(name=name, steps=steps, adds=0) for name, steps in known_traces(result).items()]
    cases = _cases(model, goals, chosen)
    return Suite(
        model=model,
        cover=cover,
        goals=len(goals.wanted),
        covered=sum(walk.adds for walk in chosen),
        cases=(*witnesses, *cases),
    )


def _cases(model: Model, goals: Goals, chosen: Sequence[Walk]) -> list[SuiteCase]:
    been: set[int | None] = {None}
    cases = []
    for number, walk in enumerate(chosen, start=1):
        steps, attempts_after = list[Step](), list[int]()
        for node, edge in [(goals.root, None), *((edge[1], edge) for edge in walk.edges)]:
            if edge in goals.step_of:
                steps.append(model.steps[goals.step_of[edge]])
            state = goals.state_of(node)
            if state not in been:
                been.add(state)
                attempts_after.append(len(steps))
        cases.append(
            SuiteCase(name=f"{number:05}", steps=tuple(steps), adds=walk.adds, attempts_after=tuple(attempts_after))
        )
    return cases


def _best(goals: Goals, found: Sequence[Walk], budget: int | None) -> list[Walk]:
    """The walks; with a budget, that number of them, each the one that adds most to those before it."""
    if budget is None or budget >= len(found):
        return list(found)
    left = {number: goals.wanted.intersection(walk.edges) for number, walk in enumerate(found)}
    chosen: list[Walk] = []
    for _ in range(budget):
        best = max(left, key=lambda number: (len(left[number]), -number))
        new = left.pop(best)
        chosen.append(Walk(edges=found[best].edges, adds=len(new)))
        left = {number: goals_left - new for number, goals_left in left.items()}
    return chosen
