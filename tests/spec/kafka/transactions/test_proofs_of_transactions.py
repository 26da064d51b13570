"""Version 2 of transactions is proven for any number of steps, versions say what they lack, and no wrong model is proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from proven_mutants import is_proven

from neverlost.conformance.mutants.conditions import condition_mutants
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.clauses import Translation, as_lemma
from neverlost.explorer.symbolic.induction import Effort
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symbolic.terms import Number
from neverlost.model.core import ModelError, Profile
from neverlost.spec.families import profiles
from neverlost.spec.kafka.transactions.assumptions import ASSUMPTIONS
from neverlost.spec.kafka.transactions.versions import VERSIONS

PROVEN = (
    "all_or_nothing",
    "no_aborted_read",
    "no_commit_lost",
    "zombie_fenced",
    "no_duplicate",
    "in_order",
    "markers_accepted",
    "nothing_hangs",
)
FAULTS = {"delays": 2, "late_markers": 2, "timeouts": 2, "coordinator_moves": 1, "expirations": 2}
LARGER = (
    {"producers": 3, "transactions": 3, "partitions": 3, "epochs": 12},
    {"producers": 2, "transactions": 4, "partitions": 4, "epochs": 16},
)
SEARCHED = (
    ("4.2", {"delays": 1, "late_markers": 1}),
    ("4.2", {"late_markers": 1, "timeouts": 1, "coordinator_moves": 1, "expirations": 1}),
    ("4.0", {"delays": 1, "coordinator_moves": 1, "expirations": 1}),
)
SEARCHED_LARGE = (
    ("4.2", {"delays": 2, "late_markers": 1, "verification": False}),
    ("4.2", {"delays": 1, "late_markers": 1, "timeouts": 1, "coordinator_moves": 1, "expirations": 1}),
    ("4.0", {"delays": 2, "timeouts": 1, "expirations": 1}),
)
AT_ONCE = 40
"""How many lemmas are asked at once, as properties: a search decides at most 64."""

MUTATED = {"delays": 1, "late_markers": 1, "timeouts": 1, "coordinator_moves": 1}
NEEDED = (
    ("producer.start:guard-3", "all_or_nothing", 11),
    ("coordinator.answer_to_add:part-2", "nothing_hangs", 4),
    pytest.param("producer.end:guard-5", "no_aborted_read", 7, marks=pytest.mark.thorough),
    pytest.param("late.append_late:guard-2", "all_or_nothing", 13, marks=pytest.mark.thorough),
    pytest.param("late.late_marker_arrives:guard-2", "all_or_nothing", 13, marks=pytest.mark.thorough),
)
"""Some mutants, each with a property that it breaks."""


def version(name: str) -> Profile:
    """A version of transactions."""
    return profiles()[f"kafka-transactions-{name}"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "searched" in metafunc.fixturenames:
        rows = SEARCHED + SEARCHED_LARGE if everything else SEARCHED[:1]
        metafunc.parametrize("searched", rows, ids=lambda row: f"{row[0]} {row[1]}")
    if "proven" in metafunc.fixturenames:
        metafunc.parametrize("proven", PROVEN if everything else PROVEN[:1])


@pytest.mark.thorough
def test_4_2_is_proven_with_every_fault_but_a_lost_marker(proven: str) -> None:
    proof = prove(version("4.2").bounded(**FAULTS), proven)
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())
    assert proof.symmetric == ("partition",)


@pytest.mark.thorough
@pytest.mark.parametrize("bounds", LARGER, ids=str)
def test_it_is_proven_at_bounds_that_a_search_would_not_finish(bounds: Mapping[str, int]) -> None:
    proof = prove(version("4.2").bounded(**bounds, **FAULTS), "all_or_nothing", effort=Effort(workers=2))
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())


@pytest.mark.thorough
@pytest.mark.parametrize("unanswered", ["sends-again", "new-epoch", "closes"])
@pytest.mark.parametrize("name", ["4.0", "4.2"])
def test_it_is_proven_whatever_the_client_does_about_an_unanswered_end(name: str, unanswered: str) -> None:
    late = {} if name == "4.2" else {"late_markers": 0}
    model = version(name).model(**{**FAULTS, **late, "unanswered": unanswered})
    assert prove(model, "all_or_nothing").verdict == "proven"


@pytest.mark.thorough
def test_it_is_proven_with_two_moves_of_a_coordinator_that_acts_on_nothing_unacknowledged() -> None:
    model = version("4.2").model(**{**FAULTS, "coordinator_moves": 2, "reads_to_log_end": False})
    assert prove(model, "all_or_nothing").verdict == "proven"


@pytest.mark.thorough
def test_it_is_proven_without_verification_while_no_partition_forgets_a_producer() -> None:
    model = version("4.2").bounded(**{**FAULTS, "expirations": 0, "verification": 0})
    assert prove(model, "all_or_nothing").verdict == "proven"


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROVEN)
def test_4_0_and_4_1_are_proven_while_no_marker_is_held_up(name: str) -> None:
    proof = prove(version("4.1").bounded(**{**FAULTS, "late_markers": 0}), name)
    assert (proof.verdict, proof.unknown) == ("proven", ())


def test_no_lemma_asks_how_many_requests_or_markers_may_still_be_held_up_so_that_any_number_may() -> None:
    translation = Translation(version("4.2").bounded(**FAULTS))
    counted = ("delays_left", "late_markers_left", "timeouts_left", "expirations_left")
    budgets = {v.term.get_id() for name in counted for v in translation.before.fields[name] if isinstance(v, Number)}
    assert len(budgets) == len(counted)
    claims = [as_lemma(version("4.2").property_named(name)) for name in ("all_or_nothing", "nothing_hangs")]
    for clause in translation.clauses([*version("4.2").lemmas, *claims]):
        assert not clause.reads & budgets, clause.lemma.name


def test_each_lemma_is_true_in_every_reachable_state(searched: tuple[str, Mapping[str, int]], tmp_path: Path) -> None:
    name, chosen = searched
    lemmas = version(name).lemmas
    for some in (lemmas[:AT_ONCE], lemmas[AT_ONCE:]):
        deciding = deciding_lemmas(replace(version(name), lemmas=some), tmp_path)
        result = explore(deciding.bounded(**chosen), until="all")
        assert result.stopped_by is None
        assert {lemma: found.verdict for lemma, found in result.findings.items()} == {
            PREFIX + lemma.name: "holds" for lemma in some
        }


@pytest.mark.parametrize(
    ("name", "asked", "lacks"),
    [
        ("0.11.0.0", {"delays": 1}, {"has_version_2", "fences_once"}),
        ("0.11", {"early_reads": 1}, {"has_version_2", "reads_what_is_stable"}),
        ("2.5", {"delays": 1}, {"has_version_2"}),
        ("3.6", {"delays": 1, "late_markers": 1}, {"has_version_2", "checks_markers"}),
        ("4.0.0", {"delays": 1}, {"fences_once"}),
        ("4.1", {"late_markers": 1}, {"checks_markers"}),
        ("4.2", {"late_markers": 1, "mixed_brokers": True}, {"checks_markers"}),
        ("4.2", {"delays": 1, "client": "tv0"}, {"has_version_2"}),
        ("4.2", {"delays": 1, "server": "tv0"}, {"has_version_2"}),
        ("4.2", {"lost_markers": 1}, {"keeps_markers"}),
        ("4.2", {"coordinator_moves": 2}, {"acts_on_what_is_acknowledged"}),
        ("4.2", {"expirations": 1, "verification": False}, {"asks_when_forgotten"}),
        ("4.2", {"delays": 1, "late_markers": 1, "expirations": 1}, set()),
    ],
)
def test_what_the_lemmas_assume_tells_what_a_version_lacks(
    name: str, asked: Mapping[str, int | str | bool], lacks: set[str]
) -> None:
    model = version(name).model(**asked)
    start = model.initial_states()[0]
    assert {each.name for each in ASSUMPTIONS if not each.function(model.state(start))} == lacks


@pytest.mark.parametrize(
    ("name", "asked", "steps"),
    [
        ("0.11", {"delays": 1}, 17),
        ("2.5", {"delays": 1}, 17),
        ("3.6", {"delays": 1}, 17),
        ("4.1", {"late_markers": 1}, 13),
        ("4.2", {"late_markers": 1, "mixed_brokers": True}, 13),
        ("4.2", {"lost_markers": 1}, 13),
        ("4.2", {"coordinator_moves": 2}, 9),
    ],
)
def test_where_one_of_them_is_not_met_it_is_violated(
    name: str, asked: Mapping[str, int | str | bool], steps: int
) -> None:
    proof = prove(version(name).model(**asked), "all_or_nothing")
    assert (proof.verdict, proof.method) == ("violated", "bounded")
    assert proof.trace is not None
    assert len(proof.trace.steps) == steps


@pytest.mark.parametrize("profile", VERSIONS, ids=lambda profile: profile.name)
def test_every_version_is_asked_with_the_same_lemmas(profile: Profile) -> None:
    assert profile.lemmas == VERSIONS[-1].lemmas
    assert profile.assumptions == ASSUMPTIONS


@pytest.fixture(scope="module")
def mutants() -> Mapping[str, Profile]:
    return {mutant.name: profile for mutant, profile in condition_mutants(version("4.2")).items()}


@pytest.mark.parametrize(("name", "breaks", "steps"), NEEDED)
def test_a_model_without_a_guard_that_a_property_needs_is_violated_and_not_proven(
    name: str, breaks: str, steps: int, mutants: Mapping[str, Profile]
) -> None:
    model = mutants[name].bounded(**MUTATED)
    trace = explore(model, until="first", properties=[breaks]).findings[breaks].trace
    assert trace is not None
    assert len(trace.steps) == steps
    assert not is_proven(model, breaks, version("4.2").lemmas)


@pytest.mark.thorough
def test_no_mutant_that_a_search_refutes_is_proven(mutants: Mapping[str, Profile]) -> None:
    refuted = 0
    for name, profile in mutants.items():
        model = profile.bounded(**MUTATED)
        try:
            found = explore(model, until="all", properties=PROVEN, limits=Limits(states=2_000_000)).findings
        except ModelError:
            broken = [PROVEN[0]]
        else:
            broken = [one for one in PROVEN if found[one].trace]
        refuted += bool(broken)
        assert not any(is_proven(model, one, version("4.2").lemmas) for one in broken), name
    assert refuted > 30
