"""The loops over an action's parameters: guards are decided as early as possible, and a parameter that a guard fixes needs no loop.

A hoisted guard only skips parameters for which the action would refuse anyway; the action itself still checks every guard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neverlost.model.core import Action
from neverlost.model.core.reading import tree_of
from neverlost.model.core.tree import (
    Assign,
    Call,
    Comparison,
    Do,
    Expression,
    Given,
    Junction,
    Local,
    Require,
    Return,
    Statement,
)

from .proven import reassigned
from .translate import Code, Scope, Translator


@dataclass(frozen=True)
class Conjunct:
    """A condition that must hold for the action to be enabled, and the parameters that it reads."""

    code: Code
    parameters: frozenset[str]
    fixes: tuple[tuple[str, Code], ...] = ()
    """(parameter, expression): the condition says that the parameter equals the expression, which does not read it."""


def argument_names(action: Action) -> list[str]:
    """The names of the parameters in the kernel; the prefix keeps them apart from its other names."""
    return [f"p_{name}" for name, _ in action.parameters]


def conjuncts(translator: Translator, action: Action) -> list[Conjunct]:
    """The conditions of the guards at the start of an action, and of those at the start of functions that it calls.

    They end before the first that may report a flaw, because whether it is evaluated must not change.
    """
    tree = tree_of(action.function)
    names = argument_names(action)
    given = {own: Code(name, frozenset({name})) for (own, _), name in zip(action.parameters, names, strict=True)}
    scope = replace(translator.scope(tree), states={tree.states[0]: "s"}, names=given)
    found = []
    for part, inner in _required(translator, tree.body, scope):
        condition = translator.expression(part, inner)
        if condition.flags:
            break
        if condition.value:
            continue
        fixes = tuple(_fixes(translator, part, inner, names))
        found.append(Conjunct(condition, condition.names & {*names}, fixes))
    return found


def never_happens(translator: Translator, action: Action) -> bool:
    """Whether an action has no steps within these bounds: a domain of a parameter is empty, or a guard holds in no state."""
    empty = any(not index.size(translator.model.bounds) for _, index in action.parameters)
    return empty or any(conjunct.code.value == 0 for conjunct in conjuncts(translator, action))


def _required(translator: Translator, body: Sequence[Statement], scope: Scope) -> Iterator[tuple[Expression, Scope]]:
    names = dict(scope.names)
    for statement in body:
        here = replace(scope, names=dict(names))
        match statement:
            case Assign(target=Local(name=name), value=value):
                names[name] = translator.number(value, here)
                if names[name].flags:
                    return
            case Require(condition=condition):
                yield from _split(translator, condition, here)
            case Do(call=call):
                inner = _callee_scope(translator, call, here)
                yield from _required(translator, inner.tree.body, inner)
                return
            case _:
                return


def _split(translator: Translator, part: Expression, scope: Scope) -> Iterator[tuple[Expression, Scope]]:
    """The conjuncts of a condition; a predicate that only returns an expression is expanded."""
    match part:
        case Junction(every=True, parts=parts):
            for one in parts:
                yield from _split(translator, one, scope)
            return
        case Call():
            inner = _callee_scope(translator, part, scope)
            match inner.tree.body:
                case (Return(value=Expression() as value),):
                    yield from _split(translator, value, inner)
                    return
    yield part, scope


def _callee_scope(translator: Translator, call: Call, scope: Scope) -> Scope:
    """The scope of a called function, with the call's arguments in place of its parameters."""
    tree = tree_of(call.function)
    states, names, proven = {}, {}, {}
    for parameter, argument in zip(tree.parameters, call.arguments, strict=True):
        if isinstance(argument, Given):
            states[parameter] = scope.states[argument.state]
            continue
        names[parameter] = translator.number(argument, scope)
        if isinstance(argument, Local) and argument.name in scope.proven and parameter not in reassigned(tree):
            proven[parameter] = scope.proven[argument.name]
    return Scope(tree=tree, states=states, names=names, proven=proven)


def _fixes(translator: Translator, part: Expression, scope: Scope, names: Sequence[str]) -> Iterator[tuple[str, Code]]:
    match part:
        case Comparison(left=left, operators=("==",), others=(right,)):
            sides = translator.number(left, scope), translator.number(right, scope)
            for one, other in (sides, sides[::-1]):
                if one.text in names and one.text not in other.names:
                    yield one.text, other


@dataclass(frozen=True)
class Bound:
    """A parameter is bound: to each of so many values, or to what the state says, if that is one of them."""

    name: str
    size: int
    value: Code | None = None


@dataclass(frozen=True)
class Level:
    """What is decided about the parameters of an action, in order: some are bound, and then some conditions must hold."""

    bound: tuple[Bound, ...]
    conditions: tuple[Code, ...]


def levels(translator: Translator, action: Action) -> list[Level]:
    """How the parameters of an action are bound: each level begins with a parameter that takes several values, but for the first.

    Whatever is bound to a value that the state says, and each condition, comes as early as possible.
    """
    extents = (index.size(translator.model.bounds) for _, index in action.parameters)
    sizes = dict(zip(argument_names(action), extents, strict=True))
    open_conditions = conjuncts(translator, action)
    found: list[Level] = []
    bound: list[Bound] = []
    conditions: list[Code] = []

    def decide() -> None:
        """Bind what the state says, and take every condition that can be decided."""
        while True:
            known = {b.name for level in found for b in level.bound} | {b.name for b in bound}
            ready = [c for c in open_conditions if c.parameters <= known]
            for condition in ready:
                open_conditions.remove(condition)
                conditions.append(condition.code)
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


def _fixed(conditions: Sequence[Conjunct], bound: set[str]) -> tuple[str, Code] | None:
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
