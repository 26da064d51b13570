"""`neverlost bugs`: the ledger as a table, one loss in full, and both as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from golden_text import expect_golden
from looked_at import handlers, loaded, page_read

from neverlost.spec.families import known_bugs


def test_the_ledger_is_a_table_of_every_loss(run: Run) -> None:
    code, out, _ = run("bugs")
    assert code == 0
    assert all(f"  {bug.name} " in out for bug in known_bugs())
    expect_golden("bugs.txt", out)


@pytest.mark.parametrize("ticket", ["KAFKA-7128", "KAFKA-1647", "KIP-966"])
def test_a_loss_is_told_in_full_or_why_it_is_not(run: Run, ticket: str) -> None:
    code, out, _ = run("bugs", ticket)
    assert code == 0
    expect_golden(f"bugs-{ticket}.txt", out)


def test_every_loss_can_be_told(run: Run) -> None:
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
    assert (loaded(page), handlers(page)) == ([], [])
    said = {part.attributes["id"]: part for part in page.all("details", "bug")}
    for bug in known_bugs():
        rows = said[bug.name].all("li", "step")
        assert len(rows) == (0 if bug.lost is None else len(bug.lost.steps or ()) + 1), bug.name
        assert bug.statement in said[bug.name].words
    ids = [row.attributes["id"] for row in page.all("li", "step")]
    assert len(ids) == len(set(ids))


def test_one_loss_as_a_page_also_has_what_else_could_have_happened(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bug.html"
    assert run("bugs", "KIP-966", "--html", str(file))[0] == 0
    page = page_read(file.read_text(encoding="utf-8"))
    (data,) = page.all("script", "beyond-data")
    assert len(json.loads(data.text)["states"]) == len(page.all("li", "step")) == 14
