"""The page on known losses tells what the recorded searches say, and every story in it replays."""

from __future__ import annotations

import pytest
from golden_text import EXPLANATION, expect_golden
from ledgers.known_facts import known_facts
from ledgers.known_losses import page

from neverlost.explorer.traces.trace import replay
from neverlost.reports.trace.formats import render
from neverlost.spec.bugs import bug_named
from neverlost.spec.recorded_search import RecordedSearch
from neverlost.studies.recorded import recorded_trace

FOUND = [search for fact in known_facts() for search in fact.searches if search.steps is not None]


def test_the_page_is_made_from_the_recorded_facts() -> None:
    expect_golden("known-losses.md", page(known_facts()), EXPLANATION)


def test_the_picture_of_the_readme_is_made_from_the_ledger_of_bugs() -> None:
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    expect_golden("loss.svg", render(recorded_trace(lost), "svg"), EXPLANATION)


@pytest.mark.parametrize("search", FOUND, ids=lambda search: search.label)
def test_every_recorded_trace_replays_and_decides_its_property(search: RecordedSearch) -> None:
    trace = recorded_trace(search)
    replay(trace)
    assert len(trace) == search.trace_length == search.depth
