"""Model Python to kernel text over packed words: every field access becomes a shift and a mask, every write a clear and an or.

A model function over a state `s` becomes a function over the words of the state, `s_0, s_1, ...`. A function with effects returns
whether it is enabled and the words after it; the others return their value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neverlost.model.core import Model
from neverlost.model.core.actions import require
from neverlost.model.core.domains import MAX_MEMBERS, contains, is_subset
from neverlost.model.core.packing import SETTING_WORDS, Place
from neverlost.model.core.parsing import parsed_expression
from neverlost.model.core.source import (
    SET_HELPERS,
    Source,
    called_function,
    field_access,
    model_functions,
)

from .proven import named_domain, proven_names

MEMBER_POSITIONS = {"contains": 1, "with_member": 1, "without": 1, "only": 0}
"""Which argument of a set helper is a member. It is a shift distance, so it must lie within a word."""

HELPERS = {
    "contains": "(({0} >> {1}) & 1 == 1)",
    "with_member": "({0} | (1 << {1}))",
    "without": "({0} & ~(1 << {1}))",
    "is_subset": "({0} & ~{1} == 0)",
    "only": "(1 << {0})",
}

TRUTHS = (contains, is_subset)
"""The set helpers whose result is a truth."""

CHECKED, IN_DOMAIN, BOUNDED = "checked(", "in_domain(", "bounded("
"""Code with one of these texts may report a flaw, so it must not be evaluated before the guards above it."""

SETTINGS = ", ".join(f"settings_{word}" for word in range(SETTING_WORDS))
"""The words of the settings as a list of names: `settings_0, settings_1`."""

OUTSIDE, DECLARED = f"flaw, {SETTINGS}", f"flaw: vector, {SETTINGS}"
"""The further parameters of every function: where it reports a flaw, and the words of the settings."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A model function being translated: the texts of its states and names, and which names are certain to lie in a domain."""

    source: Source
    states: Mapping[str, str]
    names: Mapping[str, str]
    proven: Mapping[str, int]


