"""The messages between brokers, controller and clients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .epoch_history import EpochEnd
from .errors import ErrorCode
from .leadership import Follower
from .log import Entry, Record, Slice
from .protocol import TopicPartition

ACKS_NONE, ACKS_LEADER, ACKS_ALL = 0, 1, -1
CONSUMER = -1
"""The replica id of a fetch that is not a follower's."""


@dataclass(frozen=True, kw_only=True)
class ProduceRequest:
    """Records for partitions; `acks` says what the producer waits for."""

    acks: int
    timeout_ms: int
    records: Mapping[TopicPartition, tuple[Record, ...]]


@dataclass(frozen=True, kw_only=True)
class PartitionResponse:
    """The outcome of the records for one partition."""

    error: ErrorCode
    base_offset: int = -1


@dataclass(frozen=True, kw_only=True)
class ProduceResponse:
    """The outcome of the records, partition by partition."""

    partitions: Mapping[TopicPartition, PartitionResponse]


@dataclass(frozen=True, kw_only=True)
class FetchPosition:
    """The offset from which a follower or consumer wants to read, and the leader epoch that it believes in."""

    offset: int
    leader_epoch: int | None = None
    last_fetched_epoch: int | None = None
    max_records: int = 1000
    meets_append: bool = False
    """Was the last record of the log appended while it was read?"""


@dataclass(frozen=True, kw_only=True)
class FetchRequest:
    """A follower's fetch (R-FETCH-1), or with `CONSUMER` for `replica` a consumer's (R-CONS-1)."""

    replica: int
    positions: Mapping[TopicPartition, FetchPosition]
    broker_epoch: int | None = None
    """The registration under which the follower runs (KIP-903)."""
    max_wait_ms: int = 0
    min_records: int = 1


@dataclass(frozen=True, kw_only=True)
class FetchedPartition:
    """Records from the requested offset on, and the leader's high watermark at that time (R-FETCH-2).

    Within the broker a part of the log's file stands for the records, which are read from it when the response is sent.
    """

    error: ErrorCode = ErrorCode.NONE
    entries: tuple[Entry, ...] = ()
    part: Slice | None = None
    high_watermark: int = 0
    log_end: int = 0
    leader_epoch: int | None = None
    """The leader epoch in which the log was read."""
    follower: Follower | None = None
    """Where the leader notes what it knows of the follower that asks."""
    diverging: EpochEnd | None = None

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.entries) + (0 if self.part is None else self.part.end - self.part.start)

    def sent(self) -> FetchedPartition:
        """What goes out to the network: the bytes that the file has now. Raises FileTooShort."""
        entries = self.entries if self.part is None else self.part.read()
        return replace(self, entries=entries, part=None, follower=None)


@dataclass(frozen=True, kw_only=True)
class FetchResponse:
    """What was read, partition by partition."""

    partitions: Mapping[TopicPartition, FetchedPartition]

    def sent(self) -> FetchResponse:
        """The same as it goes out to the network. Raises FileTooShort."""
        return FetchResponse(partitions={tp: fetched.sent() for tp, fetched in self.partitions.items()})


@dataclass(frozen=True, kw_only=True)
class LogEndRequest:
    """A follower asks where the leader's log ends."""

    partition: TopicPartition


@dataclass(frozen=True, kw_only=True)
class LogEndResponse:
    """The leader's log end, or an error."""

    error: ErrorCode = ErrorCode.NONE
    end: int = 0


@dataclass(frozen=True, kw_only=True)
class EpochEndRequest:
    """Where does this epoch end in the leader's log (OffsetsForLeaderEpoch, KIP-101)?"""

    partition: TopicPartition
    epoch: int
    leader_epoch: int | None = None


@dataclass(frozen=True, kw_only=True)
class EpochEndResponse:
    """The end, and the epoch that ends there (KIP-279); without an end, the leader does not know the epoch."""

    error: ErrorCode = ErrorCode.NONE
    found: EpochEnd | None = None


@dataclass(frozen=True, kw_only=True)
class MetadataRequest:
    """Who leads the partitions of these topics?"""

    topics: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MetadataResponse:
    """The leaders of partitions, -1 for none, and the brokers that lead one of them."""

    brokers: tuple[int, ...]
    leaders: Mapping[TopicPartition, int]


@dataclass(frozen=True, kw_only=True)
class LeaderAndIsr:
    """The controller's decision on a partition, as a broker hears of it (R-META-1)."""

    partition: TopicPartition
    leader: int | None
    leader_epoch: int
    partition_epoch: int
    isr: frozenset[int]
    replicas: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AlterPartitionRequest:
    """A leader asks for another ISR (KIP-497), with the broker epochs of its members (KIP-903)."""

    partition: TopicPartition
    leader: int
    leader_epoch: int
    partition_epoch: int
    isr: frozenset[int]
    broker_epochs: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AlterPartitionResponse:
    """The controller's answer: the ISR as it is now recorded, or why the request was refused."""

    partition: TopicPartition
    leader_epoch: int
    error: ErrorCode = ErrorCode.NONE
    isr: frozenset[int] = frozenset()
    partition_epoch: int = -1
