"""The in-process purgatory and timer do what their models say, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from neverlost.conformance.adapter import Adapter, AdapterError
from neverlost.conformance.divergence import drive
from neverlost.conformance.inprocess.purgatory import DelayedOperation, Purgatory, Watchers
from neverlost.conformance.inprocess.timing_wheel import TimingWheel
from neverlost.conformance.purgatory_adapter import PurgatoryAdapter
from neverlost.conformance.timing_wheel_adapter import TimingWheelAdapter
from neverlost.conformance.walk import Walked, walk
from neverlost.explorer.search import explore
from neverlost.model.core import Model
from neverlost.spec import profiles

PURGATORY = profiles()["kafka-purgatory"].bounded(operations=3, keys=2)
TWO_OPERATIONS = profiles()["kafka-purgatory"].bounded()
WHEEL = profiles()["kafka-timing-wheel"].bounded(slots=3, levels=4, horizon=60, starts=8)


def walked(model: Model, make: Callable[[Model], Adapter], steps: int) -> Walked:
    return walk(model, lambda: make(model), seed=1, steps=steps)


@pytest.mark.parametrize(("model", "make"), [(PURGATORY, PurgatoryAdapter), (WHEEL, TimingWheelAdapter)])
def test_random_walks_find_no_divergence_and_do_every_action(model: Model, make: Callable[[Model], Adapter]) -> None:
    found = walked(model, make, 6_000)
    assert found.divergence is None, found.divergence.report()
    assert set(found.actions) == {action.name for action in model.profile.actions}


@pytest.mark.parametrize(("model", "make"), [(TWO_OPERATIONS, PurgatoryAdapter), (WHEEL, TimingWheelAdapter)])
def test_every_witness_can_be_followed(model: Model, make: Callable[[Model], Adapter]) -> None:
    result = explore(model, engine="interpreted")
    traces = [finding.trace for finding in result.findings.values() if finding.trace is not None]
    assert traces
    for trace in traces:
        assert drive(make(model), model, trace.steps) is None


def without_second_try(_: object) -> Callable[..., Any]:
    def arrival(self: Purgatory, operation: DelayedOperation, keys: list[int]) -> Any:
        if operation.try_complete():
            return
        yield
        for key in keys:
            self._watchers.setdefault(key, Watchers()).watch(operation)
            yield
        yield
        operation.timeout = self._timer.add(operation.delay_ms, operation.expire)
        yield

    return arrival


def completing_twice(_: object) -> Callable[..., Any]:
    def force_complete(self: DelayedOperation) -> bool:
        self.completed = True
        self.on_complete()
        return True

    return force_complete


PURGATORY_FAULTS: dict[str, tuple[type, str, Callable[[Any], Any]]] = {
    "no second try": (Purgatory, "arrival", without_second_try),
    "double completion": (DelayedOperation, "force_complete", completing_twice),
}
WHEEL_FAULTS: dict[str, Callable[[Any], Any]] = {
    "fires a tick early": lambda right: lambda self, task: task.deadline > self.current_time + 1 and right(self, task),
    "next level from one tick before": lambda right: (
        lambda self, task: (
            self._level_above().add(task)
            if task.deadline >= self.current_time + self.interval - 1
            else right(self, task)
        )
    ),
}


@pytest.mark.parametrize("fault", PURGATORY_FAULTS)
def test_a_broken_purgatory_diverges(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, name, make = PURGATORY_FAULTS[fault]
    monkeypatch.setattr(target, name, make(getattr(target, name)))
    assert walked(PURGATORY, PurgatoryAdapter, 6_000).divergence is not None


@pytest.mark.parametrize("fault", WHEEL_FAULTS)
def test_a_broken_wheel_diverges(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimingWheel, "add", WHEEL_FAULTS[fault](TimingWheel.add))
    assert walked(WHEEL, TimingWheelAdapter, 6_000).divergence is not None


def test_a_model_of_something_else_is_refused() -> None:
    with pytest.raises(AdapterError, match="choose kafka-purgatory"):
        PurgatoryAdapter(WHEEL)
    with pytest.raises(AdapterError, match="choose kafka-timing-wheel"):
        TimingWheelAdapter(PURGATORY)
