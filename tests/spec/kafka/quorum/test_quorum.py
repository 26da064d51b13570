"""The controllers' quorum: which mishap breaks what, in how many steps; and the same states by hand."""

from __future__ import annotations

import pytest
from oracles import kraft

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.model.core import NONE
from neverlost.model.kafka.quorum.log import cut, take
from neverlost.model.kafka.quorum.state import BEGINNING
from neverlost.model.kafka.quorum.voters import entry_of
from neverlost.spec.families import profiles

PROPERTIES = (
    "one_leader_per_epoch", "log_matching", "leader_completeness", "committed_never_lost", "acked_never_lost",
)  # fmt: skip


def searched(version: str, **asked: int) -> Result:
    """The search of a version up to renaming, until each property is decided."""
    model = profiles()[f"kafka-quorum-{version}"].bounded(**asked)
    return explore(model, until="each", symmetry=["controller"], properties=PROPERTIES)


def steps(result: Result) -> list[int | None]:
    """How many steps break each property; None if it holds."""
    assert result.complete or all(result.findings[name].trace for name in PROPERTIES)
    traces = [result.findings[name].trace for name in PROPERTIES]
    return [None if trace is None else len(trace) - 1 for trace in traces]


HOLDS = [None] * 5
BY_A_PROTOTYPE = [
    ({"crashes": 1}, 0, HOLDS),
    ({"power_losses": 1}, 0, HOLDS),
    ({"power_losses": 1}, 1, HOLDS),
    ({"disk_losses": 1}, 0, [8, 10, 11, 14, 16]),
    ({"disk_losses": 1}, 1, HOLDS),
    ({"disk_losses": 2}, 1, HOLDS),
    ({"quorum_state_losses": 1}, 0, [8, 10, 11, 17, 22]),
    ({"quorum_state_losses": 1}, 1, [8, 10, 11, 17, 22]),
    ({"restored_copies": 1}, 1, [8, 10, 11, 14, 16]),
    ({"borrowed_copies": 1}, 0, [8, 10, 9, 12, 16]),
    ({"disk_losses": 1, "controllers": 1}, 0, [None, None, 7, 7, 9]),
]
"""What a model of its own, which was written before this one, found for the same faults: a static quorum, or kraft.version 1."""


@pytest.mark.parametrize(("asked", "kraft_version", "broken"), BY_A_PROTOTYPE)
def test_a_mishap_breaks_what_it_broke_in_another_model(
    asked: dict[str, int], kraft_version: int, broken: list[int | None]
) -> None:
    assert steps(searched("3.9", kraft_version=kraft_version, **asked)) == broken


def test_asking_before_an_election_prevents_no_loss_and_takes_two_steps_for_each_election() -> None:
    assert steps(searched("4.0", disk_losses=1)) == [12, 14, 15, 18, 20]


def test_a_directory_that_is_formatted_with_its_old_id_is_a_static_voter() -> None:
    static = steps(searched("3.9", disk_losses=1))
    assert steps(searched("3.9", disk_losses=1, kraft_version=1, formats=1)) == static


def test_a_controller_that_is_formatted_standalone_commits_alone() -> None:
    assert steps(searched("3.9", disk_losses=1, kraft_version=1, formats=2))[3] is not None


def test_waiting_for_a_majority_does_not_bring_back_a_vote_and_waiting_for_one_epoch_does() -> None:
    assert steps(searched("3.9", disk_losses=1, formatted_starts=1)) == [8, 10, 11, 17, 22]
    assert steps(searched("3.9", disk_losses=1, formatted_starts=2)) == HOLDS


def test_waiting_is_for_a_formatted_directory_and_not_for_one_whose_vote_was_deleted() -> None:
    assert steps(searched("3.9", quorum_state_losses=1, formatted_starts=2)) == [8, 10, 11, 17, 22]


@pytest.mark.parametrize("kraft_version", [0, 1])
def test_what_a_killed_process_had_not_flushed_is_lost_with_power_after_it_was_counted(kraft_version: int) -> None:
    """A process that starts again fetches from the end of its log, which nothing has flushed (LogLoader.recoverLog)."""
    both = searched("3.9", kraft_version=kraft_version, crashes=1, power_losses=1)
    assert steps(both) == [None, None, 13, 16, 23]
    story = both.findings["committed_never_lost"].trace
    assert story is not None
    done = [step.action.name for step in story.steps]
    assert done.index("crash_before_flush") < done.index("restart") < done.index("power_loss")


@pytest.mark.parametrize("version", ["3.1", "4.0"])
def test_a_killed_process_without_a_power_loss_costs_nothing(version: str) -> None:
    assert steps(searched(version, crashes=1)) == HOLDS


