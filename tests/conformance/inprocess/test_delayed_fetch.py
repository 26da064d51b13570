"""A fetch waits for records, and not for what will never come."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers

from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.messages import (
    ACKS_LEADER,
    CONSUMER,
    FetchedPartition,
    FetchPosition,
    FetchRequest,
    FetchResponse,
)
from neverlost.conformance.inprocess.protocol import KAFKA_2_0, KAFKA_3_1
from neverlost.conformance.inprocess.stepped_cluster import ClientRequest

FOLLOWER = 2


def ask(
    brokers: ThreeBrokers,
    reader: int,
    offset: int = 0,
    *,
    leader: int = 1,
    leader_epoch: int | None = None,
    min_records: int = 1,
) -> ClientRequest:
    position = FetchPosition(offset=offset, leader_epoch=leader_epoch)
    return brokers.ask(
        leader,
        FetchRequest(replica=reader, positions={PARTITION: position}, max_wait_ms=500, min_records=min_records),
    )


def fetched(asked: ClientRequest) -> FetchedPartition:
    assert isinstance(asked.answer, FetchResponse), asked
    return asked.answer.partitions[PARTITION]


def read(asked: ClientRequest) -> list[str]:
    return [entry.record.value for entry in fetched(asked).entries]


@pytest.mark.rule("R-DF-1")
def test_a_consumers_fetch_waits_for_the_high_watermark_and_a_followers_for_the_log_end() -> None:
    brokers = ThreeBrokers()
    consumer, follower = ask(brokers, CONSUMER), ask(brokers, FOLLOWER)
    assert (consumer.open, follower.open) == (True, True)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    assert (consumer.open, read(follower)) == (True, ["a"])
    brokers.fetch_by(2, 3, 2, 3)
    assert read(consumer) == ["a"]


@pytest.mark.rule("R-DF-1")
def test_it_waits_until_enough_is_there() -> None:
    brokers = ThreeBrokers()
    asked = ask(brokers, FOLLOWER, min_records=2)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    assert asked.open
    brokers.produce(1, "b", acks=ACKS_LEADER)
    assert read(asked) == ["a", "b"]


@pytest.mark.rule("R-DF-1")
def test_it_completes_when_the_broker_leads_no_more() -> None:
    brokers = ThreeBrokers()
    asked = ask(brokers, CONSUMER)
    brokers.controller.move_leader(PARTITION, 2)
    brokers.all_hear(PARTITION)
    assert fetched(asked).error is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.rule("R-DF-1")
def test_it_completes_when_its_epoch_is_over() -> None:
    brokers = ThreeBrokers(KAFKA_3_1)
    asked = ask(brokers, FOLLOWER, leader_epoch=0)
    brokers.fail(3)
    assert fetched(asked).error is ErrorCode.FENCED_LEADER_EPOCH


@pytest.mark.rule("R-DF-1")
def test_it_completes_when_its_position_was_cut_away() -> None:
    brokers = ThreeBrokers(KAFKA_2_0)
    brokers.produce(1, "a", "b", acks=ACKS_LEADER)
    asked = ask(brokers, FOLLOWER, offset=2)
    assert asked.open
    brokers.of(1).truncate(1)
    brokers.brokers[1].running.manager.fetches.check_and_complete(PARTITION)
    brokers.let_clients_hear()
    assert fetched(asked).error is ErrorCode.OFFSET_OUT_OF_RANGE


@pytest.mark.rule("R-DF-1")
def test_it_completes_at_its_deadline_with_what_there_is() -> None:
    brokers = ThreeBrokers()
    asked = ask(brokers, FOLLOWER, min_records=5)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.pass_time(499)
    assert asked.open
    brokers.pass_time(1)
    assert read(asked) == ["a"]


@pytest.mark.rule("R-DF-1")
def test_the_log_is_read_again_for_the_response() -> None:
    brokers = ThreeBrokers()
    asked = ask(brokers, FOLLOWER)
    brokers.produce(1, "a", "b", "c", acks=ACKS_LEADER)
    assert read(asked) == ["a", "b", "c"]


@pytest.mark.rule("R-DF-1")
def test_a_consumer_reads_below_the_high_watermark_and_a_follower_up_to_the_log_end() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3, 2, 3)
    brokers.produce(1, "b", acks=ACKS_LEADER)
    assert (read(ask(brokers, CONSUMER)), read(ask(brokers, FOLLOWER))) == (["a"], ["a", "b"])


def test_beyond_the_log_end_there_is_nothing_to_wait_for() -> None:
    assert fetched(ask(ThreeBrokers(), CONSUMER, offset=3)).error is ErrorCode.OFFSET_OUT_OF_RANGE
