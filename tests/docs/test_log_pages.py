"""The examples on the pages on event logs and histories are read, and nothing in them is malformed."""

from __future__ import annotations

import re

import pytest
from shell_blocks import ROOT
from written_histories import recorded

from neverlost.conformance.history import KINDS
from neverlost.conformance.history.anomalies import Judge
from neverlost.conformance.validation import LogSearch, bind, bounds_of_log, read_event_log
from neverlost.spec import profiles

EVENTS = (ROOT / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
HISTORIES = (ROOT / "docs" / "reference" / "histories.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, flags=re.DOTALL)


def test_the_events_on_the_page_are_events_of_the_model() -> None:
    header, events = blocks(EVENTS, "json")
    log = read_event_log([line.encode() for line in (header + events).splitlines()], "page")
    profile = profiles()[log.header.profile or ""]
    assert log.header.hidden == ("time_out",)
    model = profile.bounded(**bounds_of_log(log.entries, profile))
    bound = bind(log.entries, model)
    assert (log.notes.count, bound.notes.count) == (0, 0)
    assert len(bound.events) == 4
    assert LogSearch(model, bound.events[:1]).run().verdict == "refused"
    assert LogSearch(model, bound.events[1:2]).run().verdict == "accepted"


def test_every_action_and_key_of_an_event_that_the_page_names_is_known() -> None:
    said = set(re.findall(r"^\| `(\w+)`", EVENTS, flags=re.MULTILINE))
    assert {
        "event",
        "parameters",
        "observed",
        "note",
        "profile",
        "bounds",
        "settings",
        "hidden",
        "hidden_steps",
    } <= said


@pytest.mark.parametrize("language", ["clojure", "json"])
def test_the_histories_on_the_page_are_read_and_clean(language: str) -> None:
    histories = [recorded(text) for text in blocks(HISTORIES, language)]
    assert (len(histories[0].reads), histories[0].sends.offset.tolist()[0]) == (1, 17)
    for history in histories:
        assert history.malformed == ()
        assert not any(Judge(history).anomalies().values())


def test_every_kind_of_anomaly_is_defined_and_has_a_key() -> None:
    definitions = (ROOT / "docs" / "explanation" / "histories.md").read_text(encoding="utf-8")
    json_page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in json_page for kind in KINDS)
    table = re.search(r"^\| kind \| is found if \|\n\|---.*\n((?:\|.*\n)+)", definitions, flags=re.MULTILINE)
    assert table is not None
    assert len(table[1].splitlines()) == len(KINDS) + 1
