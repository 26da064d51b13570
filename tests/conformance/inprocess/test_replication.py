"""Followers fetch, high watermarks advance, in-sync replicas come and go."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers

from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.leadership import Follower, Leadership
from neverlost.conformance.inprocess.messages import (
    ACKS_LEADER,
    AlterPartitionRequest,
    FetchPosition,
    FetchRequest,
    FetchResponse,
)
from neverlost.conformance.inprocess.protocol import (
    KAFKA_0_8,
    KAFKA_0_9,
    KAFKA_2_0,
    KAFKA_2_0_0,
    KAFKA_2_1,
    KAFKA_2_8,
    KAFKA_2_8_0,
    KAFKA_3_1,
    KAFKA_3_5,
    KAFKA_3_6,
    KAFKA_3_7,
    Protocol,
)


def written(brokers: ThreeBrokers, *values: str, leader: int = 1) -> ThreeBrokers:
    brokers.produce(leader, *values, acks=ACKS_LEADER)
    return brokers


@pytest.mark.rule("R-FETCH-1")
def test_a_leader_learns_a_followers_log_end_from_its_fetch_alone() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.fetch_by(2)
    assert (brokers.of(2).log.end, brokers.of(1).led().followers[2].log_end) == (1, 0)
    brokers.fetch_by(2)
    assert brokers.of(1).led().followers[2].log_end == 1


@pytest.mark.rule("R-FETCH-1")
@pytest.mark.parametrize(
    ("protocol", "epoch", "answered"),
    [
        (KAFKA_2_1, 0, ErrorCode.FENCED_LEADER_EPOCH),
        (KAFKA_2_1, 1, ErrorCode.NONE),
        (KAFKA_2_1, 2, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (KAFKA_2_0, 0, ErrorCode.NONE),
        (KAFKA_2_0, 2, ErrorCode.NONE),
    ],
)
def test_a_fetch_of_another_epoch_is_refused_from_2_1_on(protocol: Protocol, epoch: int, answered: ErrorCode) -> None:
    brokers = ThreeBrokers(protocol)
    brokers.fail(3)
    position = FetchPosition(offset=0, leader_epoch=epoch)
    answer = brokers.ask(1, FetchRequest(replica=2, positions={PARTITION: position})).answer
    assert isinstance(answer, FetchResponse)
    assert answer.partitions[PARTITION].error is answered


@pytest.mark.rule("R-FETCH-2")
def test_a_response_has_the_high_watermark_from_before_the_fetch_was_counted() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.fetch_by(2, 3, 2, 3)
    assert [brokers.of(broker).high_watermark for broker in (1, 2, 3)] == [1, 0, 0]
    brokers.fetch_by(2)
    assert brokers.of(2).high_watermark == 1


@pytest.mark.rule("R-FETCH-2")
def test_a_follower_takes_over_the_high_watermark_only_as_far_as_its_own_log_reaches() -> None:
    brokers = written(ThreeBrokers(KAFKA_0_8), "a", "b")
    brokers.shrink(1, 2)
    brokers.fetch_by(3, 3)
    brokers.fetch(2, PARTITION, max_records=1)
    assert (brokers.of(1).high_watermark, brokers.of(2).high_watermark) == (2, 1)


@pytest.mark.rule("R-FETCH-2")
def test_when_a_response_is_lost_the_leader_has_learned_and_the_follower_has_not() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.fetch_by(2)
    written(brokers, "b")
    brokers.fetch(2, PARTITION, lose_answer=True)
    assert (brokers.of(1).led().followers[2].log_end, brokers.values(2)) == (1, ["a@0"])
    brokers.fetch_by(2)
    assert brokers.values(2) == ["a@0", "b@0"]


@pytest.mark.rule("R-HW-1")
def test_the_high_watermark_is_the_smallest_known_log_end_in_the_isr() -> None:
    brokers = written(ThreeBrokers(), "a", "b")
    brokers.fetch_by(2, 2)
    brokers.fetch(3, PARTITION, max_records=1)
    brokers.fetch(3, PARTITION, max_records=1)
    assert brokers.of(1).high_watermark == 1


@pytest.mark.rule("R-HW-1")
def test_the_high_watermark_never_goes_back_within_a_leadership() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.fetch_by(2, 3, 2, 3)
    brokers.fetch_by(2)
    brokers.of(2).truncate(0)
    brokers.fetch_by(2)
    assert (brokers.of(1).led().followers[2].log_end, brokers.of(1).high_watermark) == (0, 1)


@pytest.mark.rule("R-HW-1")
@pytest.mark.parametrize(("protocol", "expected"), [(KAFKA_3_6, 1), (KAFKA_3_7, 0)])
def test_from_3_7_on_the_high_watermark_stays_while_the_isr_is_below_min_isr(protocol: Protocol, expected: int) -> None:
    brokers = written(ThreeBrokers(protocol, min_isr=3), "a")
    brokers.fetch_by(2, 2)
    brokers.shrink(1, 3)
    assert brokers.of(1).high_watermark == expected


@pytest.mark.rule("R-HW-2")
def test_a_new_leader_starts_from_its_own_stale_high_watermark() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.fetch_by(2, 3, 2, 3)
    brokers.fail(1, successor=2)
    assert (brokers.of(2).leadership is not None, brokers.of(2).high_watermark) == (True, 0)


@pytest.mark.rule("R-ISR-1")
def test_a_follower_that_has_not_caught_up_for_too_long_leaves_the_isr_and_the_high_watermark_advances() -> None:
    brokers = written(ThreeBrokers(KAFKA_0_8), "a")
    brokers.fetch_by(2, 2)
    manager = brokers.brokers[1].running.manager
    brokers.clock.advance_to(10_000)
    manager.drop_slow_followers()
    assert brokers.of(1).led().isr.committed == {1, 2, 3}
    brokers.clock.advance_to(10_001)
    brokers.fetch_by(2)
    manager.drop_slow_followers()
    assert (brokers.of(1).led().isr.committed, brokers.of(1).high_watermark) == ({1, 2}, 1)


@pytest.mark.rule("R-ISR-1")
@pytest.mark.parametrize(("protocol", "left"), [(KAFKA_2_0, {1}), (KAFKA_2_1, {1, 2, 3})])
def test_from_2_1_on_an_idle_follower_that_has_everything_never_leaves_the_isr(
    protocol: Protocol, left: set[int]
) -> None:
    brokers = ThreeBrokers(protocol)
    brokers.clock.advance_to(1_000_000)
    brokers.brokers[1].running.manager.drop_slow_followers()
    assert brokers.of(1).led().isr.committed == left


def one_left(protocol: Protocol) -> ThreeBrokers:
    """Broker 3 is out of the ISR, and the leader has one committed record that it lacks."""
    brokers = written(ThreeBrokers(protocol, joins_isr_by_fetch=True), "a")
    brokers.fetch_by(2, 2)
    brokers.shrink(1, 3)
    brokers.fetch_by(2)
    return brokers


@pytest.mark.rule("R-ISR-2")
def test_a_follower_joins_the_isr_by_the_fetch_that_shows_it_at_the_high_watermark() -> None:
    brokers = one_left(KAFKA_0_8)
    brokers.fetch_by(3)
    assert brokers.of(1).led().isr.committed == {1, 2}
    brokers.fetch_by(3)
    assert brokers.of(1).led().isr.committed == {1, 2, 3}


@pytest.mark.rule("R-ISR-2")
@pytest.mark.parametrize(("protocol", "joined"), [(KAFKA_2_0_0, {1, 2, 3}), (KAFKA_2_0, {1, 2})])
def test_a_follower_must_also_have_reached_the_start_of_the_epoch_from_2_0_1_on(
    protocol: Protocol, joined: set[int]
) -> None:
    brokers = one_left(protocol)
    brokers.of(1).high_watermark = 0
    brokers.controller.move_leader(PARTITION, 2)
    brokers.all_hear(PARTITION)
    brokers.of(2).high_watermark = 0
    brokers.of(3).truncate(0)
    position = FetchPosition(offset=0)
    brokers.ask(2, FetchRequest(replica=3, positions={PARTITION: position}))
    assert brokers.of(2).led().isr.committed == joined
    brokers.fetch_by(3, 3)
    assert brokers.of(2).led().isr.committed == {1, 2, 3}


@pytest.mark.rule("R-ISR-2")
def test_who_joins_a_leader_that_is_back_in_its_own_epoch_has_all_of_its_log() -> None:
    brokers = one_left(KAFKA_3_7)
    leader = brokers.of(1).led()
    follower = Follower()
    back = Leadership(broker=1, epoch=leader.epoch, log=leader.log, isr=leader.isr, followers={3: follower})
    for known_end, joins in ((0, False), (1, True)):
        follower.log_end = known_end
        assert back.may_join(3, follower, 0, guards_epoch_start=True) == joins


@pytest.mark.rule("R-ISR-2")
def test_before_kip_497_the_write_is_fenced_by_the_leader_epoch() -> None:
    brokers = written(ThreeBrokers(KAFKA_2_1), "a")
    brokers.controller.move_leader(PARTITION, 2)
    brokers.shrink(1, 3)
    assert brokers.of(1).led().isr.committed == {1, 2, 3}
    assert brokers.controller.records[PARTITION].isr == {1, 2, 3}


@pytest.mark.rule("R-ISR-2")
def test_from_kip_497_on_a_change_is_in_flight_until_it_is_answered() -> None:
    brokers = written(ThreeBrokers(KAFKA_3_1), "a")
    brokers.brokers[1].running.isr_changes.change(brokers.of(1), frozenset({1, 2}))
    assert (brokers.of(1).led().isr.committed, brokers.of(1).led().isr.proposed) == ({1, 2, 3}, {1, 2})
    brokers.decide_isr(1)
    assert brokers.controller.records[PARTITION].isr == {1, 2}
    assert brokers.of(1).led().isr.committed == {1, 2, 3}
    brokers.learn_isr(1)
    assert (brokers.of(1).led().isr.committed, brokers.of(1).led().isr.proposed) == ({1, 2}, None)


@pytest.mark.rule("R-ISR-2")
def test_no_second_change_is_asked_for_while_one_is_in_flight() -> None:
    brokers = one_left(KAFKA_3_1)
    brokers.fetch_by(3, 3)
    asked = [e for e in brokers.network.in_flight if isinstance(e.body, AlterPartitionRequest)]
    brokers.fetch_by(3)
    brokers.clock.advance_to(60_000)
    written(brokers, "b")
    brokers.brokers[1].running.manager.drop_slow_followers()
    assert len(asked) == 1
    assert [e for e in brokers.network.in_flight if isinstance(e.body, AlterPartitionRequest)] == asked


def proposal(brokers: ThreeBrokers, **changes: object) -> AlterPartitionRequest:
    record = brokers.controller.records[PARTITION]
    usual = {
        "partition": PARTITION,
        "leader": 1,
        "leader_epoch": record.leader_epoch,
        "partition_epoch": record.partition_epoch,
        "isr": frozenset({1, 2}),
    }
    return AlterPartitionRequest(**{**usual, **changes})  # type: ignore[arg-type]


@pytest.mark.rule("R-ISR-2")
@pytest.mark.parametrize(
    ("changes", "answered"),
    [
        ({}, ErrorCode.NONE),
        ({"leader_epoch": 7}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"leader": 2}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"partition_epoch": 7}, ErrorCode.INVALID_UPDATE_VERSION),
    ],
)
def test_a_stale_change_is_refused(changes: dict[str, object], answered: ErrorCode) -> None:
    brokers = ThreeBrokers(KAFKA_3_1)
    assert brokers.controller.alter_partition(proposal(brokers, **changes)).error is answered


@pytest.mark.rule("R-ISR-2")
@pytest.mark.parametrize(
    ("protocol", "answered"), [(KAFKA_3_1, ErrorCode.NONE), (KAFKA_3_5, ErrorCode.INELIGIBLE_REPLICA)]
)
def test_a_fenced_broker_is_kept_out_of_the_isr_from_kip_841_on(protocol: Protocol, answered: ErrorCode) -> None:
    brokers = ThreeBrokers(protocol)
    brokers.controller.fenced.add(2)
    assert brokers.controller.alter_partition(proposal(brokers)).error is answered


@pytest.mark.rule("R-ISR-2")
@pytest.mark.parametrize(
    ("protocol", "answered"), [(KAFKA_3_1, ErrorCode.NONE), (KAFKA_3_5, ErrorCode.INELIGIBLE_REPLICA)]
)
def test_a_broker_that_has_restarted_since_is_kept_out_from_kip_903_on(protocol: Protocol, answered: ErrorCode) -> None:
    brokers = ThreeBrokers(protocol)
    brokers.controller.register(2)
    request = proposal(brokers, broker_epochs={2: 1})
    assert brokers.controller.alter_partition(request).error is answered


@pytest.mark.rule("R-ISR-2")
def test_a_leader_that_is_refused_gives_its_proposal_up() -> None:
    brokers = written(ThreeBrokers(KAFKA_3_5), "a")
    brokers.controller.fenced.add(2)
    brokers.change(1, frozenset({1, 2}))
    assert (brokers.of(1).led().isr.proposed, brokers.of(1).led().isr.committed) == (None, {1, 2, 3})


@pytest.mark.rule("R-META-1")
def test_later_news_may_come_without_the_earlier_and_never_an_older_after_a_newer() -> None:
    brokers = ThreeBrokers(KAFKA_0_8)
    brokers.controller.move_leader(PARTITION, 2)
    brokers.controller.move_leader(PARTITION, 3)
    older, newer = brokers.news(1, PARTITION)
    brokers.network.deliver(newer)
    brokers.network.deliver(older)
    assert (brokers.of(1).leader, brokers.of(1).leader_epoch) == (3, 2)


@pytest.mark.rule("R-META-1")
def test_a_deposed_leader_that_has_not_heard_goes_on_appending() -> None:
    brokers = ThreeBrokers()
    brokers.controller.move_leader(PARTITION, 2)
    brokers.hear(2, PARTITION)
    brokers.produce(1, "old", acks=ACKS_LEADER)
    brokers.produce(2, "new", acks=ACKS_LEADER)
    assert (brokers.values(1), brokers.values(2)) == (["old@0"], ["new@1"])


@pytest.mark.rule("R-META-1")
@pytest.mark.parametrize(("protocol", "known"), [(KAFKA_0_8, 0), (KAFKA_0_9, 1), (KAFKA_3_1, 1)])
def test_what_a_leader_knew_of_its_followers_is_kept_in_a_newer_epoch_of_its_own_from_0_9_on(
    protocol: Protocol, known: int
) -> None:
    brokers = written(ThreeBrokers(protocol), "a")
    brokers.fetch_by(2, 2)
    brokers.fail(3)
    assert brokers.of(1).leader_epoch == 1
    assert brokers.of(1).led().followers[2].log_end == known


@pytest.mark.rule("R-META-1")
def test_what_a_leader_knew_of_its_followers_is_forgotten_when_another_leads() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.fetch_by(2, 2)
    for leader in (2, 1):
        brokers.controller.move_leader(PARTITION, leader)
        brokers.all_hear(PARTITION)
    assert brokers.of(1).led().followers[2].log_end == 0


@pytest.mark.rule("R-META-1")
def test_from_3_6_on_a_leader_hears_in_its_own_epoch_of_an_isr_that_the_controller_shrank() -> None:
    brokers = ThreeBrokers()
    brokers.controller.session_ended(3)
    assert (brokers.controller.records[PARTITION].leader_epoch, brokers.of(1).led().isr.committed) == (0, {1, 2, 3})
    brokers.hear_of_isr(1, PARTITION)
    assert (brokers.of(1).leader_epoch, brokers.of(1).led().isr.committed) == (0, {1, 2})


@pytest.mark.rule("R-ISR-2")
def test_a_request_for_an_isr_that_the_controller_has_overtaken_means_nothing() -> None:
    brokers = written(ThreeBrokers(), "a")
    brokers.brokers[1].running.isr_changes.change(brokers.of(1), frozenset({1, 2}))
    brokers.controller.session_ended(2)
    brokers.decide_isr(1)
    assert brokers.controller.records[PARTITION].isr == {1, 3}
    brokers.hear_of_isr(1, PARTITION)
    assert (brokers.of(1).led().isr.committed, brokers.of(1).led().isr.proposed) == ({1, 3}, None)


@pytest.mark.rule("R-ISR-2")
def test_in_kraft_before_3_6_a_smaller_isr_is_a_new_leader_epoch_and_a_larger_one_is_not() -> None:
    brokers = written(ThreeBrokers(KAFKA_3_5), "a")
    brokers.brokers[1].running.isr_changes.change(brokers.of(1), frozenset({1, 2}))
    brokers.decide_isr(1)
    brokers.all_hear(PARTITION)
    assert (brokers.of(1).leader_epoch, brokers.of(1).led().isr.committed) == (1, {1, 2})
    brokers.fetch_by(3, 3)
    brokers.change(1, frozenset({1, 2, 3}))
    assert (brokers.of(1).leader_epoch, brokers.of(1).led().isr.committed) == (1, {1, 2, 3})


@pytest.mark.rule("R-FETCH-1")
@pytest.mark.parametrize(("protocol", "known"), [(KAFKA_2_8_0, 1), (KAFKA_2_8, 0)])
def test_a_fetch_that_only_learns_where_to_cut_counted_in_2_7_0(protocol: Protocol, known: int) -> None:
    brokers = written(ThreeBrokers(protocol), "old")
    brokers.controller.move_leader(PARTITION, 2)
    brokers.hear(2, PARTITION)
    written(brokers, "new", leader=2)
    brokers.hear(1, PARTITION)
    brokers.fetch_by(1)
    assert brokers.of(2).led().followers[1].log_end == known
