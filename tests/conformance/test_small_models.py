"""The in-process purgatory and timer do what their models say, step by step."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neverlost.conformance.adapter import Adapter, AdapterError
from neverlost.conformance.divergence import drive
from neverlost.conformance.purgatory.adapter import PurgatoryAdapter
from neverlost.conformance.random_walk import Walked, walk
from neverlost.conformance.timing_wheel.adapter import TimingWheelAdapter
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


def test_a_model_of_something_else_is_refused() -> None:
    with pytest.raises(AdapterError, match="choose kafka-purgatory"):
        PurgatoryAdapter(WHEEL)
    with pytest.raises(AdapterError, match="choose kafka-timing-wheel"):
        TimingWheelAdapter(PURGATORY)
