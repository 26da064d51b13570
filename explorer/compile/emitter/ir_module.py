"""A kernel text as one module of LLVM IR: its constants, its functions for the types of their calls, and its entries.

A kernel text is Python that only the emitter reads. At its top level are constants (integers, sums of such, `u64(...)`, lists of small
integers) and functions. Python calls the functions with `@entry`; LLVM inlines those with `@inlined` in every call, those with `@apart`
in none, and of the others what it finds worth it. A loop abreast does several rounds at a time: what it calls is emitted without jumps.

A parameter without annotation is a number; other annotations are the names in `kernel_types`. A function that takes an array is emitted
once for each type of array in its calls: one that is declared for any `table` also takes `rows`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.model.core.parsing import parsed

from .expressions import Expressions, KernelError, call_of
from .kernel_types import LANES, NUMBER, TRUTH, U8, Array, Columns, ScalarType, Type, types_of
from .lower import Lowering
from .operands import LlvmArray, LlvmValue, Operand, Result, literal, parameters_of, received, result_ir
from .unbranched import CALLED, Branches, Unbranched
from .wide import set_bits_table

ENTRY, INLINED, APART = "entry", "inlined", "apart"

INTRINSICS = (
    "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
    f"declare i{LANES} @llvm.ctpop.i{LANES}(i{LANES})",
)
"""What LLVM offers beyond its instructions, and kernels use."""


@dataclass(frozen=True, kw_only=True)
class EntryPoint:
    """A function that Python calls: the types of its parameters, and of its results, by name."""

    parameters: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Emitted:
    """A module of LLVM IR, the entries that Python may call, and the integers that the kernel text defines."""

    ir: str
    wide: bool
    """Whether it selects between values with several lanes."""
    entries: dict[str, EntryPoint]
    constants: dict[str, int]


@dataclass
class _Function:
    symbol: str
    result: Result = None


def emitted(text: str) -> Emitted:
    """The IR of a kernel text. Raises KernelError for anything that a kernel may not contain."""
    return _Module(text).emitted()


class _Module:
    def __init__(self, text: str) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.constants: dict[str, Operand] = {}
        self.arrays: list[str] = []
        self.without_jumps: dict[tuple[str, tuple[Type, ...]], _Function | None] = {}
        self.definitions: list[str] = []
        self.done: dict[tuple[str, tuple[Type, ...]], _Function] = {}
        for node in parsed(text).body:
            match node:
                case ast.FunctionDef(name=name):
                    self.functions[name] = node
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.constants[name] = self._constant(name, value)
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    raise KernelError(f"line {node.lineno}: neither a function nor a constant: {ast.unparse(node)}")
        self.types = types_of(self._integers().get("WORDS", 1))

    def emitted(self) -> Emitted:
        """The whole module."""
        entries = {name: self._entry(node) for name, node in self.functions.items() if ENTRY in _decorators(node)}
        return Emitted(
            ir="\n".join([*INTRINSICS, set_bits_table(), *self.arrays, *self.definitions]) + "\n",
            wide=any(self.without_jumps.values()),
            entries=entries,
            constants=self._integers(),
        )

    def _integers(self) -> dict[str, int]:
        values = ((name, value.known) for name, value in self.constants.items() if isinstance(value, LlvmValue))
        return {name: known for name, known in values if known is not None}

    def constant(self, name: str) -> Operand | None:
        return self.constants.get(name)

    def _constant(self, name: str, node: ast.expr) -> Operand:
        if isinstance(node, ast.List):
            values = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, int)]
            if len(values) != len(node.elts) or not all(0 <= value < 256 for value in values):
                raise KernelError(f"line {node.lineno}: {name} is not a list of integers from 0 to 255")
            content = ", ".join(f"i8 {value}" for value in values)
            self.arrays.append(f"@{name} = private unnamed_addr constant [{len(values)} x i8] [{content}]")
            return LlvmArray(type=Array(element=U8), pointer=f"@{name}", extents=(literal(len(values)),))
        value = Expressions(self, name).folded(node)
        if value is None:
            raise KernelError(f"line {node.lineno}: {name} is not an integer: {ast.unparse(node)}")
        return value

    def _declared(self, node: ast.FunctionDef) -> list[Type]:
        """The declared types of a function's parameters."""
        found = []
        for parameter in node.args.args:
            name = ast.unparse(parameter.annotation) if parameter.annotation is not None else NUMBER.name
            if name not in self.types:
                raise KernelError(
                    f"{node.name}, line {parameter.lineno}: {name} is not a type; the types are {', '.join(self.types)}"
                )
            found.append(self.types[name])
        return found

    def instance(self, name: str, arguments: Sequence[Operand]) -> _Function | None:
        """The function of a name for arguments of these types; it is emitted on first use."""
        node = self.functions.get(name)
        if node is None:
            return None
        declared, given = self._declared(node), [_type_of(argument) for argument in arguments]
        if len(declared) != len(given) or not all(_fits(g, d) for g, d in zip(given, declared, strict=True)):
            raise KernelError(
                f"{name} takes {list(map(_shown, declared))}, and is called with {list(map(_shown, given))}"
            )
        key = (name, tuple(given))
        if key not in self.done:
            self.done[key] = self._defined(node, given)
        return self.done[key]

    def unbranched(self, name: str, arguments: Sequence[Operand]) -> _Function | None:
        """The function of a name for wide arguments of these types; it is emitted on first use. None if it needs jumps."""
        node = self.functions.get(name)
        if node is None:
            return None
        key = (name, tuple(_type_of(argument) for argument in arguments))
        if key not in self.without_jumps:
            self.without_jumps[key] = self._without_jumps(node, key[1])
        return self.without_jumps[key]

    def _without_jumps(self, node: ast.FunctionDef, types: Sequence[Type]) -> _Function | None:
        operands, parameters = _received(node, types)
        lowering = Unbranched(self, node, operands)
        try:
            lines = lowering.body()
        except Branches:
            return None
        function = _Function(f"{node.name}.wide{len(self.without_jumps)}", lowering.result)
        self._define(function, [*parameters, f"{TRUTH.wide.ir} {CALLED}"], lines, " alwaysinline")
        return function

    def _defined(self, node: ast.FunctionDef, types: Sequence[Type]) -> _Function:
        function, decorators = _Function(f"{node.name}.{len(self.done)}"), _decorators(node)
        operands, parameters = _received(node, types)
        lowering = Lowering(self, node, operands)
        lines = lowering.body()
        function.result = lowering.result
        inlining = " alwaysinline" if INLINED in decorators else " noinline" if {ENTRY, APART} & decorators else ""
        self._define(function, parameters, lines, inlining)
        return function

    def _define(self, function: _Function, parameters: Sequence[str], lines: Sequence[str], inlining: str) -> None:
        head = f"define internal {result_ir(function.result)} @{function.symbol}({', '.join(parameters)})"
        self.definitions.append("\n".join([f"{head} nounwind{inlining} {{", *lines, "}"]))

    def _entry(self, node: ast.FunctionDef) -> EntryPoint:
        """Emit an entry, which Python calls: it writes its results as 64-bit words to the address in its last parameter."""
        operands, parameters = _received(node, self._declared(node))
        function = self.instance(node.name, operands)
        assert function is not None
        call = call_of(function, operands)
        several = isinstance(function.result, tuple)
        results = (
            function.result if isinstance(function.result, tuple) else (function.result,) if function.result else ()
        )
        lines = [f"  %found = {call}" if results else f"  {call}"]
        for number, scalar in enumerate(results):
            one, word, place = f"%found.{number}" if several else "%found", f"%word.{number}", f"%place.{number}"
            if several:
                lines.append(f"  {one} = extractvalue {result_ir(function.result)} %found, {number}")
            lines += [
                f"  {word} = {'bitcast' if scalar.bits == 64 else 'zext'} {scalar.ir} {one} to i64",
                f"  {place} = getelementptr i64, ptr %results, i64 {number}",
                f"  store i64 {word}, ptr {place}",
            ]
        head = f"define void @{node.name}({', '.join([*parameters, 'ptr %results'])}) nounwind {{"
        self.definitions.append("\n".join([head, *lines, "  ret void", "}"]))
        return EntryPoint(
            parameters=tuple(_annotation(p) for p in node.args.args), results=tuple(s.name for s in results)
        )


