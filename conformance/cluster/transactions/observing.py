"""What is seen of a transactional id on real brokers: what readers read, what is in the logs, and what its coordinator has noted."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kafka import KafkaConsumer, TopicPartition
from kafka.protocol.admin import DescribeProducersRequest, DescribeProducersResponse
from kafka.protocol.consumer import FetchRequest, FetchResponse

from neverlost.model.core import NONE
from neverlost.model.kafka.transactions.state import Fate

from ..cluster import Cluster
from ..log_files import ENTRY, records_of
from ..releases import ClusterError
from ..wire import CONSUMER, HOST, NO_ERROR

ALL_RECORDS, COMMITTED_ONLY = 0, 1
TRANSACTIONAL, CONTROL_BATCH = 1 << 4, 1 << 5
COORDINATORS_LOG, OFFSETS_LOG = "__transaction_state", "__consumer_offsets"
MOST_BYTES, POLL_MS, READ_SECONDS = 1 << 20, 200, 10.0


@dataclass(frozen=True)
class Batch:
    """A batch of a log: its last offset, its producer's id and epoch, its values; of a marker, whether it commits."""

    last_offset: int
    producer_id: int
    epoch: int
    values: tuple[bytes, ...]
    commits: bool | None = None


@dataclass(frozen=True)
class Noted:
    """What the coordinator's log has of a transactional id: its state, the producer's epoch, the partitions of each topic."""

    state: int
    epoch: int
    partitions: frozenset[tuple[str, int]]


def batches_of(data: bytes) -> Iterator[Batch]:
    """The batches in the bytes of a log, of message format 2."""
    at = 0
    while at + ENTRY + 49 <= len(data):
        offset, size = struct.unpack_from(">qi", data, at)
        end = at + ENTRY + size
        if size <= 0 or end > len(data):
            return
        attributes, delta = struct.unpack_from(">hi", data, at + 21)
        producer, epoch = struct.unpack_from(">qh", data, at + 43)
        if attributes & CONTROL_BATCH:
            yield Batch(offset + delta, producer, epoch, (), commits=_commits(data, at + 61))
        else:
            values = tuple(record.value for record in records_of(data[at:end]))
            yield Batch(offset + delta, producer, epoch, values)
        at = end


def _commits(data: bytes, at: int) -> bool:
    """Does the marker of a control batch, whose only record begins here, commit? Its key is a version and a kind."""
    # The lengths before the key take one byte each: of the record, attributes, time, offset, key.
    (kind,) = struct.unpack_from(">h", data, at + 5 + 2)
    return bool(kind == 1)


@dataclass(frozen=True)
class Partition:
    """What is in a partition: the values in its log, in order, each with its fate; and how a consumer of committed records read it.

    `epoch` is the producer's epoch in the last batch, -1 if there is none.
    """

    records: tuple[tuple[str, int], ...]
    stable: int
    end: int
    epoch: int

    def fates(self, value: str) -> list[int]:
        """The fates of the copies of a value, in order of the log."""
        return [fate for one, fate in self.records if one == value]

    @property
    def read(self) -> list[str]:
        """What readers of committed records read."""
        return [value for value, fate in self.records if fate == Fate.VISIBLE]


def look(cluster: Cluster, topic: str, number: int, leader: int) -> Partition:
    """Read a partition as a consumer of committed records does, and as one of all records. Raises ClusterError."""
    everything, end, _ = _fetch(cluster, topic, number, leader, ALL_RECORDS)
    committed, stable, aborted = _fetch(cluster, topic, number, leader, COMMITTED_ONLY)
    visible = set(visible_batches(committed, aborted))
    found: list[tuple[str, int]] = []
    for batch in everything:
        fate = Fate.OPEN if batch.last_offset >= stable else Fate.SKIPPED
        if batch.last_offset in visible:
            fate = Fate.VISIBLE
        found += [(value.decode(), fate) for value in batch.values]
    return Partition(tuple(found), stable, end, _last_epoch(everything))


def look_at_offsets(cluster: Cluster, leader: int, producer_id: int, names: Mapping[int, str]) -> Partition:
    """The offsets that a producer committed with its transactions, under the names that these offsets have.

    The log of offsets has those of other groups as well, and an open transaction there is none of this one. So what counts is the next
    marker of this producer, as for the group's coordinator. Raises ClusterError if the log cannot be read.
    """
    batches, end, _ = _fetch(cluster, OFFSETS_LOG, 0, leader, ALL_RECORDS)
    ours = [batch for batch in batches if batch.producer_id == producer_id]
    found: list[tuple[str, int]] = []
    for at, batch in enumerate(ours):
        ended = next((one.commits for one in ours[at:] if one.commits is not None), None)
        fate = Fate.OPEN if ended is None else Fate.VISIBLE if ended else Fate.SKIPPED
        offsets = [struct.unpack_from(">q", value, 2)[0] for value in batch.values]
        found += [(names[offset], fate) for offset in offsets if offset in names]
    return Partition(tuple(found), end, end, _last_epoch(ours))


def _last_epoch(batches: Sequence[Batch]) -> int:
    return batches[-1].epoch if batches else NONE


