"""Mutants of a profile, made from the source of its functions: each has one mistake, and a setting chooses which.

All mutants share one model, as a kernel takes longer to compile than to run. A condition that is allowed, `c`, becomes
`c or s.mutant == k`; one that is forbidden `c and s.mutant != k`; a statement happens only if `s.mutant != k`; another statement or
expression stands in its place if `s.mutant == k`. Mutant 0 is the model itself.
"""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from neverlost.model.core import Index, Profile, Property, State, any_of, setting
from neverlost.model.core.lowering import NAMES
from neverlost.model.core.parsing import parsed, parsed_expression
from neverlost.model.core.reading import trees_of
from neverlost.model.core.source import defined
from neverlost.model.core.tree import Element, Tree, walk

from .edits import ALLOW, DROP, FORBID, Edit, edits_of
from .mutant import GUARD, MUTANTS, PART, PLACES, SWITCH, Mutant

SETTING = "mutant"
"""The setting that chooses a mutant, by its number; 0 is none."""


def mutants_of(profile: Profile) -> tuple[Mutant, ...]:
    """Every mutant of a profile's actions, in the order of their modules and functions; but for those of budgets of faults."""
    found = (
        _described(profile, tree, actions, name, edit)
        for tree, actions in _trees(profile)
        for name, edit in edits_of(tree)
        if profile.counters.isdisjoint(part.field for part in walk(edit.part) if isinstance(part, Element))
    )
    return tuple(found)


def switches_of(profile: Profile, others: Iterable[Profile]) -> tuple[Mutant, ...]:
    """The mistakes of behaving as other versions do, setting by setting, each once; but for what the profile cannot be set to."""
    settings = {one.name: one for one in profile.state.settings}
    found: dict[str, Mutant] = {}
    for other in others:
        for name, value in other.default_settings.items():
            own = profile.default_settings[name]
            label = f"{name}={settings[name].show(value)}"
            lacking = value in profile.lacks.get(name, {})
            if value != own and label not in found and not lacking:
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


def _trees(profile: Profile) -> list[tuple[Tree, frozenset[str]]]:
    """The functions that actions are made of, each with the names of those actions; but for those that know no state.

    These cannot know which mutant is chosen.
    """
    users: dict[Tree, set[str]] = {}
    for action in profile.actions:
        for tree in trees_of([action.function]):
            users.setdefault(tree, set()).add(action.name)
    return [(tree, frozenset(users[tree])) for tree in in_order(users) if tree.states]


def in_order(trees: Iterable[Tree]) -> list[Tree]:
    """Functions in the order of their files and lines, each once."""
    return sorted(set(trees), key=lambda tree: (tree.file, tree.node.lineno))


def _described(profile: Profile, tree: Tree, actions: frozenset[str], name: str, edit: Edit) -> Mutant:
    rules = {action.name: action.source for action in profile.actions if action.name in actions}
    every = ", ".join(sorted({rule for text in rules.values() for rule in text.split(", ")}))
    return replace(mutant_of(tree, name, edit), rules=rules.get(tree.name, every), actions=actions)


def mutant_of(tree: Tree, name: str, edit: Edit) -> Mutant:
    """The mutant that an edit of a function makes, named by both: `leader.fetch:guard-2`."""
    instead = (
        ast.unparse(edit.instead) if edit.instead is not None else {ALLOW: "True", FORBID: "False"}.get(edit.way, "")
    )
    return Mutant(
        name=f"{function_of(tree)}:{name}",
        kind=edit.kind,
        written=edit.part.text,
        instead=instead,
        place=f"{Path(tree.file).name}:{edit.part.lines.start}",
    )


def function_of(tree: Tree) -> str:
    """How mutants name a function: `leader.fetch`."""
    return f"{Path(tree.file).stem}.{tree.name}"


class Numbered:
    """Mutants in the order of their numbers, from 1, and the edits that make them."""

    def __init__(self) -> None:
        self.mutants: list[Mutant] = []
        self.edits: dict[Tree, list[tuple[int, Edit]]] = {}

    def add(self, mutant: Mutant, edits: Iterable[tuple[Tree, Edit]]) -> None:
        """One more mutant, which is made by these edits together."""
        self.mutants.append(mutant)
        for tree, edit in edits:
            self.edits.setdefault(tree, []).append((len(self.mutants), edit))


def conditions_of(trees: Iterable[Tree]) -> Numbered:
    """Every guard of some functions, and every part of a condition, left out."""
    found = Numbered()
    for tree in trees:
        for name, edit in edits_of(tree):
            if edit.kind in (GUARD, PART):
                found.add(mutant_of(tree, name, edit), [(tree, edit)])
    return found


