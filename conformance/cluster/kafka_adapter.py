"""The adapter of real Apache Kafka brokers: one cluster for many runs, a fresh topic for each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from neverlost.model.core import Model, State, Step

from ..adapter import Capabilities, How, Partial
from .cluster import PATIENT_MS
from .clusters import Clusters
from .driver import ACTIONS, Driver
from .leaderless import hear_of_no_leader, with_leaderless_news
from .planning import plan_of, shrinks
from .probe import FIELDS, observe
from .releases import ClusterError, release_named, runnable_releases

ON_RETURN = ("become_leader", "become_follower", hear_of_no_leader.name)
SESSION_ENDS = {
    "fence_follower": "replica",
    "fail_over": "leader",
    "lose_leader": "leader",
    "fail_over_unclean": "leader",
}
HIDDEN = ("expand_isr", "shrink_isr", "hear_of_isr", "elect", "fetch", *ON_RETURN, *SESSION_ENDS)
"""What brokers may do without being asked, each at its time: see `KafkaAdapter.happens_by_itself`."""
AWAITED = ("shrink_isr", "expand_isr", "elect")
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
        self.hidden = tuple(name for name in HIDDEN if name in known)
        self.settle_seconds = SETTLE_SECONDS
        self.capabilities = Capabilities(
            actions={name: How.AWAITED if name in AWAITED else How.FORCED for name in ACTIONS}, fields=FIELDS
        )

    @classmethod
    def without_cluster(cls, model: Model) -> KafkaAdapter:
        """An adapter that can only say what it can do."""
        return cls(model, Clusters(release_named(next(iter(runnable_releases())))))

    def prepare(self, steps: Sequence[Step]) -> None:
        """Make a topic for a run, and shut the gates. Raises CannotSchedule for a run that brokers cannot be made to do."""
        plan = plan_of(self.model, steps)
        self.cluster = self.clusters.for_run(shrinks=shrinks(steps))
        self.driver = Driver(
            self.cluster,
            f"topic-{next(self._numbers)}-",
            dict(self.model.settings),
            self.model.bounds["replicas"],
            patched=self.patched,
        )
        with self._discarded_on_trouble():
            self.driver.begin(plan)

    @contextmanager
    def _discarded_on_trouble(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.clusters.discard()
            raise

    def perform(self, step: Step) -> None:
        """Make a step happen. Raises NotPerformed if the brokers do not do it."""
        self.driver.perform(step)

    def happens_by_itself(self, step: Step, state: State) -> bool:
        """May the cluster do a step of a hidden action without being asked?

        A follower is dropped only where the lag time is short, and an idle fetch counts twice only where it waits in the broker. A
        broker that comes back in KRaft mode hears of the newest epoch, also of one without a leader. The session of one that was shut
        down ends.
        """
        name, driver = step.action.name, self.driver
        if name == "shrink_isr":
            return self.cluster.lag_ms < PATIENT_MS
        if name == "fetch":
            return not driver.patched
        if name in ON_RETURN:
            return step.picks()["replica"] == driver.returned
        if name in SESSION_ENDS:
            return step.picks()[SESSION_ENDS[name]] == driver.ended
        return True

    def attempt(self, step: Step) -> bool:
        """Nothing that the model refuses is tried on real brokers."""
        return False

    def observe(self) -> Partial:
        """What can be seen now."""
        self.driver.note_decision()
        return observe(self.driver, self.model)

    def ended(self) -> tuple[FinalState | None, str]:
        """What `finish` finds, or why the brokers could not be brought back together."""
        try:
            return self.finish(), ""
        except ClusterError as error:
            return None, str(error)

    def finish(self) -> FinalState:
        """Open every gate, bring everybody back, and look at what is left."""
        driver = self.driver
        with self._discarded_on_trouble():
            driver.finish()
            state = driver.control.partition(driver.topic)
            fetched = driver.wire.fetch(self.cluster.client_port[state.leader], driver.topic)
            logs = {
                driver.broker(replica): tuple(
                    (record.offset, record.epoch, record.value.decode())
                    for record in self.cluster.disk(driver.broker(replica)).log(driver.topic)
                )
                for replica in driver.replicas
            }
            driver.control.delete_topic(driver.topic)
        return FinalState(
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            logs=logs,
            consumer=tuple(record.value.decode() for record in fetched.records),
            notes=tuple(driver.notes),
        )
