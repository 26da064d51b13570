"""The ledger of losses comes out of the searches as recorded: each is found on a version as it was released, and fixed by a later one.

With `--thorough` only: searches of more than 150,000 states.
"""

from __future__ import annotations

import pytest
from ledgers.fact_searches import LARGE, engines_for, figures, recorded, run, unwitnessed

from neverlost.model.core import UnknownNameError
from neverlost.spec.bugs import Bug, bug_named
from neverlost.spec.families import family_of, known_bugs, profiles
from neverlost.spec.recorded_search import RecordedSearch

SEARCHES = [
    (f"{bug.name} {role}", search)
    for bug in known_bugs()
    for role, search in (("lost", bug.lost), ("kept", bug.kept))
    if search is not None
]
FOUND = [bug for bug in known_bugs() if bug.lost is not None]
CONFIGURED = {
    "acks", "min_isr", "unclean", "flush", "commit", "compacted", "fetch_from_followers", "pipelined", "lone_first_partition",
    "idempotence", "acks_earlier",
    "several_log_dirs", "kraft_version", "formatted_starts", "voters_in_file", "protocol", "reset", "commits_epoch",
}  # fmt: skip
FAULTS = {
    "crashes", "power_losses", "leader_moves", "pauses", "controller_changes", "shutdowns", "disk_losses", "joins", "leaves",
    "idle_times", "truncations", "coordinator_moves", "partition_adds", "delays", "late_markers", "timeouts", "lost_markers",
    "early_reads", "heartbeat_failures", "commit_failures",
}  # fmt: skip
SET_ASIDE = {
    "produces_know_epoch", "fetches_know_epoch", "cuts_know_epoch", "looks_at_once", "takes_back_proposals",
    "refuses_newer_records", "keeps_known_ends", "keeps_epoch", "preview_acknowledges_lost", "drops_what_is_taken",
    "reads_to_log_end",
}  # fmt: skip
"""What fixes other losses that would be found first; the note says that they are set aside."""
ALONE: list[tuple[str, dict[str, bool | str]]] = [
    ("KAFKA-2143", {"starts_over": False}),
    ("KAFKA-7128", {"epoch_start_guard": True}),
    ("KAFKA-7415", {"notes_epoch_at_start": True}),
    ("KIP-320", {"fencing": True}),
    ("KAFKA-9835", {"reads_past_high_watermark": False}),
    ("KAFKA-13141", {"counts_diverging_fetch": False}),
    ("KAFKA-13194", {"cleans_uncommitted": False}),
    ("KAFKA-13916", {"isr_without_fenced": True}),
    ("KAFKA-14704", {"exposes_diverging": False}),
    ("KIP-966", {"elr": True, "isr_without_fenced": True}),
    ("KAFKA-18106", {"registers_unfenced": False}),
    ("kept-known-ends", {"keeps_known_ends": False}),
    ("KAFKA-1148", {"produces_know_epoch": True}),
    ("a-look-without-a-lock", {"looks_at_once": True}),
    ("a-look-without-a-lock", {"produces_know_epoch": True}),
    ("a-fetch-counted-late", {"fetches_know_epoch": True}),
    ("a-proposal-taken-back", {"takes_back_proposals": False}),
    ("a-cut-after-its-check", {"cuts_know_epoch": True}),
    ("KAFKA-18991", {"responses_know_epoch": True}),
    ("KAFKA-18723", {"refuses_newer_records": True, "responses_know_epoch": True}),
    ("a-fork-by-late-bytes", {"responses_keep_bytes": True}),
    ("min-isr-of-partition-0", {"lone_first_partition": False}),
    ("a-moved-log-directory", {"directory_moves_clear_elr": False}),
    ("a-lost-log-directory", {"several_log_dirs": False}),
    ("KIP-211", {"expires_in_use": False}),
    ("a-truncation-unnoticed", {"checks_epoch": True}),
    ("KAFKA-2942", {"commits_in_last_poll": False}),
    ("KAFKA-5059", {"loads_to_high_watermark": False}),
    ("KAFKA-5600", {"loads_old": False}),
    ("an-early-commit", {"commits_unreturned": False}),
    ("KAFKA-14639", {"ignores_old_claims": False}),
    ("KAFKA-13636", {"expires_in_rebalance": False}),
    ("KAFKA-14196", {"reads_while_revoking": False}),
    ("a-lost-generation", {"rejoins_quietly": False}),
    ("KAFKA-16973", {"preview_answers_at_once": False}),
    ("a-taken-partition", {"drops_what_is_taken": False}),
    ("KAFKA-18641", {"commits_unreturned": False}),
    ("KAFKA-17674", {"resets_unfetched": False}),
    ("a-lost-commit", {"acknowledges_lost": False}),
    ("KIP-1251", {"epoch_per_partition": True}),
    ("KAFKA-12478", {"reset": "earliest"}),
    ("KAFKA-20507", {"commits_epoch": True}),
    ("KAFKA-14402", {"verification": True}),
    ("KAFKA-19367", {"fence_bumps_twice": False}),
    ("KIP-1228", {"marker_check": "newer-or-repeated"}),
    ("KAFKA-6119", {"timeout_fences": True}),
    ("KAFKA-9807", {"reads_above_stable": False}),
    ("an-unacknowledged-end", {"reads_to_log_end": False}),
]
"""What fixes a loss by itself, on the very version that has it."""

