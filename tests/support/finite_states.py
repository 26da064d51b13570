"""Formulas for any bounds, evaluated in one state of a bounded model: quantifiers run over its domains, functions are its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.explorer.symbolic.any_bounds.terms import Predicate, Vocabulary, in_all, numbered
from neverlost.explorer.symbolic.any_bounds.translation import AnySymbolicStep, AnyTranslation, symbols_of
from neverlost.explorer.symbolic.clauses import as_term
from neverlost.explorer.symbolic.terms import conjunction
from neverlost.model.core import Field, Model, Packed, Step, SubsetOf

ANYTHING = 0
"""The value of a field where it has none: beyond its domains."""


class FiniteState:
    """One packed state, and the values of variables: members are their numbers, NONE is -1, sets are bit masks."""

    def __init__(self, vocabulary: Vocabulary, model: Model, words: Packed, values: Mapping[str, int]) -> None:
        self.vocabulary, self.model, self.state = vocabulary, model, model.state(words)
        self.values = {**{in_all(bound): size for bound, size in model.bounds.items()}, **values}
        self.fields = {field.name: field for field in model.profile.state.fields}
        self.nobody = {str(term) for term in vocabulary.nobody.values()}

    def value(self, term: Any, bound: Sequence[int] = ()) -> int:
        """The value of a term, or the truth of a formula; `bound` are the variables of quantifiers around it, the innermost last."""
        if z3.is_var(term):
            return bound[-1 - z3.get_var_index(term)]
        if z3.is_quantifier(term):
            return self.quantified(term, bound)
        parts = term.children()
        match term.decl().kind():
            case z3.Z3_OP_TRUE | z3.Z3_OP_FALSE:
                return int(z3.is_true(term))
            case z3.Z3_OP_ANUM:
                return int(term.as_long())
            case z3.Z3_OP_AND:
                return int(all(self.value(p, bound) for p in parts))
            case z3.Z3_OP_OR:
                return int(any(self.value(p, bound) for p in parts))
            case z3.Z3_OP_ITE:
                return self.value(parts[1] if self.value(parts[0], bound) else parts[2], bound)
            case z3.Z3_OP_UNINTERPRETED:
                return self.read(term.decl().name(), [self.value(p, bound) for p in parts])
        one, *others = [self.value(p, bound) for p in parts]
        return int(self.calculated(term.decl().kind(), one, others))

    def calculated(self, kind: int, one: int, others: Sequence[int]) -> int:
        if kind == z3.Z3_OP_NOT:
            return not one
        (other,) = others
        return {
            z3.Z3_OP_EQ: one == other,
            z3.Z3_OP_DISTINCT: one != other,
            z3.Z3_OP_LE: one <= other,
            z3.Z3_OP_LT: one < other,
            z3.Z3_OP_GE: one >= other,
            z3.Z3_OP_GT: one > other,
            z3.Z3_OP_ADD: one + other,
            z3.Z3_OP_SUB: one - other,
            z3.Z3_OP_MOD: other and one % other,
        }[kind]

    def quantified(self, term: Any, bound: Sequence[int]) -> int:
        """A quantifier over one variable: also over NONE, and over a number too large, which it has to leave out by itself."""
        assert term.num_vars() == 1
        index = self.vocabulary.named[term.var_name(0)]
        end = index.size(self.model.bounds) + (1 if numbered(index) else 0)
        truths = (self.value(term.body(), (*bound, member)) for member in range(-1, end))
        return int(all(truths) if term.is_forall() else any(truths))

    def read(self, name: str, indexes: Sequence[int]) -> int:
        if name not in self.fields:
            return -1 if name in self.nobody else self.values[name]
        field = self.fields[name]
        of = field.domain.index
        *places, member = indexes if of is not None and issubclass(of, SubsetOf) else (*indexes, 0)
        if any(not 0 <= p < index.size(self.model.bounds) for p, index in zip(places, field.indexes, strict=True)):
            return ANYTHING
        value = self.state.element(field, places)
        if of is None or not issubclass(of, SubsetOf):
            return value
        return value >> member & 1 if member >= 0 else ANYTHING


def named(variables: Sequence[Any], values: Sequence[int]) -> dict[str, int]:
    return {str(variable): value for variable, value in zip(variables, values, strict=True)}


def with_meanings(
    translation: AnyTranslation, model: Model, words: Packed, symbolic: AnySymbolicStep, values: dict[str, int]
) -> FiniteState:
    """The state, with the one value of each result of which only the meaning is known."""
    state = FiniteState(translation.vocabulary, model, words, values)
    given = as_term(conjunction(symbolic.given))
    if symbolic.action.name != "fenced_become_follower_and_truncate":
        assert state.value(given)
        return state
    (name,) = {v for v in symbols_of(given) if v.startswith("first_mismatch")}
    found = [n for n in range(model.bounds["log_size"] + 1) if state_with(state, name, n).value(given)]
    assert len(found) == 1
    return state_with(state, name, found[0])


def state_with(state: FiniteState, name: str, value: int) -> FiniteState:
    state.values[name] = value
    return state


@dataclass
class Stepping:
    """One action as formulas, and what each field is after it at places that stand for any."""

    translation: AnyTranslation
    symbolic: AnySymbolicStep

    def __post_init__(self) -> None:
        self.after: list[tuple[Field, list[Any], Any, Any]] = []
        for field in self.translation.space.fields.values():
            places = [self.translation.vocabulary.variable("place", index) for index in field.indexes]
            value, member = self.symbolic.after.fields[field.name](*places), None
            if isinstance(value, Predicate):
                member = self.translation.vocabulary.variable("member", value.of)
                value = value.contains(member)
            self.after.append((field, places, member, as_term(value) if member is not None else value))

    def taken(self, model: Model, words: Packed, step: Step) -> Packed | str | None:
        """The state after a step, None if it is refused, "flaw" if it leaves a domain."""
        state = with_meanings(
            self.translation, model, words, self.symbolic, named(self.symbolic.parameters, step.arguments)
        )
        if state.value(as_term(self.symbolic.flaw)):
            return "flaw"
        if not state.value(as_term(self.symbolic.enabled)):
            return None
        after = model.layout.blank()
        for field, places, member, value in self.after:
            for position in field.positions(model.bounds):
                state.values |= named(places, position)
                after.put(field, position, self.element(state, field, member, value))
        return model.layout.pack(after)

    @staticmethod
    def element(state: FiniteState, field: Field, member: Any, value: Any) -> int:
        if member is None:
            return int(value) if isinstance(value, int) else state.value(value)
        assert field.domain.index is not None
        members = range(field.domain.index.size(state.model.bounds).bit_length() - 1)
        return sum(state_with(state, str(member), m).value(value) << m for m in members)
