"""The mistakes that there may be in a function of a model: what stands in a place, and what stands there instead.

A guard is taken for granted, so is every part of an `and`, and a guard where one part of another guard's `or` holds; a part of an `or`
never holds; the test of an `if` does both; a statement with an effect does not happen; a loop with effects ends after the first member
that it is for. A comparison (of numbers also `==`, which becomes `<=` and `>=`), a sum with 1, and the choice of a `min` or `max` are
others; so is a set, where members have another of its kind, and a number that a statement is about.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from types import FunctionType

from neverlost.model.core import NONE, SubsetOf, contains
from neverlost.model.core.parsing import parsed_expression
from neverlost.model.core.reading import tree_of, trees_of
from neverlost.model.core.tree import (
    Call,
    Choice,
    Comparison,
    Do,
    Element,
    Expression,
    Extreme,
    Function,
    If,
    Junction,
    Local,
    Loop,
    Number,
    Part,
    Require,
    Statement,
    Sum,
    Tree,
    walk,
    written_by,
)

from .mutant import BOUNDARY, BRANCH, EFFECT, EXEMPT, GUARD, LOOP, OTHER, PART, VALUE

ALLOW, FORBID, DROP, REPLACE = "allow", "forbid", "drop", "replace"
OTHER_COMPARISONS: Mapping[str, tuple[type[ast.cmpop], ...]] = {
    "<": (ast.LtE,),
    "<=": (ast.Lt,),
    ">": (ast.GtE,),
    ">=": (ast.Gt,),
    "==": (ast.LtE, ast.GtE),
}


@dataclass(frozen=True)
class Edit:
    """What a mutant does to a part: a condition is allowed or forbidden, a statement dropped, or a statement or expression replaced."""

    part: Part
    kind: str
    way: str
    instead: ast.expr | None = None
    statements: tuple[ast.stmt, ...] = ()
    calls: tuple[Function, ...] = ()
    """Functions that it calls, which the function perhaps does not."""


def edits_of(tree: Tree) -> Iterator[tuple[str, Edit]]:
    """Every mistake in a function, each with a name that is its own there: `guard-2`, `guard-2:part-1`, `effect-3`."""
    inside_guards: set[int] = set()
    guards = (part for part in tree.parts if isinstance(part, Require))
    for number, guard in enumerate(guards, start=1):
        yield f"guard-{number}", Edit(guard.condition, GUARD, ALLOW)
        inner = tuple(walk(guard.condition))
        yield from _parts(f"guard-{number}:", inner)
        inside_guards.update(map(id, inner))
    yield from _parts("", [part for part in tree.parts if id(part) not in inside_guards])
    numbers = Counter[str]()
    for part in tree.parts:
        for edit in _at(tree, part):
            numbers[edit.kind] += 1
            yield f"{edit.kind}-{numbers[edit.kind]}", edit
    for edit in (*_exempt(tree), *_loops(tree), *_others(tree)):
        numbers[edit.kind] += 1
        yield f"{edit.kind}-{numbers[edit.kind]}", edit


def _at(tree: Tree, part: Part) -> Iterator[Edit]:
    """The mistakes at a part that are no guards and no parts of conditions."""
    if isinstance(part, Do) or written_by(part) is not None:
        yield Edit(part, EFFECT, DROP)
    match part:
        case If(test=test) | Choice(test=test):
            yield Edit(test, BRANCH, ALLOW)
            yield Edit(test, BRANCH, FORBID)
        case Comparison(left=left, operators=(operator,), others=(right,)) if operator != "==" or (
            _is_number(tree, left) and not _is_none(right)
        ):
            for other in OTHER_COMPARISONS.get(operator, ()):
                instead = ast.Compare(left=_syntax(left), ops=[other()], comparators=[_syntax(right)])
                yield Edit(part, BOUNDARY, REPLACE, instead)
        case Sum(left=left, right=Number(value=1, name=None)):
            yield Edit(part, VALUE, REPLACE, _syntax(left))
        case Extreme(parts=arguments):
            for argument in arguments:
                yield Edit(part, VALUE, REPLACE, _syntax(argument))


def _syntax(part: Expression) -> ast.expr:
    assert isinstance(part.node, ast.expr)
    return part.node


def _is_number(tree: Tree, part: Expression) -> bool:
    """Is it an element of a field of numbers, and not of members, choices or flags?"""
    field = tree.field_of(part) if isinstance(part, Element) else None
    index = None if field is None else field.domain.index
    return index is not None and not (index.symmetric or index.names or issubclass(index, SubsetOf))


def _is_none(part: Expression) -> bool:
    return isinstance(part, Number) and part.name is not None and part.value == NONE


def _parts(prefix: str, parts: Iterable[Part]) -> Iterator[tuple[str, Edit]]:
    junctions = (part for part in parts if isinstance(part, Junction))
    operands = ((junction, operand) for junction in junctions for operand in junction.parts)
    for number, (junction, operand) in enumerate(operands, start=1):
        yield f"{prefix}part-{number}", Edit(operand, PART, ALLOW if junction.every else FORBID)


def _exempt(tree: Tree) -> Iterator[Edit]:
    """Of conditions that must all hold, one is not asked for where one part of another, an `or`, holds. Settings are no such parts."""
    guards = tuple(part.condition for part in tree.parts if isinstance(part, Require))
    junctions = (part.parts for part in tree.parts if isinstance(part, Junction) and part.every)
    for together in (guards, *junctions):
        for one in together:
            if isinstance(one, Junction) and not one.every:
                parts = [part for part in one.parts if _varies(tree, part) and _knows_only_parameters(tree, part)]
                for other in together:
                    if other is not one and _varies(tree, other):
                        for part in parts:
                            instead = ast.BoolOp(op=ast.Or(), values=[_syntax(other), _syntax(part)])
                            yield Edit(other, EXEMPT, REPLACE, instead)


def _varies(tree: Tree, condition: Expression) -> bool:
    """Does a condition depend on more than settings, as far as it stands here?"""
    elements = [part for part in walk(condition) if isinstance(part, Element)]
    settings = {one.name for state in tree.states for one in tree.parameters[state].settings}
    return not elements or any(one.field not in settings for one in elements)


def _knows_only_parameters(tree: Tree, condition: Expression) -> bool:
    return all(part.name in tree.parameters for part in walk(condition) if isinstance(part, Local))


def _loops(tree: Tree) -> Iterator[Edit]:
    """A loop with effects at the end of a function does what it is for only once."""
    if tree.returns_value:
        return
    for loop in _last(tree.body):
        *before, part = loop.body
        if before:
            continue
        if isinstance(part, If) and not part.orelse:
            assert isinstance(part.node, ast.If)
            once = ast.If(test=part.node.test, body=[*part.node.body, ast.Return(value=None)], orelse=[])
            yield Edit(part, LOOP, REPLACE, statements=(once,))
        elif isinstance(part, Do) or written_by(part) is not None:
            assert isinstance(part.node, ast.stmt)
            yield Edit(part, LOOP, REPLACE, statements=(part.node, ast.Return(value=None)))


def _last(body: tuple[Statement, ...]) -> Iterator[Loop]:
    """The loops after which nothing follows."""
    match body[-1:]:
        case (Loop() as loop,):
            yield loop
        case (If(body=yes, orelse=no),):
            yield from _last(yes)
            yield from _last(no)


def _others(tree: Tree) -> Iterator[Edit]:
    """A set, a function or a number of another meaning in the place of one that fits there too."""
    written = {id(element) for part in tree.parts if (element := written_by(part)) is not None}
    for part in tree.parts:
        if isinstance(part, Element) and id(part) not in written:
            for sibling in _siblings(tree, part):
                there = ast.Compare(left=sibling, ops=[ast.NotEq()], comparators=[ast.Constant(0)])
                yield Edit(part, OTHER, REPLACE, ast.IfExp(test=there, body=sibling, orelse=_syntax(part)))
        elif isinstance(part, Call):
            yield from _larger_sets(tree, part)
            yield from _memberships(tree, part)
            yield from _other_functions(tree, part)
        elif isinstance(part, Do):
            yield from _other_numbers(tree, part.call)


def _siblings(tree: Tree, part: Element) -> Iterator[ast.expr]:
    """The same member's elements of other fields, where members have several sets of one kind."""
    own = tree.field_of(part)
    if own is None or not part.indexes or own.domain.index is None or not issubclass(own.domain.index, SubsetOf):
        return
    if any(index.optional for index in own.indexes):
        return
    for other in tree.parameters[part.state].fields:
        if other.name != own.name and (other.indexes, other.domain.index) == (own.indexes, own.domain.index):
            yield _renamed(part, own.name, other.name)


