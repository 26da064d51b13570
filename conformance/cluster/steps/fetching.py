"""Fetching on real brokers: a held fetch passes, and the follower asks again as soon as it has taken in the answer."""

from __future__ import annotations

import time
from functools import partial

from neverlost.model.core import Step, contains
from neverlost.model.kafka.replication.shutdown import is_shutting_down
from neverlost.model.kafka.replication.state import DELIVERED, LOST, Partition, Replica

from .. import frames
from ..gates import FETCH, Answer, Frame, Gate
from ..releases import ClusterError
from ..topic import STEP_SECONDS
from .action import OnBrokers
from .partition_run import PartitionRun

LEAVING = "a follower that is shutting down, and out of the ISR, fetches no more"
EXPANDS = "a fetch that shows that the follower may enter the ISR has the leader add it before the answer is there"


def fetch(run: PartitionRun, follower: int, leader: int, response: int) -> None:
    """Let one fetch through, and wait until the follower has taken in the answer: it then asks again.

    A follower that once led an epoch without a record of it first gets the answer that this epoch is not the leader's. It cuts nothing
    for that, the leader learns nothing, and it asks once more: in the model that is no step. A follower that has to cut several
    epochs cuts one with each answer: in the model that is one step.
    """
    frame = _asked(run, follower, leader)
    if _cuts_nothing(run, frame, follower):
        run.note(f"broker {run.broker(follower)} had to forget an epoch without records, and asked once more")
        _take_in(run, frame, follower, leader, response=DELIVERED)
        frame = _asked(run, follower, leader)
    _take_in(run, frame, follower, leader, response=response)
    while response != LOST and _diverging(run, frame) is not None and not _begins_as(run, leader, follower):
        run.note(f"broker {run.broker(follower)} had to cut another epoch, and asked once more")
        frame = exchange(run, follower, leader, DELIVERED)


def fetch_obstacle(s: Partition, follower: Replica, leader: Replica, response: int) -> str:
    """With ZooKeeper a leader adds a follower that has all that is committed, though not all that the leader has."""
    if is_shutting_down(s, follower):
        return LEAVING
    may_enter = s.high_watermark[leader] <= s.log_end[follower] < s.log_end[leader]
    if s.ordered_metadata and response == DELIVERED and not contains(s.isr[leader], follower) and may_enter:
        return EXPANDS
    return ""


def fetch_hidden(run: PartitionRun, step: Step) -> bool:
    """An idle fetch counts twice only where it waits in the broker."""
    return not run.patched


def exchange(run: PartitionRun, follower: int, leader: int, response: int) -> Frame:
    """A fetch with its answer."""
    frame = _asked(run, follower, leader)
    _take_in(run, frame, follower, leader, response=response)
    return frame


def _asked(run: PartitionRun, follower: int, leader: int) -> Frame:
    """A fetch that the leader has answered; the answer is held."""
    frame = fresh_fetch(run, follower, leader)
    if run.patched:
        frames.ask_for_one_record_now(frame)
    run.gates.release(frame, Answer.HELD)
    run.gates.answered(frame)
    return frame


def _take_in(run: PartitionRun, frame: Frame, follower: int, leader: int, *, response: int) -> None:
    """Deliver the answer, and wait until the follower asks again; or drop it."""
    sent = time.monotonic()
    run.gates.release(frame, Answer.DROPPED if response == LOST else Answer.DELIVERED)
    if response != LOST:
        fresh_fetch(run, follower, leader, sent)


def _diverging(run: PartitionRun, frame: Frame) -> tuple[int, int] | None:
    """The epoch that an answer names, and where it ends, if it says that the logs part."""
    return frames.diverging(frame, run.topic.name, run.topic.id)


def _cuts_nothing(run: PartitionRun, frame: Frame, follower: int) -> bool:
    said = _diverging(run, frame)
    if said is None or said[1] < (run.end(follower) or 0):
        return False
    own = run.topic.log(run.broker(follower))
    return all(record.epoch is not None and record.epoch <= said[0] for record in own)


def _begins_as(run: PartitionRun, leader: int, follower: int) -> bool:
    """Is the follower's log a beginning of the leader's?"""
    whole, own = (
        [(record.epoch, record.value) for record in run.topic.log(run.broker(replica))]
        for replica in (leader, follower)
    )
    return own == whole[: len(own)]


def fresh_fetch(run: PartitionRun, follower: int, leader: int, since: float | None = None) -> Frame:
    """A waiting fetch for the partition that the follower made after it last heard of something."""
    source, destination = run.broker(follower), run.broker(leader)
    newer_than = run.heard_at[follower] if since is None else since
    gate = run.gates.gate(FETCH, source, destination)
    end = time.monotonic() + STEP_SECONDS
    while True:
        frame = run.gates.waiting(FETCH, source, destination, max(0.1, end - time.monotonic()))
        if frame.at < newer_than:
            run.gates.cut_waiting(FETCH, source, destination)
        elif frames.names(frame, run.topic.name, run.topic.id):
            return frame
        else:
            run.gates.release(frame)
            run.gates.wait(partial(_has_left, gate, frame), STEP_SECONDS, "another fetch")
        if time.monotonic() > end:
            raise ClusterError(f"broker {source} does not fetch from broker {destination}")


def _has_left(gate: Gate, frame: Frame) -> bool:
    return frame not in gate.requests


ACTIONS = {"fetch": OnBrokers(perform=fetch, obstacle=fetch_obstacle, hidden=fetch_hidden)}
