"""Exchanges that could as well end at once are left out. What a search says is the same as with them: verdicts and shortest traces."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sampling import quick_one_in

from neverlost.explorer.search import explore
from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec.kafka.replication.versions import KAFKA_2_1, KAFKA_4_1, version_named

PRODUCES, FETCHES = "produces_know_epoch", "fetches_know_epoch"
RESPONSES, CUTS, BYTES = "responses_know_epoch", "cuts_know_epoch", "responses_keep_bytes"
CHANGES = (PRODUCES, FETCHES, RESPONSES, CUTS, BYTES)
PROPERTIES = ("acked_never_lost", "committed_never_lost", "isr_has_committed", "log_matching")
BOUNDS = {"replicas": 3, "log_size": 1, "values": 2, "delays": 1}

COMPARED = (
    ("kafka-2.1", 2, ()),
    ("kafka-2.1", 3, ()),
    ("kafka-2.1", 3, (PRODUCES, FETCHES, BYTES)),
    ("kafka-2.1", 3, (FETCHES, BYTES)),
    ("kafka-2.1", 3, (PRODUCES, BYTES)),
    ("kafka-4.1", 2, (PRODUCES, FETCHES, RESPONSES, CUTS)),
    ("kafka-4.1", 2, (PRODUCES, RESPONSES, CUTS, BYTES)),
    ("kafka-4.1", 2, (PRODUCES, FETCHES, RESPONSES, BYTES)),
    ("kafka-4.1", 2, CHANGES),
)
COMPARED_LARGE = tuple(
    (version, moves, changes)
    for version in ("kafka-2.8", "kafka-3.9-zk", "kafka-4.1")
    for moves in (2, 3)
    for changes in ((), *(tuple(c for c in CHANGES if c != left_out) for left_out in CHANGES), CHANGES)
)
LATE = (
    "append_first",
    "make_delayed_produce",
    "begin_look",
    "end_look",
    "check_fetch",
    "count_fetch",
    "expand_isr_late",
    "answer_fetch",
    "receive_response",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "compared" in metafunc.fixturenames:
        rows = COMPARED + COMPARED_LARGE if metafunc.config.getoption("--thorough") else COMPARED[:1]
        metafunc.parametrize(
            "compared", dict.fromkeys(rows), ids=lambda row: f"{row[0]} moves {row[1]} {'+'.join(row[2])}"
        )


def found(version: str, moves: int, changes: tuple[str, ...], every_delay: bool) -> dict[str, tuple[str, int | None]]:
    """The verdict of each property, and how many steps its shortest violation has."""
    chosen = {"acks": ACKS_ALL, "min_isr": 2, "pipelined": True, "leader_moves": moves, "every_delay": every_delay}
    if version == "kafka-4.1":
        chosen |= {"keeps_known_ends": False, "takes_back_proposals": False}
    model = version_named(version).bounded(**BOUNDS, leader_epochs=moves + 1, **chosen, **dict.fromkeys(changes, True))
    result = explore(model, properties=PROPERTIES, until="each", symmetry=True)
    assert result.stopped_by is None
    return {
        name: (finding.verdict, None if finding.trace is None else len(finding.trace.steps))
        for name, finding in result.findings.items()
    }


def test_what_is_left_out_makes_no_difference(compared: tuple[str, int, tuple[str, ...]]) -> None:
    version, moves, changes = compared
    assert found(version, moves, changes, every_delay=False) == found(version, moves, changes, every_delay=True)


@pytest.mark.parametrize(
    ("version", "also"),
    [pytest.param(KAFKA_4_1, (), marks=pytest.mark.thorough), (KAFKA_2_1, ("follow_before_cut", "cut_later"))],
    ids=lambda value: value.name if isinstance(value, Profile) else "",
)
def test_with_every_delay_all_that_may_be_delayed_happens_although_all_is_said_in_its_epoch(
    version: Profile, also: tuple[str, ...]
) -> None:
    chosen = {"acks": ACKS_ALL, "min_isr": 2, "leader_moves": 1, "keeps_known_ends": False, "every_delay": True}
    model = version.bounded(**BOUNDS, leader_epochs=2, **chosen, **dict.fromkeys(CHANGES, True))
    result = explore(model, properties=PROPERTIES, until="all", symmetry=True)
    assert result.stopped_by is None
    assert not {*LATE, *also} & {*result.dead_actions}
    assert "read_slice" in result.switched_off_actions


IN_ITS_EPOCH = dict.fromkeys(CHANGES, 1)
ONE_VALUE = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 4, "delays": 1}
ALL = {"acks": ACKS_ALL, "min_isr": 2, "keeps_known_ends": 0}


def steps_to(version: Profile, violated: str, **chosen: int) -> int | None:
    """How many steps the shortest violation has; None if there is none."""
    result = explore(version.bounded(**chosen), properties=[violated], symmetry=True)
    assert result.stopped_by is None
    trace = result.findings[violated].trace
    return None if trace is None else len(trace.steps)


@pytest.mark.parametrize(("faults", "steps"), [({"crashes": 1}, 12), ({"leader_moves": 1}, 11)], ids=["crash", "move"])
@pytest.mark.parametrize("name", quick_one_in(2, ["kafka-4.3", "kafka-3.6"]))
def test_a_proposal_that_is_taken_back_and_granted_loses_an_acknowledged_record(
    name: str, faults: Mapping[str, int], steps: int
) -> None:
    chosen = {**ONE_VALUE, **ALL, **IN_ITS_EPOCH, **faults}
    assert steps_to(version_named(name), "acked_never_lost", **chosen) == steps
    assert steps_to(version_named(name), "acked_never_lost", **chosen, takes_back_proposals=0) is None


@pytest.mark.parametrize(
    ("name", "steps"),
    [("kafka-3.1-kraft", 16), ("kafka-3.3", 18), ("kafka-3.5", 18)],
)
@pytest.mark.thorough
def test_where_a_smaller_isr_is_a_new_epoch_a_proposal_is_taken_back_too(name: str, steps: int) -> None:
    chosen = {**ONE_VALUE, **ALL, **IN_ITS_EPOCH, "leader_epochs": 5, "pauses": 2}
    assert steps_to(version_named(name), "isr_has_committed", **chosen) == steps
    assert steps_to(version_named(name), "isr_has_committed", **chosen, takes_back_proposals=0) is None


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("kafka-2.1", 10),
        ("kafka-4.3", 13),
        pytest.param("kafka-0.9", 10, marks=pytest.mark.thorough),
        pytest.param("kafka-3.9-zk", 13, marks=pytest.mark.thorough),
    ],
)
def test_a_look_without_a_lock_loses_an_acknowledged_record_by_one_leader_move(name: str, steps: int) -> None:
    chosen = {**ONE_VALUE, **ALL, **IN_ITS_EPOCH, "values": 2, "leader_epochs": 2, "leader_moves": 1}
    chosen["takes_back_proposals"] = 0
    without_epoch = {**chosen, PRODUCES: 0}
    assert steps_to(version_named(name), "acked_never_lost", **without_epoch) == steps
    assert steps_to(version_named(name), "acked_never_lost", **without_epoch, looks_at_once=1) is None
    assert steps_to(version_named(name), "acked_never_lost", **chosen) is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", quick_one_in(2, ["kafka-3.9-zk", "kafka-4.3"]))
def test_a_cut_after_the_check_of_its_epoch_takes_what_is_committed(name: str) -> None:
    moves = {"values": 2, "leader_epochs": 4, "leader_moves": 3, "pipelined": 1, "takes_back_proposals": 0}
    chosen = {**ONE_VALUE, **ALL, **IN_ITS_EPOCH, **moves}
    assert steps_to(version_named(name), "isr_has_committed", **{**chosen, CUTS: 0}) == 15
    assert steps_to(version_named(name), "isr_has_committed", **chosen) is None


@pytest.mark.thorough
def test_a_cut_after_the_check_of_its_epoch_loses_an_acknowledged_record() -> None:
    moves = {
        "values": 2,
        "leader_epochs": 5,
        "leader_moves": 3,
        "crashes": 1,
        "pipelined": 1,
        "takes_back_proposals": 0,
    }
    chosen = {**ONE_VALUE, **ALL, **IN_ITS_EPOCH, **moves, CUTS: 0}
    assert steps_to(version_named("kafka-4.3"), "acked_never_lost", **chosen) == 21
