"""What a producer with a transactional id sends, in the versions of a client of an earlier release or of 4.0 and later."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from kafka.protocol.metadata import (
    ApiVersionsRequest,
    ApiVersionsResponse,
)
from kafka.protocol.producer import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
    ProduceResponse,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from kafka.record.memory_records import MemoryRecordsBuilder

from ..cluster import Cluster
from ..gates import PRODUCERS
from ..releases import ClusterError
from ..wire import GROUP_KEY, HOST, NO_ERROR, TRANSACTION_KEY, read_exactly
from .stories import TV0, TV2

NEWEST = {
    TV0: {
        ProduceRequest: 11,
        InitProducerIdRequest: 4,
        AddPartitionsToTxnRequest: 3,
        AddOffsetsToTxnRequest: 3,
        TxnOffsetCommitRequest: 4,
        EndTxnRequest: 4,
    },
    TV2: {ProduceRequest: 12, InitProducerIdRequest: 5, TxnOffsetCommitRequest: 5, EndTxnRequest: 5},
}
"""The newest version of each request in which a client speaks a transaction version (KIP-890)."""
NO_ID = -1
ANSWER_SECONDS = 20.0
ERRORS = {
    NO_ERROR: "no error",
    3: "UNKNOWN_TOPIC_OR_PARTITION",
    6: "NOT_LEADER_OR_FOLLOWER",
    7: "REQUEST_TIMED_OUT",
    14: "COORDINATOR_LOAD_IN_PROGRESS",
    15: "COORDINATOR_NOT_AVAILABLE",
    16: "NOT_COORDINATOR",
    19: "NOT_ENOUGH_REPLICAS",
    45: "OUT_OF_ORDER_SEQUENCE_NUMBER",
    46: "DUPLICATE_SEQUENCE_NUMBER",
    47: "INVALID_PRODUCER_EPOCH",
    48: "INVALID_TXN_STATE",
    49: "INVALID_PRODUCER_ID_MAPPING",
    51: "CONCURRENT_TRANSACTIONS",
    59: "UNKNOWN_PRODUCER_ID",
    90: "PRODUCER_FENCED",
    120: "TRANSACTION_ABORTABLE",
}
"""What Kafka calls the errors that a producer may be answered with here."""
DUPLICATE, CONCURRENT = 46, 51
RETRIABLE = (3, 6, 7, 14, 15, 16, 19, CONCURRENT)
"""Errors after which a client sends the same again; a broker that could not verify a record yet says 19 to clients before 4.0."""
FENCING = (47, 90)
"""Errors that say that the epoch is an old one."""


@dataclass(frozen=True)
class Reply:
    """The answer to a request: its error, and with a new epoch the producer's id and epoch."""

    error: int
    producer_id: int = NO_ID
    epoch: int = NO_ID

    @property
    def in_words(self) -> str:
        """The error, as Kafka calls it."""
        return ERRORS.get(self.error, f"error {self.error}")


class Request:
    """One request of a producer, whose bytes are the same whenever it is sent."""

    def __init__(self, message: Any, version: int, to: int, name: str) -> None:
        message.with_header(correlation_id=7, client_id=f"{PRODUCERS}{name}")
        self.data = message.encode(framed=True, header=True)
        self.key, self.version, self.to = message.API_KEY, version, to


def reply_of(key: int, version: int, data: bytes) -> Reply:
    """What an answer says to the request of this key, of the one partition that the request is about."""
    response = RESPONSES[key]
    answer = response.decode(data, version=version, header=True)
    if response is ProduceResponse:
        return Reply(answer.responses[0].partition_responses[0].error_code)
    if response is AddPartitionsToTxnResponse:
        return Reply(answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code)
    if response is TxnOffsetCommitResponse:
        return Reply(answer.topics[0].partitions[0].error_code)
    if response is WriteTxnMarkersResponse:
        return Reply(answer.markers[0].topics[0].partitions[0].error_code)
    has_epoch = response is InitProducerIdResponse or version >= FIRST_END_WITH_EPOCH
    if answer.error_code != NO_ERROR or not has_epoch:
        return Reply(answer.error_code)
    return Reply(answer.error_code, answer.producer_id, answer.producer_epoch)


RESPONSES = {
    request.API_KEY: response
    for request, response in (
        (ProduceRequest, ProduceResponse),
        (InitProducerIdRequest, InitProducerIdResponse),
        (AddPartitionsToTxnRequest, AddPartitionsToTxnResponse),
        (AddOffsetsToTxnRequest, AddOffsetsToTxnResponse),
        (TxnOffsetCommitRequest, TxnOffsetCommitResponse),
        (EndTxnRequest, EndTxnResponse),
        (WriteTxnMarkersRequest, WriteTxnMarkersResponse),
    )
}
"""How the answer to each request is read, by the request's key."""
FIRST_END_WITH_EPOCH = 5
"""From this version of EndTxn on, a client speaks transaction version 2, and the answer has the producer's next epoch (KIP-890)."""


class Sent:
    """A request on its way, on a connection of its own."""

    def __init__(self, request: Request, port: int) -> None:
        self.request = request
        self.connection = socket.create_connection((HOST, port), timeout=ANSWER_SECONDS)
        self.connection.sendall(request.data)

    def reply(self) -> Reply:
        """Wait for the answer. Raises OSError if there is none in time."""
        with self.connection:
            (size,) = struct.unpack(">i", read_exactly(self.connection, 4))
            return reply_of(self.request.key, self.request.version, read_exactly(self.connection, size))

    def give_up(self) -> None:
        """Wait no more, as a client does whose request takes longer than request.timeout.ms."""
        with suppress(OSError):
            self.connection.close()


