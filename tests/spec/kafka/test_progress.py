"""What must happen at last does, under fairness; and where it does not, the lasso says why."""

from __future__ import annotations

import pytest

from neverlost.explorer.result import DecidedProperty
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import replay
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec import profiles

PROPERTIES = ("produce_completes", "high_watermark_catches_up")


def decided(version: str, name: str, **chosen: int) -> DecidedProperty:
    bounds = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 3, "min_isr": 1, **chosen}
    model = profiles()[version].bounded(acks=ACKS_ALL, **bounds)
    # Two replicas have so few states that a kernel is not worth it.
    engine = "interpreted" if bounds["replicas"] == 2 else "compiled"
    return explore(model, engine=engine, properties=[name]).findings[name]


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("faults", [{}, {"pauses": 1}, {"crashes": 1}], ids=["nothing fails", "a pause", "a crash"])
@pytest.mark.parametrize("version", ["kafka-2.1", "kafka-3.5"])
def test_two_brokers_answer_every_produce_and_expose_every_record(
    version: str, faults: dict[str, int], name: str
) -> None:
    assert decided(version, name, **faults).verdict == "holds"


def test_atomic_isr_changes_leave_no_produce_waiting() -> None:
    found = decided("kafka-2.1", "produce_completes", replicas=3, min_isr=2, leader_epochs=2, crashes=1)
    assert found.verdict == "holds"


def test_an_isr_change_that_comes_to_nothing_can_leave_a_produce_waiting_for_ever() -> None:
    found = decided("kafka-3.6", "produce_completes", replicas=3, min_isr=2, leader_epochs=2, crashes=1)
    assert found.verdict == "violated"
    assert found.trace is not None
    replay(found.trace)
    assert found.trace.loop_start == len(found.trace.steps)
    # The controller refuses the change, or drops the member again: equally short.
    assert found.trace.steps[-1].action.name in ("refuse_isr", "fence_follower")
