"""The shortest runs that tell mutants of a model from it: by what is seen after a step, or by a step that only one of the two does.

Up to their first difference model and mutant are in the same states. So one search of the model in a configuration serves all mutants:
in every state the steps of each are compared. Where they differ in what nobody sees, both are followed side by side until it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Profile

from .configurations import Configuration
from .ground import Ground, Sight, TellingRun, Untold
from .kept import Kept, tell_kept
from .mutation import Mutant, mutated
from .pairs import Pairs

MOST_STATES = 100_000


@dataclass(frozen=True, kw_only=True)
class Told:
    """What tells each of some mutants, by its name, or why nothing does."""

    mutants: Sequence[Mutant]
    runs: Mapping[str, TellingRun]
    untold: Mapping[str, Untold]
    approaches: Mapping[str, TellingRun]
    """For mutants that are not told because a step cannot be tried: runs to where they would do it."""


def tell(
    profile: Profile,
    mutants: Sequence[Mutant],
    configurations: Sequence[Configuration],
    sight: Sight,
    *,
    kept: Sequence[Kept] = (),
    most_states: int = MOST_STATES,
    possible: Callable[[TellingRun], bool] = lambda run: True,
    watch: Watch[str] = UNWATCHED,
) -> Told:
    """The runs that tell mutants, each from the first configuration in which a run that is `possible` does.

    Then those that show what steps must leave as it is.

    Raises BoundsError for bounds or settings that the profile cannot have, KeyboardInterrupt if the watch is interrupted.
    """
    runs: dict[str, TellingRun] = {}
    untold: dict[str, Untold] = {}
    approaches: dict[str, TellingRun] = {}
    part = mutated(profile, mutants)
    pairs: dict[tuple[int, ...], Pairs] = {}
    grounds = []
    for number, chosen in enumerate(configurations, start=1):
        if watch.interrupted():
            raise KeyboardInterrupt
        key = tuple(chosen.bounds.values())
        if key not in pairs:
            pairs[key] = Pairs(part.profile.bounded(**chosen.bounds))
        ground = Ground(pairs[key], part.profile, profile, chosen, sight, most_states, possible)
        grounds.append(ground)
        for k, mutant in part.numbered():
            if mutant.name in runs:
                continue
            found = ground.look(k, mutant)
            if isinstance(found, TellingRun):
                runs[mutant.name] = found
                untold.pop(mutant.name, None)
                continue
            untold[mutant.name] = max(found, untold.get(mutant.name, found), key=list(Untold).index)
            is_new = found is Untold.NOT_TRIED and mutant.name not in approaches
            if is_new and (approach := ground.approach(k, mutant)) is not None:
                approaches[mutant.name] = approach
        watch.progress(f"{number} of {len(configurations)} configurations | {len(runs)} of {len(mutants)} mutants told")
    watch.progress(f"{len(runs)} of {len(mutants)} mutants told; what steps must leave as it is")
    shown = tell_kept(kept, grounds, (*runs.values(), *approaches.values()))
    unshown = {one.mutant.name: Untold.EQUAL for one in kept if one.mutant.name not in shown}
    return Told(
        mutants=(*mutants, *(one.mutant for one in kept)),
        runs={**runs, **shown},
        untold={**untold, **unshown},
        approaches={name: run for name, run in approaches.items() if name in untold},
    )
