"""A broker: a process that starts from its disk, and what survives when it ends (R-CRASH-1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from .clock import VirtualClock
from .disk import Disk
from .fetchers import Fetchers, broker_name
from .group_coordinator import GroupCoordinator
from .isr_changes import IsrChanges, IsrRecorder
from .messages import AlterPartitionResponse, LeaderAndIsr, MetadataRequest, MetadataResponse
from .network import Call, Closed, Envelope, Network, Reply
from .protocol import OFFSETS_TOPIC, Protocol, TopicPartition, TopicSettings
from .replica import Replica, Site
from .replica_manager import BrokerHalted, ReplicaManager
from .request_path import HandlerPool, Request, RequestChannel, RequestHandlers
from .timer import Reaper


@dataclass(frozen=True, kw_only=True)
class BrokerSettings:
    """The configuration of a broker."""

    max_lag_ms: int = 10_000
    """replica.lag.time.max.ms"""
    fetch_wait_ms: int = 500
    """replica.fetch.wait.max.ms"""
    handlers: int = 8
    """num.io.threads"""
    joins_isr_by_fetch: bool = True
    """Does the fetch that shows that a follower has caught up add it to the ISR? A test may want to do that itself."""
    topics: Mapping[str, TopicSettings] = field(default_factory=dict)


class Process:
    """A running broker: everything that is lost when it ends."""

    def __init__(
        self,
        *,
        broker: int,
        broker_epoch: int,
        protocol: Protocol,
        settings: BrokerSettings,
        disk: Disk,
        clock: VirtualClock,
        network: Network,
        recorder: IsrRecorder,
    ) -> None:
        self.broker, self.protocol, self.settings = broker, protocol, settings
        self.disk, self.clock, self.network = disk, clock, network
        self.isr_changes = IsrChanges(recorder, settings.max_lag_ms)
        self.manager = ReplicaManager(protocol=protocol, clock=clock, isr_changes=self.isr_changes)
        self.manager.joins_isr_by_fetch = settings.joins_isr_by_fetch
        self.manager.internal_topics = {name for name, topic in settings.topics.items() if topic.internal}
        self.channel = RequestChannel()
        self.handlers = RequestHandlers(self.manager, self.channel, self._metadata)
        self.coordinator = GroupCoordinator(self.manager, OFFSETS_TOPIC)
        self.handlers.others.update(self.coordinator.handlers())
        self.pool = HandlerPool(self.channel, self.handlers.handle, size=settings.handlers)
        self.fetchers = Fetchers(
            broker=broker,
            broker_epoch=broker_epoch,
            network=network,
            replicas=self.manager.replicas,
            wait_ms=settings.fetch_wait_ms,
        )
        self.reaper = Reaper(self.manager.timer, clock)
        self.leaders: dict[TopicPartition, LeaderAndIsr] = {}

    def _metadata(self, request: MetadataRequest) -> MetadataResponse:
        """The leader, as this broker has heard; -1 if there is none."""
        known = {tp: news.leader for tp, news in self.leaders.items() if tp.topic in request.topics}
        return MetadataResponse(
            brokers=tuple(sorted({leader for leader in known.values() if leader is not None})),
            leaders={tp: -1 if leader is None else leader for tp, leader in known.items()},
        )

    def take(self, envelope: Envelope) -> None:
        """Receive a message."""
        match envelope.body:
            case Call() as call:
                self._receive(envelope.source, call)
            case Reply() | Closed():
                self.fetchers.take(envelope.body, self.clock.now_ms)
            case LeaderAndIsr() as news:
                self._hear(news)
            case AlterPartitionResponse() as answer:
                self.isr_changes.take_answer(self.manager.replica(answer.partition), answer)

    def _receive(self, source: str, call: Call) -> None:
        name = broker_name(self.broker)

        def respond(body: object) -> None:
            self.network.send(name, source, Reply(number=call.number, body=body))

        def close() -> None:
            self.network.send(name, source, Closed(number=call.number))

        self.channel.receive(
            Request(connection=call.connection or source, body=call.body, respond=respond, close=close)
        )

    def _hear(self, news: LeaderAndIsr) -> None:
        """Take in who leads; a partition that this broker is to host gets a replica, from what is on disk (R-META-1)."""
        partition = news.partition
        known = self.leaders.get(partition)
        if known is None or news.leader_epoch > known.leader_epoch:
            self.leaders[partition] = news
        if self.broker not in news.replicas:
            self.manager.elsewhere.add(partition)
            return
        if partition not in self.manager.replicas:
            self.manager.host(Replica(self._site(news)))
        self.manager.hear(news)

    def _site(self, news: LeaderAndIsr) -> Site:
        return Site(
            broker=self.broker,
            partition=news.partition,
            replicas=news.replicas,
            disk=self.disk,
            clock=self.clock,
            protocol=self.protocol,
            settings=self.settings.topics.get(news.partition.topic, TopicSettings()),
        )


class Broker:
    """A machine with a disk, on which a broker process runs or not."""

    def __init__(
        self,
        *,
        broker: int,
        protocol: Protocol,
        settings: BrokerSettings,
        clock: VirtualClock,
        network: Network,
        recorder: IsrRecorder,
    ) -> None:
        self.broker, self.name, self.disk = broker, broker_name(broker), Disk()
        self._network = network
        self._make = partial(
            Process,
            broker=broker,
            protocol=protocol,
            settings=settings,
            disk=self.disk,
            clock=clock,
            network=network,
            recorder=recorder,
        )
        self.process: Process | None = None

    @property
    def running(self) -> Process:
        """The process. Raises RuntimeError while the broker is down."""
        if self.process is None:
            raise RuntimeError(f"{self.name} is down")
        return self.process

    def start(self, broker_epoch: int) -> None:
        """Start from what is on the disk, under the registration that the controller gave."""
        self.process = self._make(broker_epoch=broker_epoch)
        self.disk.shut_down_cleanly = False
        self._network.attach(self.name, self.take)

    def take(self, envelope: Envelope) -> None:
        """Receive a message. A process whose disk fails may halt on it (R-PROD-5)."""
        self.running.take(envelope)

    def act(self, move: Callable[[], object]) -> None:
        """Let the process do something; it may halt on it (R-PROD-5)."""
        try:
            move()
        except BrokerHalted:
            self.crash()

    def crash(self) -> None:
        """The process ends without warning: connections close, what was on its way from it is not taken back (R-CRASH-1)."""
        ended = self.running
        self.process = None
        self._network.detach(self.name)
        for request in ended.channel.unanswered.values():
            request.close()

    def shut_down(self) -> None:
        """The process ends in order: everything is flushed, high watermarks are written down, and a mark says so (R-STOP-2)."""
        self.running.manager.checkpoint()
        self.crash()
        self.disk.mark_clean_shutdown()

    def lose_power(self, kept: dict[TopicPartition, int] | None = None) -> None:
        """The machine stops: of each log a part survives, all that was flushed at least (R-CRASH-1)."""
        self.crash()
        self.disk.lose_power(kept or {})

    def lose_disk(self) -> None:
        """The machine stops, and comes back with an empty disk (R-CRASH-1)."""
        self.crash()
        self.disk.lose_everything()
