"""Consuming on real brokers: fetches of a consumer, who keeps its offset itself. What it does with a record is not on the brokers."""

from __future__ import annotations

from neverlost.model.kafka.replication.state import COMMIT_AUTO, COMMIT_BEFORE

from ..log_files import LogRecord
from ..wire import NO_ERROR
from .action import OnBrokers
from .partition_run import PartitionRun


def poll(run: PartitionRun, leader: int, offset: int) -> None:
    """Read the record at the consumer's position from a broker that leads, or believes so."""
    _get_next(run, leader, offset)


def poll_follower(run: PartitionRun, follower: int, offset: int) -> None:
    """Read the record at the consumer's position from a follower (KIP-392)."""
    _get_next(run, follower, offset)


def crash_consumer(run: PartitionRun) -> None:
    """Another consumer goes on from the offset that is committed."""
    run.consumer.position = run.consumer.committed


def _get_next(run: PartitionRun, replica: int, offset: int) -> None:
    """Read a record, and commit as the consumer of the model does by its mode."""

    def look() -> LogRecord | None:
        found = run.wire.fetch(run.port(replica), run.topic.name, offset)
        records = found.records if found.error == NO_ERROR else ()
        return next((record for record in records if record.offset == offset), None)

    consumer, mode = run.consumer, run.settings["commit"]
    record = run.until(look, f"a record at offset {offset} from broker {run.broker(replica)}")
    if mode == COMMIT_AUTO:
        consumer.committed = offset
    consumer.read[offset] = record.number
    consumer.position = offset + 1
    if mode == COMMIT_BEFORE:
        consumer.committed = consumer.position


ACTIONS = {
    "poll": OnBrokers(perform=poll),
    "poll_follower": OnBrokers(perform=poll_follower),
    "crash_consumer": OnBrokers(perform=crash_consumer),
}
