"""What each condition of a model is for: mutants in which one guard, or one part of a condition, is gone, and what finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, ModelError, Profile
from neverlost.model.core.reading import trees_of
from neverlost.model.core.tree import Tree

from .mutation import GUARD, PART, Edit, edits_of, mutant_name, with_mutants


@dataclass(frozen=True)
class ConditionMutant:
    """One condition that is left out; `label` is how people find it: `kip_320.fenced_follower_fetch: a < b`."""

    name: str
    label: str
    is_require: bool


def condition_mutants(profile: Profile) -> Mapping[ConditionMutant, Profile]:
    """Every mutant of the functions that a profile's start and actions are made of, with the profile that has it."""
    found: list[ConditionMutant] = []
    edits: dict[Tree, list[tuple[int, Edit]]] = {}
    for tree in trees_of([profile.initial, *(action.function for action in profile.actions)]):
        for name, edit in edits_of(tree):
            if edit.kind in (GUARD, PART):
                label = f"{Path(tree.file).stem}.{tree.name}: {edit.part.text}"
                found.append(ConditionMutant(mutant_name(tree, name), label, edit.kind == GUARD))
                edits.setdefault(tree, []).append((len(found), edit))
    (woven,) = with_mutants([profile], [mutant.name for mutant in found], edits)
    return {
        mutant: woven.switched(f"{profile.name}, {mutant.name}", profile.statement, mutant=number)
        for number, mutant in enumerate(found, start=1)
    }


@dataclass(frozen=True, kw_only=True)
class Missed:
    """What happens without a condition: a property is violated after some steps, a step leaves a domain (`error`), or neither.

    `more` is how many states more there are than in the model; `same` says that all states and steps are the same.
    """

    mutant: ConditionMutant
    verdict: Verdict
    violated: str = ""
    steps: int = 0
    error: str = ""
    more: int = 0
    same: bool = False

    @property
    def killed(self) -> bool:
        """Whether something is wrong without the condition."""
        return self.verdict == Verdict.VIOLATED


def without_each_condition(
    model: Model, whole: Result, limits: Limits, workers: int, interrupted: Callable[[], bool]
) -> Iterator[Missed]:
    """Search a model without one condition after the other. `whole` is the complete search of the model, in which all holds."""
    for mutant, profile in condition_mutants(model.profile).items():
        if interrupted():
            return
        changed = profile.bounded(**{**model.bounds, **model.settings})
        try:
            result = explore(changed, workers=workers, limits=limits, watch=Watch(interrupted=interrupted))
        except ModelError as error:
            yield Missed(mutant=mutant, verdict=Verdict.VIOLATED, error=str(error).splitlines()[0])
            continue
        trace = None if result.shown is None else result.shown.trace
        yield Missed(
            mutant=mutant,
            verdict=result.verdict,
            violated="" if trace is None else trace.property or "",
            steps=0 if trace is None else len(trace.steps),
            more=result.distinct - whole.distinct,
            same=(result.digest, result.generated) == (whole.digest, whole.generated),
        )
