"""What follows from a member's state: each run ends with the second of two steps of the member, as another computation finds them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from neverlost.conformance.mutants.derived import CHANGES
from neverlost.conformance.mutants.ground import KillingRun, Sight
from neverlost.conformance.mutants.killing import kill
from neverlost.conformance.mutants.mutant import DERIVED
from neverlost.model.core import Step
from neverlost.spec import profiles
from neverlost.spec.derived_state import Derived, Made
from neverlost.spec.families import family_of
from neverlost.spec.mutant_configurations import Configuration

PROFILE = profiles()["kafka-3.5"]
BOUNDS = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 3}
SETTINGS = {"acks": 2, "min_isr": 1, "unclean": 0, "idempotence": 1, "retries": 1, "crashes": 2}
KINDS: Mapping[str, Derived] = {derived.name: derived for derived in family_of(PROFILE).derived()}


@pytest.fixture(scope="module")
def runs() -> dict[str, KillingRun]:
    sight = Sight(fields=[field.name for field in PROFILE.state.fields], attempts=())
    chosen = [Configuration(BOUNDS, SETTINGS)]
    return dict(kill(PROFILE, (), chosen, sight, derived=tuple(KINDS.values()), most_states=2_000).runs)


def states_along(run: KillingRun) -> list[dict[str, Any]]:
    model = run.model
    words = [model.initial_states()[0]]
    for step in run.steps:
        words.append(model.apply(words[-1], step))
    return [model.state(one).values() for one in words]


def makes(derived: Derived, member: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Is what follows from the fields of a member made by a step between these states?"""
    lived, lives = (values[derived.runs][member] for values in (before, after))
    if derived.made is Made.CHANGED:
        return any(before[name][member] != after[name][member] for name in derived.fields)
    return bool(lives > lived if derived.made is Made.STARTED else lived > lives)


def named(run: KillingRun) -> tuple[Derived, str, str, str, list[str]]:
    """What the name of a mistake says."""
    kind, _, rest = run.mutant.name.partition(".")
    assert kind == run.mutant.kind == DERIVED
    first, derived, _, second, effects = rest.split(":")
    action, _, part = second.partition("[")
    return KINDS[derived], first, action, part.rstrip("]"), effects.split(",")


def test_each_run_ends_with_the_next_step_that_depends_on_what_the_first_has_made(runs: dict[str, KillingRun]) -> None:
    assert {named(run)[0].made for run in runs.values()} == set(Made)
    for run in runs.values():
        derived, first, second, part, effects = named(run)
        states, last = states_along(run), run.steps[-1]
        member = last.picks()[part]
        made = [
            number for number in range(len(run.steps) - 1) if makes(derived, member, states[number], states[number + 1])
        ]
        assert (run.steps[made[-1]].action.name, last.action.name) == (first, second)
        assert effects[0] == moved(derived, member, states[made[-1]], states[made[-1] + 1])
        assert effects[1 : 1 + len(members_of(derived, last))] == [
            moved(derived, one, states[-2], states[-1]) for one in members_of(derived, last)
        ]


def members_of(derived: Derived, step: Step) -> list[int]:
    return [
        value
        for (_, index), value in zip(step.action.parameters, step.arguments, strict=True)
        if index is derived.member
    ]


def moved(derived: Derived, member: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    was, now = (values[derived.fields[0]][member] for values in (before, after))
    return CHANGES[(now > was) - (now < was)]


def test_a_record_is_recognised_after_a_start_and_by_a_follower_that_leads_now(runs: dict[str, KillingRun]) -> None:
    recognised = {
        (first, derived.name)
        for derived, first, second, _, effects in map(named, runs.values())
        if second == "retry" and effects[1] == "same"
    }
    assert {("restart", "log at the start"), ("fetch", "log")} <= recognised


def test_a_checkpoint_is_written_that_is_lower_than_the_one_before(runs: dict[str, KillingRun]) -> None:
    lower = [run for run in runs.values() if named(run)[0].made is Made.ENDED and run.mutant.name.endswith("less")]
    assert lower
    for run in lower:
        states = states_along(run)
        member = run.steps[-1].picks()["replica"]
        ends = [n for n, (one, other) in enumerate(pairwise(states)) if one["up"][member] > other["up"][member]]
        earlier, latest = (states[number + 1]["high_watermark"][member] for number in ends[-2:])
        assert earlier > latest
