"""Random runs of a model that real brokers can be made to do: as many steps as the time allows, each judged by the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import cast

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Packed, Refused, Step
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE, COMMIT_AUTO, NO_CONSUMER, Partition

from ..judging import JudgedStep, first_difference, judged_run
from .clusters import BROKERS, Clusters
from .kafka_adapter import KafkaAdapter
from .leaderless import hear_of_no_leader, with_leaderless_news
from .planning import NOT_SCHEDULED, Memories, StepByStep
from .releases import RunnableRelease
from .steps import consuming
from .steps.planned import PlannedRun
from .steps.producing import FIRST_MAGIC_WITH_NUMBERS
from .wire import FIRST_FETCH_FROM_FOLLOWERS

IDLE_SHARE = 0.1
"""How often a step that changes nothing may be taken though others could."""
NO_LEADER = hear_of_no_leader.name
LONGEST = 60
"""The most steps of a run, if nothing else is asked for."""
AT_ONCE = ("expand_isr", "elect", "elect_unclean")
"""What brokers do as soon as they may."""
SELDOM = {"refuse_as_not_leader": 0.1, "time_out": 0.3, "crash_consumer": 0.1}
"""How likely an action is as compared with others: each value is sent once, so what only uses values up is seldom taken."""


@dataclass(frozen=True)
class Run:
    """A run that brokers can be made to do, by its last step and the run before it."""

    words: Packed
    """The state that it leads to."""
    memories: Memories
    before: Run | None = None
    step: Step | None = None
    length: int = 0

    def last_steps(self) -> Iterator[Step]:
        """Its steps, the last first."""
        run: Run | None = self
        while run is not None and run.step is not None:
            yield run.step
            run = run.before


class _Walk:
    """Makes runs of a model longer, step by step, as far as brokers can be made to do them."""

    def __init__(self, model: Model, without: Iterable[str]) -> None:
        self.model, self.obstacles = model, StepByStep(model, shrinking=False)
        left_out = {*NOT_SCHEDULED, *without}
        self.by_action: dict[str, list[int]] = {}
        for number, step in enumerate(model.steps):
            if step.action.name not in left_out:
                self.by_action.setdefault(step.action.name, []).append(number)
        self.news = self.by_action.pop(NO_LEADER, [])
        self.numbers = sorted(number for numbers in self.by_action.values() for number in numbers)
        self.start = Run(model.initial_states()[0], self.obstacles.at_start)

    def longer(self, run: Run, number: int, words: Packed) -> Run | None:
        """The run with a step more, that leads to a state, if brokers can be made to do it."""
        step = self.model.steps[number]
        (planned,) = PlannedRun(self.model, (step,), (run.words, words))
        if self.obstacles.in_itself(planned):
            return None
        memories, why = self.obstacles.after(run.memories, planned)
        return None if why else Run(words, memories, run, step, run.length + 1)

    def onwards(self, run: Run, random: Random) -> Run | None:
        """The run with a step more, or two; None if it cannot go on."""
        allowed = dict(self.model.successors(run.words, self.numbers))
        longer = self._at_once(run, allowed) or self._any(run, allowed, random)
        return None if longer is None else self._after_news(run, longer)

    def _at_once(self, run: Run, allowed: Mapping[int, Packed]) -> Run | None:
        last = "" if run.step is None else run.step.action.name
        returned = last in ("restart", "unfence", "elect") and not self.model.settings["ordered_metadata"]
        names = ("elect", "become_leader", "become_follower", "expand_isr") if returned else AT_ONCE
        newest = self._newest(run)
        for name in names:
            for number in self.by_action.get(name, ()):
                if allowed.get(number, run.words) == run.words:
                    continue
                picks = self.model.steps[number].picks()
                if name.startswith("become_") and (
                    picks["epoch"] != newest or picks["replica"] != _brought_back(run.last_steps())
                ):
                    continue
                longer = self.longer(run, number, allowed[number])
                if longer is not None:
                    return longer
        return None

    def _any(self, run: Run, allowed: Mapping[int, Packed], random: Random) -> Run | None:
        """A step that changes something, if there is one; sometimes one that changes nothing is taken instead."""
        names = sorted(self.by_action, key=lambda name: random.random() ** (1 / SELDOM.get(name, 1.0)), reverse=True)
        shuffled = [
            number
            for name in names
            for number in random.sample(self.by_action[name], len(self.by_action[name]))
            if number in allowed
        ]
        changing = [number for number in shuffled if allowed[number] != run.words]
        chosen = shuffled if changing and random.random() < IDLE_SHARE else changing
        found = (self.longer(run, number, allowed[number]) for number in chosen)
        return next((longer for longer in found if longer is not None), None)

    def _after_news(self, run: Run, longer: Run) -> Run:
        """The longer run; where its last step has a broker come back while nobody leads, the broker hears so before."""
        last = longer.step
        if last is None or last.action.name != "unfence":
            return longer
        heard = {"replica": last.picks()["replica"], "epoch": self._newest(run)}
        for number in self.news:
            if self.model.steps[number].picks() != heard:
                continue
            with suppress(Refused):
                words = self.model.apply(run.words, self.model.steps[number])
                then = self.model.apply(words, last)
                between = self.longer(run, number, words)
                both = None if between is None else self.longer(between, self.model.steps.index(last), then)
                return longer if both is None else both
        return longer

    def _newest(self, run: Run) -> int:
        """The newest leader epoch after a run."""
        return cast(Partition, self.model.passing(run.words)).newest_epoch


def random_run(model: Model, random: Random, longest: int, *, without: Iterable[str] = ()) -> list[Step]:
    """A run of at most `longest` steps from the initial state that real brokers can be made to do, without some actions.

    Each action that may happen is as likely as any other, but for those that are to be seldom. What brokers do by themselves as soon
    as they may is done at once: a follower that has caught up enters the ISR, a partition without a leader gets one, and a broker that
    comes back in KRaft mode hears of the newest epoch; that nobody leads it hears before.
    """
    walk = _Walk(model, without)
    run = walk.start
    while run.length < longest:
        longer = walk.onwards(run, random)
        if longer is None:
            break
        run = longer
    return list(run.last_steps())[::-1]


def _brought_back(last_steps: Iterable[Step]) -> int | None:
    """The broker that the last steps brought back: it has returned, and perhaps been elected at once."""
    for step in last_steps:
        if step.action.name in ("restart", "unfence"):
            return step.picks()["replica"]
        if step.action.name != "elect":
            return None
    return None


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Of which runs one is made at random; of another kind, a number makes another run."""

    longest: int = LONGEST
    """The most steps that a run could have."""
    clients: bool = False
    """May it have a producer that numbers what it sends, and a consumer?"""
    brokers: int = BROKERS

    @property
    def in_words(self) -> str:
        """What it has that others do not."""
        longer = [f"{self.longest} steps"] if self.longest != LONGEST else []
        more = ["clients"] if self.clients else []
        others = [f"{self.brokers} brokers"] if self.brokers != BROKERS else []
        return ", ".join([*longer, *more, *others])


