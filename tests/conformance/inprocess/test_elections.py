"""Who leads next, what a broker comes back with, and where a follower cuts its log."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers

from neverlost.conformance.inprocess.messages import ACKS_ALL, ACKS_LEADER
from neverlost.conformance.inprocess.partition_record import PartitionRecord
from neverlost.conformance.inprocess.protocol import (
    KAFKA_0_8,
    KAFKA_0_11,
    KAFKA_2_0,
    KAFKA_2_1,
    KAFKA_2_7,
    KAFKA_2_8,
    KAFKA_3_9,
    KAFKA_4_1,
    Protocol,
)


def record_of(brokers: ThreeBrokers) -> PartitionRecord:
    return brokers.controller.records[PARTITION]


def down(brokers: ThreeBrokers, *numbers: int) -> None:
    """Brokers crash and their sessions end, one after another; nobody hears of it yet."""
    for number in numbers:
        brokers.brokers[number].crash()
        brokers.controller.session_ended(number)


@pytest.mark.rule("R-ELECT-1")
def test_a_live_member_of_the_isr_leads_next_in_a_new_epoch_and_the_dead_one_leaves() -> None:
    brokers = ThreeBrokers()
    down(brokers, 1)
    assert (record_of(brokers).leader, record_of(brokers).leader_epoch, record_of(brokers).isr) == (2, 1, {2, 3})


@pytest.mark.rule("R-ELECT-1")
def test_the_last_member_is_not_removed_from_the_isr_by_its_death() -> None:
    brokers = ThreeBrokers()
    down(brokers, 2, 3, 1)
    assert (record_of(brokers).leader, record_of(brokers).isr) == (None, {1})
    assert not brokers.controller.elect(PARTITION)
    brokers.start(1)
    assert brokers.controller.elect(PARTITION)
    assert record_of(brokers).leader == 1


@pytest.mark.rule("R-ELECT-1")
def test_leadership_moves_only_to_a_live_member_of_the_isr() -> None:
    brokers = ThreeBrokers()
    down(brokers, 3)
    assert not brokers.controller.move_leader(PARTITION, 3)
    assert brokers.controller.move_leader(PARTITION, 2)


@pytest.mark.rule("R-ELECT-2")
@pytest.mark.parametrize(("unclean", "leader"), [(True, 3), (False, None)])
def test_any_live_replica_leads_if_no_member_of_the_isr_is_live_and_unclean_election_is_on(
    unclean: bool, leader: int | None
) -> None:
    brokers = ThreeBrokers(KAFKA_3_9, unclean=unclean)
    down(brokers, 3, 2, 1)
    brokers.start(3)
    assert not brokers.controller.elect(PARTITION)
    brokers.controller.elect_unclean(PARTITION)
    assert (record_of(brokers).leader, record_of(brokers).isr) == (leader, {leader or 1})


@pytest.mark.rule("R-ELECT-2")
def test_an_unclean_election_is_none_while_a_member_of_the_isr_is_live() -> None:
    brokers = ThreeBrokers(KAFKA_3_9, unclean=True)
    down(brokers, 2, 3, 1)
    brokers.start(1)
    brokers.start(3)
    assert not brokers.controller.elect_unclean(PARTITION)


def last_standing(min_isr: int = 2) -> ThreeBrokers:
    """4.1: the ISR has shrunk to broker 1, below min ISR."""
    brokers = ThreeBrokers(KAFKA_4_1, min_isr=min_isr)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.shrink(1, 2)
    brokers.shrink(1, 3)
    return brokers


@pytest.mark.rule("R-ELECT-3")
def test_who_leaves_an_isr_that_falls_below_min_isr_stays_eligible_and_may_be_elected() -> None:
    brokers = last_standing()
    assert record_of(brokers).eligible == {3}
    down(brokers, 1)
    assert (record_of(brokers).leader, record_of(brokers).isr) == (3, {3})
    assert record_of(brokers).eligible == {1}


@pytest.mark.rule("R-ELECT-3")
def test_an_unclean_shutdown_takes_a_broker_out_of_the_eligible_ones_and_a_clean_one_does_not() -> None:
    for clean, eligible in ((True, {1, 3}), (False, {1})):
        brokers = last_standing()
        down(brokers, 3, 1)
        assert record_of(brokers).eligible == {1, 3}
        brokers.controller.register(3, clean=clean)
        assert record_of(brokers).eligible == eligible


@pytest.mark.rule("R-ELECT-3")
def test_when_isr_and_eligible_ones_are_gone_the_last_known_leader_may_be_elected() -> None:
    brokers = last_standing()
    down(brokers, 3, 1)
    brokers.controller.register(3)
    assert not brokers.controller.elect(PARTITION)
    brokers.controller.register(1)
    assert (record_of(brokers).isr, record_of(brokers).eligible, record_of(brokers).last_known_leader) == (
        set(),
        set(),
        1,
    )
    assert brokers.controller.elect(PARTITION)
    assert (record_of(brokers).leader, record_of(brokers).isr) == (1, {1})


@pytest.mark.rule("R-ELECT-3")
def test_an_isr_that_is_large_enough_ends_eligibility() -> None:
    brokers = last_standing()
    brokers.fetch_by(3, 3)
    brokers.change(1, frozenset({1, 3}))
    assert record_of(brokers).eligible == set()


@pytest.mark.rule("R-CRASH-1")
def test_after_a_crash_the_log_is_there_and_the_high_watermark_is_as_written_down() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3, 2, 3, 2)
    brokers.brokers[2].running.manager.checkpoint()
    brokers.produce(1, "b", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3, 2, 3, 2)
    brokers.fail(2)
    brokers.start(2)
    brokers.hear(2, PARTITION)
    assert (brokers.values(2), brokers.of(2).high_watermark) == (["a@0", "b@0"], 1)


@pytest.mark.rule("R-CRASH-1")
def test_a_power_loss_leaves_any_part_of_the_log_from_what_was_flushed_on() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.of(1).log.flush()
    brokers.produce(1, "b", "c", acks=ACKS_LEADER)
    with pytest.raises(ValueError, match="flushed up to 1"):
        brokers.brokers[1].lose_power({PARTITION: 0})
    brokers.brokers[1].start(2)
    brokers.brokers[1].lose_power({PARTITION: 2})
    assert brokers.brokers[1].disk.log(PARTITION).end == 2


@pytest.mark.rule("R-CRASH-1")
def test_with_flush_messages_1_a_power_loss_takes_nothing() -> None:
    brokers = ThreeBrokers(flush=True)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.brokers[1].lose_power()
    assert brokers.brokers[1].disk.log(PARTITION).end == 1


@pytest.mark.rule("R-CRASH-1")
def test_a_disk_loss_leaves_an_empty_log() -> None:
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.brokers[1].lose_disk()
    assert (brokers.brokers[1].disk.log(PARTITION).end, brokers.brokers[1].disk.checkpointed(PARTITION)) == (0, 0)


def double_fail_over(protocol: Protocol) -> tuple[ThreeBrokers, bool]:
    """KIP-101's loss: acks=all is answered while the followers know of no high watermark; then 1 dies, then 2."""
    brokers = ThreeBrokers(protocol, min_isr=2)
    asked = brokers.produce(1, "a", acks=ACKS_ALL)
    for follower in (2, 3):
        brokers.fetch_by(follower)
    for follower in (2, 3):
        brokers.fetch(follower, PARTITION, lose_answer=True)
    brokers.fail(1, successor=2)
    brokers.fail(2, successor=3)
    return brokers, asked.answer is not None


