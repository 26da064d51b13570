"""`neverlost check --html`: the verdict, the story if there is one, and what the verdict rests on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from looked_at import Element, handlers, loaded, page_read

SMALL = ("published/truncate-to-high-watermark", "--replicas=2", "--log-size=1", "--records=1", "--leader-epochs=2")


@pytest.fixture
def checked(run: Run, tmp_path: Path) -> tuple[Element, dict[str, object]]:
    """The page of a check that finds a violation, and its JSON."""
    arguments = (
        "check",
        *SMALL,
        "--engine=interpreted",
        "--html",
        str(tmp_path / "a.html"),
        "--json",
        str(tmp_path / "a.json"),
    )
    assert run(*arguments)[0] == 1
    return page_read((tmp_path / "a.html").read_text(encoding="utf-8")), json.loads((tmp_path / "a.json").read_text())


def test_the_page_of_a_check_needs_no_other_file(checked: tuple[Element, dict[str, object]]) -> None:
    page, _ = checked
    assert (loaded(page), handlers(page)) == ([], [])


def test_the_page_says_the_verdict_and_draws_the_shortest_violation(checked: tuple[Element, dict[str, object]]) -> None:
    page, values = checked
    assert page.all("h1")[0].words.startswith("VIOLATED")
    shortest = min(
        f["trace_length"] for f in values["properties"].values() if f["verdict"] == "violated" and f["asserted"]
    )
    assert len(page.all("li", "step")) == shortest
    assert len(page.all("ul", "turns")) == 1
    assert page.all("main")[0].words.count("VIOLATED") == 1


def test_the_page_has_every_level_and_every_action_with_its_number(checked: tuple[Element, dict[str, object]]) -> None:
    page, values = checked
    levels, actions = page.all("table", "bars")
    numbers = [int(cell.words.replace(",", "")) for cell in levels.all("td", "number")]
    assert numbers == values["levels"]
    shown = {
        row.all("th")[0].words: int(row.all("td", "number")[0].words.replace(",", "")) for row in actions.all("tr")
    }
    assert shown == {name: found["generated"] for name, found in values["actions"].items()}


def test_a_check_that_holds_has_a_page_without_a_story(run: Run, tmp_path: Path) -> None:
    arguments = (
        "published/kip-320",
        "--replicas=2",
        "--log-size=1",
        "--records=1",
        "--leader-epochs=2",
        "--engine=interpreted",
    )
    assert run("check", *arguments, "--html", str(tmp_path / "a.html"))[0] == 0
    page = page_read((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert page.all("h1")[0].words.startswith("HOLDS")
    assert page.all("section", "story") == []
