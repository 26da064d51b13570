"""What each condition of a model is for: mutants in which one guard, or one part of a condition, is gone, and what finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, Progress, explore
from neverlost.model.core import Model, Profile
from neverlost.model.core.reading import trees_of

from .idle import decided_by
from .mutant import Mutant, Outcome, outcome_of
from .mutation import conditions_of, with_mutants


def condition_mutants(profile: Profile) -> Mapping[Mutant, Profile]:
    """Every mutant of the functions that a profile's start and actions are made of, with the profile that has it."""
    found = conditions_of(trees_of([profile.initial, *(action.function for action in profile.actions)]))
    (woven,) = with_mutants([profile], found)
    return {
        mutant: woven.switched(f"{profile.name}, {mutant.name}", profile.statement, mutant=number)
        for number, mutant in enumerate(found.mutants, start=1)
    }


def without_each_condition(
    model: Model,
    whole: Result,
    properties: Sequence[str] | None,
    limits: Limits,
    workers: int,
    interrupted: Callable[[], bool],
) -> Iterator[Outcome]:
    """Search a model without one condition after the other, for these properties, or for all that its profile asserts.

    `whole` is the complete search of the model, in which all of them hold.
    """
    for mutant, profile in condition_mutants(model.profile).items():
        if interrupted():
            return
        changed = profile.bounded(**{**model.bounds, **model.settings})
        watch = Watch[Progress](interrupted=interrupted)
        search = partial(explore, changed, properties=properties, workers=workers, limits=limits, watch=watch)
        outcome = outcome_of(mutant, whole, search)
        yield (
            replace(outcome, decided_by=decided_by(changed)) if outcome.same_states and outcome.same_steps else outcome
        )