@pytest.mark.rule("R-TRUNC-1")
def test_cutting_at_the_own_high_watermark_loses_an_acknowledged_record_by_two_clean_elections() -> None:
    brokers, acknowledged = double_fail_over(KAFKA_0_8)
    assert (acknowledged, brokers.values(3)) == (True, [])


@pytest.mark.rule("R-TRUNC-2")
@pytest.mark.parametrize("protocol", [KAFKA_0_11, KAFKA_2_0, KAFKA_2_1, KAFKA_2_7, KAFKA_4_1], ids=lambda p: p.name)
def test_from_kip_101_on_that_record_is_kept(protocol: Protocol) -> None:
    brokers, acknowledged = double_fail_over(protocol)
    assert (acknowledged, brokers.values(3)) == (True, ["a@0"])


@pytest.mark.rule("R-TRUNC-1")
def test_who_follows_the_same_leader_in_the_next_epoch_cuts_nothing() -> None:
    brokers = ThreeBrokers(KAFKA_0_8)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch_by(2)
    brokers.fail(3)
    assert (brokers.values(2), brokers.of(2).high_watermark) == (["a@0"], 0)


def fast_fail_over(protocol: Protocol) -> ThreeBrokers:
    """KIP-279: each of 1 and 2 has a record of an epoch that the other has never heard of; then 2 follows 1."""
    brokers = ThreeBrokers(protocol, unclean=True)
    brokers.produce(1, "m0", acks=ACKS_LEADER)
    brokers.fetch_by(2, 3, 2, 3)
    brokers.fail(3)
    brokers.fetch_by(2)
    brokers.produce(1, "m1", acks=ACKS_LEADER)
    brokers.fail(2)
    brokers.fail(1)
    brokers.start(2)
    brokers.controller.elect_unclean(PARTITION)
    brokers.all_hear(PARTITION)
    brokers.produce(2, "x1", acks=ACKS_LEADER)
    brokers.fail(2)
    brokers.start(1)
    brokers.controller.elect_unclean(PARTITION)
    brokers.all_hear(PARTITION)
    brokers.produce(1, "m2", acks=ACKS_LEADER)
    brokers.come_back(2)
    brokers.fetch_by(2, 2, 2)
    return brokers


