"""Consumer groups: what breaks what, in how many steps; what each release knows; and the same states by hand."""

from __future__ import annotations

import re

import pytest
from oracles import consumer_groups
from sampling import quick_one_in

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import BoundsError, WrittenError
from neverlost.spec.families import profiles
from neverlost.spec.kafka.groups.claims import CLAIMS
from neverlost.spec.kafka.groups.matrix import MATRIX

SKIPPED, REPEATED, BACK, OWNERS, READERS = ASKED = (
    "none_skipped", "none_repeated", "never_back", "one_owner", "one_reader",
)  # fmt: skip


def searched(version: str, *properties: str, **asked: int | str) -> Result:
    """The search of a version, complete."""
    model = profiles()[f"kafka-groups-{version}"].model(**asked)
    result = explore(model, until="all", properties=properties or ASKED)
    assert result.complete
    return result


def broken(result: Result) -> dict[str, int]:
    """How many steps break each property that does not hold."""
    return {name: len(found.trace) - 1 for name, found in result.findings.items() if found.trace and name in ASKED}


ROWS = [
    {"crashes": 1},
    {"timeouts": 1},
    {"joins": 1},
    {"leaves": 1},
    {"adds": 1},
    {"crashes": 1, "joins": 1},
]
PROTOCOLS = ("eager", "cooperative", "consumer")


def assert_the_same_by_hand(version: str, protocol: str, commit: str, reset: str, **asked: int) -> None:
    asked = {"members": 2, "partitions": 2, "records": 1, "generations": 4, **asked}
    sizes, found = consumer_groups.search(
        release=tuple(map(int, version.split("."))),
        protocol=protocol,
        auto=commit == "auto",
        latest=reset == "latest",
        **asked,
    )
    of_model = {BUDGETS.get(name, name): count for name, count in asked.items()}
    result = searched(version, SKIPPED, REPEATED, READERS, protocol=protocol, commit=commit, reset=reset, **of_model)
    names = {"skipped": SKIPPED, "repeated": REPEATED, "shared": READERS}
    assert (result.distinct, result.depth) == (sum(sizes), len(sizes))
    assert broken(result) == {names[name]: level for name, level in found.items()}


BUDGETS = {
    "adds": "partition_adds",
    "failures": "heartbeat_failures",
    "moves": "coordinator_moves",
    "refusals": "commit_failures",
}


CLIENTS = [(protocol, *how) for how in (("auto", "earliest"), ("sync", "latest")) for protocol in PROTOCOLS]


@pytest.mark.parametrize("budgets", ROWS, ids="-".join)
@pytest.mark.parametrize("client", quick_one_in(2, CLIENTS, "-".join))
def test_a_search_by_hand_finds_the_same_states_and_the_same_shortest_stories(
    client: tuple[str, str, str], budgets: dict[str, int]
) -> None:
    assert_the_same_by_hand("4.3.1", *client, **budgets)


def test_by_hand_too_who_is_closed_while_it_joins_commits_nothing() -> None:
    assert_the_same_by_hand("4.3.1", "cooperative", "sync", "earliest", joins=1, leaves=1)


@pytest.mark.parametrize(
    ("commit", "budgets"),
    [
        ("sync", {"failures": 1, "leaves": 1}),
        ("auto", {"failures": 1, "leaves": 1}),
        ("sync", {"failures": 2, "joins": 1, "leaves": 1, "generations": 5}),
        pytest.param("auto", {"failures": 2, "adds": 1, "crashes": 1, "generations": 5}, marks=pytest.mark.thorough),
        pytest.param("sync", {"failures": 1, "crashes": 1, "joins": 1, "generations": 5}, marks=pytest.mark.thorough),
    ],
)
def test_by_hand_too_what_is_taken_while_a_heartbeat_fails_is_free(commit: str, budgets: dict[str, int]) -> None:
    assert_the_same_by_hand("4.3.1", "consumer", commit, "latest", **budgets)


