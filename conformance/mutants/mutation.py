"""Mutants of a profile, made from the source of its functions: each has one mistake, and a setting chooses which.

All mutants share one model, as a kernel takes longer to compile than to run. A guard `c` becomes `c or s.mutant == k`, so does every
part of an `and`; every part `c` of an `or` becomes `c and s.mutant != k`; the test of an `if` both; a statement with an effect happens
only if `s.mutant != k`; a comparison (of numbers also `==`, which becomes `<=` and `>=`), a sum with 1, and the choice of a `min` or
`max` are others if `s.mutant == k`. Mutant 0 is the model itself.
"""

from __future__ import annotations

import ast
import copy
import linecache
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from neverlost.model.core import NONE, Index, Profile, Property, State, SubsetOf, any_of, setting
from neverlost.model.core.actions import require
from neverlost.model.core.source import Source, attributes_in, field_access, model_functions

GUARD, PART, EFFECT, BOUNDARY = "guard", "part", "effect", "boundary"
BRANCH, VALUE, SWITCH, KEPT = "branch", "value", "switch", "kept"
ALLOW, FORBID, DROP, REPLACE = "allow", "forbid", "drop", "replace"
OTHER_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE,),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.LtE, ast.GtE),
}
SETTING = "mutant"
"""The setting that chooses a mutant, by its number; 0 is none."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One mistake: what is written in a function, what stands there instead, and the actions whose steps it can change."""

    name: str
    kind: str
    written: str
    instead: str
    place: str
    rules: str
    actions: frozenset[str]
    switched: Mapping[str, int] = field(default_factory=dict)
    """The settings that are others, if the mistake is to behave as another release does."""

    @property
    def about(self) -> str:
        """What is wrong, for readers: `s.up[replica]` is taken for `True`."""
        if self.kind == SWITCH:
            return f"{self.written}, and not {self.instead}"
        if self.kind == KEPT:
            return f"`{self.instead}` sets `{self.written}` back to what it is at the start"
        if self.kind == EFFECT:
            return f"`{self.written}` does not happen"
        return f"`{self.written}` is taken for `{self.instead}`"


@dataclass(frozen=True)
class Edit:
    """What a mutant does at a node: a condition is allowed or forbidden, a statement dropped, or a statement or expression replaced."""

    node: ast.AST
    kind: str
    way: str
    instead: ast.expr | None = None
    statements: tuple[ast.stmt, ...] = ()


def edits_of(source: Source) -> Iterator[tuple[str, Edit]]:
    """Every mistake in a function, each with a name that is its own there: `guard-2`, `guard-2:part-1`, `effect-3`."""
    inside_guards: set[ast.AST] = set()
    for number, condition in enumerate(_required(source), start=1):
        yield f"guard-{number}", Edit(condition, GUARD, ALLOW)
        yield from _parts(f"guard-{number}:", condition, set())
        inside_guards.update(ast.walk(condition))
    yield from _parts("", source.node, inside_guards)
    numbers = Counter[str]()
    for node in _in_order(source.node):
        for edit in _at(source, node):
            numbers[edit.kind] += 1
            yield f"{edit.kind}-{numbers[edit.kind]}", edit


