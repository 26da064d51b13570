"""Model Python to Python over packed words: every field access becomes a shift and a mask, every write a clear and an or.

A model function over a state `s` becomes a function over the words of the state, `s_0, s_1, ...`. A function with effects returns
whether it is enabled and the words after it; the others return their value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neverlost.model.core import Index, Model
from neverlost.model.core.actions import require
from neverlost.model.core.packing import Place
from neverlost.model.core.source import SET_HELPERS, Source, called_function, field_access, model_functions

Environment = Mapping[str, str]
"""What the names of parameters and locals are written as."""

HELPERS = {
    "contains": "(({0} >> {1}) & 1 == 1)",
    "with_member": "({0} | (1 << {1}))",
    "without": "({0} & ~(1 << {1}))",
    "is_subset": "({0} & ~{1} == 0)",
    "only": "(1 << {0})",
}

CHECKED = "checked("
"""An expression that holds this text may report a flaw, so it must not be evaluated before the guards that stand before it."""

DECORATOR = "@inlined"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A model function being translated: what its states and names are written as, and which names are sure to lie in a domain."""

    source: Source
    states: Mapping[str, str]
    names: Environment
    proven: Mapping[str, int]

    def with_names(self, names: Environment) -> Scope:
        return replace(self, names=names)


class Translator:
    """Translates the functions of one model."""

    def __init__(self, model: Model, functions: Sequence[Callable[..., Any]]) -> None:
        self.model, self.layout = model, model.layout
        self.sources = list(model_functions(list(functions)))
        self.names = {s.function: f"f{number}_{s.name}" for number, s in enumerate(self.sources)}
        self.effects: dict[Callable[..., Any], bool] = {}
        for source in self.sources:
            self.effects[source.function] = any(self._is_effect(source, node) for node in ast.walk(source.node))

    def _is_effect(self, source: Source, node: ast.AST) -> bool:
        match node:
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
                return field_access(target, source.states) is not None
            case ast.Expr(value=ast.Call() as call):
                return called_function(source, call) is not None
        return False

    def words(self, prefix: str) -> str:
        """The words of a state as a list of names: `s_0, s_1`."""
        return ", ".join(f"{prefix}_{k}" for k in range(self.layout.words))

    def scope(self, source: Source) -> Scope:
        """The scope of a function's own body."""
        return Scope(source=source, states={s: s for s in source.states}, names={}, proven=self._proven(source))

    def _proven(self, source: Source) -> dict[str, int]:
        """The names that stay below an extent throughout: parameters and loop variables over one domain, never assigned."""
        extents: dict[str, set[int]] = {}
        for name in source.parameters:
            if (index := source.domain_of(name)) is not None:
                extents.setdefault(name, set()).add(index.size(self.model.bounds))
        for node in ast.walk(source.node):
            match node:
                case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Attribute()) as iterable):
                    index = self.index_argument(iterable, source)
                    extents.setdefault(name, set()).add(index.size(self.model.bounds))
        return {
            name: min(found) for name, found in extents.items() if len(found) == 1 and name not in reassigned(source)
        }

    def functions(self) -> list[str]:
        """The definitions of every function, callees first."""
        return [self._function(source) for source in self.sources]

    def _function(self, source: Source) -> str:
        parameters = [self.words(p) if p in source.states else local(p) for p in source.parameters]
        body = _Body(self, self.scope(source), effect=self.effects[source.function])
        lines = body.block(source.body, 1)
        if self.effects[source.function]:
            lines.append(f"    return True, {self.words(source.states[0])}")
        return "\n".join([DECORATOR, f"def {self.names[source.function]}({', '.join(parameters)}, flaw):", *lines])

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
                return "(" + word.join(self.expression(v, scope) for v in values) + ")"
            case ast.UnaryOp(op=op, operand=operand):
                return f"({'not ' if isinstance(op, ast.Not) else '-'}{self.expression(operand, scope)})"
            case ast.BinOp(left=left, op=op, right=right):
                sign = "+" if isinstance(op, ast.Add) else "-"
                return f"({self.expression(left, scope)} {sign} {self.expression(right, scope)})"
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                parts = [self.expression(left, scope)]
                for comparison, right in zip(ops, comparators, strict=True):
                    parts += [_COMPARISONS[type(comparison)], self.expression(right, scope)]
                return "(" + " ".join(parts) + ")"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                yes, no = self.expression(body, scope), self.expression(orelse, scope)
                return f"({yes} if {self.expression(test, scope)} else {no})"
            case ast.Call():
                return self._call(node, scope)
        raise AssertionError(f"{scope.source.at(node)}: checked, yet not translated: {ast.unparse(node)}")

    def _name(self, name: str, scope: Scope) -> str:
        if name in scope.names:
            return scope.names[name]
        if name in scope.source.parameters or name in scope.source.assigned:
            return local(name)
        return str(int(scope.source.resolve(name)))

    def _call(self, node: ast.Call, scope: Scope) -> str:
        match node.func:
            case ast.Attribute(attr="size"):
                return str(self.index_argument(node, scope.source).size(self.model.bounds))
            case ast.Attribute(attr="all_of"):
                return str((1 << self.index_argument(node, scope.source).size(self.model.bounds)) - 1)
            case ast.Name(id=name):
                arguments = [self.expression(a, scope) for a in node.args if not self._is_state(a, scope)]
                helper = scope.source.resolve(name)
                if helper in SET_HELPERS.values():
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
                arguments.append(self.expression(argument, scope))
        return f"{self.names[callee]}({', '.join(arguments)}, flaw)"

    def _is_state(self, node: ast.expr, scope: Scope) -> bool:
        return isinstance(node, ast.Name) and node.id in scope.states

    def index_argument(self, node: ast.Call, source: Source) -> type[Index]:
        """The index domain that `s.each(D)`, `s.size(D)` or `s.all_of(D)` names."""
        (argument,) = node.args
        assert isinstance(argument, ast.Name)
        index: type[Index] = source.resolve(argument.id)
        return index

    def _read(self, access: tuple[str, str, list[ast.expr]], scope: Scope) -> str:
        state, name, indexes = access
        place = self.layout.places[name]
        position = self.position(place, indexes, scope)
        low = f" + {place.low}" if place.low > 0 else f" - {-place.low}" if place.low < 0 else ""
        prefix = scope.states[state]
        if len(place.segments) > 1:
            return f"(read_{name}({self.words(prefix)}, {position}){low})"
        segment = place.segments[0]
        return f"(({prefix}_{segment.word} >> {_shift(segment.shift, position, place.width)} & {_mask(place)}){low})"

    def position(self, place: Place, indexes: Sequence[ast.expr], scope: Scope) -> str:
        """The number of an element among those of its field."""
        text = "0"
        for node, extent in zip(indexes, place.shape, strict=True):
            index = self.expression(node, scope)
            if not _within(node, index, extent, scope):
                index = f"{CHECKED}{index}, {extent}, flaw)"
            text = index if text == "0" else _sum(_times(text, extent), index)
        return text

    def segmented(self) -> list[str]:
        """Readers and writers of the fields that lie in several words."""
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
        lines = [DECORATOR, f"def {head}:"]
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


