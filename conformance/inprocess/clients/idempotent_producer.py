"""A newer producer: batches in flight, retries, and with idempotence numbers by which brokers recognise a retry (R-CLIENT-3).

Simplified: a batch is one record, and a partition has one queue. With idempotence, at most five are in flight, and retries keep
their order; without it, a retry goes behind what was sent meanwhile, so records can be reordered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import ErrorCode
from ..log import ProducerStamp, Record
from ..messages import ACKS_ALL, PartitionResponse, ProduceRequest, ProduceResponse
from ..protocol import TopicPartition

MAX_IDEMPOTENT_IN_FLIGHT = 5

RETRIABLE = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.LEADER_NOT_AVAILABLE,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NETWORK_EXCEPTION,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.KAFKA_STORAGE_ERROR,
)


@dataclass(frozen=True, kw_only=True)
class ProducerSettings:
    """The producer's settings, under their names without dots."""

    acks: int = ACKS_ALL
    retries: int = 2147483647
    max_in_flight: int = 5
    enable_idempotence: bool = True
    request_timeout_ms: int = 30_000

    def __post_init__(self) -> None:
        if self.enable_idempotence and self.acks != ACKS_ALL:
            raise ValueError("an idempotent producer needs acks=all; switch idempotence off or ask for acks=all")
        if self.enable_idempotence and self.max_in_flight > MAX_IDEMPOTENT_IN_FLIGHT:
            raise ValueError(
                f"an idempotent producer has at most {MAX_IDEMPOTENT_IN_FLIGHT} requests in flight, as brokers remember"
                f" no more batches; max_in_flight is {self.max_in_flight}"
            )


@dataclass(eq=False)
class Batch:
    """One record on its way; `outcome` is set once it is final."""

    record: Record
    attempts: int = 0
    outcome: PartitionResponse | None = None


class IdempotentProducer:
    """Writes to one partition. `transmit` sends a request; its caller passes the answer to `take`."""

    def __init__(
        self,
        *,
        producer_id: int,
        partition: TopicPartition,
        transmit: Callable[[Batch, ProduceRequest], None],
        settings: ProducerSettings,
    ) -> None:
        self.producer_id, self.partition, self.settings = producer_id, partition, settings
        self._transmit = transmit
        self._producer_epoch, self._sequence = 0, 0
        self._queue: deque[Batch] = deque()
        self._in_flight: list[Batch] = []

    def send(self, value: str, key: str | None = None) -> Batch:
        """Put a record in the queue, numbered, and send what may be sent."""
        stamp = None
        if self.settings.enable_idempotence:
            stamp = ProducerStamp(
                producer_id=self.producer_id, producer_epoch=self._producer_epoch, sequence=self._sequence
            )
            self._sequence += 1
        batch = Batch(Record(value=value, key=key, stamp=stamp))
        self._queue.append(batch)
        self._send_what_may_be_sent()
        return batch

    def _send_what_may_be_sent(self) -> None:
        while self._queue and len(self._in_flight) < self.settings.max_in_flight:
            batch = self._queue.popleft()
            self._in_flight.append(batch)
            batch.attempts += 1
            request = ProduceRequest(
                acks=self.settings.acks,
                timeout_ms=self.settings.request_timeout_ms,
                records={self.partition: (batch.record,)},
            )
            self._transmit(batch, request)

    def take(self, batch: Batch, response: ProduceResponse | None) -> None:
        """Handle the response to a batch; None if none came. Retry what may be retried, then send the next batches."""
        if batch not in self._in_flight:
            return
        self._in_flight.remove(batch)
        answer = PartitionResponse(error=ErrorCode.NETWORK_EXCEPTION)
        if response is not None:
            answer = response.partitions[self.partition]
        if answer.error in self._retriable() and batch.attempts <= self.settings.retries:
            self._queue_again(batch)
        else:
            batch.outcome = answer
            if answer.error is not ErrorCode.NONE and self.settings.enable_idempotence:
                self._number_anew()
        self._send_what_may_be_sent()

    def _retriable(self) -> tuple[ErrorCode, ...]:
        """An idempotent producer whose earlier batch failed also retries what came too early."""
        if self.settings.enable_idempotence and (self._in_flight or self._queue):
            return (*RETRIABLE, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
        return RETRIABLE

    def _queue_again(self, batch: Batch) -> None:
        """With idempotence, in the order of sequences; without, in front of the queue, so behind what is in flight."""
        self._queue.appendleft(batch)
        if self.settings.enable_idempotence:
            self._queue = deque(sorted(self._queue, key=_sequence))

    def _number_anew(self) -> None:
        """The producer gave up a batch: later batches get another producer epoch, and sequences without a gap."""
        self._producer_epoch += 1
        self._sequence = 0
        for batch in self._queue:
            batch.record = Record(
                value=batch.record.value,
                key=batch.record.key,
                stamp=ProducerStamp(
                    producer_id=self.producer_id, producer_epoch=self._producer_epoch, sequence=self._sequence
                ),
            )
            self._sequence += 1


def _sequence(batch: Batch) -> tuple[int, int]:
    stamp = batch.record.stamp
    return (0, 0) if stamp is None else (stamp.producer_epoch, stamp.sequence)
