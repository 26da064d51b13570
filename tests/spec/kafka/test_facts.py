"""What is known about Kafka comes out of the searches as recorded, and nothing holds because nothing happened.

With `--thorough` only: searches of more than 150,000 states, and the interpreted engine on more than 150 states.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from ledgers.fact_searches import LARGE, QUICK_FOR_THE_INTERPRETER, engines_for, figures, recorded, run, unwitnessed
from ledgers.known_facts import Fact, known_facts

from neverlost.model.core import ModelError, UnknownNameError
from neverlost.spec.kafka.replication.versions import OF_READERS, version_named
from neverlost.spec.recorded_search import RecordedSearch

AT_ONCE_FOR_THE_INTERPRETER = 150
SEARCHES = [(fact.name, search) for fact in known_facts() for search in fact.searches]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "searched" in metafunc.fixturenames:
        chosen = [(name, search) for name, search in SEARCHES if everything or search.distinct < LARGE]
        cases = [pytest.param(s, id=f"{name}: {s.label}", marks=of_one_kernel(s)) for name, s in chosen]
        metafunc.parametrize("searched", cases)
    if "small" in metafunc.fixturenames:
        limit = QUICK_FOR_THE_INTERPRETER if everything else AT_ONCE_FOR_THE_INTERPRETER
        small = [(name, search) for name, search in SEARCHES if search.distinct < limit]
        metafunc.parametrize("small", [s for _, s in small], ids=[f"{name}: {s.label}" for name, s in small])


def of_one_kernel(search: RecordedSearch) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(f"Kafka within {search.bounds}")


def test_the_compiled_engine_finds_what_is_recorded(searched: RecordedSearch) -> None:
    result = run(searched, "compiled")
    assert figures(searched, result) == recorded(searched)
    assert unwitnessed(searched, result) == []


def test_the_interpreted_engine_finds_the_same(small: RecordedSearch) -> None:
    result = run(small, "interpreted")
    assert figures(small, result) == recorded(small)


def test_every_search_was_confirmed_by_the_engines_that_can() -> None:
    assert [s.label for _, s in SEARCHES if list(s.confirmed_by) != engines_for(s.distinct)] == []


def fact(name: str) -> Fact:
    (found,) = (fact for fact in known_facts() if fact.name == name)
    return found


def switched(one: RecordedSearch, other: RecordedSearch) -> Mapping[str, tuple[object, object]]:
    """The settings in which the models of two searches differ, but for what only readers, or other searches, see."""
    first, second = one.model().plain_settings, other.model().plain_settings
    return {
        name: (first[name], second[name])
        for name in first
        if first[name] != second[name] and name not in (*OF_READERS, *OF_OTHER_SEARCHES)
    }


OF_OTHER_SEARCHES = (
    "responses_know_epoch", "refuses_newer_records", "late_counts_are_lost", "directory_moves_clear_elr", "ignores_unclean",
)  # fmt: skip
"""What shows only with delays, with moves between log directories, or where unclean election is allowed in KRaft."""

FIXED_BY = [
    ("unclean-min-isr-1", {"unclean": (True, False)}),
    ("unclean-min-isr-2", {"unclean": (True, False)}),
    ("last-replica-standing", {"elr": (False, True)}),
    ("one-power-loss-too-many", {"flush": (False, True)}),
    ("kip-101-loss-by-crashes", {"truncation": ("high-watermark", "kip-101")}),
    ("kip-101-loss-by-moves", {"truncation": ("high-watermark", "kip-101")}),
    ("kip-101-divergence", {"truncation": ("high-watermark", "kip-279")}),
    ("kip-279", {"truncation": ("kip-101", "kip-279")}),
    ("kip-320", {"fencing": (False, True)}),
    ("kip-497", {"maximal_isr": (False, True)}),
    ("kip-903", {"broker_epochs": (False, True)}),
    ("kafka-7128", {"epoch_start_guard": (False, True)}),
    ("kept-known-ends", {"keeps_known_ends": (True, False)}),
    ("kafka-13141", {"counts_diverging_fetch": (True, False)}),
    ("kafka-18106", {"registers_unfenced": (True, False)}),
    ("kafka-15583", {"strict_min_isr": (False, True)}),
    ("duplicates", {"idempotence": (False, True)}),
    ("reordering", {"idempotence": (False, True)}),
]


@pytest.mark.parametrize(("name", "fix"), FIXED_BY, ids=[name for name, _ in FIXED_BY])
def test_one_switch_alone_tells_a_loss_from_its_fix(name: str, fix: Mapping[str, tuple[object, object]]) -> None:
    searches = fact(name).searches
    lost = next(s for s in searches if s.verdict == "violated")
    kept = [s for s in searches if s.verdict == "holds" and s.property == lost.property and s.bounds == lost.bounds]
    assert fix in [switched(lost, s) for s in kept]


def test_every_fact_but_the_last_shows_how_something_goes_wrong() -> None:
    without = [fact.name for fact in known_facts() if all(s.steps is None for s in fact.searches)]
    assert without == ["nothing-lost"]


def test_an_unknown_version_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'kafka-0\.11'"):
        version_named("kafka-0.12")


@pytest.mark.parametrize("settings", [{"acks": 2}, {"crashes": True}, {"unclean": 1}, {"ack": "all"}])
def test_a_setting_that_is_none_is_refused(settings: Mapping[str, bool | int | str]) -> None:
    values = {**vars(SEARCHES[0][1]), "settings": settings}
    search = RecordedSearch(**{name: values[name] for name in RecordedSearch.__dataclass_fields__})
    with pytest.raises(ModelError, match="has no setting"):
        search.model()
