"""Model Python: the subset of Python that protocols and properties are written in, and the check that a function keeps to it.

Every engine takes the same functions: CPython runs them, the kernel generator and the Z3 translator read their source. The
subset has one meaning for all of them; everything else is refused here, with what to write instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .actions import require
from .domains import Index
from .errors import LanguageError
from .source import SET_HELPERS, STATE_METHODS, Source, called_function, field_access, source_of
from .state import Field, Setting, State

INTEGER_BITS = 56
"""Numbers of more bits are refused, so that sums of a few of them fit a word of every engine."""


def check_function(function: Callable[..., Any], schema: type[State], role: str) -> None:
    """Refuse a function outside Model Python, and every function that it calls.

    `role` is "effect" (it may require and write, and returns nothing) or "value" (it reads, and returns a value).
    Raises LanguageError with the file, the line, the construct, and what to write instead.
    """
    _checker(schema).check(function, role)


_CHECKERS: dict[type[State], _Checker] = {}


def _checker(schema: type[State]) -> _Checker:
    """What checks functions over a state: the versions of a protocol share most of theirs, and each is checked once."""
    if schema not in _CHECKERS:
        _CHECKERS[schema] = _Checker(schema)
    return _CHECKERS[schema]


class _Checker:
    def __init__(self, schema: type[State]) -> None:
        self.fields: dict[str, Field] = {f.name: f for f in (*schema.fields, *schema.settings)}
        self.done: set[tuple[Callable[..., Any], str]] = set()
        self.open: list[Callable[..., Any]] = []

    def check(self, function: Callable[..., Any], role: str) -> None:
        if (function, role) in self.done:
            return
        source = source_of(function)
        arguments = source.node.args
        if role == "effect" and source.states != source.parameters[:1]:
            self._refuse(
                source, source.node, "no state as its first parameter, or several", "one, annotated: `s: MyState`"
            )
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self._refuse(source, source.node, "defaults, * and ** in parameters", "plain positional parameters")
        self.open.append(function)
        try:
            _Scope(self, source, role).block(source.body)
            if role == "value" and not _always_returns(source.body):
                self._refuse(
                    source, source.node, "a path that returns nothing", "a `return` with a value on every path"
                )
        finally:
            self.open.pop()
        self.done.add((function, role))

    def _refuse(self, source: Source, node: ast.AST, what: str, instead: str) -> None:
        raise LanguageError(
            f"{source.at(node)}: {source.name} uses {what}, which is outside Model Python; write {instead}"
        )


class _Scope:
    """The check of one function body."""

    def __init__(self, checker: _Checker, source: Source, role: str) -> None:
        self.checker, self.source, self.role = checker, source, role
        self.states = source.states
        self.locals = set(source.parameters) - set(self.states)

    def refuse(self, node: ast.AST, what: str, instead: str) -> None:
        self.checker._refuse(self.source, node, what, instead)

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.expression(value)
                self.target(target)
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub(), value=value):
                self.expression(value)
                self.expression(target)
                self.target(target)
            case ast.If(test=test, body=body, orelse=orelse):
                self.expression(test)
                self.branches(body, orelse)
            case ast.For(target=ast.Name(id=name), iter=iterable, body=body, orelse=[]):
                self.iterable(iterable)
                before = set(self.locals)
                self.locals.add(name)
                self.block(body)
                self.locals = before
            case ast.Return(value=None) if self.role == "effect":
                pass
            case ast.Return(value=ast.expr() as value) if self.role == "value":
                self.expression(value)
            case ast.Return():
                wanted = "a bare `return`" if self.role == "effect" else "a value after `return`"
                self.refuse(node, "this `return`", wanted)
            case ast.Expr(value=ast.Call() as call):
                self.call_statement(call)
            case ast.While():
                self.refuse(node, "`while`", "a `for` over a finite domain")
            case ast.Assign() | ast.AnnAssign():
                self.refuse(node, "an assignment to several targets or with an annotation", "one plain assignment each")
            case _:
                self.refuse(
                    node, f"`{ast.unparse(node).splitlines()[0]}`", "assignments, `if`, `for`, `return` and calls"
                )

    def branches(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """Check both; afterwards a name has a value if every branch that goes on has given it one."""
        before = set(self.locals)
        self.block(body)
        after_body, self.locals = self.locals, before
        self.block(orelse)
        if _always_returns(orelse):
            self.locals = after_body
        elif not _always_returns(body):
            self.locals &= after_body

    def target(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            if node.id in self.states:
                self.refuse(node, f"an assignment to the state {node.id!r}", "assignments to its fields")
            self.locals.add(node.id)
            return
        access = field_access(node, self.states)
        if access is None:
            self.refuse(node, f"an assignment to `{ast.unparse(node)}`", "to a local name or to a field of the state")
            return
        if self.role == "value":
            self.refuse(
                node, "a write in a function that returns a value", "a function without a result, called as a statement"
            )
        if isinstance(self.checker.fields.get(access[1]), Setting):
            self.refuse(
                node, f"an assignment to the setting {access[1]!r}", "to a field: settings are constants of a run"
            )
        self.access(node, access)

    def access(self, node: ast.expr, access: tuple[str, str, list[ast.expr]]) -> None:
        _, name, indexes = access
        if name not in self.checker.fields:
            known = ", ".join(self.checker.fields)
            self.refuse(node, f"the unknown field {name!r}", f"one of {known}")
        wanted = len(self.checker.fields[name].indexes)
        if len(indexes) != wanted:
            self.refuse(node, f"{name} with {len(indexes)} indexes", f"it with {wanted}: one element at a time")
        for index in indexes:
            self.expression(index)

    def iterable(self, node: ast.expr) -> None:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="each"), args=[domain], keywords=[]):
                if name in self.states:
                    self.domain(domain)
                    return
            case ast.Call(func=ast.Name(id="range"), args=[_] | [_, _], keywords=[]):
                if all(self.constant(a) for a in node.args):
                    return
        self.refuse(
            node,
            f"a loop over `{ast.unparse(node)}`",
            "`for x in s.each(Domain)`, or `range` of constants and `s.size(Domain)`",
        )

    def domain(self, node: ast.expr) -> None:
        found = self.source.resolve(node.id) if isinstance(node, ast.Name) else None
        if not (isinstance(found, type) and issubclass(found, Index)):
            self.refuse(node, f"`{ast.unparse(node)}` as a domain", "the name of an Index class")

    def constant(self, node: ast.expr) -> bool:
        """Is the expression fixed by the bounds?"""
        match node:
            case ast.Constant(value=int()):
                return True
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                return self.constant(left) and self.constant(right)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[domain], keywords=[]):
                self.domain(domain)
                return name in self.states
        return False

    def call_statement(self, call: ast.Call) -> None:
        if isinstance(call.func, ast.Name) and self.source.resolve(call.func.id) is require:
            if self.role == "value":
                self.refuse(
                    call, "`require` in a function that returns a value", "it in an action, or return the condition"
                )
            if len(call.args) != 1 or call.keywords:
                self.refuse(call, "this `require`", "`require(condition)`")
            self.expression(call.args[0])
            return
        if self.role == "value":
            self.refuse(call, f"the statement `{ast.unparse(call)}`", "an expression that uses the call's value")
        self.call(call, "effect")

    def call(self, call: ast.Call, role: str) -> None:
        function = called_function(self.source, call)
        if function is None:
            self.refuse(call, f"a call of `{ast.unparse(call.func)}`", "calls of model functions at module level")
            return
        if function in self.checker.open:
            self.refuse(call, f"recursion through `{function.__name__}`", "a loop over a finite domain")
        callee = source_of(function)
        if call.keywords or len(call.args) != len(callee.parameters):
            self.refuse(call, f"`{ast.unparse(call)}`", f"its {len(callee.parameters)} arguments by position")
        for argument, parameter in zip(call.args, callee.parameters, strict=True):
            if parameter in callee.states:
                if not (isinstance(argument, ast.Name) and argument.id in self.states):
                    self.refuse(argument, f"`{ast.unparse(argument)}` as a state", "the state itself")
            else:
                self.expression(argument)
        if role == "value" and _has_effects(callee):
            self.refuse(
                call,
                f"`{function.__name__}` inside an expression although it changes the state or requires",
                "it as a statement of its own",
            )
        self.checker.check(function, role)

    def expression(self, node: ast.expr) -> None:
        access = field_access(node, self.states)
        if access is not None:
            self.access(node, access)
            return
        match node:
            case ast.Constant(value=bool() | int() as number):
                if number >= 1 << INTEGER_BITS:
                    self.refuse(node, f"the number {number}", f"numbers below 2**{INTEGER_BITS}")
            case ast.Name(id=name):
                self.name(node, name)
            case ast.BoolOp(values=values):
                for value in values:
                    self.expression(value)
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                self.expression(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                self.expression(left)
                self.expression(right)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                if any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in ops):
                    self.refuse(node, f"`{ast.unparse(node)}`", "`contains(set, member)`, or == and !=")
                for value in (left, *comparators):
                    self.expression(value)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                for value in (test, body, orelse):
                    self.expression(value)
            case ast.Call():
                self.call_expression(node)
            case ast.BinOp(op=op):
                self.refuse(node, f"the operator in `{ast.unparse(node)}`", "+, -, min, max, or a named set helper")
                del op
            case _:
                self.refuse(
                    node, f"`{ast.unparse(node)}`", "integers, fields, comparisons, and/or/not, + - min max, and calls"
                )

    def name(self, node: ast.expr, name: str) -> None:
        if name in self.locals:
            return
        if name in self.states:
            self.refuse(node, f"the state {name!r} as a value", "one of its fields")
        if name in self.source.assigned:
            self.refuse(
                node,
                f"the local name {name!r} where it may have no value yet",
                "an assignment to it before, on every path",
            )
        value = self.source.resolve(name)
        if not isinstance(value, int):
            self.refuse(
                node, f"the name {name!r}", "a parameter, a local name, or a module constant that is an integer"
            )

    def call_expression(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in {*self.source.assigned, *self.source.parameters}:
            self.refuse(node, f"the local name {node.func.id!r} as a function", "another local name")
        match node.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if name in self.states and method in STATE_METHODS:
                if method == "each":
                    self.refuse(node, "`each` outside a loop", "`for x in s.each(Domain)`")
                if len(node.args) != 1 or node.keywords:
                    self.refuse(node, f"`{ast.unparse(node)}`", f"`{name}.{method}(Domain)`")
                self.domain(node.args[0])
                return
            case ast.Name(id="min" | "max" as name) if self.source.resolve(name) is None:
                if len(node.args) < 2 or node.keywords:
                    self.refuse(node, f"`{ast.unparse(node)}`", f"`{name}(a, b)`")
                for argument in node.args:
                    self.expression(argument)
                return
            case ast.Name(id=name) if self.source.resolve(name) in SET_HELPERS.values():
                wanted = len(source_of(self.source.resolve(name)).parameters)
                if len(node.args) != wanted or node.keywords:
                    self.refuse(node, f"`{ast.unparse(node)}`", f"`{name}` with its {wanted} arguments by position")
                for argument in node.args:
                    self.expression(argument)
                return
        self.call(node, "value")


def _always_returns(statements: list[ast.stmt]) -> bool:
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return)


def _has_effects(source: Source) -> bool:
    return any(_writes(source, node) for node in source.nodes)


def _writes(source: Source, node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return field_access(target, source.states) is not None
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return source.resolve(name) is require
    return False
