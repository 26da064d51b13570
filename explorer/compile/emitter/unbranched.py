"""A function of a kernel text as LLVM IR without a jump, for several states at a time: one in each lane of every value.

Both sides of a decision are computed, and each lane selects its own; a loop is written out. That is safe, because no expression is ever
undefined, but a division by 0: divisions are refused. Only what is written to arrays must not happen where the function would not
come by: so a function takes one more parameter, in which lanes it is called at all.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NoReturn

from neverlost.model.core.parsing import parsed

from .expressions import Surroundings, call_of
from .kernel_types import NUMBER, TRUTH, U64, Array
from .operands import LlvmArray, LlvmValue, Operand, Result, literal
from .wide import Wide

CALLED = "%a.called"
"""The name of the last parameter: in which lanes the function is called."""


class Branches(Exception):
    """A function cannot be written without jumps: it has a loop of unknown length, or something else."""


class Unbranched(Wide):
    """The body of one function of numbers and truths. It may also write to the first elements of an array, one for each lane."""

    def __init__(self, surroundings: Surroundings, node: ast.FunctionDef, arguments: Sequence[Operand]) -> None:
        super().__init__(surroundings, node.name, wide=True)
        self.scalars = {name: self.scalars[name] for name in (NUMBER.name, U64.name)}
        self.node = node
        self.names: dict[str, LlvmValue] = {}
        self.reached: LlvmValue | None = LlvmValue(type=self.truth, text=CALLED)  # None after a return
        self.results: list[LlvmValue] | None = None
        self.several = False  # whether the results are a tuple
        for parameter, argument in zip(node.args.args, arguments, strict=True):
            if isinstance(argument, LlvmValue):
                self.names[parameter.arg] = argument
            else:
                self.values[parameter.arg] = argument

    def body(self) -> list[str]:
        """The lines of the function. Raises Branches."""
        self._block(self.node.body)
        if self.results is not None and self.reached is not None:
            raise self._error(self.node, "a path on which it returns nothing")
        self._give(self.results or [], self.result)
        return ["start:", *self.lines]

    @property
    def result(self) -> Result:
        """The types of what it returns."""
        if self.results is None:
            return None
        types = tuple(found.of_type for found in self.results)
        return types if self.several else types[0]

    def _refuse(self) -> NoReturn:
        raise Branches(self.name)

    def _reached(self) -> LlvmValue:
        assert self.reached is not None
        return self.reached

    def _both(self, one: LlvmValue, other: LlvmValue) -> LlvmValue:
        return self._made(self.truth, f"and {self.truth.ir} {one.text}, {other.text}")

    # Statements

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.reached is None:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                for target, operand in self._assigned(node, targets, value):
                    self._assign(target, operand)
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._value(value))
            case ast.AugAssign(target=ast.Name() as name, op=op, value=value):
                self._assign(name, self._operation(node, op, self._named(name), self._value(value)))
            case ast.If():
                self._if(node)
            case ast.For(target=ast.Name(id=name), orelse=[]):
                for number in self._counted(node.iter):
                    self.names[name] = self._as(node, literal(number), self.number)
                    self._block(node.body)
            case ast.Return(value=value):
                self._return(node, value)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                self._refuse()

    def _assign(self, target: ast.expr, operand: Operand | None) -> None:
        match target:
            case ast.Name(id=name):
                value = self._scalar(target, operand)
                old = self.names.get(name)
                self.names[name] = value if old is None or old.type is None else self._as(target, value, old.type)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=0)):
                self._write(target, self.values.get(name), operand)
            case _:
                self._refuse()

    def _write(self, target: ast.expr, view: Operand | None, operand: Operand | None) -> None:
        """Write the first element of each lane's array, where that is reached: the arrays of the lanes follow each other."""
        if not isinstance(view, LlvmArray) or view.type != Array(element=NUMBER):
            self._refuse()
        before = self._lanes(view, literal(0))
        after = self._selected(self._reached(), self._as(target, operand, self.number), before)
        self._emit(f"store {self.number.ir} {after.text}, ptr {view.pointer}, align 8")

    def _if(self, node: ast.If) -> None:
        course = _one_course(node)
        if course is not None:
            self._block(course)
            return
        before, truth = self._reached(), self._truth(node.test)
        then, after_then = self._side(node.body, self._both(before, truth))
        other, after_other = self._side(node.orelse, self._both(before, self._not(truth)))
        if after_then is None or after_other is None:
            self.names, self.reached = (other, after_other) if after_then is None else (then, after_then)
            return
        # A name that only one side assigns is not read later: the check of Model Python sees to that.
        both = [
            (name, value, self._as(node, other[name], value.of_type)) for name, value in then.items() if name in other
        ]
        self.names = {name: self._selected(truth, one, two) for name, one, two in both}
        self.reached = before
        if any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
            self.reached = self._made(self.truth, f"or {self.truth.ir} {after_then.text}, {after_other.text}")

    def _side(
        self, statements: Sequence[ast.stmt], reached: LlvmValue
    ) -> tuple[dict[str, LlvmValue], LlvmValue | None]:
        """The names after one side of a decision, and where what follows is reached from there, if anywhere."""
        known = self.names
        self.names, self.reached = dict(known), reached
        self._block(statements)
        found = self.names, self.reached
        self.names = known
        return found

    def _counted(self, node: ast.expr) -> range:
        """The values of a loop's name."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=limits, keywords=[]):
                found = [self._value(limit) for limit in limits]
                known = [value.known for value in found if isinstance(value, LlvmValue) and value.known is not None]
                if len(known) == len(limits):
                    return range(*known)
        raise Branches(self.name)

    def _return(self, node: ast.Return, value: ast.expr | None) -> None:
        self.several = isinstance(value, ast.Tuple)
        parts = [] if value is None else value.elts if isinstance(value, ast.Tuple) else [value]
        found = [self._scalar(part, self._value(part)) for part in parts]
        if not found:
            self._refuse()
        if self.results is not None:
            if [part.type for part in found] != [part.type for part in self.results]:
                raise self._error(node, "results of different types than before")
            found = self._merged(found, self.results)
        self.results, self.reached = found, None

    def _merged(self, found: Sequence[LlvmValue], before: Sequence[LlvmValue]) -> list[LlvmValue]:
        """The results where the function ends here, and those of the ends before elsewhere.

        What follows a first result that is false means nothing, so it need not be kept.
        """
        (first, *words), (old, *olds) = found, before
        result = self._selected(self._reached(), first, old)
        if first.type == self.truth and old.known == 0:
            return [result, *words]
        if first.type == self.truth and first.known == 0:
            return [result, *olds]
        return [
            result,
            *(self._selected(self._reached(), word, other) for word, other in zip(words, olds, strict=True)),
        ]

    # Expressions

    def _value(self, node: ast.expr) -> Operand | None:
        match node:
            case ast.BinOp(left=ast.BinOp(left=left, op=ast.RShift(), right=right), op=ast.BitAnd(), right=mask):
                # Few processors shift numbers with a sign by different distances. Without one, the same bits remain if the number is
                # not negative, or one bit is asked for: a kernel shifts words, which have no sign bit, and sets, for one member.
                shifted = self._shifted(node, "lshr", self._scalar(node, self._value(left)), self._value(right), False)
                return self._operation(node, ast.BitAnd(), shifted, self._value(mask))
        return super()._value(node)

    def _named(self, node: ast.Name) -> Operand:
        return self.names[node.id] if node.id in self.names else super()._named(node)

    def _operation(self, node: ast.AST, op: ast.operator, left: Operand | None, right: Operand | None) -> LlvmValue:
        if isinstance(op, ast.FloorDiv):
            self._refuse()
        return super()._operation(node, op, left, right)

    def _subscript(self, node: ast.Subscript) -> Operand:
        self._refuse()

    def _truth(self, node: ast.expr) -> LlvmValue:
        match node:
            case ast.BoolOp(op=op, values=values):
                return self._joined(isinstance(op, ast.And), values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._not(self._truth(operand))
        return super()._truth(node)

    def _joined(self, all_of: bool, values: Sequence[ast.expr]) -> LlvmValue:
        """Whether all, or any, of some conditions hold. A later one is reached only where the earlier ones leave it open."""
        before = self._reached()
        found = self._truth(values[0])
        for value in values[1:]:
            self.reached = self._both(self._reached(), found if all_of else self._not(found))
            other = self._truth(value)
            found = self._made(self.truth, f"{'and' if all_of else 'or'} {self.truth.ir} {found.text}, {other.text}")
        self.reached = before
        return found

    def _decided(self, node: ast.expr) -> LlvmValue:
        """Several comparisons at once: a later one is reached only where the earlier ones hold."""
        assert isinstance(node, ast.Compare)
        before, left = self._reached(), self._value(node.left)
        found = LlvmValue(type=self.truth, text=self.truth.constant(1))
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self._value(comparator)
            found = self._both(found, self._comparison(node, op, left, right))
            self.reached, left = self._both(before, found), right
        self.reached = before
        return found

    def _chosen(self, node: ast.BoolOp) -> LlvmValue:
        before, all_of = self._reached(), isinstance(node.op, ast.And)
        found = self._scalar(node.values[0], self._value(node.values[0]))
        for value in node.values[1:]:
            truth = self._nonzero(found)
            goes_on = truth if all_of else self._not(truth)
            self.reached = self._both(self._reached(), goes_on)
            found = self._selected(goes_on, self._as(value, self._value(value), found.of_type), found)
        self.reached = before
        return found

    def _either(self, node: ast.IfExp) -> LlvmValue:
        before, truth = self._reached(), self._truth(node.test)
        self.reached = self._both(before, truth)
        body = self._value(node.body)
        self.reached = self._both(before, self._not(truth))
        _, chosen, other = self._alike(node, body, self._value(node.orelse))
        self.reached = before
        return self._selected(truth, chosen, other)

    def _invocation(self, node: ast.Call, arguments: Sequence[Operand | None]) -> tuple[Result, str]:
        assert isinstance(node.func, ast.Name)
        operands = [a if isinstance(a, LlvmArray) else self._scalar(node, a) for a in arguments]
        callee = self.surroundings.unbranched(node.func.id, operands)
        if callee is None:
            self._refuse()
        return callee.result, call_of(callee, operands, f"{TRUTH.wide.ir} {self._reached().text}")


def _one_course(node: ast.If) -> list[ast.stmt] | None:
    """One course of statements for both sides of a decision that begin with a call of the same function and then do the same.

    The arguments become `a if test else b`, so the function is computed once. None if the sides differ in more, or in nothing.
    """
    match _course(node.body), _course(node.orelse):
        case (
            [ast.Assign(value=ast.Call(args=ones) as call) as first, *rest],
            [ast.Assign(value=ast.Call(args=others) as other) as second, *same],
        ):
            alike = _alike(call.func, other.func) and len(ones) == len(others)
            # Where no argument differs, nothing would evaluate the test, which may report a flaw.
            alike = alike and not _all_alike(ones, others)
            if alike and _all_alike(first.targets, second.targets) and _all_alike(rest, same):
                arguments = [
                    one if _alike(one, two) else ast.IfExp(test=node.test, body=one, orelse=two)
                    for one, two in zip(ones, others, strict=True)
                ]
                joined = ast.Assign(targets=first.targets, value=ast.Call(func=call.func, args=arguments, keywords=[]))
                return [ast.fix_missing_locations(ast.copy_location(joined, first)), *rest]
    return None


def _course(statements: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    match statements:
        case [ast.If() as only]:
            return _one_course(only) or statements
    return statements


def _all_alike(ones: Sequence[ast.AST], others: Sequence[ast.AST]) -> bool:
    return len(ones) == len(others) and all(map(_alike, ones, others))


def _alike(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def computations(texts: Mapping[str, str]) -> Callable[[str], float]:
    """How many operations a function does without jumps, with what it calls: by its name, from the texts of functions by name.

    Endless for a loop whose limits are not written out. Only texts that are asked for, and those of what they call, are read.
    """

    def count(node: ast.AST) -> float:
        inner = sum(map(count, ast.iter_child_nodes(node)))
        match node:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=limits)):
                values = [limit.value for limit in limits if isinstance(limit, ast.Constant)]
                known = [value for value in values if isinstance(value, int)]
                return inner * len(range(*known)) if len(known) == len(limits) else math.inf
            case ast.Call(func=ast.Name(id=name)):
                return inner + (of(name) if name in texts else 1)
            case ast.BinOp() | ast.Compare() | ast.BoolOp() | ast.UnaryOp() | ast.IfExp() | ast.If():
                return inner + 1
        return inner

    @cache
    def of(name: str) -> float:
        return count(parsed(texts[name]))

    return of