@pytest.mark.rule("R-TRUNC-2")
def test_kip_101_alone_lets_logs_diverge_in_a_fast_unclean_fail_over() -> None:
    brokers = fast_fail_over(KAFKA_0_11)
    assert (brokers.values(1), brokers.values(2)) == (["m0@0", "m1@1", "m2@6"], ["m0@0", "x1@4", "m2@6"])


@pytest.mark.rule("R-TRUNC-3")
@pytest.mark.parametrize("protocol", [KAFKA_2_0, KAFKA_2_1, KAFKA_2_7], ids=lambda p: p.name)
def test_from_kip_279_on_logs_are_compared_from_the_tail(protocol: Protocol) -> None:
    brokers = fast_fail_over(protocol)
    assert brokers.values(2) == brokers.values(1)


@pytest.mark.rule("R-TRUNC-4")
@pytest.mark.parametrize("protocol", [KAFKA_2_8, KAFKA_3_9, KAFKA_4_1], ids=lambda p: p.name)
def test_from_2_8_on_a_fetch_finds_where_logs_part(protocol: Protocol) -> None:
    brokers = fast_fail_over(protocol)
    assert brokers.values(2) == brokers.values(1)


@pytest.mark.rule("R-TRUNC-4")
def test_a_leader_learns_nothing_from_a_fetch_that_diverges() -> None:
    brokers = ThreeBrokers(KAFKA_2_8, unclean=True)
    brokers.fail(3)
    brokers.produce(1, "lost", acks=ACKS_LEADER)
    brokers.controller.move_leader(PARTITION, 2)
    brokers.hear(2, PARTITION)
    brokers.produce(2, "kept", acks=ACKS_LEADER)
    brokers.hear(1, PARTITION)
    assert brokers.values(1) == ["lost@1"]
    brokers.fetch_by(1)
    assert (brokers.values(1), brokers.of(2).led().followers[1].log_end) == ([], 0)
    brokers.fetch_by(1)
    assert brokers.values(1) == ["kept@2"]


@pytest.mark.rule("R-TRUNC-2")
def test_a_follower_beyond_an_unfenced_leaders_log_cuts_to_its_end() -> None:
    brokers = ThreeBrokers(KAFKA_2_0)
    brokers.produce(1, "a", "b", acks=ACKS_LEADER)
    brokers.fetch_by(2)
    brokers.of(1).truncate(1)
    brokers.fetch_by(2)
    assert brokers.values(2) == ["a@0"]
