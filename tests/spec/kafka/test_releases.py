"""Every release belongs to one version of each mode that it can be run in, and behaves as the boundaries between releases say."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from neverlost.model.core.influence import fields_of
from neverlost.model.kafka.replication.state import EVERY_SHRINK, KIP_279, NO_SHRINK, ON_FETCH, SHRINK_BY_CONTROLLER
from neverlost.spec import profiles
from neverlost.spec.kafka.releases import KRAFT, MODES, RELEASES, ZOOKEEPER, NamedVersion, has_mode
from neverlost.spec.kafka.replication.differences import DIFFERENCES, NAMED, TIME_LINE
from neverlost.spec.kafka.replication.versions import (
    OF_READERS,
    PROTOCOL,
    REPLICATING,
    VERSIONS,
    version_named,
)

CAN_BE_RUN = [(release, mode) for release in RELEASES for mode in MODES if has_mode(release, mode)]


@pytest.mark.parametrize(("release", "mode"), CAN_BE_RUN)
def test_a_release_has_one_version_that_is_switched_as_the_release_is(release: str, mode: str) -> None:
    names = [name for name, span in TIME_LINE.spans.items() if span.mode == mode and release in span]
    assert names == [TIME_LINE.version_name(release, mode)]
    assert {**TIME_LINE.settings_of(release, mode)}.items() <= version_named(names[0]).default_settings.items()


@pytest.mark.parametrize(
    ("before", "after", "modes"),
    [
        ("3.9.1", "3.9.2", MODES),
        ("4.0.1", "4.0.2", (KRAFT,)),
        ("4.1.1", "4.1.2", (KRAFT,)),
        ("4.2.0", "4.2.1", (KRAFT,)),
        ("4.2.1", "4.2.2", (KRAFT,)),
        ("4.3.1", "4.4.0", (KRAFT,)),
    ],
)
def test_a_release_with_no_fix_of_replication_is_another_name_of_the_one_before(
    before: str, after: str, modes: tuple[str, ...]
) -> None:
    assert RELEASES.index(after) == RELEASES.index(before) + 1
    for mode in modes:
        assert TIME_LINE.settings_of(after, mode) == TIME_LINE.settings_of(before, mode)
        assert TIME_LINE.version_name(after, mode) == TIME_LINE.version_name(before, mode)


def test_what_cannot_be_run_so_has_no_version() -> None:
    for release in RELEASES:
        for mode in MODES:
            if not has_mode(release, mode):
                with pytest.raises(LookupError, match=f"{release} with {mode}"):
                    TIME_LINE.version_name(release, mode)


def test_versions_and_statements_are_of_the_spans_in_their_order() -> None:
    assert [version.name for version in VERSIONS] == list(TIME_LINE.spans) == [named.name for named in NAMED]


def test_neighbours_of_a_mode_differ() -> None:
    for mode in MODES:
        versions = [version_named(name) for name, span in TIME_LINE.spans.items() if span.mode == mode]
        for one, other in pairwise(versions):
            assert one.settings != other.settings, (one.name, other.name)


BOUNDARIES = [
    ("0.8.2.2", "0.9.0.0", ZOOKEEPER, "keeps_known_ends", 0, 1),
    ("0.10.2.2", "0.11.0.0", ZOOKEEPER, "unclean", 1, 0),
    ("2.0.0", "2.0.1", ZOOKEEPER, "epoch_start_guard", 0, 1),
    ("2.0.0", "2.0.1", ZOOKEEPER, "notices_missed_epoch", 0, 1),
    ("2.0.1", "2.1.0", ZOOKEEPER, "drops_caught_up", 1, 0),
    ("2.0.1", "2.1.0", ZOOKEEPER, "fencing", 0, 1),
    ("0.9.0.0", "0.9.0.1", ZOOKEEPER, "starts_over", 1, 0),
    ("1.0.2", "1.1.0", ZOOKEEPER, "reads_past_high_watermark", 0, 1),
    ("2.5.0", "2.5.1", ZOOKEEPER, "reads_past_high_watermark", 1, 0),
    ("2.0.0", "2.0.1", ZOOKEEPER, "notes_epoch_at_start", 0, 1),
    ("2.6.3", "2.7.0", ZOOKEEPER, "isr_in_flight", 0, 1),
    ("2.6.3", "2.7.2", ZOOKEEPER, "truncation", KIP_279, KIP_279),
    ("2.7.2", "2.8.0", ZOOKEEPER, "truncation", KIP_279, ON_FETCH),
    ("2.7.2", "2.8.0", ZOOKEEPER, "counts_diverging_fetch", 0, 1),
    ("3.0.2", "3.1.0", ZOOKEEPER, "cleans_uncommitted", 1, 0),
    ("3.4.0", "3.4.1", ZOOKEEPER, "exposes_diverging", 1, 0),
    ("3.4.0", "3.4.1", KRAFT, "exposes_diverging", 1, 0),
    ("3.2.3", "3.3.0", KRAFT, "isr_without_fenced", 0, 1),
    ("3.2.3", "3.3.0", ZOOKEEPER, "isr_without_fenced", 0, 1),
    ("3.2.3", "3.3.0", ZOOKEEPER, "late_counts_are_lost", 0, 1),
    ("1.0.2", "1.1.0", ZOOKEEPER, "responses_know_epoch", 0, 1),
    ("2.7.2", "2.8.0", ZOOKEEPER, "responses_know_epoch", 1, 0),
    ("3.9.0", "3.9.1", ZOOKEEPER, "responses_know_epoch", 0, 1),
    ("3.9.0", "3.9.1", KRAFT, "refuses_newer_records", 0, 1),
    ("3.9.2", "4.0.0", KRAFT, "responses_know_epoch", 1, 0),
    ("4.0.0", "4.0.1", KRAFT, "responses_know_epoch", 0, 1),
    ("3.8.1", "3.9.0", KRAFT, "ignores_unclean", 1, 0),
    ("4.0.2", "4.1.0", KRAFT, "directory_moves_clear_elr", 0, 1),
    ("4.2.2", "4.3.0", KRAFT, "directory_moves_clear_elr", 1, 0),
    ("2.8.0", "2.8.1", ZOOKEEPER, "counts_diverging_fetch", 1, 0),
    ("3.0.2", "3.1.0", ZOOKEEPER, "high_watermark_on_answer", 0, 1),
    ("3.6.2", "3.7.0", ZOOKEEPER, "strict_min_isr", 0, 1),
    ("3.4.1", "3.5.0", KRAFT, "broker_epochs", 0, 1),
    ("3.5.2", "3.6.0", KRAFT, "epoch_per_shrink", EVERY_SHRINK, NO_SHRINK),
    ("3.6.2", "3.7.0", KRAFT, "strict_min_isr", 0, 1),
    ("3.9.2", "4.0.0", KRAFT, "registers_unfenced", 1, 0),
    ("4.0.2", "4.1.0", KRAFT, "elr", 0, 1),
]


@pytest.mark.parametrize(("before", "after", "mode", "setting", "was", "became"), BOUNDARIES)
def test_a_boundary_is_where_it_was_read_or_seen(
    before: str, after: str, mode: str, setting: str, was: int, became: int
) -> None:
    assert RELEASES.index(before) < RELEASES.index(after)
    assert (
        TIME_LINE.settings_of(before, mode).get(setting, 0),
        TIME_LINE.settings_of(after, mode).get(setting, 0),
    ) == (was, became)


@pytest.mark.parametrize(
    ("setting", "zookeeper", "kraft"),
    [
        ("ordered_metadata", 1, 0),
        ("isr_without_fenced", 1, 1),
        ("broker_epochs", 0, 1),
        ("registers_unfenced", 0, 1),
        ("epoch_per_shrink", SHRINK_BY_CONTROLLER, NO_SHRINK),
        ("keeps_known_ends", 1, 1),
        ("truncation", ON_FETCH, ON_FETCH),
    ],
)
def test_in_3_9_the_mode_decides(setting: str, zookeeper: int, kraft: int) -> None:
    in_modes = [TIME_LINE.settings_of("3.9.1", mode).get(setting, 0) for mode in MODES]
    assert in_modes == [zookeeper, kraft]


def test_every_difference_says_where_it_stands_and_how_it_is_known() -> None:
    for difference in DIFFERENCES:
        assert difference.since in RELEASES
        assert difference.until is None or difference.until in RELEASES
        assert difference.settings
        assert difference.source
        assert "read" in difference.known or "run" in difference.known or "documentation" in difference.known


def test_versions_that_replicate_alike_differ_only_where_someone_reads_from_a_follower_past_the_end_or_a_compacted_log() -> (
    None
):
    needs = {action.name: fields_of(action.function).read for action in PROTOCOL.actions}
    assert {name for name, read in needs.items() if read & set(OF_READERS)} == {
        "clean",
        "expose_diverging",
        "poll_too_far",
    }
    assert "compacted" in needs["clean"]
    assert "fetch_from_followers" in needs["expose_diverging"]
    assert "commit" in needs["poll_too_far"]
    assert [version.name for version in VERSIONS if version not in REPLICATING] == [
        "kafka-2.5.1",
        "kafka-3.4.1",
        "kafka-3.4.1-kraft",
    ]


def test_a_release_that_behaves_otherwise_than_the_one_before_it_needs_a_name() -> None:
    without = replace(TIME_LINE, named=tuple(named for named in NAMED if named.since != "2.0.1"))
    with pytest.raises(ValueError, match=r"2\.0\.1 with ZooKeeper behaves otherwise than the release before it"):
        _ = without.spans


def test_a_name_for_releases_that_behave_as_those_before_them_is_refused() -> None:
    needless = NamedVersion("kafka-2.2", "2.2.0", ZOOKEEPER, "nothing new")
    with pytest.raises(ValueError, match=r"kafka-2\.2: 2\.2\.0 behaves as the release before it"):
        _ = replace(TIME_LINE, named=(*NAMED, needless)).spans


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("kafka-3.8", "kafka-3.7"),
        ("kafka-3.8.1", "kafka-3.7"),
        ("kafka-3.8-zk", "kafka-3.7-zk"),
        ("kafka-3.2", "kafka-3.1"),
        ("kafka-3.2-kraft", "kafka-3.1-kraft"),
        ("kafka-2.3", "kafka-2.1"),
        ("kafka-4.2", "kafka-4.1"),
        ("kafka-4.1.1", "kafka-4.1"),
        ("kafka-4.1.2", "kafka-4.1"),
        ("kafka-4.2.1", "kafka-4.1"),
        ("kafka-4.2.2", "kafka-4.1"),
        ("kafka-4.4", "kafka-4.3"),
        ("kafka-4.4.0", "kafka-4.3"),
        ("kafka-4.0.2", "kafka-4.0"),
        ("kafka-3.9.2", "kafka-3.9"),
        ("kafka-3.9.2-zk", "kafka-3.9-zk"),
        ("kafka-3.4", None),
        ("kafka-4.1-zk", None),
        ("kafka-2.8-kraft", None),
        ("kafka-9.9", None),
        ("kafka-", None),
        ("3.8", None),
    ],
)
def test_the_name_of_a_release_means_the_version_that_behaves_as_it_does(name: str, version: str | None) -> None:
    meant = profiles().get(name)
    assert (None if meant is None else meant.name) == version


def test_names_of_versions_mean_themselves() -> None:
    assert {name: profiles()[name].name for name in TIME_LINE.spans} == {name: name for name in TIME_LINE.spans}
