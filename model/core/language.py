"""Model Python: the subset of Python that protocols and properties are written in, and the check that a function keeps to it.

Every engine takes the same functions: CPython runs them, the kernel generator and the Z3 translator read their source. So the
subset is what all of them give one meaning to; anything else is refused here, with what to write instead.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, get_type_hints

from . import domains
from .actions import Refused, require
from .domains import Index
from .errors import LanguageError
from .state import Field, State

SET_HELPERS: Mapping[str, Callable[..., Any]] = {
    f.__name__: f for f in (domains.contains, domains.with_member, domains.without, domains.is_subset, domains.only)
}
"""The set operations that every engine translates by itself."""

STATE_METHODS = ("each", "size", "all_of")


@dataclass(frozen=True, eq=False)
class Source:
    """A model function as its source: the parsed definition, where it stands, and what its free names mean."""

    function: Callable[..., Any]
    node: ast.FunctionDef
    file: str
    line: int

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def parameters(self) -> list[str]:
        return [a.arg for a in self.node.args.args]

    @property
    def body(self) -> list[ast.stmt]:
        """The statements after the docstring."""
        body = self.node.body
        first = body[0]
        documented = (
            isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        )
        return body[1:] if documented else body

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The local names: those that the function assigns or loops with."""
        return frozenset(n.id for n in ast.walk(self.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))

    @cached_property
    def states(self) -> list[str]:
        """The parameters that are states: annotated with a State class."""
        hints = get_type_hints(self.function)
        return [p for p in self.parameters if isinstance(hints.get(p), type) and issubclass(hints[p], State)]

    def domain_of(self, parameter: str) -> type[Index] | None:
        """The index domain that a parameter is annotated with, if any."""
        hint = get_type_hints(self.function).get(parameter)
        return hint if isinstance(hint, type) and issubclass(hint, Index) else None

    def resolve(self, name: str) -> Any:
        """What a free name means in the function's module; None if nothing."""
        return self.function.__globals__.get(name)

    def at(self, node: ast.AST) -> str:
        """`file:line` of a node."""
        return f"{self.file}:{self.line + getattr(node, 'lineno', 1) - 1}"


@cache
def source_of(function: Callable[..., Any]) -> Source:
    """The source of a model function. Raises LanguageError if it is not a plain function in a file."""
    code = getattr(function, "__code__", None)
    if code is None:
        raise LanguageError(f"{function!r} is not a plain Python function")
    if code.co_freevars:
        raise LanguageError(
            f"{code.co_filename}:{code.co_firstlineno}: {function.__name__} uses {', '.join(code.co_freevars)} of an enclosing"
            " function; define it at module level"
        )
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError as error:
        raise LanguageError(
            f"the source of {function.__name__} cannot be read: {error}; define it in a file"
        ) from error
    node = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(node, ast.FunctionDef):
        raise LanguageError(
            f"{code.co_filename}:{first}: {function.__name__} is no `def`; write it as a function with a name"
        )
    node.decorator_list = []
    return Source(function, node, code.co_filename, first)


def guard_text(refused: Refused) -> str:
    """The `require` that raised `refused`, from its traceback: `kip_320.py:41  require(...)`, on one line."""
    trace, frames = refused.__traceback__, []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    frame = frames[-2]
    code = frame.tb_frame.f_code
    functions = (v for v in frame.tb_frame.f_globals.values() if getattr(_plain(v), "__code__", None) is code)
    source = source_of(_plain(next(functions)))
    line = frame.tb_lineno - source.line + 1
    found = [n for n in ast.walk(source.node) if isinstance(n, ast.Expr) and n.lineno <= line <= (n.end_lineno or 0)]
    return f"{code.co_filename.rsplit('/', 1)[-1]}:{frame.tb_lineno}  {ast.unparse(found[0])}"


def _plain(value: Any) -> Any:
    """The function inside an action or a property; anything else as it is."""
    return getattr(value, "function", value)


def called_function(source: Source, call: ast.Call) -> Callable[..., Any] | None:
    """The model function that a call names: a plain function of the module, or the function of a property in it."""
    if not isinstance(call.func, ast.Name):
        return None
    found = _plain(source.resolve(call.func.id))
    return found if inspect.isfunction(found) else None


def field_access(node: ast.expr, states: list[str]) -> tuple[str, str, list[ast.expr]] | None:
    """(state, field, indexes) if `node` reads `s.field[i][j]`; None otherwise."""
    indexes: list[ast.expr] = []
    while isinstance(node, ast.Subscript):
        indexes.insert(0, node.slice)
        node = node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in states:
        return node.value.id, node.attr, indexes
    return None


def check_function(function: Callable[..., Any], schema: type[State], role: str) -> None:
    """Refuse a function outside Model Python, and every function that it calls.

    `role` is "effect" (it may require and write, and returns nothing) or "value" (it reads, and returns a value).
    Raises LanguageError with the file, the line, the construct, and what to write instead.
    """
    _Checker(schema).check(function, role)


class _Checker:
    def __init__(self, schema: type[State]) -> None:
        self.fields: dict[str, Field] = {f.name: f for f in schema.fields}
        self.done: set[tuple[Callable[..., Any], str]] = set()
        self.open: list[Callable[..., Any]] = []

    def check(self, function: Callable[..., Any], role: str) -> None:
        if (function, role) in self.done:
            return
        source = source_of(function)
        arguments = source.node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self._refuse(source, source.node, "defaults, * and ** in parameters", "plain positional parameters")
        self.open.append(function)
        scope = _Scope(self, source, role)
        scope.block(source.body)
        if role == "value" and not _always_returns(source.body):
            self._refuse(source, source.node, "a path that returns nothing", "a `return` with a value on every path")
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
            case ast.Constant(value=bool() | int()):
                pass
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
    return any(_writes(source, node) for node in ast.walk(source.node))


def _writes(source: Source, node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return field_access(target, source.states) is not None
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return source.resolve(name) is require
    return False


def model_functions(functions: list[Callable[..., Any]]) -> Iterator[Source]:
    """The sources of `functions` and of every model function that they call, each once, callees first."""
    seen: dict[Callable[..., Any], None] = {}

    def visit(function: Callable[..., Any]) -> Iterator[Source]:
        if function in seen or function is require or function in SET_HELPERS.values():
            return
        seen[function] = None
        source = source_of(function)
        for node in ast.walk(source.node):
            if isinstance(node, ast.Call) and (callee := called_function(source, node)) is not None:
                yield from visit(callee)
        yield source

    for function in functions:
        yield from visit(function)
