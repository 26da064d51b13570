"""What a model function may do while some fields have only certain values: every write, every result.

It follows sets of values, of a field all elements together. What it does not follow may have any value, so it finds too much, never too
little: a branch is left out only if its test cannot be true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod

from .domains import Index
from .profile import Model
from .reading import tree_of
from .state import Field
from .tree import (
    COMPARED,
    Assign,
    Call,
    Change,
    Choice,
    Comparison,
    Do,
    Each,
    Element,
    Expression,
    Extreme,
    Function,
    If,
    Junction,
    Local,
    Loop,
    Minus,
    Not,
    Number,
    Quantified,
    Remainder,
    Require,
    Return,
    Size,
    Statement,
    Sum,
    Total,
    Tree,
    assigned_by,
    parts_of,
)

Values = frozenset[int] | None
"""The values that something may have; None is any value. What has none of them never comes to be."""

MOST = 64
"""Sets of more values are not followed."""

EITHER = frozenset([0, 1])


class Escape(Exception):
    """A write that may give a field another value than those it has: the field, and where."""


class Possible:
    """What functions may do in the states of a model in which fields have only the values in `known`. All of their elements are meant.

    `run` raises Escape for a write to one of these fields that may not stay within its values.
    """

    def __init__(self, model: Model, known: Mapping[str, frozenset[int]]) -> None:
        self.model, self.known = model, known
        self.values: dict[str, Values] = {
            **{field.name: followed(range_of(field, model)) for field in model.profile.state.fields},
            **{name: frozenset([value]) for name, value in model.settings.items()},
            **known,
        }
        """What the elements of each field, and the settings, may be."""
        self._runs: dict[tuple[Function, tuple[Values, ...]], tuple[Values, bool]] = {}

    def run(self, function: Function, arguments: Sequence[Values]) -> tuple[Values, bool]:
        """What a function may return, and whether it may come to an end: what is refused for certain does not."""
        key = function, tuple(arguments)
        if key not in self._runs:
            run = _Run(self, tree_of(function), dict(zip(tree_of(function).parameters, arguments, strict=True)))
            ends = run.block(run.tree.body)
            self._runs[key] = run.returned, ends or run.returns
        return self._runs[key]

    def value_in(self, function: Function, part: Expression) -> Values:
        """What an expression of a function may be, whatever its local names are."""
        return _Run(self, tree_of(function), {}).value(part)

    def members(self, index: type[Index]) -> Values:
        """All members of a domain."""
        return followed(range(index.size(self.model.bounds)))


def range_of(field: Field, model: Model) -> range:
    """The values of a field's domain."""
    return range(field.domain.low, field.domain.low + field.domain.size(model.bounds))


def followed(values: Sequence[int] | frozenset[int]) -> Values:
    """These values, unless they are too many."""
    return frozenset(values) if len(values) <= MOST else None


def truth(values: Values) -> frozenset[int]:
    """The values as truths."""
    return EITHER if values is None else frozenset(int(value != 0) for value in values)


def _joined(several: Iterable[Values]) -> Values:
    """What is one of several."""
    known = list(several)
    return None if None in known else followed(frozenset[int]().union(*(values for values in known if values)))


def _computed(compute: Callable[..., int], *operands: Values) -> Values:
    """The results for all combinations of operands."""
    known = [values for values in operands if values is not None]
    if len(known) < len(operands) or prod(map(len, known)) > MOST * MOST:
        return None
    return followed(frozenset(int(compute(*chosen)) for chosen in product(*known)))


