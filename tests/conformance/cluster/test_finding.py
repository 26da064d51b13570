"""The run that is found is the shortest that real brokers can be made to do, and what was tried before it is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from neverlost.conformance.adapter import CannotSchedule
from neverlost.conformance.cluster import finding
from neverlost.conformance.cluster.finding import Schedulable, find_run
from neverlost.conformance.cluster.planning import UNKNOWN, plan_of
from neverlost.conformance.cluster.steps import controller, faults, isr
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Limits
from neverlost.explorer.traces.trace import replay
from neverlost.explorer.ways import Ways, WaysToViolation
from neverlost.model.core import Model, Step
from neverlost.spec import profiles

LOSS = "acked_never_lost"
SMALL = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 3}
SAFE = {"acks": 2, "min_isr": 2, "unclean": 0}


def model_of(name: str, **chosen: int) -> Model:
    return profiles()[name].bounded(**{**SAFE, **chosen})


def tried(model: Model) -> tuple[int | None, list[tuple[str, int | None]]]:
    found = find_run(model, LOSS)
    if found.trace is not None:
        plan_of(found.trace.model, found.trace.steps)
        replay(found.trace)
    length = None if found.trace is None else len(found.trace.steps)
    return length, [(one.profile, one.length) for one in found.tried]


def test_a_shortest_run_that_can_be_scheduled_is_taken_at_once() -> None:
    assert tried(model_of("kafka-0.9", crashes=2)) == (11, [])


def test_the_next_run_is_one_of_what_brokers_were_seen_to_do() -> None:
    assert tried(model_of("kafka-2.8.0", leader_moves=3)) == (11, [("kafka-2.8.0", 10)])


def test_then_all_runs_are_searched_that_are_a_little_longer() -> None:
    seen = "seen/kafka-2.1"
    assert tried(model_of("kafka-2.1", power_losses=1)) == (13, [("kafka-2.1", 11), (seen, 11), (seen, 11), (seen, 12)])


def test_where_the_loss_is_gone_nothing_is_found_and_it_is_said() -> None:
    found = find_run(model_of("kafka-1.1", crashes=1, leader_moves=1), LOSS)
    assert found.trace is None
    assert found.gone
    assert [(one.profile, one.length) for one in found.tried] == [("kafka-1.1", 11), ("seen/kafka-1.1", None)]
    assert controller.UNMOVED in found.tried[0].why
    assert str(found.tried[1]) == "seen/kafka-1.1, no run: there is none within these bounds"


def test_where_the_version_has_no_loss_nothing_else_is_tried() -> None:
    assert tried(model_of("kafka-2.1", **SMALL, crashes=1)) == (None, [("kafka-2.1", None)])


def runs(model: Model, ways: Ways, number: int, left: int) -> Iterator[list[Step]]:
    """Every run from a state to a violation, of at most so many steps."""
    for step, target, far in ways.onwards.get(number, ()):
        if far < left:
            if far == 0:
                yield [model.steps[step]]
            yield from ([model.steps[step], *more] for more in runs(model, ways, target, left - 1))


def can_be(model: Model, steps: list[Step]) -> bool:
    try:
        plan_of(model, steps)
    except CannotSchedule:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "chosen", "most"),
    [
        pytest.param("seen/kafka-0.9", {**SMALL, "crashes": 1, "leader_moves": 1}, 10, marks=pytest.mark.thorough),
        ("kafka-2.1", {"power_losses": 1}, 11),
        ("kafka-3.6", {**SMALL, "replicas": 2, "min_isr": 1, "power_losses": 1}, 9),
    ],
)
def test_a_run_is_found_exactly_where_one_of_all_runs_can_be_scheduled(
    name: str, chosen: dict[str, int], most: int
) -> None:
    """Each run is planned by itself here, as a whole."""
    model = model_of(name, **chosen)
    searched = WaysToViolation(model, model.profile.property_named(LOSS), most_states=1_000_000)
    several = 0
    while searched.length < most:
        searched.deepen()
        ways = searched.ways()
        if ways is None:
            continue
        all_runs = list(runs(model, ways, ways.start, ways.length))
        several = max(several, len(all_runs))
        possible = any(can_be(model, steps) for steps in all_runs)
        found = next(iter(Schedulable(model, LOSS, ways)), None)
        assert (found is not None) == possible
        assert found is None or can_be(model, list(found.steps))
    assert several > 0


def test_a_step_that_this_harness_does_not_perform_is_refused_before_the_run() -> None:
    model = profiles()["kafka-4.1"].bounded(delays=1)
    late = next(step for step in model.steps if step.action.name == "append_first")
    with pytest.raises(CannotSchedule) as caught:
        plan_of(model, [late])
    assert caught.value.why == UNKNOWN


def test_a_search_that_ends_too_early_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_run(model_of("kafka-2.1", power_losses=1), LOSS, limits=Limits(states=100))
    assert [str(one) for one in found.tried] == ["kafka-2.1, no run: the search ended undecided"]
    assert not found.gone
    monkeypatch.setattr(finding, "MOST_STATES", 1000)
    found = find_run(model_of("kafka-2.1", power_losses=1), LOSS)
    assert found.trace is None
    assert "not searched, as there are more than 1,000 states" in str(found.tried[-1])


def test_too_many_places_are_no_reason_to_say_that_no_run_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "MOST_PLACES", 3)
    found = find_run(model_of("kafka-2.1", power_losses=1), LOSS)
    assert found.trace is None
    assert all("none of those that were tried can be scheduled" in str(one) for one in found.tried[2:])


def test_reasons_are_named_and_an_interrupt_ends_the_search() -> None:
    found = find_run(model_of("kafka-2.1", power_losses=1), LOSS)
    assert isr.DROPS in found.tried[-1].why
    gone = find_run(model_of("kafka-3.3", power_losses=1), LOSS)
    assert faults.UNFENCED in gone.tried[0].why
    with pytest.raises(KeyboardInterrupt):
        find_run(model_of("kafka-2.1", power_losses=1), LOSS, watch=Watch(interrupted=lambda: True))
