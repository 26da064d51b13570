"""The examples of the second tutorial and of the language's reference: their states are found here in another way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.model.core import Profile

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def two_phase() -> Profile:
    return profile_from_file(f"{EXAMPLES}/two_phase_commit.py:TWO_PHASE_COMMIT")


class Run(NamedTuple):
    """A state of Lamport's TwoPhase, as its text has it: rmState, tmState, tmPrepared, msgs."""

    managers: tuple[str, ...]
    decided: str
    prepared: frozenset[int]
    messages: frozenset[str]


def moves(run: Run) -> Iterator[Run]:
    """TPNext of Lamport's TwoPhase, without any model."""
    if run.decided == "init":
        if len(run.prepared) == len(run.managers):
            yield run._replace(decided="committed", messages=run.messages | {"commit"})
        yield run._replace(decided="aborted", messages=run.messages | {"abort"})
    for rm, state in enumerate(run.managers):
        if run.decided == "init" and f"prepared {rm}" in run.messages:
            yield run._replace(prepared=run.prepared | {rm})
        becomes = {"commit": "committed", "abort": "aborted"}
        for after in [becomes[m] for m in run.messages if m in becomes] + (["aborted"] if state == "working" else []):
            yield run._replace(managers=(*run.managers[:rm], after, *run.managers[rm + 1 :]))
        if state == "working":
            managers = (*run.managers[:rm], "prepared", *run.managers[rm + 1 :])
            yield run._replace(managers=managers, messages=run.messages | {f"prepared {rm}"})


def levels(participants: int) -> list[int]:
    """How many states are first reached after 0, 1, 2, ... steps."""
    frontier = {Run(("working",) * participants, "init", frozenset(), frozenset())}
    found, sizes = set(frontier), []
    while frontier:
        sizes.append(len(frontier))
        frontier = {after for run in frontier for after in moves(run)} - found
        found |= frontier
    return sizes


@pytest.mark.parametrize("participants", [1, 2, 3, 4])
def test_two_phase_commit_has_the_states_of_lamports(two_phase: Profile, participants: int) -> None:
    result = explore(two_phase.bounded(participants=participants), engine="interpreted", until="all")
    assert result.levels == tuple(levels(participants))
    assert result.findings["all_agree"].verdict == "holds"


def test_three_participants_have_as_many_states_as_tlc_finds(two_phase: Profile) -> None:
    """TLC says of TwoPhase with three resource managers: 1146 states generated, 288 distinct states found, depth 11."""
    result = explore(two_phase.bounded(), until="all")
    assert (result.generated, result.distinct, len(result.levels)) == (1146, 288, 11)


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        ({"waits_for_all": 0}, 5),
        ({"writes_first": 0, "coordinator_crashes": 1}, 11),
        ({"writes_first": 0}, None),
        ({"coordinator_crashes": 2}, None),
    ],
)
def test_haste_and_forgotten_decisions_break_two_phase_commit(
    two_phase: Profile, changes: dict[str, int], length: int | None
) -> None:
    trace = (
        explore(two_phase.bounded(**changes), properties=["all_agree"], engine="interpreted")
        .findings["all_agree"]
        .trace
    )
    assert (None if trace is None else len(trace) - 1) == length


@pytest.mark.parametrize(("hands_out_again", "verdict"), [(1, "holds"), (0, "violated")])
def test_a_job_of_a_stopped_worker_is_done_if_the_queue_takes_it_back(hands_out_again: int, verdict: str) -> None:
    queue = profile_from_file(f"{EXAMPLES}/job_queue.py:JOB_QUEUE")
    model = queue.bounded(hands_out_again=hands_out_again, worker_stops=1)
    assert (
        explore(model, properties=["done_in_the_end"], engine="interpreted").findings["done_in_the_end"].verdict
        == verdict
    )