@pytest.mark.parametrize(
    ("version", "commit", "reset", "budgets"),
    [
        ("3.9", "sync", "latest", {"joins": 1, "leaves": 1}),
        ("3.7", "auto", "earliest", {"joins": 1, "leaves": 1}),
        pytest.param("3.7", "sync", "earliest", {"joins": 1, "timeouts": 1}, marks=pytest.mark.thorough),
        pytest.param("3.8", "sync", "latest", {"adds": 1, "leaves": 1, "partitions": 3}, marks=pytest.mark.thorough),
    ],
)
def test_by_hand_too_what_comes_while_another_is_fetched_may_be_reset(
    version: str, commit: str, reset: str, budgets: dict[str, int]
) -> None:
    assert_the_same_by_hand(version, "consumer", commit, reset, **budgets)


@pytest.mark.parametrize(
    "budgets",
    [
        {"refusals": 1, "joins": 1},
        {"moves": 1, "joins": 1},
        pytest.param({"leaves": 1, "adds": 1, "partitions": 3}, marks=pytest.mark.thorough),
        pytest.param({"refusals": 1, "joins": 1, "crashes": 1}, marks=pytest.mark.thorough),
        pytest.param({"refusals": 2, "timeouts": 1}, marks=pytest.mark.thorough),
    ],
    ids="-".join,
)
def test_by_hand_too_a_commit_before_a_reconciliation_has_what_is_in_hand_the_second_time(
    budgets: dict[str, int],
) -> None:
    assert_the_same_by_hand("4.0", "consumer", "auto", "earliest", **budgets)


@pytest.mark.parametrize(
    ("version", "protocol", "reset", "budgets"),
    [
        ("4.2.0", "eager", "latest", {"moves": 1, "joins": 1}),
        ("4.2.0", "cooperative", "latest", {"moves": 1, "joins": 1}),
        ("4.2.0", "cooperative", "latest", {"moves": 1, "adds": 1}),
        ("4.2.0", "eager", "earliest", {"moves": 1, "joins": 1, "crashes": 1, "partitions": 1, "generations": 3}),
        ("3.2.3", "eager", "earliest", {"moves": 2, "joins": 1}),
        *(
            pytest.param(version, protocol, reset, budgets, marks=pytest.mark.thorough)
            for version, protocol, reset, budgets in (
                ("4.2.0", "eager", "earliest", {"moves": 1, "timeouts": 1}),
                ("4.2.0", "cooperative", "earliest", {"moves": 1, "timeouts": 1}),
                ("4.2.0", "eager", "latest", {"moves": 1, "joins": 1, "adds": 1}),
                ("4.2.0", "cooperative", "earliest", {"moves": 1, "joins": 1, "crashes": 1, "generations": 3}),
                ("3.2.3", "eager", "earliest", {"moves": 2, "timeouts": 1}),
                ("3.2.3", "eager", "earliest", {"moves": 2, "joins": 1, "adds": 1}),
            )
        ),
    ],
)
def test_by_hand_too_a_coordinator_does_not_have_the_last_generation(
    version: str, protocol: str, reset: str, budgets: dict[str, int]
) -> None:
    assert_the_same_by_hand(version, protocol, "sync", reset, **budgets)


@pytest.mark.parametrize(
    ("version", "reset", "budgets"),
    [
        ("4.2.0", "earliest", {"moves": 1, "joins": 1, "generations": 2}),
        ("4.2.0", "latest", {"moves": 2, "joins": 1}),
        ("4.2.0", "earliest", {"moves": 1, "joins": 1, "crashes": 1, "partitions": 1, "generations": 3}),
        *(
            pytest.param(version, reset, budgets, marks=pytest.mark.thorough)
            for version, reset, budgets in (
                ("4.2.0", "earliest", {"moves": 1, "timeouts": 1}),
                ("4.2.0", "latest", {"moves": 1, "leaves": 1, "generations": 3}),
                ("4.3.0", "latest", {"moves": 1, "joins": 1, "adds": 1}),
                ("3.8", "latest", {"moves": 2, "leaves": 1}),
            )
        ),
    ],
)
def test_by_hand_too_a_coordinator_does_not_have_the_last_heartbeats(
    version: str, reset: str, budgets: dict[str, int]
) -> None:
    assert_the_same_by_hand(version, "consumer", "sync", reset, **budgets)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("commit", ["auto", "sync", "async"])
