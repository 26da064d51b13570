"""Equivariance: a proof from their source that a model's functions do not distinguish members of a symmetric domain.

A function is equivariant if renaming members before running it gives the same as renaming them after running it.
The check is a type system. The kind of a value says how a renaming changes it: not at all, or like a member or a set of
a domain. Members and sets may be compared for equality, index fields, be stored in fields of their domain, be passed on, and be put
in sets; they are not numbers. A loop over members must give the same result in any order. All other uses are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from .domains import COUNTS, Index, contains, is_subset, only
from .errors import SymmetryError
from .kinds import PLAIN, Domains, Kind, folded, kind_of
from .lemmas import Lemma
from .profile import Model
from .properties import Property
from .reading import tree_of
from .state import State
from .tree import (
    AllOf,
    Assign,
    Call,
    Change,
    Choice,
    Comparison,
    Do,
    Each,
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
    Part,
    Quantified,
    Range,
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
from .uses import READ, WRITE, Use, depends_on_order, update_of


@dataclass(frozen=True)
class _Summary:
    """What callers need to know of a function: the kind that it returns, and the fields that it uses."""

    returns: Kind
    uses: frozenset[Use]


class _ToldApart(Exception):
    """A construct that is not provably equivariant; the text says where, what, why and what to write."""


def check_equivariance(
    model: Model, domains: Collection[type[Index]], properties: Sequence[Property], lemmas: Sequence[Lemma] = ()
) -> None:
    """Refuse a model whose actions, or `properties`, or `lemmas`, may distinguish members of `domains`.

    An initial state may do so: every state reached from it, renamed, is reached from the renamed initial state.

    Raises SymmetryError with the file, the line, the construct, why it distinguishes members, and what to write instead.
    """
    profile, renamed = model.profile, frozenset(domains)
    for action in profile.actions:
        kinds = tuple(kind_of(index, renamed) for _, index in action.parameters)
        escape = f"leave symmetry off: the action {action.name} needs this"
        _check(action.function, kinds, profile.state, renamed, escape)
    for prop in properties:
        escape = f"leave out symmetry, or the property {prop.name}"
        _check(prop.function, (), profile.state, renamed, escape)
    for lemma in lemmas:
        kinds = tuple(kind_of(index, renamed) for _, index in lemma.parameters)
        _check(lemma.function, kinds, profile.state, renamed, f"prove without the lemma {lemma.name}")


def _check(
    function: Callable[..., Any], kinds: tuple[Kind, ...], state: type[State], domains: Domains, escape: str
) -> None:
    try:
        _summary(function, kinds, state, domains)
    except _ToldApart as said:
        raise SymmetryError(f"{said}; or {escape}") from None


_SUMMARIES: dict[tuple[Callable[..., Any], tuple[Kind, ...], type[State], Domains], _Summary] = {}
"""What was found, by everything that it depends on: the fields are those of the state."""


def _summary(
    function: Callable[..., Any], arguments: tuple[Kind, ...], state: type[State], domains: Domains
) -> _Summary:
    key = (function, arguments, state, domains)
    if key not in _SUMMARIES:
        _SUMMARIES[key] = _Body(tree_of(function), arguments, state, domains).summary()
    return _SUMMARIES[key]


class _Body:
    """The check of one function body, for arguments of given kinds. A local name has one kind throughout."""

    def __init__(self, tree: Tree, arguments: tuple[Kind, ...], state: type[State], domains: Domains) -> None:
        self.tree, self.state, self.domains = tree, state, domains
        self.fields = {f.name: f for f in (*state.fields, *state.settings)}
        self.parameters = [p for p in tree.parameters if p not in tree.states]
        self.kinds = dict(zip(self.parameters, arguments, strict=True))
        self.returned: Kind | None = None
        self.own: Expression | None = None

    def summary(self) -> _Summary:
        """Check the body until the kinds of its local names are settled."""
        settled: dict[str, Kind] | None = None
        while settled != self.kinds:
            settled = dict(self.kinds)
            self.uses: list[tuple[Use, Part]] = []
            self.returns: list[tuple[Kind | None, Return]] = []
            self.bound = set(self.parameters)
            self.block(self.tree.body)
        kept = set(self.parameters) - self.tree.assigned
        outside = (
            Use(use.place, tuple(e if e in kept else None for e in use.elements), use.how)
            for use, _ in self.uses
            if use.place.startswith(".")
        )
        return _Summary(self.returned or PLAIN, frozenset(outside))

    def refuse(self, part: Part, why: str, instead: str) -> NoReturn:
        text = part.text.splitlines()[0]
        raise _ToldApart(f"{self.tree.at(part)}: {self.tree.name} uses `{text}`, {why}; write {instead}")

    def expect(self, part: Expression, wanted: Kind) -> Kind:
        """The kind of an expression, which must fit `wanted`."""
        found = self.kind(part)
        self.fit(part, found, wanted)
        return found

    def fit(self, part: Expression, found: Kind, wanted: Kind) -> None:
        if found.fits(wanted):
            return
        if wanted.domain is None:
            self.refuse(
                part,
                f"{found}, as a number, and renaming gives it another one",
                "`==`, `!=`, NONE or EMPTY, a set helper, or a field that it indexes",
            )
        instead = f"a parameter, field or loop variable of {wanted.domain.__name__}"
        self.refuse(
            part,
            f"{found}, as {wanted}, and renaming gives that number to another one",
            instead + _or_distinguish(wanted),
        )

    def join(self, part: Part, one: Kind | None, other: Kind, what: str) -> Kind:
        """The kind of what is of either kind."""
        joined = other if one is None else one.joined(other)
        if joined is None:
            self.refuse(part, f"which makes {what} {other} here and {one} elsewhere", "a name or a function for each")
        return joined

    # Statements

    def block(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, part: Statement) -> None:
        match part:
            case Assign(target=target, value=value):
                how, self.own = update_of(target, value)
                kind = self.kind(value)
                if how == WRITE and kind.constants is not None and len(kind.constants) == 1:
                    how = f"= {kind}"
                self.store(part, target, value, kind, how)
            case Change(target=target, value=value):
                self.own = target
                self.expect(target, PLAIN)
                self.expect(value, PLAIN)
                self.store(part, target, value, PLAIN, "+")
            case If(test=test, body=body, orelse=orelse):
                self.expect(test, PLAIN)
                self.block(body)
                self.block(orelse)
            case Loop():
                self.loop(part)
            case Return(value=None):
                self.returns.append((None, part))
            case Return(value=Expression() as value):
                kind = self.kind(value)
                self.returns.append((kind, part))
                self.returned = self.join(part, self.returned, kind, f"the result of {self.tree.name}")
            case Require(condition=condition):
                self.expect(condition, PLAIN)
            case Do(call=call):
                self.call(call)

    def store(self, part: Statement, target: Target, value: Expression, kind: Kind, how: str) -> None:
        if isinstance(target, Local):
            self.bind(part, target.name, kind, how)
        else:
            self.fit(value, kind, self.field_kind(target.field))
            self.use_field(target, how)

    def bind(self, part: Statement, name: str, kind: Kind, how: str) -> None:
        """A local name gets a value."""
        self.kinds[name] = self.join(part, self.kinds.get(name), kind, f"`{name}`")
        self.uses.append((Use(name, (), how), part))
        self.bound.add(name)

    def loop(self, part: Loop) -> None:
        """A loop; over renamed members, its iterations must give the same result in any order."""
        member, before = self.loop_kind(part.over), set(self.bound)
        self.bind(part, part.name, member, WRITE)
        uses, returns = len(self.uses), len(self.returns)
        self.block(part.body)
        if member.domain is not None:
            over = f"the loop over {member.domain.__name__}"
            self.check_returns(over, self.returns[returns:])
            self.check_order(part, over, before, self.uses[uses:])
        self.bound = before

    def loop_kind(self, over: Each | Range) -> Kind:
        return kind_of(over.domain, self.domains) if isinstance(over, Each) else PLAIN

    def check_returns(self, over: str, returns: Sequence[tuple[Kind | None, Return]]) -> None:
        """Which iteration returns first must not matter: all return one constant. (Leaving an action early would skip effects.)"""
        for kind, part in returns:
            if kind is None:
                self.refuse(part, f"which leaves {over} with some members done and others not", "`if` or `require`")
            if kind.constants is None or len(kind.constants) != 1 or kind != returns[0][0]:
                self.refuse(
                    part,
                    f"which leaves {over} with what the first such member gives, and renaming changes who is first",
                    "one constant in every `return` of the loop, or make the member a parameter",
                )

    def check_order(self, loop: Loop, over: str, shared: set[str], uses: Sequence[tuple[Use, Part]]) -> None:
        variable = loop.name
        if variable in shared:
            self.refuse(loop, f"and {variable!r}, which has a value before, keeps the last member", "a name of its own")
        place = depends_on_order((use for use, _ in uses), variable, shared)
        if place is None:
            return
        here = [(use, part) for use, part in uses if use.place == place]
        telling = [part for use, part in here if use.how in (READ, WRITE)] or [part for _, part in here]
        self.refuse(
            telling[0],
            f"and {over} changes {place.lstrip('.')!r} for other members too, so that their order shows",
            "one kind of update that takes any order (min, max, +=, with_member, without, one constant), read only after the"
            f" loop, or use only elements indexed by {variable!r}",
        )

    # Expressions

    def kind(self, part: Expression) -> Kind:
        """The kind of an expression; what it reads is noted."""
        match part:
            case Element(field=name):
                self.use_field(part, READ)
                return self.field_kind(name)
            case Number(value=value):
                return Kind(constants=frozenset({int(value)}))
            case Local(name=name):
                if part is not self.own:
                    self.uses.append((Use(name, (), READ), part))
                return self.kinds[name]
            case AllOf(domain=domain) if domain in self.domains:
                return Kind(domain=domain, many=True)
            case Minus(operand=operand):
                known = self.expect(operand, PLAIN).constants
                return PLAIN if known is None else Kind(constants=frozenset(-value for value in known))
            case Not(operand=operand):
                self.expect(operand, PLAIN)
            case Junction(parts=parts) | Extreme(parts=parts):
                for one in parts:
                    self.expect(one, PLAIN)
            case Quantified(condition=inner) | Total(value=inner):
                self.of_members(part, inner)
            case Sum(left=left, right=right) | Remainder(left=left, right=right):
                self.expect(left, PLAIN)
                self.expect(right, PLAIN)
            case Comparison(pairs=pairs):
                for left, operator, right in pairs:
                    self.compare(part, left, operator, right)
            case Choice(test=test, yes=yes, no=no):
                self.expect(test, PLAIN)
                return self.join(part, self.kind(yes), self.kind(no), "the value")
            case SetOperation():
                return self.set_operation(part)
            case Call():
                return self.call(part)
        return PLAIN

    def of_members(self, part: Quantified | Total, inner: Expression) -> None:
        """What is asked of every member gives the same in any order: it is a truth or a sum, and nothing is written."""
        before = self.kinds.get(part.name)
        self.kinds[part.name] = self.loop_kind(part.over)
        self.expect(inner, PLAIN)
        del self.kinds[part.name]
        if before is not None:
            self.kinds[part.name] = before

    def field_kind(self, name: str) -> Kind:
        domain = self.fields[name].domain
        return PLAIN if domain.kind in COUNTS else kind_of(domain.index, self.domains)

    def use_field(self, part: Element, how: str) -> None:
        """Check the indexes of a field, and note that the element is used."""
        for index, expression in zip(self.fields[part.field].indexes, part.indexes, strict=True):
            self.expect(expression, kind_of(index, self.domains))
        if how != READ or part is not self.own:
            elements = tuple(_name_of(index) for index in part.indexes)
            self.uses.append((Use(f".{part.field}", elements, how), part))

    def compare(self, part: Comparison, left: Expression, operator: str, right: Expression) -> None:
        """Members may be compared for equality. An order may only separate members that keep their number from the others."""
        one, other = self.kind(left), self.kind(right)
        if one.domain is None and other.domain is None:
            return
        member, limit, expression = (other, one, left) if one.domain is None else (one, other, right)
        if operator in ("==", "!="):
            if not limit.fits(member):
                instead = f"a comparison with {member}, or with {'EMPTY' if member.many else 'NONE'}"
                why = f"which compares {one} with {other}, and renaming changes only one of them"
                self.refuse(part, why, instead + _or_distinguish(member))
            return
        includes = operator in (("<", ">=") if one.domain is None else (">", "<="))
        divides = limit.constants is not None and all(
            -1 <= value + includes <= member.fixed_below for value in limit.constants
        )
        if not divides and not self.is_size(expression, member):
            self.refuse(
                part,
                f"which puts {member} in an order, and renaming does not keep it",
                "`==`, `!=`, or a test for NONE: `>= 0`",
            )

    def is_size(self, part: Expression, member: Kind) -> bool:
        """Is the expression the size of the domain that `member` is of? Every member is below it."""
        return isinstance(part, Size) and kind_of(part.domain, self.domains) == member

    def call(self, part: Call) -> Kind:
        """Check the callee for the kinds of its arguments; what it uses of the state is used here."""
        pairs = zip(tree_of(part.function).parameters, part.arguments, strict=True)
        arguments = {p: argument for p, argument in pairs if not isinstance(argument, Given)}
        kinds = tuple(map(self.kind, arguments.values()))
        summary = _summary(part.function, kinds, self.state, self.domains)
        names = {p: _name_of(argument) for p, argument in arguments.items()}
        for use in summary.uses:
            elements = tuple(names.get(e) if e is not None else None for e in use.elements)
            self.uses.append((Use(use.place, elements, use.how), part))
        return summary.returns

    def set_operation(self, part: SetOperation) -> Kind:
        helper, kinds = part.helper, [self.kind(one) for one in part.parts]
        domain = next((kind.domain for kind in kinds if kind.domain is not None), None)
        if domain is None:
            return folded(helper, kinds)
        for position, (one, kind) in enumerate(zip(part.parts, kinds, strict=True)):
            many = helper is is_subset or (helper is not only and position == 0)
            self.fit(one, kind, Kind(domain=domain, many=many))
        return PLAIN if helper in (contains, is_subset) else Kind(domain=domain, many=True)


def _name_of(part: Expression) -> str | None:
    return part.name if isinstance(part, Local) else None


def _or_distinguish(wanted: Kind) -> str:
    assert wanted.domain is not None
    return f", or declare the first members of {wanted.domain.__name__} `distinguished`"
