"""Model Python where no bound is known: loops become quantifiers, effects become functions.

A loop over a domain runs once, for any member. What it requires of that member it requires of every one; what it writes at its own
member it writes everywhere. A loop that carries something from one member to the next has no such form: its function needs a
statement of its result, a `Meaning`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import z3

from neverlost.model.core import Index, Meaning, SubsetOf
from neverlost.model.core.reading import tree_of
from neverlost.model.core.tree import Call, Each, Expression, Loop, Part, Quantified, Statement, Total, Tree

from ..predicated import Frame, PredicatedExecutor
from ..states import SymbolicState
from ..terms import Truth, UntranslatableError, Value, conjunction, disjunction, is_truth, negation
from .states import AnySpace
from .terms import AnyTerms, Predicate, UntranslatableValueError, same, substituted


@dataclass(frozen=True)
class Access:
    """An element of a field that a loop reads or writes."""

    name: str
    indexes: tuple[Value, ...]
    writes: bool


@dataclass
class AnyExecutor(PredicatedExecutor):
    """Runs model functions on states without bounds."""

    terms: AnyTerms
    space: AnySpace = field(kw_only=True)
    meanings: Mapping[Callable[..., Any], Meaning] = field(kw_only=True)
    given: list[Truth] = field(default_factory=list)
    """The meanings of the results of calls."""
    loops: list[list[Access]] = field(default_factory=list)
    """For each running loop, what it has read and written."""

    def _value(self, frame: Frame, part: Expression) -> Value:
        with self._located(frame.tree, part):
            return super()._value(frame, part)

    def _statement(self, frame: Frame, part: Statement) -> None:
        """What stands after a guard that is false whatever the state, as a budget of 0 makes it, is never done: it needs no form."""
        if self.enabled is False:
            return
        with self._located(frame.tree, part):
            super()._statement(frame, part)

    @contextmanager
    def _located(self, tree: Tree, part: Part) -> Iterator[None]:
        try:
            yield
        except UntranslatableValueError as error:
            raise UntranslatableError(f"{tree.at(part)}: {tree.name} has no form for any bounds: {error}") from None

    def _joined(self, condition: Truth, mine: Any, theirs: Any) -> Any:
        return lambda *indexes: self._choice(condition, mine(*indexes), theirs(*indexes))

    def _loop(self, frame: Frame, loop: Loop) -> None:
        """A loop over a domain: its body once, for any member."""
        vocabulary, index = self.space.vocabulary, self._domain_looped(loop)
        member = vocabulary.variable(loop.name, index)
        names, result, enabled, flaws, depth = frame.names, frame.result, self.enabled, self.flaws, len(self.path)
        before = {name: state.fields for name, state in frame.states.items()}
        self._fork(frame, before)
        frame.names, frame.result = {**names, loop.name: member}, None
        self.enabled, self.flaws = True, []
        self.path.append(vocabulary.inside(member, index))
        self.loops.append([])

        self._block_of(frame, loop.body)

        accesses = self.loops.pop()
        if self.loops:
            self.loops[-1] += accesses
        del self.path[depth:]
        self._refuse_carried(names, frame)
        if frame.live is not True and self.enabled is not True:
            raise UntranslatableValueError(
                "its loop returns early, so what it requires depends on which member comes first; use two loops"
            )
        frame.names = names
        self._write_everywhere(frame, member, before, accesses)
        self.flaws = [*flaws, *(vocabulary.some(member, flaw) for flaw in self.flaws)]
        self._leave_loop(frame, member, result, any(a.writes for a in accesses))
        allowed = vocabulary.every(member, self.enabled)
        self.enabled = conjunction((enabled, allowed))
        if allowed is not True:
            self.path.append(allowed)

    @staticmethod
    def _domain_looped(part: Loop | Quantified) -> type[Index]:
        if not isinstance(part.over, Each):
            raise UntranslatableValueError("it loops over a range; write `for x in s.each(Domain)`")
        if issubclass(part.over.domain, SubsetOf):
            raise UntranslatableValueError(f"it loops over all sets of {part.over.domain.of.__name__}")
        return part.over.domain

    def _quantified(self, frame: Frame, part: Quantified) -> Truth:
        """The condition for any member. What leaves a domain for one of them does so, whoever decides before it."""
        vocabulary, index = self.space.vocabulary, self._domain_looped(part)
        member, flaws, depth = vocabulary.variable(part.name, index), self.flaws, len(self.path)
        frame.names[part.name], self.flaws = member, []
        self.path.append(vocabulary.inside(member, index))
        condition = self.terms.truth(self._value(frame, part.condition))
        del self.path[depth:], frame.names[part.name]
        self.flaws = [*flaws, *(vocabulary.some(member, flaw) for flaw in self.flaws)]
        return vocabulary.every(member, condition) if part.every else vocabulary.some(member, condition)

    def _total(self, frame: Frame, part: Total) -> Value:
        raise UntranslatableValueError("it adds up something of every member, and there may be any number of members")

    @staticmethod
    def _refuse_carried(names: Mapping[str, Value], frame: Frame) -> None:
        carried = [name for name, value in names.items() if frame.names.get(name) is not value]
        if carried:
            raise UntranslatableValueError(f"its loop carries {', '.join(carried)} from one member to the next")

    def _leave_loop(self, frame: Frame, member: Any, result: Value | None, writes: bool) -> None:
        """After the loop, the function continues if it returned for no member."""
        if frame.live is True:
            frame.result = result
            return
        if frame.result is not None and not isinstance(frame.result, int):
            raise UntranslatableValueError(
                "its loop returns a value that depends on the member; return the same one for every member"
            )
        if writes:
            raise UntranslatableValueError("its loop both writes and returns early; let it do only one of them")
        frame.live = self.space.vocabulary.every(member, frame.live)

    def _write_everywhere(
        self, frame: Frame, member: Any, before: Mapping[str, Mapping[str, Any]], accesses: Sequence[Access]
    ) -> None:
        """Write at every member what the loop has written at its own member."""
        _, index = self.space.vocabulary.ranges[member.get_id()]
        for state_name, state in frame.states.items():
            for name, written in state.fields.items():
                if written is before[state_name][name]:
                    continue
                columns = zip(*(a.indexes for a in accesses if a.name == name), strict=True)
                own = [
                    number
                    for number, (column, of) in enumerate(zip(columns, self.space.fields[name].indexes, strict=True))
                    if of is index and all(_is(value, member) for value in column)
                ]
                if not own:
                    raise UntranslatableValueError(f"its loop changes {name} elsewhere than at its own member")
                state.fields[name] = _everywhere(written, member, own[0])

    def _function(self, frame: Frame, call: Call) -> Value | None:
        meaning = self.meanings.get(call.function)
        if meaning is None:
            return super()._function(frame, call)
        if self.loops:
            raise UntranslatableValueError(
                f"it calls {meaning.function.__name__}, of which only the meaning is known, in a loop"
            )
        return self._found(meaning, self._arguments(frame, call))

    def part(
        self, tree: Tree, body: Sequence[Statement], state: SymbolicState, names: Mapping[str, Value]
    ) -> tuple[Mapping[str, Value], Truth] | None:
        """Run statements of a function in a state: the names after them, and whether they leave a domain.

        None if they do more: refuse, return, change the state, or call a function of which only the meaning is known.
        """
        self.enabled, self.path, self.flaws, self.given = True, [], [], []
        after = state.copy()
        frame = Frame(tree, dict.fromkeys(tree.states, after), dict(names))
        self._block_of(frame, body)
        changed = any(after.fields[name] is not element for name, element in state.fields.items())
        if changed or self.given or self.enabled is not True or frame.live is not True:
            return None
        return frame.names, disjunction(self.flaws)

    def _found(self, meaning: Meaning, arguments: Sequence[Any]) -> Value:
        """A number of which only the meaning is known."""
        vocabulary = self.space.vocabulary
        values = (each for each in arguments if not isinstance(each, SymbolicState))
        for value, (_, index) in zip(values, meaning.parameters, strict=True):
            self._flaw_unless(vocabulary.inside(value, index))
        result = z3.Int(f"{meaning.function.__name__}!{next(vocabulary.numbers)}")
        path, flaws = self.path, self.flaws
        self.path, self.flaws = [], []
        said = self._call(tree_of(meaning.says), [*arguments, result])
        flaw = disjunction(self.flaws)
        self.path, self.flaws = path, flaws
        self._flaw_unless(negation(flaw))
        self.given.append(conjunction((result >= 0, result <= vocabulary.size(meaning.up_to), self.terms.truth(said))))
        return result

    def _remembered(self, tree: Tree, arguments: Sequence[Any]) -> Value | None:
        # A loop must know every element that is read in it.
        return self._call(tree, arguments) if self.loops else super()._remembered(tree, arguments)

    def _size(self, index: type[Index]) -> Any:
        return self.space.vocabulary.size(index)

    def _all_of(self, index: type[Index]) -> Predicate:
        return Predicate(index, lambda member: True)

    def _read(self, state: SymbolicState, name: str, indexes: Sequence[Value]) -> Value:
        return state.fields[name](*self._places(name, indexes, writes=False))

    def _write(self, state: SymbolicState, name: str, indexes: Sequence[Value], value: Value) -> None:
        places = self._places(name, indexes, writes=True)
        stored, old = self._stored(name, value), state.fields[name]

        def written(*at: Any) -> Value:
            return self._choice(conjunction(same(a, p) for a, p in zip(at, places, strict=True)), stored, old(*at))

        state.fields[name] = written

    def _places(self, name: str, indexes: Sequence[Value], writes: bool) -> list[Any]:
        """Indexes as terms, which must lie in their domains."""
        vocabulary, places = self.space.vocabulary, []
        if self.loops:
            self.loops[-1].append(Access(name, tuple(indexes), writes))
        for value, index in zip(indexes, self.space.fields[name].indexes, strict=True):
            self._flaw_unless(vocabulary.inside(value, index))
            places.append(vocabulary.term(value, index))
        return places

    def _stored(self, name: str, value: Value) -> Value:
        """The value to store in the field. A separate condition says that it lies in the field's domain."""
        declared = self.space.fields[name]
        index = declared.domain.index
        if index is None:
            if not is_truth(value):
                number = self.terms.number(value)
                self._flaw_unless(
                    conjunction((self.terms.compare("<=", 0, number), self.terms.compare("<=", number, 1)))
                )
            return self.terms.truth(value)
        if issubclass(index, SubsetOf):
            return self.terms.members(value, index.of)
        stored = self.space.vocabulary.term(value, index)
        self._flaw_unless(self.space.holds(declared, stored))
        return stored

    def _helper(self, name: str, values: Sequence[Value]) -> Value:
        of = self._set_domain(name, values)
        if name == "is_subset":
            return self.terms.is_subset(*(self.terms.members(v, of) for v in values))
        self._flaw_unless(self.space.vocabulary.inside(values[-1], of))
        member = self.space.vocabulary.term(values[-1], of)
        members = self.terms.members(0 if name == "only" else values[0], of)
        if name == "contains":
            return members.contains(member)
        return self.terms.with_member(members, member, present=name != "without")

    def _set_domain(self, name: str, values: Sequence[Value]) -> type[Index]:
        """The domain of the members of a set operation's sets."""
        for value in values:
            if isinstance(value, Predicate):
                return value.of
            for index, sort in self.space.vocabulary.sorts.items():
                if z3.is_expr(value) and value.sort() == sort:
                    return index
        raise UntranslatableValueError(f"no argument of {name} says which domain the set's members are of")


def _is(value: Value, variable: Any) -> bool:
    return z3.is_expr(value) and bool(value.eq(variable))


def _everywhere(written: Any, member: Any, column: int) -> Any:
    """A field in which a loop over `member` writes its own element, for every member."""

    def field_of(*at: Any) -> Value:
        return substituted(written(*at[:column], member, *at[column + 1 :]), member, at[column])

    return field_of
