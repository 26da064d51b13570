"""What has to come together for a loss, read off the steps of its story: how rare it is, nobody can say, but what it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from neverlost.explorer.traces.trace import Trace
from neverlost.model.kafka.replication.state import Partition

HEARS = ("become_leader", "become_follower")


def coincidences(trace: Trace) -> list[str]:
    """Each fault, each broker that hears of an epoch late, leaves the ISR, or cuts its log, in the order of the steps.

    What every run has, such as appends and fetches, is left out.
    """
    model, found = trace.model, list[str]()
    states = [cast(Partition, state) for state in trace.unpacked()]
    for number, (before, after, step) in enumerate(zip(states, states[1:], trace.steps, strict=False), start=1):
        shown = step.show(model.bounds)
        named = dict(re.findall(r"(\w+)=(\w+)", shown))
        found += [f"{part} (step {number})" for part in _parts(before, after, step.action.name, named)]
    return found


def _parts(before: Partition, after: Partition, action: str, named: dict[str, str]) -> Iterator[str]:
    for fault in Partition.faults:
        if getattr(after, fault.counter, 0) < getattr(before, fault.counter, 0):
            whose = named.get("replica") or (named.get("leader") if fault.name != "leader_moves" else None)
            to = f" to {named['successor']}" if fault.name == "leader_moves" and "successor" in named else ""
            yield f"a {fault.singular}{f' of {whose}' if whose else ''}{to}"
    if action in HEARS and int(named["epoch"]) < before.newest_epoch:
        yield f"{named['replica']} hears of epoch {named['epoch']} after epoch {before.newest_epoch} has begun"
    if action == "shrink_isr":
        yield f"{named['follower']} falls out of the ISR"
    if action in ("fetch", *HEARS):
        for replica, (old, new) in enumerate(zip(before.log_end, after.log_end, strict=True), start=1):
            if new < old:
                yield f"r{replica} cuts its log"
