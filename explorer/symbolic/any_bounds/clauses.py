"""Formulas in pieces: what a lemma says as clauses, each with its own variables, so that a query is about as little as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import z3

from ..terms import Truth, disjunction, negation

MOST_CLAUSES = 24
"""A disjunction of conjunctions with more clauses than this is kept in fewer."""


@dataclass(frozen=True, eq=False)
class AnyClause:
    """For all values of the variables, one of the literals is true. What begins with "there is" is a literal."""

    variables: tuple[Any, ...]
    literals: tuple[Truth, ...]

    @property
    def truth(self) -> Truth:
        """The clause as one term, its variables free."""
        return disjunction(self.literals)

    @property
    def closed(self) -> Truth:
        """The clause as one term."""
        truth = self.truth
        return truth if isinstance(truth, bool) or not self.variables else z3.ForAll(list(self.variables), truth)


def clauses_of(formula: Truth, positive: bool = True) -> list[AnyClause]:
    """The clauses that together say what the formula says, or its negation."""
    if isinstance(formula, bool):
        return [] if formula == positive else [AnyClause((), ())]
    if z3.is_not(formula):
        return clauses_of(formula.arg(0), not positive)
    if z3.is_quantifier(formula):
        if formula.is_forall() != positive:
            return [AnyClause((), (formula if positive else negation(formula),))]
        variables, body = opened(formula)
        return [AnyClause((*variables, *c.variables), c.literals) for c in clauses_of(body, positive)]
    if z3.is_true(formula) or z3.is_false(formula):
        return clauses_of(bool(z3.is_true(formula)), positive)
    if z3.is_and(formula) or z3.is_or(formula):
        parts = [clauses_of(child, positive) for child in formula.children()]
        return [c for part in parts for c in part] if z3.is_and(formula) == positive else _any_of(parts)
    if z3.is_implies(formula):
        return clauses_of(z3.Or(negation(formula.arg(0)), formula.arg(1)), positive)
    if z3.is_app_of(formula, z3.Z3_OP_ITE):
        condition, yes, no = formula.children()
        found = [_any_of([clauses_of(condition, False), clauses_of(yes, positive)])]
        found.append(_any_of([clauses_of(condition, True), clauses_of(no, positive)]))
        return [c for part in found for c in part]
    if z3.is_eq(formula) and z3.is_bool(formula.arg(0)):
        one, other = formula.children()
        both = [_any_of([clauses_of(one, False), clauses_of(other, positive)])]
        both.append(_any_of([clauses_of(one, True), clauses_of(other, not positive)]))
        return [c for part in both for c in part]
    return [AnyClause((), (formula if positive else negation(formula),))]


def opened(formula: Any) -> tuple[list[Any], Any]:
    """A quantifier's variables as constants of their own, and its body with them."""
    variables = [
        z3.FreshConst(formula.var_sort(n), formula.var_name(n).split("!")[0]) for n in range(formula.num_vars())
    ]
    return variables, z3.substitute_vars(formula.body(), *reversed(variables))


def _any_of(parts: Sequence[Sequence[AnyClause]]) -> list[AnyClause]:
    """One of several conjunctions of clauses: every choice of one clause from each."""
    waiting = sorted(parts, key=len)
    count = 1
    kept: list[Sequence[AnyClause]] = []
    for part in waiting:
        count *= len(part)
        whole = count > MOST_CLAUSES and len(part) > 1 and part is not waiting[-1]
        kept.append([AnyClause((), (_together(part),))] if whole else part)
    return [_joined(choice) for choice in product(*kept)]


def _together(part: Sequence[AnyClause]) -> Any:
    return z3.And(*[z3.BoolVal(c.closed) if isinstance(c.closed, bool) else c.closed for c in part])


def _joined(choice: Sequence[AnyClause]) -> AnyClause:
    literals = {_key(x): x for c in choice for x in c.literals}
    return AnyClause(tuple(v for c in choice for v in c.variables), tuple(literals.values()))


def _key(literal: Any) -> Any:
    return literal if isinstance(literal, bool) else literal.get_id()


def is_trivial(clause: AnyClause) -> bool:
    """Does the clause hold whatever its terms are: does it have a literal and the negation of it?"""
    seen = {_key(x) for x in clause.literals}
    return any(z3.is_not(x) and x.arg(0).get_id() in seen for x in _terms(clause.literals))


def _terms(literals: Sequence[Truth]) -> Iterator[Any]:
    return (x for x in literals if not isinstance(x, bool))
