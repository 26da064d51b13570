"""The controllers lose no decision in any number of steps while no voter loses its files; and no wrong model is proven."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from proven_mutants import is_proven

from neverlost.conformance.mutants.conditions import condition_mutants
from neverlost.conformance.mutants.mutant import Mutant
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.clauses import Translation, as_lemma
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symbolic.terms import Number
from neverlost.model.core import Model, ModelError, Profile
from neverlost.spec.families import profiles
from neverlost.spec.kafka.quorum.assumptions import ASSUMPTIONS
from neverlost.spec.kafka.quorum.versions import VERSIONS

PROPERTIES = (
    "one_leader_per_epoch", "log_matching", "leader_completeness", "committed_never_lost", "acked_never_lost",
)  # fmt: skip
SMALL = {"epochs": 2, "log_size": 2}
KILLED = {"crashes": 2}
WITHOUT_POWER = {"power_losses": 2}
DIRECTORY_IDS = {"kraft_version": 1, "disk_losses": 2, "borrowed_copies": 2, "voter_changes": 1}
FAULTS = (KILLED, WITHOUT_POWER, {**KILLED, **DIRECTORY_IDS}, {**WITHOUT_POWER, **DIRECTORY_IDS})
SEARCHED = (
    ("3.9", {"crashes": 1}),
    ("3.9", {"power_losses": 2}),
    ("3.9", {"kraft_version": 1, "disk_losses": 2}),
    ("3.9", {"kraft_version": 1, "borrowed_copies": 1}),
    ("3.9", {"kraft_version": 1, "voter_changes": 1, "disk_losses": 1}),
    ("4.2", {"kraft_version": 1, "voter_changes": 1, "auto_join": 1, "log_size": 5}),
    ("4.0", {"crashes": 1}),
    ("3.1", {"epochs": 3, "crashes": 1}),
)
MUTATED = {**SMALL, "crashes": 1}
NEEDED = (
    ("elections.may_grant", "s.voted[voter] == candidate", "one_leader_per_epoch"),
    ("log.log_is_up_to_date", "s.log_end[candidate] >= s.log_end[voter]", "leader_completeness"),
    ("log.counts_for", "s.known_end[leader][controller] > offset", "leader_completeness"),
)
"""Some conditions, each with what its lack breaks: two votes in an epoch, no comparison of ends, a commit without the others."""


def version(name: str) -> Profile:
    """A version of the quorum."""
    return profiles()[f"kafka-quorum-{name}"]


def proven_properties(model: Model, names: tuple[str, ...]) -> list[str]:
    """Which properties are proven from the lemmas, all other ones of these being lemmas beside them: one proof for all."""
    claims = {name: as_lemma(model.profile.property_named(name)) for name in names}
    last = names[-1]
    beside = [claim for name, claim in claims.items() if name != last]
    proof = prove(model, last, lemmas=[*model.profile.lemmas, *beside], limits=Limits(states=1))
    return list(names) if proof.verdict == "proven" and not proof.unknown else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "searched" in metafunc.fixturenames:
        rows = SEARCHED if everything else SEARCHED[:1]
        metafunc.parametrize("searched", rows, ids=lambda row: f"{row[0]} {row[1]}")


@pytest.mark.parametrize("log_size", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_static_quorum_is_proven(log_size: int) -> None:
    proof = prove(version("3.9").bounded(epochs=2, log_size=log_size, **KILLED), "committed_never_lost")
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())
    assert proof.symmetric == ("controller",)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROPERTIES)
def test_each_property_is_proven_by_itself(name: str) -> None:
    assert prove(version("4.0").bounded(**KILLED), name).verdict == "proven"


@pytest.mark.thorough
@pytest.mark.parametrize("asked", FAULTS, ids=str)
@pytest.mark.parametrize("name", ["3.1", "3.9", "4.0", "4.2"])
def test_every_version_is_proven_and_with_directory_ids_whatever_directories_are_lost(
    name: str, asked: Mapping[str, int]
) -> None:
    if name == "3.1" and "kraft_version" in asked:
        pytest.skip("3.1 has no directory ids")
    assert proven_properties(version(name).bounded(epochs=3, log_size=3, **asked), PROPERTIES) == list(PROPERTIES)


@pytest.mark.thorough
@pytest.mark.parametrize("asked", FAULTS, ids=str)
def test_five_controllers_are_proven(asked: Mapping[str, int]) -> None:
    model = version("4.0").bounded(controllers=5, **SMALL, **asked)
    assert proven_properties(model, PROPERTIES) == list(PROPERTIES)


@pytest.mark.parametrize("fault", [KILLED, WITHOUT_POWER], ids=str)
def test_no_lemma_asks_how_many_faults_may_still_happen_so_that_any_number_may(fault: Mapping[str, int]) -> None:
    translation = Translation(version("4.0").bounded(**SMALL, **fault, **DIRECTORY_IDS))
    counted = (*(f"{name}_left" for name in fault), "disk_losses_left", "borrowed_copies_left")
    budgets = {v.term.get_id() for name in counted for v in translation.before.fields[name] if isinstance(v, Number)}
    assert len(budgets) == len(counted)
    claims = [as_lemma(version("4.0").property_named(name)) for name in PROPERTIES]
    for clause in translation.clauses([*version("4.0").lemmas, *claims]):
        assert not clause.reads & budgets, clause.lemma.name


def test_each_lemma_is_true_in_every_reachable_state(searched: tuple[str, Mapping[str, int]], tmp_path: Path) -> None:
    name, chosen = searched
    deciding = deciding_lemmas(version(name), tmp_path)
    result = explore(deciding.bounded(**chosen), until="all", symmetry=["controller"])
    assert result.stopped_by is None
    assert {lemma: found.verdict for lemma, found in result.findings.items()} == {
        PREFIX + lemma.name: "holds" for lemma in version(name).lemmas
    }


@pytest.mark.parametrize(
    ("name", "asked", "lacks"),
    [
        ("3.9", {"disk_losses": 1}, {"keeps_directories"}),
        ("3.9", {"disk_losses": 1, "kraft_version": 1}, set()),
        ("3.8", {"disk_losses": 1, "kraft_version": 1}, {"keeps_directories"}),
        ("3.9", {"disk_losses": 1, "kraft_version": 1, "formats": "initial-controllers"}, {"keeps_directories"}),
        ("3.9", {"disk_losses": 1, "kraft_version": 1, "formats": "standalone"}, {"keeps_directories"}),
        ("3.9", {"borrowed_copies": 1}, {"keeps_directories"}),
        ("3.9", {"quorum_state_losses": 1, "kraft_version": 1}, {"keeps_promises"}),
        ("3.9", {"restored_copies": 1, "kraft_version": 1}, {"keeps_promises"}),
        ("3.9", {"voter_changes": 1, "kraft_version": 1}, set()),
        ("3.9", {"voter_changes": 1, "kraft_version": 1, "controllers": 4}, {"keeps_voters"}),
        ("3.9", {"voter_changes": 2, "kraft_version": 1}, {"keeps_voters"}),
        ("4.2", {"auto_join": True, "kraft_version": 1, "voter_changes": 1}, set()),
        ("4.2", {"auto_join": True, "kraft_version": 1, "disk_losses": 1}, {"keeps_voters"}),
        ("4.2", {"auto_join": True}, set()),
        ("4.2", {"power_losses": 1, "controllers": 1}, {"is_not_alone_without_power"}),
        ("4.2", {"power_losses": 1}, set()),
        ("4.2", {"power_losses": 1, "crashes": 1}, {"flushes_what_it_tells"}),
        (
            "4.2",
            {"disk_losses": 1, "kraft_version": 1, "voters_in_file": "since-the-format"},
            {"keeps_directories"},
        ),
    ],
)
def test_what_the_lemmas_assume_tells_what_is_lacking(
    name: str, asked: Mapping[str, int | str | bool], lacks: set[str]
) -> None:
    model = profiles()[f"kafka-quorum-{name}"].model(**asked)
    start = model.initial_states()[0]
    assert {each.name for each in ASSUMPTIONS if not each.function(model.state(start))} == lacks


@pytest.mark.parametrize(
    ("asked", "name", "steps"),
    [
        ({"disk_losses": 1}, "one_leader_per_epoch", 8),
        ({"disk_losses": 1}, "committed_never_lost", 14),
        ({"quorum_state_losses": 1, "kraft_version": 1}, "acked_never_lost", 22),
        ({"power_losses": 1, "controllers": 1}, "leader_completeness", 6),
        ({"power_losses": 1, "crashes": 1}, "committed_never_lost", 16),
    ],
)
def test_where_files_are_lost_the_same_is_violated(asked: Mapping[str, int], name: str, steps: int) -> None:
    proof = prove(version("3.9").bounded(**asked), name)
    assert (proof.verdict, proof.method) == ("violated", "bounded")
    assert proof.trace is not None
    assert len(proof.trace.steps) == steps


@pytest.mark.parametrize("profile", VERSIONS, ids=lambda profile: profile.name)
def test_every_version_is_asked_with_the_same_lemmas(profile: Profile) -> None:
    assert profile.lemmas == VERSIONS[-1].lemmas
    assert profile.assumptions == ASSUMPTIONS


@pytest.fixture(scope="module")
def mutants() -> Mapping[Mutant, Profile]:
    return condition_mutants(version("3.9"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "written", "breaks"),
    [NEEDED[0], *(pytest.param(*row, marks=pytest.mark.thorough) for row in NEEDED[1:])],
)
def test_a_model_without_a_condition_that_a_property_needs_is_violated_and_not_proven(
    function: str, written: str, breaks: str, mutants: Mapping[Mutant, Profile]
) -> None:
    (model,) = (
        profile.bounded(**MUTATED)
        for mutant, profile in mutants.items()
        if mutant.name.startswith(f"{function}:") and mutant.written == written
    )
    assert explore(model, until="first", properties=[breaks], symmetry=["controller"]).findings[breaks].trace
    assert not is_proven(model, breaks, version("3.9").lemmas)


@pytest.mark.thorough
def test_no_mutant_that_a_search_refutes_is_proven(mutants: Mapping[Mutant, Profile]) -> None:
    refuted = 0
    for mutant, profile in mutants.items():
        model = profile.bounded(**MUTATED, kraft_version=1, disk_losses=1)
        try:
            found = explore(model, until="all", properties=PROPERTIES, limits=Limits(states=500_000)).findings
        except ModelError:
            broken = list(PROPERTIES[:1])
        else:
            broken = [one for one in PROPERTIES if found[one].trace]
        refuted += bool(broken)
        assert not any(is_proven(model, one, version("3.9").lemmas) for one in broken), mutant.name
    assert refuted > 10
