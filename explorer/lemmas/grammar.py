"""The small grammar that lemmas are searched in: comparisons of what a state holds, written in Model Python.

A candidate is a clause: a few atoms, plain or negated, one of which must be true. So `A -> B` and `A and B -> C` are
candidates. One parameter for each index domain names the elements of fields, and each domain in turn has two.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from neverlost.model.core import Field, Index, Model, SubsetOf

STATE = "s"
WORD = re.compile(r"(?<![.\w])\w+")
"""A word of a text that may be a parameter: a field or a member comes after a dot."""
TAKEN = (STATE, "contains", "is_subset")
"""What lemmas say that a parameter must not hide."""

Clause = tuple[int, ...]
"""Literals in ascending order: 2 * atom for the plain atom, one more for its negation."""


@dataclass(frozen=True)
class Variable:
    """A parameter of a lemma, and the domain that it ranges over."""

    name: str
    domain: type[Index]


@dataclass(frozen=True)
class Expression:
    """A field's element or a parameter: its text, its domain, and its kind in that domain."""

    text: str
    domain: type[Index] | None
    kind: str
    """`member`, `optional` (a member or NONE), `count`, `set` or `flag`."""
    low: int = 0


@dataclass(frozen=True)
class Atom:
    """A comparison: its relation and operands, and its plain and negated text."""

    relation: str
    operands: tuple[str, ...]
    yes: str
    no: str

    def variables(self, names: Sequence[str]) -> frozenset[str]:
        """Those of the names that occur in it."""
        words = set(WORD.findall(" ".join(self.operands)))
        return frozenset(name for name in names if name in words)


