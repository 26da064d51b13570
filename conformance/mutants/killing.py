"""The shortest runs that kill mutants of a model: by what is seen after a step, or by a step that only one of the two does.

Up to their first difference model and mutant are in the same states. So one search of the model in a configuration serves all mutants:
in every state the steps of each are compared. Where they differ in what nobody sees, both are followed side by side until it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Profile
from neverlost.spec.derived_state import Derived
from neverlost.spec.mutant_configurations import Configuration

from .derived import kill_derived
from .ground import Ground, KillingRun, Sight, Survival
from .kept import Kept, kill_kept
from .mutant import Mutant
from .mutation import mutated
from .pairs import Pairs

MOST_STATES = 100_000


@dataclass(frozen=True, kw_only=True)
class Kills:
    """What kills each of some mutants, by its name, or why nothing does."""

    mutants: Sequence[Mutant]
    runs: Mapping[str, KillingRun]
    survivals: Mapping[str, Survival]
    approaches: Mapping[str, KillingRun]
    """For mutants that survive because a step cannot be tried: runs to where they would do it."""
    again: Sequence[KillingRun] = ()
    """What kills mutants that something else kills too, in configurations that are for their function."""


def kill(
    profile: Profile,
    mutants: Sequence[Mutant],
    configurations: Sequence[Configuration],
    sight: Sight,
    *,
    kept: Sequence[Kept] = (),
    derived: Sequence[Derived] = (),
    most_states: int = MOST_STATES,
    possible: Callable[[KillingRun], bool] = lambda run: True,
    watch: Watch[str] = UNWATCHED,
    done: str = "mutants killed",
) -> Kills:
    """The runs that kill mutants, each from the first configuration in which a run that is `possible` does.

    Then those that show what steps must leave as it is, and those that end where something needs what follows from the state. `done`
    says in the progress what was done.

    Raises BoundsError for bounds or settings that the profile cannot have, KeyboardInterrupt if the watch is interrupted.
    """
    runs: dict[str, KillingRun] = {}
    survivals: dict[str, Survival] = {}
    approaches: dict[str, KillingRun] = {}
    part = mutated(profile, mutants)
    again: list[KillingRun] = []
    pairs: dict[tuple[int, ...], Pairs] = {}
    grounds = []
    for number, chosen in enumerate(configurations, start=1):
        if watch.interrupted():
            raise KeyboardInterrupt
        key = tuple(chosen.bounds.values())
        if key not in pairs:
            pairs[key] = Pairs(part.bounded(**chosen.bounds))
        ground = Ground(pairs[key], part, profile, chosen, sight, most_states, possible)
        grounds.append(ground)
        for k, mutant in enumerate(mutants, start=1):
            is_known = mutant.name in runs
            if is_known and mutant.name.partition(":")[0] != chosen.again:
                continue
            found = ground.look(k, mutant)
            if is_known:
                again += [found] if isinstance(found, KillingRun) else []
                continue
            if isinstance(found, KillingRun):
                runs[mutant.name] = found
                survivals.pop(mutant.name, None)
                continue
            survivals[mutant.name] = max(found, survivals.get(mutant.name, found), key=list(Survival).index)
            is_new = found is Survival.NOT_TRIED and mutant.name not in approaches
            if is_new and (approach := ground.approach(k, mutant)) is not None:
                approaches[mutant.name] = approach
        watch.progress(f"{number} of {len(configurations)} configurations | {len(runs)} of {len(mutants)} {done}")
    watch.progress(f"{len(runs)} of {len(mutants)} {done}; what steps must leave as it is")
    shown = kill_kept(kept, grounds, (*runs.values(), *approaches.values()))
    needed = kill_derived(derived, grounds)
    unshown = {one.mutant.name: Survival.EQUAL for one in kept if one.mutant.name not in shown}
    return Kills(
        mutants=(*mutants, *(one.mutant for one in kept), *needed),
        runs={**runs, **shown, **{mutant.name: run for mutant, run in needed.items()}},
        survivals={**survivals, **unshown},
        approaches={name: run for name, run in approaches.items() if name in survivals},
        again=tuple(again),
    )
