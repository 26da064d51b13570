"""What is said when an implementation leaves the model, and when an adapter is at fault itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neverlost.conformance.adapter import (
    AdapterError,
    Capabilities,
    How,
    NotPerformed,
    Partial,
    StateDifference,
    differences,
)
from neverlost.conformance.divergence import SideBySide, drive
from neverlost.conformance.random_walk import walk
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.explorer.traces.trace import replay
from neverlost.explorer.traces.trace_json import read_trace
from neverlost.model.core import Model, Step
from neverlost.spec import profiles


def model() -> Model:
    return profiles()["kafka-3.5"].bounded(replicas=3, crashes=1)


class Scripted:
    """Does as the in-process brokers, but sees something else after some step, or refuses one."""

    def __init__(self, model: Model, *, wrong: Partial | None = None, after: int = 0, refuses: str = "") -> None:
        self.right = InProcessAdapter(model)
        self.wrong, self.after, self.refuses, self.performed = wrong or {}, after, refuses, 0
        self.capabilities = self.right.capabilities

    def perform(self, step: Step) -> None:
        if step.action.name == self.refuses:
            raise NotPerformed("the broker answers with an error")
        self.performed += 1
        self.right.perform(step)

    def attempt(self, step: Step) -> bool:
        return self.right.attempt(step)

    def observe(self) -> Partial:
        return {**self.right.observe(), **(self.wrong if self.performed >= self.after else {})}


STEPS = ["produce(leader=r1, value=0, response=delivered)", "fetch(follower=r2, leader=r1, response=delivered)"]


def steps(chosen: Model) -> list[Step]:
    return [chosen.parse_step(text) for text in STEPS]


REPORT = """\
kafka-3.5: the implementation differs from the model after step 2, fetch(follower=r2, leader=r1, response=delivered).
Rule R-FETCH-1, R-FETCH-2: The leader learns the follower's log end; the follower gets the next record and the high watermark \
as it was before.
  high_watermark[r1] is 1; the model says 0
  high_watermark[r3] is 2; the model says 0
Steps so far:
   1. produce(leader=r1, value=0, response=delivered)
   2. fetch(follower=r2, leader=r1, response=delivered)
