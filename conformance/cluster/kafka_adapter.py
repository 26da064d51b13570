"""The adapter of real Apache Kafka brokers: one cluster for many runs, a fresh topic for each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from neverlost.model.core import Model, State, Step

from ..adapter import Capabilities, Partial, known_actions
from . import driver
from .clusters import Clusters
from .leaderless import with_leaderless_news
from .planning import plan_of, shrinks
from .probe import FIELDS, observe
from .releases import ClusterError, release_named, runnable_releases
from .steps.partition_run import PartitionRun
from .steps.registry import ON_BROKERS

SETTLE_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class FinalState:
    """What is left when everything flows again: each broker's log, and what a consumer reads from the leader."""

    leader: int
    leader_epoch: int
    logs: dict[int, tuple[tuple[int, int | None, str], ...]]
    consumer: tuple[str, ...]
    notes: tuple[str, ...]

    def lost(self, value: int) -> bool:
        """Does the consumer not read a value?"""
        return f"v{value}" not in self.consumer

    @property
    def diverged(self) -> bool:
        """Do two brokers have different records at one offset?"""
        rows = {offset: {log[offset][2] for log in self.logs.values() if offset < len(log)} for offset in range(100)}
        return any(len(values) > 1 for values in rows.values())


class KafkaAdapter:
    """Drives one partition along a run of the model, on whatever cluster the run needs."""

    _numbers = itertools.count(1)

    def __init__(self, model: Model, clusters: Clusters, *, patched: bool = True) -> None:
        self.model, self.clusters, self.patched = with_leaderless_news(model), clusters, patched
        known = {action.name for action in self.model.profile.actions}
        self.hidden = tuple(name for name, action in ON_BROKERS.items() if action.hidden and name in known)
        self.settle_seconds = SETTLE_SECONDS
        self.capabilities = Capabilities(
            actions={name: ON_BROKERS[name].how for name in known_actions(self.model, ON_BROKERS)}, fields=FIELDS
        )

    @classmethod
    def without_cluster(cls, model: Model) -> KafkaAdapter:
        """An adapter that can only say what it can do."""
        return cls(model, Clusters(release_named(next(iter(runnable_releases())))))

    def prepare(self, steps: Sequence[Step]) -> None:
        """Make a topic for a run, and shut the gates. Raises CannotSchedule for a run that brokers cannot be made to do."""
        plan = plan_of(self.model, steps)
        self.cluster = self.clusters.for_run(shrinks=shrinks(steps))
        topic, settings = f"topic-{next(self._numbers)}-", dict(self.model.settings)
        self.run = PartitionRun(self.cluster, topic, settings, plan, patched=self.patched)
        with self._discarded_on_trouble():
            driver.begin(self.run)

    @contextmanager
    def _discarded_on_trouble(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.clusters.discard()
            raise

    def perform(self, step: Step) -> None:
        """Make a step happen. Raises NotPerformed if the brokers do not do it."""
        driver.perform(self.run, step)

    def happens_by_itself(self, step: Step, state: State) -> bool:
        """May the cluster do a step of a hidden action without being asked?"""
        hidden = ON_BROKERS[step.action.name].hidden
        return hidden is not None and hidden(self.run, step)

    def attempt(self, step: Step) -> bool:
        """Nothing that the model refuses is tried on real brokers."""
        return False

    def observe(self) -> Partial:
        """What can be seen now."""
        self.run.note_decision()
        return observe(self.run, self.model)

    def ended(self) -> tuple[FinalState | None, str]:
        """What `finish` finds, or why the brokers could not be brought back together."""
        try:
            return self.finish(), ""
        except ClusterError as error:
            return None, str(error)

    def finish(self) -> FinalState:
        """Open every gate, bring everybody back, and look at what is left."""
        run, topic = self.run, self.run.topic
        with self._discarded_on_trouble():
            driver.finish(run)
            state = topic.state
            fetched = run.wire.fetch(topic.port(state.leader), topic.name)
            logs = {
                broker: tuple((record.offset, record.epoch, record.value.decode()) for record in topic.log(broker))
                for broker in map(run.broker, run.replicas)
            }
            run.control.delete_topic(topic.name)
        return FinalState(
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            logs=logs,
            consumer=tuple(record.value.decode() for record in fetched.records),
            notes=tuple(run.notes),
        )
