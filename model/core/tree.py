"""Model Python as a tree: what a model function says, for all that check, compile, prove or change it.

`tree_of` in `reading` makes the tree of a function, once. Names are resolved in it: a number is its value, a domain is its class, a
call knows its function. Each part keeps the syntax that it was read from, for its line and its text. Parts are equal if they say
the same, wherever they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Protocol, TypeVar

from .domains import Index
from .state import Field

Function = Callable[..., Any]

COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
"""The comparisons of Model Python, as operators of Python."""


@dataclass(frozen=True)
class Part:
    """A part of a model function."""

    node: ast.AST = field(compare=False, repr=False, kw_only=True)

    @property
    def lines(self) -> range:
        """The lines that it stands on."""
        assert isinstance(self.node, ast.expr | ast.stmt)
        return range(self.node.lineno, (self.node.end_lineno or self.node.lineno) + 1)

    @property
    def text(self) -> str:
        """Its text as Python writes it, whatever line breaks it was written with."""
        return ast.unparse(self.node)


@dataclass(frozen=True)
class Expression(Part):
    """A part that has a value."""


@dataclass(frozen=True)
class Statement(Part):
    """A part that does something."""


@dataclass(frozen=True)
class Number(Expression):
    """A number or a truth, written out or by the name of a constant of the module."""

    value: int
    name: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Local(Expression):
    """A parameter, a local name, or the variable of a loop."""

    name: str


@dataclass(frozen=True)
class Element(Expression):
    """An element of a field or setting: `s.field[i][j]`. As the target of an assignment it is written."""

    state: str
    field: str
    indexes: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Size(Expression):
    """The number of members of a domain: `s.size(D)`."""

    state: str
    domain: type[Index]


@dataclass(frozen=True)
class AllOf(Expression):
    """The set of all members of a domain: `s.all_of(D)`."""

    state: str
    domain: type[Index]


@dataclass(frozen=True)
class Not(Expression):
    """`not operand`."""

    operand: Expression


@dataclass(frozen=True)
class Minus(Expression):
    """`-operand`."""

    operand: Expression


@dataclass(frozen=True)
class Sum(Expression):
    """A sum, or with the sign -1 a difference."""

    left: Expression
    sign: int
    right: Expression


@dataclass(frozen=True)
class Comparison(Expression):
    """`left < others[0] <= others[1]`: a comparison is made only if those before it hold."""

    left: Expression
    operators: tuple[str, ...]
    others: tuple[Expression, ...]

    @property
    def pairs(self) -> Iterator[tuple[Expression, str, Expression]]:
        """The single comparisons."""
        return zip((self.left, *self.others), self.operators, self.others, strict=False)


@dataclass(frozen=True)
class Junction(Expression):
    """`and`, if `every`, or `or`: a part is computed only if those before it decide nothing."""

    every: bool
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Choice(Expression):
    """`yes if test else no`."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class Extreme(Expression):
    """The least of some numbers, or the greatest: `name` is "min" or "max"."""

    name: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Remainder(Expression):
    """`left % right`: never below 0, as Python has it. The divisor is above 0."""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class SetOperation(Expression):
    """An operation on sets that every engine has itself: one of `SET_HELPERS`."""

    helper: Function
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Given(Expression):
    """A state that is passed on to a function."""

    state: str


@dataclass(frozen=True)
class Call(Expression):
    """A call of a model function. Its arguments are in the order of the parameters."""

    function: Function
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Each(Part):
    """All members of a domain, in order: `s.each(D)`."""

    state: str
    domain: type[Index]


@dataclass(frozen=True)
class Quantified(Expression):
    """`all(condition for name in over)` if `every`, or `any(...)`: no member is looked at after the first that decides."""

    every: bool
    name: str
    over: Each
    condition: Expression


@dataclass(frozen=True)
class Total(Expression):
    """`sum(value for name in over)`."""

    name: str
    over: Each
    value: Expression


Target = Local | Element


@dataclass(frozen=True)
class Assign(Statement):
    """`target = value`."""

    target: Target
    value: Expression


@dataclass(frozen=True)
class Change(Statement):
    """`target += value`, or with the sign -1 `target -= value`."""

    target: Target
    sign: int
    value: Expression


