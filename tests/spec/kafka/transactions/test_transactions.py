"""Transactions: what breaks what, in how many steps; what each release and client does; and the same states by hand."""

from __future__ import annotations

import pytest
from oracles import transactions

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.model.core import BoundsError, Profile, WrittenError
from neverlost.spec.families import profiles
from neverlost.spec.kafka.transactions.matrix import MATRIX
from neverlost.spec.kafka.transactions.versions import PROTOCOL, VERSIONS

TORN, READ, LOST, HANGS = ASKED = ("all_or_nothing", "no_aborted_read", "no_commit_lost", "nothing_hangs")
OTHERS = ("zombie_fenced", "no_duplicate", "in_order", "markers_accepted")
RULES = {
    "0.11.0.0": transactions.Rules(v2=False, asks=False, bumps=False, strict=False, fences=False),
    "0.11": transactions.Rules(v2=False, asks=False, bumps=False, strict=False),
    "2.5": transactions.Rules(v2=False, asks=False, bumps=True, strict=False),
    "3.6": transactions.Rules(v2=False, asks=True, bumps=True, strict=False),
    "4.0": transactions.Rules(v2=True, asks=True, bumps=True, strict=False),
    "4.2": transactions.Rules(v2=True, asks=True, bumps=True, strict=True),
}
BY_HAND = [
    *(({}, version) for version in RULES),
    ({"timeouts": 1}, "4.0"),
    ({"late_markers": 1}, "4.0"),
    ({"late_markers": 1}, "4.2"),
    ({"coordinator_moves": 1}, "4.2"),
    ({"coordinator_moves": 2, "partial_loads": 1}, "4.0"),
]
LONGER = [
    *(({"coordinator_moves": 1}, version) for version in RULES if version != "4.2"),
    *(({"coordinator_moves": 2}, version) for version in RULES),
    *(({"coordinator_moves": 2, "timeouts": 1}, version) for version in ("4.0", "4.2")),
    ({"coordinator_moves": 2, "late_markers": 1}, "4.2"),
    *(({"coordinator_moves": 2, "partial_loads": 1}, version) for version in RULES if version != "4.0"),
    ({"coordinator_moves": 2, "partial_loads": 1, "timeouts": 1}, "4.2"),
    ({"coordinator_moves": 2, "partial_loads": 1, "late_markers": 1}, "3.6"),
    *(({"timeouts": 1}, version) for version in ("0.11.0.0", "0.11", "2.5", "3.6")),
    *(({"late_markers": 1}, version) for version in ("0.11", "2.5", "3.6")),
    *(({"late_markers": 1, "timeouts": 1}, version) for version in ("3.6", "4.0", "4.2")),
    *(({"delays": 1}, version) for version in ("0.11", "2.5", "3.6", "4.2")),
]


def searched(version: str, *properties: str, **asked: int | str | bool) -> Result:
    """The search of a version, complete."""
    model = profiles()[f"kafka-transactions-{version}"].model(**asked)
    result = explore(model, until="all", properties=properties or (*ASKED, *OTHERS))
    assert result.complete
    return result


def broken(version: str, *properties: str, **asked: int | str | bool) -> dict[str, int]:
    """How many steps break each property that does not hold."""
    found = searched(version, *properties, **asked).findings
    return {name: len(one.trace) - 1 for name, one in found.items() if one.trace and one.asserted}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "by_hand" in metafunc.fixturenames:
        rows = BY_HAND + LONGER if metafunc.config.getoption("--thorough") else BY_HAND[::2]
        metafunc.parametrize("by_hand", rows, ids=[f"{version}-{'-'.join(budgets)}" for budgets, version in rows])


def test_a_search_by_hand_finds_the_same_states_and_the_same_shortest_stories(
    by_hand: tuple[dict[str, int], str],
) -> None:
    budgets, version = by_hand
    sizes, found = transactions.search(RULES[version], **budgets)
    result = searched(version, *ASKED, **budgets)
    names = {"torn": TORN, "aborted read": READ, "commit lost": LOST, "hangs": HANGS}
    assert list(result.levels) == sizes
    assert {name: len(one.trace) - 1 for name, one in result.findings.items() if one.trace and name in ASKED} == {
        names[word]: level for word, level in found.items()
    }


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_without_faults_nothing_is_broken_and_every_witness_is_found(version: Profile) -> None:
    name = version.name.removeprefix("kafka-transactions-")
    assert broken(name) == {}
    result = explore(profiles()[f"kafka-transactions-{name}"].model(timeouts=1), until="all")
    never = [one for one, found in result.findings.items() if found.property.kind == "sometimes" and not found.trace]
    assert never == []


