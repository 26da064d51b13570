"""Random runs of a model that real brokers can be made to do: as many steps as the time allows, each judged by the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Packed, Refused, Step
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE

from ..adapter import CannotSchedule
from ..judging import JudgedStep, first_difference, judged_run
from .clusters import Clusters
from .kafka_adapter import KafkaAdapter
from .leaderless import hear_of_no_leader, with_leaderless_news
from .planning import CONSUMER_STEPS, NOT_SCHEDULED, plan_of
from .releases import RunnableRelease

IDLE_SHARE = 0.1
"""How often a step that changes nothing may be taken though others could."""
NO_LEADER = hear_of_no_leader.name
AT_ONCE = ("expand_isr", "elect", "elect_unclean")
"""What brokers do as soon as they may."""
SELDOM = {"refuse_as_not_leader": 0.1, "time_out": 0.3}
"""How likely an action is as compared with others: each value is sent once, so what only uses values up is seldom taken."""


@dataclass(frozen=True)
class Run:
    """The steps of a run, and the states between them."""

    steps: list[Step]
    states: list[Packed]

    def longer(self, model: Model, step: Step) -> Run | None:
        """The run with a step more, if the step may happen."""
        try:
            return Run([*self.steps, step], [*self.states, model.apply(self.states[-1], step)])
        except Refused:
            return None

    @property
    def has_changed(self) -> bool:
        """Does the last step change anything?"""
        return self.states[-1] != self.states[-2]

    def can_be_scheduled(self, model: Model) -> bool:
        """Can real brokers be made to do it?"""
        try:
            plan_of(model, self.steps, self.states)
        except CannotSchedule:
            return False
        return True


def random_run(model: Model, random: Random, longest: int, *, without: Iterable[str] = ()) -> list[Step]:
    """A run of at most `longest` steps from the initial state that real brokers can be made to do, without some actions.

    Each action that may happen is as likely as any other, but for those that are to be seldom. What brokers do by themselves as soon
    as they may is done at once: a follower that has caught up enters the ISR, a partition without a leader gets one, and a broker that
    comes back in KRaft mode hears of the newest epoch; that nobody leads it hears before.
    """
    left_out = {*NOT_SCHEDULED, *CONSUMER_STEPS, *without}
    by_action: dict[str, list[Step]] = {}
    for step in model.steps:
        if step.action.name not in left_out:
            by_action.setdefault(step.action.name, []).append(step)
    news = by_action.pop(NO_LEADER, [])
    run = Run([], [model.initial_states()[0]])
    while len(run.steps) < longest:
        longer = _at_once(model, run, by_action) or _any(model, run, by_action, random)
        if longer is None:
            break
        run = _after_news(model, run, longer, news)
    return run.steps


def _at_once(model: Model, run: Run, by_action: dict[str, list[Step]]) -> Run | None:
    last = run.steps[-1] if run.steps else None
    returned = (
        last is not None
        and last.action.name in ("restart", "unfence", "elect")
        and not model.settings["ordered_metadata"]
    )
    names = ("elect", "become_leader", "become_follower", "expand_isr") if returned else AT_ONCE
    newest = model.state(run.states[-1]).values()["newest_epoch"]
    for name in names:
        for step in by_action.get(name, ()):
            picks = step.picks()
            if name.startswith("become_") and (
                picks["epoch"] != newest or picks["replica"] != _brought_back(run.steps)
            ):
                continue
            longer = run.longer(model, step)
            if longer is not None and longer.has_changed and longer.can_be_scheduled(model):
                return longer
    return None


def _after_news(model: Model, run: Run, longer: Run, news: Iterable[Step]) -> Run:
    """The longer run; where its last step has a broker come back while nobody leads, the broker hears so before."""
    last = longer.steps[-1]
    if last.action.name != "unfence":
        return longer
    newest = model.state(run.states[-1]).values()["newest_epoch"]
    for step in news:
        if step.picks() == {"replica": last.picks()["replica"], "epoch": newest}:
            heard = run.longer(model, step)
            both = None if heard is None else heard.longer(model, last)
            if both is not None and both.can_be_scheduled(model):
                return both
    return longer


def _brought_back(steps: Sequence[Step]) -> int | None:
    """The broker that the last steps brought back: it has returned, and perhaps been elected at once."""
    for step in reversed(steps):
        if step.action.name in ("restart", "unfence"):
            return step.picks()["replica"]
        if step.action.name != "elect":
            return None
    return None


def _any(model: Model, run: Run, by_action: dict[str, list[Step]], random: Random) -> Run | None:
    """The run with a step more that changes something, if there is one; sometimes one that changes nothing is taken instead."""
    names = sorted(by_action, key=lambda name: random.random() ** (1 / SELDOM.get(name, 1.0)), reverse=True)
    shuffled = [step for name in names for step in random.sample(by_action[name], len(by_action[name]))]
    allowed = [longer for step in shuffled if (longer := run.longer(model, step)) is not None]
    changing = [longer for longer in allowed if longer.has_changed]
    chosen = allowed if changing and random.random() < IDLE_SHARE else changing
    return next((longer for longer in chosen if longer.can_be_scheduled(model)), None)


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


BOUNDS = {"replicas": 3, "log_size": 5, "values": 5, "leader_epochs": 12}
LONGEST = 60
NOT_RANDOM = ("shrink_isr",)
"""A leader drops a follower for its lag only after a time in which other things happen by themselves."""


def run_number(release: RunnableRelease, number: int) -> tuple[Model, list[Step]]:
    """The random run of this number for a release: its model, with settings and budgets of faults of its own, and its steps."""
    random = Random(f"{release}: {number}")
    profile = release.profile
    settings = {
        "acks": random.choice((ACKS_ONE, ACKS_ALL, ACKS_ALL)),
        "min_isr": random.choice((1, 2)),
        "unclean": 0,
        "idempotence": 0,
        "crashes": random.choice((0, 1, 2)),
        "power_losses": random.choice((0, 0, 1)),
        "pauses": random.choice((0, 1, 2)),
        "leader_moves": random.choice((0, 2, 3)) if release.kraft else 0,
        "shutdowns": random.choice((0, 0, 1)),
    }
    model = with_leaderless_news(profile.bounded(**BOUNDS, **settings))
    return model, random_run(model, random, LONGEST, without=NOT_RANDOM)


def soak(
    release: RunnableRelease,
    numbers: Iterable[int],
    *,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[SoakRun]:
    """Do the random runs of these numbers on one cluster, each judged by the model. After one that differs a new one is started.

    The data of the cluster that differed is kept.
    Raises KeyboardInterrupt if the watch is interrupted, ClusterError if a cluster does not start.
    """
    with Clusters(release, watch=watch) as clusters:
        for number in numbers:
            model, steps = run_number(release, number)
            adapter = KafkaAdapter(model, clusters)
            judged = judged_run(model, steps, adapter, stop_at_first=True)
            _, trouble = adapter.ended()
            run = SoakRun(number=number, model=model, steps=tuple(steps), judged=tuple(judged), trouble=trouble)
            if run.difference is not None:
                clusters.discard()
            yield run
