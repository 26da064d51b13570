"""Mutants of a profile in which one guard, or one part of a condition, is gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neverlost.conformance.mutants.mutation import GUARD, PART, Edit, edits_of, mutant_name, with_mutants
from neverlost.model.core import Profile
from neverlost.model.core.reading import trees_of
from neverlost.model.core.tree import Tree


@dataclass(frozen=True)
class GuardMutant:
    """One condition that is left out; `label` is how the list of survivors names it: `kip_320.fenced_follower_fetch: a < b`."""

    name: str
    label: str
    is_require: bool


def guard_mutants(profile: Profile) -> Mapping[GuardMutant, Profile]:
    """Every mutant of the functions that a profile's start and actions are made of, with the profile that has it."""
    found: list[GuardMutant] = []
    edits: dict[Tree, list[tuple[int, Edit]]] = {}
    for tree in trees_of([profile.initial, *(action.function for action in profile.actions)]):
        for name, edit in edits_of(tree):
            if edit.kind in (GUARD, PART):
                label = f"{Path(tree.file).stem}.{tree.name}: {edit.part.text}"
                found.append(GuardMutant(mutant_name(tree, name), label, edit.kind == GUARD))
                edits.setdefault(tree, []).append((len(found), edit))
    (woven,) = with_mutants([profile], [mutant.name for mutant in found], edits)
    return {
        mutant: woven.switched(f"{profile.name}, {mutant.name}", profile.statement, mutant=number)
        for number, mutant in enumerate(found, start=1)
    }