def test_voters_that_the_configuration_names_too_are_those_of_a_formatted_directory() -> None:
    """kraft.version 1, and controller.quorum.voters left in the files: two formatted controllers of three elect one of themselves."""
    asked = {"kraft_version": 1, "disk_losses": 2}
    assert steps(searched("3.9", **asked)) == HOLDS
    assert steps(searched("3.9", **asked, voters_in_file=2)) == [10, 12, 14, 17, 18]
    assert steps(searched("3.9", kraft_version=1, disk_losses=1, voters_in_file=2)) == HOLDS


def test_a_voter_that_never_had_a_record_elects_a_formatted_one_whose_voters_are_of_the_configuration() -> None:
    assert steps(searched("3.9", kraft_version=1, disk_losses=1, voters_in_file=1)) == [8, 10, 12, 15, 16]


def test_who_takes_the_log_of_a_standalone_controller_has_that_one_as_its_only_voter() -> None:
    model = profiles()["kafka-quorum-3.9"].bounded(kraft_version=1, disk_losses=1, formats=2)
    trace = (
        explore(model, properties=["committed_is_held"], symmetry=["controller"]).findings["committed_is_held"].trace
    )
    assert trace is not None
    last = trace.unpacked()[-1]
    alone = next(c for c in range(3) if last.alone[c] == c)
    other = (alone + 1) % 3
    take(last, other, alone, 0)
    assert [entry_of(last, other, c) != NONE for c in range(3)] == [c == alone for c in range(3)]
    cut(last, other, 0)
    assert all(entry_of(last, other, c) == BEGINNING for c in range(3))


def test_a_release_without_kraft_version_1_has_static_voters_whatever_is_asked() -> None:
    assert steps(searched("3.1", disk_losses=1, kraft_version=1)) == steps(searched("3.1", disk_losses=1))


def test_a_joined_controller_is_a_voter_again() -> None:
    model = profiles()["kafka-quorum-4.2"].bounded(kraft_version=1, auto_join=1, disk_losses=1, log_size=5)
    result = explore(model, properties=["voter_again"], symmetry=["controller"])
    assert result.findings["voter_again"].trace is not None


def test_two_lost_directories_may_have_had_all_that_was_committed() -> None:
    model = profiles()["kafka-quorum-3.9"].bounded(kraft_version=1, disk_losses=2)
    result = explore(model, properties=["committed_is_held"], symmetry=["controller"])
    trace = result.findings["committed_is_held"].trace
    assert trace is not None
    assert [step.action.name for step in trace.steps].count("disk_loss") == 2


BY_HAND = [
    ("3.9", {"n": 3, "epochs": 1, "size": 3}),
    pytest.param("3.9", {"n": 3, "epochs": 2, "size": 2}, marks=pytest.mark.thorough),
    ("3.9", {"n": 1, "epochs": 2, "size": 4, "disk_losses": 1}),
    ("3.9", {"n": 2, "epochs": 2, "size": 3, "crashes": 1}),
    ("3.9", {"n": 2, "epochs": 2, "size": 4, "quorum_state_losses": 1}),
    ("3.9", {"n": 2, "epochs": 2, "size": 3, "restored_copies": 1}),
    pytest.param("3.1", {"n": 2, "epochs": 2, "size": 3, "disk_losses": 1, "crashes": 1}, marks=pytest.mark.thorough),
    pytest.param("3.1", {"n": 3, "epochs": 1, "size": 3, "disk_losses": 1}, marks=pytest.mark.thorough),
    ("3.9", {"n": 2, "epochs": 2, "size": 3, "disk_losses": 1, "crashes": 1, "dynamic": True}),
    pytest.param(
        "3.9", {"n": 2, "epochs": 2, "size": 4, "voter_changes": 2, "dynamic": True}, marks=pytest.mark.thorough
    ),
    pytest.param(
        "3.9",
        {"n": 2, "epochs": 2, "size": 4, "voter_changes": 2, "disk_losses": 1, "dynamic": True},
        marks=pytest.mark.thorough,
    ),
    pytest.param(
        "3.9",
        {"n": 2, "epochs": 2, "size": 3, "disk_losses": 2, "dynamic": True, "in_file": 1},
        marks=pytest.mark.thorough,
    ),
    ("3.9", {"n": 2, "epochs": 2, "size": 3, "disk_losses": 2, "dynamic": True, "in_file": 2}),
    ("3.9", {"n": 1, "epochs": 2, "size": 4, "crashes": 1, "power_losses": 2}),
    ("3.9", {"n": 2, "epochs": 2, "size": 3, "crashes": 1, "power_losses": 1}),
    pytest.param(
        "3.9",
        {"n": 2, "epochs": 2, "size": 3, "crashes": 2, "power_losses": 1, "dynamic": True},
        marks=pytest.mark.thorough,
    ),
    pytest.param("3.1", {"n": 3, "epochs": 2, "size": 2, "crashes": 1, "power_losses": 1}, marks=pytest.mark.thorough),
    ("4.0", {"n": 2, "epochs": 2, "size": 3, "disk_losses": 1}),
    ("4.0", {"n": 2, "epochs": 2, "size": 4, "voter_changes": 1, "crashes": 1, "dynamic": True}),
    pytest.param("4.0", {"n": 2, "epochs": 2, "size": 3, "disk_losses": 1, "crashes": 1}, marks=pytest.mark.thorough),
    pytest.param("4.0", {"n": 3, "epochs": 1, "size": 2, "disk_losses": 1}, marks=pytest.mark.thorough),
]


