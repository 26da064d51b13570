"""Model functions as one model has them: what its settings switch off, and what ranges over a bound of 0, is left out.

Two models that have the same functions then, with the same bounds, go the same ways, whatever else their texts say. Only what is
certain from the settings and the empty domains alone is decided; everything else stays as it is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from .domains import Index
from .influence import fields_of
from .profile import Model
from .reading import tree_of
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
    If,
    Junction,
    Loop,
    Minus,
    Not,
    Number,
    Part,
    Quantified,
    Remainder,
    Require,
    Return,
    SetOperation,
    Size,
    Statement,
    Sum,
    Total,
    Tree,
    described,
    meaning_of,
    parts_of,
    walk,
)


@dataclass(frozen=True, eq=False)
class Circumstances:
    """What is certain in a model: the values of the settings, and which bounds are 0."""

    settings: Mapping[str, int]
    empty: frozenset[str]


@dataclass(frozen=True, eq=False)
class Specialised:
    """A model function in some circumstances: what is left of its body. `refuses` says that it is never enabled."""

    known: Circumstances
    tree: Tree
    body: tuple[Statement, ...]
    refuses: bool

    @cached_property
    def meaning(self) -> str:
        """A digest of all that its results depend on, without its callees."""
        text = f"{described(self.tree.function)}{[*self.tree.parameters]}{meaning_of(self.body)}"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def callees(self) -> tuple[Callable[..., Any], ...]:
        """The model functions that it still calls."""
        return tuple(dict.fromkeys(part.function for part in self._parts if isinstance(part, Call)))

    @cached_property
    def with_callees(self) -> tuple[Specialised, ...]:
        """It and every model function that it still calls, each once, callees first."""
        below = (one for callee in self.callees for one in specialised(callee, self.known).with_callees)
        return (*dict.fromkeys(below), self)

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that it still reads or writes, itself."""
        return frozenset(part.field for part in self._parts if isinstance(part, Element))

    @property
    def constant(self) -> int | None:
        """What it returns, if it does nothing but return a number."""
        match self.body:
            case (Return(value=Number(value=constant)),):
                return constant
        return None

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return parts_of(self.body)


def circumstances_of(model: Model) -> Circumstances:
    """What is certain in the model."""
    return Circumstances(model.settings, frozenset(name for name, size in model.bounds.items() if size == 0))


def specialised(function: Callable[..., Any], known: Circumstances) -> Specialised:
    """The function as it is in these circumstances."""
    settings = known.settings
    read = tuple((name, settings[name]) for name in _read_by(function) if name in settings)
    return _specialised(function, read, known.empty)


@cache
def _read_by(function: Callable[..., Any]) -> tuple[str, ...]:
    """What the function reads, itself or by what it calls, in order."""
    return tuple(sorted(fields_of(function).read))


def switched_off(model: Model) -> tuple[str, ...]:
    """The names of the actions that never happen as the settings are, or because there is nothing that they could be done with."""
    known = circumstances_of(model)
    return tuple(
        action.name
        for action in model.profile.actions
        if not model.has_steps_of(action) or specialised(action.function, known).refuses
    )


def specialised_functions(functions: Sequence[Callable[..., Any]], known: Circumstances) -> Iterator[Specialised]:
    """These functions and every model function that they still call, each once, callees first."""
    return iter(dict.fromkeys(one for function in functions for one in specialised(function, known).with_callees))


@cache
def _specialised(
    function: Callable[..., Any], settings: tuple[tuple[str, int], ...], empty: frozenset[str]
) -> Specialised:
    tree, known = tree_of(function), Circumstances(dict(settings), empty)
    pruning = _Pruning(known)
    body = pruning.block(tree.body)
    return Specialised(known, tree, body, pruning.refuses)