@dataclass(frozen=True)
class Context:
    """The parameters of a group of candidates. Two parameters of one domain have different values."""

    variables: tuple[Variable, ...]
    atoms: tuple[Atom, ...]

    @property
    def twins(self) -> tuple[str, str] | None:
        """The names of the two parameters of one domain."""
        for one, other in combinations(self.variables, 2):
            if one.domain is other.domain:
                return one.name, other.name
        return None

    def swapped(self, number: int) -> int:
        """The atom after the two twins change places."""
        assert self.twins is not None
        atom = self.atoms[number]
        moved = tuple(_swapped(text, *self.twins) for text in atom.operands)
        for k, other in enumerate(self.atoms):
            if other.relation == atom.relation and (
                other.operands == moved or (other.relation in SYMMETRIC and set(other.operands) == set(moved))
            ):
                return k
        raise AssertionError(f"the grammar has {atom.yes}, but not with its parameters swapped")

    def least(self, clause: Clause) -> Clause:
        """The clause, or the one with the twins swapped, whichever comes first."""
        if self.twins is None:
            return clause
        return min(clause, tuple(sorted(2 * self.swapped(literal // 2) + literal % 2 for literal in clause)))


SYMMETRIC = ("==",)
"""Relations whose operands may change places."""


def contexts(model: Model) -> list[Context]:
    """The contexts of a model: one parameter for each domain that indexes a field, and each domain in turn has a second one."""
    used = dict.fromkeys(index for field in model.profile.state.fields for index in field.indexes)
    first = [Variable(parameter_name(domain), domain) for domain in used]
    doubled: list[type[Index] | None] = [d for d in used if d.size(model.bounds) - d.distinguished > 1]
    found = []
    for twice in doubled or [None]:
        more = [Variable(f"other_{parameter_name(twice)}", twice)] if twice is not None else []
        variables = (*first, *more)
        found.append(Context(variables, tuple(_atoms(model, variables))))
    return found


def parameter_name(domain: type[Index]) -> str:
    """`replica_set` for ReplicaSet; with `_` after it where the word means something else."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", domain.__name__).lower()
    return f"{name}_" if keyword.iskeyword(name) or name in (*TAKEN, domain.__name__) else name


def _swapped(text: str, one: str, other: str) -> str:
    names = {one: other, other: one}
    return WORD.sub(lambda found: names.get(found[0], found[0]), text)


def _atoms(model: Model, variables: Sequence[Variable]) -> Iterator[Atom]:
    expressions = list(_expressions(model, variables))
    of_fields = {e.text for e in expressions if e.text.startswith(f"{STATE}.")}
    for one in expressions:
        if one.text in of_fields:
            yield from _unary(one)
    for one, other in combinations(expressions, 2):
        if one.text in of_fields or other.text in of_fields:
            yield from _binary(one, other)


def _expressions(model: Model, variables: Sequence[Variable]) -> Iterator[Expression]:
    for variable in variables:
        yield _expression(variable.name, variable.domain, "member")
    constants = dict.fromkeys(v.domain for v in variables if not issubclass(v.domain, SubsetOf))
    for field in model.profile.state.fields:
        choices = [
            [*(v.name for v in variables if v.domain is index), *_named(index)[: index.distinguished]]
            for index in field.indexes
        ]
        for names in product(*choices):
            text = f"{STATE}.{field.name}" + "".join(f"[{name}]" for name in names)
            yield _of_field(text, field)
    for domain in constants:
        yield from (_expression(name, domain, "member") for name in _named(domain)[: domain.distinguished])


def _of_field(text: str, field: Field) -> Expression:
    domain = field.domain
    kind = {"optional": "optional", "member": "member", "flag": "flag"}.get(domain.kind, "count")
    return _expression(text, domain.index, kind, domain.low)


def _expression(text: str, domain: type[Index] | None, kind: str, low: int = 0) -> Expression:
    if domain is not None and issubclass(domain, SubsetOf):
        return Expression(text, domain.of, "set" if kind == "member" else "other")
    return Expression(text, domain, kind, low)


def _unary(one: Expression) -> Iterator[Atom]:
    text, domain = one.text, one.domain
    if one.kind == "flag":
        yield Atom("flag", (text,), text, f"not {text}")
    elif one.kind == "set" and domain is not None:
        yield Atom("empty", (text,), f"{text} == EMPTY", f"{text} != EMPTY")
        every = f"{STATE}.all_of({domain.__name__})"
        yield Atom("all", (text,), f"{text} == {every}", f"{text} != {every}")
    elif one.kind == "optional":
        yield Atom("none", (text,), f"{text} < 0", f"{text} >= 0")
    if domain is not None and one.kind in ("member", "optional") and domain.names:
        for member in _named(domain)[: 1 if one.kind == "member" and len(domain.names) == 2 else None]:
            yield _comparison("==", "!=", text, member)
    elif domain is not None and (one.kind == "count" or (one.kind in ("member", "optional") and not domain.symmetric)):
        least = max(one.low, 0)
        yield Atom("first", (text,), f"{text} == {least}", f"{text} != {least}")
    if one.kind == "count" and domain is not None:
        size = f"{STATE}.size({domain.__name__})"
        yield Atom("last", (text,), f"{text} == {size}", f"{text} != {size}")


def _named(domain: type[Index]) -> list[str]:
    """The members that every bound has, as constants of the domain's class: a number where one has no name in Python."""
    constants = domain.constants().items() or [("", member) for member in range(domain.distinguished)]
    return [f"{domain.__name__}.{name}" if name.isidentifier() else str(member) for name, member in constants]


def _binary(one: Expression, other: Expression) -> Iterator[Atom]:
    domain = one.domain
    if domain is None or other.domain is not domain:
        return
    kinds = {one.kind, other.kind}
    if kinds <= {"member", "optional"} or (kinds <= {"member", "optional", "count"} and not domain.symmetric):
        yield _comparison("==", "!=", one.text, other.text)
        if not domain.symmetric:
            yield _comparison("<", ">=", one.text, other.text)
            yield _comparison("<", ">=", other.text, one.text)
    elif kinds == {"count"}:
        yield _comparison("==", "!=", one.text, other.text)
        yield _comparison("<", ">=", one.text, other.text)
        yield _comparison("<", ">=", other.text, one.text)
    elif kinds == {"set"}:
        yield _comparison("==", "!=", one.text, other.text)
        for mine, theirs in permutations((one.text, other.text)):
            yield Atom("subset", (mine, theirs), f"is_subset({mine}, {theirs})", f"not is_subset({mine}, {theirs})")
    elif "set" in kinds and "count" not in kinds:
        members, member = (one, other) if one.kind == "set" else (other, one)
        inside = f"contains({members.text}, {member.text})"
        guarded = member.kind == "optional"
        yield Atom(
            "contains",
            (members.text, member.text),
            f"({member.text} >= 0 and {inside})" if guarded else inside,
            f"({member.text} < 0 or not {inside})" if guarded else f"not {inside}",
        )


def _comparison(relation: str, opposite: str, one: str, other: str) -> Atom:
    return Atom(relation, (one, other), f"{one} {relation} {other}", f"{one} {opposite} {other}")


def negated_literal(literal: int) -> int:
    """The opposite of a literal."""
    return literal ^ 1


def clause_text(context: Context, clause: Clause) -> str:
    """The clause as a condition in Model Python. If it is about two members of one domain, it is true when they are the same."""
    parts: list[str] = []
    for literal in clause:
        atom = context.atoms[literal // 2]
        text = atom.no if literal & 1 else atom.yes
        nothing = f"{atom.operands[-1]} < 0"
        known = atom.relation == "contains" and not literal & 1 and nothing in parts
        parts.append(f"contains({', '.join(atom.operands)})" if known else text)
    names = clause_variables(context, clause)
    if context.twins is not None and set(context.twins) <= {v.name for v in names}:
        parts.insert(0, f"{context.twins[0]} == {context.twins[1]}")
    return " or ".join(parts)


def clause_variables(context: Context, clause: Clause) -> list[Variable]:
    """The parameters that a clause is about."""
    names = [v.name for v in context.variables]
    found = frozenset[str]().union(*(context.atoms[literal // 2].variables(names) for literal in clause))
    return [v for v in context.variables if v.name in found]