def _renamed(part: Element, name: str, other: str) -> ast.expr:
    syntax = copy.deepcopy(_syntax(part))
    for node in ast.walk(syntax):
        if isinstance(node, ast.Attribute) and node.attr == name:
            node.attr = other
    return syntax


def _larger_sets(tree: Tree, call: Call) -> Iterator[Edit]:
    """A number that is computed of a set is that of the larger of two."""
    if not _returns(call.function, "int"):
        return
    for number, argument in enumerate(call.arguments):
        for sibling in _siblings(tree, argument) if isinstance(argument, Element) else ():
            other = copy.copy(call.node)
            assert isinstance(other, ast.Call)
            other.args = [*other.args[:number], sibling, *other.args[number + 1 :]]
            both = ast.Call(func=ast.Name(id="max", ctx=ast.Load()), args=[_syntax(call), other], keywords=[])
            yield Edit(call, OTHER, REPLACE, both)


def _memberships(tree: Tree, call: Call) -> Iterator[Edit]:
    """A condition on two members is taken for whether the second is in one of the sets of the first that it looks at."""
    names = [one.name for one in call.arguments[1:] if isinstance(one, Local)]
    if len(names) != 2 or len(call.arguments) != 3 or not _returns(call.function, "bool"):
        return
    if tree.function.__globals__.get("contains") is not contains:
        return
    callee = tree_of(call.function)
    first, second = list(callee.parameters.values())[1:]
    looked_at = {one.field for one in callee.parts if isinstance(one, Element)}
    for field in tree.parameters[tree.states[0]].fields:
        members = field.domain.index
        if field.name not in looked_at or field.indexes != (first,) or members is None:
            continue
        if issubclass(members, SubsetOf) and members.of is second:
            instead = parsed_expression(f"contains({tree.states[0]}.{field.name}[{names[0]}], {names[1]})")
            yield Edit(call, OTHER, REPLACE, instead)


