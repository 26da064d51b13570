"""A run of real brokers that nobody steers: values are sent while random faults happen, and everything that passes is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from .clients import CLIENTS, LONGEST_PAUSE, Task
from .cluster import SHORT_LAG_MS, Cluster
from .control import CONTROLLING, topic_settings
from .gates import ALTER_ISR, CONTROL, FETCH, Frame
from .log_files import HIGH_WATERMARKS
from .sightings import SESSION_ENDS, BrokerState, Decision, Happened, Seen, decisions_of
from .wire import NO_LEADER, PartitionState
from .zookeeper import ZooKeeperControl

if TYPE_CHECKING:
    from kazoo.protocol.states import ZnodeStat

FAULTS = ("crash", "pause", "hold", "move")
"""Kill a broker and start it again; end the session of one that lives; hold a follower's fetches; elect the preferred leader."""
READY_SECONDS, BACK_SECONDS, QUIET_SECONDS = 60.0, 90.0, 30.0
IDLE_SECONDS = 0.3
METADATA_LOG_FOLDER = "__cluster_metadata-0"
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
        self.cluster, self.topic, self.settings, self.random, self.first = cluster, topic, settings, random, first
        self.seen = Seen()
        self.topic_id = b""
        self._frames: list[tuple[Frame, float]] = []
        self._over = False
        self._clock = time.time() - time.monotonic()
        """What to add to the time of a frame."""

    def run(self) -> Seen:
        """Do it, and return what was seen. Raises ClusterError if the brokers do not come back."""
        start = self._begin()
        task = Task(
            topic=self.topic,
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
        order = [1, *self.random.sample([2, 3], 2)]
        self.cluster.control.create_topic(self.topic, [order], self.settings.of_the_topic)
        self._until_all_are_in_sync()
        for broker in self.cluster.brokers:
            ready = partial(self.cluster.wire.is_new, self.cluster.client_port[broker], self.topic, order[0])
            self.cluster.until(ready, READY_SECONDS, f"broker {broker} with {self.topic}")
        start = self._state()
        if self.cluster.release.has_topic_ids:
            self.topic_id = self.cluster.wire.topic_id(self.cluster.client_port[CONTROLLING], self.topic)
        self.seen.decisions.append(Decision(at=time.time(), state=start))
        self._watch_decisions()
        self.cluster.gates.watch = self._watch
        return start

    def _end(self) -> None:
        """Wait until all is quiet, and look no more."""
        self._until_all_are_in_sync()
        self.cluster.until(self._is_quiet, QUIET_SECONDS, "equal logs and high watermarks")
        # The followers' next fetches show that they have taken in the last answers.
        time.sleep(IDLE_SECONDS)
        self.cluster.gates.watch, self._over = None, True

    # Looking

    def _state(self) -> PartitionState:
        state = self.cluster.control.partition(self.topic)
        return PartitionState(leader=state.leader, leader_epoch=state.leader_epoch, isr=state.isr)

    def _watch(self, frame: Frame) -> None:
        if frame.kind in RECORDED:
            self._frames.append((frame, time.time()))

    def _watch_decisions(self) -> None:
        """In KRaft mode all of them are in the metadata log; ZooKeeper tells of each state as long as nobody is too quick."""
        if not isinstance(self.cluster.control, ZooKeeperControl):
            return

        def changed(data: bytes | None, stat: ZnodeStat | None) -> bool:
            if data is None or stat is None:
                return False
            found = json.loads(data)
            state = PartitionState(
                leader=found["leader"], leader_epoch=found["leader_epoch"], isr=tuple(sorted(found["isr"]))
            )
            if state != self.seen.decisions[-1].state:
                self.seen.decisions.append(Decision(at=stat.mtime / 1000, state=state))
            return not self._over

        self.cluster.control.client.DataWatch(f"/brokers/topics/{self.topic}/partitions/0/state", changed)

    def _read_all(self, start: PartitionState) -> None:
        for frame, at in self._frames:
            self.seen.take(frame, self.topic, self.topic_id, frame.at + self._clock, at)
        if self.cluster.release.kraft:
            folder = self.cluster.folder / f"data{CONTROLLING}" / METADATA_LOG_FOLDER
            log = b"".join(segment.read_bytes() for segment in sorted(folder.glob("*.log")))
            self.seen.decisions.extend(decisions_of(log, self.topic_id, start))
        for broker in self.cluster.brokers:
            watermark = self.cluster.wire.high_watermark(self.cluster.client_port[broker], self.topic)
            log_of = tuple(self.cluster.disk(broker).log(self.topic))
            self.seen.brokers[broker] = BrokerState(log=log_of, high_watermark=watermark or 0)

    def _until_all_are_in_sync(self) -> None:
        members = tuple(self.cluster.brokers)
        self.cluster.until(
            lambda: self._state().isr == members, BACK_SECONDS, f"all replicas of {self.topic} in the ISR"
        )

    def _is_quiet(self) -> bool:
        wire, ports = self.cluster.wire, [self.cluster.client_port[broker] for broker in self.cluster.brokers]
        ends = {wire.end_offset(port, self.topic)[1] for port in ports}
        return len(ends) == 1 and {wire.high_watermark(port, self.topic) for port in ports} == ends

    # Faults

    def _happens(self, action: str, broker: int, **about: Any) -> None:
        self.seen.happened.append(Happened(action=action, broker=broker, at=time.time(), **about))

    def _some_broker(self) -> int:
        return self.random.choice(self.cluster.brokers)

    def _wait_for(self, look: Callable[[], object], what: str) -> None:
        self.cluster.until(look, BACK_SECONDS, what)

    def _crash(self) -> None:
        """Kill a broker, end its session after a while, and start it again."""
        broker, control = self._some_broker(), self.cluster.control
        self.cluster.kill(broker)
        disk = self.cluster.disk(broker)
        log = tuple(disk.log(self.topic))
        self._happens("crash", broker, log=log, checkpoint=disk.checkpointed(HIGH_WATERMARKS, self.topic))
        time.sleep(self.random.uniform(0, LONGEST_PAUSE))
        self._end_session(broker)
        time.sleep(self.random.uniform(0, 2 * LONGEST_PAUSE))
        control.may_restart(broker)
        self._happens("restart", broker)
        self.cluster.start_node(broker)
        self._wait_for(lambda: broker in control.live(), f"broker {broker} again")

    def _end_session(self, broker: int) -> None:
        known = len(self.seen.decisions)
        self._happens(SESSION_ENDS, broker)
        self.cluster.control.end_session(broker)
        self._wait_for(lambda: self._is_without(broker, known), f"the end of the session of broker {broker}")

    def _is_without(self, broker: int, known: int) -> bool:
        """Has the controller ended the session, and decided on the partition if the broker was in its ISR?"""
        states = [*(decision.state for decision in self.seen.decisions[known:]), self._state()]
        decided = any(broker not in state.isr or state.leader == NO_LEADER for state in states)
        return decided and broker not in self.cluster.control.live()

    def _pause(self) -> None:
        """End the session of a broker that knows nothing of that, and let it be heard of again after a while."""
        broker, control = self._some_broker(), self.cluster.control
        self._happens("pause", broker)
        self._end_session(broker)
        time.sleep(self.random.uniform(0, 2 * LONGEST_PAUSE))
        self._happens("unfence", broker)
        control.hear_again(broker)
        self._wait_for(lambda: broker in control.live(), f"broker {broker} again")

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
            self.cluster.control.elect_preferred(self.topic)
            self._wait_for(lambda: self._state().leader == 1, "broker 1 as leader")
