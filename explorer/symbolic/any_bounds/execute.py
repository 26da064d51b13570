"""Model Python by predicated execution where no bound is known: loops become quantifiers, effects become functions.

A loop over a domain is run once, for a member that may be any. What it asks of that member it asks of every one; what it writes at its own
member is written everywhere. A loop that carries something from one member to the next has no such form: the function
that it stands in needs a statement of what its result is (`Meaning`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from neverlost.model.core import Field, Index, SubsetOf
from neverlost.model.core.source import Source, called_function, source_of

from ..execute import Executor, Frame
from ..states import SymbolicState
from ..terms import Truth, UntranslatableError, Value, conjunction, implication, negation
from .states import AnySpace
from .terms import AnyTerms, Predicate, same, substituted


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What the result of a function is, for one that cannot be translated: `says(state, arguments, result)`, for one result only.

    `of` is a number up to the size of the domain.
    """

    function: Callable[..., int]
    says: Callable[..., bool]
    of: type[Index]


@dataclass
class Access:
    """An element of a field that a loop reads or writes."""

    name: str
    indexes: tuple[Value, ...]
    writes: bool


@dataclass
class AnyExecutor(Executor):
    """Runs model functions on states without bounds."""

    space: AnySpace = field(kw_only=True)
    meanings: Mapping[Callable[..., Any], Meaning] = field(default_factory=dict, kw_only=True)
    given: list[Truth] = field(default_factory=list)
    """What is known of the results that meanings stand for."""
    loops: list[list[Access]] = field(default_factory=list)

    def _joined(self, condition: Truth, mine: Any, theirs: Any) -> Any:
        return lambda *indexes: self._choice(condition, mine(*indexes), theirs(*indexes))

    def _refuse(self, source: Source, node: ast.AST, why: str) -> UntranslatableError:
        return UntranslatableError(f"{source.at(node)}: {source.name} has no form for any bounds: {why}")

    def _value(self, frame: Frame, node: ast.expr) -> Value:
        try:
            return super()._value(frame, node)
        except UntranslatableError as error:
            if ": " in str(error) and str(error).startswith("/"):
                raise
            raise self._refuse(frame.source, node, str(error)) from None

    def _statement(self, frame: Frame, node: ast.stmt) -> None:
        if isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name)
            assert isinstance(node.iter, ast.Call)
            self._any_member(frame, node, self._domain_named(frame, node))
        else:
            super()._statement(frame, node)

    def _domain_named(self, frame: Frame, node: ast.For) -> type[Index]:
        call = node.iter
        assert isinstance(call, ast.Call)
        if not isinstance(call.func, ast.Attribute):
            raise self._refuse(frame.source, node, "it loops over a range; write `for x in s.each(Domain)`")
        assert isinstance(call.args[0], ast.Name)
        found: type[Index] = frame.source.resolve(call.args[0].id)
        if issubclass(found, SubsetOf):
            raise self._refuse(frame.source, node, f"it loops over all sets of {found.of.__name__}")
        return found

    def _any_member(self, frame: Frame, node: ast.For, index: type[Index]) -> None:
        """A loop over a domain: its body once, for any member."""
        assert isinstance(node.target, ast.Name)
        member = self.space.vocabulary.variable(node.target.id, index)
        inside = self.space.vocabulary.inside(member, index)
        names, enabled, depth = frame.names, self.enabled, len(self.path)
        before = {name: dict(state.fields) for name, state in frame.states.items()}
        frame.names, self.enabled = {**names, node.target.id: member}, True
        earlier, frame.result = frame.result, None
        self.loops.append([])
        self.path.append(inside)
        flaws, self.flaws = self.flaws, []
        self._block_of(frame, node.body)
        del self.path[depth:]
        accesses = self.loops.pop()
        if self.loops:
            self.loops[-1] += accesses
        self.flaws = [*flaws, *(self.space.vocabulary.some(member, flaw) for flaw in self.flaws)]
        carried = [n for n in names if frame.names.get(n) is not names[n]]
        if carried:
            raise self._refuse(frame.source, node, f"its loop carries {carried[0]} from one member to the next; give its meaning")
        frame.names = names
        self._spread_writes(frame, node, member, before, accesses)
        allowed = self.space.vocabulary.every(member, self.enabled)
        self.enabled = conjunction((enabled, allowed))
        if allowed is not True:
            self.path.append(allowed)
        if frame.live is not True:
            if frame.result is not None and not isinstance(frame.result, int):
                raise self._refuse(frame.source, node, "its loop returns what depends on the member")
            if frame.result is None and accesses and any(a.writes for a in accesses):
                raise self._refuse(frame.source, node, "its loop writes and returns")
            frame.live = self.space.vocabulary.every(member, frame.live)
        else:
            frame.result = earlier

    def _spread_writes(
        self, frame: Frame, node: ast.For, member: Any, before: Mapping[str, Any], accesses: Sequence[Access]
    ) -> None:
        """What the loop writes at its own member, written at every one."""
        for state_name, state in frame.states.items():
            for name, written in state.fields.items():
                if written is before[state_name][name]:
                    continue
                here = [a.indexes for a in accesses if a.name == name]
                indexes = self.space.fields[name].indexes
                own = [
                    k
                    for k, column in enumerate(zip(*here, strict=True))
                    if indexes[k] is self.space.vocabulary.ranges[member.get_id()][1] and all(_is(v, member) for v in column)
                ]
                if not own:
                    raise self._refuse(frame.source, node, f"its loop changes elements of {name} that are not its own member's")
                state.fields[name] = _everywhere(written, member, own[0])  # type: ignore[assignment]

    def _extent(self, frame: Frame, call: ast.Call) -> Any:
        assert isinstance(call.args[0], ast.Name)
        return self.space.vocabulary.size(frame.source.resolve(call.args[0].id))

    def _call_value(self, frame: Frame, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(attr="all_of"):
                assert isinstance(node.args[0], ast.Name)
                return Predicate(frame.source.resolve(node.args[0].id), lambda member: True)
        return super()._call_value(frame, node)

    def _function(self, frame: Frame, call: ast.Call) -> Value | None:
        callee = called_function(frame.source, call)
        meaning = self.meanings.get(callee) if callee is not None else None
        if meaning is None:
            return super()._function(frame, call)
        if self.loops:
            raise self._refuse(frame.source, call, f"{callee.__name__}, known by its meaning alone, is called in a loop")  # type: ignore[union-attr]
        arguments = [
            frame.states[a.id] if isinstance(a, ast.Name) and a.id in frame.states else self._value(frame, a)
            for a in call.args
        ]
        result = z3.Int(f"{meaning.function.__name__}!{next(self.space.vocabulary.numbers)}")
        size = self.space.vocabulary.size(meaning.of)
        path, flaws, self.path, self.flaws = self.path, self.flaws, [], []
        said = self.terms.truth(self._call(source_of(meaning.says), [*arguments, result]))
        self.given.append(conjunction((result >= 0, result <= size, said)))
        self.path, self.flaws = path, flaws
        return result

    def _remembered(self, source: Source, arguments: Sequence[Any]) -> Value | None:
        # A loop has to see every element that is read in it.
        return self._call(source, arguments) if self.loops else super()._remembered(source, arguments)

    def _write(self, state: SymbolicState, shape: Any, indexes: Sequence[Value], value: Value) -> None:
        declared: Field = shape
        self._touch(declared, indexes, writes=True)
        stored, old = self._stored(declared, value), state.fields[declared.name]
        terms = [self._index(i, d) for i, d in zip(indexes, declared.indexes, strict=True)]
        state.fields[declared.name] = lambda *at: self._choice(  # type: ignore[assignment]
            conjunction(same(a, t) for a, t in zip(at, terms, strict=True)), stored, old(*at)  # type: ignore[operator]
        )

    def _touch(self, declared: Field, indexes: Sequence[Value], writes: bool) -> None:
        """Note an access, and that it must lie within the domains of its indexes."""
        if self.loops:
            self.loops[-1].append(Access(declared.name, tuple(indexes), writes))
        for value, index in zip(indexes, declared.indexes, strict=True):
            known = self.space.vocabulary.ranges.get(value.get_id()) if z3.is_expr(value) else None
            if known is None or known[1] is not index:
                self._flaw_unless(self.space.vocabulary.inside(value, index))

    def _index(self, value: Value, index: type[Index]) -> Any:
        """An index as a term."""
        if not isinstance(value, int):
            return value
        return z3.IntVal(value) if self.space.vocabulary.sort(index) == z3.IntSort() else self.space.vocabulary.none(index)

    def _stored(self, shape: Any, value: Value) -> Value:
        declared: Field = shape
        index = declared.domain.index
        if index is None:
            return self.terms.truth(value)
        if issubclass(index, SubsetOf):
            return self.any_terms.members(value, index.of)
        if self.space.vocabulary.sort(index) != z3.IntSort():
            stored = self.any_terms.alike(value, self.space.vocabulary.none(index))[0]
            self._flaw_unless(self.space.holds(declared, stored))
            return stored
        number = self.terms.number(value)
        self._flaw_unless(self.space.holds(declared, number))
        return number

    @property
    def any_terms(self) -> AnyTerms:
        """The terms, by their own type."""
        assert isinstance(self.terms, AnyTerms)
        return self.terms

    def _read(self, frame: Frame, access: tuple[str, str, list[ast.expr]]) -> Value:
        state, name, nodes = access
        declared = self.space.fields[name]
        indexes = [self._value(frame, i) for i in nodes]
        self._touch(declared, indexes, writes=False)
        terms = [self._index(i, d) for i, d in zip(indexes, declared.indexes, strict=True)]
        return frame.states[state].fields[name](*terms)  # type: ignore[operator]

    def _helper(self, name: str, values: Sequence[Value]) -> Value:
        of = self._set_domain(name, values)
        if name == "is_subset":
            return self.any_terms.is_subset(*(self.any_terms.members(v, of) for v in values))
        member = values[-1]
        self._flaw_unless(self.space.vocabulary.inside(member, of))
        members = self.any_terms.members(0 if name == "only" else values[0], of)
        if name == "contains":
            return members.contains(member)
        return self.any_terms.with_member(members, member, present=name != "without")

    def _set_domain(self, name: str, values: Sequence[Value]) -> type[Index]:
        """What the members of the sets in a helper's arguments are."""
        for value in values:
            if isinstance(value, Predicate):
                return value.of
            for index, sort in self.space.vocabulary.sorts.items():
                if z3.is_expr(value) and value.sort() == sort:
                    return index
        raise UntranslatableError(f"no argument of {name} tells what the set is of")


def _is(value: Value, variable: Any) -> bool:
    return z3.is_expr(value) and bool(value.eq(variable))


def _everywhere(written: Any, member: Any, column: int) -> Any:
    """A field that a loop over `member` writes at its own element, whichever member that is."""
    return lambda *at: substituted(written(*at[:column], member, *at[column + 1 :]), [(member, at[column])])


