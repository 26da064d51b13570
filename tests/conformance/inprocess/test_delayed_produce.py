"""A produce request with acks=all waits until its records are replicated, or until it is clear that they are not."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers, error

from neverlost.conformance.inprocess.delayed_produce import Awaited, DelayedProduce
from neverlost.conformance.inprocess.errors import BrokerError, ErrorCode
from neverlost.conformance.inprocess.messages import ACKS_ALL, ACKS_LEADER, ProduceRequest
from neverlost.conformance.inprocess.protocol import KAFKA_0_8, KAFKA_2_7, KAFKA_3_1, KAFKA_3_7
from neverlost.conformance.inprocess.replica import Replica


@pytest.mark.rule("R-DP-1")
def test_the_high_watermark_must_be_past_the_last_appended_record() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a", "b")
    (waiting,) = brokers.brokers[1].running.manager.produces.waiting()
    assert isinstance(waiting, DelayedProduce)
    assert waiting.awaited[PARTITION] == Awaited(base_offset=0, required_offset=2, leader_epoch=0)
    brokers.fetch_by(2, 3, 2)
    assert (asked.open, brokers.of(1).high_watermark) == (True, 0)
    brokers.fetch_by(3)
    assert (error(asked), brokers.of(1).high_watermark) == (ErrorCode.NONE, 2)


@pytest.mark.rule("R-DP-1")
def test_case_a_a_broker_that_hosts_the_partition_no_more_does_not_know_it() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a")
    brokers.brokers[1].running.manager.stop_hosting(PARTITION)
    brokers.let_clients_hear()
    assert error(asked) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.rule("R-DP-1")
def test_case_b_a_deposed_leader_answers_that_it_does_not_lead() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a")
    brokers.controller.move_leader(PARTITION, 2)
    assert asked.open
    brokers.all_hear(PARTITION)
    assert error(asked) is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.rule("R-DP-1")
@pytest.mark.parametrize(
    ("raised", "answered"),
    [
        (BrokerError(ErrorCode.KAFKA_STORAGE_ERROR, "the disk is gone"), ErrorCode.KAFKA_STORAGE_ERROR),
        (ZeroDivisionError(), ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_case_c_1_an_error_while_checking_is_the_answer(raised: Exception, answered: ErrorCode) -> None:
    heard = []

    def find(_: object) -> Replica:
        raise raised

    produce = DelayedProduce(
        request=ProduceRequest(acks=ACKS_ALL, timeout_ms=1, records={PARTITION: ()}),
        awaited={PARTITION: Awaited(base_offset=0, required_offset=1, leader_epoch=0)},
        settled={},
        find=find,
        respond=heard.append,
    )
    assert produce.try_complete()
    assert [one[PARTITION].error for one in heard] == [answered]


@pytest.mark.rule("R-DP-1")
def test_case_c_2_an_isr_below_min_isr_is_not_enough_after_the_append() -> None:
    brokers = ThreeBrokers(KAFKA_0_8, min_isr=3)
    asked = brokers.produce(1, "a")
    brokers.fetch_by(2, 2)
    brokers.shrink(1, 3)
    assert error(asked) is ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    assert brokers.values(1) == ["a@0"]


@pytest.mark.rule("R-DP-1")
def test_the_isr_that_counts_is_the_maximal_one_while_a_change_is_in_flight() -> None:
    brokers = ThreeBrokers(KAFKA_3_1, min_isr=3)
    asked = brokers.produce(1, "a")
    brokers.fetch_by(2, 2)
    leader = brokers.brokers[1].running
    leader.isr_changes.change(brokers.of(1), frozenset({1, 2}))
    assert (brokers.of(1).high_watermark, asked.open) == (0, True)
    brokers.fetch_by(3, 3)
    assert error(asked) is ErrorCode.NONE


@pytest.mark.rule("R-DP-1")
def test_from_2_7_until_3_1_an_answered_shrink_does_not_move_the_high_watermark_so_the_request_times_out() -> None:
    answers = {}
    for protocol in (KAFKA_2_7, KAFKA_3_1, KAFKA_3_7):
        brokers = ThreeBrokers(protocol, min_isr=3)
        asked = brokers.produce(1, "a", timeout_ms=100)
        brokers.fetch_by(2, 2)
        brokers.shrink(1, 3)
        brokers.pass_time(100)
        answers[protocol.name] = error(asked)
    assert answers == {
        "kafka-2.7": ErrorCode.REQUEST_TIMED_OUT,
        "kafka-3.1": ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        "kafka-3.7": ErrorCode.REQUEST_TIMED_OUT,
    }


@pytest.mark.rule("R-DP-2")
def test_at_the_deadline_what_is_pending_has_timed_out_and_is_in_the_log_all_the_same() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a", timeout_ms=300)
    brokers.pass_time(299)
    assert asked.open
    brokers.pass_time(1)
    assert error(asked) is ErrorCode.REQUEST_TIMED_OUT
    brokers.fetch_by(2, 3, 2, 3)
    assert (brokers.of(1).high_watermark, brokers.values(3)) == (1, ["a@0"])


@pytest.mark.rule("R-DP-2")
def test_it_is_answered_once_though_high_watermark_deadline_and_leadership_all_come() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a")
    brokers.fetch_by(2, 3, 2, 3)
    heard = asked.answer
    brokers.pass_time(1_000)
    brokers.controller.move_leader(PARTITION, 2)
    brokers.all_hear(PARTITION)
    assert asked.answer is heard
    assert not [e for e in brokers.network.in_flight if e.target == asked.connection]


@pytest.mark.rule("R-DP-3")
def test_a_leader_that_leads_on_in_a_new_epoch_keeps_the_request_waiting() -> None:
    brokers = ThreeBrokers(KAFKA_0_8)
    asked = brokers.produce(1, "a")
    brokers.fetch_by(2, 2)
    brokers.fail(3)
    assert (brokers.of(1).leader_epoch, asked.open) == (1, True)
    brokers.fetch_by(2)
    assert error(asked) is ErrorCode.NONE


@pytest.mark.rule("R-DP-3")
def test_it_is_looked_at_when_a_shrinking_isr_moves_the_high_watermark() -> None:
    brokers = ThreeBrokers(KAFKA_0_8)
    asked = brokers.produce(1, "a")
    brokers.fetch_by(2, 2)
    brokers.shrink(1, 3)
    assert error(asked) is ErrorCode.NONE


def test_a_crash_closes_the_connection_of_who_waits() -> None:
    brokers = ThreeBrokers()
    asked = brokers.produce(1, "a")
    brokers.brokers[1].crash()
    brokers.let_clients_hear()
    assert (asked.answer, asked.closed) == (None, True)


def test_requests_complete_in_the_order_of_their_offsets() -> None:
    brokers = ThreeBrokers()
    asked = [brokers.produce(1, value) for value in ("a", "b")]
    brokers.produce(1, "c", acks=ACKS_LEADER)
    brokers.fetch(2, PARTITION, max_records=1)
    brokers.fetch(3, PARTITION, max_records=1)
    brokers.fetch_by(2, 3)
    assert [one.open for one in asked] == [False, True]