To see them again: neverlost trace walk.json"""


def test_a_report_says_which_step_what_was_expected_and_seen_the_rule_and_the_way_there() -> None:
    chosen = model()
    found = drive(Scripted(chosen, wrong={"high_watermark": [1, 0, 2]}, after=2), chosen, steps(chosen))
    assert found is not None
    assert found.report("walk.json") == REPORT


def test_a_report_on_a_model_of_ones_own_names_its_file_so_that_the_trace_loads() -> None:
    kafka = model()
    own = replace(kafka.profile, name="my model.py:MINE").bounded(**kafka.bounds)
    found = drive(Scripted(own, wrong={"high_watermark": [1, 0, 2]}, after=2), own, steps(own))
    assert found is not None
    last = found.report("walk.json").splitlines()[-1]
    assert last == "To see them again: neverlost trace walk.json --profile 'my model.py:MINE'"


def test_a_step_that_is_not_performed_is_a_divergence_with_its_reason() -> None:
    chosen = model()
    found = drive(Scripted(chosen, refuses="fetch"), chosen, steps(chosen))
    assert found is not None
    assert found.step == steps(chosen)[1]
    assert "It did not do the step: the broker answers with an error" in found.report()


def test_a_difference_at_the_start_names_no_step() -> None:
    chosen = model()
    found = drive(Scripted(chosen, wrong={"newest_epoch": 1}), chosen, steps(chosen))
    assert found is not None
    assert found.step is None
    assert found.report().splitlines()[:2] == [
        "kafka-3.5: the implementation differs from the model in its initial state.",
        "  newest_epoch is 1; the model says 0",
    ]


def test_the_file_of_a_divergence_can_be_replayed(tmp_path: Path) -> None:
    chosen = model()
    found = drive(Scripted(chosen, wrong={"newest_epoch": 1}, after=1), chosen, steps(chosen))
    assert found is not None
    found.write(tmp_path / "walk.json")
    trace = read_trace((tmp_path / "walk.json").read_text(encoding="utf-8"), "walk.json", lambda name: profiles()[name])
    replay(trace)
    assert trace.steps == found.trace.steps


def test_what_cannot_be_seen_is_not_compared() -> None:
    state = model().state(model().initial_states()[0])
    assert differences(state, {"high_watermark": [None, 0, None], "log_end": None}) == []
    assert differences(state, {"high_watermark": [None, 1, None]}) == [
        StateDifference(place="high_watermark[r2]", expected="0", seen="1")
    ]


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        ({"nonsense": 1}, "not a field of the model; its fields are"),
        ({"high_watermark": [0]}, "which is not a list of 3"),
        ({"high_watermark": [0, 0, 0, 0]}, "which is not a list of 3"),
        ({"high_watermark": 0}, "which is not a list of 3"),
        ({"newest_epoch": "one"}, "which is not an integer"),
    ],
)
def test_an_observation_that_no_state_could_have_is_the_adapters_fault(seen: Partial, problem: str) -> None:
    with pytest.raises(AdapterError, match=problem):
        differences(model().state(model().initial_states()[0]), seen)


def test_a_value_outside_its_domain_is_shown_as_it_is() -> None:
    state = model().state(model().initial_states()[0])
    assert differences(state, {"controller_leader": 9}) == [
        StateDifference(place="controller_leader", expected="r1", seen="9")
    ]


def test_an_action_that_the_adapter_does_not_know_is_its_fault() -> None:
    wheel = profiles()["kafka-timing-wheel"].bounded()
    with pytest.raises(AdapterError, match="cannot do insert; it can do answer_fetch"):
        InProcessAdapter(model()).perform(wheel.parse_step("insert()"))


def test_steps_that_the_model_refuses_are_no_trace() -> None:
    chosen = model()
    with pytest.raises(AdapterError, match=r"step 1, .* may not happen in the model"):
        drive(Scripted(chosen), chosen, [chosen.parse_step("learn_isr(leader=r1)")])


def test_a_walk_takes_only_actions_that_the_adapter_can_do() -> None:
    chosen = model()

    class OnlyFetches(Scripted):
        def __init__(self) -> None:
            super().__init__(chosen)
            self.capabilities = Capabilities(actions={"fetch": How.FORCED}, fields=())

    found = walk(chosen, OnlyFetches, seed=1, steps=30, longest=10)
    assert (found.walks, found.steps, dict(found.actions)) == (3, 30, {"fetch": 30})


def test_a_walk_that_cannot_begin_ends() -> None:
    chosen = model()

    class Helpless(Scripted):
        def __init__(self) -> None:
            super().__init__(chosen)
            self.capabilities = Capabilities(actions={}, fields=())

    assert walk(chosen, Helpless, seed=1, steps=30).steps == 0


def test_the_same_seed_is_the_same_walk() -> None:
    chosen = model()
    first, again = (walk(chosen, lambda: InProcessAdapter(chosen), seed=4, steps=200) for _ in range(2))
    assert first == again


def test_a_step_that_changes_nothing_is_only_taken_when_idle_steps_are_wanted() -> None:
    chosen = model()
    run = SideBySide(chosen, InProcessAdapter(chosen))
    idle = chosen.parse_step("fetch(follower=r2, leader=r1, response=delivered)")
    assert not run.advance_model(idle, idle_too=False)
    assert run.advance_model(idle)


REFUSED = "expand_isr(leader=r1, follower=r2)"


def test_an_effect_that_the_model_refuses_is_a_divergence_that_names_the_guard() -> None:
    chosen = model()
    run = SideBySide(chosen, Scripted(chosen, wrong={"newest_epoch": 3}))
    refused = chosen.parse_step(REFUSED)
    assert run.refuses(refused)
    found = run.attempt(refused)
    assert found is not None
    first, rule, difference, *_ = found.report().splitlines()
    assert first.startswith(
        f"kafka-3.5: the implementation differs from the model after step 0: {REFUSED} has an effect,"
    )
    assert first.endswith("require(not contains(s.isr[leader], follower)).")
    assert rule.startswith("Rule R-ISR-2: The leader adds a follower whose")
    assert difference == "  newest_epoch is 3; the model says 0"


def test_what_nobody_would_try_is_not_tried() -> None:
    chosen = model()
    run = SideBySide(chosen, Scripted(chosen, wrong={"newest_epoch": 3}))
    assert run.attempt(chosen.parse_step("fetch(follower=r2, leader=r3, response=delivered)")) is None
