"""The expressions of a kernel text as LLVM IR.

Every operation has one meaning, and nothing is converted implicitly. A name keeps the type of its first assignment. A number in place
of a truth, a truth in place of a number, and unsigned with signed are refused; `number(x)`, `u64(x)` and `u32(x)` convert. An integer
literal takes the type of the other operand. A condition is a truth, or an integer, which counts as true if it is not 0.

Sums wrap around, and a shift distance is taken modulo the width, as processors do: neither is ever undefined. Only unsigned integers
are divided, and whoever divides sees to it that the divisor is not 0. `and`, `or` and
`... if ... else ...` evaluate only what Python would. Indexes are not checked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Protocol

from .kernel_types import LANES, NUMBER, SCALARS, TRUTH, Array, ScalarType
from .operands import ColumnsView, LlvmArray, LlvmValue, Operand, Result, handed, literal, result_ir


class KernelError(Exception):
    """A kernel text that the emitter does not accept: the function, the line, what is wrong, and the expression."""


class Callee(Protocol):
    """A function emitted for some types of arguments."""

    symbol: str
    result: Result


class Surroundings(Protocol):
    """What a function can refer to: constants of the kernel, and other functions."""

    def constant(self, name: str) -> Operand | None:
        """A constant of the kernel, or None if there is none of this name."""

    def instance(self, name: str, arguments: Sequence[Operand]) -> Callee | None:
        """The function of this name for arguments of these types, or None if there is none."""

    def unbranched(self, name: str, arguments: Sequence[Operand]) -> Callee | None:
        """The function of this name for wide arguments, and with one more: in which lanes it is called. None if it needs jumps."""


ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("add", int.__add__),
    ast.Sub: ("sub", int.__sub__),
    ast.Mult: ("mul", int.__mul__),
    ast.BitAnd: ("and", int.__and__),
    ast.BitOr: ("or", int.__or__),
    ast.BitXor: ("xor", int.__xor__),
    ast.LShift: ("shl", int.__lshift__),
    ast.RShift: ("lshr", int.__rshift__),
    ast.FloorDiv: ("udiv", int.__floordiv__),
}
ADD, SUBTRACT, TIMES = ast.Add(), ast.Sub(), ast.Mult()
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip


class Expressions:
    """The code of one function: its expressions, block by block. `Lowering` adds the statements."""

    def __init__(self, surroundings: Surroundings, name: str, wide: bool = False) -> None:
        """A wide function computes with as many values at a time as there are lanes."""
        self.surroundings, self.name = surroundings, name
        self.scalars = {name: scalar.wide if wide else scalar for name, scalar in SCALARS.items()}
        self.number, self.truth = self.scalars[NUMBER.name], self.scalars[TRUTH.name]
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.values: dict[str, Operand] = {}
        # Assigned names: each has a stack slot, which LLVM turns into a register.
        self.places: dict[str, ScalarType] = {}
        self.numbered = 0
        self.open = True  # no instruction follows a jump until the next block begins

    def folded(self, node: ast.expr) -> LlvmValue | None:
        """The operand of an expression that needs no computation; None for any other."""
        value = self._value(node)
        return value if isinstance(value, LlvmValue) and value.known is not None and not self.lines else None

    # What is emitted

    def _error(self, node: ast.AST, what: str) -> KernelError:
        text = ast.unparse(node).splitlines()[0]
        return KernelError(f"{self.name}, line {getattr(node, 'lineno', 0)}: {what}: {text}")

    def _emit(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def _new(self, instruction: str) -> str:
        """LLVM's name for the result of an instruction."""
        self.numbered += 1
        name = f"%t{self.numbered}"
        self._emit(f"{name} = {instruction}")
        return name

    def _made(self, scalar: ScalarType, instruction: str) -> LlvmValue:
        """The result of an instruction, a scalar."""
        return LlvmValue(type=scalar, text=self._new(instruction))

    def _label(self) -> str:
        self.numbered += 1
        return f"b{self.numbered}"

    def _end(self, line: str) -> None:
        """End the block: no instruction follows a jump."""
        self._emit(line)
        self.open = False

    def _jump(self, label: str) -> None:
        if self.open:
            self._end(f"br label %{label}")

    def _begin(self, label: str) -> None:
        self._jump(label)
        self.lines.append(f"{label}:")
        self.open = True

    def _branch(self, truth: LlvmValue, yes: str, no: str) -> None:
        self._end(f"br i1 {truth.text}, label %{yes}, label %{no}")

    # Types

    def _as(self, node: ast.AST, value: Operand | None, scalar: ScalarType) -> LlvmValue:
        """A value of a type, or a literal that fits it."""
        if not isinstance(value, LlvmValue):
            raise self._error(node, f"no {scalar.name}")
        if value.type is None:
            assert value.known is not None
            low = -(1 << scalar.bits - 1) if scalar.signed else 0
            if scalar.is_truth or not low <= value.known < low + (1 << scalar.bits):
                raise self._error(node, f"the number {value.known} does not fit {scalar.name}")
            return LlvmValue(type=scalar, text=scalar.constant(value.known), known=value.known)
        if value.type != scalar:
            raise self._error(node, f"a {value.type.name} in place of a {scalar.name}")
        return value

    def _scalar(self, node: ast.AST, value: Operand | None) -> LlvmValue:
        """A value with a type: a literal becomes a number."""
        if not isinstance(value, LlvmValue):
            raise self._error(node, "no value")
        return value if value.type is not None else self._as(node, value, self.number)

    def _alike(
        self, node: ast.AST, left: Operand | None, right: Operand | None
    ) -> tuple[ScalarType, LlvmValue, LlvmValue]:
        """Two values of one type, and that type."""
        if not isinstance(left, LlvmValue) or not isinstance(right, LlvmValue):
            raise self._error(node, "no value")
        scalar = left.type or right.type or self.number
        return scalar, self._as(node, left, scalar), self._as(node, right, scalar)

    def _converted(self, node: ast.AST, value: Operand | None, scalar: ScalarType) -> LlvmValue:
        """The result of `number(x)`, `u64(x)` and so on: the low bits of a value, or the value in more bits."""
        if not isinstance(value, LlvmValue):
            raise self._error(node, "no value")
        if value.known is not None:
            wrapped = value.known & (1 << scalar.bits) - 1
            signed = wrapped - (1 << scalar.bits) if scalar.signed and wrapped >> scalar.bits - 1 else wrapped
            return LlvmValue(type=scalar, text=scalar.constant(signed), known=signed)
        assert value.type is not None
        if value.type.is_truth and value.type.lanes > 1:
            return self._made(scalar, f"and {scalar.ir} {value.text}, {scalar.constant(1)}")
        if value.type.bits == scalar.bits:
            return LlvmValue(type=scalar, text=value.text)
        way = "trunc" if value.type.bits > scalar.bits else "sext" if value.type.signed else "zext"
        return self._made(scalar, f"{way} {value.type.ir} {value.text} to {scalar.ir}")

    # Names

    def _store(self, node: ast.AST, name: str, operand: Operand | None) -> None:
        if isinstance(operand, LlvmArray):
            if name in self.places or name in self.values:
                raise self._error(node, f"an array with the name {name}, which something else has")
            self.values[name] = operand
            return
        if name in self.values:
            raise self._error(node, f"a value with the name {name}, which an array has")
        if name not in self.places:
            operand = self._scalar(node, operand)
            assert operand.type is not None
            self._slot(name, operand.type)
        value = self._as(node, operand, self.places[name])
        self._emit(f"store {self.places[name].ir} {value.text}, ptr %v.{name}")

    def _slot(self, name: str, scalar: ScalarType) -> None:
        self.places[name] = scalar
        self.slots.append(f"  %v.{name} = alloca {scalar.ir}")

    def _named(self, node: ast.Name) -> Operand:
        if node.id in self.places:
            scalar = self.places[node.id]
            return self._made(scalar, f"load {scalar.ir}, ptr %v.{node.id}")
        found = self.values.get(node.id) or self.surroundings.constant(node.id)
        if found is None:
            raise self._error(node, "an unknown name")
        return found

    # Expressions

    def _value(self, node: ast.expr) -> Operand | None:
        match node:
            case ast.Constant(value=bool() as truth):
                return LlvmValue(type=self.truth, text=self.truth.constant(truth), known=int(truth))
            case ast.Constant(value=int() as number):
                return literal(number)
            case ast.Name():
                return self._named(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(node, op, self._value(left), self._value(right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._not(self._truth(operand))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._operation(node, SUBTRACT, literal(0), self._value(operand))
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._complement(node, self._value(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._comparison(node, op, self._value(left), self._value(right))
            case ast.Compare():
                return self._decided(node)
            case ast.BoolOp():
                return self._chosen(node)
            case ast.IfExp():
                return self._either(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self._call(node)
        raise self._error(node, "not an expression of a kernel")

    def _operation(self, node: ast.AST, op: ast.operator, left: Operand | None, right: Operand | None) -> LlvmValue:
        if type(op) not in ARITHMETIC:
            raise self._error(node, "not an operator of a kernel")
        instruction, compute = ARITHMETIC[type(op)]
        if isinstance(left, LlvmValue) and isinstance(right, LlvmValue) and left.type is None and right.type is None:
            assert left.known is not None
            assert right.known is not None
            return literal(compute(left.known, right.known))
        if instruction in ("shl", "lshr"):
            return self._shifted(node, instruction, self._scalar(node, left), right)
        scalar, one, other = self._alike(node, left, right)
        if instruction == "udiv" and (scalar.signed or scalar.is_truth):
            raise self._error(node, "a division of numbers that may be negative")
        if scalar.is_truth and instruction not in ("and", "or", "xor"):
            raise self._error(node, "a truth in place of a number")
        return self._made(scalar, f"{instruction} {scalar.ir} {one.text}, {other.text}")

    def _complement(self, node: ast.AST, operand: Operand | None) -> LlvmValue:
        if isinstance(operand, LlvmValue) and operand.type is None:
            assert operand.known is not None
            return literal(~operand.known)
        value = self._scalar(node, operand)
        if value.type is None or value.type.is_truth:
            raise self._error(node, "a truth in place of a number")
        return self._made(value.type, f"xor {value.type.ir} {value.text}, {value.type.constant(-1)}")

    def _shifted(
        self, node: ast.AST, instruction: str, value: LlvmValue, distance: Operand | None, keeps_sign: bool = True
    ) -> LlvmValue:
        scalar, places = value.type, self._scalar(node, distance)
        assert scalar is not None
        assert places.type is not None
        if scalar.is_truth or places.type.is_truth:
            raise self._error(node, "a truth in place of a number")
        if isinstance(distance, LlvmValue) and distance.type is None and not 0 <= (distance.known or 0) < scalar.bits:
            raise self._error(node, f"a shift by {distance.known}")
        places = self._converted(node, places, scalar)
        if places.known is None:
            places = self._made(scalar, f"and {scalar.ir} {places.text}, {scalar.constant(scalar.bits - 1)}")
        else:
            places = self._as(node, literal(places.known % scalar.bits), scalar)
        way = "ashr" if keeps_sign and scalar.signed and instruction == "lshr" else instruction
        return self._made(scalar, f"{way} {scalar.ir} {value.text}, {places.text}")

    def _comparison(self, node: ast.AST, op: ast.cmpop, left: Operand | None, right: Operand | None) -> LlvmValue:
        if type(op) not in COMPARISONS:
            raise self._error(node, "not a comparison of a kernel")
        scalar, one, other = self._alike(node, left, right)
        how = COMPARISONS[type(op)]
        if how not in ("eq", "ne"):
            if scalar.is_truth:
                raise self._error(node, "a truth in place of a number")
            how = ("s" if scalar.signed else "u") + how
        return self._compared(how, scalar, one.text, other.text)

    def _compared(self, how: str, scalar: ScalarType, one: str, other: str) -> LlvmValue:
        truth = self._made(TRUTH, f"icmp {how} {scalar.ir} {one}, {other}")
        if scalar.lanes == 1:
            return truth
        return self._made(self.truth, f"sext <{scalar.lanes} x i1> {truth.text} to {self.truth.ir}")

    def _truth(self, node: ast.expr) -> LlvmValue:
        """Whether a condition holds: a truth, or an integer that is not 0."""
        return self._nonzero(self._scalar(node, self._value(node)))

    def _nonzero(self, value: LlvmValue) -> LlvmValue:
        """A value as a condition."""
        assert value.type is not None
        if value.type.is_truth:
            return value
        return self._compared("ne", value.type, value.text, value.type.constant(0))

    def _not(self, truth: LlvmValue) -> LlvmValue:
        return self._made(self.truth, f"xor {self.truth.ir} {truth.text}, {self.truth.constant(1)}")

    def _condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Jump to `yes` or `no`; evaluates only what Python would."""
        match node:
            case ast.BoolOp(op=op, values=[*firsts, last]):
                for value in firsts:
                    further = self._label()
                    self._condition(value, *((further, no) if isinstance(op, ast.And) else (yes, further)))
                    self._begin(further)
                self._condition(last, yes, no)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._condition(operand, no, yes)
            case ast.Compare(left=first, ops=ops, comparators=comparators) if len(ops) > 1:
                left = self._value(first)
                for number, (comparison, comparator) in enumerate(zip(ops, comparators, strict=True), start=1):
                    right = self._value(comparator)
                    further = yes if number == len(ops) else self._label()
                    self._branch(self._comparison(node, comparison, left, right), further, no)
                    if number < len(ops):
                        self._begin(further)
                    left = right
            case _:
                self._branch(self._truth(node), yes, no)

    def _decided(self, node: ast.expr) -> LlvmValue:
        """A condition as a truth."""
        yes, no, end = self._label(), self._label(), self._label()
        self._condition(node, yes, no)
        for label in (yes, no):
            self._begin(label)
            self._jump(end)
        self._begin(end)
        return self._made(TRUTH, f"phi i1 [ true, %{yes} ], [ false, %{no} ]")

    def _chosen(self, node: ast.BoolOp) -> LlvmValue:
        """`and` and `or` are the last operand that Python evaluates."""
        *firsts, last = node.values
        end, name, scalar = self._label(), f".{self.numbered}", None
        for value in (*firsts, last):
            found = self._scalar(value, self._value(value))
            assert found.type is not None
            if scalar is None:
                self._slot(name, scalar := found.type)
            found = self._as(value, found, scalar)
            self._emit(f"store {scalar.ir} {found.text}, ptr %v.{name}")
            if value is last:
                break
            further = self._label()
            truth = self._nonzero(found)
            self._branch(truth, *((further, end) if isinstance(node.op, ast.And) else (end, further)))
            self._begin(further)
        self._begin(end)
        assert scalar is not None
        return self._made(scalar, f"load {scalar.ir}, ptr %v.{name}")

    def _either(self, node: ast.IfExp) -> LlvmValue:
        yes, no, end = self._label(), self._label(), self._label()
        name = f".{self.numbered}"
        self._condition(node.test, yes, no)
        self._begin(yes)
        body = self._value(node.body)
        here = len(self.lines)
        self._jump(end)
        self._begin(no)
        scalar, chosen, other = self._alike(node, body, self._value(node.orelse))
        self._slot(name, scalar)
        self.lines.insert(here, f"  store {scalar.ir} {chosen.text}, ptr %v.{name}")
        self._emit(f"store {scalar.ir} {other.text}, ptr %v.{name}")
        self._begin(end)
        return self._made(scalar, f"load {scalar.ir}, ptr %v.{name}")

    # Arrays

    def _subscript(self, node: ast.Subscript) -> Operand:
        whole = self._value(node.value)
        if isinstance(whole, ColumnsView):
            return self._column(node, whole)
        if not isinstance(whole, LlvmArray):
            raise self._error(node, "an index of something that is not an array")
        if isinstance(node.slice, ast.Slice):
            return self._part(node, whole, node.slice)
        scalar = whole.type.element
        return self._made(scalar, f"load {scalar.ir}, ptr {self._address(node, whole)}")

    def _loaded(self, vector: LlvmArray, position: LlvmValue) -> LlvmValue:
        """An element of a vector."""
        scalar = vector.type.element
        return self._made(scalar, f"load {scalar.ir}, ptr {self._element(vector, position)}")

    def _size(self, node: ast.AST, view: LlvmArray) -> LlvmValue:
        """How many rows an array has."""
        size = view.extents[0]
        if size is None:
            raise self._error(node, "the size of a column, which is unknown")
        return size

    def _address(self, node: ast.Subscript, view: LlvmArray) -> str:
        indexes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indexes) != len(view.extents):
            raise self._error(node, f"{len(indexes)} indexes of {len(view.extents)}")
        return self._element(view, self._position(node, view, [self._index(i) for i in indexes]))

    def _index(self, node: ast.expr) -> LlvmValue:
        value = self._scalar(node, self._value(node))
        if value.type == TRUTH:
            raise self._error(node, "a truth in place of a number")
        return self._converted(node, value, NUMBER)

    def _position(self, node: ast.AST, view: LlvmArray, indexes: Sequence[LlvmValue]) -> LlvmValue:
        """The number of an element among all; indexes that are not given are 0."""
        at: LlvmValue = literal(0)
        for number, extent in enumerate(view.extents):
            given = indexes[number] if number < len(indexes) else literal(0)
            at = given if number == 0 else self._operation(node, ADD, self._operation(node, TIMES, at, extent), given)
        return self._scalar(node, at)

    def _element(self, view: LlvmArray, position: LlvmValue) -> str:
        return self._new(f"getelementptr inbounds {view.type.element.ir}, ptr {view.pointer}, i64 {position.text}")

    def _part(self, node: ast.Subscript, view: LlvmArray, part: ast.Slice) -> LlvmArray:
        """`array[begin:end]`: some of the rows."""
        if part.lower is None or part.upper is None or part.step is not None:
            raise self._error(node, "a slice other than [begin:end]")
        begin, end = self._index(part.lower), self._index(part.upper)
        pointer = self._element(view, self._position(node, view, [begin]))
        size = self._operation(node, SUBTRACT, end, begin)
        return LlvmArray(type=view.type, pointer=pointer, extents=(self._scalar(node, size), *view.extents[1:]))

    def _column(self, node: ast.Subscript, columns: ColumnsView) -> LlvmArray:
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            raise self._error(node, "more than one column")
        place = self._new(f"getelementptr inbounds ptr, ptr {columns.pointer}, i64 {self._index(node.slice).text}")
        return LlvmArray(type=Array(element=NUMBER), pointer=self._new(f"load ptr, ptr {place}"), extents=(None,))

    # Calls

    def _call(self, node: ast.Call) -> Operand | None:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self._error(node, "not a call of a kernel")
        arguments = [self._value(a) for a in node.args]
        match node.func.id, arguments:
            case name, [value] if name in self.scalars:
                return self._converted(node, value, self.scalars[name])
            case "len", [LlvmArray() as view]:
                return self._size(node, view)
            case "min" | "max" as name, [_, _, *_]:
                return self._extreme(node, name, arguments)
            case "prefetch", [LlvmArray() as view, position]:
                place = self._element(view, self._position(node, view, [self._as(node, position, NUMBER)]))
                self._emit(f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")
                return None
            case "local", [size]:
                return self._local(node, size)
            case "keep", [LlvmArray() as into, place, value, flag]:
                return self._keep(node, into, self._as(node, place, NUMBER), self._as(node, value, NUMBER), flag)
            case "matches", [LlvmArray() as view, position, value, count]:
                return self._matches(node, view, self._as(node, position, NUMBER), value, count)
            case "lowest", [value]:
                return self._made(NUMBER, f"call i64 @llvm.cttz.i64(i64 {self._as(node, value, NUMBER).text}, i1 true)")
            case "acquire" | "release" | "exchange" as name, [LlvmArray() as view, position, *values]:
                return self._atomic(node, name, view, self._as(node, position, NUMBER), values)
        result, call = self._invocation(node, arguments)
        if isinstance(result, tuple):
            raise self._error(node, "several results in place of one")
        if result is not None:
            return self._made(result, call)
        self._emit(call)
        return None

    def _atomic(
        self, node: ast.Call, name: str, view: LlvmArray, position: LlvmValue, values: Sequence[Operand | None]
    ) -> LlvmValue | None:
        """An access to array[position] that other threads see whole, and in order with the accesses around it."""
        scalar, place = view.type.element, self._element(view, position)
        ir, whole = scalar.ir, f"align {scalar.bits // 8}"
        match name, [self._as(node, value, scalar) for value in values]:
            case "acquire", []:
                return self._made(scalar, f"load atomic {ir}, ptr {place} acquire, {whole}")
            case "release", [new]:
                self._emit(f"store atomic {ir} {new.text}, ptr {place} release, {whole}")
                return None
            case "exchange", [old, new]:
                pair = self._new(f"cmpxchg ptr {place}, {ir} {old.text}, {ir} {new.text} acq_rel acquire, {whole}")
                return self._made(scalar, f"extractvalue {{{ir}, i1}} {pair}, 0")
        raise self._error(node, f"not how {name} is called")

    def _local(self, node: ast.Call, size: Operand | None) -> LlvmArray:
        """An array of numbers that lives as long as the call of the function."""
        if not isinstance(size, LlvmValue) or size.known is None:
            raise self._error(node, "a size that is not written out")
        self.numbered += 1
        name = f"%local{self.numbered}"
        self.slots.append(f"  {name} = alloca [{size.known} x i64], align 64")
        return LlvmArray(type=Array(element=NUMBER), pointer=name, extents=(self._as(node, size, NUMBER),))

    def _keep(
        self, node: ast.AST, into: LlvmArray, place: LlvmValue, value: LlvmValue, flag: Operand | None
    ) -> LlvmValue:
        """Write a value to into[place]; it stays there only if the place moves on by the result."""
        self._emit(f"store i64 {value.text}, ptr {self._element(into, place)}")
        return self._converted(node, self._nonzero(self._scalar(node, flag)), NUMBER)

    def _matches(
        self, node: ast.Call, view: LlvmArray, position: LlvmValue, value: Operand | None, count: Operand | None
    ) -> LlvmValue:
        """Which of some elements from a position on equal a value: bit k stands for element k. Their number is written out."""
        size = count.known if isinstance(count, LlvmValue) else None
        if size is None or not 0 < size < NUMBER.bits:
            raise self._error(node, "a number of elements that is not written out, or out of range")
        scalar, place = view.type.element, self._element(view, position)
        wide = f"<{size} x {scalar.ir}>"
        several = self._new(f"load {wide}, ptr {place}, align {scalar.bits // 8}")
        first = self._new(f"insertelement {wide} poison, {scalar.ir} {self._as(node, value, scalar).text}, i64 0")
        alike = self._new(f"shufflevector {wide} {first}, {wide} poison, <{size} x i32> zeroinitializer")
        # Lane 0 becomes bit 0: all processors that kernels are made for are little-endian.
        equal = self._new(f"bitcast <{size} x i1> {self._new(f'icmp eq {wide} {several}, {alike}')} to i{size}")
        return self._made(NUMBER, f"zext i{size} {equal} to i64")

    def _invocation(self, node: ast.Call, arguments: Sequence[Operand | None]) -> tuple[Result, str]:
        """What a function of the kernel returns, and the call of it."""
        assert isinstance(node.func, ast.Name)
        operands = [a if isinstance(a, LlvmArray | ColumnsView) else self._scalar(node, a) for a in arguments]
        callee = self.surroundings.instance(node.func.id, operands)
        if callee is None:
            raise self._error(node, "a call of an unknown function")
        return callee.result, call_of(callee, operands)

    def _results(self, node: ast.expr) -> list[LlvmValue]:
        """The results of a call of a function that has several."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise self._error(node, "one value in place of several")
        result, call = self._invocation(node, [self._value(a) for a in node.args])
        if not isinstance(result, tuple):
            raise self._error(node, "one result, or none, in place of several")
        return self._parts(result, call)

    def _assigned(
        self, node: ast.AST, targets: Sequence[ast.expr], value: ast.expr
    ) -> list[tuple[ast.expr, Operand | None]]:
        """The targets of an assignment to several, each with its value; all values are computed first."""
        found = [self._value(v) for v in value.elts] if isinstance(value, ast.Tuple) else self._results(value)
        if len(found) != len(targets):
            raise self._error(node, f"{len(targets)} names for {len(found)} values")
        return list(zip(targets, found, strict=True))

    def _give(self, found: Sequence[LlvmValue], result: Result) -> None:
        """End the function with these results."""
        if isinstance(result, tuple):
            whole, ir = "poison", result_ir(result)
            for number, part in enumerate(found):
                whole = self._new(f"insertvalue {ir} {whole}, {part.of_type.ir} {part.text}, {number}")
            self._end(f"ret {ir} {whole}")
        else:
            self._end("ret void" if result is None else f"ret {result.ir} {found[0].text}")

    def _parts(self, result: tuple[ScalarType, ...], call: str) -> list[LlvmValue]:
        """The results of a call that has several."""
        whole = self._new(call)
        return [self._made(s, f"extractvalue {result_ir(result)} {whole}, {k}") for k, s in enumerate(result)]

    def _extreme(self, node: ast.Call, name: str, arguments: Sequence[Operand | None]) -> LlvmValue:
        best = self._scalar(node, arguments[0])
        op = ast.Lt() if name == "min" else ast.Gt()
        for argument in arguments[1:]:
            _, other, found = self._alike(node, argument, best)
            better = self._comparison(node, op, other, found)
            best = self._selected(better, other, found)
        return best

    def _selected(self, truth: LlvmValue, one: LlvmValue, other: LlvmValue) -> LlvmValue:
        """One value where a truth holds, else the other."""
        if one.text == other.text and one.type == other.type:
            return one
        condition = f"{self.truth.ir} {truth.text}"
        if self.truth.lanes > 1:
            condition = f"<{LANES} x i1> {self._new(f'icmp slt {self.truth.ir} {truth.text}, zeroinitializer')}"
        return self._made(
            one.of_type, f"select {condition}, {one.of_type.ir} {one.text}, {one.of_type.ir} {other.text}"
        )


def call_of(callee: Callee, operands: Sequence[Operand], *further: str) -> str:
    """The text of a call of a function."""
    texts = [*(text for operand in operands for text in handed(operand)), *further]
    return f"call {result_ir(callee.result)} @{callee.symbol}({', '.join(texts)})"
