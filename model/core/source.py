"""The source of model functions, which engines and checks read instead of running the functions."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import CodeType
from typing import Any

from . import domains
from .actions import Refused, require
from .domains import Index
from .errors import LanguageError
from .lemmas import Lemma
from .parameters import hints_of
from .parsing import parsed
from .properties import Property
from .state import Field, State

SET_HELPERS: Mapping[str, Callable[..., Any]] = {
    f.__name__: f for f in (domains.contains, domains.with_member, domains.without, domains.is_subset, domains.only)
}
"""The set operations that every engine implements itself."""

STATE_METHODS = ("each", "size", "all_of")


@dataclass(frozen=True, eq=False)
class Source:
    """The source of a model function: the parsed definition, its place, and the meaning of its free names."""

    function: Callable[..., Any]
    node: ast.FunctionDef
    file: str

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
    def nodes(self) -> tuple[ast.AST, ...]:
        """The definition and all that is in it."""
        return tuple(ast.walk(self.node))

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The local names: those that the function assigns or loops with."""
        return frozenset(n.id for n in self.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))

    @cached_property
    def named_domains(self) -> list[type[Index]]:
        """The domains that `s.each(D)`, `s.size(D)` and `s.all_of(D)` name."""
        found = []
        for node in self.nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=state), attr=method), args=[ast.Name(id=name)]):
                    if state in self.states and method in STATE_METHODS:
                        found.append(self.resolve(name))
        return found

    def meaning(self, body: Sequence[ast.stmt]) -> str:
        """All that the results depend on, without the callees, if this is left of the body: the text, and what free names mean."""
        read = [node for part in (self.node.args, *body) for node in ast.walk(part)]
        free = {n.id for n in read if isinstance(n, ast.Name)} - {*self.assigned, *self.parameters}
        known = {name: _described(self.resolve(name)) for name in sorted(free)}
        return f"{described(self.function)}{_dumped(self.node.args)}{''.join(map(_dumped, body))}{known}"

    @cached_property
    def callees(self) -> tuple[Callable[..., Any], ...]:
        """The model functions that the function calls, in the order of the calls."""
        calls = (node for node in self.nodes if isinstance(node, ast.Call))
        found = (called_function(self, call) for call in calls)
        return tuple(callee for callee in found if callee is not None)

    @cached_property
    def returns_value(self) -> bool:
        """Whether the function returns a value. If not, it is there for its effects."""
        return any(isinstance(n, ast.Return) and n.value is not None for n in self.nodes)

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return hints_of(self.function)

    @cached_property
    def states(self) -> list[str]:
        """The parameters that are states: annotated with a State class."""
        hints = self._hints
        return [p for p in self.parameters if isinstance(hints.get(p), type) and issubclass(hints[p], State)]

    def field_read(self, node: ast.expr) -> Field | None:
        """The field of a state, or the setting, that an expression reads an element of; None for another expression."""
        access = field_access(node, self.states)
        if access is None:
            return None
        schema = self._hints[access[0]]
        return {one.name: one for one in (*schema.fields, *schema.settings)}.get(access[1])

    def domain_of(self, parameter: str) -> type[Index] | None:
        """The index domain that a parameter is annotated with, if any."""
        hint = self._hints.get(parameter)
        return hint if isinstance(hint, type) and issubclass(hint, Index) else None

    def resolve(self, name: str) -> Any:
        """The value of a free name in the function's module; None if there is none."""
        return self.function.__globals__.get(name)

    def at(self, node: ast.AST) -> str:
        """`file:line` of a node."""
        return f"{self.file}:{getattr(node, 'lineno', self.node.lineno)}"


def _dumped(node: ast.AST) -> str:
    """The node as text, the same in every version of Python: from 3.13 on, empty lists are left out unless one asks for them."""
    if sys.version_info >= (3, 13):
        return ast.dump(node, show_empty=True)
    return ast.dump(node)


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
    node = _functions_of(_text_of(function)).get(code.co_firstlineno)
    if node is None:
        raise LanguageError(
            f"{code.co_filename}:{code.co_firstlineno}: {function.__name__} is not a `def`; write it as a function with a name"
        )
    return Source(function, node, code.co_filename)


