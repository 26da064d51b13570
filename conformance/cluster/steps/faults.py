"""Faults of real brokers: a process dies, and the files of the dead broker are changed as the fault does."""

from __future__ import annotations

import time

from neverlost.model.core import contains
from neverlost.model.kafka.replication.state import Partition

from ..log_files import HIGH_WATERMARKS, BrokerDisk
from .action import OnBrokers
from .partition_run import PartitionRun

UNFENCED = "the moment between the end of a session and the fencing of its broker is too short to start a broker in it"


def _kill(run: PartitionRun, replica: int) -> BrokerDisk:
    """The disk that a killed broker leaves."""
    run.cluster.kill(run.broker(replica))
    run.up[replica] = False
    return run.cluster.disk(run.broker(replica))


def crash(run: PartitionRun, replica: int, checkpoint: int) -> None:
    """Kill a broker, and set its high watermark checkpoint."""
    _kill(run, replica).checkpoint(HIGH_WATERMARKS, run.topic.name, checkpoint)


def power_loss(run: PartitionRun, replica: int, kept: int) -> None:
    """Kill a broker, and cut from its disk what it had not flushed."""
    high_watermark = run.topic.high_watermark(run.broker(replica)) or 0
    disk = _kill(run, replica)
    disk.checkpoint(HIGH_WATERMARKS, run.topic.name, high_watermark)
    disk.lose_tail(run.topic.name, kept)


def disk_loss(run: PartitionRun, replica: int) -> None:
    """Kill a broker, and remove the partition from its disk."""
    _kill(run, replica).lose(run.topic.name)


def restart(run: PartitionRun, replica: int) -> None:
    """Start a broker again."""
    run.news.before_start(replica)
    run.topic.restart(run.broker(replica))
    run.news.has_returned(replica)
    run.up[replica] = True
    run.leaving.discard(replica)
    run.heard_at[replica] = time.monotonic()


def restart_obstacle(s: Partition, replica: int) -> str:
    """A broker is fenced before it starts again."""
    return "" if contains(s.fenced, replica) else UNFENCED


def pause(run: PartitionRun, replica: int) -> None:
    """From now on nothing is heard of a broker; its session lasts until it is ended."""
    run.control.hold_heartbeats(run.broker(replica))


def unfence(run: PartitionRun, replica: int) -> None:
    """A fenced broker is heard of again."""
    run.news.before_unfence(replica)
    run.topic.unfence(run.broker(replica))
    run.news.has_returned(replica)


ACTIONS = {
    "crash": OnBrokers(perform=crash),
    "power_loss": OnBrokers(perform=power_loss),
    "disk_loss": OnBrokers(perform=disk_loss),
    "restart": OnBrokers(perform=restart, obstacle=restart_obstacle),
    "pause": OnBrokers(perform=pause),
    "unfence": OnBrokers(perform=unfence),
}
