"""Mutants of the full Kafka model: all versions of Kafka with a setting, `mutant`, that chooses what is wrong.

Every guard and every part of a condition is a mutant. What else may be wrong is listed by hand in `kafka_effects`: a statement or an
expression, and what stands there instead when its mutant is chosen. Mutant 0 is the model itself.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from mutants.kafka_effect import Effect
from mutants.kafka_effects import EFFECTS
from neverlost.conformance.mutants.edits import DROP, REPLACE, Edit
from neverlost.conformance.mutants.mutant import EFFECT, Mutant, ensure_stands_once
from neverlost.conformance.mutants.mutation import conditions_of, functions_of, in_order, with_mutants
from neverlost.model.core import EMPTY, NONE, Profile, contains, only, with_member, without
from neverlost.model.core.parsing import parsed, parsed_expression
from neverlost.model.core.reading import trees_of
from neverlost.model.core.tree import Expression, Part, Statement, Tree
from neverlost.model.kafka import replication
from neverlost.spec.kafka.replication.versions import VERSIONS

MODELS = Path(replication.__file__).parent

NO_MUTANT = "none"
WORDS = {function.__name__: function for function in (contains, only, with_member, without)} | {
    "EMPTY": EMPTY,
    "NONE": NONE,
}
"""What the text of an effect may name beyond what its module imports."""


@dataclass(frozen=True, kw_only=True)
class ByHand(Mutant):
    """A mistake that is listed by hand, and the history that it stands for."""

    history: str


@dataclass(frozen=True)
class Mutants:
    """The mutants in the order of their numbers, from 1, and the versions of Kafka with all of them in it."""

    mutants: tuple[Mutant, ...]
    versions: Mapping[str, Profile]

    def number(self, name: str) -> int:
        """The value of the setting that chooses a mutant; 0 for none."""
        return 0 if name == NO_MUTANT else [m.name for m in self.mutants].index(name) + 1


@cache
def kafka_mutants() -> Mutants:
    """Every mutant of the model as it is written now."""
    trees = _trees()
    found = conditions_of(trees.values())
    for effect in EFFECTS:
        edits = [(trees[place], _edit(effect, trees[place], *texts)) for place, *texts in effect.changes]
        found.add(_by_hand(effect), edits)
    # Campaigns in which nothing is written have a min ISR that no number of replicas reaches.
    versions = [replace(profile, clash=None) for profile in with_mutants(VERSIONS, found, WORDS)]
    return Mutants(tuple(found.mutants), {profile.name: profile for profile in versions})


def _trees() -> dict[str, Tree]:
    """The functions of the model, by module and name."""
    functions = [function for version in VERSIONS for function in functions_of(version)]
    own = (tree for tree in trees_of(functions) if Path(tree.file).resolve().parent == MODELS.resolve())
    return {f"{Path(tree.file).stem}.{tree.name}": tree for tree in in_order(own)}


def _by_hand(effect: Effect) -> ByHand:
    return ByHand(
        name=effect.name,
        kind=EFFECT,
        written="\n".join(written for _, written, _ in effect.changes),
        instead="\n".join(instead for _, _, instead in effect.changes),
        place=", ".join(place for place, _, _ in effect.changes),
        history=effect.history,
    )


def _edit(effect: Effect, tree: Tree, written: str, instead: str) -> Edit:
    """A change of the list made by hand. The text that it replaces must stand in its function exactly once."""
    wanted = parsed(written).body[0]
    expression = wanted.value if isinstance(wanted, ast.Expr) else None
    sought = ast.unparse(wanted)
    found: list[Part] = []
    if expression is None or isinstance(expression, ast.Call):
        found = [part for part in tree.parts if isinstance(part, Statement) and part.text == sought]
    if not found and expression is not None:
        found = [part for part in tree.parts if isinstance(part, Expression) and part.text == sought]
    ensure_stands_once(written, len(found), f"{tree.name}, for {effect.name}")
    if isinstance(found[0], Statement):
        statements = tuple(parsed(instead).body)
        return Edit(found[0], EFFECT, REPLACE if statements else DROP, statements=statements)
    return Edit(found[0], EFFECT, REPLACE, parsed_expression(instead))
