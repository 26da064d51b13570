"""What brokers do in several steps: leadership may change in between, and each release then does what its code says."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers, error, variant

from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.exchanges import HeldRequest, LateResponse
from neverlost.conformance.inprocess.log import Record
from neverlost.conformance.inprocess.messages import ACKS_ALL, ACKS_LEADER, ProduceRequest
from neverlost.conformance.inprocess.protocol import (
    KAFKA_0_9,
    KAFKA_0_11,
    KAFKA_1_1,
    KAFKA_2_0,
    KAFKA_2_1,
    KAFKA_2_7,
    KAFKA_2_8,
    KAFKA_3_1,
    KAFKA_3_3,
    KAFKA_3_3_ZK,
    KAFKA_3_6,
    KAFKA_3_9,
    KAFKA_3_9_0,
    KAFKA_4_1,
    Protocol,
)
from neverlost.conformance.inprocess.stepped_cluster import ClientRequest


def named(protocol: Protocol) -> str:
    return protocol.name


def move(brokers: ThreeBrokers, leader: int, *listeners: int) -> None:
    """Leadership moves, and these brokers hear so, in this order."""
    brokers.controller.move_leader(PARTITION, leader)
    for broker in listeners:
        brokers.hear(broker, PARTITION)


def appended(brokers: ThreeBrokers, broker: int, value: str) -> tuple[ClientRequest, HeldRequest]:
    """A broker has appended a value, and is held up before it makes the delayed produce."""
    request = ProduceRequest(acks=ACKS_ALL, timeout_ms=100, records={PARTITION: (Record(value=value),)})
    return brokers.ask_and_hold(broker, request)


def lost_and_acknowledged(protocol: Protocol) -> tuple[ThreeBrokers, ClientRequest]:
    """1 appends m and is held up; 3 leads, and x is committed at m's offset; then 1 leads again, and goes on."""
    brokers = ThreeBrokers(protocol)
    asked, held = appended(brokers, 1, "m")
    move(brokers, 3, 3, 1, 2)
    brokers.produce(3, "x", acks=ACKS_LEADER)
    brokers.fetch_by(1, 1, 2, 2, 1, 2)
    move(brokers, 1, 1, 2, 3)
    brokers.fetch_by(2, 3)
    if held.open:
        brokers.go_on(held)
    return brokers, asked


@pytest.mark.rule("R-DP-1")
@pytest.mark.parametrize("protocol", [KAFKA_2_1, KAFKA_2_8, KAFKA_4_1], ids=named)
def test_a_delayed_produce_that_is_made_in_another_epoch_is_acknowledged_by_what_others_have_written(
    protocol: Protocol,
) -> None:
    brokers, asked = lost_and_acknowledged(protocol)
    assert error(asked) is ErrorCode.NONE
    assert [value[0] for broker in (1, 2, 3) for value in brokers.values(broker)] == ["x", "x", "x"]


@pytest.mark.rule("R-DP-1")
def test_a_delayed_produce_that_knows_its_epoch_is_not() -> None:
    _, asked = lost_and_acknowledged(variant(KAFKA_4_1, produces_know_epoch=True))
    assert error(asked) is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.rule("R-DP-1")
def test_a_delayed_produce_that_is_made_by_a_follower_is_refused() -> None:
    brokers = ThreeBrokers()
    asked, held = appended(brokers, 1, "m")
    move(brokers, 2, 1)
    brokers.go_on(held)
    assert error(asked) is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.rule("R-DP-1")
def test_a_delayed_produce_that_is_made_late_in_its_own_epoch_looks_at_the_high_watermark_at_once() -> None:
    brokers = ThreeBrokers()
    asked, held = appended(brokers, 1, "m")
    brokers.fetch_by(2, 3, 2, 3)
    assert asked.open
    brokers.go_on(held)
    assert error(asked) is ErrorCode.NONE


