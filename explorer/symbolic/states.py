"""Symbolic states: every element of every field as a value, and the conversion from and to packed states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import z3

from neverlost.model.core import Domain, Field, Model, Packed, State, SubsetOf

from .terms import Number, SymbolicSet, Terms, Truth, UntranslatableError, Value, conjunction


@dataclass(frozen=True)
class Shape:
    """The order of a field's elements in a flat list, and their possible values."""

    field: Field
    extents: tuple[int, ...]
    low: int
    size: int

    @property
    def count(self) -> int:
        return prod(self.extents)

    @property
    def is_set(self) -> bool:
        return self.field.domain.index is not None and issubclass(self.field.domain.index, SubsetOf)

    @property
    def members(self) -> int:
        """How many members the sets that the field holds may have."""
        return (self.size - 1).bit_length()

    @property
    def is_flag(self) -> bool:
        return self.field.domain.index is None


def shapes_of(model: Model) -> dict[str, Shape]:
    """The shape of every field. Raises UntranslatableError for an optional set, which truth values cannot express."""
    bounds = model.layout.bounds
    found = {}
    for field in model.profile.state.fields:
        domain: Domain = field.domain
        shape = Shape(field, field.shape(bounds), domain.low, domain.size(bounds))
        if shape.is_set and domain.kind != "member":
            raise UntranslatableError(
                f"{field.name} is {domain.describe(bounds)} or none; proofs support only sets that are always present"
            )
        found[field.name] = shape
    return found


class SymbolicState:
    """One state: each field, never changed in place, and the value of each setting.

    A field is a flat list of values; for any bounds, it is a function from indexes to a value.
    """

    def __init__(self, fields: dict[str, Any], settings: Mapping[str, Value]) -> None:
        self.fields, self.settings = fields, settings

    def copy(self) -> SymbolicState:
        """A copy of the values, to change separately."""
        return SymbolicState(dict(self.fields), self.settings)


class Space:
    """The symbolic states of one model: makes fresh ones, and reads them off a solver's answer."""

    def __init__(self, model: Model, terms: Terms, free_settings: Sequence[str] = ()) -> None:
        self.model, self.terms = model, terms
        self.shapes = shapes_of(model)
        self.setting_domain: list[Truth] = []
        self.settings: dict[str, Value] = {name: int(value) for name, value in model.settings.items()}
        for chosen in model.profile.state.settings:
            if chosen.name in free_settings:
                self.settings[chosen.name] = self._fresh_setting(chosen)

    def _fresh_setting(self, chosen: Field) -> Value:
        if chosen.domain.index is None:
            return z3.Bool(f"setting {chosen.name}")
        low, size = chosen.domain.low, chosen.domain.size({})
        value = self.terms.variable(f"setting {chosen.name}", low, low + size - 1)
        self.setting_domain += [value.term >= low, value.term <= low + size - 1]
        return value

    def lowest(self) -> SymbolicState:
        """The state with every field at its lowest value."""
        fields: dict[str, tuple[Value, ...]] = {}
        for name, shape in self.shapes.items():
            value: Value = SymbolicSet((False,) * shape.members) if shape.is_set else shape.low
            fields[name] = (False if shape.is_flag else value,) * shape.count
        return SymbolicState(fields, self.settings)

    def fresh(self, prefix: str) -> tuple[SymbolicState, list[Truth]]:
        """A state of new variables, and the conditions that each element lies in its domain."""
        fields: dict[str, tuple[Value, ...]] = {}
        domain: list[Truth] = []
        for name, shape in self.shapes.items():
            values = []
            for number in range(shape.count):
                value, limits = self._variable(f"{prefix}{name}.{number}", shape)
                values.append(value)
                domain += limits
            fields[name] = tuple(values)
        return SymbolicState(fields, self.settings), domain

    def _variable(self, name: str, shape: Shape) -> tuple[Value, list[Truth]]:
        if shape.is_flag:
            return z3.Bool(name), []
        if shape.is_set:
            return SymbolicSet(tuple(z3.Bool(f"{name}.{m}") for m in range(shape.members))), []
        if shape.size == 1:
            return shape.low, []
        value = self.terms.variable(name, shape.low, shape.low + shape.size - 1)
        return value, [value.term >= shape.low, value.term <= shape.low + shape.size - 1]

    def atoms(self, state: SymbolicState) -> Iterator[Any]:
        """The variables of a fresh state, in order."""
        for values in state.fields.values():
            for value in values:
                yield from parts(value)

    def pinned(self, state: SymbolicState, words: Packed) -> Truth:
        """A symbolic state equals this packed one."""
        concrete = self.model.state(words)
        same = []
        for name, shape in self.shapes.items():
            for position, value in zip(shape.field.positions(self.model.bounds), state.fields[name], strict=True):
                same.append(self.terms.compare("==", value, concrete.element(shape.field, position)))
        return conjunction(same)

    def read(self, answer: Any, state: SymbolicState) -> Packed:
        """The packed state that a solver's answer gives a symbolic one. Raises ModelError for a value outside its domain."""
        found: State = self.model.layout.blank()
        for name, shape in self.shapes.items():
            for position, value in zip(shape.field.positions(self.model.bounds), state.fields[name], strict=True):
                found.put(shape.field, position, known(answer, value))
        return self.model.layout.pack(found)


def known(answer: Any, value: Value) -> int:
    """A value in a solver's answer."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Number):
        return int(answer.eval(value.term, model_completion=True).as_signed_long())
    if isinstance(value, SymbolicSet):
        return sum(known(answer, bit) << m for m, bit in enumerate(value.bits))
    return int(z3.is_true(answer.eval(value, model_completion=True)))


def parts(value: Value) -> Iterator[Any]:
    """The terms of a value."""
    if isinstance(value, Number):
        yield value.term
    elif isinstance(value, SymbolicSet):
        for bit in value.bits:
            yield from parts(bit)
    elif not isinstance(value, int):
        yield value
