"""What has to be known of a whole run before its first step, so that real brokers can be made to do it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.explorer.trace import trace_along
from neverlost.model.core import Model, Packed, Refused, Step
from neverlost.model.kafka.state import FIRST_LEADER

from ..adapter import CannotSchedule

ELECTIONS = ("fail_over", "fail_over_unclean", "elect", "elect_unclean", "hand_over")
CONSUMER_STEPS = ("poll", "poll_follower", "poll_too_far", "process", "commit_offset", "crash_consumer")
NOT_SCHEDULED = {
    "clean": "when the cleaner runs cannot be ordered",
    "change_controller": "node 100 is the only controller",
    "expose_diverging": "what a follower exposes between two of its own steps cannot be held there",
    "handle_out_of_range": "a follower that is out of range asks and cuts its log without a request that could be held",
} | dict.fromkeys(CONSUMER_STEPS, "the consumers of the model are not driven on real brokers")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The replicas as the controller prefers them, and in turn: the epochs that each broker hears of, and the ISRs that are granted."""

    order: tuple[int, ...]
    heard: tuple[deque[int], ...]
    granted: deque[tuple[int, ...]]


def plan_of(model: Model, steps: Sequence[Step]) -> Plan:
    """The plan for a run. Raises CannotSchedule with the step that real brokers cannot be made to do, and why."""
    for number, step in enumerate(steps, start=1):
        if step.action.name in NOT_SCHEDULED:
            raise CannotSchedule(number, step.show(model.bounds), NOT_SCHEDULED[step.action.name])
    replicas = range(model.bounds["replicas"])
    heard: tuple[deque[int], ...] = tuple(deque() for _ in replicas)
    for step in steps:
        if step.action.name in ("become_leader", "become_follower"):
            heard[step.picks()["replica"]].append(step.picks()["epoch"])
    states = trace_along(model, steps).states
    granted = deque(
        tuple(replica for replica in replicas if model.state(after).values()["controller_isr"] >> replica & 1)
        for step, after in zip(steps, states[1:], strict=True)
        if step.action.name == "grant_isr"
    )
    return Plan(order=_order(model, steps, states, replicas), heard=heard, granted=granted)


def _order(model: Model, steps: Sequence[Step], states: Sequence[Packed], replicas: range) -> tuple[int, ...]:
    """An order in which the controller, which takes the first that it may, elects whom the run says."""
    choices = _elections(model, steps, states)
    first = replicas[FIRST_LEADER]
    for rest in itertools.permutations(replica for replica in replicas if replica != first):
        order = [first, *rest]
        for _, chosen, candidates in choices:
            if candidates is None:
                order = [chosen, *(replica for replica in order if replica != chosen)]
            elif next(replica for replica in order if replica in candidates) != chosen:
                break
        else:
            return (first, *rest)
    number = choices[0][0]
    raise CannotSchedule(
        number,
        steps[number - 1].show(model.bounds),
        "in no order of the replicas does the controller elect as the run says",
    )


def _elections(model: Model, steps: Sequence[Step], states: Sequence[Packed]) -> list[tuple[int, int, set[int] | None]]:
    """Who is elected at which step, and of whom the controller chooses; None where leadership is moved by changing the order."""
    found: list[tuple[int, int, set[int] | None]] = []
    for number, step in enumerate(steps, start=1):
        picks = step.picks()
        if step.action.name == "move_leader":
            found.append((number, picks["successor"], None))
        elif step.action.name in ELECTIONS:
            candidates = set()
            for other in model.steps:
                if other.action is step.action and other.picks().get("leader") == picks.get("leader"):
                    try:
                        model.apply(states[number - 1], other)
                    except Refused:
                        continue
                    candidates.add(other.picks()["successor"])
            found.append((number, picks["successor"], candidates))
    return found
