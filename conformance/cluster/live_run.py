"""A run of real brokers that nobody steers: values are sent while random faults happen, and everything that passes is kept."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from .clients import CLIENTS, LONGEST_PAUSE, Task
from .cluster import SHORT_LAG_MS, Cluster
from .control import topic_settings
from .gates import ALTER_ISR, CONTROL, FETCH, Frame
from .log_files import HIGH_WATERMARKS
from .sightings import SESSION_ENDS, BrokerState, Decision, Happened, Seen, decisions_of
from .topic import RESTART_SECONDS, ClusterTopic
from .wire import NO_LEADER, PartitionState

FAULTS = ("crash", "pause", "hold", "move")
"""Kill a broker and start it again; end the session of one that lives; hold a follower's fetches; elect the preferred leader."""
QUIET_SECONDS = 30.0
IDLE_SECONDS = 0.3
RECORDED = (FETCH, CONTROL, ALTER_ISR)


@dataclass(frozen=True, kw_only=True)
class LiveSettings:
    """What a live run is made of: how many values the client sends and what it waits for, and the faults that may happen."""

    client: str = "raw"
    client_settings: Mapping[str, str] = field(default_factory=dict)
    values: int = 6
    acks: str = "all"
    min_isr: int = 2
    faults: Sequence[str] = FAULTS
    most_faults: int = 3

    @property
    def of_the_model(self) -> dict[str, Any]:
        """The settings in the words of the model."""
        return {"acks": self.acks, "min_isr": self.min_isr, "unclean": False}

    @property
    def of_the_topic(self) -> dict[str, str]:
        """The settings of the topic."""
        return topic_settings(self.min_isr)


BROKER_SETTINGS = {"replica.fetch.response.max.bytes": "1"}
"""What brokers are started with: a follower's fetch brings one record, as a step of the model does."""