def _at(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The mistakes at a node that are no guards and no parts of conditions."""
    if isinstance(node, ast.stmt) and _has_effect(source, node):
        yield Edit(node, EFFECT, DROP)
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            yield Edit(test, BRANCH, ALLOW)
            yield Edit(test, BRANCH, FORBID)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if not isinstance(op, ast.Eq) or (
            _is_number(source, left) and not _is_none(source, right)
        ):
            for other in OTHER_COMPARISONS.get(type(op), ()):
                yield Edit(node, BOUNDARY, REPLACE, ast.Compare(left=left, ops=[other()], comparators=[right]))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)):
            yield Edit(node, VALUE, REPLACE, left)
        case ast.Call(func=ast.Name(id="min" | "max"), args=arguments):
            for argument in arguments:
                yield Edit(node, VALUE, REPLACE, argument)


def _is_number(source: Source, node: ast.expr) -> bool:
    """Is it an element of a field of numbers, and not of members, choices or flags?"""
    field = source.field_read(node)
    index = None if field is None else field.domain.index
    return index is not None and not (index.symmetric or index.names or issubclass(index, SubsetOf))


def _is_none(source: Source, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and source.resolve(node.id) == NONE


def _required(source: Source) -> Iterator[ast.expr]:
    for node in _in_order(source.node):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[condition])) if source.resolve(name) is require:
                yield condition


def _parts(prefix: str, root: ast.AST, left_out: set[ast.AST]) -> Iterator[tuple[str, Edit]]:
    number = 0
    for node in _in_order(root):
        if isinstance(node, ast.BoolOp) and node not in left_out:
            for part in node.values:
                number += 1
                yield f"{prefix}part-{number}", Edit(part, PART, ALLOW if isinstance(node.op, ast.And) else FORBID)


def _has_effect(source: Source, statement: ast.stmt) -> bool:
    """Does a statement write a field, or call a function that does?"""
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return field_access(target, source.states) is not None
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return source.resolve(name) is not require
    return False


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, as they are read."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def mutants_of(profile: Profile) -> tuple[Mutant, ...]:
    """Every mutant of a profile's actions, in the order of their modules and functions; but for those of budgets of faults."""
    found = (
        _described(profile, source, actions, name, edit)
        for source, actions in _sources(profile)
        for name, edit in edits_of(source)
        if profile.counters.isdisjoint(attributes_in(edit.node))
    )
    return tuple(found)


def switches_of(profile: Profile, others: Iterable[Profile]) -> tuple[Mutant, ...]:
    """The mistakes of behaving as other versions do, setting by setting, each once."""
    settings = {one.name: one for one in profile.state.settings}
    found: dict[str, Mutant] = {}
    for other in others:
        for name, value in other.default_settings.items():
            own = profile.default_settings[name]
            label = f"{name}={settings[name].show(value)}"
            if value != own and label not in found:
                found[label] = Mutant(
                    name=label,
                    kind=SWITCH,
                    written=f"{label} as in {other.name}",
                    instead=f"{name}={settings[name].show(own)}",
                    place=other.name,
                    rules=other.name,
                    actions=frozenset(action.name for action in profile.actions),
                    switched={name: value},
                )
    return tuple(found.values())


def _sources(profile: Profile) -> list[tuple[Source, frozenset[str]]]:
    """The functions that actions are made of, each with the names of those actions."""
    users: dict[Source, set[str]] = {}
    for action in profile.actions:
        for source in model_functions([action.function]):
            users.setdefault(source, set()).add(action.name)
    return [(s, frozenset(n)) for s, n in sorted(users.items(), key=lambda row: (row[0].file, row[0].node.lineno))]


def _described(profile: Profile, source: Source, actions: frozenset[str], name: str, edit: Edit) -> Mutant:
    instead = {ALLOW: "True", FORBID: "False", DROP: ""}.get(edit.way, "")
    rules = {action.name: action.source for action in profile.actions if action.name in actions}
    own = rules.get(source.name)
    return Mutant(
        name=mutant_name(source, name),
        kind=edit.kind,
        written=ast.unparse(edit.node),
        instead=ast.unparse(edit.instead) if edit.instead is not None else instead,
        place=f"{Path(source.file).name}:{getattr(edit.node, 'lineno', source.node.lineno)}",
        rules=own
        if own is not None
        else ", ".join(sorted({rule for text in rules.values() for rule in text.split(", ")})),
        actions=actions,
    )


@dataclass(frozen=True, kw_only=True)
class Mutated:
    """A profile in which a setting chooses one of some mutants: `number` is the value that chooses it."""

    profile: Profile
    mutants: tuple[Mutant, ...]

    def numbered(self) -> Iterator[tuple[int, Mutant]]:
        """The mutants with their numbers."""
        return enumerate(self.mutants, start=1)


def mutated(profile: Profile, mutants: Sequence[Mutant]) -> Mutated:
    """The actions of the profile with these mutants in them. Raises ModelError if the settings have no room for the mutant's number."""
    numbers = {mutant.name: number for number, mutant in enumerate(mutants, start=1) if not mutant.switched}
    edits = {source: list(_numbered(source, numbers)) for source, _ in _sources(profile)}
    bare = replace(profile, properties=(), probes=(), on_request=(), lemmas=(), assumptions=())
    (changed,) = with_mutants([bare], list(numbers), edits)
    return Mutated(profile=changed, mutants=tuple(mutants))


def _numbered(source: Source, numbers: Mapping[str, int]) -> Iterator[tuple[int, Edit]]:
    """The edits of a function that have a number, by the names of their mutants."""
    for name, edit in edits_of(source):
        number = numbers.get(mutant_name(source, name))
        if number is not None:
            yield number, edit


def mutant_name(source: Source, name: str) -> str:
    """The name of a mutant by its function and the name of its edit there: `leader.fetch:guard-2`."""
    return f"{Path(source.file).stem}.{source.name}:{name}"


def functions_of(profile: Profile) -> list[Callable[..., Any]]:
    """The functions that a profile is made of, but for lemmas and assumptions."""
    properties = (function for prop in profile.all_properties for function in prop.functions)
    return [profile.initial, *(action.function for action in profile.actions), *properties]


def with_mutants(
    profiles: Sequence[Profile],
    names: Sequence[str],
    edits: Mapping[Source, Sequence[tuple[int, Edit]]],
    words: Mapping[str, Any] | None = None,
) -> tuple[Profile, ...]:
    """Profiles of one state in which the setting `mutant` chooses what is wrong: 0 is nothing, and `names` begin with 1.

    Each edit of a function has the number of its mutant. What the profiles share they share afterwards too. `words` are what the text
    of an edit may name beyond what its module imports. Lemmas and assumptions are left out.
    """
    chosen = types.new_class("Mutant", (Index,), {"names": ("none", *names)})
    before = profiles[0].state
    state = type(before.__name__, (before,), {SETTING: setting(any_of(chosen))})
    sources = dict.fromkeys(s for profile in profiles for s in model_functions(functions_of(profile)))
    clones = _clones(sorted(sources, key=lambda s: (s.file, s.node.lineno)), edits, before, state, words or {})

    def cloned(properties: Sequence[Property]) -> tuple[Property, ...]:
        return tuple(
            replace(one, function=clones[one.function], after=None if one.after is None else clones[one.after])
            for one in properties
        )

    return tuple(
        replace(
            profile,
            state=state,
            initial=clones[profile.initial],
            actions=tuple(replace(action, function=clones[action.function]) for action in profile.actions),
            properties=cloned(profile.properties),
            probes=cloned(profile.probes),
            on_request=cloned(profile.on_request),
            lemmas=(),
            assumptions=(),
        )
        for profile in profiles
    )


def _clones(
    sources: Sequence[Source],
    edits: Mapping[Source, Sequence[tuple[int, Edit]]],
    before: type[State],
    state: type[State],
    words: Mapping[str, Any],
) -> dict[Callable[..., Any], Callable[..., Any]]:
    """A copy of every function, with the mutants in it, that calls the other copies and is about the new state."""
    by_module: dict[str, list[Source]] = {}
    for source in sources:
        by_module.setdefault(source.function.__module__, []).append(source)
    clones: dict[Callable[..., Any], Callable[..., Any]] = {}
    spaces = []
    for module, own in by_module.items():
        space = {**words, **own[0].function.__globals__}
        text = "\n\n".join(_woven(source, edits.get(source, ())) for source in own)
        _run(f"<mutants of {module}: {id(state)}>", text, space)
        spaces.append(space)
        clones |= {source.function: space[source.name] for source in own}
    for space in spaces:
        for name, value in list(space.items()):
            if value is before:
                space[name] = state
            function = getattr(value, "function", value)
            if isinstance(function, types.FunctionType) and function in clones:
                space[name] = clones[function]
    return clones


def _run(file: str, text: str, space: dict[str, Any]) -> None:
    """Define the functions of a text, whose source can then be read as that of a file."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec", flags=annotations.compiler_flag), space)


def _woven(source: Source, edits: Sequence[tuple[int, Edit]]) -> str:
    """The text of a function with its mutants, each under its number."""
    by_node: dict[ast.AST, list[tuple[int, Edit]]] = {}
    for number, edit in edits:
        by_node.setdefault(edit.node, []).append((number, edit))
    woven = _Weaver(source.states[0] if source.states else "s", by_node).visit(source.node)
    return ast.unparse(ast.fix_missing_locations(woven))


class _Weaver:
    """Copies a tree with every edit in it."""

    def __init__(self, state: str, edits: Mapping[ast.AST, list[tuple[int, Edit]]]) -> None:
        self.state, self.edits = state, edits

    def visit(self, node: ast.AST) -> ast.AST:
        """The copy of a node, in which its own edits come after those below it."""
        new = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                setattr(new, name, self.visit(value))
            elif isinstance(value, list):
                setattr(new, name, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
        for number, edit in self.edits.get(node, ()):
            new = self._edited(new, number, edit)
        return new

    def _edited(self, node: ast.AST, number: int, edit: Edit) -> ast.AST:
        if isinstance(node, ast.stmt):
            if edit.way == DROP:
                return ast.If(test=self._is(number, "!="), body=[node], orelse=[])
            return ast.If(test=self._is(number, "=="), body=list(edit.statements), orelse=[node])
        assert isinstance(node, ast.expr)
        if edit.way == ALLOW:
            return ast.BoolOp(op=ast.Or(), values=[node, self._is(number, "==")])
        if edit.way == FORBID:
            return ast.BoolOp(op=ast.And(), values=[node, self._is(number, "!=")])
        assert edit.instead is not None
        return ast.IfExp(test=self._is(number, "=="), body=edit.instead, orelse=node)

    def _is(self, number: int, comparison: str) -> ast.expr:
        return ast.parse(f"{self.state}.{SETTING} {comparison} {number}", mode="eval").body
