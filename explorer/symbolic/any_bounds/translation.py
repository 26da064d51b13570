"""A profile for any bounds as formulas: its lemmas in a state, and the effects of its actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.model.core import Action, Unbounded
from neverlost.model.core.parameters import Parameters

from ..clauses import as_term
from ..states import SymbolicState
from ..terms import Truth, conjunction, implication
from .clauses import AnyClause, clauses_of
from .execute import AnyExecutor
from .states import AnySpace
from .terms import AnyTerms, Vocabulary


@dataclass(frozen=True, eq=False)
class AnySymbolicStep:
    """An action with any parameters: when it happens, when it leaves a domain, its known facts, and the state after it."""

    action: Action
    parameters: tuple[Any, ...]
    enabled: Truth
    flaw: Truth
    given: tuple[Truth, ...]
    """The parameters lie in their domains, and the meanings hold."""
    after: SymbolicState
    changed: frozenset[str]
    """The fields that the action may change."""

    @property
    def name(self) -> str:
        """The action with its parameters, for people."""
        return f"{self.action.name}({', '.join(name for name, _ in self.action.parameters)})"


class AnyTranslation:
    """The functions of one profile as formulas over a state of new functions."""

    def __init__(self, unbounded: Unbounded, settings: Mapping[str, int]) -> None:
        self.unbounded = unbounded
        self.vocabulary = Vocabulary()
        self.space = AnySpace(unbounded.traced, self.vocabulary, settings)
        meanings = {meaning.function: meaning for meaning in unbounded.meanings}
        self.executor = AnyExecutor(AnyTerms(self.vocabulary), space=self.space, meanings=meanings)
        self.before = self.space.fresh()
        for index in unbounded.traced.domains:
            self.vocabulary.know(index)
        self.domain = self.space.domain(self.before)

    def variables(self, parameters: Parameters) -> list[Any]:
        """A variable for each parameter."""
        return [self.vocabulary.variable(name, index) for name, index in parameters]

    def within(self, variables: Sequence[Any]) -> Truth:
        """Variables lie in their domains."""
        return conjunction(self.vocabulary.limits(v) for v in variables)

    def initial(self) -> tuple[SymbolicState, Truth]:
        """The initial state, and whether making it leaves a domain."""
        state = self.space.lowest()
        outcome = self.executor.run(self.unbounded.traced.initial, [state], [])
        return state, outcome.flaw

    def says(self, function: Any, variables: Sequence[Any], state: SymbolicState) -> tuple[Truth, Truth]:
        """A function's value in a state, and whether evaluating it leaves a domain."""
        outcome = self.executor.run(function, [state], variables)
        return self.executor.terms.truth(outcome.result), outcome.flaw

    def clauses(self, truth: Truth, variables: Sequence[Any]) -> list[AnyClause]:
        """A formula for all values of the variables, as clauses."""
        found = clauses_of(self.vocabulary, implication(self.within(variables), truth))
        return [AnyClause((*variables, *c.variables), c.literals) for c in found]

    def symbolic_step(self, action: Action, parameters: Sequence[Any] | None = None) -> AnySymbolicStep:
        """The effect of an action on the state of new functions."""
        after = self.before.copy()
        chosen = self.variables(action.parameters) if parameters is None else list(parameters)
        self.executor.given = []
        outcome = self.executor.run(action.function, [after], chosen)
        return AnySymbolicStep(
            action=action,
            parameters=tuple(chosen),
            enabled=outcome.enabled,
            flaw=outcome.flaw,
            given=(self.within(chosen), *self.executor.given),
            after=after,
            changed=frozenset(n for n, field in after.fields.items() if field is not self.before.fields[n]),
        )

    def same_fields(self, names: Sequence[str], one: SymbolicState, other: SymbolicState) -> Truth:
        """Some fields are equal in two states."""
        found = []
        for name in names:
            places = self.variables(tuple((i.__name__.lower(), i) for i in self.space.fields[name].indexes))
            same = self.executor.terms.same(one.fields[name](*places), other.fields[name](*places))
            for place in reversed(places):
                same = self.vocabulary.every(place, same)
            found.append(same)
        return conjunction(found)


def symbols_of(truth: Truth) -> frozenset[str]:
    """The names of the functions and constants in a formula."""
    waiting, seen, found = [as_term(truth)], set[int](), set[str]()
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_app(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found.add(term.decl().name())
        waiting += term.children()
    return frozenset(found)
