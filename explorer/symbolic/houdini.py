"""Houdini: the largest inductive set of candidates. Every candidate that a counterexample to induction refutes is dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import z3

from neverlost.model.core import ModelError, Packed, Refused, Step

from ..engines.columns import Words, unpacked
from ..lemmas.grammar import Clause, Context, clause_text, clause_variables
from ..lemmas.mining import literal_bits
from .clauses import SymbolicStep, as_term
from .ground import Ground, Instance
from .orbits import Domains, is_least
from .solving import milliseconds
from .terms import Truth, conjunction, disjunction, negation

LEAST_MILLISECONDS = 2_000


@dataclass(frozen=True, eq=False)
class Candidate:
    """A clause of a context, its instances with the values of its parameters, and the share of all values that it excludes."""

    context: Context
    clause: Clause
    share: float
    instances: tuple[tuple[tuple[int, ...], Instance], ...]

    @cached_property
    def text(self) -> str:
        """Its condition in Model Python."""
        return clause_text(self.context, self.clause)

    @property
    def parameters(self) -> tuple[tuple[str, Any], ...]:
        return tuple((v.name, v.domain) for v in clause_variables(self.context, self.clause))


class MiningStopped(Exception):
    """The search was interrupted, or its time is up."""


class Bundle:
    """The instances of many candidates in arrays, so that all of them are evaluated in a state at once."""

    def __init__(self, ground: Ground, candidates: Sequence[Candidate]) -> None:
        self.ground, self.count = ground, len(candidates)
        instances = [instance for c in candidates for _, instance in c.instances]
        widest = max(map(len, instances), default=1)
        padded = [(*instance, *(instance[-1:] * (widest - len(instance)))) for instance in instances]
        self.literals = np.array(padded, np.int64).reshape(-1, widest)
        self.starts = np.cumsum([0, *(len(c.instances) for c in candidates[:-1])])

    def false_in(self, states: Words) -> npt.NDArray[np.bool_]:
        """For each candidate, whether it is false in one of some states."""
        found = np.zeros(self.count, bool)
        if self.count:
            for truths in self.ground.truths(unpacked(self.ground.model, states)):
                literals = np.stack([~truths, truths], axis=1).ravel()
                found |= np.logical_or.reduceat(literals[self.literals].all(axis=1), self.starts)
        return found

    def false_in_some(self, states: Words, asked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The same for some candidates, fast for many states."""
        false = literal_bits(self.ground.truths(unpacked(self.ground.model, states)))
        found = np.zeros(self.count, bool)
        ends = [*self.starts[1:], len(self.literals)]
        for number in np.flatnonzero(asked).tolist():
            rows = self.literals[self.starts[number] : ends[number]]
            found[number] = any(np.bitwise_and.reduce(false[row]).any() for row in rows)
        return found


class CandidateFilter:
    """Decides which candidates do not follow from those added before."""

    def __init__(self, ground: Ground, domains: Domains, given: Iterable[Truth], seconds: float) -> None:
        self.ground, self.domains = ground, domains
        self.solver = z3.SimpleSolver()
        self.solver.set("timeout", milliseconds(seconds))
        self.solver.add(*_open([*ground.translation.domain, *given]))

    def add(self, candidate: Candidate) -> None:
        """Add a candidate."""
        self.solver.add(*_open(self.ground.term(instance) for _, instance in candidate.instances))

    def new(
        self, candidates: Sequence[Candidate], most: int, taking_up: bool, stop: Callable[[], bool]
    ) -> list[Candidate]:
        """Up to so many of the candidates, in their order, that do not follow from the added ones. Raises MiningStopped."""
        bundle = Bundle(self.ground, candidates)
        open_ones = np.zeros(len(candidates), bool)
        found: list[Candidate] = []
        for number, candidate in enumerate(candidates):
            if len(found) == most:
                break
            if stop():
                raise MiningStopped
            if not open_ones[number]:
                verdict, witness = self._without(candidate)
                if verdict == z3.unsat:
                    continue
                if witness is not None and not taking_up:
                    open_ones |= bundle.false_in(np.array([witness], np.int64))
            found.append(candidate)
            if taking_up:
                self.add(candidate)
        return found

    def _without(self, candidate: Candidate) -> tuple[Any, Packed | None]:
        """Whether there is a state in which all added candidates are true and this one is not; and the state, if it is known."""
        self.solver.push()
        try:
            self.solver.add(as_term(false_instance(self.ground, self.domains, candidate)))
            verdict = self.solver.check()
            if verdict != z3.sat:
                return verdict, None
            return verdict, self.ground.translation.space.read(self.solver.model(), self.ground.translation.before)
        finally:
            self.solver.pop()


