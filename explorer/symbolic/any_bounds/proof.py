"""Proofs for any bounds: every obligation goes to Z3; if one configuration does not settle it in time, the next one tries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.model.core import Lemma, Property, Unbounded
from neverlost.model.core.profile import lowered_lemma

from ...process.exit_code import ExitCode
from ...process.watch import UNWATCHED, Watch
from ...verdict import Verdict
from ..induction import SUFFICIENCY, Effort, Query
from ..processes import spread
from ..proof import ensure_named_apart, provable
from ..solving import Configuration, QueryResult
from ..states import SymbolicState
from .instances import Instances
from .obligations import Obligation, Obligations

WITHOUT_MODELS = ("mbqi", False)
"""Z3 does not search for a model of the quantifiers: it only instantiates them."""

POINTED = Configuration("pointed", options=(WITHOUT_MODELS,))
POINTED_FAR = Configuration("pointed further", options=(WITHOUT_MODELS,))
"""For questions whose quantifiers wait for seen terms: first terms near the question, then more distant ones."""

GENERAL = Configuration("general", options=(WITHOUT_MODELS,))
OTHERS = (
    Configuration("older arithmetic", options=(WITHOUT_MODELS, ("arith.solver", 2))),
    Configuration("eager", options=(WITHOUT_MODELS, ("qi.eager_threshold", 100.0))),
    Configuration("with models"),
)
"""For the questions unchanged: Z3 chooses where to instantiate. Which configuration is slow for a question is a matter of luck."""

STEPS_A_SECOND = 5_000_000
"""Z3's own steps in about a second of an idle core: a limit in steps does not depend on load."""

MOST_SLOWER = 10
"""A query may take so many times as long as on an idle core before the clock ends it."""

ROUNDS_FOR_ANY_BOUNDS = (1.0, 4.0, 8.0)


@dataclass(frozen=True, kw_only=True)
class AnyProof:
    """The queries and the verdict: proven if every query holds, else undecided: Z3's counterexample is not a state of a model."""

    unbounded: Unbounded
    settings: Mapping[str, int]
    claim: Property
    verdict: Verdict
    lemmas: tuple[Lemma, ...]
    queries: tuple[Query, ...]
    translated_seconds: float
    seconds: float

    @property
    def failing(self) -> tuple[Query, ...]:
        """The queries with a counterexample, except for sufficiency: the property is then proven together with the lemmas."""
        return tuple(q for q in self.queries if q.result == QueryResult.FAILS and q.kind != SUFFICIENCY)

    @property
    def unknown(self) -> tuple[Query, ...]:
        """The queries that no configuration settled in time."""
        return tuple(q for q in self.queries if q.result == QueryResult.UNKNOWN and q.kind != SUFFICIENCY)

    @property
    def exit_code(self) -> ExitCode:
        """0 proven, 3 undecided."""
        return ExitCode.of(self.verdict)


def prove_for_any_bounds(
    unbounded: Unbounded,
    name: str,
    *,
    settings: Mapping[str, int] | None = None,
    lemmas: Sequence[Lemma] | None = None,
    effort: Effort | None = None,
    until: str = "first",
    watch: Watch[Query] = UNWATCHED,
) -> AnyProof:
    """Prove a property for any number of steps and any bounds, from `lemmas` (by default those of the traced profile).

    `settings` has a value for every setting of the profile; by default these are its own.

    Ends with the first query that does not hold, or with `until` "all" after all of them.
    Raises UnknownNameError, UnprovableError, ModelError for two lemmas of one name, and UntranslatableError for constructs without a
    form for any bounds.
    """
    began = time.perf_counter()
    prop = provable(unbounded.profile, name)
    chosen = unbounded.traced.lemmas if lemmas is None else tuple(lemmas)
    ensure_named_apart(prop, chosen)
    chosen = tuple(map(lowered_lemma, chosen))
    values = unbounded.profile.default_settings if settings is None else settings
    obligations = Obligations(unbounded, prop, chosen, values)
    queries: list[Query] = []
    for query in _queries(obligations, effort or Effort(rounds=ROUNDS_FOR_ANY_BOUNDS), watch.interrupted):
        queries.append(query)
        watch.progress(query)
        if watch.interrupted() or (
            until == "first" and query.kind != SUFFICIENCY and query.result != QueryResult.HOLDS
        ):
            break
    complete = not watch.interrupted() and all(q.result == QueryResult.HOLDS for q in queries if q.kind != SUFFICIENCY)
    return AnyProof(
        unbounded=unbounded,
        settings=values,
        claim=prop,
        verdict=Verdict.PROVEN if complete else Verdict.UNDECIDED,
        lemmas=chosen,
        queries=tuple(queries),
        translated_seconds=obligations.seconds,
        seconds=time.perf_counter() - began,
    )


def _queries(obligations: Obligations, effort: Effort, interrupted: Callable[[], bool]) -> Iterator[Query]:
    """Every question with its answer. If the lemmas do not imply the property, it has to be inductive with them."""
    before, instances = obligations.translation.before, Instances(obligations.translation.space)

    def all_of(asked: Sequence[Obligation]) -> Iterator[Query]:
        yield from spread(
            asked, lambda each: iter([answered(each, instances, before, effort.rounds)]), effort.workers, interrupted
        )

    sufficient = list(all_of(obligations.sufficiency()))
    yield from sufficient
    with_property = any(query.result != QueryResult.HOLDS for query in sufficient)
    yield from all_of(obligations.induction(with_property))


def answered(obligation: Obligation, instances: Instances, before: SymbolicState, rounds: Sequence[float]) -> Query:
    """Ask one question, with new solvers."""
    began = time.perf_counter()
    near = [*obligation.given, *obligation.goal.refuted]
    asked = [*obligation.assumed, *near]
    pointed = [instances.pointed(fact) for fact in asked]
    tries = [
        (POINTED, [*pointed, *instances.near(near).values()]),
        (GENERAL, asked),
        (POINTED_FAR, [*pointed, *instances.far(asked, before).values()]),
        *((each, asked) for each in OTHERS),
    ]
    result, configuration = _first_settled((each, facts, seconds) for seconds in rounds for each, facts in tries)
    about = obligation.lemma
    return Query(
        kind=obligation.kind,
        lemma=about,
        instance=f"{about}, {obligation.part}" if about and obligation.part else about,
        action=obligation.action,
        step=obligation.step,
        result=result,
        configuration=configuration,
        seconds=time.perf_counter() - began,
    )


def _first_settled(tries: Iterable[tuple[Configuration, Sequence[Any], float]]) -> tuple[QueryResult, str]:
    """Whether some facts contradict each other, and which configuration settled it in its seconds."""
    for configuration, facts, seconds in tries:
        # A new context for each question: after hundreds of questions in one context Z3 searches fifty times as long, because its
        # choices depend on the numbers of terms there. So the answer does not depend on earlier questions either.
        context = z3.Context()
        solver = configuration.solver(context)
        solver.set("rlimit", int(seconds * STEPS_A_SECOND))
        solver.set("timeout", int(seconds * MOST_SLOWER * 1000))
        solver.add(*[fact.translate(context) for fact in facts])
        verdict = solver.check()
        if verdict != z3.unknown:
            return QueryResult.HOLDS if verdict == z3.unsat else QueryResult.FAILS, configuration.name
    return QueryResult.UNKNOWN, "all"
