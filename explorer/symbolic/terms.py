"""Values of model functions as Z3 terms: truth values, numbers as bit-vectors, sets as one truth value for each member.

Known values are plain Python `bool` and `int`, and every number carries its interval, so that most
comparisons are decided before Z3 sees them. The intervals also prove that no sum leaves the bit-vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.model.core import Model, NeverlostError, SubsetOf


class WidthError(NeverlostError):
    """A number may not fit the bit-vectors."""


class UntranslatableError(NeverlostError):
    """A construct that proofs cannot express."""


Truth = Any
"""A Python `bool`, or a Z3 term of sort Bool."""


@dataclass(frozen=True, eq=False)
class Number:
    """An unknown number: a bit-vector term and its interval, ends included."""

    term: Any
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class SymbolicSet:
    """A set of small numbers: bit m says whether m is a member. There are no members beyond the last bit."""

    bits: tuple[Truth, ...]

    def bit(self, member: int) -> Truth:
        return self.bits[member] if member < len(self.bits) else False


Value = Any
"""A Truth, an `int`, a Number or a SymbolicSet."""


def negation(value: Truth) -> Truth:
    """Not the value."""
    if isinstance(value, bool):
        return not value
    return value.arg(0) if z3.is_not(value) else z3.Not(value)


def conjunction(values: Iterable[Truth]) -> Truth:
    """All of the values; true if there are none."""
    return _junction(values, True, z3.And)


def disjunction(values: Iterable[Truth]) -> Truth:
    """Any of the values; false if there are none."""
    return _junction(values, False, z3.Or)


def _junction(values: Iterable[Truth], neutral: bool, join: Callable[..., Any]) -> Truth:
    kept: dict[int, Any] = {}
    for value in values:
        if isinstance(value, bool):
            if value != neutral:
                return value
        else:
            kept[value.get_id()] = value
    terms = list(kept.values())
    return neutral if not terms else terms[0] if len(terms) == 1 else join(terms)


def implication(condition: Truth, value: Truth) -> Truth:
    """The value if the condition holds."""
    return disjunction((negation(condition), value))


def members_of(value: Value) -> SymbolicSet:
    """A set, from its bit mask if it is known."""
    if isinstance(value, SymbolicSet):
        return value
    if isinstance(value, int) and value >= 0:
        return SymbolicSet(tuple(bool(value >> m & 1) for m in range(value.bit_length())))
    raise UntranslatableError("an unknown number is used as a set; proofs keep sets and numbers apart")


def same_truth(one: Truth, other: Truth) -> Truth:
    """Both or neither."""
    if isinstance(one, bool):
        return other if one else negation(other)
    if isinstance(other, bool):
        return one if other else negation(one)
    return True if one.eq(other) else one == other


def choice_of_truths(condition: Truth, yes: Truth, no: Truth) -> Truth:
    """`yes` where the condition holds, else `no`."""
    if isinstance(yes, bool):
        return disjunction((condition, no)) if yes else conjunction((negation(condition), no))
    if isinstance(no, bool):
        return implication(condition, yes) if no else conjunction((condition, yes))
    return yes if yes.eq(no) else z3.If(condition, yes, no)


MOST_QUOTIENTS = 64
"""A remainder is decided by cases, one for each quotient."""

EXTREMES: Mapping[str, tuple[str, Callable[[int, int], int]]] = {"min": ("<=", min), "max": (">=", max)}
"""How the best of some numbers compares with the others, and how the better of two is chosen."""


class Comparing:
    """Python's comparisons, from two of them."""

    def same(self, one: Value, other: Value) -> Truth:
        """Whether two values are equal."""
        raise NotImplementedError

    def less(self, one: Value, other: Value) -> Truth:
        """Whether one number is below the other."""
        raise NotImplementedError

    def compare(self, operator: str, one: Value, other: Value) -> Truth:
        """A comparison as Python makes it."""
        match operator:
            case "==":
                return self.same(one, other)
            case "!=":
                return negation(self.same(one, other))
            case "<":
                return self.less(one, other)
            case ">":
                return self.less(other, one)
            case "<=":
                return negation(self.less(other, one))
        return negation(self.less(one, other))


