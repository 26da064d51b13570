"""A whole cluster that runs by itself: brokers fetch, check their ISRs and write checkpoints, and the controller reacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from .broker import Broker, BrokerSettings
from .clock import VirtualClock
from .controller import CONTROLLER, Controller
from .fetchers import broker_name
from .leadership import Leadership
from .messages import AlterPartitionRequest
from .network import Network
from .protocol import Protocol, TopicPartition, TopicSettings
from .replica import Replica
from .scheduler import Move, Scheduler


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """The durations of what happens."""

    brokers: tuple[int, ...] = (1, 2, 3)
    session_timeout_ms: int = 6_000
    checkpoint_interval_ms: int = 5_000
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    seed: int = 0


class ControllerLink:
    """How a broker gets ISRs recorded."""

    def __init__(self, controller: Controller, network: Network) -> None:
        self._controller, self._network = controller, network

    def write(self, partition: TopicPartition, leadership: Leadership, isr: frozenset[int]) -> int | None:
        return self._controller.write_isr(partition, leadership.broker, leadership.epoch, isr)

    def ask(self, partition: TopicPartition, leadership: Leadership, isr: frozenset[int]) -> None:
        request = AlterPartitionRequest(
            partition=partition,
            leader=leadership.broker,
            leader_epoch=leadership.epoch,
            partition_epoch=leadership.isr.partition_epoch,
            isr=isr,
            broker_epochs=leadership.broker_epochs(isr),
        )
        self._network.send(broker_name(leadership.broker), CONTROLLER, request)


class Components:
    """Brokers, controller and network, connected. Nothing happens by itself: the caller decides what happens."""

    def __init__(
        self, protocol: Protocol, brokers: Iterable[int], topics: Mapping[str, TopicSettings], settings: BrokerSettings
    ) -> None:
        self.protocol, self.topics = protocol, dict(topics)
        self.clock, self.network = VirtualClock(), Network()
        self.controller = Controller(protocol, self.network)
        link = ControllerLink(self.controller, self.network)
        self.brokers = {
            number: Broker(
                broker=number,
                protocol=protocol,
                settings=replace(settings, topics=self.topics),
                clock=self.clock,
                network=self.network,
                recorder=link,
            )
            for number in brokers
        }
        for number in self.brokers:
            self.start(number)

    def start(self, broker: int) -> None:
        """A broker starts and registers."""
        clean = self.brokers[broker].disk.shut_down_cleanly
        self.brokers[broker].start(self.controller.register(broker, clean=clean))

    def create(self, partition: TopicPartition, replicas: tuple[int, ...]) -> None:
        """Create a partition."""
        self.controller.create(partition, replicas, self.topics.get(partition.topic, TopicSettings()))

    def replica(self, broker: int, partition: TopicPartition) -> Replica:
        """The replica of a running broker."""
        return self.brokers[broker].running.manager.replica(partition)


class Cluster(Components):
    """Components that a scheduler drives: all that may happen does happen, in an order that the seed decides."""

    def __init__(
        self, protocol: Protocol, topics: Mapping[str, TopicSettings], settings: ClusterSettings | None = None
    ) -> None:
        self.settings = settings or ClusterSettings()
        super().__init__(protocol, self.settings.brokers, topics, self.settings.broker)
        self.scheduler = Scheduler(self.clock, self.settings.seed)
        self.scheduler.moves += [self._deliveries, self._handling, self._sending, self._fetching, self._reaping]
        self.scheduler.wakes += [self._next_timeout]
        self.scheduler.every(self.settings.broker.max_lag_ms // 2, self._look_at_isrs)
        self.scheduler.every(self.settings.checkpoint_interval_ms, self._checkpoint)
        self.severed: set[tuple[str, str]] = set()

    def running(self) -> list[Broker]:
        """The brokers that are up."""
        return [broker for broker in self.brokers.values() if broker.process is not None]

    def _deliveries(self) -> list[Move]:
        """A message may arrive, unless its connection is cut."""
        arriving = self.network.next_of_each_pair()
        return [
            partial(self.network.deliver, envelope)
            for envelope in arriving
            if (envelope.source, envelope.target) not in self.severed
        ]

    def _handling(self) -> list[Move]:
        """A handler may take a request, or do the next step of one that it has taken."""
        return [partial(b.act, move) for b in self.running() for move in b.running.pool.moves()]

    def _sending(self) -> list[Move]:
        """A network thread may send a response."""
        return [
            partial(broker.running.channel.send, queued)
            for broker in self.running()
            for queued in broker.running.channel.queued
        ]

    def _fetching(self) -> list[Move]:
        """A fetcher may send its next request, unless it has to back off."""
        found: list[Move] = []
        for broker in self.running():
            fetchers = broker.running.fetchers
            found += [partial(fetchers.send, tp) for tp in fetchers.ready(self.clock.now_ms)]
        return found

    def _reaping(self) -> list[Move]:
        """A reaper may find that a bucket of its timer has expired."""
        return [broker.running.reaper.reap for broker in self.running() if broker.running.reaper.has_work()]

    def _next_timeout(self) -> int | None:
        """The next deadline of a purgatory, or end of a fetcher's backoff."""
        times = []
        for broker in self.running():
            expiration = broker.running.manager.timer.next_expiration()
            times += [] if expiration is None else [expiration]
            times += broker.running.fetchers.backing_off(self.clock.now_ms)
        return min(times, default=None)

    def _look_at_isrs(self) -> None:
        for broker in self.running():
            broker.running.manager.drop_slow_followers()

    def _checkpoint(self) -> None:
        for broker in self.running():
            broker.running.manager.checkpoint()

    def _elect(self) -> None:
        """The controller elects leaders for partitions without one: without loss if it can, else if that is allowed."""
        for partition in self.controller.records:
            if not self.controller.elect(partition):
                self.controller.elect_unclean(partition)

    def crash(self, broker: int) -> None:
        """A broker's process ends; its session ends a while later."""
        self.brokers[broker].crash()
        self._end_session_later(broker)

    def lose_power(self, broker: int, kept: dict[TopicPartition, int] | None = None) -> None:
        """A broker's machine loses power; its session ends a while later."""
        self.brokers[broker].lose_power(kept)
        self._end_session_later(broker)

    def shut_down(self, broker: int) -> None:
        """A broker hands over leadership if it can, and ends cleanly (R-STOP-1)."""
        if not self.controller.let_go(broker):
            self._end_session_later(broker)
        self.brokers[broker].shut_down()

    def _end_session_later(self, broker: int) -> None:
        registration = self.controller.broker_epochs[broker]

        def end() -> None:
            if self.controller.broker_epochs[broker] == registration and self.brokers[broker].process is None:
                self.controller.session_ended(broker)
                self._elect()

        self.scheduler.after(self.settings.session_timeout_ms, end)

    def restart(self, broker: int) -> None:
        """A broker starts again. If its old session has not ended yet, that ends now."""
        if broker not in self.controller.fenced:
            self.controller.session_ended(broker)
        self.start(broker)
        self._elect()

    def sever(self, one: str, other: str) -> None:
        """No message goes from one end to the other until `heal`; messages in flight wait."""
        self.severed.add((one, other))

    def heal(self) -> None:
        """Every message may arrive again."""
        self.severed.clear()

    def run_for(self, duration_ms: int) -> None:
        """Let the cluster run for this time."""
        self.scheduler.run_for(duration_ms)
