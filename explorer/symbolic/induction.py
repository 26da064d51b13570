"""Induction: lemmas and property hold at the start, no step ends them, and together they imply the property.

Each question to Z3 is small: one step, one instance of one lemma. Steps and instances that differ by renaming are asked once.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from neverlost.model.core import Lemma, Model, ModelError, Packed, Property, Refused, Step

from ..lemma_check import is_true
from .clauses import Clause, Translation, as_lemma
from .orbits import is_least, least_steps, provable_symmetry
from .solving import FAILS, HOLDS, PORTFOLIO, ROUNDS, Answer, Asker, Configuration
from .terms import negation

INITIATION, CONSECUTION, DOMAIN, SUFFICIENCY = "initiation", "consecution", "domain", "sufficiency"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A counterexample to induction: a state in which everything holds, the number of a step, and the state after it in which something
    does not. Without a step, the initial state.
    """

    before: Packed
    step: int | None
    after: Packed


@dataclass(frozen=True, kw_only=True)
class Query:
    """One question and its answer.

    `kind` is initiation (true at the start), consecution (no step ends it), domain (no step leaves the domain of a field) or
    sufficiency (the lemmas imply the property).
    """

    kind: str
    lemma: str
    instance: str
    action: str
    step: str
    result: str
    configuration: str
    seconds: float
    pair: Pair | None = None

    @property
    def text(self) -> str:
        """The question in one line."""
        about = self.instance or self.lemma
        return {
            INITIATION: f"{about} at the start",
            CONSECUTION: f"{about} after {self.step}",
            DOMAIN: f"{self.step} keeps every field within its domain",
            SUFFICIENCY: f"the lemmas imply {about}",
        }[self.kind]


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How Z3 is asked: bits of a number (None: as few as fit), seconds by round, solver settings, worker processes."""

    bits: int | None = None
    rounds: Sequence[float] = ROUNDS
    portfolio: Sequence[Configuration] = PORTFOLIO
    workers: int = 1


class Induction:
    """The proof obligations of one property of a model, from lemmas."""

    def __init__(self, model: Model, prop: Property, lemmas: Sequence[Lemma], effort: Effort) -> None:
        self.model, self.prop, self.lemmas, self.effort = model, prop, tuple(lemmas), effort
        began = time.perf_counter()
        self.translation = Translation(model, effort.bits)
        self.goal = as_lemma(prop)
        self.domains, self.without_symmetry = provable_symmetry(model, [prop], lemmas)
        self.lemma_clauses = self.translation.clauses(lemmas)
        self.goal_clauses = self.translation.clauses([self.goal])
        self.steps = least_steps(model, self.domains)
        self.translated_seconds = time.perf_counter() - began

    def queries(self) -> Iterator[Query]:
        """Every question with its answer. If the lemmas do not imply the property, it has to be inductive with them."""
        sufficient = self.sufficiency()
        yield sufficient
        clauses = self.lemma_clauses if sufficient.result == HOLDS else [*self.lemma_clauses, *self.goal_clauses]
        yield from self.initiation(clauses)
        yield from self.consecution(clauses)

    @staticmethod
    def proven(queries: Sequence[Query]) -> bool:
        """Do these answers, all of them, prove the property?"""
        return all(q.result == HOLDS for q in queries if q.kind != SUFFICIENCY)

    def sufficiency(self) -> Query:
        """Do the lemmas imply the property? If not, it must be inductive itself, together with them."""
        asker = self._asker([*self.translation.domain, *(c.truth for c in self.lemma_clauses)])
        answer = asker.always(self.goal_clauses[0].truth)
        return self._query(SUFFICIENCY, self.goal_clauses[0], None, answer)

    def initiation(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """Is each clause true at the start? Nothing is unknown there, so the interpreter answers."""
        for words in self.model.initial_states():
            for clause in clauses:
                began = time.perf_counter()
                result = HOLDS if is_true(self.model, clause.lemma, clause.arguments, words) else FAILS
                pair = None if result != FAILS else Pair(before=words, step=None, after=words)
                answer = Answer(result, "interpreter", time.perf_counter() - began)
                yield self._query(INITIATION, clause, None, answer, pair)

    def consecution(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """Does each clause, if all hold, hold after every step? Whoever stops reading stops the work."""
        if self.effort.workers == 1:
            for step in self.steps:
                yield from self._step(step, clauses)
        else:
            yield from self._in_processes(clauses)

    def _in_processes(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """The same in worker processes, which are forked and so need not translate again."""
        context = multiprocessing.get_context("fork")
        tasks, answers = context.SimpleQueue(), context.SimpleQueue()
        workers = [
            context.Process(target=self._work, args=(clauses, tasks, answers), daemon=True)
            for _ in range(min(self.effort.workers, len(self.steps)))
        ]
        for number in (*range(len(self.steps)), *(None for _ in workers)):
            tasks.put(number)
        try:
            for worker in workers:
                worker.start()
            working = len(workers)
            while working:
                message = answers.get()
                if isinstance(message, Exception):
                    raise message
                if message is None:
                    working -= 1
                else:
                    yield message
        finally:
            for worker in workers:
                worker.terminate()
                worker.join()

    def _work(self, clauses: Sequence[Clause], tasks: Any, answers: Any) -> None:
        try:
            while (number := tasks.get()) is not None:
                for query in self._step(self.steps[number], clauses):
                    answers.put(query)
            answers.put(None)
        except Exception as error:
            answers.put(error)

    def _step(self, step: Step, clauses: Sequence[Clause]) -> Iterator[Query]:
        """The questions about one step."""
        change = self.translation.change(step)
        asker = self._asker([*self.translation.domain, *(c.truth for c in clauses), change.enabled])
        if change.flaw is not False:
            unflawed = self._asker([*self.translation.domain, *(c.truth for c in clauses)])
            answer = unflawed.always(negation(change.flaw))
            yield self._query(DOMAIN, None, step, answer, self._pair(answer, step, None))
        call = (step.action.parameters, step.arguments)
        for clause in clauses:
            if not change.becomes.keys() & clause.reads:
                continue
            if not is_least(self.domains, [call, (clause.lemma.parameters, clause.arguments)]):
                continue
            answer = asker.always(self.translation.later(change, clause))
            yield self._query(CONSECUTION, clause, step, answer, self._pair(answer, step, clause))

    def _asker(self, assumptions: Sequence[Any]) -> Asker:
        return Asker(assumptions, self.effort.rounds, self.effort.portfolio)

    def _pair(self, answer: Answer, step: Step, clause: Clause | None) -> Pair | None:
        """The counterexample in a solver's answer, confirmed by the interpreter."""
        if answer.result != FAILS:
            return None
        before = self.translation.space.read(answer.model, self.translation.before)
        shown = step.show(self.model.bounds)
        try:
            after = self.model.apply(before, step)
        except Refused:
            raise AssertionError(f"the interpreter refuses {shown}, which the solver takes: {before}") from None
        except ModelError:
            if clause is None:
                return Pair(before=before, step=self.model.steps.index(step), after=before)
            raise AssertionError(f"the interpreter leaves a domain in {shown}; the solver does not: {before}") from None
        if clause is not None and is_true(self.model, clause.lemma, clause.arguments, after):
            raise AssertionError(f"the interpreter does not confirm that {shown} ends {clause.lemma.name}: {before}")
        return Pair(before=before, step=self.model.steps.index(step), after=after)

    def _query(
        self, kind: str, clause: Clause | None, step: Step | None, answer: Answer, pair: Pair | None = None
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
        )
