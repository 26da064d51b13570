"""States without bounds: every field is a function of its indexes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.model.core import Field, Profile, SubsetOf

from ..states import SymbolicState
from ..terms import Truth, UntranslatableError, Value, conjunction
from .terms import Predicate, Vocabulary, numbered

Function = Callable[..., Value]
"""A field: from terms for its indexes to its value there."""


@dataclass
class AnySpace:
    """The states of one profile with some settings: fresh states, and the conditions of their fields' domains."""

    profile: Profile
    vocabulary: Vocabulary
    settings: Mapping[str, int]

    def __post_init__(self) -> None:
        self.fields = {f.name: f for f in self.profile.state.fields}
        domains = {index.base() for index in self.profile.domains}
        self._refuse_shared([index.__name__ for index in domains])

    def _refuse_shared(self, names: Sequence[str]) -> None:
        """Two domains of one name would be one sort to Z3."""
        for name in names:
            if names.count(name) > 1:
                raise self._refused(f"a domain and another one are named {name}; give them different names")

    def _refused(self, why: str) -> UntranslatableError:
        """The error for what the state declares."""
        return UntranslatableError(f"{_place(self.profile.state)}: {why}")

    def fresh(self, prefix: str = "") -> SymbolicState:
        """A state of new functions."""
        return SymbolicState({name: self._function(prefix + name, f) for name, f in self.fields.items()}, self.settings)

    def _function(self, name: str, declared: Field) -> Function:
        index, vocabulary = declared.domain.index, self.vocabulary
        sorts = [vocabulary.sort(i) for i in declared.indexes]
        if index is None:
            return self._symbol(name, sorts, z3.BoolSort())
        if not issubclass(index, SubsetOf):
            return self._symbol(name, sorts, vocabulary.sort(index))
        if declared.domain.kind != "member":
            raise self._refused(
                f"{declared.name} is {declared.domain.describe()}; proofs support only sets that are always present"
            )
        of = index.of
        held = self._symbol(name, [*sorts, vocabulary.sort(of)], z3.BoolSort())
        return lambda *indexes: Predicate(of, lambda member: held(*indexes, member))

    @staticmethod
    def _symbol(name: str, sorts: list[Any], result: Any) -> Function:
        if not sorts:
            constant = z3.Const(name, result)
            return lambda: constant
        symbol: Function = z3.Function(name, *sorts, result)
        return symbol

    def lowest(self) -> SymbolicState:
        """The state with every field at its lowest value."""
        return SymbolicState({name: self._always(self._lowest(f)) for name, f in self.fields.items()}, self.settings)

    @staticmethod
    def _always(value: Value) -> Function:
        return lambda *indexes: value

    def _lowest(self, declared: Field) -> Value:
        index = declared.domain.index
        if index is None:
            return False
        if issubclass(index, SubsetOf):
            return Predicate(index.of, lambda member: False)
        if not numbered(index) and declared.domain.kind == "member":
            raise self._refused(
                f"{declared.name} begins as the first {index.__name__}, but for any bounds none is the first; let it be optional"
            )
        return self.vocabulary.term(declared.domain.low, index)

    def domain(self, state: SymbolicState) -> list[Truth]:
        """Every element of every field lies in its domain, and every domain has members."""
        vocabulary = self.vocabulary
        found: list[Truth] = []
        for name, declared in self.fields.items():
            places = [vocabulary.variable(index.__name__.lower(), index) for index in declared.indexes]
            truth = self.holds(declared, state.fields[name](*places))
            for place in reversed(places):
                truth = vocabulary.every(place, truth)
            found.append(truth)
        return [*vocabulary.sizes_are_possible(), *(t for t in found if t is not True)]

    def holds(self, declared: Field, value: Value) -> Truth:
        """Whether the value lies in the field's domain."""
        index, kind = declared.domain.index, declared.domain.kind
        if index is None or issubclass(index, SubsetOf):
            return True
        if not numbered(index):
            if kind not in ("optional", "member"):
                raise self._refused(
                    f"{declared.name} counts members of {index.__name__}, of which there may be any number"
                )
            return True if kind == "optional" else self.vocabulary.inside(value, index)
        size = self.vocabulary.size(index)
        low, above = declared.domain.low, size + 1 if kind in ("up_to", "one_to") else size
        return conjunction((value >= low, value < above))


def _place(declared: type) -> str:
    """The file and the line where a class begins."""
    return f"{inspect.getsourcefile(declared)}:{inspect.getsourcelines(declared)[1]}: {declared.__name__}"
