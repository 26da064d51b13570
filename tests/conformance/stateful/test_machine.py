"""State machines: they come to rare situations, tell divergences as tests to keep, and begin with what is known to go wrong."""

from __future__ import annotations

import unittest
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from careless_kafka import CARELESS
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, run_state_machine_as_test
from wrong_brokers import Forgetful, Yielding

from neverlost.conformance import state_machine
from neverlost.conformance.adapter import AdapterError
from neverlost.conformance.exploring import UnfinishedGraphError
from neverlost.conformance.purgatory.adapter import PurgatoryAdapter
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.stateful.machine import Diverged
from neverlost.conformance.suite.cases import Suite, SuiteCase
from neverlost.conformance.suite.files import SuiteError, write_suite
from neverlost.conformance.time_limit import TookTooLongError
from neverlost.explorer.search import Limits
from neverlost.model.core import Model, ModelError, Step, UnknownNameError
from neverlost.model.core.source import defined
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec import profiles

SMALL = profiles()["kafka-3.5"].bounded(replicas=2, log_size=1, values=1, leader_epochs=2, acks=ACKS_ALL)
AT_ALL_TIMES = settings(
    max_examples=100, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


def run(machine: type[RuleBasedStateMachine], how: settings = AT_ALL_TIMES) -> None:
    run_state_machine_as_test(machine, settings=how)


def failure_of(machine: type[RuleBasedStateMachine], *phases: Phase) -> str:
    with pytest.raises(Diverged) as caught:
        run(machine, settings(AT_ALL_TIMES, stateful_step_count=10, phases=[Phase.generate, *phases]))
    return str(caught.value)


@pytest.fixture(scope="module")
def careless() -> Any:
    return state_machine(CARELESS, InProcessAdapter)


@pytest.mark.thorough
def test_a_hundred_examples_come_to_unclean_elections_and_cut_logs(careless: Any) -> None:
    seen: Counter[str] = Counter()

    class Counted(careless):  # type: ignore[misc]
        def take(self, step: Step) -> None:
            before = sum(self.run.state.log_end)
            super().take(step)
            seen[step.action.name] += 1
            seen["cut logs"] += step.action.name == "fetch" and sum(self.run.state.log_end) < before

    run(Counted)
    assert seen["fail_over_unclean"] > 0
    assert seen["cut logs"] > 0
    assert set(seen) - {"cut logs"} == {step.action.name for step in CARELESS.steps} - UNREACHABLE


OF_NO_IN_PROCESS_BROKER = ("clean", "poll_follower", "expose_diverging", "lose_decision", "end_after_loss")
UNREACHABLE = {
    *("power_loss", "disk_loss", "directory_loss", "pause", "unfence", "retry", "time_out", "poll", "process"),
    *("commit_offset", "crash_consumer", "hear_of_isr", "change_controller", "elect_unclean", "poll_too_far"),
    *("lose_leader", "elect", "move_leader", "hand_over", "leave_isr", "shut_down"),
    *("handle_out_of_range", *OF_NO_IN_PROCESS_BROKER),
}
"""The actions that need faults, settings or values that the model does not have, or another version."""


def test_there_is_a_rule_for_each_action_and_an_invariant_for_each_property_that_holds(careless: Any) -> None:
    parts = set(vars(careless))
    names = {action.name for action in CARELESS.profile.actions} - set(OF_NO_IN_PROCESS_BROKER)
    assert {f"do_{name}" for name in names} <= parts
    kept = {name.removeprefix("keeps_") for name in parts if name.startswith("keeps_")}
    assert {"log_matching", "one_leader_per_epoch"} <= kept
    assert not kept & {"acked_never_lost", "committed_never_lost"}


def test_a_divergence_is_shown_as_a_test_that_finds_it_again() -> None:
    report, _, file = failure_of(state_machine(SMALL, Forgetful)).partition("\n\n")
    assert report.startswith("kafka-3.5: the implementation differs from the model after step ")
    with pytest.raises(AssertionError, match=r"high_watermark\[r\d\] is 0; the model says 1"):
        in_the_file(file)()


@pytest.mark.thorough
def test_what_is_found_is_made_smaller() -> None:
    """A high watermark of 1 takes a record, and two fetches of it or four steps by which the ISR shrinks; chance takes ten."""
    file = failure_of(state_machine(SMALL, Forgetful, guided=False), Phase.shrink).partition("\n\n")[2]
    steps = file.partition('STEPS = """\n')[2].partition('\n"""')[0].splitlines()
    assert 3 <= len(steps) <= 5


def test_an_attempt_that_has_an_effect_is_reported_as_such() -> None:
    text = failure_of(state_machine(SMALL, Yielding, guided=False))
    assert "has an effect, which the model refuses by" in text
    assert "attempts_after=(" in text
    with pytest.raises(AssertionError, match="has an effect"):
        in_the_file(text.partition("\n\n")[2])()


def in_the_file(text: str) -> Callable[[], None]:
    """The test that the file has."""
    test: Callable[[], None] = defined(text, "found.py", {})["test_the_implementation_does_what_the_model_says"]
    return test


def outcome_of(machine: Any) -> unittest.TestResult:
    result = unittest.TestResult()
    machine.TestCase.settings = settings(AT_ALL_TIMES, max_examples=1)
    machine.TestCase()(result)
    return result


def test_the_known_counterexamples_come_first(careless: Any) -> None:
    assert outcome_of(careless).wasSuccessful()
    wrong = outcome_of(state_machine(SMALL, Forgetful, guided=False, examples=[known()]))
    (failure,) = [text for _, text in wrong.failures]
    assert "setUp" in failure
    assert "1. produce(leader=r1, value=0, response=delivered)" in failure


def known() -> list[Any]:
    texts = [
        "produce(leader=r1, value=0, response=delivered)",
        *["fetch(follower=r2, leader=r1, response=delivered)"] * 2,
    ]
    return [SMALL.parse_step(text) for text in texts]


def test_a_property_that_is_asked_for_is_an_invariant_even_if_the_model_violates_it() -> None:
    with pytest.raises(Diverged, match=r"kafka-3\.5 violates acked_never_lost"):
        run(
            state_machine(CARELESS, InProcessAdapter, properties=["acked_never_lost"]),
            settings(AT_ALL_TIMES, phases=[Phase.generate]),
        )


def test_any_model_with_an_adapter_will_do() -> None:
    machine = state_machine(profiles()["kafka-purgatory"].bounded(), PurgatoryAdapter)
    assert {"do_arrive", "do_look_at", "do_expire"} <= set(vars(machine))
    run(machine, settings(AT_ALL_TIMES, max_examples=20))


class WithoutCrashes(InProcessAdapter):
    """Cannot stop a broker."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        actions = {name: how for name, how in self.capabilities.actions.items() if name != "crash"}
        self.capabilities = replace(self.capabilities, actions=actions)

    def perform(self, step: Step) -> None:
        if step.action.name == "crash":
            raise AdapterError("cannot crash")
        super().perform(step)


def test_what_the_adapter_cannot_do_is_left_out() -> None:
    machine = state_machine(CARELESS, WithoutCrashes)
    run(machine, settings(AT_ALL_TIMES, max_examples=2))
    assert outcome_of(machine).wasSuccessful()


class Breaking(InProcessAdapter):
    """Breaks down when it should produce."""

    def do_produce(self, leader: int, value: int, response: int) -> None:
        raise ZeroDivisionError("no such thing")


def test_what_the_adapter_raises_is_reported_with_the_steps() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run(
            state_machine(SMALL, Breaking, guided=False),
            settings(AT_ALL_TIMES, stateful_step_count=10, phases=[Phase.generate]),
        )
    assert any("produce(leader=r1, value=0, response=" in note for note in caught.value.__notes__)


def test_rules_of_a_subclass_are_part_of_its_test_case() -> None:
    class Mine(state_machine(SMALL, InProcessAdapter, guided=False)):  # type: ignore[misc]
        @invariant()
        def nothing_is_right(self) -> None:
            raise AssertionError("as was asked for")

    assert "as was asked for" in outcome_of(Mine).failures[0][1]


def test_what_is_asked_for_and_cannot_be_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no_los"):
        state_machine(SMALL, InProcessAdapter, guided=False, properties=["no_los"])
    with pytest.raises(
        ModelError, match="produce_completes is eventually; only a property that is true in every state"
    ):
        state_machine(SMALL, InProcessAdapter, guided=False, properties=["produce_completes"])
    with pytest.raises(UnfinishedGraphError, match="lower bounds"):
        state_machine(CARELESS, InProcessAdapter, limits=Limits(states=100))


class Hanging(InProcessAdapter):
    """Waits for something that does not happen."""

    def perform(self, step: Step) -> None:
        while True:
            pass


class Blind(InProcessAdapter):
    """Sees nothing."""

    def observe(self) -> Any:
        return dict.fromkeys(self.capabilities.fields)


ONCE = settings(AT_ALL_TIMES, max_examples=1, phases=(Phase.generate,), stateful_step_count=3)


def test_a_step_that_takes_too_long_ends_the_test_with_the_steps() -> None:
    machine = state_machine(SMALL, Hanging, guided=False, step_seconds=2.0)
    with pytest.raises(TookTooLongError, match=r"longer than 2(\.0)? s for one step") as caught:
        run(machine, ONCE)
    assert any("drive(" in note for note in caught.value.__notes__)


def test_an_adapter_that_sees_nothing_is_refused() -> None:
    with pytest.raises(AdapterError, match="the adapter saw nothing"):
        run(state_machine(SMALL, Blind, guided=False), ONCE)


def test_a_known_run_that_takes_too_long_ends_the_test() -> None:
    machine = state_machine(SMALL, Hanging, guided=False, examples=[known()], step_seconds=0.05)
    ((_, why),) = outcome_of(machine).errors
    assert "it took longer than 0.2 s for a known run of 3 steps" in why


ENDS = SuiteCase(name="ends", steps=tuple(known()), adds=1)
OTHER = SuiteCase(name="other", steps=tuple(known()[:1]), adds=1, chosen={"crashes": 1})


def written(folder: Path, *cases: SuiteCase) -> Path:
    write_suite(Suite(model=SMALL, cover="mutants", goals=1, covered=1, cases=cases), folder)
    return folder


def test_runs_begin_with_cases_of_a_suite_that_have_the_models_bounds_and_settings(tmp_path: Path) -> None:
    begun: list[list[str]] = []

    class Noted(InProcessAdapter):
        def __init__(self, model: Model) -> None:
            super().__init__(model)
            begun.append([])

        def perform(self, step: Step) -> None:
            begun[-1].append(step.show(SMALL.bounds))
            super().perform(step)

    machine = state_machine(SMALL, Noted, guided=False, suite=written(tmp_path / "suite", ENDS, OTHER))
    run(machine, settings(AT_ALL_TIMES, max_examples=20, stateful_step_count=5))
    steps = [step.show(SMALL.bounds) for step in ENDS.steps]
    with_case = [one for one in begun if one[: len(steps)] == steps]
    assert len(with_case) > 5
    assert any(len(one) > len(steps) for one in with_case)


def test_a_suite_without_a_case_of_the_model_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "suite", OTHER)
    with pytest.raises(SuiteError, match="has no case with the bounds and settings of the model"):
        state_machine(SMALL, InProcessAdapter, guided=False, suite=folder)
    with pytest.raises(SuiteError, match=r"is a suite of kafka-3\.5, not of kafka-0\.8"):
        state_machine(profiles()["kafka-0.8"].bounded(), InProcessAdapter, guided=False, suite=folder)
