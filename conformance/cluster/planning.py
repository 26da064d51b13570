"""What has to be known of a whole run before its first step, so that real brokers can be made to do it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import Model, Packed, Step

from ..adapter import CannotSchedule
from .steps import controller, hearing, high_watermarks, isr
from .steps.partition_run import Plan
from .steps.planned import Obstacles, PlannedRun, PlannedStep, Remembering
from .steps.registry import ON_BROKERS

NOT_SCHEDULED = {
    "clean": "when the cleaner runs cannot be ordered",
    "change_controller": "node 100 is the only controller",
    "expose_diverging": "what a follower exposes between two of its own steps cannot be held there",
    "handle_out_of_range": "a follower that is out of range asks and cuts its log without a request that could be held",
    "poll_too_far": "an append cannot be held until a consumer's fetch has looked up where it may read to",
    "begin_producer_epoch": "the producer here numbers anew only what no log has",
    "process": "what a consumer does with a record is not on the brokers",
    "commit_offset": "the consumer keeps its offset itself",
}


UNKNOWN = "brokers are not made to do such a step here"


def shrinks(steps: Iterable[Step]) -> bool:
    """Is a follower dropped from the ISR for its lag in a run? Such a run needs another cluster than those in which none may be."""
    return any(step.action.name == "shrink_isr" for step in steps)


def in_their_states(run: PlannedRun) -> Iterator[str]:
    """What stands in the way of each step in the state before it."""
    for planned in run:
        known = ON_BROKERS.get(planned.name)
        yield known.obstacle(planned.before, **planned.picks) if known else ""


TOGETHER = (
    isr.stale,
    isr.too_late,
    controller.unclean_again,
    controller.by_itself,
    high_watermarks.kept,
    in_their_states,
)
"""Where several stand in the way of one step, the first of these is named."""


def plan_of(model: Model, steps: Sequence[Step], states: Sequence[Packed] | None = None) -> Plan:
    """The plan for a run, whose states are found anew if they are not given.

    Raises CannotSchedule with the step that real brokers cannot be made to do, and why.
    """
    for number, step in enumerate(steps, start=1):
        if why := never(step):
            raise CannotSchedule(number, step.show(model.bounds), why)
    run = PlannedRun(model, steps, trace_along(model, steps).states if states is None else states)
    _refuse(run, *TOGETHER)
    for obstacles in one_by_one(model, shrinking=shrinks(steps)):
        _refuse(run, obstacles)
    return Plan(
        order=controller.order_of(run),
        heard=hearing.heard_in(run),
        granted=isr.granted_in(run),
        idle=isr.idle_in(run),
    )


def never(step: Step) -> str:
    """Why no broker can ever be made to do a step; empty if one can."""
    name = step.action.name
    return NOT_SCHEDULED.get(name, "" if name in ON_BROKERS else UNKNOWN)


def one_by_one(model: Model, *, shrinking: bool) -> Iterator[Obstacles]:
    """The obstacles that depend on the cluster that a run needs, and on how its brokers hear of decisions."""
    if not shrinking:
        yield high_watermarks.early
    elif not model.settings["isr_in_flight"]:
        yield isr.silent_members
    yield from (hearing.missed,) if model.settings["ordered_metadata"] else (hearing.unread, hearing.old_epochs)


Memories = tuple[Hashable, ...]
"""What the obstacles remember of the steps before a step."""


class StepByStep:
    """What stands in the way of each step of a run that grows: nothing is asked again of the steps before.

    In `shrinking` runs a follower is dropped for its lag; they need another cluster, so that other obstacles stand in their way.
    """

    def __init__(self, model: Model, *, shrinking: bool) -> None:
        obstacles: list[Obstacles] = [*TOGETHER, *one_by_one(model, shrinking=shrinking), controller.unelected]
        self.drops = isr.silent_members in obstacles
        """Does a leader drop every silent follower at once, so that a step may need the one after it?"""
        self._remembering: list[Remembering[Any]] = [one for one in obstacles if isinstance(one, Remembering)]
        others = [one for one in obstacles if not isinstance(one, Remembering)]
        self._in_each_step = [one for one in others if one is not isr.silent_members]
        self.at_start: Memories = tuple(one.at_start(model) for one in self._remembering)

    def in_itself(self, planned: PlannedStep) -> str:
        """What stands in the way of a step whatever was before; empty if nothing does."""
        return never(planned.step) or next(
            filter(None, (next(iter(one(planned.run))) for one in self._in_each_step)), ""
        )

    def after(self, memories: Memories, planned: PlannedStep) -> tuple[Memories, str]:
        """What is remembered after a step, and what stands in its way after the steps before; what is remembered is not whole then."""
        found: list[Hashable] = []
        for obstacle, memory in zip(self._remembering, memories, strict=True):
            after, why = obstacle.after(memory, planned)
            if why:
                return tuple(found), why
            found.append(after)
        return tuple(found), ""


def _refuse(run: PlannedRun, *obstacles: Obstacles) -> None:
    for planned, *found in zip(run, *(one(run) for one in obstacles), strict=True):
        for why in filter(None, found):
            raise planned.refuse(why)
