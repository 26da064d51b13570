"""What steps must leave as it is: each run shows it by the interpreter, no run is shorter, and one run may show much."""

from __future__ import annotations

from collections import deque

import pytest

from neverlost.conformance.mutants.ground import KillingRun, Sight
from neverlost.conformance.mutants.kept import Kept, kept_by
from neverlost.conformance.mutants.killing import kill
from neverlost.conformance.mutants.mutation import mutants_of
from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import Model, Packed, Step
from neverlost.spec import profiles
from neverlost.spec.mutant_configurations import Configuration

KIP_320 = profiles()["published/kip-320"]
BOUNDS = {**KIP_320.default_bounds, "replicas": 2, "log_size": 1, "records": 1, "leader_epochs": 2}
FIELDS = [field.name for field in KIP_320.state.fields]
KEPT = kept_by(KIP_320, FIELDS)


def shows(model: Model, kept: Kept, before: Packed, step: Step, after: Packed) -> bool:
    """Does a step leave the field where its parameter says as it was, and other than at the start?"""
    if step.action.name != kept.action.name:
        return False
    member = step.arguments[kept.parameter]
    start, left, right = (model.state(words).values() for words in (model.initial_states()[0], before, after))
    name = kept.field.name
    if not left[name][member] == right[name][member] != start[name][member]:
        return False
    return kept.leader is None or (left[kept.leader.name][member] == member) == kept.leads


def nearest(model: Model) -> dict[str, int]:
    """After how many steps each can first be shown, by a search with the interpreter."""
    start = model.initial_states()[0]
    depths, waiting, found = {start: 0}, deque([start]), dict[str, int]()
    while waiting:
        words = waiting.popleft()
        for number, after in model.successors(words):
            for kept in KEPT:
                if kept.mutant.name not in found and shows(model, kept, words, model.steps[number], after):
                    found[kept.mutant.name] = depths[words] + 1
            if after not in depths:
                depths[after] = depths[words] + 1
                waiting.append(after)
    return found


@pytest.fixture(scope="module")
def runs() -> dict[str, KillingRun]:
    sight = Sight(fields=FIELDS, attempts=())
    return dict(kill(KIP_320, mutants_of(KIP_320)[:5], [Configuration(BOUNDS, {})], sight, kept=KEPT).runs)


def test_every_run_shows_it_by_its_last_step(runs: dict[str, KillingRun]) -> None:
    by_name = {kept.mutant.name: kept for kept in KEPT}
    found = {name: run for name, run in runs.items() if name in by_name}
    assert found
    for name, run in found.items():
        states = trace_along(run.model, run.steps).states
        assert shows(run.model, by_name[name], states[-2], run.steps[-1], states[-1]), name


def test_what_can_be_shown_is_shown_and_never_sooner_than_it_can(runs: dict[str, KillingRun]) -> None:
    possible = nearest(KIP_320.bounded(**BOUNDS))
    found = {name: len(run.steps) for name, run in runs.items() if name.startswith("kept.")}
    assert set(found) == set(possible)
    assert all(found[name] >= steps for name, steps in possible.items())


def test_one_run_shows_much(runs: dict[str, KillingRun]) -> None:
    """A run that another begins with needs no case of its own."""
    steps = [run.steps for name, run in runs.items() if name.startswith("kept.")]
    whole = {one for one in steps if not any(other[: len(one)] == one for other in steps if other != one)}
    assert len(whole) < len(steps) / 2


def test_leaders_and_followers_have_their_own_mistakes_where_replicas_say_whom_they_follow() -> None:
    names = {kept.mutant.name for kept in kept_by(profiles()["kafka-4.1"], ["high_watermark", "delivery"])}
    assert "kept.shut_down:high_watermark[replica]:leader" in names
    assert "kept.shut_down:high_watermark[replica]:no-leader" in names
    assert "kept.produce:delivery[value]" in names
    assert not any("commit_offset" in name for name in names)