@pytest.mark.parametrize("event", ["joins", "leaves", "crashes", "timeouts", "partition_adds", "removals"])
def test_with_earliest_and_processing_between_polls_nothing_is_skipped(protocol: str, commit: str, event: str) -> None:
    found = broken(searched("4.3.1", SKIPPED, protocol=protocol, commit=commit, **{event: 1}))
    assert (SKIPPED in found) == ((protocol, commit, event) == ("consumer", "auto", "crashes"))


@pytest.mark.parametrize(
    ("asked", "steps"),
    [
        ({"commit": "auto", "failures": 1}, 3),
        ({"commit": "auto-threads", "crashes": 1}, 4),
        ({"commit": "auto-threads", "joins": 1, "drops_records": True}, 5),
        ({"commit": "sync", "failures": 1, "passes_failed": True}, 4),
        ({"commit": "before", "crashes": 1}, 3),
        ({"commit": "sync", "reset": "latest", "partition_adds": 1}, 7),
        ({"commit": "sync", "reset": "latest", "partition_adds": 1, "protocol": "consumer"}, 5),
        ({"commit": "sync", "reset": "latest", "removals": 1}, 3),
        ({"commit": "sync", "reset": "latest", "leaves": 2, "expiries": 1}, 8),
        ({"commit": "sync", "reset": "latest", "new_group": True, "crashes": 1}, 6),
    ],
)
def test_what_skips_a_record(asked: dict[str, int | str], steps: int) -> None:
    assert broken(searched("4.3.1", SKIPPED, **asked)) == {SKIPPED: steps}


def test_a_cooperative_rebalance_repeats_what_is_polled_while_it_lasts_if_commits_are_automatic() -> None:
    assert broken(searched("4.3.1", commit="auto", protocol="cooperative", joins=1)) == {REPEATED: 14}
    for protocol, commit in (("eager", "auto"), ("consumer", "auto"), ("cooperative", "sync")):
        assert broken(searched("4.3.1", commit=commit, protocol=protocol, joins=1)) == {}


def test_an_application_that_forgets_to_commit_before_it_gives_partitions_up_repeats_records() -> None:
    assert broken(searched("4.3.1", commit="sync", joins=1)) == {}
    assert broken(searched("4.3.1", commit="sync", joins=1, commits_on_revoke=False)) == {REPEATED: 10}


def test_offsets_go_back_only_by_repeated_commits_and_lost_ones() -> None:
    assert broken(searched("4.3.1", BACK, commit="async", commit_failures=1)) == {}
    assert broken(searched("4.3.1", BACK, commit="async", commit_failures=1, retries_async=True)) == {BACK: 11}
    assert broken(searched("4.3.1", BACK, commit="sync", timeouts=1)) == {}
    assert broken(searched("4.3.1", BACK, commit="sync", rollbacks=1)) == {BACK: 5}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("commit", ["auto", "sync", "before"])
def test_a_commit_that_is_held_up_takes_an_offset_back_unless_its_member_was_expelled(
    protocol: str, commit: str
) -> None:
    asked = {"commit": commit, "protocol": protocol}
    assert BACK in broken(searched("4.3.1", BACK, delays=1, **asked))
    repeats = {REPEATED} if (commit, protocol) != ("sync", "cooperative") else set()
    assert broken(searched("4.3.1", BACK, REPEATED, delays=1, joins=1, **asked)).keys() == {BACK, *repeats}
    assert OWNERS not in broken(searched("4.3.1", OWNERS, delays=1, timeouts=1, **asked))


