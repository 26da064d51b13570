"""`neverlost bugs`: the ledger as a table, one loss in full, and both as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from golden_text import expect_golden
from looked_at import handlers, loaded, page_read

from neverlost.spec.families import family_of, known_bugs, profiles
from neverlost.spec.kafka.releases import RELEASES


def test_the_ledger_is_a_table_of_every_loss(run: Run) -> None:
    code, out, _ = run("bugs")
    assert code == 0
    assert all(f"  {bug.name} " in out for bug in known_bugs())
    expect_golden("bugs.txt", out)


@pytest.mark.parametrize("ticket", ["KAFKA-7128", "KAFKA-1647", "KIP-966"])
def test_a_loss_is_shown_in_full_or_why_it_is_not(run: Run, ticket: str) -> None:
    code, out, _ = run("bugs", ticket)
    assert code == 0
    expect_golden(f"bugs-{ticket}.txt", out)


def test_every_loss_can_be_shown(run: Run) -> None:
    for bug in known_bugs():
        code, out, _ = run("bugs", bug.name)
        assert (code, out.startswith(", ".join(bug.jira))) == (0, True), bug.name


def test_the_ledger_is_written_as_json(run: Run, tmp_path: Path) -> None:
    assert run("bugs", "--json", str(tmp_path / "bugs.json"))[0] == 0
    written = json.loads((tmp_path / "bugs.json").read_text(encoding="utf-8"))
    assert [entry["tickets"] for entry in written] == [list(bug.jira) for bug in known_bugs()]
    assert {entry["lost"]["verdict"] for entry in written if entry["lost"]} == {"violated"}


def test_an_unknown_ticket_is_refused_with_the_nearest(run: Run) -> None:
    code, _, err = run("bugs", "KAFKA-7129")
    assert code == 2
    assert "Did you mean 'KAFKA-7128'?" in err


def test_the_ledger_is_a_page_with_the_story_of_every_loss_that_is_found(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bugs.html"
    assert run("bugs", "--html", str(file))[0] == 0
    page = page_read(file.read_text(encoding="utf-8"))
    tickets = {link for link in loaded(page) if link.startswith("https://issues.apache.org/jira/browse/KAFKA-")}
    assert (set(loaded(page)) - tickets, handlers(page)) == (set(), [])
    said = {part.attributes["id"]: part for part in page.all("details", "bug")}
    for bug in known_bugs():
        rows = said[bug.name].all("li", "step")
        assert len(rows) == (0 if bug.lost is None else len(bug.lost.steps or ()) + 1), bug.name
        assert bug.statement in said[bug.name].words
        assert len(said[bug.name].all("span", "bar")) == len(bug.spans), bug.name
    ids = [row.attributes["id"] for row in page.all("li", "step")]
    assert len(ids) == len(set(ids))


def test_the_bars_of_the_ledger_are_of_releases_and_agree_with_the_search() -> None:
    for bug in known_bugs():
        assert bool(bug.spans) == (bug.releases != "none"), bug.name
        places = [(RELEASES.index(first), RELEASES.index(last)) for first, last in bug.spans]
        flat = [place for span in places for place in span]
        assert flat == sorted(flat), bug.name
        if bug.lost is not None and places:
            version = profiles()[bug.lost.profile]
            time_line = family_of(version).time_line()
            assert time_line is not None
            span = time_line.spans[version.name]
            assert any(RELEASES[place] in span for first, last in places for place in range(first, last + 1)), bug.name


def test_one_loss_as_a_page_also_has_what_else_could_have_happened(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bug.html"
    assert run("bugs", "KIP-966", "--html", str(file))[0] == 0
    page = page_read(file.read_text(encoding="utf-8"))
    (data,) = page.all("script", "beyond-data")
    assert len(json.loads(data.text)["states"]) == len(page.all("li", "step")) == 14
    assert page.all("h1")[0].words == "KIP-966: the last replica standing loses power"
    (shown,) = page.all("main")
    assert shown.words.count("the last replica standing loses power") == 1
    assert "not in the model" not in shown.words
