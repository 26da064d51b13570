"""What can be seen of a cluster in the model's terms: by requests to each broker, and in the files of live and dead ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from neverlost.model.core import NONE, Model
from neverlost.model.kafka.replication.state import NO_CONSUMER, UNSENT

from ..adapter import NotThis, Partial
from .control import CONTROLLING
from .log_files import HIGH_WATERMARKS
from .releases import ClusterError
from .steps.partition_run import PartitionRun

UNKNOWN_EPOCH = 1000
"""What stands for a leader epoch that the model has not issued: this and the epoch."""
FIELDS = (
    *("up", "log_end", "record_value", "record_epoch", "high_watermark", "epoch", "leader"),
    *("newest_epoch", "controller_leader", "controller_isr", "eligible", "fenced", "delivery"),
    *("position", "committed_offset", "read"),
)


def observe(run: PartitionRun, model: Model) -> Partial:
    """The fields of the model's state, as far as they can be seen now; None for an element that nothing shows."""
    state = run.topic.state
    members = [run.broker(replica) for replica in run.replicas]
    log_size = model.bounds["log_size"]
    logs = [run.topic.log(broker) for broker in members]
    epochs = [[None if record.epoch is None else _epoch(run, record.epoch) for record in log] for log in logs]
    found: dict[str, Any] = {
        "up": [int(up) for up in run.up],
        "log_end": [len(log) for log in logs],
        "record_value": [_filled((record.number for record in log), log_size) for log in logs],
        "record_epoch": [_filled(row, log_size) for row in epochs],
        "high_watermark": [],
        "epoch": [],
        "leader": [],
        "newest_epoch": _epoch(run, state.leader_epoch),
        "controller_leader": state.leader - 1 if state.leader in members else NONE,
        "controller_isr": _mask(state.isr, members),
        "fenced": _mask(
            {*(set(members) - run.control.live()), *(run.broker(replica) for replica in run.leaving)}, members
        ),
        "delivery": [_delivery(run, value) for value in range(model.bounds["values"])],
    }
    if model.settings["commit"] != NO_CONSUMER:
        consumer = run.consumer
        found |= {"position": consumer.position, "committed_offset": consumer.committed}
        found["read"] = [consumer.read.get(offset, NONE) for offset in range(log_size)]
    if state.eligible is not None:
        found["eligible"] = _mask(state.eligible, members)
    for replica in run.replicas:
        for name, value in _of_broker(run, replica).items():
            found[name].append(value)
    return found


def _of_broker(run: PartitionRun, replica: int) -> dict[str, Any]:
    """The high watermark of a broker, its leader epoch, and whether it leads."""
    if not run.up[replica]:
        disk = run.cluster.disk(run.broker(replica))
        return {"high_watermark": disk.checkpointed(HIGH_WATERMARKS, run.topic.name), "epoch": NONE, "leader": NONE}
    port, wire = run.port(replica), run.wire
    try:
        epoch = wire.leader_epoch(port, run.topic.name, run.real_epoch[run.knows_of[replica]])
        return {
            "high_watermark": wire.high_watermark(port, run.topic.name),
            # A run may leave out that a broker hears of an epoch without a leader.
            "epoch": None if epoch is None or epoch in run.leaderless else _epoch(run, epoch),
            "leader": replica if wire.leads(port, run.topic.name) else NotThis(replica),
        }
    except (OSError, ClusterError):
        return {"high_watermark": None, "epoch": None, "leader": None}


def _epoch(run: PartitionRun, real: int) -> int:
    # A broker that has a partition, and has not heard of an epoch since it started, has -1.
    return NONE if real < 0 else run.model_epoch.get(real, UNKNOWN_EPOCH + real)


def _filled(row: Iterable[int | None], size: int) -> list[int | None]:
    values = list(row)[:size]
    return values + [NONE] * (size - len(values))


def _mask(brokers: Iterable[int], members: list[int]) -> int:
    return sum(1 << members.index(broker) for broker in brokers if broker != CONTROLLING)


def _delivery(run: PartitionRun, value: int) -> int:
    outcome = run.outcome(value)
    return UNSENT if outcome is None else outcome
