"""The loops over an action's parameters: guards are decided as early as possible, and a parameter that a guard fixes needs no loop.

A hoisted guard only skips parameters for which the action would refuse anyway; the action itself still checks every guard.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neverlost.model.core import Action
from neverlost.model.core.actions import require
from neverlost.model.core.parsing import parsed_expression
from neverlost.model.core.source import called_function, source_of

from .proven import reassigned
from .translate import Scope, Translator


@dataclass(frozen=True)
class Conjunct:
    """A condition that must hold for the action to be enabled, and the parameters that it reads."""

    text: str
    parameters: frozenset[str]
    fixes: tuple[tuple[str, str], ...] = ()
    """(parameter, expression): the condition says that the parameter equals the expression, which does not read it."""


def argument_names(action: Action) -> list[str]:
    """The names of the parameters in the kernel; the prefix keeps them apart from its other names."""
    return [f"p_{name}" for name, _ in action.parameters]


def conjuncts(translator: Translator, action: Action) -> list[Conjunct]:
    """The conditions of the guards at the start of an action, and of those at the start of functions that it calls.

    They end before the first that may report a flaw, because whether it is evaluated must not change.
    """
    source = source_of(action.function)
    names = argument_names(action)
    scope = replace(
        translator.scope(source),
        states={source.states[0]: "s"},
        names=dict(zip((name for name, _ in action.parameters), names, strict=True)),
    )
    found = []
    for node, inner in _required(translator, source.body, scope):
        text = translator.expression(node, inner)
        if translator.flags(text):
            break
        found.append(Conjunct(text, names_in(text) & {*names}, tuple(_fixes(translator, node, inner, names))))
    return found


def _required(translator: Translator, body: Sequence[ast.stmt], scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    names = dict(scope.names)
    for statement in body:
        here = replace(scope, names=dict(names))
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = translator.number(value, here)
                if translator.flags(names[name]):
                    return
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[condition])) if (
                scope.source.resolve(name) is require
            ):
                yield from _split(translator, condition, here)
            case ast.Expr(value=ast.Call() as call):
                callee = called_function(scope.source, call)
                assert callee is not None
                yield from _required(translator, source_of(callee).body, _callee_scope(translator, call, here))
                return
            case _:
                return


def _split(translator: Translator, node: ast.expr, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """The conjuncts of a condition; a predicate that only returns an expression is expanded."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for value in node.values:
            yield from _split(translator, value, scope)
        return
    if isinstance(node, ast.Call) and called_function(scope.source, node) in translator.names:
        inner = _callee_scope(translator, node, scope)
        body = inner.source.body
        if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
            yield from _split(translator, body[0].value, inner)
            return
    yield node, scope


def _callee_scope(translator: Translator, call: ast.Call, scope: Scope) -> Scope:
    """The scope of a called function, with the call's arguments in place of its parameters."""
    callee = called_function(scope.source, call)
    assert callee is not None
    source = source_of(callee)
    states, names, proven = {}, {}, {}
    for parameter, argument in zip(source.parameters, call.args, strict=True):
        if parameter in source.states:
            assert isinstance(argument, ast.Name)
            states[parameter] = scope.states[argument.id]
            continue
        names[parameter] = translator.number(argument, scope)
        if isinstance(argument, ast.Name) and argument.id in scope.proven and parameter not in reassigned(source):
            proven[parameter] = scope.proven[argument.id]
    return Scope(source=source, states=states, names=names, proven=proven)


def names_in(text: str) -> frozenset[str]:
    """The names that an expression reads."""
    return frozenset(node.id for node in ast.walk(parsed_expression(text)) if isinstance(node, ast.Name))


def _fixes(translator: Translator, node: ast.expr, scope: Scope, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            texts = translator.number(left, scope), translator.number(right, scope)
            for one, other in (texts, texts[::-1]):
                if one in names and one not in names_in(other):
                    yield one, other


@dataclass(frozen=True)
class Bound:
    """A parameter is bound: to each of so many values, or to what the state says, if that is one of them."""

    name: str
    size: int
    value: str | None = None


@dataclass(frozen=True)
class Level:
    """What is decided about the parameters of an action, in order: some are bound, and then some conditions must hold."""

    bound: tuple[Bound, ...]
    conditions: tuple[str, ...]


def levels(translator: Translator, action: Action) -> list[Level]:
    """How the parameters of an action are bound: each level begins with a parameter that takes several values, but for the first.

    Whatever is bound to a value that the state says, and each condition, comes as early as possible.
    """
    extents = (index.size(translator.model.bounds) for _, index in action.parameters)
    sizes = dict(zip(argument_names(action), extents, strict=True))
    open_conditions = conjuncts(translator, action)
    found: list[Level] = []
    bound: list[Bound] = []
    conditions: list[str] = []

    def decide() -> None:
        """Bind what the state says, and take every condition that can be decided."""
        while True:
            known = {b.name for level in found for b in level.bound} | {b.name for b in bound}
            ready = [c for c in open_conditions if c.parameters <= known]
            for condition in ready:
                open_conditions.remove(condition)
                conditions.append(condition.text)
            fixed = _fixed(open_conditions, known)
            if fixed is None:
                return
            bound.append(Bound(fixed[0], sizes[fixed[0]], fixed[1]))

    decide()
    while True:
        found.append(Level(tuple(bound), tuple(conditions)))
        known = {b.name for level in found for b in level.bound}
        if len(known) == len(sizes):
            return found
        name = max((n for n in sizes if n not in known), key=lambda n: _gain(open_conditions, known, n))
        bound, conditions = [Bound(name, sizes[name])], []
        decide()


def _fixed(conditions: Sequence[Conjunct], bound: set[str]) -> tuple[str, str] | None:
    """A parameter that a condition fixes once `bound` are bound, and what it equals."""
    for condition in conditions:
        for name, value in condition.fixes:
            if name not in bound and condition.parameters <= bound | {name}:
                return name, value
    return None


def _gain(conditions: Sequence[Conjunct], bound: set[str], name: str) -> tuple[int, int]:
    """The gain of binding `name` next: how many other parameters it fixes, and how many conditions it decides."""
    more = bound | {name}
    fixes = sum(1 for c in conditions for fixed, _ in c.fixes if fixed not in more and c.parameters <= more | {fixed})
    return fixes, sum(1 for c in conditions if c.parameters <= more)
