"""Values of model functions where no bound is known: members of symmetric domains as an uninterpreted sort, all else as integers.

One element of a sort is not a member: it stands for NONE, and quantifiers exclude it. A set is a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import z3

from neverlost.model.core import Index, SubsetOf

from ..terms import (
    EXTREMES,
    Comparing,
    Truth,
    UntranslatableError,
    Value,
    choice_of_truths,
    conjunction,
    implication,
    is_truth,
    negation,
    same_truth,
)


class UntranslatableValueError(UntranslatableError):
    """A use of a value that has no form for any bounds; a caller that knows the source adds the place."""


@dataclass(frozen=True, eq=False)
class Predicate:
    """A set as its membership predicate; `of` is the domain of its members."""

    of: type[Index]
    contains: Callable[[Any], Truth]


def numbered(index: type[Index]) -> bool:
    """Whether the members of the domain are numbers. Those of a symmetric domain are not."""
    return not (index.symmetric and index.distinguished == 0 and index.bound)


def in_all(bound: str) -> str:
    """The name of the constant that a bound is; no field can have it."""
    return f"{bound} in all"


@dataclass
class Vocabulary:
    """The sorts and sizes for index domains, and fresh names in them."""

    sorts: dict[type[Index], Any] = field(default_factory=dict)
    nobody: dict[Any, Any] = field(default_factory=dict)
    """For each sort the element that stands for NONE."""
    sizes: dict[str, Any] = field(default_factory=dict)
    """For each bound the constant that it is."""
    least: dict[str, int] = field(default_factory=dict)
    """The least value of each bound."""
    ranges: dict[int, tuple[Any, type[Index]]] = field(default_factory=dict)
    """Variables that range over a domain, by the id of their term."""
    named: dict[str, type[Index]] = field(default_factory=dict)
    """The domain of each variable by its name, because a quantifier keeps only the name."""
    numbers: count[int] = field(default_factory=count)

    def sort(self, index: type[Index]) -> Any:
        """The sort of a domain's members."""
        if numbered(index):
            return z3.IntSort()
        if index not in self.sorts:
            self.sorts[index] = z3.DeclareSort(index.__name__)
            self.nobody[self.sorts[index]] = z3.Const(f"no {index.__name__}", self.sorts[index])
        return self.sorts[index]

    def size(self, index: type[Index]) -> Any:
        """How many members a domain of numbers has."""
        if not numbered(index) or issubclass(index, SubsetOf):
            raise UntranslatableValueError(
                f"the size of {index.__name__} is used as a number; for any bounds it has none"
            )
        if not index.bound:
            return index.more
        if index.bound not in self.sizes:
            self.sizes[index.bound] = z3.Int(in_all(index.bound))
        self.least[index.bound] = 0 if index.optional else self.least.get(index.bound, 1)
        return self.sizes[index.bound] + index.more if index.more else self.sizes[index.bound]

    def know(self, index: type[Index]) -> None:
        """Give a domain its sort or its size."""
        if not issubclass(index, SubsetOf) and not numbered(index):
            self.sort(index)
        elif not issubclass(index, SubsetOf):
            self.size(index)

    def sizes_are_possible(self) -> list[Truth]:
        """Every bound is at least 1, or 0 if it is optional."""
        return [size >= self.least[bound] for bound, size in self.sizes.items()]

    def variable(self, name: str, index: type[Index]) -> Any:
        """A fresh variable for a domain. The caller has to assert that it lies in the domain."""
        made = z3.Const(f"{name}!{next(self.numbers)}", self.sort(index))
        self.ranges[made.get_id()] = made, index
        self.named[made.decl().name()] = index
        return made

    def renewed(self, name: str) -> Any:
        """A fresh variable for the same domain as the variable of that name."""
        return self.variable(name.split("!", maxsplit=1)[0], self.named[name])

    def inside(self, value: Value, index: type[Index]) -> Truth:
        """Whether the value is a member of the domain. This is known for variables that range over it."""
        if z3.is_expr(value) and self.ranges.get(value.get_id(), (None, None))[1] is index:
            return True
        return self._lies_in(self.term(value, index), index)

    def _lies_in(self, term: Any, index: type[Index]) -> Truth:
        if numbered(index):
            return conjunction((term >= 0, less(term, self.size(index))))
        return negation(same(term, self.nobody[self.sort(index)]))

    def term(self, value: Value, index: type[Index]) -> Any:
        """A member of the domain, or NONE, as a term. Raises UntranslatableValueError for anything else."""
        sort = self.sort(index)
        if z3.is_expr(value) and value.sort() == sort:
            return value
        if isinstance(value, int) and numbered(index):
            return z3.IntVal(int(value))
        if isinstance(value, int) and value == -1:
            return self.nobody[sort]
        raise UntranslatableValueError(
            f"`{value}` is used as a member of {index.__name__}; for any bounds, members have no numbers"
        )

    def limits(self, variable: Any) -> Truth:
        """A variable lies in its domain."""
        return self._lies_in(*self.ranges[variable.get_id()])

    def every(self, variable: Any, condition: Truth) -> Truth:
        """A condition holds for every member of the variable's domain."""
        if isinstance(condition, bool):
            return condition
        return z3.ForAll([variable], implication(self.limits(variable), condition))

    def some(self, variable: Any, condition: Truth) -> Truth:
        """A condition holds for some member of the variable's domain."""
        return negation(self.every(variable, negation(condition)))


def same(one: Any, other: Any) -> Truth:
    """Whether two terms of one sort are equal."""
    return True if one.eq(other) else one == other


