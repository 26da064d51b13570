"""A real leader reads the metadata of an ISR that it has learned by an answer, and forgets that it has asked for a larger one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial

import pytest

from neverlost.conformance.cluster import driver
from neverlost.conformance.cluster.clusters import Clusters
from neverlost.conformance.cluster.gates import Answer, Frame
from neverlost.conformance.cluster.releases import RunnableRelease
from neverlost.conformance.cluster.steps.controller import elect, fail_over, fence_follower
from neverlost.conformance.cluster.steps.faults import crash, pause, unfence
from neverlost.conformance.cluster.steps.fetching import exchange, fetch
from neverlost.conformance.cluster.steps.isr import learn_isr, request_for_isr, waiting_request
from neverlost.conformance.cluster.steps.news_in_kraft import KRaftNews
from neverlost.conformance.cluster.steps.partition_run import PartitionRun, Plan
from neverlost.conformance.cluster.steps.producing import produce
from neverlost.model.kafka.replication.state import ACKNOWLEDGED, ACKS_ALL, DELIVERED, LOST, WAITING

R1, R2, R3 = range(3)
TRIES, SECONDS = 5, 1.0
AFTER_SECONDS = 1.0
"""So long a broker has to apply what it has read."""


class MetadataOfARun(PartitionRun):
    """A run in KRaft mode, with the metadata that its brokers read."""

    news: KRaftNews

    def read_all(self, replica: int) -> None:
        """Let a broker read all metadata that there is."""
        self.news.read(replica, self.news.control.offset())


def alone_in_the_isr(run: MetadataOfARun) -> None:
    """r1 leads a new epoch, and is alone in the ISR; all three live, and r1 knows it."""
    for replica in (R2, R3):
        pause(run, replica)
        fence_follower(run, replica)
        run.note_decision()
        run.read_all(R1)
    pause(run, R1)
    fence_follower(run, R1)
    run.note_decision()
    for replica in (R1, R2, R3):
        unfence(run, replica)
        elect(run, R1)
        run.note_decision()
        run.until(partial(run.has_heard, R1, run.newest), "r1 in its new epoch")
        run.knows_of[replica], run.heard_at[replica] = run.newest, time.monotonic()
    run.read_all(R1)


def asked_for(run: MetadataOfARun, follower: int) -> Frame:
    """The request for an ISR with a follower, which has fetched."""
    for _ in range(TRIES):
        exchange(run, follower, R1, LOST)
        if run.gates.wait_a_while(lambda: waiting_request(run, R1) is not None, SECONDS):
            break
    return request_for_isr(run, R1, SECONDS)[0]


def grant(run: MetadataOfARun, request: Frame, size: int) -> int:
    """How far the metadata goes when the controller has recorded the ISR; the answer is held."""
    run.gates.release(request, Answer.HELD)
    run.until(lambda: len(run.topic.state.isr) == size, f"{size} brokers in the ISR")
    return run.news.control.offset()


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
        plan = Plan(order=(R1, R2, R3), heard=(deque(), deque(), deque()), granted=deque(), idle=deque())
        run = MetadataOfARun(cluster, "taken-back-1", settings, plan)
        driver.begin(run)
        alone_in_the_isr(run)
        with_r3 = grant(run, asked_for(run, R3), 2)
        if not in_time:
            run.news.fetch(R1)
        learn_isr(run, R1)
        if in_time:
            run.news.read(R1, with_r3)
        produce(run, R1, 0, DELIVERED)
        request = asked_for(run, R2)
        if not in_time:
            run.news.read(R1, with_r3)
            run.gates.wait_a_while(lambda: False, AFTER_SECONDS)
        grant(run, request, 3)
        learn_isr(run, R1)
        fetch(run, R3, R1, DELIVERED)
        fetch(run, R3, R1, DELIVERED)
        run.gates.wait_a_while(lambda: False, AFTER_SECONDS)
        said = run.outcome(0)
        crash(run, R1, 0)
        fail_over(run, R1, R2)
        driver.finish(run)
        logs = [run.topic.log(run.broker(replica)) for replica in (R1, R2, R3)]
    assert said == (WAITING if in_time else ACKNOWLEDGED)
    assert all(log == [] for log in logs)
