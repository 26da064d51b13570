"""Clusters that run by themselves: the same seed is the same run, and what was acknowledged survives what it is to survive."""

from __future__ import annotations

from random import Random

import pytest
from sampling import quick_one_in

from neverlost.conformance.inprocess.broker import BrokerSettings
from neverlost.conformance.inprocess.clients.metadata import ClientMetadata
from neverlost.conformance.inprocess.clients.routing import StickyUntilRefresh
from neverlost.conformance.inprocess.clients.simulated_wire import SimulatedWire
from neverlost.conformance.inprocess.clients.sync_producer import (
    FailedToSendMessage,
    Message,
    SyncProducer,
    SyncProducerSettings,
)
from neverlost.conformance.inprocess.clients.wire import ConnectionLost
from neverlost.conformance.inprocess.clock import VirtualClock
from neverlost.conformance.inprocess.cluster import Cluster, ClusterSettings
from neverlost.conformance.inprocess.messages import ACKS_ALL, ACKS_NONE, ProduceRequest
from neverlost.conformance.inprocess.network import Envelope, Network
from neverlost.conformance.inprocess.protocol import PROTOCOLS, Protocol, TopicPartition, TopicSettings
from neverlost.conformance.inprocess.scheduler import Scheduler, Stuck

ORDERS = TopicPartition(topic="orders")


def started(protocol: Protocol, seed: int, min_isr: int = 2) -> Cluster:
    settings = ClusterSettings(seed=seed, session_timeout_ms=1_000, broker=BrokerSettings(max_lag_ms=600))
    cluster = Cluster(protocol, {"orders": TopicSettings(min_isr=min_isr)}, settings)
    cluster.create(ORDERS, (1, 2, 3))
    cluster.run_for(100)
    return cluster


def sync_producer(cluster: Cluster, seed: int, acks: int = ACKS_ALL) -> SyncProducer:
    wire = SimulatedWire(cluster)
    return SyncProducer(
        client="p",
        wire=wire,
        metadata=ClientMetadata(wire, "p", (1, 2, 3)),
        keyless=StickyUntilRefresh(Random(seed)),
        settings=SyncProducerSettings(request_required_acks=acks, request_timeout_ms=800, message_send_max_retries=5),
    )


def stormy_run(protocol: Protocol, seed: int) -> tuple[Cluster, list[str]]:
    """Thirty messages, while a broker after another crashes and comes back; which were acknowledged."""
    cluster, random = started(protocol, seed), Random(seed)
    producer, acknowledged = sync_producer(cluster, seed), []
    down = None
    for number in range(30):
        if number % 5 == 2 and down is None:
            down = cluster.controller.records[ORDERS].leader or random.choice((1, 2, 3))
            cluster.crash(down)
        elif number % 5 == 4 and down is not None:
            cluster.restart(down)
            down = None
            cluster.run_for(random.randrange(3_000))
        try:
            producer.send([Message(topic="orders", value=f"m{number}")])
            acknowledged.append(f"m{number}")
        except FailedToSendMessage:
            pass
    if down is not None:
        cluster.restart(down)
    cluster.run_for(10_000)
    return cluster, acknowledged


def logs(cluster: Cluster) -> list[list[str]]:
    return [[e.record.value for e in cluster.replica(broker, ORDERS).log.entries] for broker in (1, 2, 3)]


@pytest.mark.parametrize("protocol", quick_one_in(4, [*PROTOCOLS.values()], lambda protocol: protocol.name))
@pytest.mark.parametrize("seed", range(3))
def test_after_crashes_and_restarts_all_logs_are_equal_and_have_what_was_acknowledged(
    protocol: Protocol, seed: int
) -> None:
    cluster, acknowledged = stormy_run(protocol, seed)
    first, second, third = logs(cluster)
    assert first == second == third
    assert set(acknowledged) <= set(first)
    assert len(acknowledged) >= 20
    assert cluster.controller.records[ORDERS].isr == {1, 2, 3}
    assert cluster.controller.records[ORDERS].leader_epoch >= 6


def test_the_same_seed_is_the_same_run() -> None:
    runs = [stormy_run(PROTOCOLS["kafka-3.5"], 5) for _ in range(2)]
    (one, acknowledged_one), (two, acknowledged_two) = runs
    assert (logs(one), acknowledged_one, one.clock.now_ms) == (logs(two), acknowledged_two, two.clock.now_ms)


def test_another_seed_orders_events_otherwise() -> None:
    orders = set()
    for seed in range(6):
        cluster = started(PROTOCOLS["kafka-3.5"], seed)
        seen: list[str] = []

        def note(envelope: Envelope, cluster: Cluster = cluster, seen: list[str] = seen) -> None:
            seen.append(envelope.target)
            Network.deliver(cluster.network, envelope)

        cluster.network.deliver = note  # type: ignore[method-assign]
        cluster.run_for(2_000)
        orders.add(tuple(seen))
    assert len(orders) > 1


def test_a_severed_follower_leaves_the_isr_once_there_is_something_to_fetch_and_comes_back_when_healed() -> None:
    cluster = started(PROTOCOLS["kafka-3.5"], 1, min_isr=1)
    cluster.sever("broker-3", "broker-1")
    cluster.run_for(5_000)
    assert cluster.controller.records[ORDERS].isr == {1, 2, 3}
    sync_producer(cluster, 1, acks=1).send([Message(topic="orders", value="a")])
    cluster.run_for(5_000)
    assert cluster.controller.records[ORDERS].isr == {1, 2}
    cluster.heal()
    cluster.run_for(5_000)
    assert cluster.controller.records[ORDERS].isr == {1, 2, 3}


@pytest.mark.rule("R-PROD-4")
def test_a_connection_that_was_closed_on_an_error_with_acks_none_fails_at_the_next_send() -> None:
    cluster = started(PROTOCOLS["kafka-3.5"], 1)
    wire = SimulatedWire(cluster)
    unknown = ProduceRequest(acks=ACKS_NONE, timeout_ms=100, records={TopicPartition(topic="nowhere"): ()})
    wire.send("p", 1, unknown)
    cluster.run_for(100)
    with pytest.raises(ConnectionLost):
        wire.send("p", 1, unknown)
    wire.send("p", 1, unknown)


def test_a_power_loss_of_every_broker_may_take_what_was_not_flushed() -> None:
    cluster = started(PROTOCOLS["kafka-3.5"], 2)
    sync_producer(cluster, 2).send([Message(topic="orders", value="a")])
    for broker in (1, 2, 3):
        cluster.lose_power(broker)
    cluster.run_for(5_000)
    for broker in (1, 2, 3):
        cluster.restart(broker)
    cluster.run_for(5_000)
    assert logs(cluster) == [[], [], []]


def test_a_scheduler_with_nothing_to_do_says_so() -> None:
    with pytest.raises(Stuck, match="at 0 ms nothing can happen"):
        Scheduler(VirtualClock(), 1).step()


def test_the_clock_never_goes_back() -> None:
    with pytest.raises(ValueError, match="cannot go back"):
        VirtualClock(5).advance_to(4)
