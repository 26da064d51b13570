"""What a client knows about the cluster: the partitions of a topic and their leaders."""

from __future__ import annotations

from collections.abc import Sequence

from ..messages import MetadataRequest, MetadataResponse
from ..protocol import TopicPartition
from .routing import NO_LEADER
from .wire import ConnectionLost, NoResponse, Wire


class MetadataUnavailable(Exception):
    """No broker answered."""


class ClientMetadata:
    """Leaders by partition at the latest refresh; a refresh asks one broker after another until one answers."""

    def __init__(self, wire: Wire, client: str, bootstrap: Sequence[int], timeout_ms: int = 1_000) -> None:
        self._wire, self._client, self._bootstrap, self._timeout_ms = wire, client, tuple(bootstrap), timeout_ms
        self._leaders: dict[TopicPartition, int] = {}
        self.brokers: tuple[int, ...] = ()

    def refresh(self, topics: Sequence[str]) -> None:
        """Ask who leads the partitions of these topics. Raises MetadataUnavailable."""
        for broker in self._bootstrap:
            try:
                answer = self._wire.exchange(
                    f"{self._client}-metadata", broker, MetadataRequest(topics=tuple(topics)), self._timeout_ms
                )
            except (ConnectionLost, NoResponse):
                continue
            if isinstance(answer, MetadataResponse):
                self._leaders.update(answer.leaders)
                self.brokers = answer.brokers
                return
        raise MetadataUnavailable(f"none of the brokers {', '.join(map(str, self._bootstrap))} answered")

    def leaders(self, topic: str) -> dict[int, int]:
        """The leader of each partition of a topic; empty if the topic is not known."""
        return {tp.partition: leader for tp, leader in self._leaders.items() if tp.topic == topic}

    def leader(self, partition: TopicPartition) -> int:
        """The leader of a partition; -1 if it has none, or none is known."""
        return self._leaders.get(partition, NO_LEADER)
