"""The in-process groups do what the model of their version says, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, settings

from neverlost.conformance import state_machine
from neverlost.conformance.adapter import AdapterError
from neverlost.conformance.divergence import drive
from neverlost.conformance.groups.adapter import GroupsAdapter
from neverlost.conformance.groups.settings import release_of
from neverlost.conformance.inprocess.groups.release import RELEASES, Release
from neverlost.conformance.random_walk import Walked, walk
from neverlost.conformance.suite.from_mutants import kills_of, suite_from
from neverlost.conformance.suite.run import conform
from neverlost.model.core import Model
from neverlost.spec import profiles
from neverlost.spec.kafka.groups import Groups
from neverlost.spec.recorded_search import RecordedSearch

NOT_OF_THE_MODEL = ("name", "knows_every_epoch", "raises_epoch_while_revoking", "assigns_when_joining")
"""What the twin has of a release and the model has not."""
Chosen = Mapping[str, int | str | bool]

ENDINGS: Chosen = {"joins": 1, "leaves": 1, "crashes": 1, "timeouts": 1, "failures": 1}
LOSSES: Chosen = {"leaves": 1, "timeouts": 1, "coordinator_moves": 1, "rollbacks": 1, "expiries": 1, "idle_times": 1}
WORLD: Chosen = {"leaves": 1, "partition_adds": 1, "truncations": 1, "delays": 1}
FORGOTTEN: Chosen = {"members": 3, "leaves": 1, "timeouts": 1, "coordinator_moves": 2}
UNANSWERED: Chosen = {"leaves": 1, "timeouts": 1, "commit_failures": 2, "coordinator_moves": 2, "expiries": 1}
RETENTION: Chosen = {"reset": "latest", "leaves": 1, "removals": 1, "expiries": 1, "partition_adds": 1}

WALKS: list[tuple[str, Chosen]] = [
    ("4.3.1", {"commit": "sync", **ENDINGS}),
    ("4.3.1", {"protocol": "cooperative", "commit": "auto", **ENDINGS}),
    ("4.3.1", {"protocol": "consumer", "commit": "sync", **ENDINGS}),
    ("4.2.0", {"protocol": "consumer", "commit": "auto", **LOSSES}),
    ("4.2.2", {"protocol": "consumer", "commit": "async", "commit_failures": 1, "retries_async": True, **WORLD}),
    ("3.2.0", {"commit": "auto", **ENDINGS}),
    ("2.8.1", {"protocol": "cooperative", "commit": "async", "members": 3, **LOSSES}),
    ("2.4", {"protocol": "cooperative", "commit": "before", **WORLD}),
    ("2.3", {"commit": "auto-threads", **RETENTION}),
    ("4.3.1", {"commit": "before", **UNANSWERED}),
    ("3.7", {"protocol": "consumer", "commit": "auto", **UNANSWERED}),
    ("3.4.1", {"commit": "sync", **UNANSWERED}),
    ("2.1", {"commit": "async", "retries_async": True, **UNANSWERED}),
    ("0.11.0.0", {"commit": "sync", **LOSSES}),
    ("3.2.3", {"commit": "async", "retries_async": True, **FORGOTTEN}),
    ("4.0", {"protocol": "cooperative", "commit": "auto", **FORGOTTEN}),
    ("4.2.0", {"protocol": "consumer", "commit": "sync", "heartbeat_failures": 1, **FORGOTTEN}),
    ("3.8", {"protocol": "consumer", "commit": "sync", "heartbeat_failures": 2, "leaves": 1, "joins": 1}),
    ("3.9", {"protocol": "consumer", "commit": "sync", "reset": "latest", "joins": 1, "leaves": 2, "partitions": 3}),
    ("4.0", {"protocol": "consumer", "commit": "auto", "commit_failures": 2, "delays": 1, "joins": 1, "leaves": 1}),
    ("4.3.1", {"protocol": "consumer", "commit": "sync", "commits_on_revoke": False, "timeouts": 2, "leaves": 1}),
    ("4.2.0", {"protocol": "consumer", "commit": "before", "timeouts": 2, "crashes": 1}),
    ("0.9.0.0", {"commit": "auto", "delays": 1, "removals": 1, **ENDINGS}),
]


def model_of(version: str, chosen: Chosen) -> Model:
    return profiles()[f"kafka-groups-{version}"].model(**{"generations": 14, "reset": "earliest", **chosen})


def walked(model: Model, steps: int, seed: int = 1) -> Walked:
    return walk(model, lambda: GroupsAdapter(model), seed=seed, steps=steps)


@pytest.mark.parametrize(("version", "chosen"), WALKS, ids=lambda one: one if isinstance(one, str) else "")
def test_random_walks_find_no_difference(version: str, chosen: Chosen, thorough: bool) -> None:
    for seed in range(20 if thorough else 1):
        found = walked(model_of(version, chosen), 1_000 if thorough else 60, seed)
        assert found.divergence is None, found.divergence.report()


@pytest.mark.thorough
def test_walks_do_every_action() -> None:
    done: Counter[str] = Counter()
    for version, chosen in [*WALKS, ("4.3.1", {"commit": "sync", "passes_failed": True, "failures": 2})]:
        done.update(walked(model_of(version, chosen), 4_000).actions)
    assert set(done) == {action.name for action in profiles()["kafka-groups-4.3.1"].actions}


BUGS = [bug.lost for bug in Groups().bugs() if bug.lost is not None and bug.lost.steps]


@pytest.mark.parametrize("lost", BUGS, ids=lambda lost: lost.label)
def test_every_story_of_the_ledger_happens_here_too(lost: RecordedSearch) -> None:
    model = lost.model()
    assert drive(GroupsAdapter(model), model, [model.parse_step(step) for step in lost.steps]) is None


@pytest.mark.thorough
def test_a_suite_from_mutants_is_passed_and_refuses_another_release() -> None:
    given = {"partitions": 1, "records": 1, "generations": 6, "protocol": 2, "commit": 3, "reset": 0, "timeouts": 1}
    profile = profiles()["kafka-groups-4.3.1"]
    made = suite_from(profile, kills_of(profile, GroupsAdapter, given))
    outcome = conform(made.model, made.cases, GroupsAdapter, until="all")
    assert (outcome.failures, outcome.cases) == ((), len(made.cases))
    assert len(made.cases) > 10

    def older(model: Model) -> GroupsAdapter:
        return GroupsAdapter(profile.bounded(**model.bounds, **{**model.settings, "epoch_per_partition": 0}))

    refused = conform(made.model, made.cases, older, until="all")
    shown = [mistake.about for failure in refused.failures for mistake in failure.mistakes]
    assert any("epoch_per_partition" in about for about in shown)


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["0.9.0.0", "0.11.0.0", "2.4", "2.8.1", "3.2.0", "4.0", "4.3.1"])
def test_the_whole_suite_of_a_version_is_passed(version: str) -> None:
    profile = profiles()[f"kafka-groups-{version}"]
    made = suite_from(profile, kills_of(profile, GroupsAdapter, {}))
    outcome = conform(made.model, made.cases, GroupsAdapter, until="all")
    assert (outcome.failures, outcome.cases) == ((), len(made.cases))


def test_a_state_machine_finds_no_difference() -> None:
    model = model_of("4.3.1", {"partitions": 1, "records": 1, "generations": 6, "commit": "sync", "timeouts": 1})
    machine = state_machine(model, GroupsAdapter, guided=False).TestCase
    machine.settings = settings(
        max_examples=5,
        stateful_step_count=15,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    machine("runTest").runTest()


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_is_as_the_version_of_the_model(name: str) -> None:
    own, models = RELEASES[name], release_of(profiles()[name].bounded())
    named = [field.name for field in fields(Release) if field.name not in NOT_OF_THE_MODEL]
    assert {one: getattr(own, one) for one in named} == {one: getattr(models, one) for one in named}
    assert replace(own, **{one: getattr(models, one) for one in NOT_OF_THE_MODEL}) == models


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"truncations": 1, "commit": "auto", "commits_epoch": False}, "an automatic commit has an epoch"),
        ({"truncations": 1, "removals": 1}, "leave out truncations or removals"),
        ({"protocol": "cooperative", "reset": "none"}, "is its member's all the same"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_the_model_has_in_a_simpler_form_is_refused(chosen: Chosen, why: str) -> None:
    with pytest.raises(AdapterError, match=why):
        GroupsAdapter(model_of("4.3.1", chosen))


def test_another_model_is_refused() -> None:
    with pytest.raises(AdapterError, match=r"choose kafka-groups-0\.9\.0\.0"):
        GroupsAdapter(profiles()["kafka-purgatory"].bounded())
