"""Lemmas as clauses, each with its own variables, so that a query is as small as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import z3

from ..clauses import as_term
from ..terms import Truth, disjunction, negation
from .terms import Vocabulary

MOST_CLAUSES = 24
"""A disjunction of conjunctions with more clauses than this is kept as fewer, larger ones."""


@dataclass(frozen=True, eq=False)
class AnyClause:
    """For all values of the variables, one of the literals is true. A formula with "there is" counts as a literal."""

    variables: tuple[Any, ...]
    literals: tuple[Truth, ...]

    @property
    def closed(self) -> Any:
        """The clause as one term."""
        truth = as_term(disjunction(self.literals))
        return z3.ForAll(list(self.variables), truth) if self.variables else truth

    @property
    def refuted(self) -> list[Any]:
        """The clause is false for these variables."""
        return [as_term(negation(literal)) for literal in self.literals]

    @property
    def is_trivial(self) -> bool:
        """Whether the clause is trivially true: it has a literal and its negation."""
        ids = {_key(literal) for literal in self.literals}
        return any(_key(negation(literal)) in ids for literal in self.literals)


def clauses_of(vocabulary: Vocabulary, formula: Truth, positive: bool = True) -> list[AnyClause]:
    """The clauses that together are equivalent to the formula, or to its negation, with new variables."""

    def said(part: Truth, holds: bool) -> list[AnyClause]:
        return clauses_of(vocabulary, part, holds)

    if isinstance(formula, bool) or z3.is_true(formula) or z3.is_false(formula):
        return [] if (formula is True or z3.is_true(as_term(formula))) == positive else [AnyClause((), ())]
    if z3.is_not(formula):
        return said(formula.arg(0), not positive)
    if z3.is_quantifier(formula):
        if formula.is_forall() != positive:
            return [_literal(formula, positive)]
        variables, body = opened(vocabulary, formula)
        return [AnyClause((*variables, *c.variables), c.literals) for c in said(body, positive)]
    if z3.is_and(formula) or z3.is_or(formula):
        parts = [said(child, positive) for child in formula.children()]
        return [c for part in parts for c in part] if z3.is_and(formula) == positive else _any_of(parts)
    if z3.is_app_of(formula, z3.Z3_OP_ITE):
        condition, yes, no = formula.children()
        return [
            *_any_of([said(condition, False), said(yes, positive)]),
            *_any_of([said(condition, True), said(no, positive)]),
        ]
    if z3.is_eq(formula) and z3.is_bool(formula.arg(0)):
        one, other = formula.children()
        return [
            *_any_of([said(one, False), said(other, positive)]),
            *_any_of([said(one, True), said(other, not positive)]),
        ]
    return [_literal(formula, positive)]


def opened(vocabulary: Vocabulary, formula: Any) -> tuple[list[Any], Any]:
    """New variables for those of a quantifier, and its body with them."""
    variables = [vocabulary.renewed(formula.var_name(n)) for n in range(formula.num_vars())]
    return variables, z3.substitute_vars(formula.body(), *reversed(variables))


def _literal(formula: Any, positive: bool) -> AnyClause:
    return AnyClause((), (formula if positive else negation(formula),))


def _any_of(parts: Sequence[Sequence[AnyClause]]) -> list[AnyClause]:
    """One of several conjunctions of clauses: every choice of one clause from each, or the smaller ones whole if it is too many."""
    count = 1
    kept: list[Sequence[AnyClause]] = []
    for part in sorted(parts, key=len, reverse=True):
        count *= len(part)
        whole = count > MOST_CLAUSES and bool(kept) and len(part) > 1
        kept.append([AnyClause((), (z3.And(*[c.closed for c in part]),))] if whole else part)
    return [_joined(choice) for choice in product(*kept)]


def _joined(choice: Sequence[AnyClause]) -> AnyClause:
    literals = {_key(literal): literal for c in choice for literal in c.literals}
    return AnyClause(tuple(v for c in choice for v in c.variables), tuple(literals.values()))


def _key(literal: Truth) -> Any:
    return literal if isinstance(literal, bool) else literal.get_id()
