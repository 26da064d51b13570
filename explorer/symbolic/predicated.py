"""Model Python by predicated execution: one walk over a function's source, both branches of every `if`, no forking of paths.

A branch runs on a copy of the state; where the branches join, a value that differs becomes a choice by the condition. Code
after an early return runs under the condition that the function is still `live`. Each kind of states defines its fields and loops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from neverlost.model.core import Index
from neverlost.model.core.actions import require
from neverlost.model.core.source import SET_HELPERS, Source, called_function, field_access, source_of

from .states import SymbolicState
from .terms import Truth, Value, conjunction, disjunction, negation


class TermOperations(Protocol):
    """Python's operations on values that are terms."""

    def truth(self, value: Value) -> Truth: ...
    def choice(self, condition: Truth, yes: Value, no: Value) -> Value: ...
    def add(self, one: Value, other: Value, sign: int) -> Value: ...
    def least(self, values: Sequence[Value]) -> Value: ...
    def greatest(self, values: Sequence[Value]) -> Value: ...
    def compare(self, operator: ast.cmpop, one: Value, other: Value) -> Truth: ...


@dataclass
class Frame:
    """One call: its states and local names, the condition that it has not returned yet, and its result if it has."""

    source: Source
    states: dict[str, SymbolicState]
    names: dict[str, Value]
    live: Truth = True
    result: Value | None = None


@dataclass
class ExecutionOutcome:
    """The result of running a function."""

    enabled: Truth
    """No guard refuses."""
    flaw: Truth
    """Before any guard refuses, an index or a value leaves its domain: the interpreter would raise ModelError."""
    result: Value | None = None


