"""Every action of every version of Kafka has a row for each of its releases; every row names what exists and what was read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import KIP_101, KIP_279, NO_SHRINK, ON_FETCH
from neverlost.spec.kafka.atomicity import ABSENT, NOTHING, Gap, LedgerRow, Merged, Missing, Split
from neverlost.spec.kafka.releases import MODES, RELEASES, has_mode
from neverlost.spec.kafka.replication.atomicity import LEDGER
from neverlost.spec.kafka.replication.differences import TIME_LINE
from neverlost.spec.kafka.replication.versions import PROTOCOL, VERSIONS, version_named

ROOT = Path(__file__).parents[3]
CAN_BE_RUN = [(release, mode) for release in RELEASES for mode in MODES if has_mode(release, mode)]
GAPS = [(row, gap) for row in LEDGER.rows for gap in row.gaps]
SEARCHED = {gap.done.test for _, gap in GAPS if isinstance(gap.done, Merged | Missing) and gap.done.test}


def rows_of(action: str, release: str, mode: str) -> list[LedgerRow]:
    return [row for row in LEDGER.rows if row.action.name == action and row.when.holds_for(release, mode)]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_every_action_has_one_row_for_every_release_of_the_version(version: Profile) -> None:
    for release, mode in LEDGER.releases_of(version.name):
        for action in version.actions:
            found = rows_of(action.name, release, mode)
            assert len(found) == 1, (action.name, release, mode, [row.when for row in found])


def test_every_row_is_of_an_action_of_the_model() -> None:
    for row in LEDGER.rows:
        assert row.action in PROTOCOL.actions
    for _, gap in GAPS:
        if isinstance(gap.done, Split):
            assert gap.done.into
            assert set(gap.done.into) <= set(PROTOCOL.actions)


def test_every_row_says_by_what_where_and_at_which_releases_that_was_read() -> None:
    for row in LEDGER.rows:
        assert row.by
        assert row.places
        for place in row.places:
            assert place.method.isidentifier(), place
            assert place.file.endswith((".scala", ".java")), place
        assert row.read
        assert len(set(row.read)) == len(row.read)
        for release in row.read:
            assert any(row.when.holds_for(release, mode) for mode in row.when.modes), (row.action.name, release)


def test_a_row_holds_for_releases_that_can_be_run_so() -> None:
    for row in LEDGER.rows:
        assert any(row.when.holds_for(release, mode) for release, mode in CAN_BE_RUN)


def test_a_gap_is_one_of_releases_of_its_row() -> None:
    for row, gap in GAPS:
        assert any(row.when.holds_for(*run) and gap.when.holds_for(*run) for run in CAN_BE_RUN), (row.action.name, gap)


def test_what_nothing_makes_one_step_has_a_gap() -> None:
    for row in LEDGER.rows:
        if row.by == NOTHING:
            assert row.gaps, (row.action.name, row.when)


def test_every_gap_says_what_is_between_and_what_the_model_does_about_it() -> None:
    for _, gap in GAPS:
        assert gap.between
        match gap.done:
            case Merged(because=reason):
                assert reason
            case Missing(what=what):
                assert what


@pytest.mark.parametrize("name", sorted(SEARCHED))
def test_the_test_that_searches_with_the_step_split_exists(name: str) -> None:
    file, _, function = name.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def happens(action: str, version: Profile) -> bool:
    """Do the settings of the version let the action happen at all?"""
    s = version.default_settings
    asks = s["truncation"] in (KIP_101, KIP_279)
    return {
        "handle_out_of_range": bool(s["starts_over"]),
        "expose_diverging": bool(s["exposes_diverging"]),
        "follow_before_cut": asks,
        "cut_later": asks,
        "grant_isr": bool(s["isr_in_flight"]),
        "learn_isr": bool(s["isr_in_flight"]),
        "refuse_isr": bool(s["isr_in_flight"] and s["isr_without_fenced"]),
        "hear_of_isr": bool(s["isr_in_flight"] and (s["epoch_per_shrink"] == NO_SHRINK or s["takes_back_proposals"])),
        "grant_before_metadata": bool(s["takes_back_proposals"]),
        "take_back_proposal": bool(s["takes_back_proposals"]),
        "grant_taken_back": bool(s["takes_back_proposals"]),
        "cut_a_round": s["truncation"] == ON_FETCH,
        "change_controller": bool(s["ordered_metadata"]),
        "lose_decision": not s["ordered_metadata"],
        "end_after_loss": not s["ordered_metadata"],
        "set_min_isr": bool(s["elr"]),
        "move_directory": bool(s["elr"] and s["directory_moves_clear_elr"]),
        "directory_loss": bool(s["elr"] and not s["directory_moves_clear_elr"]),
        "poll_too_far": bool(s["reads_past_high_watermark"]),
    }.get(action, True)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_a_step_is_absent_exactly_where_the_settings_rule_it_out(version: Profile) -> None:
    for row in LEDGER.rows_of(version.name):
        if row.action.name != "poll_follower":
            assert row.by.startswith(ABSENT) != happens(row.action.name, version), (row.action.name, version.name)


def test_only_rows_and_gaps_of_the_version_are_given() -> None:
    produce = [row for row in LEDGER.rows_of("kafka-4.1") if row.action.name == "produce"]
    assert [row.when.since for row in produce] == ["0.10.2.0"]
    between = [gap.between for gap in LEDGER.gaps_of(produce[0], "kafka-4.1")]
    assert not [text for text in between if "share the read side" in text]
    assert [text for text in between if "the append and the delayed produce" in text]


def test_a_gap_that_ends_before_the_version_is_not_given() -> None:
    def cut_answers(version: str) -> list[Gap]:
        rows = [row for row in LEDGER.rows_of(version) if row.action.name == "cut_later"]
        return [gap for row in rows for gap in LEDGER.gaps_of(row, version) if isinstance(gap.done, Missing)]

    assert [len(cut_answers(version)) for version in ("kafka-0.11", "kafka-2.1", "kafka-2.5.1")] == [1, 1, 0]


def test_what_is_no_version_of_kafka_has_no_ledger() -> None:
    with pytest.raises(KeyError):
        LEDGER.rows_of("published/kip-320")
    assert set(TIME_LINE.spans) == {version_named(version.name).name for version in VERSIONS}
