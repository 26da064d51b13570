"""Random walks through a model, with an implementation beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from neverlost.model.core import Model, Packed, Refused, Step

from .adapter import Adapter
from .divergence import Divergence, compare, follow


@dataclass(frozen=True, kw_only=True)
class Walked:
    """How far walks came: how many steps, how often each action, and the first divergence if there was one."""

    walks: int
    steps: int
    actions: Counter[str] = field(default_factory=Counter)
    divergence: Divergence | None = None


def random_step(model: Model, words: Packed, random: Random) -> tuple[Step, Packed] | None:
    """A step that may happen, each as likely as any other, with the state after it; None if none may.

    Steps are tried in random order, which is quicker than to find all that may happen.
    """
    for step in random.sample(model.steps, len(model.steps)):
        try:
            return step, model.apply(words, step)
        except Refused:
            continue
    return None


def walk(model: Model, make: Callable[[], Adapter], *, seed: int, steps: int, longest: int = 60) -> Walked:
    """Walk from the initial state for at most `longest` steps, again and again until `steps` were taken, or a divergence.

    Every walk has an adapter of its own. Steps of actions that the adapter cannot perform are left out.
    """
    random, actions, walks, taken = Random(seed), Counter[str](), 0, 0
    while taken < steps:
        walks += 1
        divergence, names = _one_walk(model, make(), random, min(longest, steps - taken))
        actions.update(names)
        taken += len(names)
        if divergence is not None:
            return Walked(walks=walks, steps=taken, actions=actions, divergence=divergence)
        if not names:
            break
    return Walked(walks=walks, steps=taken, actions=actions)


def _one_walk(model: Model, adapter: Adapter, random: Random, longest: int) -> tuple[Divergence | None, list[str]]:
    states, steps = [model.initial_states()[0]], list[Step]()
    divergence = compare(adapter, model, states, steps)
    while divergence is None and len(steps) < longest:
        found = random_step(model, states[-1], random)
        if found is None:
            break
        step, after = found
        if step.action.name not in adapter.capabilities.actions:
            continue
        steps.append(step)
        states.append(after)
        divergence = follow(adapter, model, states, steps)
    return divergence, [step.action.name for step in steps]
