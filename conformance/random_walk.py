"""Random walks through a model, with an implementation doing the same steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from neverlost.model.core import Model, Step

from .adapter import Adapter
from .divergence import Divergence, SideBySide

IDLE_SHARE = 0.1
"""How often a step that changes nothing, such as most fetches, may be taken although others could."""

ATTEMPTS = 2
"""How many refused steps are tried after each step, as far as the adapter can try them."""


@dataclass(frozen=True, kw_only=True)
class Walked:
    """The result of walks: how many steps, how often each action, and the first divergence if there was one."""

    walks: int
    steps: int
    actions: Mapping[str, int]
    divergence: Divergence | None = None


def walk(model: Model, make: Callable[[], Adapter], *, seed: int, steps: int, longest: int = 60) -> Walked:
    """Walk from the initial state for at most `longest` steps, repeatedly, until `steps` were taken, or a divergence was found.

    Every walk has its own adapter. All possible actions have the same probability, however many steps they have, so that rare
    ones happen too; steps that change nothing are rarely taken. Actions that the adapter cannot do are left out.
    After each step a few refused steps are tried: the implementation must not change.
    """
    random, actions, walks, taken = Random(seed), Counter[str](), 0, 0
    divergence = None
    while taken < steps and divergence is None:
        walks += 1
        run = SideBySide(model, make())
        divergence = one_walk(run, random, min(longest, steps - taken))
        actions.update(step.action.name for step in run.steps)
        taken += len(run.steps)
        if not run.steps:
            break
    return Walked(walks=walks, steps=taken, actions=actions, divergence=divergence)


def one_walk(run: SideBySide, random: Random, longest: int, beginning: Sequence[Step] = ()) -> Divergence | None:
    """Do the steps of the beginning, then random ones, until there are so many. Returns the divergence at which it ended, if any."""
    by_action = [
        [step for step in run.model.steps if step.action.name == name] for name in run.adapter.capabilities.actions
    ]
    divergence = run.follow(beginning)
    while divergence is None and len(run.steps) < longest and _take_one(run, random, by_action):
        divergence = run.catch_up()
        for step in random.sample(run.triable, min(ATTEMPTS, len(run.triable))):
            if divergence is None and run.refuses(step):
                divergence = run.attempt(step)
    return divergence


def _take_one(run: SideBySide, random: Random, by_action: Sequence[Sequence[Step]]) -> bool:
    """Do one step in the model; False if none may happen."""
    shuffled = [step for steps in random.sample(by_action, len(by_action)) for step in random.sample(steps, len(steps))]
    idle_too = random.random() < IDLE_SHARE
    if any(run.advance_model(step, idle_too=idle_too) for step in shuffled):
        return True
    return any(run.advance_model(step) for step in shuffled)
