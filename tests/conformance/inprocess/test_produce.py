"""What a broker answers to a produce request, and when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from partition_by_hand import PARTITION, ThreeBrokers, error, errors

from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.log import Record
from neverlost.conformance.inprocess.messages import (
    ACKS_ALL,
    ACKS_LEADER,
    ACKS_NONE,
    CONSUMER,
    FetchPosition,
    FetchRequest,
    FetchResponse,
    ProduceRequest,
)
from neverlost.conformance.inprocess.protocol import (
    KAFKA_0_8,
    KAFKA_0_11,
    OFFSETS_TOPIC,
    TopicPartition,
    TopicSettings,
)
from neverlost.conformance.inprocess.request_path import HandlerPool, Request, RequestChannel


def to(partition: TopicPartition, acks: int = ACKS_ALL) -> ProduceRequest:
    return ProduceRequest(acks=acks, timeout_ms=100, records={partition: (Record(value="x"),)})


@pytest.mark.rule("R-PROD-1")
def test_a_broker_that_does_not_know_the_partition_says_so() -> None:
    asked = ThreeBrokers().ask(1, to(TopicPartition(topic="nowhere")))
    assert error(asked) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.rule("R-PROD-1")
def test_a_broker_that_knows_the_partition_to_be_elsewhere_is_not_its_leader() -> None:
    brokers, elsewhere = ThreeBrokers(), TopicPartition(topic="orders", partition=1)
    brokers.create(elsewhere, (2, 3))
    for envelope in brokers.news(1, elsewhere):
        brokers.network.deliver(envelope)
    assert error(brokers.ask(1, to(elsewhere))) is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.rule("R-PROD-1")
def test_a_host_that_does_not_lead_says_so_and_the_error_has_an_older_name() -> None:
    brokers = ThreeBrokers()
    assert error(brokers.produce(2, "a")) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER.older_name == "NOT_LEADER_FOR_PARTITION"
    assert brokers.values(2) == []


@pytest.mark.rule("R-PROD-2")
def test_with_acks_all_and_an_isr_below_min_isr_nothing_is_appended() -> None:
    brokers = ThreeBrokers(min_isr=3)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.shrink(1, 2)
    assert error(brokers.produce(1, "b")) is ErrorCode.NOT_ENOUGH_REPLICAS
    assert brokers.values(1) == ["a@0"]


@pytest.mark.rule("R-PROD-2")
@pytest.mark.parametrize("acks", [ACKS_NONE, ACKS_LEADER])
def test_min_isr_is_not_looked_at_without_acks_all(acks: int) -> None:
    brokers = ThreeBrokers(min_isr=3)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.shrink(1, 2)
    brokers.produce(1, "b", acks=acks)
    assert brokers.values(1) == ["a@0", "b@0"]


@pytest.mark.rule("R-PROD-3")
def test_a_record_is_appended_at_the_log_end_with_the_leaders_epoch() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3)
    brokers.controller.move_leader(PARTITION, 2)
    brokers.all_hear(PARTITION)
    brokers.produce(2, "b", "c", acks=ACKS_LEADER)
    assert brokers.values(2) == ["a@0", "b@1", "c@1"]


@pytest.mark.rule("R-PROD-3")
def test_an_append_moves_the_high_watermark_at_once_if_the_isr_is_the_leader_alone() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    assert brokers.of(1).high_watermark == 0
    brokers.shrink(1, 2)
    brokers.shrink(1, 3)
    assert error(brokers.produce(1, "b")) is ErrorCode.NONE
    assert brokers.of(1).high_watermark == 2


@pytest.mark.rule("R-PROD-3")
def test_an_append_wakes_the_fetches_of_followers_that_wait() -> None:
    brokers = ThreeBrokers()
    position = FetchPosition(offset=0, leader_epoch=0)
    waiting = brokers.ask(1, FetchRequest(replica=2, positions={PARTITION: position}, max_wait_ms=500))
    assert waiting.open
    brokers.produce(1, "a", acks=ACKS_LEADER)
    assert isinstance(waiting.answer, FetchResponse)
    assert [entry.record.value for entry in waiting.answer.partitions[PARTITION].entries] == ["a"]


@pytest.mark.rule("R-PROD-4")
def test_with_acks_none_no_response_is_ever_sent() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a", acks=ACKS_NONE)
    brokers.fetch_by(2, 3, 2, 3)
    brokers.pass_time(1_000)
    assert asked.open
    assert brokers.values(1) == ["a@0"]


@pytest.mark.rule("R-PROD-4")
def test_with_acks_none_an_error_closes_the_connection() -> None:
    asked = ThreeBrokers().produce(2, "a", acks=ACKS_NONE)
    assert (asked.closed, asked.answer) == (True, None)


@pytest.mark.rule("R-PROD-4")
def test_with_acks_one_the_response_follows_the_local_append() -> None:
    assert error(ThreeBrokers().produce(1, "a", acks=ACKS_LEADER)) is ErrorCode.NONE


@pytest.mark.rule("R-PROD-4")
def test_with_acks_all_the_response_waits_if_a_partition_was_appended() -> None:
    brokers = ThreeBrokers()
    nowhere = TopicPartition(topic="nowhere")
    records = {PARTITION: (Record(value="a"),), nowhere: (Record(value="b"),)}
    asked = brokers.ask(1, ProduceRequest(acks=ACKS_ALL, timeout_ms=100, records=records))
    assert asked.open
    brokers.fetch_by(2, 3, 2, 3)
    assert errors(asked) == {PARTITION: ErrorCode.NONE, nowhere: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


@pytest.mark.rule("R-PROD-4")
def test_with_acks_all_the_response_comes_at_once_if_no_partition_was_appended() -> None:
    brokers = ThreeBrokers()
    assert error(brokers.produce(3, "a")) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert brokers.brokers[3].running.manager.produces.waiting() == []


@pytest.mark.rule("R-PROD-4")
@pytest.mark.parametrize("acks", [2, 3, -2])
def test_other_acks_are_refused(acks: int) -> None:
    brokers = ThreeBrokers()
    assert error(brokers.produce(1, "a", acks=acks)) is ErrorCode.INVALID_REQUIRED_ACKS
    assert brokers.values(1) == []


@pytest.mark.rule("R-PROD-5")
def test_a_client_cannot_write_to_an_internal_topic() -> None:
    brokers = ThreeBrokers()
    offsets = TopicPartition(topic=OFFSETS_TOPIC)
    brokers.topics[OFFSETS_TOPIC] = TopicSettings(internal=True)
    brokers.brokers[1].running.manager.internal_topics.add(OFFSETS_TOPIC)
    brokers.create(offsets, (1, 2, 3))
    brokers.all_hear(offsets)
    assert error(brokers.ask(1, to(offsets))) is ErrorCode.INVALID_TOPIC_EXCEPTION
    assert brokers.replica(1, offsets).log.end == 0


@pytest.mark.rule("R-PROD-5")
def test_a_failing_disk_is_a_storage_error() -> None:
    brokers = ThreeBrokers(KAFKA_0_11)
    brokers.brokers[1].disk.failing = True
    assert error(brokers.produce(1, "a")) is ErrorCode.KAFKA_STORAGE_ERROR


@pytest.mark.rule("R-PROD-5")
def test_a_failing_disk_halts_the_broker_of_0_8() -> None:
    brokers = ThreeBrokers(KAFKA_0_8)
    brokers.brokers[1].disk.failing = True
    asked = brokers.produce(1, "a")
    assert brokers.brokers[1].process is None
    assert (asked.answer, asked.closed) == (None, True)


@pytest.mark.rule("R-PROD-5")
def test_any_other_exception_is_an_unknown_error() -> None:
    brokers = ThreeBrokers()

    def fail(*_: object, **__: object) -> int:
        raise ZeroDivisionError

    brokers.brokers[1].disk.append = fail  # type: ignore[method-assign]
    assert error(brokers.produce(1, "a")) is ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.rule("R-PROD-4")
def test_of_one_connection_a_request_is_handled_only_when_the_one_before_is_answered() -> None:
    channel, handled = RequestChannel(), []
    requests = {name: request(name) for name in ("a1", "a2", "b1")}
    for one in requests.values():
        channel.receive(one)

    def handle(one: Request) -> Iterator[None]:
        handled.append(one.body)
        yield

    pool = HandlerPool(channel, handle, size=3)
    pool.run()
    assert handled == ["a1", "b1"]
    channel.answered(requests["a1"])
    pool.run()
    assert handled == ["a1", "b1", "a2"]


@pytest.mark.rule("R-PROD-4")
def test_no_more_requests_are_in_hand_than_there_are_handlers() -> None:
    channel = RequestChannel()
    for number in range(5):
        channel.receive(request(f"{number}"))
    pool = HandlerPool(channel, lambda _: iter(()), size=2)
    pool.moves()[0]()
    pool.moves()[0]()
    assert len(pool.moves()) == 2
    assert len(channel.waiting) == 3


def request(name: str) -> Request:
    return Request(connection=name[0], body=name, respond=lambda _: None, close=lambda: None)


def test_a_request_of_an_unknown_kind_closes_the_connection() -> None:
    assert ThreeBrokers().ask(1, "what is this").closed


def test_a_call_to_a_broker_that_is_down_is_closed() -> None:
    brokers = ThreeBrokers()
    brokers.brokers[1].crash()
    assert brokers.produce(1, "a").closed


@pytest.mark.rule("R-CONS-1")
def test_a_consumer_is_not_given_what_is_not_below_the_high_watermark() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    read = FetchRequest(replica=CONSUMER, positions={PARTITION: FetchPosition(offset=0)})
    before = brokers.ask(1, read).answer
    brokers.fetch_by(2, 3, 2, 3)
    after = brokers.ask(1, read).answer
    assert isinstance(before, FetchResponse)
    assert isinstance(after, FetchResponse)
    assert (len(before.partitions[PARTITION].entries), len(after.partitions[PARTITION].entries)) == (0, 1)
