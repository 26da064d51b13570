"""One function of a kernel text as LLVM IR: its statements. `expressions` has the expressions and their meaning."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from .expressions import Surroundings, call_of
from .kernel_types import LANES, NUMBER, TRUTH, Array
from .operands import LlvmArray, LlvmValue, Operand, Result, literal
from .wide import Wide


class Lowering(Wide):
    """The body of one function."""

    def __init__(self, surroundings: Surroundings, node: ast.FunctionDef, arguments: Sequence[Operand]) -> None:
        super().__init__(surroundings, node.name)
        self.node = node
        self.ends: list[str] = []  # where a `break` leads, for each loop around
        self.left: set[str] = set()  # the ends that some `break` leads to
        self.result: Result = None
        self.returns = False
        assigned = set(_assigned(node.body))
        for parameter, argument in zip(node.args.args, arguments, strict=True):
            if parameter.arg in assigned:
                self._store(parameter, parameter.arg, argument)
            else:
                self.values[parameter.arg] = argument

    def body(self) -> list[str]:
        """The lines of the function, starting with its first block."""
        self._block(self.node.body)
        if self.open:
            if self.returns and self.result is not None:
                raise self._error(self.node, "a path on which it returns nothing")
            self._end("ret void")
        return ["start:", *self.slots, *self.lines]

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if not self.open:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                for target, operand in self._assigned(node, targets, value):
                    self._assign(target, operand)
            case ast.Assign(targets=targets, value=value):
                found = self._value(value)
                for target in targets:
                    self._assign(target, found)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                old = self._named(ast.copy_location(ast.Name(id=name, ctx=ast.Load()), target))
                self._assign(target, self._operation(node, op, old, self._value(value)))
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value):
                self._change(target, op, value)
            case ast.If():
                self._if(node)
            case ast.For(target=ast.Name(), orelse=[]):
                self._for(node)
            case ast.While(orelse=[]):
                self._while(node)
            case ast.Break() if self.ends:
                self.left.add(self.ends[-1])
                self._jump(self.ends[-1])
            case ast.Return(value=value):
                self._return(node, value)
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise self._error(node, "not a statement of a kernel")

    def _assign(self, target: ast.expr, operand: Operand | None) -> None:
        if isinstance(target, ast.Name):
            self._store(target, target.id, operand)
            return
        if isinstance(target, ast.Subscript):
            view = self._value(target.value)
            if isinstance(view, LlvmArray):
                scalar = view.type.element
                value = self._as(target, operand, scalar)
                self._emit(f"store {scalar.ir} {value.text}, ptr {self._address(target, view)}")
                return
        raise self._error(target, "not a place to assign to")

    def _change(self, target: ast.Subscript, op: ast.operator, value: ast.expr) -> None:
        """`array[...] += value`; the address is computed once."""
        view = self._value(target.value)
        if not isinstance(view, LlvmArray):
            raise self._error(target, "not a place to assign to")
        scalar, place = view.type.element, self._address(target, view)
        old = self._made(scalar, f"load {scalar.ir}, ptr {place}")
        new = self._as(target, self._operation(target, op, old, self._value(value)), scalar)
        self._emit(f"store {scalar.ir} {new.text}, ptr {place}")

    def _if(self, node: ast.If) -> None:
        yes, end = self._label(), self._label()
        no = self._label() if node.orelse else end
        self._condition(node.test, yes, no)
        goes_on = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self._begin(label)
                self._block(body)
                goes_on |= self.open
                self._jump(end)
        if goes_on:
            self._begin(end)

    def _while(self, node: ast.While) -> None:
        head, body, end = self._label(), self._label(), self._label()
        self._begin(head)
        endless = isinstance(node.test, ast.Constant) and node.test.value is True
        if endless:
            self._jump(body)
        else:
            self._condition(node.test, body, end)
        self._begin(body)
        self.ends.append(end)
        self._block(node.body)
        self.ends.pop()
        self._jump(head)
        if not endless or end in self.left:
            self._begin(end)

    def _for(self, node: ast.For) -> None:
        """A loop over a range or a constant array. It has its own counter: an assignment to the loop's name does not change it."""
        assert isinstance(node.target, ast.Name)
        target, array = node.target, None
        match node.iter:
            case ast.Name() as name:
                array = self._vector(name)
                limits = literal(0), self._size(node, array), 1
            case ast.Call(func=ast.Name(id="abreast"), args=[size], keywords=[]):
                count = self._as(size, self._value(size), NUMBER)
                if self._abreast(node, target, count):
                    return
                limits = literal(0), count, 1
            case _:
                limits = self._range(node.iter)

        def inside(at: LlvmValue) -> None:
            self._store(target, target.id, at if array is None else self._loaded(array, at))
            self._block(node.body)

        self._loop(*limits, inside)

    def _loop(self, begin: LlvmValue, stop: LlvmValue, step: int, inside: Callable[[LlvmValue], None]) -> None:
        """A loop; `inside` emits what it does, given its counter."""
        head, body, end = self._label(), self._label(), self._label()
        counter = f".{self.numbered}"
        self._slot(counter, NUMBER)
        self._emit(f"store i64 {begin.text}, ptr %v.{counter}")
        self._begin(head)
        at = self._made(NUMBER, f"load i64, ptr %v.{counter}")
        order = "slt" if step > 0 else "sgt"
        self._branch(self._made(TRUTH, f"icmp {order} i64 {at.text}, {stop.text}"), body, end)
        self._begin(body)
        self.ends.append(end)
        inside(at)
        self.ends.pop()
        if self.open:
            sure = " nsw" if step == 1 else ""
            following = self._made(NUMBER, f"add{sure} i64 {at.text}, {step}")
            self._emit(f"store i64 {following.text}, ptr %v.{counter}")
            self._jump(head)
        self._begin(end)

    def _abreast(self, node: ast.For, target: ast.Name, count: LlvmValue) -> bool:
        """A loop abreast, as many rounds at a time as there are lanes. Returns False if its function cannot do without jumps.

        An argument `c[k]` is another in each lane, any other number is the same in all; an array is that of the first lane.
        """
        call, places, kept = self._parts_of_loop_abreast(node, target)
        assert isinstance(call.func, ast.Name)
        name = call.func.id

        def operands(first: LlvmValue) -> list[Operand]:
            self._store(target, target.id, first)
            given: list[Operand] = []
            for argument in call.args:
                view = self._indexed(argument, target)
                if view is not None:
                    given.append(self._lanes(view, first))
                    continue
                if any(isinstance(inner, ast.Name) and inner.id == target.id for inner in ast.walk(argument)):
                    raise self._error(argument, f"an argument in a loop abreast that is no `c[{target.id}]`")
                value = self._value(argument)
                given.append(value if isinstance(value, LlvmArray) else self._splat(self._scalar(argument, value)))
            return given

        def several(first: LlvmValue) -> None:
            given, inside = operands(first), self._inside(first, count)
            callee = self.surroundings.unbranched(name, given)
            assert callee is not None
            text = call_of(callee, given, f"{TRUTH.wide.ir} {inside.text}")
            result = callee.result
            assert result is not None
            found = self._parts(result, text) if isinstance(result, tuple) else [self._made(result, text)]
            for place, part in zip(places, found, strict=True):
                view = self._indexed(place, target)
                if view is not None:
                    number = self._as(place, part, view.type.element.wide)
                    self._emit(f"store {NUMBER.wide.ir} {number.text}, ptr {self._element(view, first)}, align 8")
            if kept is not None:
                into, into_place = self._value(kept[0]), self._as(node, self._named(kept[1]), NUMBER)
                assert isinstance(into, LlvmArray)
                more = self._keep_lanes(into, into_place, first, inside, found[0])
                self._store(node, kept[1].id, self._made(NUMBER, f"add i64 {into_place.text}, {more}"))

        lines = len(self.lines)
        possible = self.surroundings.unbranched(name, operands(literal(0))) is not None
        del self.lines[lines:]
        if possible:
            self._loop(literal(0), count, LANES, several)
        return possible

    def _parts_of_loop_abreast(
        self, node: ast.For, target: ast.Name
    ) -> tuple[ast.Call, Sequence[ast.expr], tuple[ast.expr, ast.Name] | None]:
        """What a loop abreast calls, where the results go, and to which array and from which place on it keeps numbers of rounds."""
        match node.body:
            case [ast.Assign(targets=[one], value=ast.Call(func=ast.Name()) as call)]:
                places = one.elts if isinstance(one, ast.Tuple) else [one]
                if all(self._indexed(place, target) for place in places):
                    return call, places, None
            case [
                ast.Assign(
                    targets=[ast.Name(id=found) | ast.Tuple(elts=[ast.Name(id=found), *_]) as one],
                    value=ast.Call(func=ast.Name()) as call,
                ),
                ast.AugAssign(
                    target=ast.Name(id=place) as kept,
                    op=ast.Add(),
                    value=ast.Call(
                        func=ast.Name(id="keep"),
                        args=[into, ast.Name(id=start), ast.Name(id=round_), ast.Name(id=flag)],
                    ),
                ),
            ] if (start, round_, flag) == (place, target.id, found):
                places = one.elts if isinstance(one, ast.Tuple) else [one]
                if all(self._indexed(further, target) for further in places[1:]):
                    return call, places, (into, kept)
        raise self._error(
            node,
            "a loop abreast says `a[k], ... = f(...)`, or `found, a[k], ... = f(...)` and `n += keep(into, n, k, found)`; not this",
        )

    def _indexed(self, node: ast.expr, target: ast.Name) -> LlvmArray | None:
        """The array in `array[k]`, if k is the name of a loop."""
        match node:
            case ast.Subscript(value=ast.Name() as array, slice=ast.Name(id=target.id)):
                found = self._named(array)
                return found if isinstance(found, LlvmArray) and found.type == Array(element=NUMBER) else None
        return None

    def _range(self, node: ast.expr) -> tuple[LlvmValue, LlvmValue, int]:
        """Where a range begins and ends, and its step."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[_] | [_, _] | [_, _, _], keywords=[]):
                limits = [self._as(a, self._scalar(a, self._value(a)), NUMBER) for a in node.args]
            case _:
                raise self._error(node, "a loop over neither a range nor a vector")
        begin, stop = (literal(0), limits[0]) if len(limits) == 1 else (limits[0], limits[1])
        step = limits[2].known if len(limits) > 2 else 1
        if not step:
            raise self._error(node, "a step of a loop that is 0 or not written out")
        return begin, stop, step

    def _vector(self, node: ast.Name) -> LlvmArray:
        found = self._named(node)
        if not isinstance(found, LlvmArray) or len(found.extents) > 1:
            raise self._error(node, "a loop over neither a range nor a vector")
        return found

    def _return(self, node: ast.Return, value: ast.expr | None) -> None:
        result: Result
        if value is None:
            found, result = [], None
        elif isinstance(value, ast.Tuple):
            found = [self._scalar(v, self._value(v)) for v in value.elts]
            result = tuple(v.type for v in found if v.type is not None)
        else:
            found = [self._scalar(value, self._value(value))]
            result = found[0].type
        if self.returns and result != self.result:
            raise self._error(node, "results of different types than before")
        self.result, self.returns = result, True
        self._give(found, result)


def _assigned(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that some statements assign. Expressions assign none, so they are not looked into."""
    for statement in statements:
        match statement:
            case ast.Assign(targets=targets):
                yield from _names(targets)
            case ast.AugAssign(target=target):
                yield from _names([target])
            case ast.For(target=target, body=body, orelse=orelse):
                yield from _names([target])
                yield from _assigned([*body, *orelse])
            case ast.If(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                yield from _assigned([*body, *orelse])


def _names(targets: Sequence[ast.expr]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple):
            yield from _names(target.elts)