class Requests:
    """The requests of the producers of one transactional id, which speak one transaction version, to a topic on a cluster."""

    def __init__(self, cluster: Cluster, transactional_id: str, topic: str, client: str, *, timeout_ms: int) -> None:
        self.cluster, self.id, self.topic, self.client = cluster, transactional_id, topic, client
        self.group, self.timeout_ms = f"group-{topic}", timeout_ms

    def init(self, producer: str, producer_id: int = NO_ID, epoch: int = NO_ID) -> Request:
        """InitProducerId; with an id and an epoch, those that are expected (KIP-360)."""
        version = self._version(InitProducerIdRequest)
        expected = {"producer_id": producer_id, "producer_epoch": epoch} if version >= 3 else {}
        message = InitProducerIdRequest[version](
            transactional_id=self.id, transaction_timeout_ms=self.timeout_ms, **expected
        )
        return Request(message, version, self.coordinator, producer)

    def add(self, producer: str, producer_id: int, epoch: int, partition: int) -> Request:
        """AddPartitionsToTxn."""
        version = self._version(AddPartitionsToTxnRequest)
        topic = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(
            version=version, name=self.topic, partitions=[partition]
        )
        message = AddPartitionsToTxnRequest[version](
            v3_and_below_transactional_id=self.id,
            v3_and_below_producer_id=producer_id,
            v3_and_below_producer_epoch=epoch,
            v3_and_below_topics=[topic],
        )
        return Request(message, version, self.coordinator, producer)

    def produce(
        self, producer: str, producer_id: int, epoch: int, partition: int, number: int, value: str, leader: int
    ) -> Request:
        """Produce, with one record."""
        version = self._version(ProduceRequest)
        builder = MemoryRecordsBuilder(
            2, 0, 1 << 16, transactional=True, producer_id=producer_id, producer_epoch=epoch, base_sequence=number
        )
        builder.append(timestamp=int(time.time() * 1000), key=None, value=value.encode(), headers=[])
        builder.close()
        data = ProduceRequest.TopicProduceData
        part = data.PartitionProduceData(version=version, index=partition, records=builder.buffer())
        message = ProduceRequest[version](
            transactional_id=self.id,
            acks=-1,
            timeout_ms=10_000,
            topic_data=[data(version=version, name=self.topic, partition_data=[part])],
        )
        return Request(message, version, leader, producer)

    def add_offsets(self, producer: str, producer_id: int, epoch: int) -> Request:
        """AddOffsetsToTxn."""
        version = self._version(AddOffsetsToTxnRequest)
        message = AddOffsetsToTxnRequest[version](
            transactional_id=self.id, producer_id=producer_id, producer_epoch=epoch, group_id=self.group
        )
        return Request(message, version, self.coordinator, producer)

    def commit_offset(self, producer: str, producer_id: int, epoch: int, offset: int) -> Request:
        """TxnOffsetCommit, of one partition that the application reads from."""
        version = self._version(TxnOffsetCommitRequest)
        topic = TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic
        part = topic.TxnOffsetCommitRequestPartition(
            version=version,
            partition_index=0,
            committed_offset=offset,
            committed_leader_epoch=-1,
            committed_metadata="",
        )
        member = {"generation_id": -1, "member_id": "", "group_instance_id": None} if version >= 3 else {}
        message = TxnOffsetCommitRequest[version](
            transactional_id=self.id,
            group_id=self.group,
            producer_id=producer_id,
            producer_epoch=epoch,
            topics=[topic(version=version, name=self.topic, partitions=[part])],
            **member,
        )
        return Request(message, version, self.group_coordinator, producer)

    def committed_offset(self) -> int:
        """The offset that the group has committed; -1 if none. Raises ClusterError if the group's coordinator does not say."""
        port = self.cluster.client_port[self.group_coordinator]
        return self.cluster.wire.committed_offset(port, self.group, self.topic)

    def end(self, producer: str, producer_id: int, epoch: int, *, committed: bool) -> Request:
        """EndTxn."""
        version = self._version(EndTxnRequest)
        message = EndTxnRequest[version](
            transactional_id=self.id, producer_id=producer_id, producer_epoch=epoch, committed=committed
        )
        return Request(message, version, self.coordinator, producer)

    def send(self, request: Request) -> Sent:
        """Send a request through the gates."""
        return Sent(request, self.cluster.proxy_port[request.to])

    @cached_property
    def coordinator(self) -> int:
        """The coordinator of the transactional id. Raises ClusterError if none is found in time."""
        return self._coordinator(self.id, TRANSACTION_KEY)

    @cached_property
    def group_coordinator(self) -> int:
        """The coordinator of the group whose offsets are committed. Raises ClusterError if none is found in time."""
        return self._coordinator(self.group, GROUP_KEY)

    def _coordinator(self, key: str, kind: int) -> int:
        look = partial(self.cluster.wire.coordinator, self._any_port, key, kind)
        found = self.cluster.until(look, ANSWER_SECONDS, f"the coordinator of {key}")
        assert found is not None
        return found

    def _version(self, request: Any) -> int:
        """The newest version that both the client and the brokers have. Raises ClusterError if brokers lack the client's protocol."""
        newest = NEWEST[self.client][request]
        version = min(newest, self._of_brokers[request.API_KEY])
        if self.client == TV2 and version < newest:
            raise ClusterError(f"Kafka {self.cluster.release} does not have transaction version 2")
        return version

    @property
    def _any_port(self) -> int:
        return self.cluster.client_port[self.cluster.brokers[0]]

    @cached_property
    def _of_brokers(self) -> Mapping[int, int]:
        """The newest version of each request that brokers have, by its key."""
        answer = self.cluster.wire.call(self._any_port, ApiVersionsRequest[0](), ApiVersionsResponse, 0)
        return {row.api_key: row.max_version for row in answer.api_keys}
