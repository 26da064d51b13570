"""Requests to one chosen broker, in the version that its release speaks: what clients and operators send, and what shows its state."""

from __future__ import annotations

import socket
import struct
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kafka.protocol.admin import cluster as directories
from kafka.protocol.admin import configs, groups
from kafka.protocol.admin import topics as admin
from kafka.protocol.consumer import (
    FetchRequest,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse, MetadataRequest, MetadataResponse
from kafka.protocol.producer import ProduceRequest, ProduceResponse
from kafka.record.memory_records import MemoryRecordsBuilder

from .log_files import LogRecord, records_of
from .releases import ClusterError, RunnableRelease

HOST = "127.0.0.1"
NO_ERROR, NOT_LEADER, TIMED_OUT, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND = 0, 6, 7, 19, 20
LEADER_NOT_AVAILABLE, UNKNOWN_TOPIC = 5, 3
FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_NOT_AVAILABLE = 74, 75, 78
INVALID_UPDATE_VERSION, INELIGIBLE_REPLICA = 95, 107
ALTER_PARTITION_SINCE = ((3, (3, 5)), (2, (3, 3)), (1, (3, 2)), (0, (2, 7)))
"""The version of the request for another ISR, and the first release that knows it."""
NO_LEADER = -1
CONSUMER, DEBUGGING_CONSUMER = -1, -2
"""Replica ids that are none: an ordinary consumer, and one that followers answer too."""
FIRST_FETCH_FROM_FOLLOWERS = 11
"""From this version of Fetch on, followers answer consumers (KIP-392)."""
FIRST_FETCH_WITH_EPOCH = 9
"""From this version of Fetch on, a fetch has its leader epoch, and the broker compares it (KIP-320)."""
GROUP_KEY, TRANSACTION_KEY = 0, 1
"""What a coordinator is asked for by."""
FIRST_OFFSET_FETCH_WITH_ERROR = 2
ALTER_PARTITION, BROKER_HEARTBEAT, DESCRIBE_QUORUM = 56, 63, 55
METADATA_TOPIC = "__cluster_metadata"
PREFERRED, UNCLEAN = 0, 1
TOPIC_RESOURCE, SET = 2, 0
"""What an IncrementalAlterConfigs request changes, and how."""
CLIENT = "neverlost"
PRODUCER = 1
"""The id of the producer, where it has one."""
OUT_OF_SEQUENCE, UNKNOWN_PRODUCER = 45, 59

Partition = tuple[str, int]
"""A topic, and the number of a partition."""


@dataclass(frozen=True, kw_only=True)
class PartitionState:
    """What the controller has of a partition; `eligible` and `last_known` only where eligible leader replicas are (KIP-966)."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    eligible: tuple[int, ...] | None = None
    last_known: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class QuorumState:
    """What a controller answers that leads: its epoch, its high watermark, and who are voters and observers, by id.

    A controller without a directory id, or that is asked for none (`kraft.version` 0), has an id of zeros.
    """

    leader: int
    epoch: int
    high_watermark: int
    voters: tuple[tuple[int, str], ...]
    observers: tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """The answer to a fetch."""

    error: int
    high_watermark: int | None
    records: tuple[LogRecord, ...]


class Wire:
    """Sends requests of a release, each on a connection of its own."""

    def __init__(self, release: RunnableRelease) -> None:
        self.release = release

    def call(
        self, port: int, request: Any, response: Any, version: int, *, timeout: float = 10, answer: bool = True
    ) -> Any:
        """Send a request, and read its answer. Raises OSError if the broker does not answer in time."""
        request.with_header(correlation_id=7, client_id=CLIENT)
        data = _exchange(port, request.encode(framed=True, header=True), timeout, answer)
        return None if data is None else response.decode(data, version=version, header=True)

    def call_flexible(self, port: int, key: int, version: int, body: bytes, *, timeout: float = 5) -> bytes:
        """Send a request that has no codec here; the answer without its header."""
        header = struct.pack(">hhih", key, version, 9, len(CLIENT)) + CLIENT.encode() + b"\0"
        data = _exchange(port, struct.pack(">i", len(header) + len(body)) + header + body, timeout, True)
        assert data is not None
        return data[5:]

    def produce(
        self,
        port: int,
        topic: str,
        value: bytes,
        acks: int,
        *,
        partition: int = 0,
        wait_ms: int,
        timeout: float,
        numbers: tuple[int, int] | None = None,
    ) -> int | None:
        """The error code of the answer; None with acks=0, which has no answer. `numbers` as `produced` takes them."""
        answer = self.produced(
            port, topic, value, acks, partition=partition, wait_ms=wait_ms, timeout=timeout, numbers=numbers
        )
        return None if answer is None else answer[0]

    def produced(
        self,
        port: int,
        topic: str,
        value: bytes,
        acks: int,
        *,
        partition: int = 0,
        wait_ms: int,
        timeout: float,
        numbers: tuple[int, int] | None = None,
    ) -> tuple[int, int] | None:
        """The error code of the answer, and the record's offset; None with acks=0, which has no answer.

        `numbers` are the epoch and the sequence of an idempotent producer.
        """
        version = self.release.produce
        part = ProduceRequest.TopicProduceData.PartitionProduceData(
            version=version, index=partition, records=self._batch(value, numbers)
        )
        data = ProduceRequest.TopicProduceData(version=version, name=topic, partition_data=[part])
        ids = {"transactional_id": None} if version >= 3 else {}
        request = ProduceRequest[version](acks=acks, timeout_ms=wait_ms, topic_data=[data], **ids)
        answer = self.call(port, request, ProduceResponse, version, timeout=timeout, answer=acks != 0)
        if answer is None:
            return None
        found = answer.responses[0].partition_responses[0]
        return int(found.error_code), int(found.base_offset)

    def produce_together(
        self, port: int, batches: Mapping[Partition, bytes], acks: int, *, wait_ms: int, timeout: float
    ) -> dict[Partition, tuple[int, int]]:
        """Send batches for several partitions in one request: the error code and the first offset that each is answered with."""
        version = self.release.produce
        produce = ProduceRequest.TopicProduceData
        data = [
            produce(
                version=version,
                name=topic,
                partition_data=[
                    produce.PartitionProduceData(version=version, index=partition, records=batch)
                    for (name, partition), batch in batches.items()
                    if name == topic
                ],
            )
            for topic in dict.fromkeys(topic for topic, _ in batches)
        ]
        request = ProduceRequest[version](acks=acks, timeout_ms=wait_ms, topic_data=data, transactional_id=None)
        answer = self.call(port, request, ProduceResponse, version, timeout=timeout)
        return {
            (found.name, part.index): (int(part.error_code), int(part.base_offset))
            for found in answer.responses
            for part in found.partition_responses
        }

    def _batch(self, value: bytes, numbers: tuple[int, int] | None = None) -> Any:
        ids = {}
        if numbers is not None:
            ids = {"producer_id": PRODUCER, "producer_epoch": numbers[0], "base_sequence": numbers[1]}
        builder = MemoryRecordsBuilder(self.release.magic, 0, 1 << 16, **ids)
        headers: dict[str, list[Any]] = {"headers": []} if self.release.magic >= 2 else {}
        stamp = None if self.release.magic == 0 else int(time.time() * 1000)
        builder.append(timestamp=stamp, key=None, value=value, **headers)
        builder.close()
        return builder.buffer()

    def end_offset(
        self, port: int, topic: str, partition: int = 0, *, replica: int = DEBUGGING_CONSUMER
    ) -> tuple[int, int | None]:
        """The error code, and the log end; as a consumer, the high watermark of a leader. Followers answer a debugging consumer."""
        version = self.release.list_offsets
        part = ListOffsetsRequest.ListOffsetsTopic.ListOffsetsPartition(
            version=version, partition_index=partition, timestamp=-1, max_num_offsets=1, current_leader_epoch=-1
        )
        topics = [ListOffsetsRequest.ListOffsetsTopic(version=version, name=topic, partitions=[part])]
        request = ListOffsetsRequest[version](replica_id=replica, topics=topics, isolation_level=0)
        found = self.call(port, request, ListOffsetsResponse, version).topics[0].partitions[0]
        if version == 0:
            return found.error_code, found.old_style_offsets[0] if found.old_style_offsets else None
        return found.error_code, found.offset

    def fetch(
        self,
        port: int,
        topic: str,
        offset: int = 0,
        *,
        partition: int = 0,
        replica: int = CONSUMER,
        epoch: int = -1,
    ) -> Fetched:
        """Fetch from an offset on; with an epoch, the broker compares it with its own (KIP-320)."""
        version = self.release.fetch
        part = FetchRequest.FetchTopic.FetchPartition(
            version=version,
            partition=partition,
            current_leader_epoch=epoch,
            fetch_offset=offset,
            last_fetched_epoch=-1,
            log_start_offset=-1,
            partition_max_bytes=1 << 20,
        )
        session = {"session_id": 0, "session_epoch": -1, "forgotten_topics_data": []} if version >= 7 else {}
        rack = {"rack_id": ""} if version >= 11 else {}
        request = FetchRequest[version](
            replica_id=replica,
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=1 << 20,
            isolation_level=0,
            topics=[FetchRequest.FetchTopic(version=version, topic=topic, partitions=[part])],
            **session,
            **rack,
        )
        answer = self.call(port, request, FetchResponse, version)
        if not answer.responses:
            return Fetched(error=answer.error_code, high_watermark=None, records=())
        found = answer.responses[0].partitions[0]
        return Fetched(
            error=found.error_code,
            high_watermark=found.high_watermark,
            records=tuple(records_of(bytes(found.records or b""))),
        )

    def high_watermark(self, port: int, topic: str) -> int | None:
        """The high watermark of a broker, leader or follower; None while it hosts no such partition."""
        plain = self.release.fetch >= FIRST_FETCH_FROM_FOLLOWERS
        found = self.fetch(port, topic, replica=CONSUMER if plain else DEBUGGING_CONSUMER)
        return found.high_watermark if found.error == NO_ERROR else None

    def leads(self, port: int, topic: str, partition: int = 0) -> bool:
        """Does the broker believe that it leads? One in a new epoch may not have an offset to offer yet."""
        error, _ = self.end_offset(port, topic, partition, replica=CONSUMER)
        return error in (NO_ERROR, OFFSET_NOT_AVAILABLE)

    def is_new(self, port: int, topic: str, leader: int) -> bool:
        """Does a broker host a topic, without a record yet, and know who leads it?"""
        found = self.metadata(port, topic).topics[0]
        knows = found.error_code == NO_ERROR and found.partitions[0].leader_id == leader
        return bool(knows) and self.end_offset(port, topic) == (NO_ERROR, 0)

    def leader_epoch(self, port: int, topic: str, guess: int) -> int | None:
        """The leader epoch that a broker is in, found by asking with one; None where it compares none, or does not host it."""
        if self.release.fetch < FIRST_FETCH_WITH_EPOCH:
            return None
        epoch = max(guess, 0)
        for _ in range(8):
            error = self.fetch(port, topic, epoch=epoch).error
            if error == NO_ERROR:
                return epoch
            if error not in (FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH):
                return None
            epoch += 1 if error == FENCED_LEADER_EPOCH else -1
        return None

    def coordinator(self, port: int, key: str, kind: int = GROUP_KEY) -> int | None:
        """The coordinator of a group or a transactional id, as a broker has it; None as long as there is none."""
        version = 1 if self.release.number >= (0, 11) else 0
        named = {"key": key, "key_type": kind} if version else {"key": key}
        answer = self.call(port, FindCoordinatorRequest[version](**named), FindCoordinatorResponse, version)
        return int(answer.node_id) if answer.error_code == NO_ERROR else None

    def committed_offset(self, port: int, group: str, topic: str, partition: int = 0) -> int:
        """The offset that a group has committed; -1 if none. Raises ClusterError if its coordinator does not say."""
        version = 5 if self.release.number >= (2, 1) else 1
        asked = OffsetFetchRequest.OffsetFetchRequestTopic(version=version, name=topic, partition_indexes=[partition])
        answer = self.call(
            port, OffsetFetchRequest[version](group_id=group, topics=[asked]), OffsetFetchResponse, version
        )
        error = answer.error_code if version >= FIRST_OFFSET_FETCH_WITH_ERROR else NO_ERROR
        if error == NO_ERROR:
            found = answer.topics[0].partitions[0]
            error = found.error_code
        if error != NO_ERROR:
            raise ClusterError(f"the offset of {group} cannot be fetched: error {error}")
        return int(found.committed_offset)

    def group_state(self, port: int, group: str) -> str:
        """What a group is to its coordinator, in Kafka's word: Stable, PreparingRebalance, CompletingRebalance, Empty or Dead."""
        answer = self.call(port, groups.DescribeGroupsRequest[0](groups=[group]), groups.DescribeGroupsResponse, 0)
        return str(answer.groups[0].group_state)

    def commit(self, port: int, group: str, topic: str, offset: int, *, partition: int = 0) -> int:
        """Commit an offset of a group that has no members; the error code."""
        commit, version = OffsetCommitRequest, 2
        topics = commit.OffsetCommitRequestTopic
        part = topics.OffsetCommitRequestPartition(
            version=version, partition_index=partition, committed_offset=offset, committed_metadata=""
        )
        request = commit[version](
            group_id=group,
            generation_id_or_member_epoch=-1,
            member_id="",
            retention_time_ms=-1,
            topics=[topics(version=version, name=topic, partitions=[part])],
        )
        answer = self.call(port, request, OffsetCommitResponse, version)
        return int(answer.topics[0].partitions[0].error_code)

    def metadata(self, port: int, topic: str | None = None, *, version: int | None = None) -> Any:
        """Which brokers there are, and who leads, as one broker has it."""
        version = self.release.metadata if version is None else version
        asked = MetadataRequest.MetadataRequestTopic
        everything: list[Any] | None = [] if version == 0 else None
        topics = everything if topic is None else [asked(version=version, name=topic, topic_id=uuid.UUID(int=0))]
        request = MetadataRequest[version](
            topics=topics,
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )
        return self.call(port, request, MetadataResponse, version)

    def topics(self, port: int) -> set[str]:
        """The topics, as one broker has them."""
        return {topic.name for topic in self.metadata(port).topics}

    def brokers(self, port: int) -> set[int]:
        """The live brokers, as one broker has them."""
        return {broker.node_id for broker in self.metadata(port).brokers}

    def topic_id(self, port: int, topic: str) -> bytes:
        """The id of a topic (KIP-516); empty if it has none."""
        found = bytes(self.metadata(port, topic, version=10).topics[0].topic_id.bytes)
        return found if any(found) else b""

    def partition_state(self, port: int, topic: str, partition: int = 0) -> PartitionState:
        """What a KRaft controller's own broker has of a partition; ELR from 4.0 on."""
        part = _numbered(self.metadata(port, topic).topics[0].partitions, partition)
        eligible = last_known = None
        if self.release.number >= (4,):
            asked = admin.DescribeTopicPartitionsRequest
            request = asked[0](
                topics=[asked.TopicRequest(version=0, name=topic)], response_partition_limit=100, cursor=None
            )
            answer = self.call(port, request, admin.DescribeTopicPartitionsResponse, 0)
            found = _numbered(answer.topics[0].partitions, partition)
            eligible = tuple(sorted(found.eligible_leader_replicas or ()))
            last_known = tuple(found.last_known_elr or ())
        return PartitionState(
            leader=part.leader_id,
            leader_epoch=part.leader_epoch,
            isr=tuple(sorted(part.isr_nodes)),
            eligible=eligible,
            last_known=last_known,
        )

    def create_topic(
        self, port: int, topic: str, partitions: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None:
        """Create a topic whose partitions have these replicas. Raises ClusterError if the broker refuses it."""
        create, version = admin.CreateTopicsRequest, 5
        wanted = create.CreatableTopic(
            version=version,
            name=topic,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                create.CreatableTopic.CreatableReplicaAssignment(
                    version=version, partition_index=number, broker_ids=list(replicas)
                )
                for number, replicas in enumerate(partitions)
            ],
            configs=[
                create.CreatableTopic.CreatableTopicConfig(version=version, name=name, value=value)
                for name, value in settings.items()
            ],
        )
        request = create[version](topics=[wanted], timeout_ms=10000, validate_only=False)
        answer = self.call(port, request, admin.CreateTopicsResponse, version, timeout=20).topics[0]
        if answer.error_code != NO_ERROR:
            raise ClusterError(f"topic {topic} cannot be created: error {answer.error_code}, {answer.error_message}")

    def delete_topic(self, port: int, topic: str) -> None:
        """Delete a topic. Raises ClusterError if the broker refuses."""
        request = admin.DeleteTopicsRequest[1](topic_names=[topic], timeout_ms=10000)
        answer = self.call(port, request, admin.DeleteTopicsResponse, 1, timeout=20).responses[0]
        if answer.error_code != NO_ERROR:
            raise ClusterError(f"topic {topic} cannot be deleted: error {answer.error_code}")

    def change_topic(self, port: int, topic: str, settings: Mapping[str, str]) -> None:
        """Change settings of a topic while it is used (IncrementalAlterConfigs). Raises ClusterError if the broker refuses."""
        alter = configs.IncrementalAlterConfigsRequest
        changes = [
            alter.AlterConfigsResource.AlterableConfig(version=0, name=name, config_operation=SET, value=value)
            for name, value in settings.items()
        ]
        resource = alter.AlterConfigsResource(
            version=0, resource_type=TOPIC_RESOURCE, resource_name=topic, configs=changes
        )
        request = alter[0](resources=[resource], validate_only=False)
        answer = self.call(port, request, configs.IncrementalAlterConfigsResponse, 0, timeout=20).responses[0]
        if answer.error_code != NO_ERROR:
            raise ClusterError(f"topic {topic} cannot be changed: error {answer.error_code}, {answer.error_message}")

    def delete_records(self, port: int, topic: str, before: int, *, partition: int = 0) -> None:
        """Remove the records of a partition below an offset (DeleteRecords). Raises ClusterError if its leader refuses."""
        delete = admin.DeleteRecordsRequest
        topics = delete.DeleteRecordsTopic
        asked = topics.DeleteRecordsPartition(version=0, partition_index=partition, offset=before)
        request = delete[0](topics=[topics(version=0, name=topic, partitions=[asked])], timeout_ms=10000)
        answer = self.call(port, request, admin.DeleteRecordsResponse, 0, timeout=20).topics[0].partitions[0]
        if answer.error_code != NO_ERROR:
            raise ClusterError(f"records of {topic} cannot be removed: error {answer.error_code}")

    def move_to_directory(self, port: int, topic: str, partition: int, directory: str) -> None:
        """Have a broker move its replica of a partition to another of its log directories. Raises ClusterError if it refuses."""
        alter = directories.AlterReplicaLogDirsRequest
        moved = alter.AlterReplicaLogDir.AlterReplicaLogDirTopic(version=1, name=topic, partitions=[partition])
        request = alter[1](dirs=[alter.AlterReplicaLogDir(version=1, path=directory, topics=[moved])])
        answer = self.call(port, request, directories.AlterReplicaLogDirsResponse, 1, timeout=20)
        error = answer.results[0].partitions[0].error_code
        if error != NO_ERROR:
            raise ClusterError(f"{topic}-{partition} cannot be moved to {directory}: error {error}")

    def elect_leaders(self, port: int, topic: str, kind: int) -> None:
        """Ask for a preferred or an unclean election."""
        elect = admin.ElectLeadersRequest
        partitions = [elect.TopicPartitions(version=1, topic=topic, partitions=[0])]
        request = elect[1](election_type=kind, topic_partitions=partitions, timeout_ms=5000)
        self.call(port, request, admin.ElectLeadersResponse, 1, timeout=20)

    def create_partitions(self, port: int, topic: str, count: int, replicas: Sequence[Sequence[int]]) -> None:
        """Add partitions to a topic up to so many, with these replicas each. Raises ClusterError if the controller refuses it."""
        create = admin.CreatePartitionsRequest
        wanted = create.CreatePartitionsTopic
        assignments = [wanted.CreatePartitionsAssignment(version=0, broker_ids=list(one)) for one in replicas]
        request = create[0](
            topics=[wanted(version=0, name=topic, count=count, assignments=assignments)],
            timeout_ms=10000,
            validate_only=False,
        )
        answer = self.call(port, request, admin.CreatePartitionsResponse, 0, timeout=20).results[0]
        if answer.error_code != NO_ERROR:
            raise ClusterError(f"partitions cannot be added to {topic}: error {answer.error_code}")

    def reassign(self, port: int, topic: str, replicas: Sequence[int], partition: int = 0) -> None:
        """Change which replicas a partition has, or their order: the first is preferred as leader."""
        alter = admin.AlterPartitionReassignmentsRequest
        part = alter.ReassignableTopic.ReassignablePartition(
            version=0, partition_index=partition, replicas=list(replicas)
        )
        topics = [alter.ReassignableTopic(version=0, name=topic, partitions=[part])]
        self.call(
            port, alter[0](timeout_ms=5000, topics=topics), admin.AlterPartitionReassignmentsResponse, 0, timeout=20
        )

    def heartbeat(
        self, port: int, broker: int, epoch: int, offset: int, *, fence: bool = False, end: bool = False
    ) -> int:
        """Tell a KRaft controller that a broker lives, is to be fenced, or wishes to end; the error code."""
        body = struct.pack(">iqq??", broker, epoch, offset, fence, end) + b"\0"
        (error,) = struct.unpack_from(">h", self.call_flexible(port, BROKER_HEARTBEAT, 0, body, timeout=2), 4)
        return int(error)

    def quorum_state(self, port: int) -> QuorumState | None:
        """What a controller says of the quorum (DescribeQuorum, KIP-595, KIP-836, KIP-853); None from one that does not lead."""
        version = 2 if self.release.number >= (3, 9) else 1 if self.release.number >= (3, 3) else 0
        topic = bytes([len(METADATA_TOPIC) + 1]) + METADATA_TOPIC.encode()
        body = bytes([2]) + topic + bytes([2]) + struct.pack(">i", 0) + b"\0\0\0"
        return _quorum_state(self.call_flexible(port, DESCRIBE_QUORUM, version, body), version)

    def alter_partition(
        self,
        port: int,
        leader: int,
        broker_epoch: int,
        topic: str,
        topic_id: bytes,
        state: PartitionState,
        isr: Sequence[int],
    ) -> None:
        """Ask a KRaft controller for another ISR, as the leader would. Raises ClusterError if it refuses every partition epoch."""
        version = next(version for version, since in ALTER_PARTITION_SINCE if self.release.number >= since)
        with_epochs, with_recovery = version >= 3, version >= 1
        named = topic_id if version >= 2 else bytes([len(topic) + 1]) + topic.encode()
        members = b"".join(
            struct.pack(">iq", member, -1) + b"\0" if with_epochs else struct.pack(">i", member) for member in isr
        )
        for partition_epoch in range(100):
            part = struct.pack(">ii", 0, state.leader_epoch) + bytes([len(isr) + 1]) + members
            part += (b"\0" if with_recovery else b"") + struct.pack(">i", partition_epoch) + b"\0"
            body = struct.pack(">iq", leader, broker_epoch) + bytes([2]) + named + bytes([2]) + part + b"\0\0"
            answer = self.call_flexible(port, ALTER_PARTITION, version, body)
            (error,) = struct.unpack_from(">h", answer, 4)
            if error == NO_ERROR:
                (error,) = struct.unpack_from(">h", answer, 6 + 1 + len(named) + 1 + 4)
            if error == NO_ERROR:
                return
            if error != INVALID_UPDATE_VERSION:
                raise ClusterError(f"the controller refuses the ISR {list(isr)} with error {error}")
        raise ClusterError(f"the controller refuses the ISR {list(isr)} for every partition epoch below 100")


def _quorum_state(answer: bytes, version: int) -> QuorumState | None:
    """The answer to DescribeQuorum, of one topic with one partition."""
    (error,) = struct.unpack_from(">h", answer)
    at = _skip_text(answer, 2) if version >= 2 else 2
    if error != NO_ERROR or answer[at] != 2:
        return None
    at = _skip_text(answer, at + 1) + 1 + 4
    (error,) = struct.unpack_from(">h", answer, at)
    at = _skip_text(answer, at + 2) if version >= 2 else at + 2
    if error != NO_ERROR:
        return None
    leader, epoch, high_watermark = struct.unpack_from(">iiq", answer, at)
    voters, at = _replica_states(answer, at + 16, version)
    observers, at = _replica_states(answer, at, version)
    return QuorumState(
        leader=leader, epoch=epoch, high_watermark=high_watermark, voters=tuple(voters), observers=tuple(observers)
    )


def _replica_states(answer: bytes, at: int, version: int) -> tuple[list[tuple[int, str]], int]:
    found = []
    count, at = answer[at] - 1, at + 1
    for _ in range(count):
        (node,) = struct.unpack_from(">i", answer, at)
        directory = str(uuid.UUID(bytes=answer[at + 4 : at + 20])) if version >= 2 else ""
        found.append((node, directory))
        at += 4 + (16 if version >= 2 else 0) + 8 + (16 if version >= 1 else 0) + 1
    return found, at


def _skip_text(answer: bytes, at: int) -> int:
    """Behind a compact string that is shorter than 127 bytes, or none."""
    return at + max(answer[at], 1)


def _numbered(partitions: Iterable[Any], number: int) -> Any:
    """The partition of this number. Raises LookupError while the broker does not have it yet, for which callers wait."""
    return {part.partition_index: part for part in partitions}[number]


def _exchange(port: int, request: bytes, timeout: float, answer: bool) -> bytes | None:
    with socket.create_connection((HOST, port), timeout=timeout) as connection:
        connection.sendall(request)
        if not answer:
            # An old broker may drop a request whose connection is closed at once.
            connection.settimeout(0.3)
            with suppress(TimeoutError):
                connection.recv(1)
            return None
        (size,) = struct.unpack(">i", read_exactly(connection, 4))
        return read_exactly(connection, size)


def read_exactly(connection: socket.socket, count: int) -> bytes:
    """So many bytes. Raises ConnectionError if the other side closes before."""
    data = bytearray()
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError("the connection was closed")
        data += more
    return bytes(data)
