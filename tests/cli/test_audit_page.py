"""`neverlost audit --html`: the verdict, what to do first, every danger with its story, and a diff that really fixes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from looked_at import Element, handlers, loaded, page_read
from sampling import quick_one_in
from shell_blocks import ROOT

EXAMPLES = ROOT / "examples" / "audit"
WITH_RESTARTS = "SAFE, but NOT SAFE with rolling-restart"
Audited = Callable[..., tuple[Element, Any]]
Example = Callable[[str], tuple[Element, Any]]


SAID = {
    "good": ("--assume", "commit=sync"),
    "consumer": ("--kafka-version", "4.3.1", "--assume", "elr=off,client=java"),
}
"""What no file of an example says, and the tests here are not about."""


@pytest.fixture
def audited(run: Run, tmp_path: Path) -> Audited:
    """The page of an audit of files, and its JSON."""

    def audit(*files: Path, said: Sequence[str] = ()) -> tuple[Element, Any]:
        page, values = tmp_path / "page.html", tmp_path / "audit.json"
        run("audit", *map(str, sorted(files)), *said, "--html", str(page), "--json", str(values), "--quiet")
        return page_read(page.read_text(encoding="utf-8")), json.loads(values.read_text(encoding="utf-8"))

    return audit


@pytest.fixture(scope="module")
def pages() -> dict[str, tuple[Element, Any]]:
    """The pages of examples, each made once."""
    return {}


@pytest.fixture
def example(audited: Audited, pages: dict[str, tuple[Element, Any]]) -> Example:
    """The same of an example, by its name."""

    def of(name: str) -> tuple[Element, Any]:
        if name not in pages:
            pages[name] = audited(*(EXAMPLES / name).iterdir(), said=SAID.get(name, ()))
        return pages[name]

    return of


@pytest.mark.parametrize("name", ["acks-1", "good", "unclean", "many-topics"])
def test_the_page_says_the_verdict_and_each_danger_once_with_its_story(example: Example, name: str) -> None:
    page, values = example(name)
    assert (loaded(page), handlers(page)) == ([], [])
    said = page.all("h1")[0].all("span", "verdict")[0].words
    assert (
        said.partition(",")[0] == {"holds": "SAFE", "violated": "NOT SAFE", "undecided": "UNDECIDED"}[values["verdict"]]
    )
    for part in page.all("details", "danger"):
        (story,) = part.all("section", "story")
        assert len(story.all("li", "step")) > 1
    classes = {part.attributes["id"]: part for part in page.all("section", "class")}
    for number, one in enumerate(values["classes"], start=1):
        part = classes[f"class-{number}"]
        stories = {story.attributes["id"]: story for story in part.all("details", "danger")}
        happens = {f["property"] for f in one["findings"] if f["verdict"] == "violated"}
        assert len(stories) == len(happens)
        linked = {link.attributes["href"] for link in part.all("div", "remedy") for link in link.all("a")}
        assert linked == {f"#{name}" for name in stories}
        (table,) = part.all("table", "dangers")
        assert bool(stories) == any(cell.words for tone in ("bad", "beyond") for cell in table.all("td", tone))


@pytest.mark.parametrize("name", ["good", "acks-1"])
def test_what_to_do_comes_before_the_table_and_the_legend_stands_beside_stories(example: Example, name: str) -> None:
    page, _ = example(name)
    stories = page.all("details", "danger")
    assert all(len(story.all("p", "key")) == 1 for story in stories)
    assert len(page.all("p", "key")) == len(stories)
    words = page.all("main")[0].words
    assert words.index("What may happen") < words.index("All that was asked") < words.index("How to read this")


def test_of_several_classes_the_worst_comes_first_with_what_to_do(example: Example) -> None:
    page, values = example("many-topics")
    verdicts = [part.all("h2")[0].all("span", "verdict")[0].words for part in page.all("section", "class")]
    assert verdicts == sorted(verdicts, key=["NOT SAFE", "UNDECIDED", "SAFE", WITH_RESTARTS].index)
    assert len(verdicts) == len(values["classes"])
    (summary,) = page.all("table", "summary")
    rows = [[cell.words for cell in row.all("td")] for row in summary.all("tr")[1:]]
    words = [row.all("span", "verdict")[0].words for row in summary.all("tr")[1:]]
    assert words == verdicts
    assert set(words) == {"NOT SAFE", WITH_RESTARTS}
    for word, (verdict, first) in zip(words, rows, strict=True):
        assert ("an acknowledged record is lost" in verdict) == (word == "NOT SAFE")
        assert first.startswith("Against rolling-restart: ") == (word != "NOT SAFE")


def test_a_warning_that_concerns_several_topics_is_said_once(example: Example) -> None:
    page, values = example("many-topics")
    of_classes = [warning["what"] for one in values["classes"] for warning in one["warnings"]]
    repeated = {what for what in of_classes if of_classes.count(what) > 1}
    assert repeated
    (listed,) = [part.words for part in page.all("ul", "warnings")]
    assert {what: listed.count(what) for what in set(of_classes)} == dict.fromkeys(of_classes, 1)


@pytest.mark.parametrize("name", ["good", "many-topics"])
def test_no_page_says_safe_without_the_restarts_that_lose_records(example: Example, name: str) -> None:
    page, values = example(name)
    broken = [one for one in values["classes"] if one["everyday"]]
    assert {**broken[0]["everyday"]} == {"rolling-restart": "violated"}
    heads = [part.all("h2")[0] for part in page.all("section", "class") if part.attributes["id"].startswith("class-")]
    words = [head.all("span", "verdict")[0].words for head in heads]
    assert words.count(WITH_RESTARTS) == len(broken)
    assert "SAFE" not in words
    if values["verdict"] == "holds":
        (badge,) = page.all("h1")[0].all("span", "verdict")
        assert (badge.words, badge.attributes["class"]) == (WITH_RESTARTS, "verdict open")


def within_tolerance(values: Any) -> set[str]:
    """The properties that are violated by faults that should be survived."""
    found = [finding for one in values["classes"] for finding in one["findings"]]
    return {f["property"] for f in found if f["tolerated"] and f["verdict"] == "violated"}


def patched(text: str, diff: list[str]) -> str:
    """The text of a file with the changes of its diff, in which no line stands around a change."""
    lines, moved, at = text.splitlines(), 0, 0
    for line in diff[2:]:
        if line.startswith("@@"):
            at = int(re.findall(r"-(\d+)", line)[0]) + moved - (",0" not in line)
        elif line.startswith("-"):
            assert lines.pop(at) == line[1:]
            moved -= 1
        elif line.startswith("+"):
            lines.insert(at, line[1:])
            moved += 1
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", quick_one_in(2, ["acks-1", "min-isr-1"]))
def test_the_diff_of_the_first_danger_applied_to_the_files_prevents_it(
    audited: Audited, tmp_path: Path, name: str
) -> None:
    copies = [tmp_path / file.name for file in (EXAMPLES / name).iterdir()]
    for copy in copies:
        copy.write_text((EXAMPLES / name / copy.name).read_text(encoding="utf-8"), encoding="utf-8")
    page, before = audited(*copies)
    diff = page.all("div", "remedy")[0].all("pre", "diff")[0].words.strip().splitlines()
    (changed,) = [copy for copy in copies if str(copy) == diff[0].removeprefix("--- ")]
    changed.write_text(patched(changed.read_text(encoding="utf-8"), diff), encoding="utf-8")
    _, after = audited(*copies)
    assert "acked_never_lost" in within_tolerance(before)
    assert "acked_never_lost" not in within_tolerance(after)


def test_hostile_names_are_text(audited: Audited, tmp_path: Path) -> None:
    hostile = tmp_path / "a<img src=x onerror=alert(1)>'\".properties"
    hostile.write_text("bootstrap.servers=h:1\nacks=1\nclient.id=<script>alert(1)</script>\n", encoding="utf-8")
    topic = tmp_path / "topic.properties"
    topic.write_text("min.insync.replicas=2\nreplication.factor=3\n", encoding="utf-8")
    page, _ = audited(hostile, topic)
    assert page.all("img") == []
    assert len(page.all("script")) == 1
    assert "a<img src=x onerror=alert(1)>" in page.words


def test_where_nothing_helps_until_an_upgrade_the_page_says_so_and_shows_the_upgrade(audited: Audited) -> None:
    files = [EXAMPLES / "good" / f"{name}.properties" for name in ("producer", "server", "topic")]
    page, _ = audited(*files, said=("--kafka-version", "3.9.1", "--assume", "client=java"))
    said = [[line.words for line in part.all("p")][:3] for part in page.all("div", "how")]
    assert ["Until you upgrade", "No change of settings that was tried prevents it.", "For good"] in said


@pytest.mark.parametrize("name", quick_one_in(2, ["consumer", "controllers"]))
def test_a_section_has_a_card_like_a_class_of_topics(example: Example, name: str) -> None:
    page, values = example(name)
    cards = {part.attributes["id"]: part for part in page.all("section", "class")}
    assert values["sections"]
    verdicts = page.all("main")[0].words.lower().count("with a single fault")
    assert verdicts == len(cards), "the page of the only part says it once, above the card"
    for number, section in enumerate(values["sections"], start=1):
        card = cards[f"section-{number}"]
        (table,) = card.all("table", "dangers")
        happens = {one["property"] for one in section["findings"] if one["verdict"] == "violated"}
        stories = {story.attributes["id"] for story in card.all("details", "danger")}
        linked = [link.attributes["href"] for part in card.all("div", "remedy") for link in part.all("a")]
        assert {f"#{story}" for story in stories} == set(linked)
        assert len(stories) == len(happens)
        rows = [cell.words for cell in table.all("th") if cell.attributes.get("scope") == "row"]
        assert len(rows) == len(set(rows))