def counted_late(protocol: Protocol, *, follows: bool) -> ThreeBrokers:
    """1 has checked a fetch of 2, which has m. 3 leads and 2 cuts m; then 1 leads again, with m, and counts the fetch.

    1 may have heard that 3 leads, or only that it leads again.
    """
    brokers = ThreeBrokers(protocol)
    brokers.shrink(1, 2)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3)
    held = brokers.fetch_and_hold(2, PARTITION)
    assert held is not None
    move(brokers, 3, *((3, 1) if follows else (3,)))
    move(brokers, 1, 1, 2, 3)
    if held.open:
        brokers.go_on(held)
    return brokers


def known_end(brokers: ThreeBrokers) -> int:
    return brokers.of(1).led().followers[2].log_end


@pytest.mark.rule("R-FETCH-1")
@pytest.mark.parametrize("protocol", [KAFKA_2_1, KAFKA_2_8, KAFKA_3_1], ids=named)
def test_up_to_3_2_a_fetch_counts_in_whatever_epoch_its_leader_leads(protocol: Protocol) -> None:
    assert known_end(counted_late(protocol, follows=True)) == 1


@pytest.mark.rule("R-FETCH-1")
@pytest.mark.parametrize("protocol", [KAFKA_3_3_ZK, KAFKA_3_3, KAFKA_3_6, KAFKA_4_1], ids=named)
def test_from_3_3_on_it_does_not_once_its_leader_has_followed(protocol: Protocol) -> None:
    assert known_end(counted_late(protocol, follows=True)) == 0


@pytest.mark.rule("R-FETCH-1")
@pytest.mark.parametrize("protocol", [KAFKA_3_3, KAFKA_4_1], ids=named)
def test_from_3_3_on_it_counts_in_the_next_epoch_of_a_leader_that_leads_on(protocol: Protocol) -> None:
    assert known_end(counted_late(variant(protocol, keeps_known_ends=False), follows=False)) == 1


@pytest.mark.rule("R-FETCH-1")
@pytest.mark.parametrize("follows", [True, False])
def test_a_fetch_that_knows_its_epoch_counts_in_no_other(follows: bool) -> None:
    protocol = variant(KAFKA_3_1, fetches_know_epoch=True, keeps_known_ends=False)
    assert known_end(counted_late(protocol, follows=follows)) == 0


@pytest.mark.rule("R-FETCH-1")
def test_a_fetch_that_a_follower_counts_is_noted_nowhere() -> None:
    brokers = ThreeBrokers(KAFKA_3_1)
    held = brokers.fetch_and_hold(2, PARTITION)
    assert held is not None
    move(brokers, 3, 1)
    brokers.go_on(held)
    assert brokers.of(1).leadership is None


@pytest.mark.rule("R-ISR-2")
@pytest.mark.parametrize("protocol", [KAFKA_2_1, KAFKA_3_3], ids=named)
def test_a_follower_joins_the_isr_by_a_fetch_of_an_earlier_epoch(protocol: Protocol) -> None:
    brokers = ThreeBrokers(protocol)
    brokers.shrink(1, 2)
    held = brokers.fetch_and_hold(2, PARTITION)
    assert held is not None
    move(brokers, 3, 3, 1)
    move(brokers, 1, 1, 3)
    brokers.brokers[1].running.manager.joins_isr_by_fetch = True
    brokers.go_on(held)
    assert brokers.of(1).led().isr.maximal == {1, 2, 3}


def under_way(protocol: Protocol) -> tuple[ThreeBrokers, LateResponse]:
    """1 answers 2 with a slice that has m, which nobody else has; then 3 leads with x at m's offset, and 1 takes x."""
    brokers = ThreeBrokers(protocol)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    move(brokers, 3, 3, 1)
    brokers.produce(3, "x", acks=ACKS_LEADER)
    brokers.fetch_by(1, 1)
    assert brokers.values(1) == ["x@1"]
    return brokers, late


@pytest.mark.rule("R-FETCH-2")
@pytest.mark.parametrize("protocol", [KAFKA_2_1, KAFKA_3_9_0], ids=named)
def test_the_bytes_of_a_response_are_read_when_it_is_sent(protocol: Protocol) -> None:
    brokers, late = under_way(protocol)
    brokers.receive_late(late)
    assert brokers.values(2) == ["x@1"]


