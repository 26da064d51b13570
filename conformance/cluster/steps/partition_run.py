"""A run of the model on a partition of real brokers: what was planned, what has been done, and what each broker knows by now."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from neverlost.model.kafka.replication.state import WAITING

from ..control import topic_settings
from ..topic import STEP_SECONDS, ClusterTopic
from ..wire import NO_LEADER
from .news import News

if TYPE_CHECKING:
    from ..cluster import Cluster

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The replicas as the controller prefers them, and in turn: the epochs that each broker hears of, and the ISRs that are granted."""

    order: tuple[int, ...]
    heard: tuple[deque[int], ...]
    granted: deque[tuple[int, ...]]
    idle: deque[tuple[int, ...]]
    """For each ISR change that drops a member: followers whose fetches change nothing meanwhile."""


@dataclass
class Sending:
    """A value on its way to a broker: its outcome, None as long as the producer waits."""

    broker: int
    outcome: int | None = None
    error: int | str | None = None
    appended: bool = False


@dataclass(frozen=True)
class Numbers:
    """By what brokers recognise a value of an idempotent producer: the epoch of the producer, and the sequence."""

    epoch: int
    sequence: int


@dataclass
class Consumer:
    """Where the consumer is, where another one would go on, and what was read last at each offset."""

    position: int = 0
    committed: int = 0
    read: dict[int, int] = field(default_factory=dict)


class PartitionRun:
    """One partition of one topic on a cluster, moved by the steps of a model; replica r1 is on broker 1, and so on."""

    def __init__(
        self, cluster: Cluster, name: str, settings: dict[str, int], plan: Plan, *, patched: bool = True
    ) -> None:
        self.cluster, self.settings, self.plan, self.patched = cluster, settings, plan, patched
        self.control, self.gates, self.wire = cluster.control, cluster.gates, cluster.wire
        of_the_topic = topic_settings(settings["min_isr"]) | ({"flush.messages": "1"} if settings["flush"] else {})
        self.topic = ClusterTopic(cluster, name, [self.broker(replica) for replica in plan.order], of_the_topic)
        self.replicas = range(len(plan.order))
        self.up = [True for _ in self.replicas]
        self.leaving: set[int] = set()
        self.returned: int | None = None
        """The broker that the last step brought back, and that has so read all metadata there is."""
        self.ended: int | None = None
        """The broker that the last step shut down, and whose session has ended with it."""
        self.sent: dict[int, Sending] = {}
        self.numbers: dict[int, Numbers] = {}
        self.consumer = Consumer()
        self.real_epoch, self.model_epoch = {0: 0}, {0: 0}
        self.leaderless: set[int] = set()
        self.newest = 0
        self.heard_at = [0.0 for _ in self.replicas]
        self.knows_of = [0 for _ in self.replicas]
        self.notes: list[str] = []
        self.news: News = self.control.news(self)

    def broker(self, replica: int) -> int:
        """The id of the broker that a replica is on."""
        return replica + 1

    def port(self, replica: int) -> int:
        """Where clients find the broker of a replica."""
        return self.topic.port(self.broker(replica))

    def end(self, replica: int) -> int | None:
        """The end of a replica's log; None while its broker does not host it."""
        return self.topic.end(self.broker(replica))

    def note(self, text: str) -> None:
        """Keep what was otherwise than usual, though not otherwise than the model."""
        self.notes.append(text)

    def until(self, look: Callable[[], T | None], what: str, seconds: float = STEP_SECONDS) -> T:
        """Wait until something is seen. Raises ClusterError if it does not come."""
        return self.topic.until(look, what, seconds)

    def note_decision(self) -> None:
        """See whether the controller has issued a leader epoch, and have brokers that are to hear of it next read of it now."""
        before, state = self.newest, self.topic.state
        if state.leader_epoch == self.real_epoch[before]:
            return
        self.newest = before + 1
        self.real_epoch[self.newest] = state.leader_epoch
        self.model_epoch[state.leader_epoch] = self.newest
        if state.leader == NO_LEADER:
            self.leaderless.add(state.leader_epoch)
        if state.leader_epoch != self.real_epoch[before] + 1:
            self.note(f"the leader epoch went from {self.real_epoch[before]} to {state.leader_epoch} in one step")
        self.news.decided()

    def hear(self, replica: int, epoch: int) -> None:
        """Let a broker hear of a leader epoch."""
        self.news.hear(replica, epoch)
        self.heard_at[replica] = time.monotonic()
        self.knows_of[replica] = epoch

    def has_heard(self, replica: int, epoch: int) -> bool:
        """Is the broker in an epoch, or in a newer one?"""
        found = self.wire.leader_epoch(self.port(replica), self.topic.name, self.real_epoch[epoch])
        return found is not None and found >= self.real_epoch[epoch]

    def outcome(self, value: int) -> int | None:
        """What the producer knows of a value; None if it was not sent."""
        if value not in self.sent:
            return None
        outcome = self.sent[value].outcome
        return WAITING if outcome is None else outcome
