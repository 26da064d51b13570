"""From the source of a model function to its tree. Constructs outside Model Python are refused, with what to write instead."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from . import domains
from .actions import require
from .domains import Index
from .lemmas import Lemma
from .properties import Property
from .source import Source, source_of
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
    callees_first,
)

INTEGER_BITS = 56
"""Numbers of more bits are refused, so that sums of a few of them fit a word of every engine."""

SET_HELPERS: Mapping[str, Callable[..., Any]] = {
    f.__name__: f for f in (domains.contains, domains.with_member, domains.without, domains.is_subset, domains.only)
}
"""The set operations that every engine implements itself."""

_OF_DOMAINS = {"size": Size, "all_of": AllOf}
_INSTEAD_OF_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Mult: "`a + a` for twice `a`, or `sum(a for x in s.each(Domain))` for `a` times the members of a domain",
    ast.Div: "`a + a > b` for `a > b / 2`",
    ast.FloorDiv: "`a + a > b` for `a > b // 2`",
    ast.BitOr: "`with_member(set, member)`, for each member that is to be in the set",
    ast.BitAnd: "`contains(set, member)` or `is_subset(set, other)`",
    ast.LShift: "`only(member)` or `with_member(set, member)`",
    ast.RShift: "`contains(set, member)`",
}
_INSTEAD_OF_METHODS = {"add": "with_member", "remove": "without", "discard": "without"}
_INSTEAD_OF_FUNCTIONS = {
    "len": "`s.size(Domain)` for a domain, `sum(1 for x in s.each(Domain) if contains(set, x))` for a set",
    "abs": "`max(a, -a)`",
    "set": "`EMPTY`, `only(member)` or `s.all_of(Domain)`",
}
_INSTEAD_OF_JUMPS: Mapping[type[ast.stmt], str] = {
    ast.Break: "`return`, in a function of its own, or `any(... for x in s.each(Domain))`",
    ast.Continue: "an `if` around the rest of the loop",
}
_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


@cache
def tree_of(function: Callable[..., Any]) -> Tree:
    """What a model function says. Raises LanguageError for what is outside Model Python: where it is, and what to write instead."""
    source = source_of(function)
    arguments = source.node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        raise source.refuse(source.node, "defaults, * and ** in parameters", "plain positional parameters")
    body = _Reader(source).block(source.body)
    return Tree(function, source.file, source.node, source.parameters, source.states, body)


def trees_of(functions: Iterable[Callable[..., Any]]) -> Iterator[Tree]:
    """The trees of `functions` and of every model function that they call, each once, callees first."""
    return callees_first(functions, tree_of)


@cache
def domains_of(function: Callable[..., Any]) -> tuple[type[Index], ...]:
    """The domains that a function and all that it calls name, those of callees first."""
    tree = tree_of(function)
    inner = [domain for callee in tree.callees for domain in domains_of(callee)]
    return tuple(dict.fromkeys((*inner, *tree.domains)))


class _Reader:
    """Reads the body of one function."""

    def __init__(self, source: Source) -> None:
        self.source, self.refuse = source, source.refuse

    def block(self, statements: Iterable[ast.stmt]) -> tuple[Statement, ...]:
        return tuple(map(self.statement, statements))

    def statement(self, node: ast.stmt) -> Statement:
        match node:
            case ast.Assign(targets=[target], value=value):
                read = self.expression(value)
                return Assign(self.target(target), read, node=node)
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as op, value=value):
                read = self.expression(value)
                return Change(self.target(target), _sign(op), read, node=node)
            case ast.If(test=test, body=body, orelse=orelse):
                return If(self.expression(test), self.block(body), self.block(orelse), node=node)
            case ast.For(target=ast.Name(id=name), iter=iterable, body=body, orelse=[]):
                return Loop(name, self.iterable(iterable), self.block(body), node=node)
            case ast.Return(value=value):
                return Return(None if value is None else self.expression(value), node=node)
            case ast.Expr(value=ast.Call() as call):
                return self.call_statement(node, call)
            case ast.While():
                raise self.refuse(node, "`while`", "a `for` over a finite domain")
            case ast.Assign() | ast.AnnAssign():
                raise self.refuse(
                    node, "an assignment to several targets or with an annotation", "one plain assignment each"
                )
            case ast.AugAssign(target=target, op=op):
                raise self.refuse(node, f"`{ast.unparse(node)}`", _instead_of_change(ast.unparse(target), op))
            case ast.Break() | ast.Continue():
                raise self.refuse(node, f"`{ast.unparse(node)}`", _INSTEAD_OF_JUMPS[type(node)])
        text = ast.unparse(node).splitlines()[0]
        raise self.refuse(node, f"`{text}`", "assignments, `if`, `for`, `return` and calls")

    def target(self, node: ast.expr) -> Target:
        if isinstance(node, ast.Name):
            if node.id in self.source.states:
                raise self.refuse(node, f"an assignment to the state {node.id!r}", "assignments to its fields")
            return Local(node.id, node=node)
        element = self.element(node)
        if element is None:
            raise self.refuse(
                node, f"an assignment to `{ast.unparse(node)}`", "to a local name or to a field of the state"
            )
        return element

    def element(self, node: ast.expr) -> Element | None:
        """An element of a field, if the expression is one."""
        indexes: list[ast.expr] = []
        inner = node
        while isinstance(inner, ast.Subscript):
            indexes.insert(0, inner.slice)
            inner = inner.value
        match inner:
            case ast.Attribute(value=ast.Name(id=state), attr=name) if state in self.source.states:
                for several in (index for index in indexes if isinstance(index, ast.Tuple)):
                    each = "".join(f"[{ast.unparse(one)}]" for one in several.elts)
                    raise self.refuse(node, f"`{ast.unparse(node)}`", f"`{ast.unparse(inner)}{each}`")
                return Element(state, name, self.expressions(indexes), node=node)
        return None

    def each(self, node: ast.expr) -> Each | None:
        """The members of a domain, if the expression is `s.each(Domain)`."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="each"), args=[domain], keywords=[]):
                if name in self.source.states:
                    return Each(name, self.domain(domain), node=node)
        return None

    def iterable(self, node: ast.expr) -> Each | Range:
        each = self.each(node)
        if each is not None:
            return each
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[_] | [_, _] as limits, keywords=[]):
                if all(map(self.is_fixed, limits)):
                    return Range(self.expressions(limits), node=node)
        raise self.refuse(
            node,
            f"a loop over `{ast.unparse(node)}`",
            "`for x in s.each(Domain)`, or `range` of constants and `s.size(Domain)`",
        )

    def is_fixed(self, node: ast.expr) -> bool:
        """Is the expression fixed by the bounds?"""
        match node:
            case ast.Constant(value=int()):
                return True
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                return self.is_fixed(left) and self.is_fixed(right)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[_], keywords=[]):
                return name in self.source.states
        return False

    def domain(self, node: ast.expr) -> type[Index]:
        found = self.source.resolve(node.id) if isinstance(node, ast.Name) else None
        if not _is_index(found):
            raise self.refuse(node, f"`{ast.unparse(node)}` as a domain", "the name of an Index class")
        return cast(type[Index], found)

    def call_statement(self, node: ast.Expr, call: ast.Call) -> Statement:
        if isinstance(call.func, ast.Name) and self.source.resolve(call.func.id) is require:
            if len(call.args) != 1 or call.keywords:
                raise self.refuse(call, "this `require`", "`require(condition)`")
            return Require(self.expression(call.args[0]), node=node)
        return Do(self.call(call), node=node)

    def call(self, node: ast.Call) -> Call:
        function = self.called(node.func)
        if function is None:
            raise self.refuse(node, f"a call of `{ast.unparse(node.func)}`", self.instead_of_call(node))
        callee = source_of(function)
        if node.keywords or len(node.args) != len(callee.parameters):
            raise self.refuse(node, f"`{ast.unparse(node)}`", f"its {len(callee.parameters)} arguments by position")
        arguments = zip(callee.parameters, node.args, strict=True)
        return Call(
            function,
            tuple(self.given(a) if p in callee.states else self.expression(a) for p, a in arguments),
            node=node,
        )

    def instead_of_call(self, node: ast.Call) -> str:
        """What to write in place of a call of what is no model function."""
        match node:
            case ast.Call(func=ast.Attribute(value=field, attr=method), args=[member]) if method in _INSTEAD_OF_METHODS:
                if self.element(field) is not None:
                    text = ast.unparse(field)
                    return f"`{text} = {_INSTEAD_OF_METHODS[method]}({text}, {ast.unparse(member)})`"
            case ast.Call(func=ast.Name(id=name)) if (
                self.source.resolve(name) is None and name in _INSTEAD_OF_FUNCTIONS
            ):
                return _INSTEAD_OF_FUNCTIONS[name]
        return "calls of model functions at module level"

    def called(self, node: ast.expr) -> Callable[..., Any] | None:
        """The model function that a name means: a plain function of the module, or that of a property or lemma in it."""
        found = self.source.resolve(node.id) if isinstance(node, ast.Name) else None
        function = found.function if isinstance(found, Property | Lemma) else found
        return function if inspect.isfunction(function) else None

    def given(self, node: ast.expr) -> Given:
        if isinstance(node, ast.Name) and node.id in self.source.states:
            return Given(node.id, node=node)
        raise self.refuse(node, f"`{ast.unparse(node)}` as a state", "the state itself")

    def expressions(self, nodes: Iterable[ast.expr]) -> tuple[Expression, ...]:
        return tuple(map(self.expression, nodes))

    def expression(self, node: ast.expr) -> Expression:
        element = self.element(node)
        if element is not None:
            return element
        match node:
            case ast.Constant(value=bool() | int() as number):
                if number >= 1 << INTEGER_BITS:
                    raise self.refuse(node, f"the number {number}", f"numbers below 2**{INTEGER_BITS}")
                return Number(number, node=node)
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.BoolOp(op=op, values=values):
                return Junction(isinstance(op, ast.And), self.expressions(values), node=node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Not(self.expression(operand), node=node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Minus(self.expression(operand), node=node)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                return Sum(self.expression(left), _sign(op), self.expression(right), node=node)
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return Remainder(self.expression(left), self.divisor(right), node=node)
            case ast.Compare():
                return self.comparison(node)
            case ast.Attribute(value=ast.Name(id=name), attr=member) if _is_index(self.source.resolve(name)):
                return self.named(node, self.source.resolve(name), member)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return Choice(self.expression(test), self.expression(body), self.expression(orelse), node=node)
            case ast.Call():
                return self.call_expression(node)
            case ast.BinOp(op=op):
                instead = _INSTEAD_OF_OPERATORS.get(type(op), "+, -, %, min, max, or a named set helper")
                raise self.refuse(node, f"the operator in `{ast.unparse(node)}`", instead)
            case ast.Constant(value=None):
                raise self.refuse(node, "`None`", "`NONE`")
        raise self.refuse(
            node,
            f"`{ast.unparse(node)}`",
            "integers, fields, comparisons, and/or/not, + - % min max any all sum, and calls",
        )

    def comparison(self, node: ast.Compare) -> Comparison:
        for op, left, right in zip(node.ops, (node.left, *node.comparators), node.comparators, strict=False):
            if type(op) not in _COMPARISONS:
                raise self.refuse(node, f"`{ast.unparse(node)}`", _instead_of_comparison(op, left, right))
        operators = tuple(_COMPARISONS[type(op)] for op in node.ops)
        return Comparison(self.expression(node.left), operators, self.expressions(node.comparators), node=node)

    def divisor(self, node: ast.expr) -> Expression:
        """What `%` divides by: it must not be 0 within any bounds."""
        found = self.expression(node)
        match found:
            case Number(value=value) if value > 0:
                return found
            case Size(domain=domain) if not domain.base().optional:
                return found
        raise self.refuse(
            node,
            f"`% {ast.unparse(node)}`",
            "`%` by a number above 0, or by `s.size(Domain)` of a domain that is never empty",
        )

    def named(self, node: ast.expr, domain: type[Index], member: str) -> Number:
        """A member of a domain by its name: `Stage.COMMITTED`."""
        known = domain.constants()
        if member not in known:
            raise self.refuse(
                node,
                f"`{ast.unparse(node)}`",
                f"one of {', '.join(f'{domain.__name__}.{name}' for name in known) or 'its numbers'}",
            )
        return Number(known[member], ast.unparse(node), node=node)

    def name(self, node: ast.expr, name: str) -> Local | Number:
        if name in self.source.states:
            raise self.refuse(node, f"the state {name!r} as a value", "one of its fields")
        if name in self.source.names:
            return Local(name, node=node)
        value = self.source.resolve(name)
        if not isinstance(value, int):
            raise self.refuse(
                node,
                f"the name {name!r}",
                "a parameter, a local name, True, False, or a module constant that is an integer",
            )
        return Number(int(value), name, node=node)

    def call_expression(self, node: ast.Call) -> Expression:
        match node.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if name in self.source.states:
                if method == "each":
                    raise self.refuse(node, "`each` outside a loop", "`for x in s.each(Domain)`")
                if method in _OF_DOMAINS:
                    if len(node.args) != 1 or node.keywords:
                        raise self.refuse(node, f"`{ast.unparse(node)}`", f"`{name}.{method}(Domain)`")
                    return _OF_DOMAINS[method](name, self.domain(node.args[0]), node=node)
            case ast.Name(id=name) if name in self.source.names:
                raise self.refuse(node, f"the local name {name!r} as a function", "another local name")
            case ast.Name(id="min" | "max" as name) if self.source.resolve(name) is None:
                if len(node.args) < 2 or node.keywords:
                    raise self.refuse(node, f"`{ast.unparse(node)}`", f"`{name}(a, b)`")
                return Extreme(name, self.expressions(node.args), node=node)
            case ast.Name(id="any" | "all" | "sum" as name) if self.source.resolve(name) is None:
                return self.over_members(node, name)
            case ast.Name(id=name) if (helper := self.source.resolve(name)) in SET_HELPERS.values():
                wanted = len(source_of(helper).parameters)
                if len(node.args) != wanted or node.keywords:
                    raise self.refuse(
                        node, f"`{ast.unparse(node)}`", f"`{name}` with its {wanted} arguments by position"
                    )
                return SetOperation(helper, self.expressions(node.args), node=node)
        return self.call(node)

    def over_members(self, node: ast.Call, name: str) -> Quantified | Total:
        """`any`, `all` or `sum` of something for each member of a domain, or for each of which a condition holds."""
        match node:
            case ast.Call(
                args=[
                    ast.GeneratorExp(elt=value, generators=[ast.comprehension(target=ast.Name(id=member)) as members])
                ],
                keywords=[],
            ):
                over = self.each(members.iter)
                if over is not None and not members.is_async:
                    found, held = self.expression(value), self.expressions(members.ifs)
                    if name == "sum":
                        return Total(member, over, self.counted(found, held, node), node=node)
                    return Quantified(name == "all", member, over, self.limited(found, held, name, node), node=node)
            case ast.Call(args=[ast.GeneratorExp(elt=value, generators=[_, _, *_] as several)], keywords=[]):
                text = ast.unparse(value)
                for one in reversed(several):
                    text = f"{name}({text}{_over_each(one)})"
                raise self.refuse(node, f"`{ast.unparse(node)}`", f"`{text}`")
        instead = f"{name}(... for x in s.each(Domain))"
        match node:
            case ast.Call(args=[ast.GeneratorExp(elt=value, generators=[one])], keywords=[]) if _domain_of(one):
                instead = f"{name}({ast.unparse(value)}{_over_each(one)})"
        raise self.refuse(node, f"`{ast.unparse(node)}`", f"`{instead}`")

    def limited(self, value: Expression, held: tuple[Expression, ...], name: str, node: ast.Call) -> Expression:
        """What is asked of every member, if it is asked only of those for which some conditions hold."""
        if not held:
            return value
        if name == "any":
            return Junction(True, (*held, value), node=node)
        return Junction(False, (*(Not(one, node=one.node) for one in held), value), node=node)

    def counted(self, value: Expression, held: tuple[Expression, ...], node: ast.Call) -> Expression:
        """What a member adds to a sum: nothing, if a condition does not hold."""
        if not held:
            return value
        test = held[0] if len(held) == 1 else Junction(True, held, node=node)
        return Choice(test, value, Number(0, node=node), node=node)


def _is_index(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Index)


def _instead_of_change(target: str, operator: ast.operator) -> str:
    """What to write in place of `target |= ...` and its like."""
    match operator:
        case ast.BitOr():
            return f"`{target} = with_member({target}, member)`, for each member that is to be in the set"
        case ast.BitAnd():
            return f"`{target} = without({target}, member)`, for each member that is to leave the set"
        case ast.Mult():
            return f"`{target} += {target}` for twice as much"
    return f"`{target} = ...`, with +, -, %, min, max, or a named set helper"


def _instead_of_comparison(operator: ast.cmpop, left: ast.expr, right: ast.expr) -> str:
    """What to write in place of `in` and `is`."""
    one, other = ast.unparse(left), ast.unparse(right)
    match operator, right:
        case (
            (ast.In() | ast.NotIn()),
            (ast.Tuple(elts=[_, *_] as members) | ast.List(elts=[_, *_] as members) | ast.Set(elts=members)),
        ):
            sign, word = ("==", " or ") if isinstance(operator, ast.In) else ("!=", " and ")
            return f"`{word.join(f'{one} {sign} {ast.unparse(member)}' for member in members)}`"
        case ast.In(), _:
            return f"`contains({other}, {one})`"
        case ast.NotIn(), _:
            return f"`not contains({other}, {one})`"
        case _, ast.Constant(value=None):
            other = "NONE"
    return f"`{one} {'==' if isinstance(operator, ast.Is) else '!='} {other}`"


def _sign(operator: ast.operator) -> int:
    return 1 if isinstance(operator, ast.Add) else -1


def _domain_of(clause: ast.comprehension) -> str:
    """The domain that a clause of a comprehension names in some way: `Box` of `for b in Box`. Empty if it names none."""
    match clause.iter:
        case ast.Name(id=domain) | ast.Call(args=[ast.Name(id=domain)]):
            return domain
    return ""


def _over_each(clause: ast.comprehension) -> str:
    """The clause as it may be written: ` for b in s.each(Box)`."""
    meant = ast.parse(f"s.each({_domain_of(clause) or 'Domain'})", mode="eval").body
    return ast.unparse(ast.comprehension(target=clause.target, iter=meant, ifs=clause.ifs, is_async=0))