@pytest.mark.rule("R-FETCH-2")
def test_bytes_that_were_sent_stay_as_they_are() -> None:
    brokers = ThreeBrokers(KAFKA_3_9_0)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    brokers.send_late(late)
    move(brokers, 3, 3, 1)
    brokers.fetch_by(1)
    assert brokers.values(1) == []
    brokers.receive_late(late)
    assert brokers.values(2) == ["m@0"]


@pytest.mark.rule("R-FETCH-2")
def test_a_response_that_keeps_its_bytes_brings_what_was_checked() -> None:
    brokers, late = under_way(variant(KAFKA_3_9_0, responses_keep_bytes=True))
    brokers.receive_late(late)
    assert brokers.values(2) == ["m@0"]


@pytest.mark.rule("R-FETCH-2")
def test_from_kafka_18723_on_a_follower_takes_no_record_of_a_newer_epoch() -> None:
    brokers, late = under_way(KAFKA_3_9)
    brokers.receive_late(late)
    assert brokers.values(2) == []


@pytest.mark.rule("R-FETCH-2")
def test_it_takes_the_high_watermark_that_comes_with_such_a_record() -> None:
    brokers = ThreeBrokers(KAFKA_3_9)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3, 2, 3)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    brokers.of(2).high_watermark = 0
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    move(brokers, 3, 3, 1)
    brokers.produce(3, "x", acks=ACKS_LEADER)
    brokers.fetch_by(1, 1)
    assert brokers.values(1) == ["a@0", "x@1"]
    brokers.receive_late(late)
    assert (brokers.values(2), brokers.of(2).high_watermark) == (["a@0"], 1)


@pytest.mark.rule("R-FETCH-2")
def test_a_slice_of_a_log_that_has_become_too_short_breaks_the_connection() -> None:
    brokers = ThreeBrokers(KAFKA_2_8)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    move(brokers, 3, 3, 1)
    brokers.fetch_by(1)
    assert brokers.values(1) == []
    brokers.send_late(late)
    assert not late.open
    assert not brokers.brokers[2].running.fetchers.busy(PARTITION)


@pytest.mark.rule("R-FETCH-1")
def test_a_follower_that_waits_for_a_leader_asks_it_nothing_else_even_in_another_epoch() -> None:
    brokers = ThreeBrokers(KAFKA_2_8)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    brokers.fetch_by(2)
    assert brokers.values(2) == []
    move(brokers, 3, 3, 2)
    move(brokers, 1, 1, 2)
    brokers.fetch_by(2)
    assert brokers.values(2) == []
    brokers.receive_late(late)
    assert brokers.values(2) == ["m@0"]


def has_to_cut(protocol: Protocol) -> tuple[ThreeBrokers, LateResponse]:
    """2 has u of epoch 0, which 1, the leader of epoch 2, has not: 1 answers so. Then 2 gets w from 3 instead, and follows 1 again."""
    brokers = ThreeBrokers(protocol)
    move(brokers, 2, 2)
    brokers.produce(2, "u", acks=ACKS_LEADER)
    move(brokers, 1, 1, 2)
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    brokers.send_late(late)
    move(brokers, 3, 3, 2, 1)
    brokers.fetch_by(2)
    brokers.produce(3, "w", acks=ACKS_LEADER)
    brokers.fetch_by(2, 1)
    move(brokers, 1, 1, 2)
    assert brokers.values(2) == brokers.values(1) == ["w@3"]
    return brokers, late


@pytest.mark.rule("R-TRUNC-4")
@pytest.mark.parametrize("protocol", [KAFKA_2_8, KAFKA_3_9_0], ids=named)
def test_a_response_of_an_earlier_epoch_cuts_a_log_that_ends_where_it_did(protocol: Protocol) -> None:
    brokers, late = has_to_cut(protocol)
    brokers.receive_late(late)
    assert brokers.values(2) == []


@pytest.mark.rule("R-TRUNC-4")
def test_from_kafka_18991_on_it_cuts_nothing() -> None:
    brokers, late = has_to_cut(KAFKA_3_9)
    assert not late.open
    assert brokers.values(2) == ["w@3"]