def less(value: Any, limit: Any) -> Truth:
    """Whether one number is less than another."""
    if z3.is_expr(value) and z3.is_expr(limit) and value.eq(limit):
        return False
    return value < limit


class AnyTerms(Comparing):
    """Operations on values without bounds: what `Terms` does for bit-vectors."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def truth(self, value: Value) -> Truth:
        """The truth of a value in a condition of Python."""
        if is_truth(value):
            return value
        if isinstance(value, int):
            return value != 0
        if z3.is_int(value):
            return value != 0
        raise UntranslatableValueError(f"`{value}` is used as a condition; compare it with something")

    def number(self, value: Value) -> Any:
        """A value for arithmetic."""
        if isinstance(value, int):
            return int(value)
        if z3.is_expr(value) and z3.is_int(value):
            return value
        if is_truth(value):
            return z3.If(value, z3.IntVal(1), z3.IntVal(0))
        raise UntranslatableValueError(
            f"`{value}` is used as a number; for any bounds neither members nor sets are numbers"
        )

    def choice(self, condition: Truth, yes: Value, no: Value) -> Value:
        """`yes` if the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no:
            return yes
        if isinstance(yes, Predicate) or isinstance(no, Predicate):
            return self._choice_of_sets(condition, yes, no)
        if is_truth(yes) and is_truth(no):
            return choice_of_truths(condition, yes, no)
        one, other = self.alike(yes, no)
        if isinstance(one, int) and isinstance(other, int) and one == other:
            return one
        if z3.is_expr(one) and z3.is_expr(other) and one.eq(other):
            return one
        return z3.If(condition, one, other)

    def _choice_of_sets(self, condition: Truth, yes: Value, no: Value) -> Predicate:
        of = (yes if isinstance(yes, Predicate) else no).of
        mine, theirs = self.members(yes, of), self.members(no, of)
        return Predicate(of, lambda m: self.choice(condition, mine.contains(m), theirs.contains(m)))

    def alike(self, one: Value, other: Value) -> tuple[Any, Any]:
        """Two values as terms of one sort: next to a member, NONE is the sort's element for it."""
        index = self._members_of_sort(one) or self._members_of_sort(other)
        if index is not None:
            return self.vocabulary.term(one, index), self.vocabulary.term(other, index)
        return self.number(one), self.number(other)

    def _members_of_sort(self, value: Value) -> type[Index] | None:
        """The domain without numbers whose members the value may be."""
        sorts = self.vocabulary.sorts.items()
        return next((i for i, sort in sorts if z3.is_expr(value) and value.sort() == sort), None)

    def add(self, one: Value, other: Value, sign: int) -> Any:
        """The sum, or the difference for sign -1."""
        first, second = self.number(one), self.number(other)
        if isinstance(second, int) and second == 0:
            return first
        return first + second if sign > 0 else first - second

    def remainder(self, value: Value, divisor: Value) -> Any:
        """The remainder, as Python has it."""
        return self.number(value) % self.number(divisor)

    def extreme(self, name: str, values: Sequence[Value]) -> Any:
        """The least of some numbers for "min", the greatest for "max"."""
        best, (kept, _) = self.number(values[0]), EXTREMES[name]
        for value in values[1:]:
            best = self.choice(self.compare(kept, best, value), best, self.number(value))
        return best

    def same(self, one: Value, other: Value) -> Truth:
        """Whether two values are equal."""
        if isinstance(one, Predicate) or isinstance(other, Predicate):
            of = (one if isinstance(one, Predicate) else other).of
            mine, theirs = self.members(one, of), self.members(other, of)
            member = self.vocabulary.variable("member", of)
            return self.vocabulary.every(member, same_truth(mine.contains(member), theirs.contains(member)))
        if is_truth(one) and is_truth(other):
            return same_truth(one, other)
        first, second = self.alike(one, other)
        return first == second if isinstance(first, int) or isinstance(second, int) else same(first, second)

    def less(self, one: Value, other: Value) -> Truth:
        """Whether one number is below the other."""
        # Members count from 0 and NONE is -1: `leader < 0` and `-1 < leader` test for NONE.
        if self._members_of_sort(one) is not None and _is_number(other, 0):
            return self.same(one, -1)
        if self._members_of_sort(other) is not None and _is_number(one, -1):
            return negation(self.same(other, -1))
        first, second = self.number(one), self.number(other)
        return bool(first < second) if isinstance(first, int) and isinstance(second, int) else less(first, second)

    def members(self, value: Value, of: type[Index]) -> Predicate:
        """A set; the only number that is allowed is the empty set's."""
        if isinstance(value, Predicate) and value.of is of:
            return value
        if isinstance(value, int) and value == 0:
            return Predicate(of, lambda member: False)
        raise UntranslatableValueError(
            f"`{value}` is used as a set of {of.__name__}; for any bounds a set has no number"
        )

    def with_member(self, members: Predicate, member: Value, present: bool) -> Predicate:
        """The set with, or without, a member."""
        return Predicate(members.of, lambda m: self.choice(self.same(m, member), present, members.contains(m)))

    def is_subset(self, one: Predicate, other: Predicate) -> Truth:
        """Whether every member of the first set is in the second."""
        member = self.vocabulary.variable("member", one.of)
        return self.vocabulary.every(member, implication(one.contains(member), other.contains(member)))


def _is_number(value: Value, number: int) -> bool:
    return isinstance(value, int) and value == number


def substituted(value: Value, variable: Any, term: Any) -> Value:
    """The value with a term in place of a variable."""
    if isinstance(value, Predicate):
        return Predicate(value.of, lambda m: substituted(value.contains(m), variable, term))
    return z3.substitute(value, (variable, term)) if z3.is_expr(value) else value
