"""Model Python on states within bounds: every element of every field is a value of its own, and loops unroll."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neverlost.model.core import Index, Model
from neverlost.model.core.domains import MAX_MEMBERS
from neverlost.model.core.tree import Each, Expression, Loop, Quantified, Range, Total

from .predicated import Frame, PredicatedExecutor
from .states import Shape, SymbolicState
from .terms import SymbolicSet, Terms, Truth, Value, conjunction, interval, members_of, negation


@dataclass
class Executor(PredicatedExecutor):
    """Runs model functions on symbolic states of one model."""

    terms: Terms
    model: Model = field(kw_only=True)
    shapes: Mapping[str, Shape] = field(kw_only=True)

    def _joined(self, condition: Truth, mine: Any, theirs: Any) -> Any:
        """A field that differs after two branches."""
        return tuple(map(lambda a, b: self._choice(condition, a, b), mine, theirs))

    def _loop(self, frame: Frame, loop: Loop) -> None:
        before = set(frame.names)

        def iteration(member: int) -> None:
            frame.names[loop.name] = member
            self._block_of(frame, loop.body)

        self._block(frame, [lambda m=m: iteration(m) for m in self._range(frame, loop.over)])  # type: ignore[misc]
        frame.names = {n: v for n, v in frame.names.items() if n in before}

    def _quantified(self, frame: Frame, part: Quantified) -> Truth:
        return self.terms.truth(self._junction(self._of_members(frame, part, part.condition), part.every))

    def _total(self, frame: Frame, part: Total) -> Value:
        total: Value = 0
        for value in self._of_members(frame, part, part.value):
            total = self.terms.add(total, value(), 1)
        return total

    def _of_members(self, frame: Frame, part: Quantified | Total, inner: Expression) -> list[Callable[[], Value]]:
        """What an expression is for each member."""

        def of(member: int) -> Value:
            frame.names[part.name] = member
            value = self._value(frame, inner)
            del frame.names[part.name]
            return value

        return [lambda member=member: of(member) for member in range(self._size(part.over.domain))]  # type: ignore[misc]

    def _range(self, frame: Frame, over: Each | Range) -> range:
        if isinstance(over, Each):
            return range(self._size(over.domain))
        return range(*(self._value(frame, limit) for limit in over.limits))

    def _size(self, index: type[Index]) -> int:
        return index.size(self.model.bounds)

    def _all_of(self, index: type[Index]) -> SymbolicSet:
        return SymbolicSet((True,) * self._size(index))

    def _write(self, state: SymbolicState, name: str, indexes: Sequence[Value], value: Value) -> None:
        shape = self.shapes[name]
        stored = self._stored(shape, value)
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
        """The value to store in the field. A separate condition says that it lies in the field's domain."""
        if shape.is_set:
            members = shape.members
            if isinstance(value, int) and not 0 <= value < shape.size:
                self._flaw_unless(False)
                value = 0
            given = members_of(value)
            self._flaw_unless(conjunction(negation(bit) for bit in given.bits[members:]))
            return SymbolicSet(tuple(given.bit(m) for m in range(members)))
        inside, narrowed = self.terms.within(value, shape.low, shape.low + shape.size - 1)
        self._flaw_unless(inside)
        if shape.size == 1:
            return shape.low
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
        if isinstance(value, SymbolicSet):
            self._flaw_unless(conjunction(negation(bit) for bit in value.bits[(extent - 1).bit_length() :]))
            return [(k, here) for k in range(extent) if (here := self.terms.compare("==", value, k)) is not False]
        index = self.terms.number(value)
        low, high = interval(index)
        self._flaw_unless(self.terms.within(index, 0, extent - 1)[0])
        possible = range(max(low, 0), min(high, extent - 1) + 1)
        if isinstance(index, int):
            return [(k, True) for k in possible]
        return [(k, self.terms.compare("==", index, k)) for k in possible]

    def _read(self, state: SymbolicState, name: str, indexes: Sequence[Value]) -> Value:
        positions = self._positions(self.shapes[name], indexes)
        values = state.fields[name]
        if not positions:
            return values[0]
        found = values[positions[-1][0]]
        for number, condition in reversed(positions[:-1]):
            found = self._choice(condition, values[number], found)
        return found

    def _helper(self, name: str, values: Sequence[Value]) -> Value:
        if name == "is_subset":
            return self.terms.is_subset(*values)
        member = self.terms.number(values[-1])
        inside, member = self.terms.within(member, 0, MAX_MEMBERS - 1)
        self._flaw_unless(inside)
        if inside is False:
            return SymbolicSet(())
        if name == "contains":
            return self.terms.contains(values[0], member)
        members = SymbolicSet(()) if name == "only" else values[0]
        return self.terms.with_member(members, member, present=name != "without")