@dataclass(frozen=True)
class If(Statement):
    """`if test: body else: orelse`; without an `else`, `orelse` is empty."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True)
class Range(Part):
    """`range` of numbers that the bounds fix."""

    limits: tuple[Expression, ...]


@dataclass(frozen=True)
class Loop(Statement):
    """`for name in over: body`."""

    name: str
    over: Each | Range
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Return(Statement):
    """`return value`; a function with effects returns no value."""

    value: Expression | None


@dataclass(frozen=True)
class Require(Statement):
    """A guard: the step does not exist unless the condition holds."""

    condition: Expression


@dataclass(frozen=True)
class Do(Statement):
    """A call of a function for its effects."""

    call: Call


@dataclass(frozen=True, eq=False)
class Tree:
    """A model function: its parameters with what they are annotated with, those of them that are states, and its body."""

    function: Function
    file: str
    node: ast.FunctionDef
    parameters: Mapping[str, Any]
    states: tuple[str, ...]
    body: tuple[Statement, ...]

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def module(self) -> str:
        """The name of the module that it stands in."""
        return self.function.__module__

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts, as they are read."""
        return parts_of(self.body)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The local names: those that the function assigns or loops with."""
        return frozenset(name for part in self.parts if (name := assigned_by(part)) is not None)

    @cached_property
    def callees(self) -> tuple[Function, ...]:
        """The model functions that it calls, each once."""
        return tuple(dict.fromkeys(part.function for part in self.parts if isinstance(part, Call)))

    @cached_property
    def domains(self) -> tuple[type[Index], ...]:
        """The domains that it names."""
        return tuple(part.domain for part in self.parts if isinstance(part, Each | Size | AllOf))

    @cached_property
    def returns_value(self) -> bool:
        """Whether the function returns a value. If not, it is there for its effects."""
        return any(isinstance(part, Return) and part.value is not None for part in self.parts)

    @cached_property
    def has_effects(self) -> bool:
        """Whether it itself requires something or writes a field."""
        return any(isinstance(part, Require) or written_by(part) is not None for part in self.parts)

    def field_of(self, element: Element) -> Field | None:
        """The field or setting that an element is of; None if the state has none of this name."""
        schema = self.parameters[element.state]
        return {one.name: one for one in (*schema.fields, *schema.settings)}.get(element.field)

    def at(self, part: Part) -> str:
        """`file:line` of a part."""
        return f"{self.file}:{part.lines.start}"


class Calling(Protocol):
    """A function in a form that knows what it calls."""

    @property
    def callees(self) -> tuple[Function, ...]: ...


Form = TypeVar("Form", bound=Calling)


def callees_first(functions: Iterable[Function], form_of: Callable[[Function], Form]) -> Iterator[Form]:
    """A form of some functions and of all that they call in it, each once, callees first."""
    seen: set[Function] = set()

    def visit(function: Function) -> Iterator[Form]:
        if function in seen:
            return
        seen.add(function)
        form = form_of(function)
        for callee in form.callees:
            yield from visit(callee)
        yield form

    for function in functions:
        yield from visit(function)


def parts_of(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """These parts, and all that is in them, as they are read."""
    return tuple(inner for part in parts for inner in walk(part))


def walk(part: Part) -> Iterator[Part]:
    """A part and all that is in it, as it is read."""
    yield part
    for inner in children(part):
        yield from walk(inner)


def children(part: Part) -> Iterator[Part]:
    """The parts that a part is made of."""
    contents: tuple[str, ...] = type(part).__match_args__
    for name in contents:
        value = getattr(part, name)
        if isinstance(value, Part):
            yield value
        elif isinstance(value, tuple):
            yield from (one for one in value if isinstance(one, Part))


def written_by(part: Part) -> Element | None:
    """The element that a part writes, if any."""
    return part.target if isinstance(part, Assign | Change) and isinstance(part.target, Element) else None


def assigned_by(part: Part) -> str | None:
    """The local name that a part assigns or loops with, if any."""
    match part:
        case Assign(target=Local(name=name)) | Change(target=Local(name=name)) | Loop(name=name):
            return name
    return None


def meaning_of(value: Any) -> str:
    """All that the results of a part depend on, without the functions that it calls: equal texts, equal results.

    A function stands for itself by its name, a domain by its description.
    """
    if isinstance(value, Part):
        inner = (meaning_of(getattr(value, one.name)) for one in fields(value) if one.compare)
        return f"{type(value).__name__}({', '.join(inner)})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(meaning_of, value))}]"
    if isinstance(value, type) and issubclass(value, Index):
        return value.described()
    return described(value) if callable(value) else repr(value)


def described(function: Function) -> str:
    """A function by its full name."""
    return f"{function.__module__}.{function.__qualname__}"
