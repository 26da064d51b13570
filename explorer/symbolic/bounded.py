"""Bounded checking: is there a violation within so many steps? It joins a copy of the state for each step by terms.

Replicas that are still interchangeable are renamed: the one that acts next counts as the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import z3

from neverlost.model.core import Index, Model, Property, Step

from ..traces.trace import Trace, replay, trace_along
from .clauses import SymbolicStep, Translation, as_lemma, as_term
from .orbits import Domains, provable_symmetry, renames_sets
from .solving import milliseconds
from .states import SymbolicState
from .terms import Truth, conjunction, disjunction, negation


class DepthResult(StrEnum):
    """What a solver finds among the runs of one length: a violation, none, or no answer in time."""

    VIOLATED = "violated"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Depth:
    """One question of bounded checking: is the property violated after exactly so many steps?"""

    steps: int
    result: DepthResult
    seconds: float


class Unrolling:
    """The states of a run, one copy for each number of steps, and the steps between them."""

    def __init__(self, translation: Translation) -> None:
        self.translation, self.model = translation, translation.model
        self.symbolic_steps = [translation.symbolic_step(step) for step in self.model.steps]
        self.atoms = list(translation.space.atoms(translation.before))
        self.bits = max(1, (len(self.symbolic_steps) - 1).bit_length())
        self.copies: list[list[Any]] = []
        self.states: list[SymbolicState] = []
        self.choices: list[Any] = []

    def add_state(self) -> list[Truth]:
        """One more copy of the state, with the condition that its values lie in their domains."""
        number = len(self.states)
        state, domain = self.translation.space.fresh(f"{number}: ")
        self.states.append(state)
        self.copies.append(list(self.translation.space.atoms(state)))
        return domain

    def at(self, number: int, truth: Truth) -> Truth:
        """A term over the state of fresh variables, for a copy."""
        if isinstance(truth, bool):
            return truth
        return z3.substitute(truth, *zip(self.atoms, self.copies[number], strict=True))

    def add_step(self) -> list[Truth]:
        """One more copy of the state, with the condition that a step leads there from the last one."""
        number = len(self.states) - 1
        choice = z3.BitVec(f"step {number}", self.bits)
        self.choices.append(choice)
        facts = self.add_state()
        facts += [z3.ULT(choice, len(self.symbolic_steps))] if len(self.symbolic_steps) < 1 << self.bits else []
        for k, symbolic in enumerate(self.symbolic_steps):
            facts.append(disjunction((negation(self.takes(number, k)), self.at(number, symbolic.enabled))))
        changing: dict[int, list[tuple[int, Any]]] = {}
        for k, symbolic in enumerate(self.symbolic_steps):
            for variable, after in symbolic.becomes.values():
                changing.setdefault(variable.get_id(), []).append((k, after))
        for atom, old, new in zip(self.atoms, self.copies[number], self.copies[number + 1], strict=True):
            value = old
            for k, after in changing.get(atom.get_id(), []):
                value = z3.If(self.takes(number, k), self.at(number, after), value)
            facts.append(new == value)
        return facts

    def takes(self, number: int, step: int) -> Any:
        """The step after copy `number` is this one."""
        return self.choices[number] == step

    def leaves_domain(self, number: int) -> Truth:
        """Some step from a copy leaves the domain of a field."""
        return disjunction(self.at(number, symbolic.flaw) for symbolic in self.symbolic_steps)


class SymmetryBreaking:
    """Members that no step has named yet are named in their order."""

    def __init__(self, model: Model, domains: Domains, symbolic_steps: Sequence[SymbolicStep]) -> None:
        self.model, self.symbolic_steps = model, symbolic_steps
        named = [
            d
            for d in domains
            if not any(renames_sets(frozenset([d]), s.step.action.parameters) for s in symbolic_steps)
        ]
        self.classes = {d: _interchangeable(model, d) for d in named}
        self.used: list[dict[tuple[type[Index], int], Truth]] = [
            {(d, m): False for d in named for m in range(d.size(model.bounds))}
        ]

    def step(self, number: int, takes: Callable[[int], Any]) -> Iterator[Truth]:
        """The condition for the step after copy `number`."""
        used = self.used[number]
        naming: dict[tuple[type[Index], int], list[Any]] = {key: [] for key in used}
        for k, symbolic in enumerate(self.symbolic_steps):
            seen: list[tuple[type[Index], int]] = []
            for index, member in _members(symbolic.step):
                if index not in self.classes or (index, member) in seen:
                    continue
                earlier = [m for m in self.classes[index][member] if m < member and (index, m) not in seen]
                allowed = disjunction((used[index, member], conjunction(used[index, m] for m in earlier)))
                if allowed is not True:
                    yield disjunction((negation(takes(k)), allowed))
                seen.append((index, member))
                naming[index, member].append(takes(k))
        self.used.append({key: disjunction((used[key], *now)) for key, now in naming.items()})


def _members(step: Step) -> list[tuple[type[Index], int]]:
    return [(index, value) for (_, index), value in zip(step.action.parameters, step.arguments, strict=True)]


def _interchangeable(model: Model, domain: type[Index]) -> list[list[int]]:
    """For each member those, including itself, with which it can be swapped without changing the initial state."""
    size = domain.size(model.bounds)
    initial = model.initial_states()

    def alike(one: int, other: int) -> bool:
        if one == other:
            return True
        if min(one, other) < domain.distinguished:
            return False
        swap = list(range(size))
        swap[one], swap[other] = other, one
        return all(model.layout.renamed(words, {domain: swap}) == words for words in initial)

    return [[m for m in range(size) if alike(m, one)] for one in range(size)]


class BoundedCheck:
    """The search for the shortest violation of a property, one number of steps after the other, in one solver that learns."""

    def __init__(self, model: Model, prop: Property, *, bits: int | None, seconds: float) -> None:
        began = time.perf_counter()
        self.prop, self.seconds = prop, seconds
        self.translation = Translation(model, bits)
        self.domains, self.without_symmetry = provable_symmetry(model, [prop], [])
        self.unrolling = Unrolling(self.translation)
        self.breaking = SymmetryBreaking(model, self.domains, self.unrolling.symbolic_steps)
        self.holds = self.translation.says(as_lemma(prop), (), self.translation.before)
        self.solver = z3.SolverFor("QF_FD")
        self._add(self.unrolling.add_state())
        self._add([self.translation.space.pinned(self.unrolling.states[0], model.initial_states()[0])])
        self.translated_seconds = time.perf_counter() - began

    def _add(self, facts: Iterable[Truth]) -> None:
        self.solver.add(*[as_term(fact) for fact in facts])

    def depths(self, most: int) -> Iterator[tuple[Depth, Trace | None]]:
        """Whether the property is violated after 0, 1, 2, ... `most` steps. Ends with the first violation, and replays its trace.

        Raises ModelError if a step within so many leaves the domain of a field.
        """
        for steps in range(most + 1):
            began = time.perf_counter()
            if steps:
                self._add_step(steps - 1)
            verdict, answer = self._ask(steps)
            trace = None if answer is None else _trace(self.unrolling, self.prop, answer, steps)
            yield Depth(steps=steps, result=verdict, seconds=time.perf_counter() - began), trace
            if verdict != DepthResult.NONE:
                return

    def _add_step(self, number: int) -> None:
        self._add(self.unrolling.add_step())
        self._add(self.breaking.step(number, lambda k: self.unrolling.takes(number, k)))

    def _ask(self, steps: int) -> tuple[DepthResult, Any]:
        bad = disjunction((negation(self.unrolling.at(steps, self.holds)), self.unrolling.leaves_domain(steps)))
        self.solver.set("timeout", milliseconds(self.seconds))
        self.solver.push()
        try:
            self._add([bad])
            verdict = self.solver.check()
            if verdict == z3.sat:
                return DepthResult.VIOLATED, self.solver.model()
            return (DepthResult.NONE if verdict == z3.unsat else DepthResult.UNKNOWN), None
        finally:
            self.solver.pop()


def run_of(unrolling: Unrolling, answer: Any, length: int, prop: str | None = None) -> Trace:
    """The run from the start in a solver's answer: its steps as the interpreter takes them."""
    chosen = [answer.eval(unrolling.choices[n], model_completion=True).as_long() for n in range(length)]
    return trace_along(unrolling.model, [unrolling.model.steps[number] for number in chosen], prop)


def _trace(unrolling: Unrolling, prop: Property, answer: Any, length: int) -> Trace:
    """The violation in a solver's answer, replayed by the interpreter."""
    model = unrolling.model
    trace = run_of(unrolling, answer, length, prop.name)
    end = trace.states[-1]
    if model.holds(prop, end):
        model.successors(end)  # raises if a step leaves a domain
        raise AssertionError(f"the interpreter does not confirm the violation of {prop.name}: {end}")
    replay(trace)
    return trace
