"""Requests that name several partitions, change a topic, or move a replica: what goes over the wire, seen by what is no broker."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from kafka.protocol.admin.cluster import AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse
from kafka.protocol.admin.configs import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse
from kafka.protocol.metadata import MetadataResponse
from kafka.protocol.producer import ProduceRequest, ProduceResponse

from neverlost.conformance.cluster.releases import ClusterError, release_named
from neverlost.conformance.cluster.wire import HOST, Wire, read_exactly

WIRE = Wire(release_named("4.1.1"))
Asked = list[bytes]


class Port:
    """Answers one request with what it is given, and keeps the request."""

    def __init__(self) -> None:
        self.listening = socket.create_server((HOST, 0))
        self.number: int = self.listening.getsockname()[1]
        self.request = b""

    def answers(self, body: bytes) -> None:
        threading.Thread(target=self._serve, args=(body,), daemon=True).start()

    def _serve(self, body: bytes) -> None:
        connection, _ = self.listening.accept()
        with connection:
            (size,) = struct.unpack(">i", read_exactly(connection, 4))
            self.request = read_exactly(connection, size)
            connection.sendall(struct.pack(">i", len(body)) + body)


@pytest.fixture
def port() -> Iterator[Port]:
    found = Port()
    yield found
    found.listening.close()


def encoded(response: object) -> bytes:
    response.with_header(correlation_id=7)  # type: ignore[attr-defined]
    return bytes(response.encode(header=True))  # type: ignore[attr-defined]


def test_one_produce_request_has_batches_for_several_partitions_in_order(port: Port) -> None:
    answers = {("orders", 0): (0, 5), ("long", 3): (6, -1), ("long", 1): (0, 9)}
    topic = ProduceResponse.TopicProduceResponse
    rows = [
        topic(
            version=7,
            name=name,
            partition_responses=[
                topic.PartitionProduceResponse(
                    version=7,
                    index=number,
                    error_code=error,
                    base_offset=offset,
                    log_append_time_ms=-1,
                    log_start_offset=0,
                )
                for (of, number), (error, offset) in answers.items()
                if of == name
            ],
        )
        for name in ("orders", "long")
    ]
    port.answers(encoded(ProduceResponse[7](responses=rows, throttle_time_ms=0)))
    batches = {place: bytes([number]) * 3 for number, place in enumerate(answers)}
    assert WIRE.produce_together(port.number, batches, -1, wait_ms=100, timeout=5) == answers
    request = ProduceRequest.decode(port.request, version=7, header=True)
    sent = [(one.name, part.index, bytes(part.records)) for one in request.topic_data for part in one.partition_data]
    assert sent == [("orders", 0, b"\0\0\0"), ("long", 3, b"\1\1\1"), ("long", 1, b"\2\2\2")]


@pytest.mark.parametrize("error", [0, 40])
def test_a_setting_of_a_topic_is_set_while_it_is_used(port: Port, error: int) -> None:
    row = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(
        version=0, error_code=error, error_message="no", resource_type=2, resource_name="orders"
    )
    port.answers(encoded(IncrementalAlterConfigsResponse[0](throttle_time_ms=0, responses=[row])))
    asked(lambda: WIRE.change_topic(port.number, "orders", {"min.insync.replicas": "3"}), error)
    (resource,) = IncrementalAlterConfigsRequest.decode(port.request, version=0, header=True).resources
    assert (resource.resource_type, resource.resource_name) == (2, "orders")
    assert [(one.name, one.config_operation, one.value) for one in resource.configs] == [
        ("min.insync.replicas", 0, "3")
    ]


@pytest.mark.parametrize("error", [0, 57])
def test_a_replica_is_moved_to_another_log_directory(port: Port, error: int) -> None:
    topic = AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult
    part = topic.AlterReplicaLogDirPartitionResult(version=1, partition_index=2, error_code=error)
    row = topic(version=1, topic_name="orders", partitions=[part])
    port.answers(encoded(AlterReplicaLogDirsResponse[1](throttle_time_ms=0, results=[row])))
    asked(lambda: WIRE.move_to_directory(port.number, "orders", 2, "/data1-2"), error)
    (directory,) = AlterReplicaLogDirsRequest.decode(port.request, version=1, header=True).dirs
    assert directory.path == "/data1-2"
    assert [(one.name, list(one.partitions)) for one in directory.topics] == [("orders", [2])]


def test_a_partition_that_a_broker_does_not_have_yet_is_waited_for(port: Port) -> None:
    topic = MetadataResponse.MetadataResponseTopic
    row = topic(version=9, error_code=0, name="orders", is_internal=False, partitions=[])
    answer = MetadataResponse[9](throttle_time_ms=0, brokers=[], cluster_id="c", controller_id=100, topics=[row])
    port.answers(encoded(answer))
    # Cluster.until takes a LookupError for "not yet".
    with pytest.raises(LookupError):
        WIRE.partition_state(port.number, "orders", 1)


def asked(ask: Callable[[], None], error: int) -> None:
    """Ask, and be refused if the answer is an error."""
    if error:
        with pytest.raises(ClusterError, match=f"error {error}"):
            ask()
    else:
        ask()