PLAIN = Kind()
"""What is done if nothing else is asked for."""


@dataclass(frozen=True, kw_only=True)
class SoakRun:
    """A random run on real brokers: `number` makes it again. `difference` is the first step that is none of the model's."""

    number: int
    model: Model
    steps: tuple[Step, ...]
    judged: tuple[JudgedStep, ...]
    kind: Kind
    trouble: str = ""
    """Why the brokers could not be brought back together at the end."""

    @property
    def difference(self) -> JudgedStep | None:
        """The first step that is none of the model's."""
        return first_difference(self.judged)


BOUNDS = {"log_size": 5, "values": 5, "leader_epochs": 12}
OF_CONSUMERS = tuple(consuming.ACTIONS)
NOT_RANDOM = ("shrink_isr",)
"""A leader drops a follower for its lag only after a time in which other things happen by themselves."""
OFTEN = 2 / 3
MOST_OF_A_FAULT = 3
"""No model has a larger budget of a fault."""


def run_number(release: RunnableRelease, number: int, kind: Kind = PLAIN) -> tuple[Model, list[Step]]:
    """The random run of this number for a release: its model, with settings and budgets of faults of its own, and its steps.

    A run of several times LONGEST steps has bounds so many times as large, larger budgets, and may have unclean elections and
    producers that send again. Runs of another kind are other runs.
    """
    times = max(1, kind.longest // LONGEST)
    random = Random(", ".join(filter(None, (f"{release}: {number}", kind.in_words))))
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
    if times > 1:
        settings |= {
            "unclean": random.choice((0, 0, 1)),
            "retries": random.choice((0, MOST_OF_A_FAULT)),
            "pauses": random.randint(0, MOST_OF_A_FAULT),
        }
    if kind.clients:
        settings |= _clients(release, random)
    bounds = {name: times * bound for name, bound in BOUNDS.items()}
    model = with_leaderless_news(profile.bounded_to_follow(replicas=kind.brokers, **bounds, **settings))
    without = NOT_RANDOM if kind.clients else (*NOT_RANDOM, *OF_CONSUMERS)
    return model, random_run(model, random, kind.longest, without=without)


def _clients(release: RunnableRelease, random: Random) -> dict[str, int]:
    """In two thirds of the runs a producer that numbers what it sends, if there are numbers, and in two thirds a consumer."""
    numbers = release.magic >= FIRST_MAGIC_WITH_NUMBERS and random.random() < OFTEN
    consumes = random.random() < OFTEN
    return {
        **({"idempotence": 1, "acks": ACKS_ALL} if numbers else {}),
        "retries": MOST_OF_A_FAULT,
        "commit": COMMIT_AUTO if consumes else NO_CONSUMER,
        "consumer_crashes": random.choice((0, 2)),
        "fetch_from_followers": int(release.fetch >= FIRST_FETCH_FROM_FOLLOWERS and random.random() < OFTEN),
    }


def soak(
    release: RunnableRelease,
    numbers: Iterable[int],
    *,
    kind: Kind = PLAIN,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[SoakRun]:
    """Do the random runs of these numbers on one cluster, each judged by the model. After one that differs a new one is started.

    The data of the cluster that differed is kept.
    Raises KeyboardInterrupt if the watch is interrupted, ClusterError if a cluster does not start.
    """
    with Clusters(release, brokers=kind.brokers, watch=watch) as clusters:
        for number in numbers:
            model, steps = run_number(release, number, kind)
            adapter = KafkaAdapter(model, clusters)
            judged = judged_run(model, steps, adapter, stop_at_first=True, as_far_as_possible=True)
            _, trouble = adapter.ended()
            run = SoakRun(
                number=number,
                kind=kind,
                model=model,
                steps=tuple(steps),
                judged=tuple(judged),
                trouble=trouble,
            )
            if run.difference is not None:
                clusters.discard()
            yield run