class Translator:
    """Translates the functions of one model; those in `bound` are called with members of their parameters' domains only."""

    def __init__(
        self, model: Model, functions: Sequence[Callable[..., Any]], bound: Sequence[Callable[..., Any]]
    ) -> None:
        self.model, self.layout = model, model.layout
        self.sources = list(model_functions(list(functions)))
        self.names = {s.function: f"f{number}_{s.name}" for number, s in enumerate(self.sources)}
        self.proven = proven_names(model, self.sources, bound)
        self.definitions: list[str] = []  # callees first
        self.may_flag: set[str] = set()
        for source in self.sources:
            text = self._function(source)
            self.definitions.append(text)
            if self.flags(text):
                self.may_flag.add(self.names[source.function])

    def flags(self, text: str) -> bool:
        """Whether evaluating this text may report a flaw of the model."""
        return any(part in text for part in (CHECKED, IN_DOMAIN, BOUNDED)) or any(
            f"{name}(" in text for name in self.may_flag
        )

    def words(self, prefix: str) -> str:
        """The words of a state as a list of names: `s_0, s_1`."""
        return ", ".join(f"{prefix}_{k}" for k in range(self.layout.words))

    def scope(self, source: Source) -> Scope:
        """The scope of a function's own body."""
        return Scope(source=source, states={s: s for s in source.states}, names={}, proven=self.proven[source.function])

    def _function(self, source: Source) -> str:
        parameters = [self.words(p) if p in source.states else local(p) for p in source.parameters]
        lines = _KernelBody(self, self.scope(source)).block(source.body, 1)
        if not source.returns_value:
            lines.append(f"    return True, {self.words(source.states[0])}")
        head = f"def {self.names[source.function]}({', '.join(parameters)}, {DECLARED}):"
        return "\n".join([head, *lines])

    def expression(self, node: ast.expr, scope: Scope) -> str:
        """An expression over packed words."""
        access = field_access(node, list(scope.states))
        if access is not None:
            return self._read(access, scope)
        match node:
            case ast.Constant(value=value):
                return str(value)
            case ast.Name(id=name):
                return self._name(name, scope)
            case ast.BoolOp(op=op, values=values):
                word = " and " if isinstance(op, ast.And) else " or "
                written = self.expression if self._is_truth(node, scope) else self.number
                return "(" + word.join(written(v, scope) for v in values) + ")"
            case ast.UnaryOp(op=op, operand=operand):
                return (
                    f"(not {self.expression(operand, scope)})"
                    if isinstance(op, ast.Not)
                    else f"(-{self.number(operand, scope)})"
                )
            case ast.BinOp(left=left, op=op, right=right):
                return self._sum(left, "+" if isinstance(op, ast.Add) else "-", right, scope)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                parts = [self.number(left, scope)]
                for comparison, right in zip(ops, comparators, strict=True):
                    parts += [_COMPARISONS[type(comparison)], self.number(right, scope)]
                return "(" + " ".join(parts) + ")"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                written = self.expression if self._is_truth(node, scope) else self.number
                return f"({written(body, scope)} if {self.expression(test, scope)} else {written(orelse, scope)})"
            case ast.Call():
                return self._call(node, scope)
        raise AssertionError(f"{scope.source.at(node)}: checked, yet not translated: {ast.unparse(node)}")

    def number(self, node: ast.expr, scope: Scope) -> str:
        """An expression as a number, to store, pass on or compute with. A truth becomes 0 or 1."""
        text = self.expression(node, scope)
        return f"number({text})" if self._is_truth(node, scope) else text

    def _is_truth(self, node: ast.expr, scope: Scope) -> bool:
        """Whether the text of an expression is a truth. Names, fields and results of functions are numbers."""
        match node:
            case ast.Constant(value=value):
                return isinstance(value, bool)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.BoolOp(values=values):
                return all(self._is_truth(v, scope) for v in values)
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_truth(body, scope) and self._is_truth(orelse, scope)
            case ast.Call(func=ast.Name(id=name)):
                return scope.source.resolve(name) in TRUTHS
        return False

    def _sum(self, left: ast.expr, sign: str, right: ast.expr, scope: Scope) -> str:
        """A sum or difference. It is checked unless it is certain to stay small, because integers of the kernel have a limited size."""
        text = f"({self.number(left, scope)} {sign} {self.number(right, scope)})"
        return text if self._small(left, scope) and self._small(right, scope) else f"bounded{text[:-1]}, flaw)"

    def _small(self, node: ast.expr, scope: Scope) -> bool:
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name in scope.proven
            case ast.Call(func=ast.Attribute(attr="size")):
                return True
        return field_access(node, list(scope.states)) is not None

    def _name(self, name: str, scope: Scope) -> str:
        if name in scope.names:
            return scope.names[name]
        if name in scope.source.parameters or name in scope.source.assigned:
            return local(name)
        return str(int(scope.source.resolve(name)))

    def _call(self, node: ast.Call, scope: Scope) -> str:
        match node.func:
            case ast.Attribute(attr="size"):
                return str(named_domain(node, scope.source).size(self.model.bounds))
            case ast.Attribute(attr="all_of"):
                return str((1 << named_domain(node, scope.source).size(self.model.bounds)) - 1)
            case ast.Name(id=name):
                arguments = [self.number(a, scope) for a in node.args if not self._is_state(a, scope)]
                helper = scope.source.resolve(name)
                if helper in SET_HELPERS.values():
                    if helper.__name__ in MEMBER_POSITIONS:
                        at = MEMBER_POSITIONS[helper.__name__]
                        arguments[at] = self._within(node.args[at], MAX_MEMBERS, scope)
                    return HELPERS[helper.__name__].format(*arguments)
                if name in ("min", "max") and helper is None:
                    return f"{name}({', '.join(arguments)})"
        return self.call(node, scope)

    def call(self, node: ast.Call, scope: Scope) -> str:
        """A call of a translated function."""
        callee = called_function(scope.source, node)
        assert callee is not None
        arguments = []
        for argument in node.args:
            if self._is_state(argument, scope):
                assert isinstance(argument, ast.Name)
                arguments.append(self.words(scope.states[argument.id]))
            else:
                arguments.append(self.number(argument, scope))
        return f"{self.names[callee]}({', '.join(arguments)}, {OUTSIDE})"

    def _is_state(self, node: ast.expr, scope: Scope) -> bool:
        return isinstance(node, ast.Name) and node.id in scope.states

    def _read(self, access: tuple[str, str, list[ast.expr]], scope: Scope) -> str:
        state, name, indexes = access
        place = self.place(name)
        position = self.position(place, indexes, scope)
        low = f" + {place.low}" if place.low > 0 else f" - {-place.low}" if place.low < 0 else ""
        prefix = scope.states[state]
        if len(place.segments) > 1:
            return f"(read_{name}({self.words(prefix)}, {position}){low})"
        segment = place.segments[0]
        words = "settings" if name in self.layout.settings else prefix
        return f"(({words}_{segment.word} >> {_shift(segment.shift, position, place.width)} & {_mask(place)}){low})"

    def place(self, name: str) -> Place:
        """The place of a field or a setting."""
        return self.layout.places[name] if name in self.layout.places else self.layout.settings[name]

    def position(self, place: Place, indexes: Sequence[ast.expr], scope: Scope) -> str:
        """The number of an element among those of its field."""
        text = "0"
        for node, extent in zip(indexes, place.shape, strict=True):
            index = self._within(node, extent, scope)
            text = index if text == "0" else _sum(_times(text, extent), index)
        return text

    def _within(self, node: ast.expr, extent: int, scope: Scope) -> str:
        """An expression that must lie in 0 .. extent - 1, checked unless this is certain."""
        text = self.number(node, scope)
        if text.isdigit() and int(text) < extent:
            return text
        sure = isinstance(node, ast.Name) and scope.proven.get(node.id, extent + 1) <= extent
        access = field_access(node, list(scope.states))
        if access is not None:
            place = self.place(access[1])
            sure = place.low >= 0 and place.low + place.size <= extent
        return text if sure else f"{CHECKED}{text}, {extent}, flaw)"

    def segmented(self) -> list[str]:
        """Readers and writers of fields that extend over several words."""
        texts = []
        for name, place in self.layout.places.items():
            if len(place.segments) > 1:
                texts += [self._segmented(name, place, writes=False), self._segmented(name, place, writes=True)]
        return texts

    def _segmented(self, name: str, place: Place, writes: bool) -> str:
        head = (
            f"write_{name}({self.words('s')}, position, value)"
            if writes
            else f"read_{name}({self.words('s')}, position)"
        )
        lines = [f"def {head}:"]
        for number, segment in enumerate(place.segments):
            last = number == len(place.segments) - 1
            word, shift = f"s_{segment.word}", f"{segment.shift} + (position - {segment.start}) * {place.width}"
            lines.append(
                "    else:" if last else f"    {'elif' if number else 'if'} position < {segment.start + segment.count}:"
            )
            if writes:
                lines.append(f"        {word} = {word} & ~({_mask(place)} << ({shift})) | value << ({shift})")
            else:
                lines.append(f"        return {word} >> ({shift}) & {_mask(place)}")
        if writes:
            lines.append(f"    return {self.words('s')}")
        return "\n".join(lines)


