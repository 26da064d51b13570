"""Controlled shutdown: who takes over, and what a broker leaves on its disk."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers

from neverlost.conformance.inprocess.cluster import Cluster, ClusterSettings
from neverlost.conformance.inprocess.messages import ACKS_LEADER
from neverlost.conformance.inprocess.protocol import KAFKA_2_1, KAFKA_4_1, TopicSettings


@pytest.mark.rule("R-STOP-1")
def test_a_leader_hands_over_to_a_live_member_of_the_isr_and_leaves_it() -> None:
    brokers = ThreeBrokers(KAFKA_2_1)
    assert brokers.controller.let_go(1)
    record = brokers.controller.records[PARTITION]
    assert (record.leader, record.leader_epoch, record.isr) == (2, 1, {2, 3})


@pytest.mark.rule("R-STOP-1")
def test_a_follower_leaves_the_isr() -> None:
    brokers = ThreeBrokers(KAFKA_2_1)
    assert brokers.controller.let_go(3)
    record = brokers.controller.records[PARTITION]
    assert (record.leader, record.isr) == (1, {1, 2})


@pytest.mark.rule("R-STOP-1")
def test_a_leader_whom_nobody_may_succeed_is_not_let_go() -> None:
    brokers = ThreeBrokers(KAFKA_2_1)
    assert brokers.controller.let_go(2)
    assert brokers.controller.let_go(3)
    assert not brokers.controller.let_go(1)
    assert brokers.controller.records[PARTITION].leader == 1


@pytest.mark.rule("R-STOP-2")
def test_a_shutdown_flushes_writes_the_high_watermark_down_and_leaves_a_mark_that_the_next_start_takes_away() -> None:
    brokers = ThreeBrokers(KAFKA_2_1)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    for _ in range(2):
        brokers.fetch(2, PARTITION)
        brokers.fetch(3, PARTITION)
    broker = brokers.brokers[1]
    broker.shut_down()
    assert broker.disk.log(PARTITION).flushed_end == 1
    assert broker.disk.checkpointed(PARTITION) == 1
    assert broker.disk.shut_down_cleanly
    brokers.start(1)
    assert not broker.disk.shut_down_cleanly


@pytest.mark.rule("R-STOP-2")
@pytest.mark.parametrize("clean", [True, False])
def test_only_a_clean_shutdown_keeps_an_eligible_replica_eligible(clean: bool) -> None:
    brokers = ThreeBrokers(KAFKA_4_1, min_isr=2)
    for number in (3, 2):
        assert brokers.controller.let_go(number)
        if clean:
            brokers.brokers[number].shut_down()
        else:
            brokers.brokers[number].crash()
    brokers.start(2)
    assert (2 in brokers.controller.records[PARTITION].eligible) == clean


@pytest.mark.rule("R-STOP-1")
def test_brokers_of_a_cluster_shut_down_one_after_the_other_and_come_back() -> None:
    cluster = Cluster(KAFKA_2_1, {PARTITION.topic: TopicSettings(min_isr=2)}, ClusterSettings())
    cluster.create(PARTITION, (1, 2, 3))
    for number in (1, 2, 3):
        cluster.run_for(1_000)
        cluster.shut_down(number)
        cluster.run_for(1_000)
        assert cluster.controller.records[PARTITION].leader not in (None, number)
        cluster.restart(number)
        cluster.run_for(20_000)
        assert cluster.controller.records[PARTITION].isr == {1, 2, 3}