class _Run:
    """One function with the values of its arguments."""

    def __init__(self, possible: Possible, tree: Tree, names: dict[str, Values]) -> None:
        self.possible, self.tree, self.names = possible, tree, names
        self.returned: Values = frozenset()
        self.returns = False

    def block(self, statements: Sequence[Statement]) -> bool:
        """Do some statements. Returns whether what follows them may be done."""
        return all(self._statement(statement) for statement in statements)

    def _statement(self, statement: Statement) -> bool:
        match statement:
            case Assign(target=target, value=value):
                return self._write(statement, target, self.value(value))
            case Change(target=target, sign=sign, value=value):
                changed = _computed(lambda old, more: old + sign * more, self.value(target), self.value(value))
                return self._write(statement, target, changed)
            case If():
                return self._branches(statement)
            case Require(condition=condition):
                return 1 in truth(self.value(condition))
            case Do(call=call):
                _, ends = self._called(call)
                return ends
            case Return(value=value):
                self.returns = True
                self.returned = None if value is None else _joined([self.returned, self.value(value)])
                return False
            case Loop():
                return self._loop(statement)
        raise AssertionError(f"{type(statement).__name__} is not followed")

    def _write(self, statement: Statement, target: Local | Element, values: Values) -> bool:
        if isinstance(target, Local):
            self.names[target.name] = values
            return True
        allowed = self.possible.known.get(target.field)
        if allowed is not None and (values is None or not values <= allowed):
            raise Escape(target.field, self.tree.at(statement))
        return True

    def _branches(self, statement: If) -> bool:
        test, before = truth(self.value(statement.test)), dict(self.names)
        after: list[dict[str, Values]] = []
        for taken, body in ((1, statement.body), (0, statement.orelse)):
            self.names = dict(before)
            if taken in test and self.block(body):
                after.append(self.names)
        self.names = {name: _joined(names.get(name) for names in after) for names in after for name in names}
        return bool(after)

    def _loop(self, loop: Loop) -> bool:
        """Each round may begin with whatever an earlier one left in local names."""
        over = self.possible.members(loop.over.domain) if isinstance(loop.over, Each) else None
        left = [name for part in parts_of(loop.body) if (name := assigned_by(part)) is not None]
        self.names |= dict.fromkeys(left)
        before = dict(self.names)
        self.names[loop.name] = over
        if over is None or over:
            self.block(loop.body)
        self.names = {**before, loop.name: None}
        return True

    def _called(self, call: Call) -> tuple[Values, bool]:
        return self.possible.run(call.function, [self.value(one) for one in call.arguments])

    def value(self, part: Expression) -> Values:
        """What an expression may be."""
        match part:
            case Number(value=value):
                return frozenset([int(value)])
            case Local(name=name):
                return self.names.get(name)
            case Element(field=field):
                return self.possible.values[field]
            case Size(domain=domain):
                return frozenset([domain.size(self.possible.model.bounds)])
            case Not(operand=operand):
                return frozenset(1 - value for value in truth(self.value(operand)))
            case Minus(operand=operand):
                return _computed(lambda value: -value, self.value(operand))
            case Sum(left=left, sign=sign, right=right):
                return _computed(lambda one, other: one + sign * other, self.value(left), self.value(right))
            case Remainder(left=left, right=right):
                return _computed(
                    lambda one, other: one % other if other > 0 else 0, self.value(left), self.value(right)
                )
            case Extreme(name=name, parts=parts):
                return _computed(min if name == "min" else max, *map(self.value, parts))
            case Junction():
                return self._junction(part)
            case Comparison():
                return self._comparison(part)
            case Choice(test=test, yes=yes, no=no):
                taken = truth(self.value(test))
                return _joined(self.value(one) for number, one in ((1, yes), (0, no)) if number in taken)
            case Quantified():
                return self._quantified(part)
            case Total():
                return self._total(part)
            case Call():
                return self._called(part)[0]
        return None

    def _junction(self, part: Junction) -> Values:
        """A part is computed only if those before it decide nothing."""
        found = set[int]()
        for one in part.parts:
            values = self.value(one)
            if values is None or not values <= EITHER:
                return None
            found |= values - {part.every}
            if part.every not in values:
                return frozenset(found)
        return frozenset(found | {int(part.every)})

    def _comparison(self, part: Comparison) -> Values:
        """It may be true if each pair may, and false if one may be."""
        pairs = [
            _computed(COMPARED[operator], self.value(left), self.value(right)) for left, operator, right in part.pairs
        ]
        found = [truth(values) for values in pairs]
        may_be_false = frozenset([0]) if any(0 in values for values in found) else frozenset[int]()
        return may_be_false | (frozenset([1]) if all(1 in values for values in found) else frozenset())

    def _quantified(self, part: Quantified) -> Values:
        if not part.over.domain.size(self.possible.model.bounds):
            return frozenset([int(part.every)])
        return truth(self._of_members(part, part.condition))

    def _total(self, part: Total) -> Values:
        one = self._of_members(part, part.value)
        total: Values = frozenset([0])
        for _ in range(part.over.domain.size(self.possible.model.bounds)):
            total = _computed(lambda before, more: before + more, total, one)
        return total

    def _of_members(self, part: Quantified | Total, inner: Expression) -> Values:
        """What an expression may be that is about any member."""
        self.names[part.name] = self.possible.members(part.over.domain)
        found = self.value(inner)
        del self.names[part.name]
        return found
