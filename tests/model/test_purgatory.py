"""The purgatory's model: what it promises holds and is proven, each of its parts carries weight, and its races are there."""

from __future__ import annotations

from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from sampling import quick_one_in

from neverlost.conformance.mutants.conditions import condition_mutants
from neverlost.conformance.mutants.mutant import GUARD, Mutant
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import ModelError, Profile
from neverlost.spec.kafka.purgatory.properties import PURGATORY

PROMISES = ("exactly_one_response", "no_event_is_missed", "completed_leaves_the_timer", "waiting_has_a_deadline")
TWO_AND_TWO = (2_181, 8_309, 16)
"""Distinct states, generated, and depth with two operations and two keys."""


def size_of(result: Result) -> tuple[int, int, int]:
    return result.distinct, result.generated, result.depth


def search(profile: Profile = PURGATORY, engine: str = "interpreted", **settings: int) -> Result:
    limits = Limits(states=2 * TWO_AND_TWO[0])
    return explore(profile.bounded(**settings), engine=engine, until="all", limits=limits)


def test_both_engines_find_the_same_states_and_no_dead_action() -> None:
    interpreted, compiled = search(), search(engine="compiled")
    assert size_of(interpreted) == size_of(compiled) == TWO_AND_TWO
    assert compiled.digest == interpreted.digest
    assert interpreted.dead_actions == ()


def test_all_that_it_promises_holds_and_every_race_is_witnessed() -> None:
    assert {finding.verdict for finding in search().findings.values()} == {"holds"}


def test_everybody_is_answered_once_the_clock_runs() -> None:
    result = explore(PURGATORY.bounded(), engine="compiled", until="all", properties=("everybody_is_answered",))
    assert result.findings["everybody_is_answered"].verdict == "holds"


@pytest.mark.parametrize("bounds", [{"operations": 2, "keys": 2}, {"operations": 4, "keys": 4}], ids=str)
@pytest.mark.parametrize("promise", PROMISES)
def test_what_it_promises_is_proven_for_any_number_of_steps(promise: str, bounds: dict[str, int]) -> None:
    proof = prove(PURGATORY.bounded(**bounds), promise)
    assert (proof.verdict, proof.unknown) == ("proven", ())


@pytest.mark.parametrize(
    ("setting", "promise", "steps"),
    [("second_try", "no_event_is_missed", 8), ("looks_back", "completed_leaves_the_timer", 9)],
)
def test_without_a_second_try_an_event_is_missed_and_without_looking_back_the_timer_leaks(
    setting: str, promise: str, steps: int
) -> None:
    findings = search(**{setting: False}).findings
    assert [name for name in PROMISES if findings[name].verdict == "violated"] == [promise]
    trace = findings[promise].trace
    assert trace is not None
    assert len(trace.steps) == steps


GUARDS = {mutant: profile for mutant, profile in condition_mutants(PURGATORY).items() if mutant.kind == GUARD}


@pytest.mark.parametrize("guard", quick_one_in(2, [*GUARDS], lambda guard: guard.label))
def test_without_one_of_its_guards_it_is_another_model(guard: Mutant) -> None:
    try:
        result = search(GUARDS[guard])
    except ModelError:
        return
    violated = {found for found in PROMISES if result.findings[found].verdict == "violated"}
    assert size_of(result) != TWO_AND_TWO or violated


def test_every_lemma_is_true_in_every_state_of_a_search(tmp_path: Path) -> None:
    result = explore(deciding_lemmas(PURGATORY, tmp_path).bounded(), engine="interpreted", until="all")
    assert {name: found.verdict for name, found in result.findings.items() if found.verdict != "holds"} == {}
    assert sum(name.startswith(PREFIX) for name in result.findings) == len(PURGATORY.lemmas)
