"""A run of the Kafka model in a cluster of real brokers: how it begins, what makes each of its steps happen, how it ends.

Fetches, the controller's requests, changes of the ISR and the metadata log wait at gates; a step of the model lets through what it
stands for, and waits until the brokers have done it.
"""

from __future__ import annotations

import time

from neverlost.model.core import Step

from ..adapter import NotPerformed
from .gates import ALTER_ISR, FETCH
from .releases import ClusterError
from .steps.fetching import fresh_fetch
from .steps.partition_run import PartitionRun
from .steps.registry import ON_BROKERS
from .steps.shutdown import end_those_that_leave


def begin(run: PartitionRun) -> None:
    """Create the topic, wait until all replicas follow, and shut the gates."""
    run.gates.open_all()
    run.topic.create()
    for broker in run.cluster.brokers:
        for other in run.cluster.brokers:
            if broker != other:
                run.gates.shut(FETCH, broker, other)
        run.gates.shut(ALTER_ISR, broker, run.control.destination)
    run.news.hold()
    run.heard_at = [time.monotonic()] * len(run.replicas)
    for replica in run.replicas[1:]:
        fresh_fetch(run, replica, 0)


def perform(run: PartitionRun, step: Step) -> None:
    """Make a step of the model happen. Raises NotPerformed if the brokers do not do it."""
    run.returned = run.ended = None
    try:
        ON_BROKERS[step.action.name].perform(run, **step.picks())
        run.note_decision()
    except (ClusterError, OSError, LookupError) as error:
        raise NotPerformed(str(error)) from error


def finish(run: PartitionRun) -> None:
    """Open every gate and bring everybody back, until all replicas are in the ISR, and consumers may read to the end of the log.

    Raises ClusterError if that does not come.
    """
    run.gates.open_all()
    for replica in run.replicas:
        if not run.up[replica] and run.broker(replica) in run.control.live():
            run.control.end_session(run.broker(replica))
    end_those_that_leave(run)
    run.topic.bring_back([run.broker(replica) for replica in run.replicas if not run.up[replica]])
