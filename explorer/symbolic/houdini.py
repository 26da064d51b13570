"""Houdini: of many candidates, the largest set that is inductive, by throwing out whatever a counterexample to induction refutes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import z3

from neverlost.model.core import ModelError, Packed, Refused, Step

from ..columns import Words, unpacked
from ..grammar import Clause, Context, clause_text, clause_variables
from ..mining import literal_bits
from .clauses import Change, as_term
from .ground import Ground, Instance
from .orbits import Domains, is_least
from .terms import Truth, conjunction, disjunction, negation


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


class Stopped(Exception):
    """The search was interrupted."""


class Houdini:
    """Candidates of which some are still active, and a solver that assumes those.

    `given` are lemmas that are taken to be true throughout. `drop` is told of candidates that are thrown out.
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
        self.flags = [z3.Bool(f"candidate {number}") for number in range(len(candidates))]
        self.solver = z3.SimpleSolver()
        self.solver.set("timeout", int(seconds * 1000))
        self.solver.add(*_open([*ground.translation.domain, *given]))
        for flag, candidate in zip(self.flags, candidates, strict=True):
            says = conjunction(ground.term(instance) for _, instance in candidate.instances)
            self.solver.add(z3.Implies(flag, as_term(says)))
        self.changes: dict[Step, tuple[Change, list[Truth]]] = {}

    def refuted(self, states: Words) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each candidate, whether it is false in one of some states."""
        false = literal_bits(self.ground.truths(unpacked(self.model, states)))
        return np.array(
            [
                on and any(np.bitwise_and.reduce(false[list(instance)]).any() for _, instance in candidate.instances)
                for on, candidate in zip(self.active, self.candidates, strict=True)
            ],
            bool,
        )

    def run(self, told: Callable[[int], None] = lambda left: None) -> list[Candidate]:
        """Drop candidates until the others are inductive, and return these. Raises Stopped."""
        settled = 0
        while settled < len(self.steps):
            for step in self.steps:
                settled = settled + 1 if not self._dropped_by(step, told) else 0
                if settled >= len(self.steps):
                    break
        return [c for on, c in zip(self.active, self.candidates, strict=True) if on]

    def _dropped_by(self, step: Step, told: Callable[[int], None]) -> bool:
        """Drop what the step ends; whether that was anything."""
        change, later = self._change(step)
        ended = {
            number: bad
            for number in np.flatnonzero(self.active).tolist()
            if (bad := self._ended(self.candidates[number], step, change, later)) is not False
        }
        dropped = False
        self.solver.push()
        try:
            self.solver.add(*_open([change.enabled, negation(change.flaw)]))
            marks = {number: z3.Bool(f"ended {number}") for number in ended}
            for number, bad in ended.items():
                self.solver.add(z3.Implies(marks[number], as_term(bad)))
            groups = [list(ended)]
            while groups:
                group = [number for number in groups.pop() if self.active[number]]
                while group:
                    if self.interrupted():
                        raise Stopped
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
                    told(int(self.active.sum()))
        finally:
            self.solver.pop()
        return dropped

    def _ask(self, marks: Sequence[Any]) -> Any:
        goal = z3.FreshBool("goal")
        self.solver.add(z3.Implies(goal, z3.Or(*marks)))
        return self.solver.check(goal, *(self.flags[k] for k in np.flatnonzero(self.active).tolist()))

    def _change(self, step: Step) -> tuple[Change, list[Truth]]:
        """What the step does, and the ground atoms after it."""
        if step not in self.changes:
            change = self.ground.translation.change(step)
            pairs = list(change.becomes.values())
            later = [
                t if isinstance(t, bool) or not pairs else z3.simplify(z3.substitute(t, *pairs))
                for t in self.ground.terms
            ]
            self.changes[step] = change, later
        return self.changes[step]

    def _ended(self, candidate: Candidate, step: Step, change: Change, later: Sequence[Truth]) -> Truth:
        """That the step ends some instance of a candidate, of those that differ by renaming one."""
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
        """Drop what is false after any step from a state in which all that is active is true. Raises AssertionError if nothing is."""
        after = []
        for step in self.model.steps:
            with suppress(Refused, ModelError):
                after.append(self.model.apply(before, step))
        false = self.refuted(np.array(after, np.int64).reshape(-1, self.model.layout.words))
        if not false.any():
            raise AssertionError(f"the interpreter does not confirm a counterexample to induction: {before}")
        self.active &= ~false

    def least(self, kept: Sequence[Candidate]) -> list[Candidate]:
        """The candidates without those that the others imply, the longer and weaker ones removed first. Raises Stopped."""
        numbers = {id(c): number for number, c in enumerate(self.candidates)}
        left = {numbers[id(c)] for c in kept}
        for candidate in sorted(kept, key=lambda c: (-len(c.clause), -len(c.parameters), c.share, c.text)):
            if self.interrupted():
                raise Stopped
            own = numbers[id(candidate)]
            false = disjunction(
                negation(self.ground.term(instance))
                for values, instance in candidate.instances
                if is_least(self.domains, [(candidate.parameters, values)])
            )
            self.solver.push()
            self.solver.add(as_term(false))
            if self.solver.check(*(self.flags[k] for k in sorted(left - {own}))) == z3.unsat:
                left.discard(own)
            self.solver.pop()
        return [c for c in kept if numbers[id(c)] in left]


def _open(truths: Iterable[Truth]) -> list[Any]:
    return [as_term(truth) for truth in truths if truth is not True]


def _differ(one: Truth, other: Truth) -> bool:
    return one is not other if isinstance(one, bool) or isinstance(other, bool) else not one.eq(other)
