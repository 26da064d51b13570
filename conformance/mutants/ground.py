"""One configuration of a model, in which runs that kill mutants are looked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, Packed, Profile, Step
from neverlost.model.core.specialised import Circumstances, circumstances_of, specialised, specialised_functions
from neverlost.spec.mutant_configurations import Configuration

from .mutant import Mutant
from .mutation import SETTING, function_of
from .pairs import BOTH, LEFT, RIGHT, Pairs, Rows, Steps, reached

MOST_TRIES = 20
"""So many runs that show a mutant are looked at, where not every run is possible."""
MOST_PAIRS = 20_000
"""So many pairs of states are followed for one mutant in one configuration."""


class Survival(Enum):
    """Why no run kills a mutant."""

    EQUAL = "no step in the searched states depends on it"
    NOT_TRIED = "only steps that must be refused show it, and they cannot be tried"
    UNSEEN = "as far as both were followed, the difference does not show in what is seen"
    IMPOSSIBLE = "the system can be made to do none of the first runs that show it"


@dataclass(frozen=True, kw_only=True)
class KillingRun:
    """A run that kills a mutant after its last step, or by `attempted`, which the model refuses then."""

    model: Model
    mutant: Mutant
    steps: tuple[Step, ...]
    attempted: Step | None = None
    surely: bool = True
    """Whether it surely kills. If not, the mutant allows another step instead of the last one, and a system chooses which it does."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """What a test sees of the system: some fields, and what comes of steps of these actions that are to be refused."""

    fields: Collection[str]
    attempts: Collection[str]
    surroundings: Collection[str] = ()
    """Actions of what surrounds the system, such as faults: the system cannot refuse them, so that a mutant does shows nothing."""


class Ground:
    """One configuration: the states of the model in it, nearest first."""

    def __init__(
        self,
        pairs: Pairs,
        part: Profile,
        profile: Profile,
        chosen: Configuration,
        sight: Sight,
        most_states: int,
        possible: Callable[[KillingRun], bool],
    ) -> None:
        self.possible = possible
        self.pairs, self.own = pairs, profile.bounded(**chosen.bounds, **chosen.settings)
        self.model = model = part.bounded(**chosen.bounds, **chosen.settings)
        self.reached = reached(pairs, model, most_states)
        self.settings = model.layout.pack_settings()
        (self.place,) = model.layout.settings[SETTING].segments
        self.mask = np.zeros(model.layout.words, np.int64)
        for name in sight.fields:
            for slot in model.layout.slots[name]:
                self.mask[slot.word] |= slot.mask << slot.shift
        self.tried = np.array([step.action.name in sight.attempts for step in model.steps], bool)
        self.refusable = np.array([step.action.name not in sight.surroundings for step in model.steps], bool)

    def look(self, number: int, mutant: Mutant) -> KillingRun | Survival:
        """The shortest run of the model to a step that kills the mutant, or to where a difference begins that shows later."""
        if not mutant.switched and mutant.function not in self._called:
            return Survival.EQUAL
        others, why = self._others(number, mutant), Survival.EQUAL
        begun: list[tuple[int, int, Rows, Rows]] = []
        states = self.reached.states
        wanted = self.pairs.mask(mutant.actions if mutant.switched else mutant.actions & self._possible)
        for part in self.pairs.together(states, states, self.settings, others, wanted=wanted, every=False):
            shows = np.flatnonzero(self.shows(part))
            for row in map(int, shows[:MOST_TRIES]):
                run = self._run(mutant, self.reached.run(int(part.sources[row])), part, row)
                if self.possible(run):
                    return run
            if len(shows):
                why = Survival.NOT_TRIED if (part.kinds[shows] == RIGHT).all() else Survival.IMPOSSIBLE
            begun += [
                (int(part.sources[row]), int(part.steps[row]), part.left[row], part.right[row])
                for row in np.flatnonzero(part.kinds == BOTH)[: MOST_PAIRS - len(begun)]
            ]
            why = Survival.NOT_TRIED if len(part.steps) and why is Survival.EQUAL else why
        found = self._follow(mutant, others, begun) if begun else None
        return found or (why if why is Survival.IMPOSSIBLE or not begun else Survival.UNSEEN)

    def approach(self, number: int, mutant: Mutant) -> KillingRun | None:
        """A shortest run to where a mutant does a step that cannot be tried, with an allowed step of the same action as its last.

        A system with the mistake may choose the other step. None if there is no such run that is possible.
        """
        runs = self._runs_near(number, mutant)
        return next((replace(run, surely=False) for run in runs if self.possible(run)), None)

    def _runs_near(self, number: int, mutant: Mutant) -> Iterator[KillingRun]:
        """To each of the first states in which only the mutant does a step, and on by each allowed step of the same action."""
        states, wanted = self.reached.states, self.pairs.mask(mutant.actions)
        others = self._others(number, mutant)
        for part in self.pairs.together(states, states, self.settings, others, wanted=wanted, every=False):
            for row in map(int, np.flatnonzero(part.kinds == RIGHT)[:MOST_TRIES]):
                source = int(part.sources[row])
                here, same = states[source : source + 1], self.pairs.mask([self.own.steps[part.steps[row]].action.name])
                for allowed in self.pairs.together(here, here, self.settings, self.settings, wanted=same, every=True):
                    for one in range(len(allowed.steps)):
                        yield self._run(mutant, self.reached.run(source), allowed, one)

    @cached_property
    def _possible(self) -> frozenset[str]:
        """The actions that happen, or that a mistake may let happen: not those of a fault that has no budget."""
        model, known = self.own, circumstances_of(self.own)
        none_left = {one.counter: 0 for one in model.profile.budgets if not model.settings[one.name]}
        without = Circumstances({**model.settings, **none_left}, known.empty)
        return frozenset(
            action.name
            for action in model.profile.actions
            if model.has_steps_of(action)
            and (specialised(action.function, known).refuses or not specialised(action.function, without).refuses)
        )

    @cached_property
    def _called(self) -> frozenset[str]:
        """The functions that steps may call as the settings and bounds are. A mistake in another makes no difference."""
        steps = [action.function for action in self.own.profile.actions if action.name in self._possible]
        called = specialised_functions(steps, circumstances_of(self.own))
        return frozenset(function_of(one.tree) for one in called)

    def _others(self, number: int, mutant: Mutant) -> Packed:
        """The words of the settings with the mutant chosen, or with the settings that it switches."""
        if not mutant.switched:
            words = list(self.settings)
            words[self.place.word] += number << self.place.shift
            return tuple(words)
        return self.model.profile.bounded(
            **{**self.model.bounds, **self.model.settings, **mutant.switched}
        ).layout.pack_settings()

    def shows(self, found: Steps) -> npt.NDArray[np.bool_]:
        """Which steps show a difference: they end in states that look different, or only the model does them, or only the mutant."""
        looks = ((found.left ^ found.right) & self.mask).any(axis=1)
        alone = np.where(found.kinds == LEFT, self.refusable[found.steps], self.tried[found.steps])
        return np.where(found.kinds == BOTH, looks, alone)

    def _run(self, mutant: Mutant, before: list[int], found: Steps, row: int) -> KillingRun:
        steps = tuple(self.own.steps[number] for number in before)
        last = self.own.steps[int(found.steps[row])]
        if found.kinds[row] == RIGHT:
            return KillingRun(model=self.own, mutant=mutant, steps=steps, attempted=last)
        return KillingRun(model=self.own, mutant=mutant, steps=(*steps, last))

    def _follow(
        self, mutant: Mutant, others: Packed, begun: Sequence[tuple[int, int, Rows, Rows]]
    ) -> KillingRun | None:
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