UNANSWERED: dict[str, int | str] = {"reset": "earliest", "commit_failures": 1}


@pytest.mark.parametrize(
    ("version", "asked", "found"),
    [
        ("3.7", {"commit": "sync", "coordinator_moves": 1, "crashes": 1}, {BACK: 11}),
        ("3.7", {"commit": "sync", "crashes": 1}, {}),
        ("3.7", {"commit": "sync", "coordinator_moves": 1, "crashes": 1, "protocol": "consumer"}, {BACK: 5}),
        (
            "3.7",
            {"commit": "sync", "coordinator_moves": 1, "protocol": "consumer", "preview_acknowledges_lost": False},
            {},
        ),
        ("4.3.1", {"commit": "sync", "coordinator_moves": 1, "crashes": 1}, {}),
        ("4.3.1", {"commit": "before", "leaves": 1}, {SKIPPED: 3}),
        ("3.7", {"commit": "before", "leaves": 1}, {}),
    ],
)
def test_a_commit_that_was_answered_with_an_error_counts_at_once_or_when_its_log_is_loaded(
    version: str, asked: dict[str, int | str], found: dict[str, int]
) -> None:
    assert broken(searched(version, SKIPPED, BACK, **UNANSWERED, **asked)) == found


@pytest.mark.parametrize(
    ("version", "asked", "expected"),
    [
        ("0.9.0.1", {"joins": 1, "coordinator_moves": 1}, {READERS}),
        ("0.11.0.0", {"joins": 1, "coordinator_moves": 1}, {READERS}),
        ("0.11.0.1", {"joins": 1, "coordinator_moves": 1}, set()),
        ("0.11.0.1", {"joins": 1, "coordinator_moves": 2}, {READERS}),
        ("3.2.3", {"joins": 1, "coordinator_moves": 2}, {READERS}),
        ("3.4.0", {"joins": 1, "coordinator_moves": 2}, set()),
        ("4.0", {"joins": 1, "coordinator_moves": 1}, {READERS}),
        ("4.0", {"timeouts": 1, "coordinator_moves": 1}, {READERS, OWNERS}),
        ("4.2.2", {"joins": 1, "coordinator_moves": 2}, set()),
        ("3.7", {"protocol": "consumer", "leaves": 1, "coordinator_moves": 1}, {READERS, OWNERS}),
        ("4.0", {"protocol": "consumer", "leaves": 1, "coordinator_moves": 1}, {READERS, OWNERS}),
    ],
)
def test_members_have_an_assignment_that_the_next_coordinator_has_not(
    version: str, asked: dict[str, int | str], expected: set[str]
) -> None:
    found = broken(searched(version, READERS, OWNERS, commit="sync", drops_what_is_taken=False, **asked))
    assert found.keys() == expected


@pytest.mark.parametrize(
    ("version", "asked", "expected"),
    [
        ("3.7", {"leaves": 1, "heartbeat_failures": 1}, set()),
        ("3.9", {"leaves": 1, "heartbeat_failures": 1}, {BACK, REPEATED, OWNERS, READERS}),
        ("4.3.1", {"leaves": 1, "heartbeat_failures": 1}, {BACK, REPEATED, OWNERS, READERS}),
        ("4.3.1", {"leaves": 1, "coordinator_moves": 1}, {BACK, REPEATED, OWNERS, READERS}),
        ("4.3.1", {"joins": 1, "heartbeat_failures": 1}, set()),
    ],
)
def test_a_partition_that_is_being_taken_passes_for_given_up_from_3_8_on(
    version: str, asked: dict[str, int | str], expected: set[str]
) -> None:
    assert broken(searched(version, protocol="consumer", commit="sync", **asked)).keys() == expected


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("event", ["joins", "leaves"])
def test_a_new_group_that_begins_at_the_end_skips_a_record_when_its_partitions_move(protocol: str, event: str) -> None:
    for reset, skips in (("latest", True), ("earliest", False)):
        found = broken(
            searched("4.3.1", SKIPPED, protocol=protocol, commit="sync", reset=reset, new_group=True, **{event: 1})
        )
        assert (SKIPPED in found) == skips


