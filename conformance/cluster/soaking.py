"""Random runs of a model that real brokers can be made to do: as many steps as the time allows, each judged by the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from neverlost.model.core import Model, Packed, Refused, Step

from ..adapter import CannotSchedule
from .planning import CONSUMER_STEPS, NOT_SCHEDULED, plan_of

IDLE_SHARE = 0.1
"""How often a step that changes nothing may be taken though others could."""
AT_ONCE = ("expand_isr", "elect", "elect_unclean")
"""What brokers do as soon as they may."""


def random_run(model: Model, random: Random, longest: int, *, without: Iterable[str] = ()) -> list[Step]:
    """A run of at most `longest` steps from the initial state that real brokers can be made to do, without some actions.

    Each action that may happen is as likely as any other. What brokers do by themselves as soon as they may is done at once: a
    follower that has caught up enters the ISR, a partition without a leader gets one, and a broker that comes back in KRaft mode
    hears of the newest epoch.
    """
    left_out = {*NOT_SCHEDULED, *CONSUMER_STEPS, *without}
    by_action: dict[str, list[Step]] = {}
    for step in model.steps:
        if step.action.name not in left_out:
            by_action.setdefault(step.action.name, []).append(step)
    steps: list[Step] = []
    state = model.initial_states()[0]
    while len(steps) < longest:
        found = _at_once(model, state, steps, by_action) or _any(model, state, steps, list(by_action.values()), random)
        if found is None:
            break
        step, state = found
        steps.append(step)
    return steps


def _at_once(
    model: Model, state: Packed, steps: Sequence[Step], by_action: dict[str, list[Step]]
) -> tuple[Step, Packed] | None:
    last = steps[-1] if steps else None
    returned = (
        last is not None
        and last.action.name in ("restart", "unfence", "elect")
        and not model.settings["ordered_metadata"]
    )
    names = ("elect", "become_leader", "become_follower", "expand_isr") if returned else AT_ONCE
    newest = model.state(state).values()["newest_epoch"]
    for name in names:
        for step in by_action.get(name, ()):
            if name.startswith("become_") and step.picks()["epoch"] != newest:
                continue
            after = _applied(model, state, steps, step)
            if after is not None and after != state:
                return step, after
    return None


def _any(
    model: Model, state: Packed, steps: Sequence[Step], by_action: list[list[Step]], random: Random
) -> tuple[Step, Packed] | None:
    shuffled = [step for row in random.sample(by_action, len(by_action)) for step in random.sample(row, len(row))]
    idle_too = random.random() < IDLE_SHARE
    idle = None
    for step in shuffled:
        after = _applied(model, state, steps, step)
        if after is None:
            continue
        if after != state or idle_too:
            return step, after
        idle = idle or (step, after)
    return idle


def _applied(model: Model, state: Packed, steps: Sequence[Step], step: Step) -> Packed | None:
    """The state after a step that may happen, and that brokers can be made to do after the others."""
    try:
        after = model.apply(state, step)
        plan_of(model, [*steps, step])
    except (Refused, CannotSchedule):
        return None
    return after
