"""The 0.8.2 producer: where messages go, what is sent again, when it gives up."""

from __future__ import annotations

from random import Random

import pytest
from scripted_wire import ScriptedWire, lose, refuse

from neverlost.conformance.inprocess.clients.connection_pool import ConnectionPool, UnknownBroker
from neverlost.conformance.inprocess.clients.metadata import ClientMetadata
from neverlost.conformance.inprocess.clients.routing import (
    Keyless,
    NoPartitionAvailable,
    RoundRobin,
    StickyPerBatch,
    StickyUntilRefresh,
    partition_of_key,
)
from neverlost.conformance.inprocess.clients.sync_producer import (
    FailedToSendMessage,
    Message,
    SyncProducer,
    SyncProducerSettings,
)
from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.messages import ACKS_LEADER, PartitionResponse, ProduceResponse
from neverlost.conformance.inprocess.protocol import TopicPartition

THREE = {0: 1, 1: 2, 2: 3}


def producer(
    wire: ScriptedWire,
    *,
    keyless: Keyless | None = None,
    acks: int = ACKS_LEADER,
    retries: int = 3,
    refresh_ms: int = 600_000,
) -> SyncProducer:
    return SyncProducer(
        client="p",
        wire=wire,
        metadata=ClientMetadata(wire, "p", (1,)),
        keyless=keyless or StickyUntilRefresh(Random(1)),
        settings=SyncProducerSettings(
            request_required_acks=acks, message_send_max_retries=retries, topic_metadata_refresh_interval_ms=refresh_ms
        ),
    )


def message(value: str, partition: int | None = None, key: str | None = None) -> Message:
    return Message(topic="orders", value=value, partition=partition, key=key)


@pytest.mark.rule("R-CLIENT-1")
def test_an_explicit_partition_goes_before_the_key() -> None:
    wire = ScriptedWire(THREE)
    for partition in (0, 1, 2):
        producer(wire).send([message("a", partition=partition, key="k")])
    assert [next(iter(body.records)).partition for _, _, body in wire.sent] == [0, 1, 2]


@pytest.mark.rule("R-CLIENT-1")
def test_a_key_goes_to_its_hash_modulo_the_number_of_partitions_with_or_without_a_leader() -> None:
    assert {partition_of_key(f"key {n}", 3) for n in range(30)} == {0, 1, 2}
    assert partition_of_key("neverlost", 1) == 0
    assert [partition_of_key("same", 7) for _ in range(3)] == [partition_of_key("same", 7)] * 3
    wire = ScriptedWire({0: -1, 1: -1, 2: -1})
    by_broker, unroutable = producer(wire).partition_and_collate([message("a", key="k")])
    assert (list(by_broker), unroutable) == ([], [message("a", key="k")])


@pytest.mark.rule("R-CLIENT-1")
def test_without_a_key_one_random_available_partition_is_kept_until_the_metadata_is_refreshed() -> None:
    keyless, leaders = StickyUntilRefresh(Random(3)), {0: 1, 1: -1, 2: 3}
    first = keyless.partition("orders", leaders)
    assert {keyless.partition("orders", leaders) for _ in range(20)} == {first}
    chosen = set()
    for _ in range(20):
        keyless.refreshed()
        chosen.add(keyless.partition("orders", leaders))
    assert chosen == {0, 2}


@pytest.mark.rule("R-CLIENT-1")
def test_older_java_producers_go_round() -> None:
    keyless = RoundRobin()
    keyless.refreshed()
    assert [keyless.partition("orders", {0: 1, 1: -1, 2: 3}) for _ in range(4)] == [0, 2, 0, 2]


@pytest.mark.rule("R-CLIENT-1")
def test_from_2_4_on_a_partition_is_kept_for_a_batch() -> None:
    keyless = StickyPerBatch(Random(1), batch_records=3)
    keyless.refreshed()
    chosen = [keyless.partition("orders", THREE) for _ in range(9)]
    assert [len(set(chosen[start : start + 3])) for start in (0, 3, 6)] == [1, 1, 1]
    assert chosen[0] != chosen[3] != chosen[6]


@pytest.mark.rule("R-CLIENT-1")
@pytest.mark.parametrize("keyless", [StickyUntilRefresh(Random(1)), RoundRobin(), StickyPerBatch(Random(1), 2)])
def test_without_any_leader_there_is_nowhere_to_go(keyless: Keyless) -> None:
    with pytest.raises(NoPartitionAvailable):
        keyless.partition("orders", {0: -1})