def test_a_coordinator_that_moves_refuses_a_commit_that_is_repeated_after_a_newer_one() -> None:
    for retries in (False, True):
        found = broken(searched("4.3.1", BACK, commit="async", coordinator_moves=1, retries_async=retries))
        assert (BACK in found) == retries


def test_nothing_is_skipped_by_a_commit_that_is_held_up_after_processing() -> None:
    for protocol in PROTOCOLS:
        for event in ({"joins": 1}, {"crashes": 1}, {"timeouts": 1}):
            assert broken(searched("4.3.1", SKIPPED, commit="sync", protocol=protocol, delays=1, **event)) == {}


def test_the_new_consumer_commits_what_it_is_about_to_return_to_3_9_and_from_4_2_on() -> None:
    for version, skips in (("3.7", True), ("4.0", False), ("4.2.0", True), ("4.3.1", True)):
        found = broken(searched(version, SKIPPED, commit="auto", protocol="consumer", crashes=1))
        assert found == ({SKIPPED: 4} if skips else {})
    for version, skips in (("0.9.0.0", True), ("0.9.0.1", False), ("4.3.1", False)):
        assert (SKIPPED in broken(searched(version, SKIPPED, commit="auto", crashes=1))) == skips


def test_an_automatic_commit_before_a_reconciliation_that_goes_out_again_has_the_record_in_hand() -> None:
    rebalance: dict[str, int | str] = {"protocol": "consumer", "commit": "auto", "joins": 1, "crashes": 1}
    for failure, steps in (("commit_failures", 7), ("coordinator_moves", 7), ("delays", 8)):
        assert broken(searched("4.0", SKIPPED, **rebalance, **{failure: 1})) == {SKIPPED: steps}
    for other in ({}, {"protocol": "eager", "commit_failures": 1}, {"commit": "sync", "commit_failures": 1}):
        assert broken(searched("4.0", SKIPPED, **{**rebalance, **other})) == {}


@pytest.mark.parametrize("version", ["3.7", "3.9", "4.0"])
def test_what_is_assigned_while_the_offset_of_another_is_fetched_is_reset_to_3_9(version: str) -> None:
    resets = version != "4.0"
    asked: dict[str, int | str] = {"protocol": "consumer", "commit": "sync", "joins": 1, "leaves": 1}
    assert broken(searched(version, SKIPPED, reset="latest", **asked)) == ({SKIPPED: 11} if resets else {})
    assert broken(searched(version, BACK, reset="earliest", **asked)) == ({BACK: 14} if resets else {})
    for one in ("joins", "leaves"):
        assert broken(searched(version, SKIPPED, BACK, reset="latest", **{**asked, one: 0})) == {}


def test_a_commit_in_an_epoch_that_is_over_goes_out_again_too() -> None:
    asked = {"protocol": "consumer", "commit": "auto", "partitions": 3, "records": 1, "generations": 4}
    found = broken(searched("4.0", SKIPPED, leaves=1, partition_adds=1, crashes=1, **asked))
    assert found == {SKIPPED: 9}


def test_consumers_notice_a_truncation_from_2_3_on() -> None:
    for version, notices in (("2.1", False), ("2.3", True)):
        assert (SKIPPED in broken(searched(version, SKIPPED, commit="sync", truncations=1))) != notices


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_consumer_without_a_reset_policy_fails_where_its_partition_was_truncated(protocol: str) -> None:
    asked = {"protocol": protocol, "commit": "sync", "truncations": 1, "members": 1, "partitions": 1}
    in_the_end = "processed_in_the_end"
    fails = searched("4.3.1", in_the_end, SKIPPED, reset="none", **asked)
    assert fails.findings[in_the_end].verdict is Verdict.VIOLATED
    assert fails.findings[SKIPPED].verdict is Verdict.HOLDS
    goes_back = searched("4.3.1", in_the_end, SKIPPED, reset="earliest", **asked)
    assert {one.verdict for one in goes_back.findings.values()} == {Verdict.HOLDS}