class _Pruning:
    """Replaces what is certain by its value, and leaves out what is then never done."""

    def __init__(self, known: Circumstances) -> None:
        self.known, self.refuses = known, False

    def block(self, statements: Sequence[Statement], outermost: bool = True) -> tuple[Statement, ...]:
        """What is left of some statements. Nothing is done after one that returns or refuses for certain."""
        left: list[Statement] = []
        for statement in statements:
            left += self._statement(statement, outermost)
            if outermost and self.refuses:
                break
            if left and isinstance(left[-1], Return):
                break
        return tuple(left)

    def _statement(self, statement: Statement, outermost: bool) -> Sequence[Statement]:
        match statement:
            case Loop(over=Each(domain=domain)) if self._is_empty(domain):
                return ()
            case Loop():
                body = self.block(statement.body, outermost=False)
                return (replace(statement, body=body),) if body else ()
            case If():
                test = self.visit(statement.test)
                if isinstance(test, Number):
                    return self.block(statement.body if test.value else statement.orelse, outermost)
                body = self.block(statement.body, outermost=False)
                orelse = self.block(statement.orelse, outermost=False)
                if not body and not orelse and _are_plain([test]):
                    return ()
                return (replace(statement, test=test, body=body, orelse=orelse),)
            case Require():
                condition = self.visit(statement.condition)
                if isinstance(condition, Number):
                    if condition.value:
                        return ()
                    self.refuses = self.refuses or outermost
                return (replace(statement, condition=condition),)
            case Do():
                return self._call(statement, outermost)
            case Assign(value=value) | Change(value=value):
                target = statement.target
                if isinstance(target, Element):
                    target = replace(target, indexes=self._all(target.indexes))
                return (replace(statement, target=target, value=self.visit(value)),)
            case Return(value=Expression() as value):
                return (replace(statement, value=self.visit(value)),)
        return (statement,)

    def _call(self, statement: Do, outermost: bool) -> Sequence[Statement]:
        """A call that does nothing is left out."""
        call = replace(statement.call, arguments=self._all(statement.call.arguments))
        one = specialised(call.function, self.known)
        if not one.body and _are_plain(call.arguments):
            return ()
        self.refuses = self.refuses or (one.refuses and outermost)
        return (replace(statement, call=call),)

    def _is_empty(self, domain: type[Index]) -> bool:
        return domain.bound in self.known.empty and domain.size(dict.fromkeys(self.known.empty, 0)) == 0

    def _all(self, parts: Iterable[Expression]) -> tuple[Expression, ...]:
        return tuple(map(self.visit, parts))

    def visit(self, part: Expression) -> Expression:
        """What an expression is in these circumstances."""
        match part:
            case Element(field=name) if name in self.known.settings:
                return _number(part, self.known.settings[name])
            case Element(indexes=indexes):
                return replace(part, indexes=self._all(indexes))
            case Size(domain=domain) if self._is_empty(domain):
                return _number(part, 0)
            case Not(operand=operand):
                value = self.visit(operand)
                return _number(part, not value.value) if isinstance(value, Number) else replace(part, operand=value)
            case Minus(operand=operand):
                value = self.visit(operand)
                return _number(part, -value.value) if isinstance(value, Number) else replace(part, operand=value)
            case Sum(left=left, right=right):
                return replace(part, left=self.visit(left), right=self.visit(right))
            case Junction():
                return self._junction(part)
            case Comparison():
                return self._comparison(part)
            case Choice(test=test, yes=yes, no=no):
                value = self.visit(test)
                if isinstance(value, Number):
                    return self.visit(yes if value.value else no)
                return replace(part, test=value, yes=self.visit(yes), no=self.visit(no))
            case Quantified(over=over, every=every, condition=condition):
                if self._is_empty(over.domain):
                    return _number(part, every)
                return replace(part, condition=self.visit(condition))
            case Total(over=over, value=value):
                return _number(part, 0) if self._is_empty(over.domain) else replace(part, value=self.visit(value))
            case Remainder(left=left, right=right):
                return replace(part, left=self.visit(left), right=self.visit(right))
            case Extreme(parts=parts) | SetOperation(parts=parts):
                return replace(part, parts=self._all(parts))
            case Call():
                return self._called(part)
        return part

    def _junction(self, part: Junction) -> Expression:
        """Operands that decide nothing are left out, from the first on; the first that decides is the last."""
        left: list[Expression] = []
        for operand in part.parts:
            value = self.visit(operand)
            if isinstance(value, Number) and bool(value.value) != part.every:
                left.append(value)
                break
            if not isinstance(value, Number) or operand is part.parts[-1]:
                left.append(value)
        return left[0] if len(left) == 1 else replace(part, parts=tuple(left))

    def _comparison(self, part: Comparison) -> Expression:
        left, others = self.visit(part.left), self._all(part.others)
        match left, others:
            case Number(value=one), (Number(value=other),):
                return _number(part, COMPARED[part.operators[0]](one, other))
        return replace(part, left=left, others=others)

    def _called(self, part: Call) -> Expression:
        """A call is its value, if that is certain."""
        call = replace(part, arguments=self._all(part.arguments))
        constant = specialised(call.function, self.known).constant if _are_plain(call.arguments) else None
        return call if constant is None else _number(part, constant)


def _number(part: Part, value: int) -> Number:
    return Number(value, node=part.node)


def _are_plain(parts: Iterable[Expression]) -> bool:
    """Does it make no difference whether these are computed? Calls may refuse."""
    return not any(isinstance(inner, Call | SetOperation) for part in parts for inner in walk(part))
