"""A consumer group on a cluster that runs: what is processed how often, by the order of processing and committing."""

from __future__ import annotations

import pytest

from neverlost.conformance.inprocess.clients.consumer import CommitFailed, CommitMode, GroupConsumer
from neverlost.conformance.inprocess.clients.metadata import ClientMetadata
from neverlost.conformance.inprocess.clients.simulated_wire import SimulatedWire
from neverlost.conformance.inprocess.clients.wire import NoResponse
from neverlost.conformance.inprocess.cluster import Cluster
from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.group_coordinator import GroupCoordinator, Heartbeat, JoinGroup, OffsetCommit
from neverlost.conformance.inprocess.log import Record
from neverlost.conformance.inprocess.messages import ACKS_ALL, ProduceRequest
from neverlost.conformance.inprocess.protocol import KAFKA_3_5, OFFSETS_TOPIC, TopicPartition, TopicSettings

OFFSETS = TopicPartition(topic=OFFSETS_TOPIC)
ORDERS = [TopicPartition(topic="orders", partition=number) for number in range(2)]
TOPICS = {"orders": TopicSettings(), OFFSETS_TOPIC: TopicSettings(internal=True)}


@pytest.fixture
def cluster() -> Cluster:
    """Both partitions of orders are led by broker 1, the offsets by broker 3."""
    running = Cluster(KAFKA_3_5, TOPICS)
    for partition in ORDERS:
        running.create(partition, (1, 2, 3))
    running.create(OFFSETS, (3, 1, 2))
    running.run_for(100)
    return running


def write(cluster: Cluster, partition: TopicPartition, *values: str) -> None:
    records = {partition: tuple(Record(value=value) for value in values)}
    SimulatedWire(cluster).exchange(
        "writer", 1, ProduceRequest(acks=ACKS_ALL, timeout_ms=5_000, records=records), 5_000
    )
    cluster.run_for(1_000)


def consumer(cluster: Cluster, name: str = "c1", mode: CommitMode = CommitMode.BY_PROGRAM) -> GroupConsumer:
    wire = SimulatedWire(cluster)
    member = GroupConsumer(
        group="billing",
        name=name,
        wire=wire,
        metadata=ClientMetadata(wire, name, (1, 2, 3)),
        partitions=ORDERS,
        mode=mode,
    )
    assert member.join()
    return member


def values(polled: list[tuple[TopicPartition, int, Record]]) -> list[str]:
    return [record.value for _, _, record in polled]


@pytest.mark.rule("R-CONS-1")
def test_records_come_in_order_each_once(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b", "c")
    member = consumer(cluster)
    assert values(member.poll(max_records=2)) == ["a", "b"]
    assert values(member.poll(max_records=2)) == ["c"]
    assert member.poll() == []


@pytest.mark.rule("R-CONS-1")
def test_a_commit_is_a_record_of_the_internal_topic(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b")
    member = consumer(cluster)
    member.poll()
    member.commit()
    kept = [(e.record.key, e.record.value) for e in cluster.replica(3, OFFSETS).log.entries]
    assert kept == [("billing orders 0", "2"), ("billing orders 1", "0")]


@pytest.mark.rule("R-CONS-1")
def test_a_successor_starts_from_the_committed_offset(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b", "c")
    first = consumer(cluster)
    first.poll(max_records=2)
    first.commit()
    first.poll(max_records=1)
    first.leave()
    assert values(consumer(cluster, "c2").poll()) == ["c"]


@pytest.mark.rule("R-CONS-1")
def test_committed_offsets_survive_the_coordinators_crash(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b", "c")
    member = consumer(cluster)
    member.poll(max_records=2)
    member.commit()
    cluster.run_for(1_000)
    cluster.crash(3)
    cluster.run_for(20_000)
    assert cluster.controller.records[OFFSETS].leader == 1
    assert values(consumer(cluster, "c2").poll()) == ["c"]


@pytest.mark.rule("R-CONS-2")
def test_committing_after_processing_is_at_least_once(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b")
    processed, first = [], consumer(cluster)
    processed += values(first.poll())
    first.leave()
    second = consumer(cluster, "c2")
    processed += values(second.poll())
    second.commit()
    assert processed == ["a", "b", "a", "b"]


@pytest.mark.rule("R-CONS-2")
def test_committing_before_processing_is_at_most_once(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b")
    first = consumer(cluster)
    first.poll()
    first.commit()
    first.leave()
    assert values(consumer(cluster, "c2").poll()) == []


@pytest.mark.rule("R-CONS-2")
def test_auto_commit_commits_the_previous_poll_at_the_next_whatever_was_processed(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a", "b", "c")
    first = consumer(cluster, mode=CommitMode.AUTO)
    assert values(first.poll(max_records=1)) == ["a"]
    assert values(first.poll(max_records=1)) == ["b"]
    first.leave()
    assert values(consumer(cluster, "c2").poll()) == ["b", "c"]


@pytest.mark.rule("R-CONS-1")
def test_a_second_member_takes_over_a_part_and_the_first_hears_of_it(cluster: Cluster) -> None:
    first = consumer(cluster)
    assert first.assigned == tuple(ORDERS)
    second = consumer(cluster, "c2")
    assert second.assigned == (ORDERS[1],)
    assert first.heartbeat()
    assert first.assigned == (ORDERS[0],)


@pytest.mark.rule("R-CONS-1")
def test_a_member_of_an_earlier_generation_cannot_commit(cluster: Cluster) -> None:
    write(cluster, ORDERS[0], "a")
    first = consumer(cluster)
    first.poll()
    consumer(cluster, "c2")
    with pytest.raises(CommitFailed, match="ILLEGAL_GENERATION"):
        first.commit()


@pytest.mark.rule("R-CONS-1")
def test_a_silent_member_loses_its_partitions(cluster: Cluster) -> None:
    consumer(cluster)
    second = consumer(cluster, "c2")
    for _ in range(3):
        cluster.run_for(4_000)
        second.heartbeat()
    assert second.assigned == tuple(ORDERS)


def coordinator(cluster: Cluster, broker: int) -> GroupCoordinator:
    return cluster.brokers[broker].running.coordinator


def test_only_the_leader_of_the_internal_topic_coordinates(cluster: Cluster) -> None:
    answers: list[object] = []
    coordinator(cluster, 1).commit(OffsetCommit(group="g", offsets={ORDERS[0]: 1}), answers.append)
    assert [getattr(answer, "error", None) for answer in answers] == [ErrorCode.NOT_COORDINATOR]


def test_a_stranger_is_no_member(cluster: Cluster) -> None:
    unknown = coordinator(cluster, 3)
    assert unknown.heartbeat(Heartbeat(group="g", member="m", generation=1)).error is ErrorCode.UNKNOWN_MEMBER_ID
    assert unknown.join(JoinGroup(group="g", member="m", partitions=())).error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_request_on_a_severed_way_gets_no_response(cluster: Cluster) -> None:
    cluster.sever("writer", "broker-1")
    with pytest.raises(NoResponse):
        write(cluster, ORDERS[0], "a")
