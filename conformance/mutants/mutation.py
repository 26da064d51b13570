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

from neverlost.model.core import NONE, Index, Profile, SubsetOf, any_of, setting
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
    """What a mutant does at a node: a condition is allowed or forbidden, a statement dropped, or an expression replaced."""

    node: ast.AST
    kind: str
    way: str
    instead: ast.expr | None = None


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
        name=f"{Path(source.file).stem}.{source.name}:{name}",
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
    """The profile with these mutants in it. Raises ModelError if the settings have no room for the number of the mutant."""
    numbers = {mutant.name: number for number, mutant in enumerate(mutants, start=1) if not mutant.switched}
    names = types.new_class("Mutant", (Index,), {"names": ("none", *numbers)})
    state = type(profile.state.__name__, (profile.state,), {SETTING: setting(any_of(names))})
    clones = _clones(profile, numbers, state)
    changed = replace(
        profile,
        state=state,
        actions=tuple(replace(action, function=clones[action.function]) for action in profile.actions),
        properties=(),
        probes=(),
        on_request=(),
        lemmas=(),
        assumptions=(),
    )
    return Mutated(profile=changed, mutants=tuple(mutants))


def _clones(
    profile: Profile, numbers: Mapping[str, int], state: type[Any]
) -> dict[Callable[..., Any], Callable[..., Any]]:
    """A copy of every function of the actions, with the mutants in it, that calls the other copies."""
    by_module: dict[str, list[Source]] = {}
    for source, _ in _sources(profile):
        by_module.setdefault(source.function.__module__, []).append(source)
    clones: dict[Callable[..., Any], Callable[..., Any]] = {}
    spaces = []
    for module, sources in by_module.items():
        space = dict(sources[0].function.__globals__)
        _run(f"<mutants of {module}: {id(state)}>", "\n\n".join(_woven(s, numbers) for s in sources), space)
        spaces.append(space)
        clones |= {source.function: space[source.name] for source in sources}
    for space in spaces:
        for name, value in list(space.items()):
            if value is profile.state:
                space[name] = state
            elif isinstance(value, types.FunctionType) and value in clones:
                space[name] = clones[value]
    return clones


def _run(file: str, text: str, space: dict[str, Any]) -> None:
    """Define the functions of a text, whose source can then be read as that of a file."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec", flags=annotations.compiler_flag), space)


def _woven(source: Source, numbers: Mapping[str, int]) -> str:
    """The text of a function with its mutants, each under its number."""
    edits: dict[ast.AST, list[tuple[int, Edit]]] = {}
    stem = Path(source.file).stem
    for name, edit in edits_of(source):
        number = numbers.get(f"{stem}.{source.name}:{name}")
        if number is not None:
            edits.setdefault(edit.node, []).append((number, edit))
    woven = _Weaver(source.states[0] if source.states else "s", edits).visit(source.node)
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
        if edit.way == DROP:
            assert isinstance(node, ast.stmt)
            return ast.If(test=self._is(number, "!="), body=[node], orelse=[])
        assert isinstance(node, ast.expr)
        if edit.way == ALLOW:
            return ast.BoolOp(op=ast.Or(), values=[node, self._is(number, "==")])
        if edit.way == FORBID:
            return ast.BoolOp(op=ast.And(), values=[node, self._is(number, "!=")])
        assert edit.instead is not None
        return ast.IfExp(test=self._is(number, "=="), body=edit.instead, orelse=node)

    def _is(self, number: int, comparison: str) -> ast.expr:
        return ast.parse(f"{self.state}.{SETTING} {comparison} {number}", mode="eval").body
