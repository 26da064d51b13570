"""Random runs of a model that real brokers can be made to do: as many steps as the time allows, each judged by the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from neverlost.explorer.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Packed, Refused, Step
from neverlost.model.kafka.state import ACKS_ALL, ACKS_ONE
from neverlost.spec import profiles
from neverlost.spec.kafka.releases import version_name

from ..adapter import CannotSchedule
from ..judging import JudgedStep, first_difference, judged_run
from .clusters import Clusters
from .kafka_adapter import KafkaAdapter
from .planning import CONSUMER_STEPS, NOT_SCHEDULED, plan_of
from .releases import ClusterError, RunnableRelease

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
            picks = step.picks()
            if name.startswith("become_") and (picks["epoch"] != newest or picks["replica"] != _brought_back(steps)):
                continue
            after = _applied(model, state, steps, step)
            if after is not None and after != state:
                return step, after
    return None


def _brought_back(steps: Sequence[Step]) -> int | None:
    """The broker that the last steps brought back: it has returned, and perhaps been elected at once."""
    for step in reversed(steps):
        if step.action.name in ("restart", "unfence"):
            return step.picks()["replica"]
        if step.action.name != "elect":
            return None
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


@dataclass(frozen=True, kw_only=True)
class SoakRun:
    """A random run on real brokers: `number` makes it again. `difference` is the first step that is none of the model's."""

    number: int
    model: Model
    steps: tuple[Step, ...]
    judged: tuple[JudgedStep, ...]
    trouble: str = ""
    """Why the brokers could not be brought back together at the end."""

    @property
    def difference(self) -> JudgedStep | None:
        """The first step that is none of the model's."""
        return first_difference(self.judged)


BOUNDS = {"replicas": 3, "log_size": 3, "values": 3, "leader_epochs": 8}
LONGEST = 20
NOT_RANDOM = ("shrink_isr",)
"""A leader drops a follower for its lag only after a time in which other things happen by themselves."""


def run_number(release: RunnableRelease, number: int) -> tuple[Model, list[Step]]:
    """The random run of this number for a release: its model, with settings and budgets of faults of its own, and its steps."""
    random = Random(f"{release}: {number}")
    profile = profiles()[version_name(release.version, release.mode)]
    settings = {
        "acks": random.choice((ACKS_ONE, ACKS_ALL, ACKS_ALL)),
        "min_isr": random.choice((1, 2)),
        "unclean": 0,
        "idempotence": 0,
        "crashes": random.choice((0, 1, 2)),
        "power_losses": random.choice((0, 0, 1)),
        "pauses": random.choice((0, 1)),
        "leader_moves": random.choice((0, 1, 2)) if release.kraft else 0,
        "shutdowns": random.choice((0, 0, 1)),
    }
    model = profile.bounded(**BOUNDS, **settings)
    return model, random_run(model, random, LONGEST, without=NOT_RANDOM)


def soak(
    release: RunnableRelease,
    numbers: Iterable[int],
    *,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[SoakRun]:
    """Do the random runs of these numbers on one cluster, each judged by the model.

    Raises KeyboardInterrupt if the watch is interrupted, ClusterError if a cluster does not start.
    """
    with Clusters(release, watch=watch) as clusters:
        for number in numbers:
            model, steps = run_number(release, number)
            adapter = KafkaAdapter(model, clusters)
            judged, trouble = judged_run(model, steps, adapter, stop_at_first=True), ""
            try:
                adapter.finish()
            except ClusterError as error:
                trouble = str(error)
            yield SoakRun(number=number, model=model, steps=tuple(steps), judged=tuple(judged), trouble=trouble)


def soak_values(release: RunnableRelease, run: SoakRun) -> dict[str, Any]:
    """A random run as plain values, a line of a soak's file."""
    bounds, difference = run.model.bounds, run.difference
    return {
        "release": release.version,
        "mode": release.mode,
        "profile": run.model.profile.name,
        "number": run.number,
        "steps": len(run.judged),
        "another_way": sum(1 for step in run.judged if not step.as_the_run and step.as_the_model),
        "trouble": run.trouble,
        "difference": None
        if difference is None
        else {
            "step": difference.number,
            "run": [step.show(bounds) for step in run.steps[: difference.number]],
            "refusal": difference.refusal,
            "differences": [one.show() for one in difference.differences],
        },
    }
