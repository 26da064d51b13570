"""A wire whose answers a test writes down beforehand: what the 0.8.2 producer is tested with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neverlost.conformance.inprocess.clients.wire import ConnectionLost
from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.messages import (
    MetadataRequest,
    MetadataResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from neverlost.conformance.inprocess.protocol import TopicPartition

Answer = Callable[[int, ProduceRequest], object]


def accept(_: int, request: ProduceRequest) -> ProduceResponse:
    """Every partition took its records."""
    return ProduceResponse(partitions={tp: PartitionResponse(error=ErrorCode.NONE) for tp in request.records})


def refuse(error: ErrorCode, *partitions: int) -> Answer:
    """Some partitions, all if none is named, answer with an error."""

    def answer(_: int, request: ProduceRequest) -> ProduceResponse:
        return ProduceResponse(
            partitions={
                tp: PartitionResponse(error=error if not partitions or tp.partition in partitions else ErrorCode.NONE)
                for tp in request.records
            }
        )

    return answer


def lose(_: int, request: ProduceRequest) -> object:
    """The connection breaks."""
    raise ConnectionLost


class ScriptedWire:
    """Answers produce requests by the script, by `accept` when that is at its end; metadata by `leaders`, which may change."""

    def __init__(
        self, leaders: Mapping[int, int], *, topic: str = "orders", script: list[Answer] | None = None
    ) -> None:
        self.leaders, self.topic, self.script = dict(leaders), topic, script or []
        self.sent: list[tuple[str, int, ProduceRequest]] = []
        self.refreshes = 0
        self.metadata_fails = False
        self.time_ms = 0

    def exchange(self, connection: str, broker: int, body: object, timeout_ms: int) -> object:
        if isinstance(body, MetadataRequest):
            if self.metadata_fails:
                raise ConnectionLost
            self.refreshes += 1
            leaders = {TopicPartition(topic=self.topic, partition=p): leader for p, leader in self.leaders.items()}
            return MetadataResponse(brokers=(1, 2, 3), leaders=leaders)
        assert isinstance(body, ProduceRequest)
        self.sent.append((connection, broker, body))
        return (self.script.pop(0) if self.script else accept)(broker, body)

    def send(self, connection: str, broker: int, body: object) -> None:
        assert isinstance(body, ProduceRequest)
        self.sent.append((connection, broker, body))

    def sleep(self, delay_ms: int) -> None:
        self.time_ms += delay_ms

    def now_ms(self) -> int:
        return self.time_ms

    def values(self) -> list[list[str]]:
        """What each produce request had, in order."""
        return [[record.value for own in body.records.values() for record in own] for _, _, body in self.sent]
