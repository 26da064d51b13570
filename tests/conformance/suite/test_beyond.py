"""Random walks from the ends of cases: they start there, find what no case shows, and say what was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from mutants.history_mutants import HISTORY
from mutants.inprocess_mutation import planted

from neverlost.conformance.adapter import Adapter
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.cases import Mistake, SuiteCase
from neverlost.conformance.suite.run import SuiteOutcome, conform, go_beyond
from neverlost.explorer.process.watch import Watch
from neverlost.model.core import Model, Step
from neverlost.spec import profiles

MODEL = profiles()["kafka-4.1"].bounded(
    replicas=2, log_size=1, values=1, leader_epochs=4, acks=1, min_isr=1, unclean=0, crashes=1
)
DONE = SuiteOutcome(cases=1, steps=0, attempts=0, failures=(), complete=True)
AGAIN = next(mutant for mutant in HISTORY if mutant.name.startswith("KAFKA-15221"))


def case(*texts: str) -> SuiteCase:
    return SuiteCase(name="back", steps=tuple(MODEL.parse_step(text) for text in texts), adds=1)


RESTARTED = case(
    "produce(leader=r1, value=0, response=delivered)",
    "fetch(follower=r2, leader=r1, response=delivered)",
    "crash(replica=r2, checkpoint=0)",
    "fence_follower(replica=r2)",
    "restart(replica=r2)",
    "become_follower(replica=r2, leader=r1, epoch=0)",
)


def beyond(make: Callable[[Model], Adapter] = InProcessAdapter, *, seed: int = 1, steps: int = 400) -> SuiteOutcome:
    return go_beyond(DONE, MODEL, [RESTARTED], make, seed=seed, steps=steps)


def test_right_brokers_do_as_many_random_steps_as_asked() -> None:
    outcome = beyond()
    assert not outcome.failures
    assert outcome.complete
    assert 350 < outcome.random_steps <= 400
    assert outcome.walks >= 400 / 20


def test_every_walk_begins_with_a_case() -> None:
    begun: list[list[Step]] = []

    class Recorded(InProcessAdapter):
        def __init__(self, model: Model) -> None:
            super().__init__(model)
            begun.append([])

        def perform(self, step: Step) -> None:
            begun[-1].append(step)
            super().perform(step)

    outcome = beyond(Recorded)
    assert len(begun) == outcome.walks
    assert all(tuple(steps[: len(RESTARTED.steps)]) == RESTARTED.steps for steps in begun)
    assert len({tuple(steps) for steps in begun}) > outcome.walks / 2


def test_a_mistake_that_the_case_does_not_show_is_found_from_its_end() -> None:
    with planted(AGAIN):
        assert not conform(MODEL, [RESTARTED], InProcessAdapter).failures
        outcome = beyond()
    (failure,) = outcome.failures
    assert failure.case.name == "back, and on at random"
    assert failure.divergence is not None
    assert failure.divergence.trace.steps[: len(RESTARTED.steps)] == RESTARTED.steps


def test_the_same_seed_takes_the_same_steps() -> None:
    with planted(AGAIN):
        one, same, other = beyond(seed=3), beyond(seed=3), beyond(seed=4)
    assert one.random_steps == same.random_steps
    assert one.failures[0].divergence == same.failures[0].divergence != other.failures[0].divergence


def test_an_interrupt_ends_the_walks_undecided() -> None:
    outcome = go_beyond(
        DONE, MODEL, [RESTARTED], InProcessAdapter, seed=1, steps=100, watch=Watch(interrupted=lambda: True)
    )
    assert not outcome.complete
    assert not outcome.walks


@pytest.mark.parametrize("has_mistakes", [False, True])
def test_a_case_with_mistakes_is_run_again_with_refused_steps_after_every_step(has_mistakes: bool) -> None:
    """The first time they are tried only where the case says, as a message that comes again can fix what was wrong."""
    tried: list[int] = []

    class Watched(InProcessAdapter):
        def __init__(self, model: Model) -> None:
            super().__init__(model)
            tried.append(0)

        def attempt(self, step: Step) -> bool:
            tried[-1] += 1
            return super().attempt(step)

    mistakes = (Mistake(after=6, rules="R-META-1", about="a mistake"),) if has_mistakes else ()
    conform(MODEL, [replace(RESTARTED, mistakes=mistakes, attempts_after=(6,))], Watched)
    assert len(tried) == (2 if has_mistakes else 1)
    assert tried[-1] > tried[0] if has_mistakes else tried[0] > 0