class Terms(Comparing):
    """Operations on values, over signed bit-vectors of `width` bits. Raises WidthError when a number may not fit."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.low, self.high = -(1 << width - 1), (1 << width - 1) - 1
        self._constants: dict[int, Any] = {}

    def constant(self, number: int) -> Any:
        """A known number as a term."""
        if number not in self._constants:
            self._constants[number] = z3.BitVecVal(number, self.width)
        return self._constants[number]

    def refuse_wide(self, low: int, high: int) -> None:
        """Raises WidthError if the interval does not fit."""
        if low < self.low or high > self.high:
            needed = max(low.bit_length(), high.bit_length()) + 1
            raise WidthError(
                f"numbers from {low} to {high} occur, but bit-vectors of {self.width} bits hold only {self.low} to {self.high};"
                f" take lower bounds, or at least {needed} bits"
            )

    def variable(self, name: str, low: int, high: int) -> Number:
        """A fresh number within an interval. The caller has to assert that it lies there."""
        self.refuse_wide(low, high)
        return Number(z3.BitVec(name, self.width), low, high)

    def term(self, value: Value) -> Any:
        """A number as a bit-vector term."""
        number = self.number(value)
        if isinstance(number, Number):
            return number.term
        self.refuse_wide(number, number)
        return self.constant(number)

    def number(self, value: Value) -> int | Number:
        """A truth value as 0 or 1; a number unchanged."""
        if isinstance(value, Number):
            return value
        if isinstance(value, int):
            return int(value)
        if isinstance(value, SymbolicSet):
            if all(isinstance(bit, bool) for bit in value.bits):
                return sum(1 << m for m, bit in enumerate(value.bits) if bit)
            raise UntranslatableError("an unknown set is used as a number; proofs keep sets and numbers apart")
        return Number(z3.If(value, self.constant(1), self.constant(0)), 0, 1)

    def truth(self, value: Value) -> Truth:
        """The truth of a value in a condition of Python."""
        if isinstance(value, bool) or z3.is_expr(value):
            return value
        if isinstance(value, int):
            return value != 0
        if isinstance(value, SymbolicSet):
            return disjunction(value.bits)
        return self.compare("!=", value, 0)

    def choice(self, condition: Truth, yes: Value, no: Value) -> Value:
        """`yes` where the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no:
            return yes
        if isinstance(yes, SymbolicSet) or isinstance(no, SymbolicSet):
            mine, theirs = members_of(yes), members_of(no)
            count = max(len(mine.bits), len(theirs.bits))
            return SymbolicSet(tuple(choice_of_truths(condition, mine.bit(m), theirs.bit(m)) for m in range(count)))
        if is_truth(yes) and is_truth(no):
            return choice_of_truths(condition, yes, no)
        one, other = self.number(yes), self.number(no)
        if isinstance(one, int) and one == other:
            return one
        term, other_term = self.term(one), self.term(other)
        (low, high), (other_low, other_high) = interval(one), interval(other)
        chosen = term if term.eq(other_term) else z3.If(condition, term, other_term)
        # An interval that was narrowed in one branch is not valid in the other, even for the same term.
        return Number(chosen, min(low, other_low), max(high, other_high))

    def add(self, one: Value, other: Value, sign: int) -> int | Number:
        """The sum, or the difference for sign -1."""
        first, second = self.number(one), self.number(other)
        if isinstance(first, int) and isinstance(second, int):
            return first + sign * second
        if isinstance(second, int) and second == 0:
            return first
        (low, high), ends = interval(first), interval(second)
        more = ends if sign > 0 else (-ends[1], -ends[0])
        self.refuse_wide(low + more[0], high + more[1])
        left, right = self.term(first), self.term(second)
        return Number(left + right if sign > 0 else left - right, low + more[0], high + more[1])

    def remainder(self, value: Value, divisor: Value) -> int | Number:
        """The remainder, as Python has it: by cases of the quotient, of which there are few."""
        dividend, by = self.number(value), self.number(divisor)
        assert isinstance(by, int)
        if isinstance(dividend, int):
            return dividend % by
        low, high = interval(dividend)
        first, last = low // by, high // by
        if last - first > MOST_QUOTIENTS:
            raise UntranslatableError(f"a remainder by {by} of numbers from {low} to {high} is too wide for a proof")
        found = self.add(dividend, -by * last, 1)
        for quotient in range(last - 1, first - 1, -1):
            below = self.less(dividend, by * (quotient + 1))
            found = self.number(self.choice(below, self.add(dividend, -by * quotient, 1), found))
        return self._narrowed(found, 0, by - 1)

    def extreme(self, name: str, values: Sequence[Value]) -> int | Number:
        """The least of some numbers for "min", the greatest for "max"."""
        best: int | Number = self.number(values[0])
        kept, pick = EXTREMES[name]
        for value in values[1:]:
            here = self.number(value)
            (low, high), (other_low, other_high) = interval(best), interval(here)
            chosen: int | Number = self.choice(self.compare(kept, best, here), best, here)
            best = self._narrowed(chosen, pick(low, other_low), pick(high, other_high))
        return best

    def _narrowed(self, value: int | Number, low: int, high: int) -> int | Number:
        if isinstance(value, int):
            return value
        return Number(value.term, max(value.low, low), min(value.high, high))

    def within(self, value: Value, low: int, high: int) -> tuple[Truth, Value]:
        """Whether a number lies in an interval, and the number with this interval."""
        number = self.number(value)
        inside = conjunction((self.compare("<=", low, number), self.compare("<=", number, high)))
        if isinstance(number, int) or inside is False:
            return inside, value
        return inside, value if is_truth(value) else self._narrowed(number, low, high)

    def same(self, one: Value, other: Value) -> Truth:
        """Whether two values are equal."""
        if isinstance(one, SymbolicSet) or isinstance(other, SymbolicSet):
            if any(isinstance(v, int) and v < 0 for v in (one, other)):
                return False
            mine, theirs = members_of(one), members_of(other)
            count = max(len(mine.bits), len(theirs.bits))
            return conjunction(same_truth(mine.bit(m), theirs.bit(m)) for m in range(count))
        if is_truth(one) and is_truth(other):
            return same_truth(one, other)
        one, other = self.number(one), self.number(other)
        (low, high), (other_low, other_high) = interval(one), interval(other)
        if high < other_low or other_high < low:
            return False
        if low == high == other_low == other_high:
            return True
        left, right = self.term(one), self.term(other)
        return True if left.eq(right) else left == right

    def less(self, one: Value, other: Value) -> Truth:
        """Whether one number is below the other."""
        one, other = self.number(one), self.number(other)
        (low, high), (other_low, other_high) = interval(one), interval(other)
        if high < other_low:
            return True
        if low >= other_high:
            return False
        left, right = self.term(one), self.term(other)
        return False if left.eq(right) else left < right

    def contains(self, members: Value, member: Value) -> Truth:
        """Whether the number is a member of the set."""
        bits, number = members_of(members), self.number(member)
        if isinstance(number, int):
            return bits.bit(number) if number >= 0 else False
        return disjunction(conjunction((self.same(number, m), bits.bit(m))) for m in range(len(bits.bits)))

    def with_member(self, members: Value, member: Value, present: bool) -> SymbolicSet:
        """The set with, or without, the number."""
        bits, number = members_of(members), self.number(member)
        count = max(len(bits.bits), interval(number)[1] + 1) if present else len(bits.bits)
        return SymbolicSet(tuple(self.choice(self.same(number, m), present, bits.bit(m)) for m in range(count)))

    def is_subset(self, one: Value, other: Value) -> Truth:
        """Whether every member of the first set is in the second."""
        mine, theirs = members_of(one), members_of(other)
        return conjunction(implication(bit, theirs.bit(m)) for m, bit in enumerate(mine.bits))


def interval(value: int | Number) -> tuple[int, int]:
    """The least and the greatest possible value of a number."""
    return (value, value) if isinstance(value, int) else (value.low, value.high)


def is_truth(value: Value) -> bool:
    """Whether it is a truth value, known or not."""
    return isinstance(value, bool) or z3.is_bool(value)


def width_for(model: Model) -> int:
    """The bits that hold every value of the model's fields and settings and the size of every domain, with room for a sum of two."""
    bounds = model.layout.bounds
    largest = 1
    for field in (*model.profile.state.fields, *model.profile.state.settings):
        index = field.domain.index
        if index is None or not issubclass(index, SubsetOf):
            largest = max(largest, field.domain.low + field.domain.size(bounds))
    for index in model.profile.domains:
        if not issubclass(index, SubsetOf):
            largest = max(largest, index.size(bounds) + 1)
    return (2 * largest).bit_length() + 1
