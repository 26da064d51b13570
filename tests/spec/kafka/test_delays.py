"""Exchanges that could as well end at once are left out. What a search says is the same as with them: verdicts and shortest traces."""

from __future__ import annotations

import pytest

from neverlost.explorer.search import explore
from neverlost.model.core import Profile
from neverlost.model.kafka.state import ACKS_ALL
from neverlost.spec.kafka.versions import KAFKA_2_1, KAFKA_4_1, version_named

PRODUCES, FETCHES = "produces_know_epoch", "fetches_know_epoch"
RESPONSES, BYTES = "responses_know_epoch", "responses_keep_bytes"
CHANGES = (PRODUCES, FETCHES, RESPONSES, BYTES)
PROPERTIES = ("acked_never_lost", "committed_never_lost", "isr_has_committed", "log_matching")
BOUNDS = {"replicas": 3, "log_size": 1, "values": 2, "delays": 1}

COMPARED = (
    ("kafka-2.1", 3, ()),
    ("kafka-2.1", 3, (PRODUCES, FETCHES, BYTES)),
    ("kafka-2.1", 3, (FETCHES, BYTES)),
    ("kafka-2.1", 3, (PRODUCES, BYTES)),
    ("kafka-4.1", 2, (PRODUCES, FETCHES, RESPONSES)),
    ("kafka-4.1", 2, (PRODUCES, RESPONSES, BYTES)),
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
    "check_fetch",
    "count_fetch",
    "expand_isr_late",
    "answer_fetch",
    "receive_response",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "compared" in metafunc.fixturenames:
        rows = COMPARED + COMPARED_LARGE if metafunc.config.getoption("--thorough") else COMPARED
        metafunc.parametrize(
            "compared", dict.fromkeys(rows), ids=lambda row: f"{row[0]} moves {row[1]} {'+'.join(row[2])}"
        )


def found(version: str, moves: int, changes: tuple[str, ...], every_delay: bool) -> dict[str, tuple[str, int | None]]:
    """The verdict of each property, and how many steps its shortest violation has."""
    chosen = {"acks": ACKS_ALL, "min_isr": 2, "pipelined": True, "leader_moves": moves, "every_delay": every_delay}
    if version == "kafka-4.1":
        chosen["keeps_known_ends"] = False
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
    [(KAFKA_4_1, ()), (KAFKA_2_1, ("follow_before_cut", "cut_later"))],
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
    assert "read_slice" in result.dead_actions
