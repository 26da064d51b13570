"""Systems that do steps by themselves: every state of the model that fits is kept, and one that fits none is a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from neverlost.conformance.adapter import CannotSchedule, Partial, PlanningAdapter
from neverlost.conformance.judging import judged_run
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.cases import SuiteCase
from neverlost.conformance.suite.run import conform
from neverlost.model.core import Model, State, Step
from neverlost.spec import profiles

SEEN = ("up", "log_end", "high_watermark", "delivery")


def kafka() -> Model:
    return profiles()["kafka-4.1"].bounded(replicas=2, log_size=1, values=1, leader_epochs=2, min_isr=1, acks=2)


def steps(model: Model, *texts: str) -> list[Step]:
    return [model.parse_step(text) for text in texts]


PRODUCE = "produce(leader=r1, value=0, response=delivered)"
FETCH = "fetch(follower=r2, leader=r1, response=delivered)"


class Restless(InProcessAdapter):
    """In-process brokers whose followers fetch by themselves after each step, as often as `eager` says."""

    settle_seconds = 0.0

    def __init__(self, model: Model, *, eager: int = 1, hidden: tuple[str, ...] = ("fetch",)) -> None:
        super().__init__(model)
        self.eager, self.hidden, self.ended = eager, hidden, False
        self.capabilities = replace(self.capabilities, fields=SEEN)

    def prepare(self, run: Sequence[Step]) -> None:
        for number, step in enumerate(run, start=1):
            if step.action.name == "crash":
                raise CannotSchedule(number, step.show(self.model.bounds), "nobody pulls the plug here")

    def perform(self, step: Step) -> None:
        super().perform(step)
        for _ in range(self.eager):
            super().perform(self.model.parse_step(FETCH))

    def happens_by_itself(self, step: Step, state: State) -> bool:
        return True

    def observe(self) -> Partial:
        return {name: value for name, value in super().observe().items() if name in SEEN}

    def finish(self) -> object:
        self.ended = True
        return None


class InProcess(Restless):
    """In-process brokers that do nothing by themselves."""

    def perform(self, step: Step) -> None:
        InProcessAdapter.perform(self, step)


def test_the_adapter_of_these_tests_is_one_that_plans() -> None:
    assert isinstance(Restless(kafka()), PlanningAdapter)
    assert not isinstance(InProcessAdapter(kafka()), PlanningAdapter)


def test_a_step_that_the_system_did_by_itself_is_found_and_the_run_goes_on() -> None:
    model = kafka()
    produced, fetched = judged_run(model, steps(model, PRODUCE, FETCH), Restless(model))
    assert [step.show(model.bounds) for step in produced.hidden] == [FETCH]
    assert produced.as_the_model
    assert not produced.as_the_run
    assert fetched.as_the_model


def test_what_no_state_of_the_model_fits_is_a_difference_at_that_step() -> None:
    model = kafka()
    (produced, *_) = judged_run(model, steps(model, PRODUCE, FETCH), Restless(model, hidden=()))
    assert not produced.as_the_model
    assert "log_end[r2]" in {difference.place for difference in produced.differences}


class Deaf(Restless):
    """In-process brokers that do nothing at all when they are asked to fetch."""

    def perform(self, step: Step) -> None:
        if step.action.name != "fetch":
            InProcessAdapter.perform(self, step)


def test_a_step_that_never_happened_is_a_difference_also_if_its_action_may_be_hidden() -> None:
    model = kafka()
    produced, fetched = judged_run(model, steps(model, PRODUCE, FETCH), Deaf(model))
    assert produced.as_the_run
    assert not fetched.as_the_model
    assert "log_end[r2]" in {difference.place for difference in fetched.differences}


def test_a_step_that_the_system_did_by_itself_counts_for_one_step_of_the_run() -> None:
    model = kafka()

    class Once(Restless):
        def perform(self, step: Step) -> None:
            """The follower fetches by itself after the value was appended, and never again."""
            if step.action.name != "fetch":
                super().perform(step)

    first, second, third = judged_run(model, steps(model, PRODUCE, FETCH, FETCH), Once(model))
    assert (first.as_the_run, second.as_the_run) == (False, True)
    assert second.hidden == ()
    assert not third.as_the_model


def test_a_run_ends_where_its_next_step_may_not_happen_on_the_way_that_the_system_took() -> None:
    model = profiles()["kafka-4.1"].bounded(
        replicas=2, log_size=1, values=1, leader_epochs=2, min_isr=1, acks=2, retries=1
    )
    run = steps(model, PRODUCE, "time_out(value=0)")
    (acknowledged,) = judged_run(model, run, Restless(model, eager=2), as_far_as_possible=True)
    assert acknowledged.as_the_model
    assert len(acknowledged.hidden) == 2
    assert [step.as_the_model for step in judged_run(model, run, Restless(model, eager=2))] == [True, False]
    assert len(judged_run(model, run, InProcess(model), as_far_as_possible=True)) == 2


def test_only_steps_of_hidden_actions_explain_what_the_system_did_by_itself() -> None:
    model = kafka()
    (produced,) = judged_run(model, steps(model, PRODUCE), Restless(model, eager=2))
    assert produced.as_the_model
    (unexplained,) = judged_run(model, steps(model, PRODUCE), Restless(model, eager=2, hidden=("expand_isr",)))
    assert not unexplained.as_the_model


def test_the_system_may_do_by_itself_what_no_run_has_if_its_own_model_has_the_step() -> None:
    model = kafka()
    profile = model.profile.replacing("no-fetches", "Nobody fetches.", fetch=None, on_request=())
    smaller = profile.bounded(**model.bounds, **model.settings)
    (produced,) = judged_run(smaller, steps(smaller, PRODUCE), Restless(model))
    assert [step.show(model.bounds) for step in produced.hidden] == [FETCH]
    assert produced.as_the_model


def test_a_suite_counts_what_cannot_be_scheduled_and_judges_the_rest() -> None:
    model = profiles()["kafka-4.1"].bounded(
        replicas=2, log_size=1, values=1, leader_epochs=2, min_isr=1, acks=2, crashes=1
    )
    cases = [
        SuiteCase(name="fetches", steps=tuple(steps(model, PRODUCE, FETCH)), adds=0),
        SuiteCase(name="crashes", steps=tuple(steps(model, "crash(replica=r2, checkpoint=0)")), adds=0),
    ]
    outcome = conform(model, cases, Restless, until="all")
    assert (outcome.cases, outcome.failures) == (1, ())
    assert outcome.not_scheduled == {"crashes": "nobody pulls the plug here"}


def test_a_run_that_cannot_be_scheduled_is_refused_before_its_first_step() -> None:
    model = profiles()["kafka-4.1"].bounded(
        replicas=2, log_size=1, values=1, leader_epochs=2, min_isr=1, acks=2, crashes=1
    )
    with pytest.raises(CannotSchedule, match=r"step 2, crash\(replica=r2, checkpoint=0\), cannot be scheduled"):
        judged_run(model, steps(model, PRODUCE, "crash(replica=r2, checkpoint=0)"), Restless(model))
