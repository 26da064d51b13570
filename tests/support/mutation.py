"""Mutants of the published protocols: copies of their modules in which one guard, or one part of a condition, is gone."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import neverlost.model.published as published_models
import neverlost.spec.published as published_profiles
from neverlost.model.core import Profile

MODELS = Path(published_models.__file__).parent
PROFILES = Path(published_profiles.__file__).parent


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """One expression of one model function, and the text that replaces it."""

    module: str
    function: str
    removed: str
    replacement: str
    is_require: bool
    start: tuple[int, int]
    end: tuple[int, int]

    @property
    def label(self) -> str:
        """The mutation as the list of survivors names it: `kip_320.fenced_follower_fetch: a < b`."""
        return f"{self.module}.{self.function}: {self.removed}"


def mutations(files: Iterable[Path] = tuple(sorted(MODELS.glob("*.py")))) -> list[Mutation]:
    """Every `require` with its condition replaced by True; every part of an `and` by True, of an `or` by False."""
    found: list[Mutation] = []
    for file in files:
        for function in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef):
                found += [_mutation(file.stem, function.name, *place) for place in _places(function)]
    return found


def _places(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, str, bool]]:
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "require"
        ):
            yield node.value.args[0], "True", True
        elif isinstance(node, ast.BoolOp):
            neutral = "True" if isinstance(node.op, ast.And) else "False"
            yield from ((part, neutral, False) for part in node.values)


def _mutation(module: str, function: str, node: ast.expr, replacement: str, is_require: bool) -> Mutation:
    return Mutation(
        module=module,
        function=function,
        removed=ast.unparse(node),
        replacement=replacement,
        is_require=is_require,
        start=(node.lineno - 1, node.col_offset),
        end=((node.end_lineno or 0) - 1, node.end_col_offset or 0),
    )


def mutated(mutation: Mutation, folder: Path = MODELS) -> str:
    """The source of the mutated module."""
    lines = (folder / f"{mutation.module}.py").read_text(encoding="utf-8").split("\n")
    (first, begin), (last, end) = mutation.start, mutation.end
    lines[first : last + 1] = [lines[first][:begin] + mutation.replacement + lines[last][end:]]
    return "\n".join(lines)


def profiles_of(mutation: Mutation, folder: Path, name: str) -> list[Profile]:
    """The profiles whose actions call the mutated function, imported as package `name` from copies below `folder`."""
    package = folder / name
    for origin, part in ((MODELS, "model"), (PROFILES, "spec")):
        (package / part).mkdir(parents=True)
        for file in origin.glob("*.py"):
            text = (
                mutated(mutation)
                if part == "model" and file.stem == mutation.module
                else file.read_text(encoding="utf-8")
            )
            (package / part / file.name).write_text(
                text.replace("neverlost.model.published", f"{name}.model"), encoding="utf-8"
            )
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        profiles: tuple[Profile, ...] = importlib.import_module(f"{name}.spec").PROFILES
    finally:
        sys.path.remove(str(folder))
    return [profile for profile in profiles if _calls(profile, f"{name}.model.{mutation.module}", mutation.function)]


def _calls(profile: Profile, module: str, function: str) -> bool:
    from neverlost.model.core.source import model_functions

    roots = [profile.initial, *(action.function for action in profile.actions)]
    return any(s.function.__module__ == module and s.name == function for s in model_functions(roots))
