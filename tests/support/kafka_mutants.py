"""Mutants of the full Kafka model: one copy of its modules in which a setting, `mutant`, chooses what is wrong.

A kernel takes longer to compile than to run, so all mutants share one model. Every guard `c` becomes `c or s.mutant == k`; so does
every part of an `and`; every part `c` of an `or` becomes `c and s.mutant != k`. What else may be wrong is listed by hand in
`kafka_effects`: a statement or an expression, and what stands there instead when its mutant is chosen. Mutant 0 is the model itself.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kafka_effect import Effect
from kafka_effects import EFFECTS

import neverlost.model.kafka as kafka_models
import neverlost.spec.kafka as kafka_profiles
from neverlost.model.core import Profile

MODELS = Path(kafka_models.__file__).parent
PROFILES = Path(kafka_profiles.__file__).parent
OTHER_MODELS = ("purgatory", "routing", "timing_wheel")
"""Modules beside the partition's: small models of their own, for single claims."""

PROFILE_MODULES = (
    "stories",
    "picture",
    "properties",
    "progress",
    "scope",
    "assumptions",
    "lemmas",
    "releases",
    "versions",
)
NO_MUTANT = "none"
WORDS_OF_EFFECTS = "from neverlost.model.core import EMPTY, NONE, contains, only, with_member, without"
"""What the text of an effect may name beyond what its module imports."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One way in which the model may be wrong: what is written, what takes its place, and the history that it stands for."""

    name: str
    kind: str
    written: str
    instead: str
    history: str = ""


@dataclass(frozen=True)
class Edit:
    """What a mutant does at one node: `allow` or `forbid` a condition, or put `instead` in its place."""

    mutant: str
    way: str
    instead: str = ""


@dataclass(frozen=True)
class Instrumentation:
    """The mutants in the order of their numbers, from 1, and the text of every module with all of them in it."""

    mutants: tuple[Mutant, ...]
    modules: dict[str, str]

    def number(self, name: str) -> int:
        """The value of the setting that chooses a mutant; 0 for none."""
        return 0 if name == NO_MUTANT else [m.name for m in self.mutants].index(name) + 1


@cache
def instrumentation() -> Instrumentation:
    """Every mutant of the model as it is written now."""
    files = [file for file in sorted(MODELS.glob("*.py")) if file.stem not in OTHER_MODELS]
    trees = {file.stem: ast.parse(file.read_text(encoding="utf-8")) for file in files}
    mutants: dict[str, Mutant] = {}
    edits: dict[ast.AST, list[Edit]] = {}
    for module, tree in trees.items():
        for function in tree.body:
            if isinstance(function, ast.FunctionDef):
                _guards(f"{module}.{function.name}", function, mutants, edits)
    for effect in EFFECTS:
        _effect(effect, trees, mutants, edits)
    numbers = {name: number for number, name in enumerate(mutants, start=1)}
    _declare(trees["state"], [NO_MUTANT, *mutants])
    for tree in trees.values():
        tree.body[2:2] = ast.parse(WORDS_OF_EFFECTS).body
    weaver = _Weaver(numbers, edits)
    texts = {module: ast.unparse(ast.fix_missing_locations(weaver.visit(tree))) for module, tree in trees.items()}
    return Instrumentation(tuple(mutants.values()), texts)


def _guards(
    place: str, function: ast.FunctionDef, mutants: dict[str, Mutant], edits: dict[ast.AST, list[Edit]]
) -> None:
    """A mutant for every `require` of a function, and for every part of a condition in it."""

    def add(name: str, kind: str, node: ast.expr, way: str) -> None:
        instead = "True" if way == "allow" else "False"
        mutants[name] = Mutant(name=name, kind=kind, written=ast.unparse(node), instead=instead)
        edits.setdefault(node, []).append(Edit(name, way))

    def parts(prefix: str, root: ast.AST) -> None:
        number = 0
        for node in _in_order(root):
            if isinstance(node, ast.BoolOp) and node not in inside_guards:
                way = "allow" if isinstance(node.op, ast.And) else "forbid"
                for part in node.values:
                    number += 1
                    add(f"{prefix}:part-{number}", "part", part, way)

    inside_guards: set[ast.AST] = set()
    for number, condition in enumerate(_required(function), start=1):
        add(f"{place}:guard-{number}", "guard", condition, "allow")
        parts(f"{place}:guard-{number}", condition)
        inside_guards.update(ast.walk(condition))
    parts(place, function)


