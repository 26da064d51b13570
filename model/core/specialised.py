"""Model functions as one model has them: what its settings switch off, and what ranges over a bound of 0, is left out.

Two models that have the same functions then, with the same bounds, go the same ways, whatever else their texts say. Only what is
certain from the settings and the empty domains alone is decided; everything else stays as it is written.
"""

from __future__ import annotations

import ast
import hashlib
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from .actions import require
from .influence import fields_of
from .profile import Model
from .source import SET_HELPERS, Source, called_function, field_access, source_of

COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, eq=False)
class Circumstances:
    """What is certain in a model: the values of the settings, and which bounds are 0."""

    settings: Mapping[str, int]
    empty: frozenset[str]


@dataclass(frozen=True, eq=False)
class Specialised:
    """A model function in some circumstances: what is left of its body. `refuses` says that it is never enabled."""

    source: Source
    body: tuple[ast.stmt, ...]
    refuses: bool

    @cached_property
    def meaning(self) -> str:
        """A digest of all that its results depend on, without its callees."""
        return hashlib.sha256(self.source.meaning(self.body).encode()).hexdigest()

    @cached_property
    def callees(self) -> tuple[Callable[..., Any], ...]:
        """The model functions that it still calls."""
        calls = (called_function(self.source, node) for node in self._nodes if isinstance(node, ast.Call))
        return tuple(dict.fromkeys(callee for callee in calls if callee is not None and _is_read(callee)))

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that it still reads or writes, itself."""
        found = (field_access(node, self.source.states) for node in self._nodes if isinstance(node, ast.Attribute))
        return frozenset(access[1] for access in found if access is not None)

    @property
    def constant(self) -> int | None:
        """What it returns, if it does nothing but return a number."""
        match self.body:
            case (ast.Return(value=ast.Constant(value=int() as constant)),):
                return constant
        return None

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return [node for statement in self.body for node in ast.walk(statement)]


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


def specialised_functions(functions: Sequence[Callable[..., Any]], known: Circumstances) -> Iterator[Specialised]:
    """These functions and every model function that they still call, each once, callees first."""
    seen: set[Callable[..., Any]] = set()

    def visit(function: Callable[..., Any]) -> Iterator[Specialised]:
        if function in seen:
            return
        seen.add(function)
        one = specialised(function, known)
        for callee in one.callees:
            yield from visit(callee)
        yield one

    for function in functions:
        yield from visit(function)


@cache
def _specialised(
    function: Callable[..., Any], settings: tuple[tuple[str, int], ...], empty: frozenset[str]
) -> Specialised:
    source = source_of(function)
    pruning = _Pruning(source, Circumstances(dict(settings), empty))
    body = pruning.block(deepcopy(source.body))
    return Specialised(source, tuple(body), pruning.refuses)


def _is_read(function: Callable[..., Any]) -> bool:
    """Is it a function of the model, which is read, and not one that every engine has itself?"""
    return function is not require and function not in SET_HELPERS.values()


class _Pruning(ast.NodeTransformer):
    """Replaces what is certain by its value, and leaves out what is then never done."""

    def __init__(self, source: Source, known: Circumstances) -> None:
        self.source, self.known, self.refuses = source, known, False
        self.local = {*source.assigned, *source.parameters}

    def block(self, statements: Sequence[ast.stmt], outermost: bool = True) -> list[ast.stmt]:
        """What is left of some statements. Nothing is done after one that returns or refuses for certain."""
        left: list[ast.stmt] = []
        for statement in statements:
            left += self._statement(statement, outermost)
            if outermost and self.refuses:
                break
            if left and isinstance(left[-1], ast.Return):
                break
        return left

    def _statement(self, statement: ast.stmt, outermost: bool) -> list[ast.stmt]:
        match statement:
            case ast.For(iter=ast.Call(func=ast.Attribute(attr="each"), args=[ast.Name(id=name)])):
                if self._is_empty(name):
                    return []
                statement.body = self.block(statement.body, outermost=False)
                return [statement] if statement.body else []
            case ast.If():
                test = self.visit(statement.test)
                if isinstance(test, ast.Constant):
                    return self.block(statement.body if test.value else statement.orelse, outermost)
                body = self.block(statement.body, outermost=False)
                orelse = self.block(statement.orelse, outermost=False)
                if not body and not orelse and not any(isinstance(node, ast.Call) for node in ast.walk(test)):
                    return []
                return [ast.If(test=test, body=body, orelse=orelse)]
            case ast.Expr(value=ast.Call(func=ast.Name()) as call):
                return self._call(call, outermost)
            case _:
                return [self.generic_visit(statement)]  # type: ignore[list-item]

    def _call(self, call: ast.Call, outermost: bool) -> list[ast.stmt]:
        """A `require` that is certain to hold is left out, and so is a call that does nothing."""
        callee = called_function(self.source, call)
        found = self.generic_visit(call)
        assert isinstance(found, ast.Call)
        if callee is require and isinstance(found.args[0], ast.Constant):
            if found.args[0].value:
                return []
            self.refuses = self.refuses or outermost
        elif callee is not None and _is_read(callee):
            one = specialised(callee, self.known)
            if not one.body and _are_plain(found.args):
                return []
            if one.refuses and outermost:
                self.refuses = True
        return [ast.Expr(value=found)]

    def _is_empty(self, name: str) -> bool:
        domain = self.source.resolve(name)
        return domain.bound in self.known.empty and domain.size(dict.fromkeys(self.known.empty, 0)) == 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = None if node.id in self.local else self.source.resolve(node.id)
        return ast.Constant(value=value) if type(value) is int else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        access = field_access(node, self.source.states)
        if access is not None and access[1] in self.known.settings:
            return ast.Constant(value=self.known.settings[access[1]])
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(operand, ast.Constant):
            if isinstance(node.op, ast.Not):
                return ast.Constant(value=not operand.value)
            if isinstance(node.op, ast.USub):
                return ast.Constant(value=-operand.value)  # type: ignore[operator]
        return ast.UnaryOp(op=node.op, operand=operand)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Operands that decide nothing are left out, from the first on; the first that decides is the last."""
        decides = isinstance(node.op, ast.Or)
        left: list[ast.expr] = []
        for operand in node.values:
            value = self.visit(operand)
            if isinstance(value, ast.Constant) and bool(value.value) == decides:
                left.append(value)
                break
            if not isinstance(value, ast.Constant) or operand is node.values[-1]:
                left.append(value)
        return left[0] if len(left) == 1 else ast.BoolOp(op=node.op, values=left)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left = self.visit(node.left)
        rights = [self.visit(right) for right in node.comparators]
        if len(rights) == 1 and isinstance(left, ast.Constant) and isinstance(rights[0], ast.Constant):
            return ast.Constant(value=COMPARED[type(node.ops[0])](left.value, rights[0].value))
        return ast.Compare(left=left, ops=node.ops, comparators=rights)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return self.visit(node.body if test.value else node.orelse)  # type: ignore[no-any-return]
        return ast.IfExp(test=test, body=self.visit(node.body), orelse=self.visit(node.orelse))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call is its value, if that is certain; the size of an empty domain is 0."""
        match node.func:
            case ast.Attribute(attr="size"):
                (argument,) = node.args
                if isinstance(argument, ast.Name) and self._is_empty(argument.id):
                    return ast.Constant(value=0)
                return node
            case ast.Attribute():
                return node
        callee = called_function(self.source, node)
        found = self.generic_visit(node)
        assert isinstance(found, ast.Call)
        if callee is not None and _is_read(callee) and _are_plain(found.args):
            constant = specialised(callee, self.known).constant
            if constant is not None:
                return ast.Constant(value=constant)
        return found


def _are_plain(arguments: Sequence[ast.expr]) -> bool:
    """Does it make no difference whether the arguments are computed? Calls may refuse."""
    return not any(isinstance(node, ast.Call) for argument in arguments for node in ast.walk(argument))
