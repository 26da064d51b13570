"""Transactions and a group that work have no anomaly, however their clients overlap; with one fault, only its own kinds are found."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_transactions import Simulation
from written_histories import as_json, edn_lines, recorded

from neverlost.conformance.history import Judge

SEED = st.integers(0, 2**32)


def found(seed: int, fault: str = "", *, uncommitted: bool = False, one_group: bool = True) -> set[str]:
    history = recorded(as_json(Simulation(Random(seed), fault=fault).steps(200)))
    assert history.malformed == ()
    anomalies = Judge(history, uncommitted=uncommitted, one_group=one_group).anomalies()
    return {kind for kind, ones in anomalies.items() if ones}


@pytest.mark.parametrize("uncommitted", [False, True])
@pytest.mark.parametrize("one_group", [False, True])
@given(seed=SEED)
@settings(max_examples=25, deadline=None)
def test_what_works_has_no_anomaly(uncommitted: bool, one_group: bool, seed: int) -> None:
    assert found(seed, uncommitted=uncommitted, one_group=one_group) == set()


@given(seed=SEED)
@settings(max_examples=25, deadline=None)
def test_readers_of_what_is_not_committed_see_no_anomaly_if_they_are_said_to_be(seed: int) -> None:
    assert found(seed, "dirty", uncommitted=True) == set()


@pytest.mark.parametrize(
    ("fault", "kinds", "mostly"),
    [
        ("tears", {"torn", "lost"}, "torn"),
        ("dirty", {"refused-yet-read", "precommitted", "torn"}, "refused-yet-read"),
        ("dirty", {"refused-yet-read", "precommitted", "torn"}, "precommitted"),
        ("jumps", {"skipped-by-group"}, "skipped-by-group"),
        ("shares", {"two-at-a-time"}, "two-at-a-time"),
    ],
)
def test_a_fault_shows_its_own_kinds_only(fault: str, kinds: set[str], mostly: str) -> None:
    seen = Counter(kind for seed in range(20) for kind in found(seed, fault))
    assert set(seen) <= kinds
    assert seen[mostly]


@given(SEED)
@settings(max_examples=10, deadline=None)
def test_edn_and_json_say_the_same_of_transactions_and_groups(seed: int) -> None:
    operations = Simulation(Random(seed), fault="tears").steps(120)
    one, other = (Judge(recorded(write(operations)), one_group=True) for write in (as_json, edn_lines))
    assert one.anomalies() == other.anomalies()
    assert one.not_judged() == other.not_judged()
    assert one.history.groups.tenures.partition.tolist() == other.history.groups.tenures.partition.tolist()
