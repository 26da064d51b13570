"""Suites from mutants: right brokers pass them, brokers with a mistake and those of another release do not, and the case says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from neverlost.conformance.mutants.kept import kept_by
from neverlost.conformance.mutants.mutant import DERIVED
from neverlost.conformance.mutants.mutation import mutants_of
from neverlost.conformance.replication.adapter import SEEN, InProcessAdapter
from neverlost.conformance.suite.cases import Suite
from neverlost.conformance.suite.files import SuiteFiles, write_suite
from neverlost.conformance.suite.from_mutants import kills_of, neighbours, suite_from
from neverlost.conformance.suite.run import conform
from neverlost.model.core import Model
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.differences import DIFFERENCES

PAIR = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 3}
MOVES = {**PAIR, "acks": 2, "min_isr": 1, "unclean": 0, "crashes": 1, "leader_moves": 1}


def suite(version: str, given: dict[str, int]) -> Suite:
    profile = profiles()[version]
    return suite_from(profile, kills_of(profile, InProcessAdapter, given, most_states=20_000))


@pytest.fixture(scope="module")
def of_4_1() -> Suite:
    return suite("kafka-4.1", MOVES)


SWITCHES = {name for difference in DIFFERENCES for name in difference.settings} - {"acks", "unclean", "idempotence"}
"""What a release settles, and nobody configures."""


def brokers_of(version: str) -> Callable[[Model], InProcessAdapter]:
    """Brokers of another release, configured as a model is."""

    def make(model: Model) -> InProcessAdapter:
        chosen = {name: value for name, value in model.settings.items() if name not in SWITCHES}
        return InProcessAdapter(profiles()[version].bounded(**model.bounds, **chosen))

    return make


def test_right_brokers_pass(of_4_1: Suite) -> None:
    outcome = conform(of_4_1.model, of_4_1.cases, InProcessAdapter, until="all")
    assert not outcome.failures
    assert outcome.cases == len(of_4_1.cases) > 10


def test_every_case_names_mistakes_at_steps_of_its_own(of_4_1: Suite) -> None:
    profile = profiles()["kafka-4.1"]
    kept = {one.mutant.name for one in kept_by(profile, SEEN)}
    names = {mutant.name for mutant in mutants_of(profile)} | kept | {"elr=no"}
    named = [mistake.about.split(": ")[0] for case in of_4_1.cases for mistake in case.mistakes]
    said = [name for name in named if not name.endswith(", perhaps")]
    assert len(said) == len(set(said)) == of_4_1.covered == sum(case.adds for case in of_4_1.cases)
    assert {name for name in said if not name.startswith(DERIVED)} <= names
    near = {name.removesuffix(", perhaps") for name in named} - set(said)
    assert near
    assert near <= names
    assert all(0 <= mistake.after <= len(case.steps) for case in of_4_1.cases for mistake in case.mistakes)


def test_no_case_is_the_beginning_of_another_in_its_configuration(of_4_1: Suite) -> None:
    for case in of_4_1.cases:
        for other in of_4_1.cases:
            if other is not case and other.chosen == case.chosen:
                assert other.steps[: len(case.steps)] != case.steps


def test_a_suite_is_read_as_it_was_written_with_the_bounds_of_each_case(of_4_1: Suite, tmp_path: Path) -> None:
    write_suite(of_4_1, tmp_path / "suite")
    read = SuiteFiles(tmp_path / "suite", lambda name: profiles()[name])
    assert tuple(read.cases()) == of_4_1.cases
    assert of_4_1.model.bounds["replicas"] == 3
    assert of_4_1.cases[0].chosen["replicas"] == 2


@pytest.mark.parametrize(
    ("version", "other", "named"),
    [
        pytest.param("kafka-0.11", "kafka-0.9", "truncation=high-watermark", marks=pytest.mark.thorough),
        pytest.param("kafka-2.1", "kafka-2.0", "fencing=no", marks=pytest.mark.thorough),
        ("kafka-4.1", "kafka-3.7", "elr=no"),
        pytest.param("kafka-3.7", "kafka-3.6", "strict_min_isr=no", marks=pytest.mark.thorough),
    ],
)
def test_the_brokers_of_the_release_before_fail_at_a_case_that_names_the_difference(
    version: str, other: str, named: str, of_4_1: Suite
) -> None:
    given = {**MOVES, "min_isr": 2} if version == "kafka-3.7" else MOVES
    made = of_4_1 if version == "kafka-4.1" else suite(version, given)
    outcome = conform(made.model, made.cases, brokers_of(other), until="all")
    shown = [mistake.about for failure in outcome.failures for mistake in failure.mistakes]
    assert any(about.startswith(named) for about in shown)


def test_neighbours_are_the_versions_before_and_after_that_replicate_in_another_way() -> None:
    assert [profile.name for profile in neighbours(profiles()["kafka-0.11"])] == ["kafka-0.9", "kafka-1.1"]
    assert neighbours(profiles()["published/kip-320"]) == ()