class _KernelBody:
    """The statements of one function, as lines over packed words."""

    def __init__(self, translator: Translator, scope: Scope) -> None:
        self.translator, self.scope = translator, scope

    def block(self, statements: Sequence[ast.stmt], depth: int) -> list[str]:
        return [line for s in statements for line in self._statement(s, depth)] or ["    " * depth + "pass"]

    def _statement(self, node: ast.stmt, depth: int) -> list[str]:
        pad, value = "    " * depth, self._value
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=right):
                return [f"{pad}{local(name)} = {value(right)}"]
            case ast.Assign(targets=[target], value=right):
                return [pad + line for line in self._write(target, right, value(right))]
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=right):
                sign = "+" if isinstance(op, ast.Add) else "-"
                return [f"{pad}{local(name)} = bounded({local(name)} {sign} {value(right)}, flaw)"]
            case ast.AugAssign(target=target, op=op, value=right):
                old = value(parsed_expression(ast.unparse(target)))
                new = f"{old} {'+' if isinstance(op, ast.Add) else '-'} {value(right)}"
                return [pad + line for line in self._write(target, right, new, known=False)]
            case ast.If(test=test, body=body, orelse=orelse):
                lines = [f"{pad}if {self._condition(test)}:", *self.block(body, depth + 1)]
                return [*lines, f"{pad}else:", *self.block(orelse, depth + 1)] if orelse else lines
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as iterable, body=body):
                return self._loop(name, iterable, body, depth)
            case ast.Return(value=None):
                return [f"{pad}return True, {self._words()}"]
            case ast.Return(value=ast.expr() as result):
                return [f"{pad}return {value(result)}"]
            case ast.Expr(value=ast.Call() as call):
                return [pad + line for line in self._call(call)]
        raise AssertionError(f"checked, yet not translated: {ast.unparse(node)}")

    def _condition(self, node: ast.expr) -> str:
        return self.translator.expression(node, self.scope)

    def _value(self, node: ast.expr) -> str:
        return self.translator.number(node, self.scope)

    def _words(self) -> str:
        return self.translator.words(self.scope.source.states[0])

    def _loop(self, name: str, iterable: ast.Call, body: Sequence[ast.stmt], depth: int) -> list[str]:
        pad = "    " * depth
        if isinstance(iterable.func, ast.Attribute):
            index = named_domain(iterable, self.scope.source)
            limits = str(index.size(self.translator.model.bounds))
        else:
            limits = ", ".join(self._value(a) for a in iterable.args)
        return [f"{pad}for {local(name)} in range({limits}):", *self.block(body, depth + 1)]

    def _call(self, call: ast.Call) -> list[str]:
        assert isinstance(call.func, ast.Name)
        refused = f"    return False, {self._words()}"
        if self.scope.source.resolve(call.func.id) is require:
            return [f"if not {self._condition(call.args[0])}:", refused]
        return [f"enabled, {self._words()} = {self.translator.call(call, self.scope)}", "if not enabled:", refused]

    def _write(self, target: ast.expr, right: ast.expr, value: str, known: bool = True) -> list[str]:
        access = field_access(target, list(self.scope.states))
        assert access is not None
        state, name, indexes = access
        place = self.translator.layout.places[name]
        position = self.translator.position(place, indexes, self.scope)
        if not (known and self._fits(right, place)):
            value = f"{IN_DOMAIN}{value}, {place.low}, {place.size}, flaw)"
        stored = f"({value}{f' - {place.low}' if place.low > 0 else f' + {-place.low}' if place.low < 0 else ''})"
        if len(place.segments) > 1:
            words = self.translator.words(state)
            return [f"{words} = write_{name}({words}, {position}, {stored})"]
        segment = place.segments[0]
        word, shift = f"{state}_{segment.word}", _shift(segment.shift, position, place.width)
        return [f"{word} = {word} & ~({_mask(place)} << {shift}) | {stored} << {shift}"]

    def _fits(self, node: ast.expr, place: Place) -> bool:
        """Whether the value certainly lies in the field's domain: a read of a field of this domain, a member, NONE, a constant."""
        access = field_access(node, list(self.scope.states))
        if access is not None:
            other = self.translator.place(access[1])
            return (other.low, other.size) == (place.low, place.size)
        text = self._value(node)
        if text.lstrip("-").isdigit():
            return place.low <= int(text) < place.low + place.size
        if isinstance(node, ast.Name) and node.id in self.scope.proven:
            return place.low <= 0 and self.scope.proven[node.id] <= place.low + place.size
        return False


def local(name: str) -> str:
    """The name in the kernel of a parameter or local name; the prefix keeps it apart from the kernel's other names."""
    return f"v_{name}"


_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _mask(place: Place) -> int:
    return (1 << place.width) - 1


def _times(text: str, factor: int) -> str:
    return text if factor == 1 else f"({text}) * {factor}"


def _sum(left: str, right: str) -> str:
    return f"({left} + {right})"


def _shift(base: int, position: str, width: int) -> str:
    if position.isdigit():
        return str(base + int(position) * width)
    moved = f"({position})" if width == 1 else f"({position}) * {width}"
    return f"({moved})" if base == 0 else f"({base} + {moved})"
