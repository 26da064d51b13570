"""A real leader reads the metadata of an ISR that it has learned by an answer, and forgets that it has asked for a larger one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import pytest

from neverlost.conformance.cluster.clusters import Clusters
from neverlost.conformance.cluster.driver import Driver
from neverlost.conformance.cluster.gates import Answer, Frame
from neverlost.conformance.cluster.planning import Plan
from neverlost.conformance.cluster.releases import RunnableRelease
from neverlost.model.kafka.replication.state import ACKNOWLEDGED, ACKS_ALL, DELIVERED, LOST, WAITING

R1, R2, R3 = range(3)
TRIES, SECONDS = 5, 1.0
AFTER_SECONDS = 1.0
"""So long a broker has to apply what it has read."""


def alone_in_the_isr(driver: Driver) -> None:
    """r1 leads a new epoch, and is alone in the ISR; all three live, and r1 knows it."""
    for replica in (R2, R3):
        driver.do_pause(replica)
        driver.do_fence_follower(replica)
        driver.note_decision()
        driver._read_metadata(R1, driver.kraft.offset())
    driver.do_pause(R1)
    driver._end_session(R1)
    driver.note_decision()
    for replica in (R1, R2, R3):
        driver.do_unfence(replica)
        driver._await_leader(R1)
        driver.note_decision()
        driver._await(lambda: driver._has_heard(R1, driver.newest), "r1 in its new epoch")
        driver.knows_of[replica], driver.heard_at[replica] = driver.newest, time.monotonic()
    driver._read_metadata(R1, driver.kraft.offset())


def asked_for(driver: Driver, follower: int) -> Frame:
    """The request for an ISR with a follower, which has fetched."""
    for _ in range(TRIES):
        driver._exchange(follower, R1, LOST)
        if driver.gates.wait_a_while(lambda: driver._waiting_request(R1) is not None, SECONDS):
            break
    return driver._asked_isr(R1, SECONDS)[0]


def grant(driver: Driver, request: Frame, size: int) -> int:
    """How far the metadata goes when the controller has recorded the ISR; the answer is held."""
    driver.gates.release(request, Answer.HELD)
    driver._await(lambda: len(driver.control.partition(driver.topic).isr) == size, f"{size} brokers in the ISR")
    return driver.kraft.offset()


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
@pytest.mark.parametrize("in_time", [True, False], ids=["metadata in time", "metadata late"])
@pytest.mark.parametrize("version", ["3.6.2", "4.3.1"])
def test_late_metadata_of_a_known_isr_loses_an_acknowledged_record(
    version: str, in_time: bool, runnable: Callable[..., RunnableRelease]
) -> None:
    release = runnable(version, "kraft")
    with Clusters(release) as clusters:
        cluster = clusters.for_run(shrinks=False)
        settings = {"acks": ACKS_ALL, "min_isr": 2, "flush": 0}
        driver = Driver(cluster, "taken-back-1", settings, len((R1, R2, R3)))
        driver.begin(Plan(order=(R1, R2, R3), heard=(deque(), deque(), deque()), granted=deque(), idle=deque()))
        alone_in_the_isr(driver)
        with_r3 = grant(driver, asked_for(driver, R3), 2)
        if not in_time:
            driver._fetch_metadata(R1)
        driver.do_learn_isr(R1)
        if in_time:
            driver._read_metadata(R1, with_r3)
        driver.do_produce(R1, 0, DELIVERED)
        request = asked_for(driver, R2)
        if not in_time:
            driver._read_metadata(R1, with_r3)
            driver.gates.wait_a_while(lambda: False, AFTER_SECONDS)
        grant(driver, request, 3)
        driver.do_learn_isr(R1)
        driver.do_fetch(R3, R1, DELIVERED)
        driver.do_fetch(R3, R1, DELIVERED)
        driver.gates.wait_a_while(lambda: False, AFTER_SECONDS)
        said = driver.outcome(0)
        driver.do_crash(R1, 0)
        driver.do_fail_over(R1, R2)
        driver.finish()
        logs = [cluster.disk(driver.broker(replica)).log(driver.topic) for replica in (R1, R2, R3)]
    assert said == (WAITING if in_time else ACKNOWLEDGED)
    assert all(log == [] for log in logs)
