"""Producing on real brokers: a value is sent, with a number by an idempotent producer, and the answer is waited for elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from neverlost.model.kafka.replication.producer import is_idempotent
from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    ACKS_ALL,
    ACKS_NONE,
    AFTER_APPEND,
    LOST,
    REFUSED,
    TO_HIGH_WATERMARK,
    UNKNOWN,
    Partition,
)

from ..log_files import bytes_of
from ..topic import STEP_SECONDS
from ..wire import (
    LEADER_NOT_AVAILABLE,
    NO_ERROR,
    NOT_ENOUGH_REPLICAS,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    NOT_LEADER,
    OUT_OF_SEQUENCE,
    UNKNOWN_PRODUCER,
    UNKNOWN_TOPIC,
)
from .action import OnBrokers
from .partition_run import Numbers, PartitionRun, Sending

OUTCOMES = {
    NO_ERROR: ACKNOWLEDGED,
    NOT_ENOUGH_REPLICAS: REFUSED,
    NOT_LEADER: REFUSED,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND: AFTER_APPEND,
}
"""What the producer of the model knows after an error code; after any other it knows nothing."""
ACKS = {0: 0, 1: 1, 2: -1}
LONG_MS = 120_000
WITHOUT_NUMBERS = "before 0.11 no producer numbers its records (KIP-98)"
FIRST_MAGIC_WITH_NUMBERS = 2
LOST_COUNT = (OUT_OF_SEQUENCE, UNKNOWN_PRODUCER)
NOT_READY = (UNKNOWN_TOPIC, LEADER_NOT_AVAILABLE)
WITHOUT_TRACE_SECONDS = 0.3
"""Within this time a broker has recognised a value that it has: unless it answers at once, nothing shows that."""


def produce(run: PartitionRun, leader: int, value: int, response: int) -> None:
    """Send a value to a broker, until it is in the log or refused; if the broker has it, and recognises it, for a while."""
    end = run.end(leader) or 0
    recognised = _is_recognised(run, leader, value)
    sending = _send(run, leader, value, keep_trying=(*NOT_READY, NOT_LEADER))

    since = time.monotonic()

    def has_arrived() -> bool:
        grown = (run.end(leader) or 0) > end
        sending.appended = grown or (recognised and time.monotonic() - since > WITHOUT_TRACE_SECONDS)
        return sending.outcome is not None or sending.appended

    run.until(has_arrived, f"value {value} in the leader's log")
    if response == LOST:
        if run.settings["acks"] != ACKS_ALL:
            run.until(lambda: sending.outcome is not None, "the answer that is to be lost")
        sending.outcome = UNKNOWN


def refuse_as_not_leader(run: PartitionRun, broker: int, value: int) -> None:
    """Send a value to a broker that does not lead."""
    sending = _send(run, broker, value, keep_trying=())
    run.until(lambda: sending.outcome is not None, "the refusal")
    if sending.error in NOT_READY:
        sending.outcome = REFUSED


def time_out(run: PartitionRun, value: int) -> None:
    """The producer waits no longer; nothing happens in the broker that anybody could see."""
    run.sent[value].outcome = UNKNOWN


def wait_no_longer(run: PartitionRun, broker: int) -> None:
    """A broker that leads no more does not answer: the producer would wait for two minutes, and then knows nothing either."""
    for value, sending in run.sent.items():
        if sending.broker == broker and sending.outcome is None:
            sending.outcome = UNKNOWN
            run.note(f"broker {broker} leads no more and does not answer; the producer gives v{value} up")


def _is_recognised(run: PartitionRun, leader: int, value: int) -> bool:
    """Has a broker a value of an idempotent producer in its log?"""
    return _is_idempotent(run) and any(record.number == value for record in run.topic.log(run.broker(leader)))


def _is_idempotent(run: PartitionRun) -> bool:
    """Does the producer number its records? The format of records has numbers from 0.11 on (KIP-98)."""
    settings, magic = run.settings, run.cluster.release.magic
    return bool(settings["idempotence"]) and settings["acks"] == ACKS_ALL and magic >= FIRST_MAGIC_WITH_NUMBERS


def _number(run: PartitionRun, value: int) -> None:
    """Number a value as a producer does: after one that was acknowledged the next sequence, else a new epoch (KIP-360)."""
    if value in run.numbers or not _is_idempotent(run):
        return
    last = run.numbers.get(value - 1)
    if last is None:
        run.numbers[value] = Numbers(0, 0)
    elif run.sent[value - 1].outcome == ACKNOWLEDGED:
        run.numbers[value] = Numbers(last.epoch, last.sequence + 1)
    else:
        run.numbers[value] = Numbers(last.epoch + 1, 0)


def _send(run: PartitionRun, replica: int, value: int, *, keep_trying: Sequence[int]) -> Sending:
    _number(run, value)
    sending = run.sent[value] = Sending(run.broker(replica))
    threading.Thread(target=_exchange, args=(run, replica, value, sending, keep_trying), daemon=True).start()
    return sending


def _exchange(run: PartitionRun, replica: int, value: int, sending: Sending, keep_trying: Sequence[int]) -> None:
    acks, end = run.settings["acks"], time.monotonic() + STEP_SECONDS
    error = _produce(run, replica, value)
    while error in (*keep_trying, *LOST_COUNT) and not sending.appended and time.monotonic() < end:
        if error in LOST_COUNT:
            _renumber(run, value)
        time.sleep(0.03)
        error = _produce(run, replica, value)
    sending.error = error
    if sending.outcome is None:
        sending.outcome = _outcome(error, acks, sending.appended)


def _renumber(run: PartitionRun, value: int) -> None:
    """Begin a new epoch of the producer: the broker has lost what was acknowledged before (KIP-360)."""
    run.numbers[value] = Numbers(run.numbers[value].epoch + 1, 0)
    run.note(f"the broker did not know what was acknowledged before v{value}; the producer began a new epoch")


def _produce(run: PartitionRun, replica: int, value: int) -> int | str | None:
    """The error code of the answer, or the name of what happened to the connection."""
    acks, wait = ACKS[run.settings["acks"]], LONG_MS
    number = run.numbers.get(value)
    try:
        return run.wire.produce(
            run.port(replica),
            run.topic.name,
            bytes_of(value),
            acks,
            wait_ms=wait,
            timeout=wait / 1000,
            numbers=None if number is None else (number.epoch, number.sequence),
        )
    except OSError as problem:
        return type(problem).__name__


def _outcome(error: int | str | None, acks: int, appended: bool) -> int:
    """What the producer of the model knows after an answer, or none; one that waited for a broker that leads no more knows nothing."""
    if acks == ACKS_NONE or isinstance(error, str) or (error == NOT_LEADER and appended):
        return UNKNOWN
    return OUTCOMES.get(error or NO_ERROR, UNKNOWN)


def retry_obstacle(s: Partition, **_: int) -> str:
    """What is sent again is recognised only by numbers."""
    return WITHOUT_NUMBERS if is_idempotent(s) and s.truncation == TO_HIGH_WATERMARK else ""


def produce_obstacle(s: Partition, **_: int) -> str:
    """Each value is sent by itself, so none is answered by the next one."""
    return "the producer here takes no failed value for written, as librdkafka does" if s.acks_earlier else ""


ACTIONS = {
    "produce": OnBrokers(perform=produce, obstacle=produce_obstacle),
    "retry": OnBrokers(perform=produce, obstacle=retry_obstacle),
    "refuse_as_not_leader": OnBrokers(perform=refuse_as_not_leader),
    "time_out": OnBrokers(perform=time_out),
}
