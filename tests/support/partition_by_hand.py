"""One partition on three brokers, moved by hand: what tests of the in-process broker share."""

from __future__ import annotations

from dataclasses import replace

from neverlost.conformance.inprocess.broker import BrokerSettings
from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.log import ProducerStamp, Record
from neverlost.conformance.inprocess.messages import ACKS_ALL, ProduceRequest, ProduceResponse
from neverlost.conformance.inprocess.protocol import KAFKA_3_6, Protocol, TopicPartition, TopicSettings
from neverlost.conformance.inprocess.replica import Replica
from neverlost.conformance.inprocess.stepped_cluster import ClientRequest, SteppedCluster

PARTITION = TopicPartition(topic="orders")


class ThreeBrokers(SteppedCluster):
    """orders-0 on brokers 1, 2 and 3; 1 leads epoch 0, and all have heard so. Followers join the ISR when a test says so."""

    def __init__(
        self,
        protocol: Protocol = KAFKA_3_6,
        *,
        min_isr: int = 1,
        unclean: bool = False,
        flush: bool = False,
        joins_isr_by_fetch: bool = False,
    ) -> None:
        topic = TopicSettings(min_isr=min_isr, unclean_election=unclean, flush_every_record=flush)
        settings = BrokerSettings(joins_isr_by_fetch=joins_isr_by_fetch)
        super().__init__(protocol, topics={PARTITION.topic: topic}, settings=settings)
        self.create(PARTITION, (1, 2, 3))
        self.all_hear(PARTITION)

    def of(self, broker: int) -> Replica:
        return self.replica(broker, PARTITION)

    def values(self, broker: int) -> list[str]:
        return [f"{entry.record.value}@{entry.leader_epoch}" for entry in self.of(broker).log.entries]

    def produce(
        self, broker: int, *values: str, acks: int = ACKS_ALL, timeout_ms: int = 100, lose_answer: bool = False
    ) -> ClientRequest:
        records = tuple(Record(value=value) for value in values)
        request = ProduceRequest(acks=acks, timeout_ms=timeout_ms, records={PARTITION: records})
        return self.ask(broker, request, lose_answer=lose_answer)

    def produce_stamped(self, broker: int, value: str, epoch: int, sequence: int) -> ClientRequest:
        stamp = ProducerStamp(producer_id=7, producer_epoch=epoch, sequence=sequence)
        record = Record(value=value, stamp=stamp)
        return self.ask(broker, ProduceRequest(acks=ACKS_ALL, timeout_ms=100, records={PARTITION: (record,)}))

    def fetch_by(self, *followers: int) -> None:
        for follower in followers:
            self.fetch(follower, PARTITION)

    def shrink(self, leader: int, follower: int) -> None:
        """The leader drops a follower; where it asks the controller, that agrees and the leader hears so."""
        self.change(leader, self.of(leader).led().isr.committed - {follower})

    def change(self, leader: int, isr: frozenset[int]) -> None:
        replica = self.of(leader)
        self.brokers[leader].running.isr_changes.change(replica, isr)
        self.let_clients_hear()
        if self.protocol.asks_for_isr:
            self.decide_isr(leader)
            self.learn_isr(leader)

    def fail(self, broker: int, successor: int | None = None) -> None:
        """A broker crashes, its session ends, and everybody else hears of it."""
        self.brokers[broker].crash()
        self.let_clients_hear()
        self.controller.session_ended(broker, lambda candidates: successor or candidates[0])
        self.all_hear(PARTITION)

    def come_back(self, broker: int) -> None:
        """A broker starts again and hears the newest."""
        self.start(broker)
        self.all_hear(PARTITION)


def errors(asked: ClientRequest) -> dict[TopicPartition, ErrorCode]:
    """The error of each partition in a produce response."""
    assert isinstance(asked.answer, ProduceResponse), asked
    return {partition: one.error for partition, one in asked.answer.partitions.items()}


def error(asked: ClientRequest) -> ErrorCode:
    """The error of the one partition in a produce response."""
    (only,) = errors(asked).values()
    return only


def variant(protocol: Protocol, **changes: object) -> Protocol:
    """A protocol with some behaviour otherwise."""
    return replace(protocol, **changes)  # type: ignore[arg-type]