@pytest.mark.parametrize(
    ("version", "asked", "steps"),
    [
        ("0.11", {"delays": 1, "keeps_epoch": False}, {TORN: 17, READ: 13, LOST: 16, HANGS: 12}),
        ("0.11", {"delays": 1}, {TORN: 17, READ: 13, LOST: 13, HANGS: 8, "zombie_fenced": 15}),
        ("3.5", {"delays": 1}, {TORN: 17, READ: 13, LOST: 13, HANGS: 8, "zombie_fenced": 15}),
        ("3.6", {"delays": 1, "keeps_epoch": False}, {TORN: 17, READ: 13, LOST: 16}),
        ("3.6", {"delays": 1}, {TORN: 17, READ: 13, LOST: 14}),
        ("3.6", {"delays": 1, "verification": False}, {TORN: 17, READ: 13, LOST: 13, HANGS: 8, "zombie_fenced": 15}),
        ("4.2", {"delays": 1}, {}),
        ("4.2", {"delays": 1, "client": "tv0"}, {TORN: 17, READ: 13, LOST: 14}),
        ("4.2", {"delays": 1, "server": "tv0"}, {TORN: 17, READ: 13, LOST: 14}),
        ("4.1", {"late_markers": 1}, {TORN: 13, READ: 10, LOST: 11}),
        ("4.1", {"late_markers": 1, "delays": 1}, {TORN: 13, READ: 10, LOST: 11}),
        ("4.2", {"late_markers": 1, "delays": 1}, {}),
        ("4.2", {"late_markers": 1, "coordinator_moves": 1, "timeouts": 1}, {}),
        ("4.2", {"late_markers": 1, "mixed_brokers": True}, {TORN: 13, READ: 10, LOST: 11}),
        ("4.2", {"coordinator_moves": 1, "marker_check": "newer"}, {"markers_accepted": 6}),
        ("4.2", {"late_markers": 1, "client": "tv0"}, {TORN: 15, READ: 12, LOST: 12}),
        ("4.2", {"expirations": 1, "delays": 1}, {}),
        ("4.2", {"lost_markers": 1}, {TORN: 13, READ: 11, LOST: 11, HANGS: 6, "zombie_fenced": 12}),
    ],
)
def test_what_breaks_transactions(version: str, asked: dict[str, int | str | bool], steps: dict[str, int]) -> None:
    assert broken(version, **asked) == steps


def test_a_forgotten_producer_lets_a_zombie_write_before_partitions_ask() -> None:
    assert set(broken("3.5", expirations=1)) == {TORN, READ, HANGS, "zombie_fenced"}
    assert broken("3.6", expirations=1) == {}


@pytest.mark.parametrize("unanswered", ["new-epoch", "closes"])
def test_who_never_goes_on_in_the_same_epoch_without_an_answer_is_safe_once_partitions_ask(unanswered: str) -> None:
    assert broken("3.6", delays=1, unanswered=unanswered, keeps_epoch=False) == {}
    assert TORN in broken("3.5", TORN, delays=1, unanswered=unanswered, keeps_epoch=False)
    assert TORN in broken("3.6", TORN, late_markers=1, unanswered=unanswered, keeps_epoch=False)


@pytest.mark.parametrize(("version", "steps"), [("0.11", (17, 14, 13)), ("3.6", (18, 15, 14)), ("3.9", (18, 15, 14))])
def test_javas_producer_goes_on_in_the_same_epoch_after_a_record_is_given_up_in_a_commit(
    version: str, steps: tuple[int, int, int]
) -> None:
    asked = broken(version, TORN, READ, LOST, delays=1, unanswered="closes")
    assert asked == dict(zip((TORN, READ, LOST), steps, strict=True))


def test_in_version_2_every_end_has_a_new_epoch_whatever_the_client_does() -> None:
    assert broken("4.2", delays=2, unanswered="closes") == {}
    assert searched("4.2", delays=1).levels == searched("4.2", delays=1, keeps_epoch=False).levels


def test_after_a_timeout_a_producer_goes_on_in_version_2_unless_fencing_raises_the_epoch_twice() -> None:
    goes_on = "goes_on_after_timeouts"
    assert broken("4.1", goes_on, timeouts=1) == {}
    assert broken("4.0.0", goes_on, timeouts=1) == {goes_on: 5}
    assert broken("3.9", goes_on, timeouts=1) == {goes_on: 5}


def test_what_is_decided_completes_unless_a_partition_refuses_its_marker() -> None:
    completes = "decided_completes"
    assert broken("4.2", completes, late_markers=1, coordinator_moves=1) == {}
    assert broken("4.2", completes, coordinator_moves=1, marker_check="newer") == {completes: 6}


def test_a_cluster_before_4_0_has_no_version_2() -> None:
    with pytest.raises((BoundsError, WrittenError), match=r"came with 4\.0"):
        profiles()["kafka-transactions-3.6"].model(server="tv2")
    assert searched("3.6", client="tv2").levels == searched("3.6", client="tv0").levels


@pytest.mark.parametrize(
    ("release", "version"),
    [("2.4", "0.11"), ("2.6", "2.5"), ("3.0", "2.5"), ("3.9", "3.6"), ("4.0.2", "4.0"), ("4.1", "4.0"), ("4.4", "4.2")],
)
def test_the_name_of_a_release_means_a_version(release: str, version: str) -> None:
    assert profiles()[f"kafka-transactions-{release}"].name == f"kafka-transactions-{version}"


def test_the_matrix_asks_every_version_and_both_clients() -> None:
    assert MATRIX.versions == VERSIONS
    assert {cell.words[0] for cell in MATRIX.cells()} == {"tv0", "tv2"}
    assert set(MATRIX.cells()[0].budgets) <= {budget.name for budget in PROTOCOL.budgets}
