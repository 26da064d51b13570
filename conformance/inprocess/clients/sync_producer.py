"""The synchronous producer of 0.8.2: it sends until everything is answered or no attempts are left (R-CLIENT-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ErrorCode
from ..log import Record
from ..messages import ACKS_NONE, ProduceRequest, ProduceResponse
from ..protocol import TopicPartition
from .connection_pool import ConnectionPool, UnknownBroker
from .metadata import ClientMetadata, MetadataUnavailable
from .routing import Keyless, NoPartitionAvailable, partition_of_key
from .wire import ConnectionLost, NoResponse, Wire


class FailedToSendMessage(Exception):
    """No attempts are left; `outstanding` are the messages that no broker has acknowledged."""

    def __init__(self, outstanding: Sequence[Message], attempts: int) -> None:
        super().__init__(f"{len(outstanding)} messages were not sent in {attempts} attempts")
        self.outstanding = tuple(outstanding)


class IncompleteResponse(Exception):
    """A response has a different number of partitions than the request."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message that a program wants to send."""

    topic: str
    value: str
    key: str | None = None
    partition: int | None = None
    """An explicit partition overrides everything else (R-CLIENT-1)."""


@dataclass(frozen=True, kw_only=True)
class SyncProducerSettings:
    """The producer's settings, under their names of 0.8.2."""

    request_required_acks: int = 0
    request_timeout_ms: int = 10_000
    message_send_max_retries: int = 3
    retry_backoff_ms: int = 100
    topic_metadata_refresh_interval_ms: int = 600_000


ByPartition = dict[TopicPartition, list[Message]]


class SyncProducer:
    """Routes messages, groups them by leader, sends them, and retries what failed."""

    def __init__(
        self, *, client: str, wire: Wire, metadata: ClientMetadata, keyless: Keyless, settings: SyncProducerSettings
    ) -> None:
        self._wire, self._metadata, self._keyless, self._settings = wire, metadata, keyless, settings
        self._pool = ConnectionPool(client)
        self._refreshed_ms: int | None = None

    def send(self, messages: Sequence[Message]) -> None:
        """Send all messages. Raises FailedToSendMessage with the outstanding ones when no attempts are left."""
        outstanding = list(messages)
        attempts = self._settings.message_send_max_retries + 1
        for _ in range(attempts):
            topics = sorted({message.topic for message in outstanding})
            if self._refresh_is_due():
                self._refresh(topics)
            outstanding = self._dispatch(outstanding)
            if not outstanding:
                return
            self._wire.sleep(self._settings.retry_backoff_ms)
            self._refresh(sorted({message.topic for message in outstanding}))
        raise FailedToSendMessage(outstanding, attempts)

    def _refresh_is_due(self) -> bool:
        interval_ms = self._settings.topic_metadata_refresh_interval_ms
        if self._refreshed_ms is None:
            return True
        return interval_ms >= 0 and self._wire.now_ms() - self._refreshed_ms > interval_ms

    def _refresh(self, topics: Sequence[str]) -> None:
        """Refresh the metadata, rebuild the pool, and choose new partitions for keyless messages. Without an answer, change nothing."""
        try:
            self._metadata.refresh(topics)
        except MetadataUnavailable:
            return
        self._refreshed_ms = self._wire.now_ms()
        self._pool.rebuild(self._metadata.brokers)
        self._keyless.refreshed()

    def _dispatch(self, messages: Sequence[Message]) -> list[Message]:
        """Send every leader its messages. Returns what failed, or could not be sent."""
        failed: list[Message] = []
        by_broker, unroutable = self.partition_and_collate(messages)
        failed += unroutable
        for broker, by_partition in by_broker.items():
            failures = self._send_to(broker, by_partition)
            failed += [message for partition in failures for message in by_partition[partition]]
        return failed

    def partition_and_collate(self, messages: Sequence[Message]) -> tuple[dict[int, ByPartition], list[Message]]:
        """Messages by leader and then by partition, with leader -1 for partitions without one; and messages without a partition."""
        by_broker: dict[int, ByPartition] = {}
        unroutable = []
        for message in messages:
            try:
                partition = TopicPartition(topic=message.topic, partition=self._route(message))
            except NoPartitionAvailable:
                unroutable.append(message)
                continue
            leader = self._metadata.leader(partition)
            by_broker.setdefault(leader, {}).setdefault(partition, []).append(message)
        return by_broker, unroutable

    def _route(self, message: Message) -> int:
        leaders = self._metadata.leaders(message.topic)
        if message.partition is not None:
            return message.partition
        if not leaders:
            raise NoPartitionAvailable(f"topic {message.topic} is not known")
        if message.key is not None:
            return partition_of_key(message.key, len(leaders))
        return self._keyless.partition(message.topic, leaders)

    def _send_to(self, broker: int, by_partition: ByPartition) -> list[TopicPartition]:
        """Send one request. Returns the partitions that failed. A partition without a leader is not sent, and stays outstanding."""
        if broker < 0:
            return list(by_partition)
        settings = self._settings
        request = ProduceRequest(
            acks=settings.request_required_acks,
            timeout_ms=settings.request_timeout_ms,
            records={
                tp: tuple(Record(value=message.value, key=message.key) for message in own)
                for tp, own in by_partition.items()
            },
        )
        try:
            connection = self._pool.connection(broker)
            if request.acks == ACKS_NONE:
                self._wire.send(connection, broker, request)
                return []
            response = self._wire.exchange(connection, broker, request, settings.request_timeout_ms)
            return failed_partitions(request, response)
        except (ConnectionLost, NoResponse, UnknownBroker, IncompleteResponse):
            return list(by_partition)


def failed_partitions(request: ProduceRequest, response: object) -> list[TopicPartition]:
    """The partitions that were answered with an error. Raises IncompleteResponse if some were not answered at all."""
    if not isinstance(response, ProduceResponse) or len(response.partitions) != len(request.records):
        raise IncompleteResponse(f"asked for {len(request.records)} partitions, answered {response}")
    return [tp for tp, one in response.partitions.items() if one.error is not ErrorCode.NONE]
