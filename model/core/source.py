"""The source of model functions, which engines and checks read instead of running the functions."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from .errors import LanguageError
from .parameters import hints_of
from .parsing import parsed
from .state import State

LOWERED = "__lowered__"
"""The attribute of a function made from one with messages: its definition, which no file has."""


@dataclass(frozen=True, eq=False)
class Source:
    """The source of a model function: the parsed definition, its place, and the meaning of its free names."""

    function: Callable[..., Any]
    node: ast.FunctionDef
    file: str

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters, in order, each with what it is annotated with; None without."""
        hints = hints_of(self.function)
        return {one.arg: hints.get(one.arg) for one in self.node.args.args}

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The parameters that are states: annotated with a State class."""
        return tuple(p for p, hint in self.parameters.items() if isinstance(hint, type) and issubclass(hint, State))

    @property
    def body(self) -> list[ast.stmt]:
        """The statements after the docstring."""
        return self.node.body[1:] if ast.get_docstring(self.node, clean=False) is not None else self.node.body

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters, and the names that the function assigns or loops with."""
        found: set[str] = {*self.parameters}
        open_: list[ast.AST] = [self.node]
        while open_:
            node = open_.pop()
            if not isinstance(node, ast.Name):
                open_ += ast.iter_child_nodes(node)
            elif isinstance(node.ctx, ast.Store):
                found.add(node.id)
        return frozenset(found)

    def resolve(self, name: str) -> Any:
        """The value of a free name in the function's module; None if there is none."""
        return self.function.__globals__.get(name)

    def refuse(self, node: ast.AST, what: str, instead: str) -> LanguageError:
        """The error for a construct that is outside Model Python."""
        line = getattr(node, "lineno", self.node.lineno)
        return LanguageError(
            f"{self.file}:{line}: {self.node.name} uses {what}, which is outside Model Python; write {instead}"
        )


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
    lowered: ast.FunctionDef | None = getattr(function, LOWERED, None)
    node = lowered or _functions_of(_text_of(function)).get(code.co_firstlineno)
    if node is None:
        raise LanguageError(
            f"{code.co_filename}:{code.co_firstlineno}: {function.__name__} is not a `def`; write it as a function with a name"
        )
    return Source(function, node, code.co_filename)


def defined(text: str, place: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """The names of a module with this text, and `names` before it: the source of its functions is read as that of a file `place`."""
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    space = dict(names)
    exec(compile(text, place, "exec", flags=annotations.compiler_flag), space)
    return space


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
