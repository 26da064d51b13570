"""The adapter of real Apache Kafka brokers: one cluster for many runs, a fresh topic for each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.model.core import Model, State, Step

from ..adapter import Capabilities, How, Partial
from .cluster import Cluster
from .driver import Driver
from .planning import plan_of
from .probe import FIELDS, observe

HIDDEN_IN_KRAFT = ("expand_isr", "shrink_isr", "hear_of_isr", "elect", "fetch", "become_leader", "become_follower")
HIDDEN_ON_ZOOKEEPER = ("expand_isr", "shrink_isr", "elect", "fetch")
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
    """Drives one partition of a cluster along a run of the model. `hidden` are the actions that brokers may do by themselves."""

    _numbers = itertools.count(1)

    def __init__(self, model: Model, cluster: Cluster, *, patched: bool = True) -> None:
        self.model, self.cluster = model, cluster
        self.driver = Driver(
            cluster, f"topic-{next(self._numbers)}-", dict(model.settings), model.bounds["replicas"], patched=patched
        )
        hidden = HIDDEN_IN_KRAFT if cluster.release.kraft else HIDDEN_ON_ZOOKEEPER
        known = {action.name for action in model.profile.actions}
        self.hidden = tuple(name for name in hidden if name in known)
        self.settle_seconds = SETTLE_SECONDS
        self.capabilities = Capabilities(
            actions=dict.fromkeys(self.driver.actions, How.FORCED)
            | {"shrink_isr": How.AWAITED, "expand_isr": How.AWAITED, "elect": How.AWAITED, "grant_isr": How.FORCED},
            fields=FIELDS,
        )

    def prepare(self, steps: Sequence[Step]) -> None:
        """Make a topic for a run, and shut the gates. Raises CannotSchedule for a run that brokers cannot be made to do."""
        plan = plan_of(self.model, steps)
        self.driver.begin(plan)

    def perform(self, step: Step) -> None:
        """Make a step happen. Raises NotPerformed if the brokers do not do it."""
        self.driver.perform(step)

    def happens_by_itself(self, step: Step, state: State) -> bool:
        """May the cluster do a step without being asked? In KRaft mode a broker that starts hears of the newest epoch by itself."""
        if step.action.name not in self.hidden:
            return False
        return not step.action.name.startswith("become_") or step.picks()["replica"] == self.driver.returned

    def attempt(self, step: Step) -> bool:
        """Nothing that the model refuses is tried on real brokers."""
        return False

    def observe(self) -> Partial:
        """What can be seen now."""
        self.driver.note_decision()
        return observe(self.driver, self.model)

    def finish(self) -> FinalState:
        """Open every gate, bring everybody back, and look at what is left."""
        driver = self.driver
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