def test_the_assignor_ignores_old_claims_from_2_8_1_to_3_4_0() -> None:  # KAFKA-12984, KAFKA-14639
    asked = {"protocol": "cooperative", "commit": "sync", "members": 3, "records": 1, "joins": 1, "crashes": 1}
    for version, ignores in (("2.5", False), ("2.8.1", True), ("3.2.3", True), ("3.4.1", False)):
        assert (OWNERS in broken(searched(version, OWNERS, **asked))) == ignores


def test_poll_returns_nothing_in_a_rebalance_of_2_4() -> None:
    asked = {"commit": "auto", "protocol": "cooperative", "joins": 1}
    assert broken(searched("2.4", REPEATED, **asked)) == {}
    assert REPEATED in broken(searched("2.5", REPEATED, **asked))


@pytest.mark.parametrize(("commit", "steps"), [("sync", 8), ("async", 9), ("auto", 8)])
def test_a_group_without_members_accepts_a_commit_without_an_epoch(commit: str, steps: int) -> None:
    for version in ("3.7", "4.3.1"):
        asked: dict[str, int | str] = {"commit": commit, "protocol": "consumer", "timeouts": 1}
        assert broken(searched(version, BACK, leaves=1, **asked)) == {BACK: steps}
    assert broken(searched("4.3.1", BACK, joins=1, **asked)) == {}
    for protocol in ("eager", "cooperative"):
        assert broken(searched("4.3.1", BACK, commit=commit, protocol=protocol, timeouts=1, leaves=1)) == {}


@pytest.mark.parametrize(("commit", "steps"), [("sync", 9), ("async", 11)])
def test_a_member_without_a_listener_joins_again_in_the_background_and_commits_what_another_has(
    commit: str, steps: int
) -> None:
    for version in ("3.7", "4.3.1"):
        asked: dict[str, int | str] = {"commit": commit, "protocol": "consumer", "timeouts": 1}
        assert broken(searched(version, BACK, OWNERS, commits_on_revoke=False, **asked)) == {BACK: steps}
        assert broken(searched(version, BACK, OWNERS, **asked)) == {}
    for protocol in ("eager", "cooperative"):
        asked = {"commit": commit, "protocol": protocol, "timeouts": 1}
        assert broken(searched("4.3.1", BACK, commits_on_revoke=False, **asked)) == {}


def test_so_who_commits_first_processes_a_record_again() -> None:
    for protocol, steps in (("consumer", {REPEATED: 8}), ("eager", {}), ("cooperative", {})):
        assert broken(searched("4.3.1", REPEATED, commit="before", protocol=protocol, timeouts=1)) == steps


def test_an_expelled_member_skips_nothing_when_it_joins_again_in_the_background() -> None:
    for commit in ("sync", "async"):
        asked: dict[str, int | str] = {"commit": commit, "protocol": "consumer", "timeouts": 1, "joins": 1}
        assert broken(searched("4.3.1", SKIPPED, commits_on_revoke=False, **asked)) == {}


def test_who_commits_first_processes_at_most_once_even_as_a_zombie() -> None:
    for events in ({"crashes": 1}, {"timeouts": 1}, {"joins": 1}):
        assert REPEATED not in broken(searched("4.3.1", commit="before", **events))


def test_an_expelled_member_that_runs_is_a_second_reader_for_the_world_and_not_for_the_coordinator() -> None:
    for protocol, steps in (("eager", 4), ("cooperative", 4), ("consumer", 3)):
        found = broken(searched("4.3.1", commit="sync", protocol=protocol, timeouts=1))
        assert found[READERS] == steps
        assert OWNERS not in found


