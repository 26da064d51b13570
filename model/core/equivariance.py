"""Equivariance: a proof from their source that a model's functions do not distinguish members of a symmetric domain.

A function is equivariant if renaming members before running it gives the same as renaming them after running it.
The check is a type system. The kind of a value says how a renaming changes it: not at all, or like a member or a set of
a domain. Members and sets may be compared for equality, index fields, be stored in fields of their domain, be passed on, and be put
in sets; they are not numbers. A loop over members must give the same result in any order. All other uses are refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from .actions import require
from .domains import COUNTS, Index, contains, is_subset, only
from .errors import SymmetryError
from .kinds import PLAIN, Domains, Kind, folded, kind_of
from .lemmas import Lemma
from .profile import Model
from .properties import Property
from .source import SET_HELPERS, Source, called_function, field_access, source_of
from .state import Field
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
    fields = (*profile.state.fields, *profile.state.settings)
    for action in profile.actions:
        kinds = tuple(kind_of(index, renamed) for _, index in action.parameters)
        escape = f"leave symmetry off: the action {action.name} needs this"
        _check(action.function, kinds, fields, renamed, escape)
    for prop in properties:
        escape = f"leave out symmetry, or the property {prop.name}"
        _check(prop.function, (), fields, renamed, escape)
    for lemma in lemmas:
        kinds = tuple(kind_of(index, renamed) for _, index in lemma.parameters)
        _check(lemma.function, kinds, fields, renamed, f"prove without the lemma {lemma.name}")


def _check(
    function: Callable[..., Any], kinds: tuple[Kind, ...], fields: tuple[Field, ...], domains: Domains, escape: str
) -> None:
    try:
        _summary(function, kinds, fields, domains)
    except _ToldApart as said:
        raise SymmetryError(f"{said}; or {escape}") from None


@cache
def _summary(
    function: Callable[..., Any], arguments: tuple[Kind, ...], fields: tuple[Field, ...], domains: Domains
) -> _Summary:
    return _Body(source_of(function), arguments, fields, domains).summary()


class _Body:
    """The check of one function body, for arguments of given kinds. A local name has one kind throughout."""

    def __init__(
        self, source: Source, arguments: tuple[Kind, ...], fields: tuple[Field, ...], domains: Domains
    ) -> None:
        self.source, self.declared, self.domains = source, fields, domains
        self.fields = {f.name: f for f in fields}
        self.states = source.states
        self.parameters = [p for p in source.parameters if p not in self.states]
        self.kinds = dict(zip(self.parameters, arguments, strict=True))
        self.returned: Kind | None = None
        self.own: ast.expr | None = None

    def summary(self) -> _Summary:
        """Check the body until the kinds of its local names are settled."""
        settled: dict[str, Kind] | None = None
        while settled != self.kinds:
            settled = dict(self.kinds)
            self.uses: list[tuple[Use, ast.AST]] = []
            self.returns: list[tuple[Kind | None, ast.Return]] = []
            self.bound = set(self.parameters)
            self.block(self.source.body)
        kept = set(self.parameters) - self.source.assigned
        outside = (
            Use(use.place, tuple(e if e in kept else None for e in use.elements), use.how)
            for use, _ in self.uses
            if use.place.startswith(".")
        )
        return _Summary(self.returned or PLAIN, frozenset(outside))

    def refuse(self, node: ast.AST, why: str, instead: str) -> NoReturn:
        text = ast.unparse(node).splitlines()[0]
        raise _ToldApart(f"{self.source.at(node)}: {self.source.name} uses `{text}`, {why}; write {instead}")

    def expect(self, node: ast.expr, wanted: Kind) -> Kind:
        """The kind of an expression, which must fit `wanted`."""
        found = self.kind(node)
        self.fit(node, found, wanted)
        return found

    def fit(self, node: ast.expr, found: Kind, wanted: Kind) -> None:
        if found.fits(wanted):
            return
        if wanted.domain is None:
            self.refuse(
                node,
                f"{found}, as a number, and renaming gives it another one",
                "`==`, `!=`, NONE or EMPTY, a set helper, or a field that it indexes",
            )
        instead = f"a parameter, field or loop variable of {wanted.domain.__name__}"
        self.refuse(
            node,
            f"{found}, as {wanted}, and renaming gives that number to another one",
            instead + _or_distinguish(wanted),
        )

    def join(self, node: ast.AST, one: Kind | None, other: Kind, what: str) -> Kind:
        """The kind of what is of either kind."""
        joined = other if one is None else one.joined(other)
        if joined is None:
            self.refuse(node, f"which makes {what} {other} here and {one} elsewhere", "a name or a function for each")
        return joined

    # Statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                how, self.own = update_of(self.source, target, value)
                kind = self.kind(value)
                if how == WRITE and kind.constants is not None and len(kind.constants) == 1:
                    how = f"= {kind}"
                self.store(node, target, value, kind, how)
            case ast.AugAssign(target=target, value=value):
                self.own = target
                self.expect(target, PLAIN)
                self.expect(value, PLAIN)
                self.store(node, target, value, PLAIN, "+")
            case ast.If(test=test, body=body, orelse=orelse):
                self.expect(test, PLAIN)
                self.block(body)
                self.block(orelse)
            case ast.For():
                self.loop(node)
            case ast.Return(value=None):
                self.returns.append((None, node))
            case ast.Return(value=ast.expr() as value):
                kind = self.kind(value)
                self.returns.append((kind, node))
                self.returned = self.join(node, self.returned, kind, f"the result of {self.source.name}")
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case _:
                self.refuse(node, "which this check does not know", "assignments, `if`, `for`, `return` and calls")

    def store(self, node: ast.stmt, target: ast.expr, value: ast.expr, kind: Kind, how: str) -> None:
        access = field_access(target, self.states)
        if access is not None:
            self.fit(value, kind, self.field_kind(access[1]))
            self.use_field(target, access, how)
        elif isinstance(target, ast.Name):
            self.kinds[target.id] = self.join(node, self.kinds.get(target.id), kind, f"`{target.id}`")
            self.uses.append((Use(target.id, (), how), node))
            self.bound.add(target.id)

    def loop(self, node: ast.For) -> None:
        """A loop; over renamed members, its iterations must give the same result in any order."""
        member, before = self.loop_kind(node.iter), set(self.bound)
        self.store(node, node.target, node.iter, member, WRITE)
        uses, returns = len(self.uses), len(self.returns)
        self.block(node.body)
        if member.domain is not None:
            over = f"the loop over {member.domain.__name__}"
            self.check_returns(over, self.returns[returns:])
            self.check_order(node, over, before, self.uses[uses:])
        self.bound = before

    def loop_kind(self, iterable: ast.expr) -> Kind:
        match iterable:
            case ast.Call(func=ast.Attribute(attr="each"), args=[ast.Name(id=name)]):
                return kind_of(self.source.resolve(name), self.domains)
        return PLAIN

    def check_returns(self, over: str, returns: Sequence[tuple[Kind | None, ast.Return]]) -> None:
        """Which iteration returns first must not matter: all return one constant. (Leaving an action early would skip effects.)"""
        for kind, node in returns:
            if kind is None:
                self.refuse(node, f"which leaves {over} with some members done and others not", "`if` or `require`")
            if kind.constants is None or len(kind.constants) != 1 or kind != returns[0][0]:
                self.refuse(
                    node,
                    f"which leaves {over} with what the first such member gives, and renaming changes who is first",
                    "one constant in every `return` of the loop, or make the member a parameter",
                )

    def check_order(self, loop: ast.For, over: str, shared: set[str], uses: Sequence[tuple[Use, ast.AST]]) -> None:
        variable = ast.unparse(loop.target)
        if variable in shared:
            self.refuse(loop, f"and {variable!r}, which has a value before, keeps the last member", "a name of its own")
        place = depends_on_order((use for use, _ in uses), variable, shared)
        if place is None:
            return
        here = [(use, node) for use, node in uses if use.place == place]
        telling = [node for use, node in here if use.how in (READ, WRITE)] or [node for _, node in here]
        self.refuse(
            telling[0],
            f"and {over} changes {place.lstrip('.')!r} for other members too, so that their order shows",
            "one kind of update that takes any order (min, max, +=, with_member, without, one constant), read only after the"
            f" loop, or use only elements indexed by {variable!r}",
        )

    # Expressions

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression; what it reads is noted."""
        access = field_access(node, self.states)
        if access is not None:
            self.use_field(node, access, READ)
            return self.field_kind(access[1])
        match node:
            case ast.Constant(value=bool() | int() as value):
                return Kind(constants=frozenset({int(value)}))
            case ast.Name(id=name) if name in self.kinds:
                if node is not self.own:
                    self.uses.append((Use(name, (), READ), node))
                return self.kinds[name]
            case ast.Name(id=name):
                return Kind(constants=frozenset({int(self.source.resolve(name))}))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                known = self.expect(operand, PLAIN).constants
                return PLAIN if known is None else Kind(constants=frozenset(-value for value in known))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.expect(operand, PLAIN)
                return PLAIN
            case ast.BoolOp(values=parts):
                for part in parts:
                    self.expect(part, PLAIN)
            case ast.BinOp(left=left, right=right):
                self.expect(left, PLAIN)
                self.expect(right, PLAIN)
            case ast.Compare(left=left, ops=operators, comparators=rest):
                for operator, one, other in zip(operators, [left, *rest], rest, strict=False):
                    self.compare(node, one, operator, other)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.expect(test, PLAIN)
                return self.join(node, self.kind(body), self.kind(orelse), "the value")
            case ast.Call():
                return self.call(node)
            case _:
                self.refuse(node, "which this check does not know", "an expression of Model Python")
        return PLAIN

    def field_kind(self, name: str) -> Kind:
        domain = self.fields[name].domain
        return PLAIN if domain.kind in COUNTS else kind_of(domain.index, self.domains)

    def use_field(self, node: ast.expr, access: tuple[str, str, list[ast.expr]], how: str) -> None:
        """Check the indexes of a field, and note that the element is used."""
        _, name, indexes = access
        for index, expression in zip(self.fields[name].indexes, indexes, strict=True):
            self.expect(expression, kind_of(index, self.domains))
        if how != READ or node is not self.own:
            elements = tuple(e.id if isinstance(e, ast.Name) else None for e in indexes)
            self.uses.append((Use(f".{name}", elements, how), node))

    def compare(self, node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> None:
        """Members may be compared for equality. An order may only separate members that keep their number from the others."""
        one, other = self.kind(left), self.kind(right)
        if one.domain is None and other.domain is None:
            return
        member, limit, expression = (other, one, left) if one.domain is None else (one, other, right)
        if isinstance(operator, ast.Eq | ast.NotEq):
            if not limit.fits(member):
                instead = f"a comparison with {member}, or with {'EMPTY' if member.many else 'NONE'}"
                why = f"which compares {one} with {other}, and renaming changes only one of them"
                self.refuse(node, why, instead + _or_distinguish(member))
            return
        includes = isinstance(operator, ast.Lt | ast.GtE if one.domain is None else ast.Gt | ast.LtE)
        divides = limit.constants is not None and all(
            -1 <= value + includes <= member.fixed_below for value in limit.constants
        )
        if not divides and not self.is_size(expression, member):
            self.refuse(
                node,
                f"which puts {member} in an order, and renaming does not keep it",
                "`==`, `!=`, or a test for NONE: `>= 0`",
            )

    def is_size(self, node: ast.expr, member: Kind) -> bool:
        """Is the expression the size of the domain that `member` is of? Every member is below it."""
        match node:
            case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Name(id=name)]):
                return kind_of(self.source.resolve(name), self.domains) == member
        return False

    def call(self, node: ast.Call) -> Kind:
        match node.func:
            case ast.Attribute(attr="all_of") if (
                index := self.source.resolve(ast.unparse(node.args[0]))
            ) in self.domains:
                return Kind(domain=index, many=True)
            case ast.Attribute():
                return PLAIN
            case ast.Name(id=name):
                called = self.source.resolve(name)
                if called in SET_HELPERS.values():
                    return self.set_helper(node, called)
                if called is None or called is require:
                    for argument in node.args:
                        self.expect(argument, PLAIN)
                    return PLAIN
        function = called_function(self.source, node)
        assert function is not None
        return self.call_function(node, function)

    def call_function(self, node: ast.Call, function: Callable[..., Any]) -> Kind:
        """Check the callee for the kinds of its arguments; what it uses of the state is used here."""
        callee = source_of(function)
        arguments = {p: a for p, a in zip(callee.parameters, node.args, strict=True) if p not in callee.states}
        kinds = tuple(self.kind(argument) for argument in arguments.values())
        summary = _summary(function, kinds, self.declared, self.domains)
        names = {p: a.id for p, a in arguments.items() if isinstance(a, ast.Name)}
        for use in summary.uses:
            elements = tuple(names.get(e) if e is not None else None for e in use.elements)
            self.uses.append((Use(use.place, elements, use.how), node))
        return summary.returns

    def set_helper(self, node: ast.Call, helper: Callable[..., Any]) -> Kind:
        kinds = [self.kind(argument) for argument in node.args]
        domain = next((kind.domain for kind in kinds if kind.domain is not None), None)
        if domain is None:
            return folded(helper, kinds)
        for position, (argument, kind) in enumerate(zip(node.args, kinds, strict=True)):
            many = helper is is_subset or (helper is not only and position == 0)
            self.fit(argument, kind, Kind(domain=domain, many=many))
        return PLAIN if helper in (contains, is_subset) else Kind(domain=domain, many=True)


def _or_distinguish(wanted: Kind) -> str:
    assert wanted.domain is not None
    return f", or declare the first members of {wanted.domain.__name__} `distinguished`"