def visible_batches(batches: Sequence[Batch], aborted: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The last offsets of the batches that a consumer of committed records hands on (KIP-98, CompletedFetch.nextFetchedRecord).

    `aborted` has the producer and the first offset of each aborted transaction.
    """
    left, skipped = sorted(aborted, key=lambda row: row[1]), set[int]()
    for batch in batches:
        while left and left[0][1] <= batch.last_offset:
            skipped.add(left.pop(0)[0])
        if batch.commits is False:
            skipped.discard(batch.producer_id)
        elif batch.commits is None and batch.producer_id not in skipped:
            yield batch.last_offset


def _fetch(
    cluster: Cluster, topic: str, number: int, leader: int, isolation: int
) -> tuple[list[Batch], int, list[tuple[int, int]]]:
    """The batches from the first on, the offset where readers wait, and the aborted transactions."""
    version = cluster.release.fetch
    part = FetchRequest.FetchTopic.FetchPartition(
        version=version,
        partition=number,
        current_leader_epoch=-1,
        fetch_offset=0,
        last_fetched_epoch=-1,
        log_start_offset=-1,
        partition_max_bytes=MOST_BYTES,
    )
    session = {"session_id": 0, "session_epoch": -1, "forgotten_topics_data": []} if version >= 7 else {}
    rack = {"rack_id": ""} if version >= 11 else {}
    request = FetchRequest[version](
        replica_id=CONSUMER,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=MOST_BYTES,
        isolation_level=isolation,
        topics=[FetchRequest.FetchTopic(version=version, topic=topic, partitions=[part])],
        **session,
        **rack,
    )
    answer = cluster.wire.call(cluster.client_port[leader], request, FetchResponse, version)
    found = answer.responses[0].partitions[0]
    if found.error_code != NO_ERROR:
        raise ClusterError(f"{topic}-{number} cannot be read: error {found.error_code}")
    waits_at = found.high_watermark if isolation == ALL_RECORDS else found.last_stable_offset
    aborted = [(row.producer_id, row.first_offset) for row in found.aborted_transactions or ()]
    return list(batches_of(bytes(found.records or b""))), waits_at, aborted


def known_producers(cluster: Cluster, topic: str, number: int, leader: int) -> set[int]:
    """The producer ids that a partition knows (DescribeProducers, KIP-664, 2.8). Raises ClusterError."""
    asked = DescribeProducersRequest.TopicRequest(version=0, name=topic, partition_indexes=[number])
    answer = cluster.wire.call(
        cluster.client_port[leader], DescribeProducersRequest[0](topics=[asked]), DescribeProducersResponse, 0
    )
    found = answer.topics[0].partitions[0]
    if found.error_code != NO_ERROR:
        raise ClusterError(f"the producers of {topic}-{number} cannot be read: error {found.error_code}")
    return {one.producer_id for one in found.active_producers}


def consumed(cluster: Cluster, topic: str, partitions: Sequence[int], stable: Sequence[int]) -> list[list[str]]:
    """What kafka-python's consumer of committed records reads of each partition, up to where it has to wait."""
    consumer = KafkaConsumer(
        bootstrap_servers=[f"{HOST}:{cluster.client_port[one]}" for one in cluster.brokers],
        isolation_level="read_committed",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        group_id=None,
        fetch_max_wait_ms=POLL_MS,
    )
    try:
        places = [TopicPartition(topic, number) for number in partitions]
        consumer.assign(places)
        consumer.seek_to_beginning(*places)
        read: dict[TopicPartition, list[str]] = {place: [] for place in places}
        end, idle = time.monotonic() + READ_SECONDS, 0
        while time.monotonic() < end and idle < 5:
            found = consumer.poll(POLL_MS)
            idle = 0 if found else idle + 1
            for place, records in found.items():
                read[place] += [record.value.decode() for record in records]
            if all(consumer.position(place) >= offset for place, offset in zip(places, stable, strict=True)):
                break
        return [read[place] for place in places]
    finally:
        consumer.close()


def noted(cluster: Cluster, coordinator: int, producer_id: int) -> Noted | None:
    """The newest entry of a producer id in the coordinator's log; None if there is none yet."""
    disk = cluster.disk(coordinator)
    values = (record.value for record in disk.log(COORDINATORS_LOG))
    found = None
    for value in values:
        if len(value) > 10 and struct.unpack_from(">q", value, 2)[0] == producer_id:
            found = entry_of(value)
    return found


def entry_of(value: bytes) -> Noted:
    """An entry of the coordinator's log (TransactionLogValue): in version 0, or in version 1, where lengths are one more and short."""
    version, _, epoch, _, state = struct.unpack_from(">hqhib", value)
    read = _Entry(value, compact=version >= 1)
    partitions: set[tuple[str, int]] = set()
    for _ in range(read.count(">i")):
        topic = read.text()
        partitions |= {(topic, read.number(">i")) for _ in range(read.count(">i"))}
        if version >= 1:
            read.number(">b")
    return Noted(state=state, epoch=epoch, partitions=frozenset(partitions))


class _Entry:
    """Reads the partitions of an entry."""

    def __init__(self, value: bytes, *, compact: bool) -> None:
        self.value, self.compact, self.at = value, compact, struct.calcsize(">hqhib")

    def number(self, form: str) -> int:
        (found,) = struct.unpack_from(form, self.value, self.at)
        self.at += struct.calcsize(form)
        return int(found)

    def count(self, form: str) -> int:
        """How many elements or bytes follow."""
        return max(self.number(">b") - 1 if self.compact else self.number(form), 0)

    def text(self) -> str:
        size = self.count(">h")
        self.at += size
        return self.value[self.at - size : self.at].decode()