class LiveRun:
    """One topic on a cluster, from its creation until all is quiet again. `first` is the number of its first value."""

    def __init__(self, cluster: Cluster, topic: str, settings: LiveSettings, random: Random, *, first: int = 0) -> None:
        self.cluster, self.settings, self.random, self.first = cluster, settings, random, first
        order = [1, *random.sample([2, 3], 2)]
        self.topic = ClusterTopic(cluster, topic, order, settings.of_the_topic)
        self.seen = Seen()
        self._frames: list[tuple[Frame, float]] = []
        self._over = False
        self._clock = time.time() - time.monotonic()
        """What to add to the time of a frame."""

    def run(self) -> Seen:
        """Do it, and return what was seen. Raises ClusterError if the brokers do not come back."""
        start = self._begin()
        task = Task(
            topic=self.topic.name,
            first=self.first,
            count=self.settings.values,
            acks=self.settings.acks,
            settings=self.settings.client_settings,
        )
        finish = CLIENTS[self.settings.client](self.cluster, task, self.random)
        faults = {"crash": self._crash, "pause": self._pause, "hold": self._hold, "move": self._move}
        for _ in range(self.random.randint(1, self.settings.most_faults) if self.settings.faults else 0):
            time.sleep(self.random.uniform(0, LONGEST_PAUSE))
            faults[self.random.choice(list(self.settings.faults))]()
        self.seen.sent.extend(finish())
        self._end()
        self._read_all(start)
        return self.seen

    def _begin(self) -> PartitionState:
        """Create the topic, wait until every broker knows of it, and look from then on."""
        self.topic.create()
        start = self._state()
        self.seen.decisions.append(Decision(at=time.time(), state=start))
        self.cluster.control.watch_decisions(self.topic.name, self._decided)
        self.cluster.gates.watch = self._watch
        return start

    def _end(self) -> None:
        """Wait until all is quiet, and look no more."""
        self.topic.until_in_sync()
        is_quiet = partial(self.topic.is_at_rest, *self.topic.order)
        self.topic.until(is_quiet, "equal logs and high watermarks", QUIET_SECONDS)
        # The followers' next fetches show that they have taken in the last answers.
        time.sleep(IDLE_SECONDS)
        self.cluster.gates.watch, self._over = None, True

    # Looking

    def _state(self) -> PartitionState:
        state = self.topic.state
        return PartitionState(leader=state.leader, leader_epoch=state.leader_epoch, isr=state.isr)

    def _watch(self, frame: Frame) -> None:
        if frame.kind in RECORDED:
            self._frames.append((frame, time.time()))

    def _decided(self, state: PartitionState, at: float) -> bool:
        """Note a decision; whether more are to be looked for."""
        if state != self.seen.decisions[-1].state:
            self.seen.decisions.append(Decision(at=at, state=state))
        return not self._over

    def _read_all(self, start: PartitionState) -> None:
        for frame, at in self._frames:
            self.seen.take(frame, self.topic.name, self.topic.id, frame.at + self._clock, at)
        log = self.cluster.control.metadata_log()
        self.seen.decisions.extend(decisions_of(log, self.topic.id, start))
        for broker in self.cluster.brokers:
            log_of, watermark = tuple(self.topic.log(broker)), self.topic.high_watermark(broker)
            self.seen.brokers[broker] = BrokerState(log=log_of, high_watermark=watermark or 0)

    # Faults

    def _happens(self, action: str, broker: int, **about: Any) -> None:
        self.seen.happened.append(Happened(action=action, broker=broker, at=time.time(), **about))

    def _some_broker(self) -> int:
        return self.random.choice(self.cluster.brokers)

    def _crash(self) -> None:
        """Kill a broker, end its session after a while, and start it again."""
        broker = self._some_broker()
        self.cluster.kill(broker)
        checkpoint = self.cluster.disk(broker).checkpointed(HIGH_WATERMARKS, self.topic.name)
        self._happens("crash", broker, log=tuple(self.topic.log(broker)), checkpoint=checkpoint)
        time.sleep(self.random.uniform(0, LONGEST_PAUSE))
        self._end_session(broker)
        time.sleep(self.random.uniform(0, 2 * LONGEST_PAUSE))
        self._happens("restart", broker)
        self.topic.restart(broker)

    def _end_session(self, broker: int) -> None:
        known = len(self.seen.decisions)
        self._happens(SESSION_ENDS, broker)
        self.topic.end_session(broker)
        what = f"a partition without broker {broker}"
        self.topic.until(lambda: self._is_without(broker, known), what, RESTART_SECONDS)

    def _is_without(self, broker: int, known: int) -> bool:
        """Has the controller decided on the partition, if the broker was in its ISR?"""
        states = [*(decision.state for decision in self.seen.decisions[known:]), self._state()]
        return any(broker not in state.isr or state.leader == NO_LEADER for state in states)

    def _pause(self) -> None:
        """End the session of a broker that knows nothing of that, and let it be heard of again after a while."""
        broker = self._some_broker()
        self._happens("pause", broker)
        self._end_session(broker)
        time.sleep(self.random.uniform(0, 2 * LONGEST_PAUSE))
        self._happens("unfence", broker)
        self.topic.unfence(broker)

    def _hold(self) -> None:
        """Hold what a follower asks of the leader, perhaps so long that the leader drops it."""
        leader = self._state().leader
        follower = self.random.choice([broker for broker in self.cluster.brokers if broker != leader])
        gates = self.cluster.gates
        gates.shut(FETCH, follower, leader)
        try:
            time.sleep(self.random.uniform(0, 2.5) * SHORT_LAG_MS / 1000)
        finally:
            gates.open(FETCH, follower, leader)

    def _move(self) -> None:
        """Have the preferred leader elected, if it may lead."""
        state = self._state()
        if state.leader != 1 and 1 in state.isr:
            self.cluster.control.elect_preferred(self.topic.name)
            self.topic.await_leader(1)
