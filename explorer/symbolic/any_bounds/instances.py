"""Where to instantiate quantifiers: only with terms of the question that fit their variables.

By default Z3 chooses which terms trigger a quantifier, and may choose terms that never occur. So every domain gets a predicate,
"is seen". It is asserted for the terms of the question, and it triggers the quantifiers over its domain. Nothing else is said
about the predicate: it may be true of everything, so it assumes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

from neverlost.model.core import Index, SubsetOf

from ..clauses import as_term
from ..states import SymbolicState
from ..terms import Truth
from .clauses import opened
from .states import AnySpace


class Instances:
    """Formulas that are instantiated with seen terms."""

    def __init__(self, space: AnySpace) -> None:
        self.space, self.vocabulary = space, space.vocabulary
        self._seen: dict[type[Index], Any] = {}
        self._kept: dict[int, tuple[Any, Any]] = {}
        self.signatures = {name: self._signature(name) for name in space.fields}

    def _signature(self, name: str) -> tuple[list[type[Index]], type[Index] | None]:
        """The domains of a field's arguments, and that of its value."""
        declared = self.space.fields[name]
        index = declared.domain.index
        if index is not None and issubclass(index, SubsetOf):
            return [*declared.indexes, index.of], None
        return list(declared.indexes), index

    def seen(self, index: type[Index], term: Any) -> Any:
        """A term is seen."""
        if index not in self._seen:
            self._seen[index] = z3.Function(f"seen {index.__name__}", self.vocabulary.sort(index), z3.BoolSort())
        return self._seen[index](term)

    def pointed(self, formula: Truth) -> Any:
        """The assumptions, with quantifiers that wait for seen terms; their own terms become seen too."""
        term = as_term(formula)
        if term.get_id() not in self._kept:
            self._kept[term.get_id()] = term, self._pointed(term, True)
        return self._kept[term.get_id()][1]

    def _pointed(self, term: Any, positive: bool) -> Any:
        """The term as a part of an assumption, or under a negation there."""
        if z3.is_not(term):
            return z3.Not(self._pointed(term.arg(0), not positive))
        if z3.is_and(term) or z3.is_or(term):
            children = [self._pointed(child, positive) for child in term.children()]
            return z3.And(*children) if z3.is_and(term) else z3.Or(*children)
        if not z3.is_quantifier(term):
            return term
        variables, body = opened(self.vocabulary, term)
        noted = [self.seen(self.vocabulary.ranges[v.get_id()][1], v) for v in variables]
        inner = self._pointed(body, positive)
        if term.is_forall() == positive:
            make = z3.ForAll if positive else z3.Exists
            return make(variables, inner, patterns=[z3.MultiPattern(*noted) if len(noted) > 1 else noted[0]])
        return (
            z3.Exists(variables, z3.And(*noted, inner))
            if positive
            else z3.ForAll(variables, z3.Implies(z3.And(*noted), inner))
        )

    def near(self, formulas: Iterable[Truth]) -> dict[Any, Any]:
        """The terms without bound variables in these formulas are seen."""
        waiting, visited = [as_term(f) for f in formulas], set[int]()
        found: dict[Any, Any] = {}
        while waiting:
            term = waiting.pop()
            if z3.is_quantifier(term) or term.get_id() in visited:
                continue
            visited.add(term.get_id())
            waiting += term.children()
            for index, part in self._members_in(term):
                found[index, part.get_id()] = self.seen(index, part)
        return found

    def far(self, formulas: Iterable[Truth], state: SymbolicState) -> dict[Any, Any]:
        """The same, and also the variables' fields that may hold none: their leader and their epoch."""
        found = self.near(formulas)
        for index, noted in [(index, noted) for (index, _), noted in found.items()]:
            term = noted.arg(0)
            if term.get_id() not in self.vocabulary.ranges:
                continue
            for name, declared in self.space.fields.items():
                value = declared.domain.index
                if declared.indexes == (index,) and declared.domain.kind == "optional" and value is not None:
                    part = state.fields[name](term)
                    found[value, part.get_id()] = self.seen(value, part)
        return found

    def _members_in(self, term: Any) -> list[tuple[type[Index], Any]]:
        """A variable, or the element of a field and its indexes, each with its domain."""
        if term.get_id() in self.vocabulary.ranges:
            return [(self.vocabulary.ranges[term.get_id()][1], term)]
        if not z3.is_app(term) or term.decl().name() not in self.signatures:
            return []
        indexes, value = self.signatures[term.decl().name()]
        found = list(zip(indexes, term.children(), strict=True))
        return found if value is None else [*found, (value, term)]
