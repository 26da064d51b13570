"""Clauses: the instances of lemmas and of the property as terms over one symbolic state, and over the state after a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.model.core import Lemma, Model, Property, Step

from .execute import Executor
from .states import Space, SymbolicState, parts
from .terms import Terms, Truth, Value, conjunction, negation, width_for


@dataclass(frozen=True, eq=False)
class Clause:
    """One instance of a lemma: its arguments, its term over the state before a step, and the variables that it reads."""

    lemma: Lemma
    arguments: tuple[int, ...]
    truth: Truth
    reads: frozenset[int]


@dataclass(frozen=True, eq=False)
class SymbolicStep:
    """A step as terms: when it happens, when it leaves a domain, and the new value of each variable that it changes."""

    step: Step
    enabled: Truth
    flaw: Truth
    becomes: Mapping[int, tuple[Any, Any]]
    """By the id of the variable: it, and its term after the step."""
    after: SymbolicState


def as_lemma(prop: Property) -> Lemma:
    """A property as a lemma without parameters."""
    return Lemma(name=prop.name, reason=prop.statement, function=prop.function, parameters=())


class Translation:
    """The functions of one model as terms over a state of fresh variables; `prefix` distinguishes the variables of several states."""

    def __init__(self, model: Model, bits: int | None = None, free_settings: Sequence[str] = ()) -> None:
        self.model = model
        self.terms = Terms(width_for(model) if bits is None else bits)
        self.space = Space(model, self.terms, free_settings)
        self.executor = Executor(self.terms, model=model, shapes=self.space.shapes)
        self.variables = Variables()
        self.before, self.domain = self.space.fresh("")
        self.domain = [*self.space.setting_domain, *self.domain]

    def initial(self) -> SymbolicState:
        """The initial state. Its values are known, except those that depend on open settings."""
        state = self.space.lowest()
        self.executor.run(self.model.profile.initial, [state], [])
        return state

    def clauses(self, lemmas: Iterable[Lemma]) -> list[Clause]:
        """Every instance of the lemmas, over the state before a step."""
        return [self._clause(each, values) for each in lemmas for values in each.combinations(self.model.bounds)]

    def _clause(self, lemma: Lemma, arguments: tuple[int, ...]) -> Clause:
        truth = self.says(lemma, arguments, self.before)
        return Clause(lemma, arguments, truth, self.variables.of(truth))

    def says(self, lemma: Lemma, arguments: tuple[int, ...], state: SymbolicState) -> Truth:
        """An instance of a lemma in any state. It is false if evaluating it leaves a domain."""
        outcome = self.executor.run(lemma.function, [state], arguments)
        return conjunction((self.terms.truth(outcome.result), negation(outcome.flaw)))

    def symbolic_step(self, step: Step) -> SymbolicStep:
        """The effect of a step on the state of fresh variables."""
        after = self.before.copy()
        outcome = self.executor.run(step.action.function, [after], step.arguments)
        becomes: dict[int, tuple[Any, Any]] = {}
        for name, values in after.fields.items():
            for old, new in zip(self.before.fields[name], values, strict=True):
                if new is not old:
                    becomes |= {v.get_id(): (v, t) for v, t in self._pairs(old, new) if not v.eq(t)}
        return SymbolicStep(step, outcome.enabled, outcome.flaw, becomes, after)

    def _pairs(self, old: Value, new: Value) -> Iterable[tuple[Any, Any]]:
        variables = list(parts(old))
        if len(variables) == 1 and z3.is_bv(variables[0]):
            return [(variables[0], self.terms.term(new))]
        truths = list(new.bits) if hasattr(new, "bits") else [new]
        return [(v, as_term(t)) for v, t in zip(variables, truths, strict=True)]

    def across(self, prop: Property, symbolic: SymbolicStep) -> Truth:
        """A `step_always` property of the states before and after a step. It is false if evaluating it leaves a domain."""
        outcome = self.executor.run(prop.function, [self.before, symbolic.after], [])
        return conjunction((self.terms.truth(outcome.result), negation(outcome.flaw)))

    @staticmethod
    def later(symbolic: SymbolicStep, clause: Clause) -> Truth:
        """The clause in the state after the step; the clause itself if the step changes nothing that it reads."""
        pairs = [pair for key, pair in symbolic.becomes.items() if key in clause.reads]
        return z3.simplify(z3.substitute(as_term(clause.truth), *pairs)) if pairs else clause.truth


def as_term(truth: Truth) -> Any:
    """A truth value as a term, known or not."""
    return z3.BoolVal(truth) if isinstance(truth, bool) else truth


class Variables:
    """The ids of the variables in terms; shared parts are visited once."""

    def __init__(self) -> None:
        self._known: dict[int, frozenset[int]] = {}
        self._terms: list[Any] = []
        """The terms asked for. They are kept so that the ids of their parts are not reused."""

    def of(self, truth: Truth) -> frozenset[int]:
        """The ids of the variables in a term; a known truth value has none."""
        if isinstance(truth, bool):
            return frozenset()
        self._terms.append(truth)
        open_terms = [(truth, False)]
        while open_terms:
            term, parts_are_known = open_terms.pop()
            key = term.get_id()
            if key in self._known:
                continue
            children = term.children()
            if not children:
                variable = term.decl().kind() == z3.Z3_OP_UNINTERPRETED
                self._known[key] = frozenset([key] if variable else ())
            elif parts_are_known:
                self._known[key] = frozenset().union(*(self._known[child.get_id()] for child in children))
            else:
                open_terms.append((term, True))
                open_terms += [(child, False) for child in children]
        return self._known[truth.get_id()]