def _required(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in _in_order(function):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[condition])):
                yield condition


def _effect(
    effect: Effect, trees: dict[str, ast.Module], mutants: dict[str, Mutant], edits: dict[ast.AST, list[Edit]]
) -> None:
    """A mutant of the list made by hand. Every text that it replaces must stand in its function exactly once."""
    for place, written, instead in effect.changes:
        module, name = place.split(".")
        function = next(f for f in trees[module].body if isinstance(f, ast.FunctionDef) and f.name == name)
        wanted = ast.parse(written).body[0]
        sought = ast.unparse(wanted.value if isinstance(wanted, ast.Expr) and not _is_call(wanted) else wanted)
        kind = (
            ast.stmt
            if isinstance(wanted, ast.stmt) and (not isinstance(wanted, ast.Expr) or _is_call(wanted))
            else ast.expr
        )
        found = [n for n in _in_order(function) if isinstance(n, kind) and ast.unparse(n) == sought]
        if not found and kind is ast.stmt:
            found = [n for n in _in_order(function) if isinstance(n, ast.expr) and ast.unparse(n) == sought]
        if len(found) != 1:
            raise ValueError(
                f"{effect.name}: {written!r} stands {len(found)} times in {place}; write it as it stands now"
            )
        edits.setdefault(found[0], []).append(Edit(effect.name, "replace", instead))
    mutants[effect.name] = Mutant(
        name=effect.name,
        kind="effect",
        written="\n".join(written for _, written, _ in effect.changes),
        instead="\n".join(instead for _, _, instead in effect.changes),
        history=effect.history,
    )


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, as they are read."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _declare(tree: ast.Module, names: list[str]) -> None:
    """Declare the setting in the state's module."""
    at = next(i for i, node in enumerate(tree.body) if isinstance(node, ast.ClassDef) and node.name == "Partition")
    tree.body.insert(at, ast.parse(f"class Mutant(Index, names={tuple(names)!r}):\n    pass").body[0])
    declaration = ast.parse("mutant = setting(any_of(Mutant))\n'What is wrong with the model.'").body
    partition = tree.body[at + 1]
    assert isinstance(partition, ast.ClassDef)
    partition.body[1:1] = declaration


class _Weaver(ast.NodeTransformer):
    """Puts every edit into the tree, each under its mutant's number."""

    def __init__(self, numbers: dict[str, int], edits: dict[ast.AST, list[Edit]]) -> None:
        self.numbers, self.edits = numbers, edits

    def visit(self, node: ast.AST) -> ast.AST:
        edits = self.edits.get(node, [])
        woven = super().visit(node)
        for edit in edits:
            woven = self._woven(woven, edit)
        return woven

    def _woven(self, node: ast.AST, edit: Edit) -> ast.AST:
        chosen = _expression(f"s.mutant == {self.numbers[edit.mutant]}")
        spared = _expression(f"s.mutant != {self.numbers[edit.mutant]}")
        if isinstance(node, ast.stmt):
            instead = ast.parse(edit.instead).body
            if not instead:
                return ast.If(test=spared, body=[node], orelse=[])
            return ast.If(test=chosen, body=instead, orelse=[node])
        assert isinstance(node, ast.expr)
        if edit.way == "allow":
            return ast.BoolOp(op=ast.Or(), values=[node, chosen])
        if edit.way == "forbid":
            return ast.BoolOp(op=ast.And(), values=[node, spared])
        return ast.IfExp(test=chosen, body=_expression(edit.instead), orelse=node)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def mutated_versions(folder: Path, package: str) -> dict[str, Profile]:
    """The versions of Kafka over the model with all mutants in it, imported as `package` from files below `folder`."""
    here = folder / package
    for part in ("model", "spec"):
        (here / part).mkdir(parents=True)
        (here / part / "__init__.py").write_text("", encoding="utf-8")
    for module, text in instrumentation().modules.items():
        (here / "model" / f"{module}.py").write_text(text, encoding="utf-8")
    for module in PROFILE_MODULES:
        text = (PROFILES / f"{module}.py").read_text(encoding="utf-8")
        renamed = text.replace("neverlost.model.kafka", f"{package}.model")
        (here / "spec" / f"{module}.py").write_text(renamed, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        versions: tuple[Profile, ...] = importlib.import_module(f"{package}.spec.versions").VERSIONS
    finally:
        sys.path.remove(str(folder))
    return {profile.name: profile for profile in versions}
