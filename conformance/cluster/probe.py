"""What can be seen of a cluster in the model's terms: by requests to each broker, and in the files of live and dead ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from neverlost.model.core import NONE, Model
from neverlost.model.kafka.replication.state import UNSENT

from ..adapter import NotThis, Partial
from .control import CONTROLLING
from .driver import Driver
from .log_files import HIGH_WATERMARKS
from .releases import ClusterError

UNKNOWN_EPOCH = 1000
"""What stands for a leader epoch that the model has not issued: this and the epoch."""
FIELDS = (
    *("up", "log_end", "record_value", "record_epoch", "high_watermark", "epoch", "leader"),
    *("newest_epoch", "controller_leader", "controller_isr", "eligible", "fenced", "delivery"),
)


def observe(driver: Driver, model: Model) -> Partial:
    """The fields of the model's state, as far as they can be seen now; None for an element that nothing shows."""
    state = driver.control.partition(driver.topic)
    members = [driver.broker(replica) for replica in driver.replicas]
    log_size = model.bounds["log_size"]
    logs = [driver.cluster.disk(broker).log(driver.topic) for broker in members]
    epochs = [[None if record.epoch is None else _epoch(driver, record.epoch) for record in log] for log in logs]
    found: dict[str, Any] = {
        "up": [int(up) for up in driver.up],
        "log_end": [len(log) for log in logs],
        "record_value": [_filled((record.number for record in log), log_size) for log in logs],
        "record_epoch": [_filled(row, log_size) for row in epochs],
        "high_watermark": [],
        "epoch": [],
        "leader": [],
        "newest_epoch": _epoch(driver, state.leader_epoch),
        "controller_leader": state.leader - 1 if state.leader in members else NONE,
        "controller_isr": _mask(state.isr, members),
        "fenced": _mask(
            {*(set(members) - driver.control.live()), *(driver.broker(replica) for replica in driver.leaving)}, members
        ),
        "delivery": [_delivery(driver, value) for value in range(model.bounds["values"])],
    }
    if state.eligible is not None:
        found["eligible"] = _mask(state.eligible, members)
    for replica in driver.replicas:
        for name, value in _of_broker(driver, replica).items():
            found[name].append(value)
    return found


def _of_broker(driver: Driver, replica: int) -> dict[str, Any]:
    """The high watermark of a broker, its leader epoch, and whether it leads."""
    if not driver.up[replica]:
        disk = driver.cluster.disk(driver.broker(replica))
        return {"high_watermark": disk.checkpointed(HIGH_WATERMARKS, driver.topic), "epoch": NONE, "leader": NONE}
    port, wire = driver.port(replica), driver.wire
    try:
        epoch = wire.leader_epoch(port, driver.topic, driver.real_epoch[driver.knows_of[replica]])
        return {
            "high_watermark": wire.high_watermark(port, driver.topic),
            # A run may leave out that a broker hears of an epoch without a leader.
            "epoch": None if epoch is None or epoch in driver.leaderless else _epoch(driver, epoch),
            "leader": replica if wire.leads(port, driver.topic) else NotThis(replica),
        }
    except (OSError, ClusterError):
        return {"high_watermark": None, "epoch": None, "leader": None}


def _epoch(driver: Driver, real: int) -> int:
    return driver.model_epoch.get(real, UNKNOWN_EPOCH + real)


def _filled(row: Iterable[int | None], size: int) -> list[int | None]:
    values = list(row)[:size]
    return values + [NONE] * (size - len(values))


def _mask(brokers: Iterable[int], members: list[int]) -> int:
    return sum(1 << members.index(broker) for broker in brokers if broker != CONTROLLING)


def _delivery(driver: Driver, value: int) -> int:
    outcome = driver.outcome(value)
    return UNSENT if outcome is None else outcome
