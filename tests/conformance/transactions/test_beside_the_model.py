"""The in-process transactions do what the model of their version says, step by step."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, settings

from neverlost.conformance import state_machine
from neverlost.conformance.adapter import AdapterError
from neverlost.conformance.divergence import drive
from neverlost.conformance.inprocess.transactions.release import RELEASES, Release
from neverlost.conformance.random_walk import Walked, walk
from neverlost.conformance.suite.from_mutants import kills_of, suite_from
from neverlost.conformance.suite.run import conform
from neverlost.conformance.transactions.adapter import TransactionsAdapter
from neverlost.conformance.transactions.settings import release_of
from neverlost.model.core import Model
from neverlost.spec import profiles
from neverlost.spec.kafka.transactions import KafkaTransactions
from neverlost.spec.recorded_search import RecordedSearch

EVERYTHING = {
    "delays": 2,
    "late_markers": 1,
    "timeouts": 1,
    "coordinator_moves": 2,
    "expirations": 1,
    "partial_loads": 1,
}
LOSSES = {"delays": 1, "late_markers": 1, "lost_markers": 1, "early_reads": 1}
NOT_OF_THE_MODEL = ("name", "asks_by_epoch", "compares_sequences_that_ask", "takes_any_first_sequence")
"""What the twin has of a release and the model has not."""


def model_of(version: str, **chosen: int | str | bool) -> Model:
    return profiles()[f"kafka-transactions-{version}"].model(epochs=14, **chosen)


def walked(model: Model, steps: int, seed: int = 1) -> Walked:
    return walk(model, lambda: TransactionsAdapter(model), seed=seed, steps=steps)


@pytest.mark.parametrize("version", ["0.11.0.0", "0.11", "2.5", "3.6", "4.0.0", "4.0", "4.2"])
@pytest.mark.parametrize("faults", [EVERYTHING, LOSSES], ids=["everything", "losses"])
def test_random_walks_find_no_difference(version: str, faults: dict[str, int], thorough: bool) -> None:
    for seed in range(20 if thorough else 1):
        found = walked(model_of(version, **faults), 1_000 if thorough else 120, seed)
        assert found.divergence is None, found.divergence.report()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "chosen",
    [
        {"client": "tv0"},
        {"server": "tv0"},
        {"mixed_brokers": True},
        {"marker_check": "newer"},
        {"verification": False},
        {"unanswered": "new-epoch", "client": "tv0"},
        {"unanswered": "closes"},
        {"producers": 1, "transactions": 3, "partitions": 1},
    ],
    ids=str,
)
def test_random_walks_find_no_difference_under_other_settings(chosen: dict[str, int | str | bool]) -> None:
    found = walked(model_of("4.2", **EVERYTHING, **chosen), 10_000)
    assert found.divergence is None, found.divergence.report()


@pytest.mark.thorough
def test_walks_do_every_action() -> None:
    done: Counter[str] = Counter()
    for version, faults in (("3.6", EVERYTHING), ("3.6", LOSSES), ("2.4", LOSSES)):
        done.update(walked(model_of(version, **faults), 20_000).actions)
    assert set(done) == {action.name for action in profiles()["kafka-transactions-3.6"].actions}


LOST = [bug.lost for bug in KafkaTransactions().bugs() if bug.lost is not None]


@pytest.mark.parametrize("lost", LOST, ids=lambda lost: lost.label)
def test_every_loss_of_the_ledger_happens_here_too(lost: RecordedSearch) -> None:
    model = lost.model()
    assert lost.steps
    assert drive(TransactionsAdapter(model), model, [model.parse_step(step) for step in lost.steps]) is None


@pytest.mark.thorough
def test_a_suite_from_mutants_is_passed_and_refuses_another_release() -> None:
    given = {"partitions": 1, "late_markers": 1, "epochs": 6}
    profile = profiles()["kafka-transactions-4.2"]
    made = suite_from(profile, kills_of(profile, TransactionsAdapter, given))
    outcome = conform(made.model, made.cases, TransactionsAdapter, until="all")
    assert (outcome.failures, outcome.cases) == ((), len(made.cases))
    assert len(made.cases) > 10

    def older(model: Model) -> TransactionsAdapter:
        before = {
            **model.settings,
            "marker_check": profiles()["kafka-transactions-4.0"].default_settings["marker_check"],
        }
        return TransactionsAdapter(profile.bounded(**model.bounds, **before))

    refused = conform(made.model, made.cases, older, until="all")
    shown = [mistake.about for failure in refused.failures for mistake in failure.mistakes]
    assert any(about.startswith("marker_check=not-older") for about in shown)


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["0.11.0.0", "0.11", "2.5", "3.6", "4.0.0", "4.0", "4.2"])
def test_the_whole_suite_of_a_version_is_passed(version: str) -> None:
    profile = profiles()[f"kafka-transactions-{version}"]
    made = suite_from(profile, kills_of(profile, TransactionsAdapter, {}))
    outcome = conform(made.model, made.cases, TransactionsAdapter, until="all")
    assert (outcome.failures, outcome.cases) == ((), len(made.cases))


def test_a_state_machine_finds_no_difference() -> None:
    model = profiles()["kafka-transactions-4.2"].model(partitions=1, epochs=6, delays=1, late_markers=1)
    machine = state_machine(model, TransactionsAdapter, guided=False).TestCase
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
    if own.transaction_version < 2:
        models = replace(models, client_version=own.client_version)
    assert {one: getattr(own, one) for one in named} == {one: getattr(models, one) for one in named}


def test_another_model_is_refused_and_so_is_what_the_model_has_in_a_simpler_form() -> None:
    with pytest.raises(AdapterError, match=r"choose kafka-transactions-0\.11"):
        TransactionsAdapter(profiles()["kafka-purgatory"].bounded())
    with pytest.raises(AdapterError, match="leave out lost markers or moves"):
        TransactionsAdapter(model_of("4.2", lost_markers=1, coordinator_moves=1))