def _returns(function: Function, kind: str) -> bool:
    returns = tree_of(function).node.returns
    return isinstance(returns, ast.Name) and returns.id == kind


def _other_functions(tree: Tree, call: Call) -> Iterator[Edit]:
    """Another function of the same module is called, if it computes a number too, of parameters with the names of the arguments."""
    _, *arguments = call.arguments or (None,)
    names = [one.name for one in arguments if isinstance(one, Local)]
    if len(names) < len(arguments) or len(names) < 2 or not _returns(call.function, "int"):
        return
    for name, other in tree.function.__globals__.items():
        if (
            not isinstance(other, FunctionType)
            or other is call.function
            or other.__module__ != call.function.__module__
        ):
            continue
        _, *parameters = signature(other).parameters
        if sorted(parameters) != sorted(names) or not _returns(other, "int"):
            continue
        if all(one.function is not tree.function for one in trees_of([other])):
            assert isinstance(call.node, ast.Call)
            given = [call.node.args[0], *(ast.Name(id=one, ctx=ast.Load()) for one in parameters)]
            instead = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=given, keywords=[])
            yield Edit(call, OTHER, REPLACE, instead, calls=(other,))


def _other_numbers(tree: Tree, call: Call) -> Iterator[Edit]:
    """The number that a call is about is 0, or what a field that the call writes has for the member that the call is about."""
    callee = tree_of(call.function)
    member, number = call.arguments[1:2], call.arguments[-1]
    if len(call.arguments) != 3 or list(callee.parameters.values())[-1] is not int or isinstance(number, Number):
        return
    yield Edit(number, OTHER, REPLACE, ast.Constant(0))
    for name in dict.fromkeys(one.field for part in callee.parts if (one := written_by(part)) is not None):
        one = next(field for field in callee.parameters[callee.states[0]].fields if field.name == name)
        if one.domain.kind == "count" and len(one.indexes) == 1 and isinstance(member[0], Local):
            instead = parsed_expression(f"{tree.states[0]}.{name}[{member[0].name}]")
            if ast.unparse(instead) != number.text:
                yield Edit(number, OTHER, REPLACE, instead)