def test_a_release_refuses_a_protocol_that_it_does_not_have() -> None:
    with pytest.raises((BoundsError, WrittenError), match=r"came with 2\.4"):
        profiles()["kafka-groups-2.1"].model(protocol="cooperative")
    with pytest.raises((BoundsError, WrittenError), match=r"came with 3\.7"):
        profiles()["kafka-groups-3.4.1"].model(protocol="consumer")
    profiles()["kafka-groups-2.4"].model(protocol="cooperative")


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ("0.9.0.1", "0.9.0.1"),
        ("0.10.2", "0.9.0.1"),
        ("2.0", "0.11.0.1"),
        ("2.2", "2.1"),
        ("2.7", "2.5"),
        ("2.8.1", "2.8.1"),
        ("3.2.2", "3.2.0"),
        ("3.3", "3.2.3"),
        ("3.6", "3.4.1"),
        ("4.1", "4.0"),
    ],
)
def test_the_name_of_a_release_means_a_version(release: str, version: str) -> None:
    assert profiles()[f"kafka-groups-{release}"].name == f"kafka-groups-{version}"


def test_releases_of_one_line_that_differ_have_no_common_name() -> None:
    with pytest.raises(KeyError):
        profiles()["kafka-groups-4.2"]


def test_the_matrix_asks_versions_that_have_every_protocol() -> None:
    assert [version.name for version in MATRIX.versions if version.lacks.get("protocol")] == []


def test_what_the_article_says_of_consumers_is_decided_by_this_family() -> None:
    sections = {claim.id: re.findall(r"^Section (1\.\d)", claim.note) for claim in CLAIMS}
    assert sections == {"C-21": ["1.9"], "C-27": ["1.6"], "C-28": ["1.8"], "C-29": ["1.8"], "C-30": ["1.8"]}
    assert {case.profile.family for claim in CLAIMS for case in claim.cases} == {"groups"}


@pytest.mark.parametrize(
    ("version", "asked", "broken", "story"),
    [
        (
            "4.3.1",
            {"failures": 1},
            SKIPPED,
            (
                "Skipped: nobody has processed the record at offset 0 of p2. m2 polled it at step 2 and did not come to process it."
                " Offset 1 is committed since step 3, so its next owner begins behind it."
            ),
        ),
        (
            "0.9.0.0",
            {"commit": "sync", "reset": "latest", "partition_adds": 1},
            SKIPPED,
            (
                "Skipped: nobody has processed the record at offset 0 of p2. Nothing valid is committed, and with"
                " auto.offset.reset=latest the partition is read from offset 1 on."
            ),
        ),
        (
            "4.3.1",
            {"timeouts": 1},
            REPEATED,
            "Repeated: the record at offset 0 of p2 was processed by m1 at step 8, and again by m2 at step 9.",
        ),
        (
            "4.3.1",
            {"rollbacks": 1},
            BACK,
            (
                "Went back: the committed offset of p1 goes from 1 to 0 at step 5, so its next owner reads again what was committed as"
                " processed."
            ),
        ),
        (
            "4.3.1",
            {"timeouts": 1},
            READERS,
            "Two readers: m1 and m2 believe that p2 is their own; the coordinator has given it to m1.",
        ),
        (
            "4.2.2",
            {"protocol": "consumer", "commit": "async", "joins": 1},
            "keeps_commits",
            "Refused: the commit of offset 1 of p1 by m1 is refused at step 10, and the partition stays with m1.",
        ),
    ],
)
def test_a_violation_says_which_record_or_partition_whose_and_when(
    version: str, asked: dict[str, int | str], broken: str, story: str
) -> None:
    trace = explore(profiles()[f"kafka-groups-{version}"].model(**asked), properties=[broken]).findings[broken].trace
    assert trace is not None
    assert sentence(trace) == story
