"""Model Python by predicated execution: one walk over a function's source, both branches of every `if`, no forking of paths.

A branch runs on a copy of the state; where the branches join, a value that differs becomes a choice by the condition. Code
after an early return runs under the condition that the function is still `live`. Each kind of states defines its fields and loops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from neverlost.model.core import Index
from neverlost.model.core.reading import tree_of
from neverlost.model.core.tree import (
    AllOf,
    Assign,
    Call,
    Change,
    Choice,
    Comparison,
    Do,
    Element,
    Expression,
    Extreme,
    Given,
    If,
    Junction,
    Local,
    Loop,
    Minus,
    Not,
    Number,
    Quantified,
    Remainder,
    Require,
    Return,
    SetOperation,
    Size,
    Statement,
    Sum,
    Target,
    Total,
    Tree,
)

from .states import SymbolicState
from .terms import Truth, Value, conjunction, disjunction, negation


class TermOperations(Protocol):
    """Python's operations on values that are terms."""

    def truth(self, value: Value) -> Truth: ...
    def choice(self, condition: Truth, yes: Value, no: Value) -> Value: ...
    def add(self, one: Value, other: Value, sign: int) -> Value: ...
    def remainder(self, value: Value, divisor: Value) -> Value: ...
    def extreme(self, name: str, values: Sequence[Value]) -> Value: ...
    def compare(self, operator: str, one: Value, other: Value) -> Truth: ...


