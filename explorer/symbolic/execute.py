"""Model Python by predicated execution: one walk over a function's source, both branches of every `if`, no forking of paths.

A branch runs on a copy of the state; where the branches meet again, what differs becomes a choice by the condition. What comes
after an early return happens where the function is still `live`. Loops over finite domains unroll.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neverlost.model.core import Model
from neverlost.model.core.actions import require
from neverlost.model.core.domains import MAX_MEMBERS
from neverlost.model.core.source import SET_HELPERS, Source, called_function, field_access, source_of

from .states import Shape, SymbolicState
from .terms import Members, Terms, Truth, Value, conjunction, disjunction, interval, members_of, negation


@dataclass
class Frame:
    """One call: its states and local names, where it has not returned yet, and what it returned elsewhere."""

    source: Source
    states: dict[str, SymbolicState]
    names: dict[str, Value]
    live: Truth = True
    result: Value | None = None


@dataclass
class Outcome:
    """What a run of a function comes to."""

    enabled: Truth
    """That no guard refuses."""
    flaw: Truth
    """That, before any guard refuses, an index or a value leaves its domain: the interpreter would raise ModelError."""
    result: Value | None = None


@dataclass
class Executor:
    """Runs model functions on symbolic states of one model."""

    model: Model
    terms: Terms
    shapes: Mapping[str, Shape]
    enabled: Truth = True
    path: list[Truth] = field(default_factory=list)
    flaws: list[Truth] = field(default_factory=list)
    calls: dict[Any, tuple[Value | None, Truth, Sequence[Any]]] = field(default_factory=dict)
    """What calls came to: the result, where it leaves a domain, and the arguments, kept so that their identities stay theirs."""

    def run(self, function: Callable[..., Any], states: Sequence[SymbolicState], arguments: Sequence[Value]) -> Outcome:
        """Call a function: the states in order, then the other arguments. Its effects change the states given."""
        self.enabled, self.path, self.flaws = True, [], []
        source = source_of(function)
        waiting, values = list(states), list(arguments)
        given = [waiting.pop(0) if p in source.states else values.pop(0) for p in source.parameters]
        result = self._call(source, given)
        return Outcome(self.enabled, disjunction(self.flaws), result)

    def _call(self, source: Source, arguments: Sequence[Any]) -> Value | None:
        named = dict(zip(source.parameters, arguments, strict=True))
        states = {name: named.pop(name) for name in source.states}
        frame = Frame(source, states, named)
        self._block(frame, [lambda s=s: self._statement(frame, s) for s in source.body])  # type: ignore[misc]
        return frame.result

    def _block(self, frame: Frame, parts: Sequence[Callable[[], None]]) -> None:
        """Run parts one after the other, each where the function is still live."""
        for number, part in enumerate(parts):
            if frame.live is False:
                return
            if frame.live is not True:
                live, frame.live = frame.live, True
                self._branch(frame, live, lambda rest=parts[number:]: self._block(frame, rest), None)  # type: ignore[misc]
                return
            part()

    def _branch(
        self, frame: Frame, condition: Truth, body: Callable[[], None], orelse: Callable[[], None] | None
    ) -> None:
        """Run `body` where the condition holds and `orelse` elsewhere (None: where the function has returned)."""
        if isinstance(condition, bool):
            chosen = body if condition else orelse
            if chosen is not None:
                chosen()
            return
        enabled, depth = self.enabled, len(self.path)
        before = {name: state.fields for name, state in frame.states.items()}
        names, result = frame.names, frame.result

        frame.names, self.enabled = dict(names), True
        self._fork(frame, before)
        self.path.append(condition)
        body()
        ran = self._taken(frame)
        del self.path[depth:]

        frame.names, frame.result, self.enabled = dict(names), result, True
        frame.live = orelse is not None
        self._fork(frame, before)
        if orelse is not None:
            self.path.append(negation(condition))
            orelse()
            del self.path[depth:]
        other = self._taken(frame)
        self._join(frame, condition, ran, other)
        both = self._choice(condition, ran.enabled, other.enabled)
        self.enabled = conjunction((enabled, both))
        if both is not True:
            self.path.append(both)

    @staticmethod
    def _fork(frame: Frame, fields: Mapping[str, dict[str, tuple[Value, ...]]]) -> None:
        for name, state in frame.states.items():
            state.fields = dict(fields[name])

    def _taken(self, frame: Frame) -> _Taken:
        fields = {name: state.fields for name, state in frame.states.items()}
        return _Taken(fields, frame.names, frame.live, frame.result, self.enabled)

    def _join(self, frame: Frame, condition: Truth, ran: _Taken, other: _Taken) -> None:
        for name, state in frame.states.items():
            mine, theirs = ran.fields[name], other.fields[name]
            state.fields = {
                f: values if values is theirs[f] else self._joined(condition, values, theirs[f])
                for f, values in mine.items()
            }
        if ran.live is False or other.live is False:
            frame.names = other.names if ran.live is False else ran.names
        else:
            shared = ran.names.keys() & other.names.keys()
            frame.names = {n: self._choice(condition, ran.names[n], other.names[n]) for n in shared}
        frame.live = self._choice(condition, ran.live, other.live)
        frame.result = (
            ran.result
            if other.result is None
            else other.result
            if ran.result is None
            else self._choice(condition, ran.result, other.result)
        )

    def _joined(self, condition: Truth, mine: Any, theirs: Any) -> Any:
        """A field that two branches have left different."""
        return tuple(map(lambda a, b: self._choice(condition, a, b), mine, theirs))

    def _choice(self, condition: Truth, yes: Value, no: Value) -> Value:
        return self.terms.choice(condition, yes, no)

    def _statement(self, frame: Frame, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(frame, target, self._value(frame, value))
            case ast.AugAssign(target=target, op=op, value=value):
                sign = 1 if isinstance(op, ast.Add) else -1
                self._assign(frame, target, self.terms.add(self._value(frame, target), self._value(frame, value), sign))
            case ast.If(test=test, body=body, orelse=orelse):
                condition = self.terms.truth(self._value(frame, test))
                self._branch(
                    frame, condition, lambda: self._block_of(frame, body), lambda: self._block_of(frame, orelse)
                )
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as iterable, body=body):
                self._loop(frame, name, self._range(frame, iterable), body)
            case ast.Return(value=value):
                frame.result = None if value is None else self._value(frame, value)
                frame.live = False
            case ast.Expr(value=ast.Call() as call):
                self._call_statement(frame, call)
            case _:
                raise AssertionError(f"checked, yet not executed: {ast.unparse(node)}")

    def _block_of(self, frame: Frame, statements: Sequence[ast.stmt]) -> None:
        self._block(frame, [lambda s=s: self._statement(frame, s) for s in statements])  # type: ignore[misc]

    def _loop(self, frame: Frame, name: str, members: range, body: Sequence[ast.stmt]) -> None:
        def iteration(member: int) -> None:
            frame.names[name] = member
            self._block_of(frame, body)

        before = set(frame.names)
        self._block(frame, [lambda m=m: iteration(m) for m in members])  # type: ignore[misc]
        frame.names = {n: v for n, v in frame.names.items() if n in before}

    def _range(self, frame: Frame, iterable: ast.Call) -> range:
        if isinstance(iterable.func, ast.Attribute):
            return range(self._extent(frame, iterable))
        return range(*(self._value(frame, a) for a in iterable.args))

    def _extent(self, frame: Frame, call: ast.Call) -> int:
        """The size of the domain that `s.each(D)`, `s.size(D)` or `s.all_of(D)` names."""
        assert isinstance(call.args[0], ast.Name)
        return int(frame.source.resolve(call.args[0].id).size(self.model.bounds))

    def _call_statement(self, frame: Frame, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Name)
        if frame.source.resolve(call.func.id) is require:
            condition = self.terms.truth(self._value(frame, call.args[0]))
            self.enabled = conjunction((self.enabled, condition))
            if condition is not True:
                self.path.append(condition)
            return
        self._function(frame, call)

    def _function(self, frame: Frame, call: ast.Call) -> Value | None:
        callee = called_function(frame.source, call)
        assert callee is not None
        arguments = []
        for argument in call.args:
            if isinstance(argument, ast.Name) and argument.id in frame.states:
                arguments.append(frame.states[argument.id])
            else:
                arguments.append(self._value(frame, argument))
        source = source_of(callee)
        return self._remembered(source, arguments) if source.returns_value else self._call(source, arguments)

    def _remembered(self, source: Source, arguments: Sequence[Any]) -> Value | None:
        """Call a function that only returns a value; the same call on the same contents is made once."""
        held = [tuple(a.fields.values()) if isinstance(a, SymbolicState) else a for a in arguments]
        key = (source.function, *(_identity(value) for value in held))
        if key not in self.calls:
            path, flaws = self.path, self.flaws
            self.path, self.flaws = [], []
            result = self._call(source, arguments)
            self.calls[key] = result, disjunction(self.flaws), held
            self.path, self.flaws = path, flaws
        result, flaw, _ = self.calls[key]
        self._flaw_unless(negation(flaw))
        return result

    def _assign(self, frame: Frame, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            frame.names[target.id] = value
            return
        access = field_access(target, list(frame.states))
        assert access is not None
        state, name, indexes = access
        self._write(frame.states[state], self.shapes[name], [self._value(frame, i) for i in indexes], value)

    def _flaw_unless(self, condition: Truth) -> None:
        if condition is not True:
            self.flaws.append(conjunction((*self.path, negation(condition))))

    def _write(self, state: SymbolicState, shape: Shape, indexes: Sequence[Value], value: Value) -> None:
        stored = self._stored(shape, value)
        name = shape.field.name
        positions = self._positions(shape, indexes)
        if len(positions) == 1 and positions[0][1] is True:
            number = positions[0][0]
            values = state.fields[name]
            state.fields[name] = (*values[:number], stored, *values[number + 1 :])
            return
        chosen = dict(positions)
        state.fields[name] = tuple(
            self._choice(chosen[k], stored, old) if k in chosen else old for k, old in enumerate(state.fields[name])
        )

    def _stored(self, shape: Shape, value: Value) -> Value:
        """The value as the field holds it; that it lies in the field's domain is a condition of its own."""
        if shape.is_set:
            members = shape.members
            if isinstance(value, int) and not 0 <= value < shape.size:
                self._flaw_unless(False)
                value = 0
            given = members_of(value)
            self._flaw_unless(conjunction(negation(bit) for bit in given.bits[members:]))
            return Members(tuple(given.bit(m) for m in range(members)))
        inside, narrowed = self.terms.within(value, shape.low, shape.low + shape.size - 1)
        self._flaw_unless(inside)
        return self.terms.truth(narrowed) if shape.is_flag else narrowed

    def _positions(self, shape: Shape, indexes: Sequence[Value]) -> list[tuple[int, Truth]]:
        """The elements that the indexes may name, each with the condition that they do."""
        found: list[tuple[int, Truth]] = [(0, True)]
        for value, extent in zip(indexes, shape.extents, strict=True):
            found = [
                (number * extent + k, conjunction((condition, here)))
                for number, condition in found
                for k, here in self._matches(value, extent)
            ]
        return found

    def _matches(self, value: Value, extent: int) -> list[tuple[int, Truth]]:
        if isinstance(value, Members):
            return [(k, here) for k in range(extent) if (here := self.terms.compare(ast.Eq(), value, k)) is not False]
        index = self.terms.number(value)
        low, high = interval(index)
        self._flaw_unless(self.terms.within(index, 0, extent - 1)[0])
        possible = range(max(low, 0), min(high, extent - 1) + 1)
        if isinstance(index, int):
            return [(k, True) for k in possible]
        return [(k, self.terms.compare(ast.Eq(), index, k)) for k in possible]

    def _read(self, frame: Frame, access: tuple[str, str, list[ast.expr]]) -> Value:
        state, name, indexes = access
        holder = frame.states[state]
        if name in holder.settings:
            return holder.settings[name]
        shape = self.shapes[name]
        positions = self._positions(shape, [self._value(frame, i) for i in indexes])
        values = holder.fields[name]
        if not positions:
            return values[0]
        found = values[positions[-1][0]]
        for number, condition in reversed(positions[:-1]):
            found = self._choice(condition, values[number], found)
        return found

    def _value(self, frame: Frame, node: ast.expr) -> Value:
        access = field_access(node, list(frame.states))
        if access is not None:
            return self._read(frame, access)
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return frame.names[name] if name in frame.names else int(frame.source.resolve(name))
            case ast.BoolOp(op=op, values=values):
                return self._junction(frame, values, isinstance(op, ast.And))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negation(self.terms.truth(self._value(frame, operand)))
            case ast.UnaryOp(operand=operand):
                return self.terms.add(0, self._value(frame, operand), -1)
            case ast.BinOp(left=left, op=op, right=right):
                sign = 1 if isinstance(op, ast.Add) else -1
                return self.terms.add(self._value(frame, left), self._value(frame, right), sign)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._comparison(frame, left, ops, comparators)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.terms.truth(self._value(frame, test))
                yes = self._under(condition, lambda: self._value(frame, body))
                no = self._under(negation(condition), lambda: self._value(frame, orelse))
                return self._choice(condition, yes, no)
            case ast.Call():
                return self._call_value(frame, node)
        raise AssertionError(f"checked, yet not executed: {ast.unparse(node)}")

    def _under(self, condition: Truth, evaluate: Callable[[], Value]) -> Value:
        """Evaluate what Python reaches only where the condition holds."""
        if condition is True:
            return evaluate()
        depth = len(self.path)
        self.path.append(condition)
        value = evaluate()
        del self.path[depth:]
        return value

    def _junction(self, frame: Frame, nodes: Sequence[ast.expr], all_of: bool) -> Truth:
        """`and`, `or`: what comes later is evaluated only where what came before leaves the result open."""
        depth, found = len(self.path), []
        for node in nodes:
            truth = self.terms.truth(self._value(frame, node))
            found.append(truth)
            going_on = truth if all_of else negation(truth)
            if going_on is False:
                break
            if going_on is not True:
                self.path.append(going_on)
        del self.path[depth:]
        return conjunction(found) if all_of else disjunction(found)

    def _comparison(
        self, frame: Frame, left: ast.expr, operators: Sequence[ast.cmpop], others: Sequence[ast.expr]
    ) -> Truth:
        one, found = self._value(frame, left), []
        for operator, node in zip(operators, others, strict=True):
            other = self._value(frame, node)
            found.append(self.terms.compare(operator, one, other))
            one = other
        return conjunction(found)

    def _call_value(self, frame: Frame, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(attr="size"):
                return self._extent(frame, node)
            case ast.Attribute(attr="all_of"):
                return Members((True,) * self._extent(frame, node))
            case ast.Name(id=name):
                helper = frame.source.resolve(name)
                if helper in SET_HELPERS.values():
                    return self._helper(helper.__name__, [self._value(frame, a) for a in node.args])
                if name in ("min", "max") and helper is None:
                    values = [self._value(frame, a) for a in node.args]
                    return self.terms.least(values) if name == "min" else self.terms.greatest(values)
        return self._function(frame, node)

    def _helper(self, name: str, values: Sequence[Value]) -> Value:
        if name == "is_subset":
            return self.terms.is_subset(*values)
        member = self.terms.number(values[-1])
        inside, member = self.terms.within(member, 0, MAX_MEMBERS - 1)
        self._flaw_unless(inside)
        if inside is False:
            return Members(())
        if name == "contains":
            return self.terms.contains(values[0], member)
        members = Members(()) if name == "only" else values[0]
        return self.terms.with_member(members, member, present=name != "without")


def _identity(value: Any) -> Any:
    """What tells one argument from another: the contents of a state by their identity, numbers by value."""
    if isinstance(value, tuple):
        return tuple(map(id, value))
    return (type(value), value) if isinstance(value, int) else id(value)


@dataclass(frozen=True)
class _Taken:
    """Where a branch has led."""

    fields: dict[str, dict[str, tuple[Value, ...]]]
    names: dict[str, Value]
    live: Truth
    result: Value | None
    enabled: Truth
