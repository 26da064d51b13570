"""Induction: lemmas and property hold at the start, every step preserves them, and together they imply the property.

Each question to Z3 is small: one step, one instance of one lemma. Steps and instances that differ by renaming are asked once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neverlost.model.core import Lemma, Model, ModelError, Packed, Property, Refused, Step

from ..lemmas.checking import is_true, is_true_across
from ..words import counted
from .bounded import Unrolling, run_of
from .clauses import Clause, Translation, as_lemma
from .orbits import is_least, least_steps, provable_symmetry
from .processes import spread
from .solving import PORTFOLIO, ROUNDS, Configuration, QueryResult, SolverAnswer, SolverSession
from .states import known
from .terms import Truth, conjunction, negation

INITIATION, CONSECUTION, DOMAIN, SUFFICIENCY = "initiation", "consecution", "domain", "sufficiency"
TRANSITION, SIMULATION, MEANING = "transition", "simulation", "meaning"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A counterexample to induction: a state in which everything holds, the number of a step, and the state after it in which something
    does not. For an initiation, the last step of a run from the start; without a step, the initial state.
    """

    before: Packed
    step: int | None
    after: Packed
    settings: tuple[int, ...] = ()
    """The values of the settings that were left open."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """One question and its answer.

    `kind` is initiation (true at the start), consecution (every step preserves it), domain (nothing leaves the domain of a field),
    sufficiency (the lemmas imply the property), transition (a step does what a `step_always` property says), simulation (an action
    with ghosts does what the one without them does) or meaning (a function finds what is stated of its result).
    """

    kind: str
    lemma: str
    instance: str
    action: str
    step: str
    result: QueryResult
    configuration: str
    seconds: float
    pair: Pair | None = None
    after: int = 0
    """For an initiation: how many steps from the start."""
    arguments: tuple[int, ...] = ()
    """Those of the instance."""

    @property
    def text(self) -> str:
        """The question in one line."""
        about = self.instance or self.lemma
        when = f"{counted(self.after, 'step')} from" if self.after else "at"
        return {
            INITIATION: f"{about} {when} the start",
            CONSECUTION: f"{about} after {self.step}",
            DOMAIN: f"{self.step} keeps every field within its domain"
            if self.step
            else f"{about} reads within domains",
            SUFFICIENCY: f"the lemmas imply {about}",
            TRANSITION: f"{about} of {self.step}",
            MEANING: f"{about} finds what is stated of it, {self.step}",
            SIMULATION: f"{self.step} does what the protocol does, in addition to its ghosts",
        }[self.kind]


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How Z3 is asked: bits of a number (None: the fewest that fit), seconds by round, solver settings, worker processes."""

    bits: int | None = None
    rounds: Sequence[float] = ROUNDS
    portfolio: Sequence[Configuration] = PORTFOLIO
    workers: int = 1