def follows_again(protocol: Protocol) -> tuple[ThreeBrokers, LateResponse]:
    """1 answers 2 with m; 2 follows 3, and then 1 again, before the response comes, and has yet to cut its log."""
    brokers = ThreeBrokers(protocol)
    brokers.produce(1, "m", acks=ACKS_LEADER)
    late = brokers.fetch_and_wait(2, PARTITION)
    assert late is not None
    brokers.send_late(late)
    brokers.controller.move_leader(PARTITION, 3)
    brokers.hear(2, PARTITION, cuts=False)
    brokers.controller.move_leader(PARTITION, 1)
    brokers.hear(2, PARTITION, cuts=False)
    return brokers, late


@pytest.mark.rule("R-FETCH-2")
@pytest.mark.parametrize("protocol", [KAFKA_0_9, KAFKA_0_11, KAFKA_2_8], ids=named)
def test_up_to_1_0_and_in_2_8_to_3_9_a_follower_takes_records_that_come_in_another_epoch(protocol: Protocol) -> None:
    brokers, late = follows_again(protocol)
    brokers.receive_late(late)
    assert brokers.values(2) == ["m@0"]


@pytest.mark.rule("R-FETCH-2")
@pytest.mark.parametrize("protocol", [KAFKA_1_1, KAFKA_2_0, KAFKA_2_7, KAFKA_3_9, KAFKA_4_1], ids=named)
def test_the_other_releases_drop_them(protocol: Protocol) -> None:
    brokers, late = follows_again(protocol)
    assert not late.open
    assert brokers.values(2) == []


@pytest.mark.rule("R-TRUNC-3")
def test_up_to_1_0_a_follower_that_takes_such_records_never_cuts_its_log() -> None:
    brokers, late = follows_again(KAFKA_0_11)
    following = brokers.of(2).following
    assert following is not None
    assert following.truncating
    brokers.receive_late(late)
    assert not following.truncating


def yet_to_cut(protocol: Protocol) -> ThreeBrokers:
    """1 has u, which the leader 2 has not, and has heard of it, and not asked where to cut."""
    brokers = ThreeBrokers(protocol)
    brokers.produce(1, "u", acks=ACKS_LEADER)
    move(brokers, 2, 2)
    brokers.hear(1, PARTITION, cuts=False)
    assert brokers.values(1) == ["u@0"]
    return brokers


@pytest.mark.rule("R-TRUNC-3")
@pytest.mark.parametrize("protocol", [KAFKA_0_11, KAFKA_2_0, KAFKA_2_1, KAFKA_2_7], ids=named)
def test_a_follower_that_has_yet_to_cut_its_log_may_lead_again_with_all_of_it(protocol: Protocol) -> None:
    brokers = yet_to_cut(protocol)
    move(brokers, 1, 1)
    assert brokers.of(1).leadership is not None
    assert brokers.values(1) == ["u@0"]


@pytest.mark.rule("R-TRUNC-3")
@pytest.mark.parametrize("protocol", [KAFKA_0_11, KAFKA_2_0], ids=named)
def test_a_follower_that_has_yet_to_cut_its_log_still_has_to_when_its_leader_stays(protocol: Protocol) -> None:
    brokers = yet_to_cut(protocol)
    brokers.controller.session_ended(3)
    brokers.hear(2, PARTITION)
    brokers.hear(1, PARTITION)
    assert brokers.values(1) == ["u@0"]
    brokers.cut(1, PARTITION)
    assert brokers.values(1) == []


@pytest.mark.rule("R-FETCH-2")
def test_a_follower_may_be_made_to_refuse_records_of_an_older_epoch_than_its_last() -> None:
    brokers = ThreeBrokers(variant(KAFKA_2_8, refuses_older_records=True))
    following = brokers.of(2).following
    assert following is not None
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch_by(2)
    (entry,) = brokers.of(1).log.entries
    older = type(entry)(entry.record, -1)
    assert following._accepted((entry, older, entry)) == (entry,)