class _Body:
    """The statements of one function, as lines over packed words."""

    def __init__(self, translator: Translator, scope: Scope, effect: bool) -> None:
        self.translator, self.scope, self.effect = translator, scope, effect

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
                return [f"{pad}{local(name)} = {local(name)} {'+' if isinstance(op, ast.Add) else '-'} {value(right)}"]
            case ast.AugAssign(target=target, op=op, value=right):
                old = value(ast.parse(ast.unparse(target), mode="eval").body)
                new = f"{old} {'+' if isinstance(op, ast.Add) else '-'} {value(right)}"
                return [pad + line for line in self._write(target, right, new, known=False)]
            case ast.If(test=test, body=body, orelse=orelse):
                lines = [f"{pad}if {value(test)}:", *self.block(body, depth + 1)]
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

    def _value(self, node: ast.expr) -> str:
        return self.translator.expression(node, self.scope)

    def _words(self) -> str:
        return self.translator.words(self.scope.source.states[0])

    def _loop(self, name: str, iterable: ast.Call, body: Sequence[ast.stmt], depth: int) -> list[str]:
        pad = "    " * depth
        if isinstance(iterable.func, ast.Attribute):
            index = self.translator.index_argument(iterable, self.scope.source)
            limits = str(index.size(self.translator.model.bounds))
        else:
            limits = ", ".join(self._value(a) for a in iterable.args)
        return [f"{pad}for {local(name)} in range({limits}):", *self.block(body, depth + 1)]

    def _call(self, call: ast.Call) -> list[str]:
        assert isinstance(call.func, ast.Name)
        refused = f"    return False, {self._words()}"
        if self.scope.source.resolve(call.func.id) is require:
            return [f"if not {self._value(call.args[0])}:", refused]
        return [f"enabled, {self._words()} = {self.translator.call(call, self.scope)}", "if not enabled:", refused]

    def _write(self, target: ast.expr, right: ast.expr, value: str, known: bool = True) -> list[str]:
        access = field_access(target, list(self.scope.states))
        assert access is not None
        state, name, indexes = access
        place = self.translator.layout.places[name]
        position = self.translator.position(place, indexes, self.scope)
        if not (known and self._fits(right, place)):
            value = f"in_domain({value}, {place.low}, {place.size}, flaw)"
        stored = f"({value}{f' - {place.low}' if place.low > 0 else f' + {-place.low}' if place.low < 0 else ''})"
        if len(place.segments) > 1:
            words = self.translator.words(state)
            return [f"{words} = write_{name}({words}, {position}, {stored})"]
        segment = place.segments[0]
        word, shift = f"{state}_{segment.word}", _shift(segment.shift, position, place.width)
        return [f"{word} = {word} & ~({_mask(place)} << {shift}) | {stored} << {shift}"]

    def _fits(self, node: ast.expr, place: Place) -> bool:
        """Is the value sure to lie in the field's domain? (A read of a field of the same domain, a member of it, NONE, a constant.)"""
        access = field_access(node, list(self.scope.states))
        if access is not None:
            other = self.translator.layout.places[access[1]]
            return (other.low, other.size) == (place.low, place.size)
        text = self._value(node)
        if text.lstrip("-").isdigit():
            return place.low <= int(text) < place.low + place.size
        if isinstance(node, ast.Name) and node.id in self.scope.proven:
            return place.low <= 0 and self.scope.proven[node.id] <= place.low + place.size
        return False


def local(name: str) -> str:
    """What a parameter or local name of a model function is called in the kernel, where other names stand beside it."""
    return f"v_{name}"


def reassigned(source: Source) -> set[str]:
    """The names that a function assigns, beyond looping with them."""
    found = set()
    for node in ast.walk(source.node):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name())):
                found.add(name)
    return found


_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _within(node: ast.expr, text: str, extent: int, scope: Scope) -> bool:
    """Is an index sure to lie within its extent?"""
    if text.isdigit():
        return int(text) < extent
    return isinstance(node, ast.Name) and scope.proven.get(node.id, extent + 1) <= extent


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
