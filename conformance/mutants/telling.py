"""The shortest runs that tell mutants of a model from it: by what is seen after a step, or by a step that only one of the two does.

Up to their first difference model and mutant are in the same states. So one search of the model in a configuration serves all mutants:
in every state the steps of each are compared. Where they differ in what nobody sees, both are followed side by side until it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from neverlost.explorer.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Profile, Step
from neverlost.model.core.packing import WORD_BITS

from .configurations import Configuration
from .mutation import SETTING, Mutant, mutated, room_for
from .pairs import BOTH, LEFT, RIGHT, Pairs, Rows, Steps, reached

MOST_STATES = 100_000
MOST_TRIES = 20
"""So many runs that show a mutant are looked at, where not every run is possible."""
MOST_PAIRS = 20_000
"""So many pairs of states are followed for one mutant in one configuration."""


class Untold(Enum):
    """Why no run tells a mutant from the model."""

    EQUAL = "no step in the searched states depends on it"
    NOT_TRIED = "only steps that must be refused show it, and they cannot be tried"
    UNSEEN = "as far as both were followed, the difference does not show in what is seen"
    IMPOSSIBLE = "the system can be made to do none of the first runs that show it"


@dataclass(frozen=True, kw_only=True)
class TellingRun:
    """A run that tells a mutant from the model after its last step, or by `attempted`, which the model refuses then."""

    model: Model
    mutant: Mutant
    steps: tuple[Step, ...]
    attempted: Step | None = None


@dataclass(frozen=True, kw_only=True)
class Told:
    """What tells each mutant, by its name, or why nothing does."""

    runs: Mapping[str, TellingRun]
    untold: Mapping[str, Untold]


@dataclass(frozen=True, kw_only=True)
class Sight:
    """What a test sees of the system: some fields, and what comes of steps of these actions that are to be refused."""

    fields: Collection[str]
    attempts: Collection[str]
    surroundings: Collection[str] = ()
    """Actions of what surrounds the system, such as faults: the system cannot refuse them, so that a mutant does shows nothing."""


def tell(
    profile: Profile,
    mutants: Sequence[Mutant],
    configurations: Sequence[Configuration],
    sight: Sight,
    *,
    most_states: int = MOST_STATES,
    possible: Callable[[TellingRun], bool] = lambda run: True,
    watch: Watch[str] = UNWATCHED,
) -> Told:
    """The runs that tell mutants, each from the first configuration in which a run that is `possible` does.

    Raises BoundsError for bounds or settings that the profile cannot have, KeyboardInterrupt if the watch is interrupted.
    """
    narrow = _narrow(profile, [*(one.settings for one in configurations), *(mutant.switched for mutant in mutants)])
    room = max(1, room_for(profile, narrow, WORD_BITS))
    runs: dict[str, TellingRun] = {}
    untold: dict[str, Untold] = {}
    for first in range(0, len(mutants), room):
        part = mutated(profile, mutants[first : first + room], narrow)
        pairs: dict[tuple[int, ...], Pairs] = {}
        for number, chosen in enumerate(configurations, start=1):
            if watch.interrupted():
                raise KeyboardInterrupt
            key = tuple(chosen.bounds.values())
            if key not in pairs:
                pairs[key] = Pairs(part.profile.bounded(**chosen.bounds))
            ground = _Ground(pairs[key], part.profile, profile, chosen, sight, most_states, possible)
            for k, mutant in part.numbered():
                if mutant.name in runs:
                    continue
                found = ground.look(k, mutant)
                if isinstance(found, TellingRun):
                    runs[mutant.name] = found
                    untold.pop(mutant.name, None)
                else:
                    untold[mutant.name] = max(found, untold.get(mutant.name, found), key=list(Untold).index)
            watch.progress(
                f"{number} of {len(configurations)} configurations | {len(runs)} of {len(mutants)} mutants told"
            )
    return Told(runs=runs, untold=untold)


def _narrow(profile: Profile, configurations: Sequence[Mapping[str, int]]) -> list[str]:
    """The settings that need only one bit in all configurations."""
    most: Mapping[str, int] = profile.default_settings
    for chosen in configurations:
        most = {name: max(value, chosen.get(name, value)) for name, value in most.items()}
    return [one.name for one in profile.state.settings if one.domain.low == 0 and most[one.name] <= 1]


class _Ground:
    """One configuration: the states of the model in it, nearest first."""

    def __init__(
        self,
        pairs: Pairs,
        part: Profile,
        profile: Profile,
        chosen: Configuration,
        sight: Sight,
        most_states: int,
        possible: Callable[[TellingRun], bool],
    ) -> None:
        self.possible = possible
        self.pairs, self.own = pairs, profile.bounded(**chosen.bounds, **chosen.settings)
        self.model = model = part.bounded(**chosen.bounds, **chosen.settings)
        self.reached = reached(pairs, model, most_states)
        self.settings = model.layout.pack_settings()
        self.shift = model.layout.settings[SETTING].segments[0].shift
        self.mask = np.zeros(model.layout.words, np.int64)
        for name in sight.fields:
            for slot in model.layout.slots[name]:
                self.mask[slot.word] |= slot.mask << slot.shift
        self.tried = np.array([step.action.name in sight.attempts for step in model.steps], bool)
        self.refusable = np.array([step.action.name not in sight.surroundings for step in model.steps], bool)

    def look(self, number: int, mutant: Mutant) -> TellingRun | Untold:
        """The shortest run of the model to a step that tells the mutant, or to where a difference begins that shows later."""
        others, why = self._others(number, mutant), Untold.EQUAL
        begun: list[tuple[int, int, Rows, Rows]] = []
        states = self.reached.states
        for part in self.pairs.together(
            states, states, self.settings, others, wanted=self.pairs.mask(mutant.actions), every=False
        ):
            shows = np.flatnonzero(self.shows(part))
            for row in map(int, shows[:MOST_TRIES]):
                run = self._run(mutant, self.reached.run(int(part.sources[row])), part, row)
                if self.possible(run):
                    return run
            if len(shows):
                why = Untold.NOT_TRIED if (part.kinds[shows] == RIGHT).all() else Untold.IMPOSSIBLE
            begun += [
                (int(part.sources[row]), int(part.steps[row]), part.left[row], part.right[row])
                for row in np.flatnonzero(part.kinds == BOTH)[: MOST_PAIRS - len(begun)]
            ]
            why = Untold.NOT_TRIED if len(part.steps) and why is Untold.EQUAL else why
        found = self._follow(mutant, others, begun) if begun else None
        return found or (why if why is Untold.IMPOSSIBLE or not begun else Untold.UNSEEN)

    def _others(self, number: int, mutant: Mutant) -> int:
        """The word of the settings with the mutant chosen, or with the settings that it switches."""
        if not mutant.switched:
            return self.settings + (number << self.shift)
        return self.model.profile.bounded(
            **{**self.model.bounds, **self.model.settings, **mutant.switched}
        ).layout.pack_settings()

    def shows(self, found: Steps) -> npt.NDArray[np.bool_]:
        """Which steps show a difference: they end in states that look different, or only the model does them, or only the mutant."""
        looks = ((found.left ^ found.right) & self.mask).any(axis=1)
        alone = np.where(found.kinds == LEFT, self.refusable[found.steps], self.tried[found.steps])
        return np.where(found.kinds == BOTH, looks, alone)

    def _run(self, mutant: Mutant, before: list[int], found: Steps, row: int) -> TellingRun:
        steps = tuple(self.own.steps[number] for number in before)
        last = self.own.steps[int(found.steps[row])]
        if found.kinds[row] == RIGHT:
            return TellingRun(model=self.own, mutant=mutant, steps=steps, attempted=last)
        return TellingRun(model=self.own, mutant=mutant, steps=(*steps, last))

    def _follow(self, mutant: Mutant, others: int, begun: Sequence[tuple[int, int, Rows, Rows]]) -> TellingRun | None:
        """Follow model and mutant side by side from where a difference begins, until it shows."""
        everything = (1 << len(self.own.profile.actions)) - 1
        paths = [[*self.reached.run(source), step] for source, step, _, _ in begun]
        left, right = (np.stack([row[side] for row in begun]) for side in (2, 3))
        seen = {one.tobytes() + other.tobytes() for one, other in zip(left, right, strict=True)}
        while paths and len(seen) < MOST_PAIRS:
            more: list[tuple[list[int], Rows, Rows]] = []
            for part in self.pairs.together(left, right, self.settings, others, wanted=everything, every=True):
                for row in map(int, np.flatnonzero(self.shows(part))[:MOST_TRIES]):
                    run = self._run(mutant, paths[int(part.sources[row])], part, row)
                    if self.possible(run):
                        return run
                parted = (part.kinds == BOTH) & (part.left != part.right).any(axis=1)
                for row in map(int, np.flatnonzero(parted)):
                    key = part.left[row].tobytes() + part.right[row].tobytes()
                    if key not in seen:
                        seen.add(key)
                        path = [*paths[int(part.sources[row])], int(part.steps[row])]
                        more.append((path, part.left[row], part.right[row]))
            paths = [path for path, _, _ in more]
            left, right = (
                np.array([row[side] for row in more], np.int64).reshape(-1, left.shape[1]) for side in (1, 2)
            )
        return None