def false_instance(ground: Ground, domains: Domains, candidate: Candidate) -> Truth:
    """An instance of a candidate is false; one of each class that differs by renaming."""
    return disjunction(
        negation(ground.term(instance))
        for values, instance in candidate.instances
        if is_least(domains, [(candidate.parameters, values)])
    )


class Houdini:
    """Candidates, some of them still active, and a solver that assumes the active ones.

    `given` are lemmas that are assumed to be true. `drop` is called with candidates that are dropped.
    """

    def __init__(
        self,
        ground: Ground,
        steps: Sequence[Step],
        domains: Domains,
        candidates: Sequence[Candidate],
        given: Iterable[Truth],
        *,
        seconds: float,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self.ground, self.model, self.steps, self.domains = ground, ground.model, steps, domains
        self.candidates, self.interrupted = candidates, interrupted
        self.active = np.ones(len(candidates), bool)
        self.unknown = self.rounds = 0
        self.bundle = Bundle(ground, candidates)
        self.flags = [z3.Bool(f"candidate {number}") for number in range(len(candidates))]
        self.solver = z3.SimpleSolver()
        self.solver.set("timeout", milliseconds(seconds))
        self.solver.add(*_open([*ground.translation.domain, *given]))
        for flag, candidate in zip(self.flags, candidates, strict=True):
            says = conjunction(ground.term(instance) for _, instance in candidate.instances)
            self.solver.add(z3.Implies(flag, as_term(says)))
        self.symbolic_steps: dict[Step, tuple[SymbolicStep, list[Truth]]] = {}

    def try_on(self, states: Words) -> None:
        """Drop candidates that are false in a reached state."""
        self.active &= ~self.bundle.false_in_some(states, self.active)

    def run(self, progress: Callable[[int], None] = lambda left: None) -> list[Candidate]:
        """Drop candidates until the others are inductive, and return these. Raises MiningStopped."""
        settled = 0
        while settled < len(self.steps):
            for step in self.steps:
                settled = settled + 1 if not self._dropped_by(step, progress) else 0
                if settled >= len(self.steps):
                    break
        return [c for on, c in zip(self.active, self.candidates, strict=True) if on]

    def _dropped_by(self, step: Step, progress: Callable[[int], None]) -> bool:
        """Drop candidates that the step does not preserve. Returns whether there were any."""
        symbolic, later = self._symbolic_step(step)
        ended = {
            number: bad
            for number in np.flatnonzero(self.active).tolist()
            if (bad := self._ended(self.candidates[number], step, symbolic, later)) is not False
        }
        dropped = False
        self.solver.push()
        try:
            self.solver.add(*_open([symbolic.enabled, negation(symbolic.flaw)]))
            marks = {number: z3.Bool(f"ended {number}") for number in ended}
            for number, bad in ended.items():
                self.solver.add(z3.Implies(marks[number], as_term(bad)))
            groups = [list(ended)]
            while groups:
                group = [number for number in groups.pop() if self.active[number]]
                while group:
                    if self.interrupted():
                        raise MiningStopped
                    self.rounds += 1
                    verdict = self._ask([marks[number] for number in group])
                    if verdict == z3.unsat:
                        break
                    dropped = True
                    if verdict == z3.sat:
                        self._learn(self._before())
                        group = [number for number in group if self.active[number]]
                    elif len(group) == 1:
                        self.active[group[0]] = False
                        self.unknown += 1
                        break
                    else:
                        groups += [group[: len(group) // 2], group[len(group) // 2 :]]
                        break
                    progress(int(self.active.sum()))
        finally:
            self.solver.pop()
        return dropped

    def _ask(self, marks: Sequence[Any]) -> Any:
        goal = z3.FreshBool("goal")
        self.solver.add(z3.Implies(goal, z3.Or(*marks)))
        return self.solver.check(goal, *(self.flags[k] for k in np.flatnonzero(self.active).tolist()))

    def _symbolic_step(self, step: Step) -> tuple[SymbolicStep, list[Truth]]:
        """The effect of the step, and the ground atoms after it."""
        if step not in self.symbolic_steps:
            symbolic = self.ground.translation.symbolic_step(step)
            pairs = list(symbolic.becomes.values())
            later = [
                t if isinstance(t, bool) or not pairs else z3.simplify(z3.substitute(t, *pairs))
                for t in self.ground.terms
            ]
            self.symbolic_steps[step] = symbolic, later
        return self.symbolic_steps[step]

    def _ended(self, candidate: Candidate, step: Step, symbolic: SymbolicStep, later: Sequence[Truth]) -> Truth:
        """The step breaks some instance of a candidate; one of each class that differs by renaming."""
        call = (step.action.parameters, step.arguments)
        return disjunction(
            negation(self.ground.term(instance, later))
            for values, instance in candidate.instances
            if any(_differ(later[k // 2], self.ground.terms[k // 2]) for k in instance)
            and is_least(self.domains, [call, (candidate.parameters, values)])
        )

    def _before(self) -> Packed:
        return self.ground.translation.space.read(self.solver.model(), self.ground.translation.before)

    def _learn(self, before: Packed) -> None:
        """Drop what is false after a step from a state in which all active ones are true. Raises AssertionError if nothing is."""
        after = []
        for step in self.model.steps:
            with suppress(Refused, ModelError):
                after.append(self.model.apply(before, step))
        false = self.bundle.false_in(np.array(after, np.int64).reshape(-1, self.model.layout.words)) & self.active
        if not false.any():
            raise AssertionError(f"the interpreter does not confirm a counterexample to induction: {before}")
        self.active &= ~false


def least(
    ground: Ground, domains: Domains, kept: Sequence[Candidate], given: Sequence[Truth], stop: Callable[[], bool]
) -> list[Candidate]:
    """The candidates without those that the others imply; longer and weaker ones are removed first."""
    flags = [z3.Bool(f"kept {number}") for number in range(len(kept))]
    solver = z3.SimpleSolver()
    solver.set("timeout", LEAST_MILLISECONDS)
    solver.add(*_open([*ground.translation.domain, *given]))
    for flag, candidate in zip(flags, kept, strict=True):
        solver.add(z3.Implies(flag, as_term(conjunction(ground.term(i) for _, i in candidate.instances))))
    left = set(range(len(kept)))
    order = sorted(left, key=lambda k: (-len(kept[k].clause), -len(kept[k].parameters), kept[k].share, kept[k].text))
    for number in order:
        if stop():
            break
        solver.push()
        solver.add(as_term(false_instance(ground, domains, kept[number])))
        if solver.check(*(flags[k] for k in sorted(left - {number}))) == z3.unsat:
            left.discard(number)
        solver.pop()
    return [kept[k] for k in sorted(left)]


def _open(truths: Iterable[Truth]) -> list[Any]:
    return [as_term(truth) for truth in truths if truth is not True]


def _differ(one: Truth, other: Truth) -> bool:
    return one is not other if isinstance(one, bool) or isinstance(other, bool) else not one.eq(other)