def _received(node: ast.FunctionDef, types: Sequence[Type]) -> tuple[list[Operand], list[str]]:
    """What a function sees of its parameters of these types, and their texts."""
    names = [f"%a.{parameter.arg}" for parameter in node.args.args]
    operands = [received(kind, name) for kind, name in zip(types, names, strict=True)]
    pairs = zip(operands, names, strict=True)
    return operands, [f"{ir} {part}" for operand, name in pairs for ir, part in parameters_of(operand, name)]


def _annotation(parameter: ast.arg) -> str:
    return ast.unparse(parameter.annotation) if parameter.annotation is not None else NUMBER.name


def _decorators(node: ast.FunctionDef) -> set[str]:
    names = {ast.unparse(decorator) for decorator in node.decorator_list}
    if not names <= {ENTRY, INLINED, APART}:
        raise KernelError(f"{node.name}, line {node.lineno}: a decorator other than @{ENTRY}, @{INLINED} and @{APART}")
    return names


def _type_of(operand: Operand) -> Type:
    assert operand.type is not None
    return operand.type


def _fits(given: Type, declared: Type) -> bool:
    """Whether an argument of one type fits a parameter of another: an array with known extents fits one with open extents."""
    if not isinstance(given, Array) or not isinstance(declared, Array):
        return given == declared
    return (
        given.element == declared.element
        and len(given.extents) == len(declared.extents)
        and all(d is None or g == d for g, d in zip(given.extents, declared.extents, strict=True))
    )


def _shown(kind: Type) -> str:
    if isinstance(kind, ScalarType):
        return kind.name
    if isinstance(kind, Columns):
        return f"{kind.count} columns"
    return f"{kind.element.name}[{', '.join('*' if e is None else str(e) for e in kind.extents)}]"