LATER = [
    ("KAFKA-7164", {"notices_missed_epoch": True}),
    ("KAFKA-14617", {"broker_epochs": True}),
    ("a-kept-epoch", {"keeps_epoch": False}),
    ("a-return-unnoticed", {"misses_restarts": False}),
]
"""What takes the shortest story away, where the version has other ways to the same."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "searched" in metafunc.fixturenames:
        chosen = [(name, search) for name, search in SEARCHES if everything or search.distinct < LARGE]
        metafunc.parametrize("searched", [s for _, s in chosen], ids=[name for name, _ in chosen])


def test_the_search_finds_what_is_recorded(searched: RecordedSearch) -> None:
    result = run(searched, "compiled")
    assert figures(searched, result) == recorded(searched)
    assert unwitnessed(searched, result) == []


def test_the_engines_that_can_have_confirmed_it() -> None:
    assert [name for name, s in SEARCHES if list(s.confirmed_by) != engines_for(s.distinct)] == []


def test_sixty_six_of_ninety_five_are_found_and_every_other_says_why_not() -> None:
    assert (len(FOUND), len(known_bugs())) == (66, 95)
    for bug in known_bugs():
        assert (bug.lost is None) == (bug.kept is None) == (bug.left_out is not None), bug.name


@pytest.mark.parametrize("bug", FOUND, ids=lambda bug: bug.name)
def test_a_version_as_it_was_released_has_it_under_faults_and_configuration_alone(bug: Bug) -> None:
    assert bug.lost is not None
    assert bug.kept is not None
    assert set(bug.lost.settings) <= CONFIGURED | FAULTS | SET_ASIDE
    assert not SET_ASIDE & set(bug.lost.settings) or bug.note is not None
    assert (bug.lost.verdict, bug.kept.verdict) == ("violated", "holds")
    assert bug.lost.property == bug.kept.property
    assert {**bug.kept.bounds, "min_isr_changes": 1} == {**bug.lost.bounds, "min_isr_changes": 1}
    time_line = family_of(profiles()[bug.lost.profile]).time_line()
    assert time_line is not None
    versions = list(time_line.spans)
    if bug.lost.profile != bug.kept.profile:
        assert bug.lost.settings == bug.kept.settings
        assert versions.index(bug.lost.profile) < versions.index(bug.kept.profile)
    else:
        assert bug.note is not None


def changed(search: RecordedSearch, **settings: bool | str) -> RecordedSearch:
    values = {name: getattr(search, name) for name in RecordedSearch.__dataclass_fields__}
    return RecordedSearch(**{**values, "settings": {**search.settings, **settings}})


@pytest.mark.parametrize(("name", "fix"), ALONE, ids=[f"{name}-{next(iter(fix))}" for name, fix in ALONE])
def test_its_fix_alone_takes_the_loss_away(
    name: str, fix: dict[str, bool | str], request: pytest.FixtureRequest
) -> None:
    bug = bug_named(name)
    assert bug.lost is not None
    assert bug.kept is not None
    if bug.kept.distinct >= LARGE and not request.config.getoption("--thorough"):
        pytest.skip("more than 150,000 states")
    fixed = changed(bug.lost, **fix)
    assert run(fixed, "compiled").findings[bug.lost.property].verdict == "holds"


@pytest.mark.parametrize(("name", "fix"), LATER, ids=[name for name, _ in LATER])
def test_its_fix_takes_the_shortest_story_away(name: str, fix: dict[str, bool]) -> None:
    bug = bug_named(name)
    assert bug.lost is not None
    trace = run(changed(bug.lost, **fix), "compiled").findings[bug.lost.property].trace
    assert trace is not None
    assert bug.lost.steps is not None
    assert len(trace.steps) > len(bug.lost.steps)


def test_a_bug_is_found_by_any_of_its_tickets_in_any_case() -> None:
    assert bug_named("kafka-6361") is bug_named("KIP-279")
    with pytest.raises(UnknownNameError, match="Did you mean 'KAFKA-7128'"):
        bug_named("KAFKA-7129")