@dataclass
class Frame:
    """One call: its states and local names, the condition that it has not returned yet, and its result if it has."""

    tree: Tree
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

    def _loop(self, frame: Frame, loop: Loop) -> None:
        raise NotImplementedError

    def _quantified(self, frame: Frame, part: Quantified) -> Truth:
        raise NotImplementedError

    def _total(self, frame: Frame, part: Total) -> Value:
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
        tree = tree_of(function)
        waiting, values = list(states), list(arguments)
        given = [waiting.pop(0) if p in tree.states else values.pop(0) for p in tree.parameters]
        result = self._call(tree, given)
        return ExecutionOutcome(self.enabled, disjunction(self.flaws), result)

    def _call(self, tree: Tree, arguments: Sequence[Any]) -> Value | None:
        named = dict(zip(tree.parameters, arguments, strict=True))
        states = {name: named.pop(name) for name in tree.states}
        frame = Frame(tree, states, named)
        self._block_of(frame, tree.body)
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

    def _statement(self, frame: Frame, part: Statement) -> None:
        match part:
            case Assign(target=target, value=value):
                self._assign(frame, target, self._value(frame, value))
            case Change(target=target, sign=sign, value=value):
                self._assign(frame, target, self.terms.add(self._value(frame, target), self._value(frame, value), sign))
            case If(test=test, body=body, orelse=orelse):
                condition = self.terms.truth(self._value(frame, test))
                self._branch(
                    frame, condition, lambda: self._block_of(frame, body), lambda: self._block_of(frame, orelse)
                )
            case Loop():
                self._loop(frame, part)
            case Return(value=value):
                frame.result = None if value is None else self._value(frame, value)
                frame.live = False
            case Require(condition=condition):
                self._require(self.terms.truth(self._value(frame, condition)))
            case Do(call=call):
                self._function(frame, call)

    def _block_of(self, frame: Frame, statements: Sequence[Statement]) -> None:
        self._block(frame, [lambda s=s: self._statement(frame, s) for s in statements])  # type: ignore[misc]

    def _require(self, condition: Truth) -> None:
        self.enabled = conjunction((self.enabled, condition))
        if condition is not True:
            self.path.append(condition)

    def _function(self, frame: Frame, call: Call) -> Value | None:
        arguments, tree = self._arguments(frame, call), tree_of(call.function)
        return self._remembered(tree, arguments) if tree.returns_value else self._call(tree, arguments)

    def _arguments(self, frame: Frame, call: Call) -> list[Any]:
        return [frame.states[a.state] if isinstance(a, Given) else self._value(frame, a) for a in call.arguments]

    def _remembered(self, tree: Tree, arguments: Sequence[Any]) -> Value | None:
        """Call a function that only returns a value; each call on the same contents is made once."""
        held = [tuple(a.fields.values()) if isinstance(a, SymbolicState) else a for a in arguments]
        key = (tree.function, *(_identity(value) for value in held))
        if key not in self.calls:
            path, flaws = self.path, self.flaws
            self.path, self.flaws = [], []
            result = self._call(tree, arguments)
            self.calls[key] = result, disjunction(self.flaws), held
            self.path, self.flaws = path, flaws
        result, flaw, _ = self.calls[key]
        self._flaw_unless(negation(flaw))
        return result

    def _assign(self, frame: Frame, target: Target, value: Value) -> None:
        if isinstance(target, Local):
            frame.names[target.name] = value
            return
        self._write(frame.states[target.state], target.field, self._values(frame, target.indexes), value)

    def _flaw_unless(self, condition: Truth) -> None:
        if condition is not True:
            self.flaws.append(conjunction((*self.path, negation(condition))))

    def _value(self, frame: Frame, part: Expression) -> Value:
        match part:
            case Element(state=name, field=element, indexes=indexes):
                state = frame.states[name]
                if element in state.settings:
                    return state.settings[element]
                return self._read(state, element, self._values(frame, indexes))
            case Number(value=value):
                return value
            case Local(name=name):
                return frame.names[name]
            case Size(domain=domain):
                return self._size(domain)
            case AllOf(domain=domain):
                return self._all_of(domain)
            case Junction(every=every, parts=parts):
                return self._junction([lambda one=one: self._value(frame, one) for one in parts], every)  # type: ignore[misc]
            case Not(operand=operand):
                return negation(self.terms.truth(self._value(frame, operand)))
            case Minus(operand=operand):
                return self.terms.add(0, self._value(frame, operand), -1)
            case Sum(left=left, sign=sign, right=right):
                return self.terms.add(self._value(frame, left), self._value(frame, right), sign)
            case Remainder(left=left, right=right):
                return self.terms.remainder(self._value(frame, left), self._value(frame, right))
            case Comparison():
                return self._comparison(frame, part)
            case Quantified():
                return self._quantified(frame, part)
            case Total():
                return self._total(frame, part)
            case Choice(test=test, yes=yes, no=no):
                condition = self.terms.truth(self._value(frame, test))
                one = self._under(condition, lambda: self._value(frame, yes))
                other = self._under(negation(condition), lambda: self._value(frame, no))
                return self._choice(condition, one, other)
            case Extreme(name=name, parts=parts):
                return self.terms.extreme(name, self._values(frame, parts))
            case SetOperation(helper=helper, parts=parts):
                return self._helper(helper.__name__, self._values(frame, parts))
            case Call():
                return self._function(frame, part)
        raise AssertionError(f"read, yet not executed: {part.text}")

    def _values(self, frame: Frame, parts: Sequence[Expression]) -> list[Value]:
        return [self._value(frame, part) for part in parts]

    def _under(self, condition: Truth, evaluate: Callable[[], Value]) -> Value:
        """Evaluate what Python reaches only if the condition holds."""
        if condition is True:
            return evaluate()
        depth = len(self.path)
        self.path.append(condition)
        value = evaluate()
        del self.path[depth:]
        return value

    def _junction(self, operands: Sequence[Callable[[], Value]], every: bool) -> Value:
        """`and`, `or`: the first operand that settles the result, else the last; later ones are not evaluated."""
        depth, found = len(self.path), []
        for operand in operands:
            value = operand()
            truth = self.terms.truth(value)
            found.append((truth, value))
            continuing = truth if every else negation(truth)
            if continuing is False:
                break
            if continuing is not True:
                self.path.append(continuing)
        del self.path[depth:]
        if all(truth is value for truth, value in found):
            truths = [truth for truth, _ in found]
            return conjunction(truths) if every else disjunction(truths)
        result = found.pop()[1]
        for truth, value in reversed(found):
            result = self._choice(truth, result, value) if every else self._choice(truth, value, result)
        return result

    def _comparison(self, frame: Frame, part: Comparison) -> Truth:
        """`a < b < c`: a later comparison is evaluated only if the earlier ones hold."""
        depth, one, found = len(self.path), self._value(frame, part.left), []
        for operator, right in zip(part.operators, part.others, strict=True):
            other = self._value(frame, right)
            truth = self.terms.compare(operator, one, other)
            found.append(truth)
            if truth is False:
                break
            if truth is not True:
                self.path.append(truth)
            one = other
        del self.path[depth:]
        return conjunction(found)


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