def _text_of(function: Callable[..., Any]) -> str:
    """The whole file in which a function is defined."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise LanguageError(
            f"the source of {function.__name__} cannot be read: {file} is not a readable file; define it in a file"
        )
    return "".join(lines)


@cache
def _functions_of(text: str) -> dict[int, ast.FunctionDef]:
    """The functions in the text of a file, without decorators, by the line that each begins on. A file is parsed once for all."""
    found: dict[int, ast.FunctionDef] = {}
    open_: list[ast.AST] = [parsed(text)]
    while open_:
        node = open_.pop()
        open_ += [inner for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt)]
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            node.decorator_list = []
            found[first] = node
    return found


@dataclass(frozen=True)
class Guard:
    """A `require`: its file, its line, its text on one line, and the fields that are in it."""

    file: str
    line: int
    text: str
    reads: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """`kip_320.py:41  require(...)`."""
        return f"{self.file}:{self.line}  {self.text}"


def guard_of(refused: Refused) -> Guard:
    """The `require` that raised `refused`, from its traceback."""
    trace, frames = refused.__traceback__, []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    frame = frames[-2]
    code, line = frame.tb_frame.f_code, frame.tb_lineno
    known = _GUARDS.get((code, line))
    if known is None:
        functions = (v for v in frame.tb_frame.f_globals.values() if getattr(_plain(v), "__code__", None) is code)
        source = source_of(_plain(next(functions)))
        found = [n for n in source.nodes if isinstance(n, ast.Expr) and n.lineno <= line <= (n.end_lineno or 0)]
        known = Guard(code.co_filename.rsplit("/", 1)[-1], line, ast.unparse(found[0]), attributes_in(found[0]))
        _GUARDS[code, line] = known
    return known


def attributes_in(node: ast.AST) -> frozenset[str]:
    """The names of all attributes in a piece of code: of fields and settings, where it is of a model function."""
    return frozenset(part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute))


_GUARDS: dict[tuple[CodeType, int], Guard] = {}
"""Guards that were named before: a state refuses hundreds of steps by a few dozen of them."""


def _plain(value: Any) -> Any:
    """The function inside an action or a property; any other object unchanged."""
    return getattr(value, "function", value)


def described(function: Callable[..., Any]) -> str:
    """A function by its full name."""
    return f"{function.__module__}.{function.__qualname__}"


def _described(value: Any) -> str:
    """The value of a free name: a number, a domain, a function."""
    if isinstance(value, type) and issubclass(value, Index):
        return value.described()
    function = _plain(value)
    return described(function) if inspect.isfunction(function) else repr(value)


def called_function(source: Source, call: ast.Call) -> Callable[..., Any] | None:
    """The model function that a call names: a plain function of the module, or that of a property or lemma in it."""
    if not isinstance(call.func, ast.Name):
        return None
    found = source.resolve(call.func.id)
    function = found.function if isinstance(found, Property | Lemma) else found
    return function if inspect.isfunction(function) else None


def field_access(node: ast.expr, states: list[str]) -> tuple[str, str, list[ast.expr]] | None:
    """(state, field, indexes) if `node` reads `s.field[i][j]`; None otherwise."""
    indexes: list[ast.expr] = []
    while isinstance(node, ast.Subscript):
        indexes.insert(0, node.slice)
        node = node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in states:
        return node.value.id, node.attr, indexes
    return None


def model_functions(functions: list[Callable[..., Any]]) -> Iterator[Source]:
    """The sources of `functions` and of every model function that they call, each once, callees first."""
    seen: dict[Callable[..., Any], None] = {}

    def visit(function: Callable[..., Any]) -> Iterator[Source]:
        if function in seen or function is require or function in SET_HELPERS.values():
            return
        seen[function] = None
        source = source_of(function)
        for callee in source.callees:
            yield from visit(callee)
        yield source

    for function in functions:
        yield from visit(function)