class Induction:
    """The proof obligations of one property of a model, from lemmas.

    With `k` above 1, every step must preserve the clauses after k states in a row in which all hold, and the start has k states too.
    A `step_always` property is no clause: it must hold of every step from a state in which the lemmas hold.
    With open settings, every query is repeated until it holds for all of their values for which no query has failed yet.
    """

    def __init__(
        self,
        model: Model,
        prop: Property,
        lemmas: Sequence[Lemma],
        effort: Effort,
        *,
        k: int = 1,
        open_settings: Sequence[str] = (),
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self.interrupted = interrupted
        self.model, self.prop, self.lemmas, self.effort, self.k = model, prop, tuple(lemmas), effort, k
        self.open_settings, self.excluded = tuple(open_settings), list[Truth]()
        began = time.perf_counter()
        self.translation = Translation(model, effort.bits, open_settings)
        self.goal = as_lemma(prop)
        self.domains, self.without_symmetry = provable_symmetry(model, [prop], lemmas)
        self.lemma_clauses = self.translation.clauses(lemmas)
        self.goal_clauses = [] if prop.over_steps else self.translation.clauses([self.goal])
        self.steps = least_steps(model, self.domains)
        self.translated_seconds = time.perf_counter() - began

    def queries(self) -> Iterator[Query]:
        """Every question with its answer. If the lemmas do not imply the property, it has to be inductive with them."""
        clauses = [*self.lemma_clauses, *self.goal_clauses]
        if self.goal_clauses and not self.open_settings:
            sufficient = self.sufficiency()
            yield sufficient
            clauses = self.lemma_clauses if sufficient.result == QueryResult.HOLDS else clauses
        started = []
        for query in self.initiation(clauses):
            started.append(query)
            yield query
        if self.proven(started):
            self._refuse_vacuity(clauses)
        if self.k > 1:
            yield from self._later_initiation(clauses)
        yield from self.consecution(clauses)

    @staticmethod
    def proven(queries: Sequence[Query]) -> bool:
        """Whether these answers together prove the property."""
        return all(q.result == QueryResult.HOLDS for q in queries if q.kind != SUFFICIENCY)

    def sufficiency(self) -> Query:
        """Whether the lemmas imply the property. If not, it must be inductive itself, together with them."""
        session = self._session([*self.translation.domain, *(c.truth for c in self.lemma_clauses)])
        answer = session.always(self.goal_clauses[0].truth)
        return self._query(SUFFICIENCY, self.goal_clauses[0], None, answer)

    def initiation(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """Whether each clause is true at the start."""
        initial = self.translation.initial()
        session = self._session(self.translation.domain)
        for clause in clauses:
            said = self.translation.says(clause.lemma, clause.arguments, initial)
            for answer, pair in self._answers(session, said, lambda answer, c=clause: self._start(answer, c)):  # type: ignore[misc]
                yield self._query(INITIATION, clause, None, answer, pair)

    def _refuse_vacuity(self, clauses: Sequence[Clause]) -> None:
        """Raises AssertionError if the assumptions on the state before a step exclude the initial state."""
        start = self.translation.space.pinned(self.translation.before, self.model.initial_states()[0])
        session = self._session([*self.translation.domain, *(c.truth for c in clauses)])
        if session.always(negation(start)).result == QueryResult.HOLDS:
            raise AssertionError("the assumptions of the proof exclude the initial state, so the proof means nothing")

    def _answers(
        self, session: SolverSession, claim: Truth, pair_of: Callable[[SolverAnswer], Pair]
    ) -> Iterator[tuple[SolverAnswer, Pair | None]]:
        """The answer to one question, with its counterexample; more of them while there are open settings to try."""
        while True:
            answer = session.always(claim, self.excluded)
            if answer.result != QueryResult.FAILS:
                yield answer, None
                return
            pair = pair_of(answer)
            yield answer, pair
            if not self.open_settings:
                return
            self.excluded.append(negation(self._chosen(pair.settings)))

    def _chosen(self, values: Sequence[int]) -> Truth:
        """The open settings have these values."""
        settings, compare = self.translation.space.settings, self.translation.terms.compare
        return conjunction(
            compare("==", settings[name], value) for name, value in zip(self.open_settings, values, strict=True)
        )

    def _setting_values(self, answer: SolverAnswer) -> tuple[int, ...]:
        return tuple(known(answer.model, self.translation.space.settings[name]) for name in self.open_settings)

    def model_with(self, values: Sequence[int]) -> Model:
        """The model with the open settings at these values."""
        if not self.open_settings:
            return self.model
        chosen = {**self.model.settings, **dict(zip(self.open_settings, values, strict=True))}
        return self.model.profile.bounded(**self.model.bounds, **chosen)

    def _start(self, answer: SolverAnswer, clause: Clause) -> Pair:
        """The initial state in which a clause is false, confirmed by the interpreter."""
        values = self._setting_values(answer)
        model = self.model_with(values)
        words = model.initial_states()[0]
        if is_true(model, clause.lemma, clause.arguments, words):
            raise AssertionError(f"the interpreter does not confirm that {clause.lemma.name} is false at the start")
        return Pair(before=words, step=None, after=words, settings=values)

    def _later_initiation(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """Whether each lemma is true after up to k - 1 steps, and these stay within the domains."""
        unrolling = Unrolling(self.translation)
        facts = unrolling.add_state()
        facts.append(self.translation.space.pinned(unrolling.states[0], self.model.initial_states()[0]))
        lemmas: dict[str, list[Clause]] = {c.lemma.name: [] for c in clauses}
        for clause in clauses:
            lemmas[clause.lemma.name].append(clause)
        for steps in range(1, self.k):
            yield from self._flaws(unrolling, facts, steps - 1)
            facts += [negation(unrolling.leaves_domain(steps - 1)), *unrolling.add_step()]
            session = self._session(facts)
            for instances in lemmas.values():
                answer = session.always(unrolling.at(steps, conjunction(c.truth for c in instances)))
                pair = None if answer.model is None else self._run_to(unrolling, answer, steps, instances)
                yield replace(self._query(INITIATION, instances[0], None, answer, pair), instance="", after=steps)

    def _flaws(self, unrolling: Unrolling, facts: Sequence[Truth], number: int) -> Iterator[Query]:
        """Whether every step after so many stays within the domains of the fields."""
        session = self._session(facts)
        for symbolic in unrolling.symbolic_steps:
            if symbolic.flaw is False:
                continue
            answer, pair = session.always(negation(unrolling.at(number, symbolic.flaw))), None
            if answer.model is not None:
                pair = self._confirmed(
                    self.model, run_of(unrolling, answer.model, number).states[-1], symbolic.step, None
                )
            yield self._query(DOMAIN, None, symbolic.step, answer, pair)

    def _run_to(self, unrolling: Unrolling, answer: SolverAnswer, length: int, instances: Sequence[Clause]) -> Pair:
        """The last step of a run from the start to a state in which an instance of a lemma is false, confirmed by the interpreter."""
        run = run_of(unrolling, answer.model, length)
        before, after = run.states[-2:]
        if all(is_true(self.model, c.lemma, c.arguments, after) for c in instances):
            raise AssertionError(f"the interpreter does not confirm that {instances[0].lemma.name} is false: {after}")
        return Pair(before=before, step=self.model.steps.index(run.steps[-1]), after=after)

    def _history(self, clauses: Sequence[Clause]) -> list[Any]:
        """The conditions that the k - 1 states before a step's first state put on it."""
        if self.k == 1:
            return []
        unrolling = Unrolling(self.translation)
        facts = unrolling.add_state()
        for _ in range(self.k - 1):
            facts += [unrolling.at(len(unrolling.states) - 1, c.truth) for c in clauses]
            facts += unrolling.add_step()
        facts += [one == other for one, other in zip(unrolling.copies[-1], unrolling.atoms, strict=True)]
        return facts

    def consecution(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """Whether each clause holds after every step if all hold before it. The work stops when the caller stops reading."""
        yield from spread(self.steps, lambda step: self._step(step, clauses), self.effort.workers, self.interrupted)

    def _step(self, step: Step, clauses: Sequence[Clause]) -> Iterator[Query]:
        """The questions about one step."""
        symbolic = self.translation.symbolic_step(step)
        assumed = [*self.translation.domain, *(c.truth for c in clauses), *self._history(clauses)]
        session = self._session([*assumed, symbolic.enabled, negation(symbolic.flaw)])
        if symbolic.flaw is not False:
            unguarded = self._session(assumed)
            for answer, pair in self._answers(unguarded, negation(symbolic.flaw), lambda a: self._pair(a, step, None)):
                yield self._query(DOMAIN, None, step, answer, pair)
        if self.prop.over_steps:
            goal = Clause(self.goal, (), self.translation.across(self.prop, symbolic), frozenset())
            for answer, pair in self._answers(session, goal.truth, lambda a: self._pair(a, step, goal)):
                yield self._query(TRANSITION, goal, step, answer, pair)
        call = (step.action.parameters, step.arguments)
        for clause in clauses:
            if not symbolic.becomes.keys() & clause.reads:
                continue
            if not is_least(self.domains, [call, (clause.lemma.parameters, clause.arguments)]):
                continue
            later = self.translation.later(symbolic, clause)
            for answer, pair in self._answers(session, later, lambda a, c=clause: self._pair(a, step, c)):  # type: ignore[misc]
                yield self._query(CONSECUTION, clause, step, answer, pair)

    def _session(self, assumptions: Sequence[Any]) -> SolverSession:
        return SolverSession(assumptions, self.effort.rounds, self.effort.portfolio)

    def _pair(self, answer: SolverAnswer, step: Step, clause: Clause | None) -> Pair:
        """The counterexample in a solver's answer, confirmed by the interpreter."""
        values = self._setting_values(answer)
        before = self.translation.space.read(answer.model, self.translation.before)
        return replace(self._confirmed(self.model_with(values), before, step, clause), settings=values)

    def _confirmed(self, model: Model, before: Packed, step: Step, clause: Clause | None) -> Pair:
        """A step that breaks a clause (None: leaves a domain), confirmed by the interpreter. Raises AssertionError if it is not."""
        number = self.model.steps.index(step)
        shown = step.show(self.model.bounds)
        try:
            after = model.apply(before, step)
        except Refused:
            raise AssertionError(f"the interpreter refuses {shown}, which the solver accepts: {before}") from None
        except ModelError:
            if clause is None:
                return Pair(before=before, step=number, after=before)
            raise AssertionError(f"the interpreter leaves a domain in {shown}; the solver does not: {before}") from None
        if clause is None or self._holds(model, clause, before, after):
            broken = "a domain" if clause is None else clause.lemma.name
            raise AssertionError(f"the interpreter does not confirm that {shown} ends {broken}: {before}")
        return Pair(before=before, step=number, after=after)

    def _holds(self, model: Model, clause: Clause, before: Packed, after: Packed) -> bool:
        """Whether a clause holds after a step, or a `step_always` property of it."""
        if self.prop.over_steps and clause.lemma is self.goal:
            return is_true_across(model, self.prop, before, after)
        return is_true(model, clause.lemma, clause.arguments, after)

    def _query(
        self, kind: str, clause: Clause | None, step: Step | None, answer: SolverAnswer, pair: Pair | None = None
    ) -> Query:
        bounds = self.model.bounds
        return Query(
            kind=kind,
            lemma="" if clause is None else clause.lemma.name,
            instance="" if clause is None else clause.lemma.show(clause.arguments, bounds),
            action="" if step is None else step.action.name,
            step="" if step is None else step.show(bounds),
            result=answer.result,
            configuration=answer.configuration,
            seconds=answer.seconds,
            pair=pair,
            arguments=() if clause is None else clause.arguments,
        )