def mutated(profile: Profile, mutants: Sequence[Mutant]) -> Profile:
    """The actions of the profile with these mutants in them, numbered from 1; those that are switched come last, and are not in them.

    Raises ModelError if the settings have no room for the mutant's number.
    """
    edits = {mutant_of(tree, *found).name: (tree, found[1]) for tree, _ in _trees(profile) for found in edits_of(tree)}
    numbered = Numbered()
    for mutant in mutants:
        if not mutant.switched:
            numbered.add(mutant, [edits[mutant.name]])
    bare = replace(profile, properties=(), probes=(), on_request=(), lemmas=(), assumptions=())
    return with_mutants([bare], numbered)[0]


def functions_of(profile: Profile) -> list[Callable[..., Any]]:
    """The functions that a profile is made of, but for lemmas and assumptions."""
    properties = (function for prop in profile.all_properties for function in prop.functions)
    return [profile.initial, *(action.function for action in profile.actions), *properties]


def with_mutants(
    profiles: Sequence[Profile], numbered: Numbered, words: Mapping[str, Any] | None = None
) -> tuple[Profile, ...]:
    """Profiles of one state in which the setting `mutant` chooses what is wrong, by its number: 0 is nothing.

    What the profiles share they share afterwards too. `words` are what the text of an edit may name beyond what its module imports.
    Lemmas, assumptions and harmless states are left out.
    """
    chosen = types.new_class("Mutant", (Index,), {"names": ("none", *(m.name for m in numbered.mutants))})
    before = profiles[0].state
    state = type(before.__name__, (before,), {SETTING: setting(any_of(chosen))})
    called = [function for edits in numbered.edits.values() for _, edit in edits for function in edit.calls]
    trees = in_order(tree for profile in profiles for tree in trees_of((*functions_of(profile), *called)))
    clones = _clones(trees, numbered.edits, before, state, words or {})

    def cloned(properties: Sequence[Property]) -> tuple[Property, ...]:
        return tuple(
            replace(
                one,
                function=clones[one.function],
                harmless=None,
                after=None if one.after is None else clones[one.after],
            )
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
    trees: Sequence[Tree],
    edits: Mapping[Tree, Sequence[tuple[int, Edit]]],
    before: type[State],
    state: type[State],
    words: Mapping[str, Any],
) -> dict[Callable[..., Any], Callable[..., Any]]:
    """A copy of every function, with the mutants in it, that calls the other copies and is about the new state."""
    by_module: dict[str, list[Tree]] = {}
    for tree in trees:
        by_module.setdefault(tree.module, []).append(tree)
    clones: dict[Callable[..., Any], Callable[..., Any]] = {}
    spaces = []
    for module, own in by_module.items():
        woven = [_woven(tree, edits.get(tree, ())) for tree in own]
        text, place = "\n\n".join(map(ast.unparse, woven)), f"{MUTANTS}{module}: {id(state)}>"
        for tree, node, new in zip(own, woven, parsed(text).body, strict=True):
            lines = zip(_lines(new), _lines(node), strict=True)
            PLACES.update({f"{place}:{line}": f"{tree.file}:{written}" for line, written in lines})
        meanings = dict(words)
        for tree in own:
            meanings |= tree.function.__globals__
        for tree in own:
            meanings |= getattr(tree.function, NAMES, {})
        space = defined(text, place, meanings)
        spaces.append(space)
        clones |= {tree.function: space[tree.name] for tree in own}
    for space in spaces:
        for name, value in list(space.items()):
            if value is before:
                space[name] = state
            function = getattr(value, "function", value)
            if isinstance(function, types.FunctionType) and function in clones:
                space[name] = clones[function]
    return clones


def _lines(node: ast.AST) -> list[int]:
    """The lines on which the statements of a function begin."""
    return [inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.stmt)]


def _woven(tree: Tree, edits: Sequence[tuple[int, Edit]]) -> ast.AST:
    """A function with its mutants, each under its number."""
    by_node: dict[ast.AST, list[tuple[int, Edit]]] = {}
    for number, edit in edits:
        by_node.setdefault(edit.part.node, []).append((number, edit))
    woven = _Weaver(tree.states[0] if tree.states else "s", by_node).visit(tree.node)
    return ast.fix_missing_locations(woven)


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
        return parsed_expression(f"{self.state}.{SETTING} {comparison} {number}")