@pytest.mark.rule("R-CLIENT-2")
def test_messages_are_grouped_by_leader_and_then_by_partition() -> None:
    wire = ScriptedWire({0: 1, 1: 2, 2: 1})
    sender = producer(wire)
    sender.send([message("warm", partition=0)])
    sent = [message("a", 0), message("b", 1), message("c", 2), message("d", 0)]
    by_broker, unroutable = sender.partition_and_collate(sent)
    orders = [TopicPartition(topic="orders", partition=number) for number in range(3)]
    assert unroutable == []
    assert by_broker == {1: {orders[0]: [sent[0], sent[3]], orders[2]: [sent[2]]}, 2: {orders[1]: [sent[1]]}}


@pytest.mark.rule("R-CLIENT-2")
def test_the_metadata_is_refreshed_when_the_interval_has_passed() -> None:
    wire = ScriptedWire(THREE)
    sender = producer(wire, refresh_ms=1_000)
    for time_ms, refreshes in ((0, 1), (1_000, 1), (1_001, 2), (1_500, 2)):
        wire.time_ms = time_ms
        sender.send([message("a")])
        assert wire.refreshes == refreshes


@pytest.mark.rule("R-CLIENT-2")
def test_a_partition_without_a_leader_is_not_sent_and_stays_outstanding() -> None:
    wire = ScriptedWire({0: 1, 1: -1})
    with pytest.raises(FailedToSendMessage) as raised:
        producer(wire, retries=1).send([message("a", 0), message("b", 1)])
    assert wire.values() == [["a"]]
    assert raised.value.outstanding == (message("b", 1),)


@pytest.mark.rule("R-CLIENT-2")
def test_only_failed_partitions_are_sent_again_after_a_back_off_and_a_refresh() -> None:
    wire = ScriptedWire({0: 1, 1: 1}, script=[refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)])
    producer(wire).send([message("a", 0), message("b", 1)])
    assert wire.values() == [["a", "b"], ["b"]]
    assert (wire.time_ms, wire.refreshes) == (100, 2)


@pytest.mark.rule("R-CLIENT-2")
def test_a_retry_goes_to_the_new_leader() -> None:
    wire = ScriptedWire({0: 1}, script=[refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)])
    sender = producer(wire)
    sender.send([])
    wire.sleep = lambda _: wire.leaders.update({0: 2})  # type: ignore[method-assign]
    sender.send([message("a", 0)])
    assert [broker for _, broker, _ in wire.sent] == [1, 2]


@pytest.mark.rule("R-CLIENT-2")
def test_a_response_about_another_number_of_partitions_is_an_error() -> None:
    def half(_: int, request: object) -> ProduceResponse:
        first = TopicPartition(topic="orders", partition=0)
        return ProduceResponse(partitions={first: PartitionResponse(error=ErrorCode.NONE)})

    wire = ScriptedWire({0: 1, 1: 1}, script=[half])
    producer(wire).send([message("a", 0), message("b", 1)])
    assert wire.values() == [["a", "b"], ["a", "b"]]


@pytest.mark.rule("R-CLIENT-2")
def test_when_the_attempts_are_spent_the_program_learns_what_is_outstanding() -> None:
    wire = ScriptedWire({0: 1}, script=[lose, lose, lose, lose])
    with pytest.raises(FailedToSendMessage, match="1 messages were not sent in 4 attempts") as raised:
        producer(wire, retries=3).send([message("a", 0)])
    assert len(wire.sent) == 4
    assert raised.value.outstanding == (message("a", 0),)


@pytest.mark.rule("R-CLIENT-2")
def test_the_sticky_partition_is_given_up_after_a_failure() -> None:
    wire = ScriptedWire(THREE, script=[lose] * 20)
    with pytest.raises(FailedToSendMessage):
        producer(wire, retries=19).send([message("a")])
    assert len({next(iter(body.records)).partition for _, _, body in wire.sent}) == 3


@pytest.mark.rule("R-CLIENT-2")
def test_the_pool_has_one_connection_per_broker_and_is_rebuilt_on_refresh() -> None:
    pool = ConnectionPool("p")
    pool.rebuild([1, 2])
    before = [pool.connection(1), pool.connection(2), pool.connection(1)]
    assert before[0] == before[2] != before[1]
    pool.rebuild([1])
    assert pool.connection(1) != before[0]
    assert pool.connection(2) == before[1]
    with pytest.raises(UnknownBroker, match="there are connections to 1, 2"):
        pool.connection(9)


@pytest.mark.rule("R-CLIENT-2")
def test_without_any_metadata_nothing_is_sent() -> None:
    wire = ScriptedWire(THREE)
    wire.metadata_fails = True
    with pytest.raises(FailedToSendMessage):
        producer(wire).send([message("a", 0), message("b"), message("c", key="k")])
    assert wire.sent == []


@pytest.mark.rule("R-CLIENT-2")
def test_with_acks_none_what_was_sent_counts_as_done() -> None:
    wire = ScriptedWire(THREE)
    producer(wire, acks=0).send([message("a", 0)])
    assert wire.values() == [["a"]]
