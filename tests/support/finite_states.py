"""Formulas for any bounds, evaluated in one state of a bounded model: quantifiers run over its domains, functions are its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from neverlost.explorer.symbolic.any_bounds.terms import Vocabulary, numbered
from neverlost.model.core import Model, Packed, SubsetOf

ANYTHING = 0
"""The value of a field where it has none: beyond its domains."""


class FiniteState:
    """One packed state, and the values of variables: members are their numbers, NONE is -1, sets are bit masks."""

    def __init__(self, vocabulary: Vocabulary, model: Model, words: Packed, values: Mapping[str, int]) -> None:
        self.vocabulary, self.model, self.state = vocabulary, model, model.state(words)
        self.values = {**model.bounds, **values}
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
            z3.Z3_OP_LE: one <= other,
            z3.Z3_OP_LT: one < other,
            z3.Z3_OP_GE: one >= other,
            z3.Z3_OP_GT: one > other,
            z3.Z3_OP_ADD: one + other,
            z3.Z3_OP_SUB: one - other,
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
