"""Runs of the models as histories: where a property holds nothing is found, and where it does not, what it is called here."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_histories import groups_of, random_run, run_of, transactions_of
from written_histories import as_json, recorded, shown

from neverlost.conformance.history import Judge
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Model
from neverlost.spec.families import profiles

SEEN_BY_READERS = ("all_or_nothing", "no_aborted_read", "no_commit_lost", "no_duplicate", "in_order")
TORN, READ, LOST = "all_or_nothing", "no_aborted_read", "no_commit_lost"
SEED = st.integers(0, 2**32)
AT_LEAST_ONCE = {"joins": 1, "crashes": 1, "timeouts": 1, "commit": "sync", "reset": "earliest"}


@cache
def model_of(version: str, **asked: int | str | bool) -> Model:
    return profiles()[f"kafka-{version}"].model(**asked)


def violation(model: Model, name: str) -> Trace:
    """The shortest run that violates a property."""
    trace = explore(model, until="all", properties=(name,)).findings[name].trace
    assert trace is not None
    return trace


@given(SEED)
@settings(max_examples=25, deadline=None)
def test_transactions_of_4_2_show_no_anomaly_though_messages_are_late(seed: int) -> None:
    model = model_of("transactions-4.2", delays=1, late_markers=1, timeouts=1)
    run = random_run(model, Random(seed), 40)
    assert run.keeps(model, *SEEN_BY_READERS)
    assert shown(transactions_of(run)) == {}


@pytest.mark.parametrize("version", ["0.11", "3.9", "4.1"])
@given(seed=SEED)
@settings(max_examples=12, deadline=None)
def test_runs_of_older_transactions_in_which_all_is_well_show_no_anomaly(version: str, seed: int) -> None:
    model = model_of(f"transactions-{version}", delays=1, timeouts=1)
    run = random_run(model, Random(seed), 40)
    assert shown(transactions_of(run)) == {} or not run.keeps(model, *SEEN_BY_READERS)


@pytest.mark.parametrize(
    ("version", "asked", "name", "kinds"),
    [
        ("3.9", {"delays": 1}, TORN, {"torn", "refused-yet-read"}),
        ("3.9", {"delays": 1}, READ, {"precommitted", "refused-yet-read"}),
        ("4.1", {"late_markers": 1}, TORN, {"torn", "refused-yet-read"}),
        ("4.1", {"late_markers": 1}, READ, {"precommitted", "refused-yet-read"}),
        ("4.1", {"late_markers": 1}, LOST, {"lost"}),
        ("0.11", {"delays": 1}, TORN, {"torn", "refused-yet-read"}),
        ("0.11", {"delays": 1}, READ, {"precommitted", "refused-yet-read"}),
    ],
)
def test_a_run_that_violates_a_property_of_transactions_shows_its_anomaly(
    version: str, asked: dict[str, int], name: str, kinds: set[str]
) -> None:
    found = shown(transactions_of(run_of(violation(model_of(f"transactions-{version}", **asked), name))))
    assert kinds & set(found)


def test_a_loss_behind_a_transaction_that_hangs_is_left_open() -> None:
    """Readers come no further than the open transaction: nobody knows whether they would get the record."""
    run = run_of(violation(model_of("transactions-3.9", delays=1), LOST))
    history = recorded(as_json(transactions_of(run)))
    assert not any(Judge(history).anomalies().values())
    assert Judge(history).unread() == 1


OF_GROUPS = {"none_skipped": "skipped-by-group", "never_back": "offset-back", "one_reader": "two-at-a-time"}
EVENTS = [
    {**AT_LEAST_ONCE, "protocol": "eager"},
    {**AT_LEAST_ONCE, "protocol": "consumer"},
    {"protocol": "cooperative", "commit": "auto", "reset": "latest", "failures": 1, "timeouts": 1},
    {"protocol": "consumer", "commit": "before", "reset": "earliest", "timeouts": 2},
    {"protocol": "consumer", "commit": "sync", "commits_on_revoke": False, "reset": "earliest", "timeouts": 2},
    {"protocol": "eager", "commit": "async", "reset": "earliest", "commit_failures": 1, "rollbacks": 1},
]


@pytest.mark.parametrize("asked", EVENTS, ids=range(len(EVENTS)))
@given(seed=SEED)
@settings(max_examples=12, deadline=None)
def test_groups_show_no_anomaly_of_which_the_run_keeps_the_property(
    asked: dict[str, int | str | bool], seed: int
) -> None:
    model = model_of("groups-4.3.1", **asked)
    run = random_run(model, Random(seed), 45)
    broken = {kind for name, kind in OF_GROUPS.items() if not run.keeps(model, name)}
    assert set(shown(groups_of(run))) <= broken


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("none_skipped", {"commit": "auto", "reset": "latest", "failures": 1}),
        ("never_back", {"commit": "sync", "reset": "earliest", "rollbacks": 1, "leaves": 1}),
        ("one_reader", {"commit": "sync", "reset": "earliest", "timeouts": 1}),
    ],
)
def test_a_run_that_violates_a_property_of_groups_and_goes_on_shows_its_anomaly(
    name: str, asked: dict[str, int | str | bool]
) -> None:
    """What is violated shows once members read on: of some runs that go on, one shows it, and all show nothing else."""
    model = model_of("groups-4.3.1", **asked)
    beginning = violation(model, name)
    found = [set(shown(groups_of(random_run(model, Random(seed), 60, beginning)))) for seed in range(40)]
    assert set().union(*found) == {OF_GROUPS[name]}