@pytest.mark.parametrize(("release", "bounds"), BY_HAND)
def test_the_search_finds_the_states_that_a_search_by_hand_finds(release: str, bounds: dict[str, int]) -> None:
    levels, first = kraft.search(release, **bounds)
    budgets = {name: value for name, value in bounds.items() if name in kraft.FAULTS}
    profile = profiles()[f"kafka-quorum-{release}"]
    result = explore(
        profile.bounded(
            controllers=bounds["n"],
            epochs=bounds["epochs"],
            log_size=bounds["size"],
            kraft_version=int(bounds.get("dynamic", False)),
            voters_in_file=bounds.get("in_file", 0),
            **budgets,
        ),
        until="all",
    )
    assert list(result.levels) == levels
    found = {name: len(trace) - 1 for name in kraft.WRONG if (trace := result.findings[name].trace) is not None}
    assert found == first


BY_TLC = [
    ("3.9", {"controllers": 2, "epochs": 1, "log_size": 2}, (61, 40, 10)),
    ("3.9", {"controllers": 3, "epochs": 1, "log_size": 2}, (1_549, 590, 14)),
    ("3.9", {"controllers": 2, "epochs": 2, "log_size": 2, "kraft_version": 1, "disk_losses": 1}, (1_277, 781, 19)),
    ("3.9", {"controllers": 2, "epochs": 2, "log_size": 3, "kraft_version": 1, "voter_changes": 2}, (1_179, 747, 17)),
    ("3.9", {"controllers": 2, "epochs": 2, "log_size": 2, "quorum_state_losses": 1}, (1_719, 1_017, 16)),
    ("3.9", {"controllers": 2, "epochs": 2, "log_size": 2, "crashes": 1, "power_losses": 1}, (18_626, 9_078, 25)),
    (
        "3.9",
        {"controllers": 2, "epochs": 2, "log_size": 2, "restored_copies": 1, "borrowed_copies": 1},
        (36_607, 19_259, 28),
    ),
    ("4.0", {"controllers": 2, "epochs": 1, "log_size": 2}, (401, 159, 13)),
    ("4.0", {"controllers": 2, "epochs": 2, "log_size": 2, "disk_losses": 1}, (10_699, 3_923, 23)),
    (
        "4.2",
        {"controllers": 2, "epochs": 1, "log_size": 4, "kraft_version": 1, "auto_join": 1, "disk_losses": 1},
        (1_943, 833, 22),
    ),
]
"""Versions as modules of TLA+ (`describe --tla`): the generated and distinct states and the depth, as TLC counted them."""


@pytest.mark.parametrize(("version", "bounds", "counted"), BY_TLC)
def test_a_version_has_as_many_states_as_tlc_counts_in_its_module(
    version: str, bounds: dict[str, int], counted: tuple[int, int, int]
) -> None:
    result = explore(profiles()[f"kafka-quorum-{version}"].bounded(**bounds), until="all")
    assert (result.generated, result.distinct, result.depth) == counted


@pytest.mark.parametrize(
    ("faults", "length"), [({"crashes": 1, "power_losses": 1}, 20), ({"restored_copies": 1, "borrowed_copies": 1}, 17)]
)
def test_a_committed_decision_is_lost_in_as_many_steps_as_tlc_finds(faults: dict[str, int], length: int) -> None:
    model = profiles()["kafka-quorum-3.9"].bounded(controllers=2, epochs=2, log_size=2, **faults)
    trace = explore(model, properties=["committed_never_lost"]).findings["committed_never_lost"].trace
    assert trace is not None
    assert len(trace.steps) == length


@pytest.mark.thorough
def test_five_static_controllers_lose_a_record_too_if_one_loses_its_directory() -> None:
    assert steps(searched("3.9", controllers=5, disk_losses=1)) == [10, 12, 16, 22, 23]


@pytest.mark.thorough
def test_five_controllers_survive_a_crash() -> None:
    result = searched("3.9", controllers=5, log_size=3, crashes=1)
    assert result.distinct == 6_519_030
    assert steps(result) == HOLDS