@dataclass
class PredicatedExecutor:
    """Runs model functions on symbolic states."""

    terms: TermOperations
    enabled: Truth = True
    path: list[Truth] = field(default_factory=list)
    flaws: list[Truth] = field(default_factory=list)
    calls: dict[Any, tuple[Value | None, Truth, Sequence[Any]]] = field(default_factory=dict)
    """The results of calls, when they leave a domain, and the arguments, kept so that their ids are not reused."""

    def _joined(self, condition: Truth, mine: Any, theirs: Any) -> Any:
        """A field that differs after two branches."""
        raise NotImplementedError

    def _loop(self, frame: Frame, node: ast.For) -> None:
        raise NotImplementedError

    def _size(self, index: type[Index]) -> Value:
        raise NotImplementedError

    def _all_of(self, index: type[Index]) -> Value:
        raise NotImplementedError

    def _read(self, state: SymbolicState, name: str, indexes: Sequence[Value]) -> Value:
        raise NotImplementedError

    def _write(self, state: SymbolicState, name: str, indexes: Sequence[Value], value: Value) -> None:
        raise NotImplementedError

    def _helper(self, name: str, values: Sequence[Value]) -> Value:
        """The result of a set operation."""
        raise NotImplementedError

    def run(
        self, function: Callable[..., Any], states: Sequence[SymbolicState], arguments: Sequence[Value]
    ) -> ExecutionOutcome:
        """Call a function: the states in order, then the other arguments. Its effects change the states given."""
        self.enabled, self.path, self.flaws = True, [], []
        source = source_of(function)
        waiting, values = list(states), list(arguments)
        given = [waiting.pop(0) if p in source.states else values.pop(0) for p in source.parameters]
        result = self._call(source, given)
        return ExecutionOutcome(self.enabled, disjunction(self.flaws), result)

    def _call(self, source: Source, arguments: Sequence[Any]) -> Value | None:
        named = dict(zip(source.parameters, arguments, strict=True))
        states = {name: named.pop(name) for name in source.states}
        frame = Frame(source, states, named)
        self._block(frame, [lambda s=s: self._statement(frame, s) for s in source.body])  # type: ignore[misc]
        return frame.result

    def _block(self, frame: Frame, parts: Sequence[Callable[[], None]]) -> None:
        """Run parts one after the other, each if the function is still live."""
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
        """Run `body` if the condition holds, else `orelse` (None: the function has returned)."""
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
            case ast.For():
                self._loop(frame, node)
            case ast.Return(value=value):
                frame.result = None if value is None else self._value(frame, value)
                frame.live = False
            case ast.Expr(value=ast.Call() as call):
                self._call_statement(frame, call)
            case _:
                raise AssertionError(f"checked, yet not executed: {ast.unparse(node)}")

    def _block_of(self, frame: Frame, statements: Sequence[ast.stmt]) -> None:
        self._block(frame, [lambda s=s: self._statement(frame, s) for s in statements])  # type: ignore[misc]

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
        """Call a function that only returns a value; each call on the same contents is made once."""
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
        self._write(frame.states[state], name, [self._value(frame, i) for i in indexes], value)

    def _flaw_unless(self, condition: Truth) -> None:
        if condition is not True:
            self.flaws.append(conjunction((*self.path, negation(condition))))

    def _value(self, frame: Frame, node: ast.expr) -> Value:
        access = field_access(node, list(frame.states))
        if access is not None:
            state, name, indexes = access
            if name in frame.states[state].settings:
                return frame.states[state].settings[name]
            return self._read(frame.states[state], name, [self._value(frame, i) for i in indexes])
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
        """Evaluate what Python reaches only if the condition holds."""
        if condition is True:
            return evaluate()
        depth = len(self.path)
        self.path.append(condition)
        value = evaluate()
        del self.path[depth:]
        return value

    def _junction(self, frame: Frame, nodes: Sequence[ast.expr], all_of: bool) -> Value:
        """`and`, `or`: the first operand that settles the result, else the last; later ones are not evaluated."""
        depth, found = len(self.path), []
        for node in nodes:
            value = self._value(frame, node)
            truth = self.terms.truth(value)
            found.append((truth, value))
            continuing = truth if all_of else negation(truth)
            if continuing is False:
                break
            if continuing is not True:
                self.path.append(continuing)
        del self.path[depth:]
        if all(truth is value for truth, value in found):
            truths = [truth for truth, _ in found]
            return conjunction(truths) if all_of else disjunction(truths)
        result = found.pop()[1]
        for truth, value in reversed(found):
            result = self._choice(truth, result, value) if all_of else self._choice(truth, value, result)
        return result

    def _comparison(
        self, frame: Frame, left: ast.expr, operators: Sequence[ast.cmpop], others: Sequence[ast.expr]
    ) -> Truth:
        """`a < b < c`: a later comparison is evaluated only if the earlier ones hold."""
        depth, one, found = len(self.path), self._value(frame, left), []
        for operator, node in zip(operators, others, strict=True):
            other = self._value(frame, node)
            truth = self.terms.compare(operator, one, other)
            found.append(truth)
            if truth is False:
                break
            if truth is not True:
                self.path.append(truth)
            one = other
        del self.path[depth:]
        return conjunction(found)

    def _call_value(self, frame: Frame, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(attr="size"):
                return self._size(domain_named(frame.source, node))
            case ast.Attribute(attr="all_of"):
                return self._all_of(domain_named(frame.source, node))
            case ast.Name(id=name):
                helper = frame.source.resolve(name)
                if helper in SET_HELPERS.values():
                    return self._helper(helper.__name__, [self._value(frame, a) for a in node.args])
                if name in ("min", "max") and helper is None:
                    values = [self._value(frame, a) for a in node.args]
                    return self.terms.least(values) if name == "min" else self.terms.greatest(values)
        return self._function(frame, node)


def domain_named(source: Source, call: ast.Call) -> type[Index]:
    """The domain that `s.each(D)`, `s.size(D)` or `s.all_of(D)` names."""
    assert isinstance(call.args[0], ast.Name)
    found: type[Index] = source.resolve(call.args[0].id)
    return found


def _identity(value: Any) -> Any:
    """What distinguishes two arguments: the contents of a state by identity, numbers by value."""
    if isinstance(value, tuple):
        return tuple(map(id, value))
    return (type(value), value) if isinstance(value, int) else id(value)


@dataclass(frozen=True)
class _Taken:
    """The outcome of a branch."""

    fields: dict[str, dict[str, tuple[Value, ...]]]
    names: dict[str, Value]
    live: Truth
    result: Value | None
    enabled: Truth
