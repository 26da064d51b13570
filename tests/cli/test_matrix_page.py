"""`neverlost matrix --html`: every cell that was asked is shown once, and a story for every violated one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from looked_at import Element, handlers, loaded, page_read


def matrix_page(run: Run, tmp_path: Path, *arguments: str) -> tuple[Element, Any]:
    """The page of a matrix, and its JSON."""
    page, values = tmp_path / "m.html", tmp_path / "m.json"
    assert run("matrix", *arguments, "--html", str(page), "--json", str(values))[0] == 0
    return page_read(page.read_text(encoding="utf-8")), json.loads(values.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def made() -> list[tuple[Element, Any]]:
    """The page of two versions, once it is made."""
    return []


@pytest.fixture
def of_two(run: Run, tmp_path: Path, made: list[tuple[Element, Any]]) -> tuple[Element, Any]:
    """The page of two versions, and its JSON."""
    if not made:
        versions = ("--version", "kafka-3.7", "--version", "kafka-4.1")
        made.append(matrix_page(run, tmp_path, "--replicas", "2", *versions))
    return made[0]


def test_every_cell_is_on_the_page_and_every_loss_has_its_story(of_two: tuple[Element, Any]) -> None:
    page, values = of_two
    assert (loaded(page), handlers(page)) == ([], [])
    stories = {story.attributes["id"]: story for story in page.all("details", "bug")}
    shown, used = dict(cells_of(page)), set()
    for number, expected in enumerate(values):
        cell = shown[key_of(expected, number % 10, ["kafka-3.7", "kafka-4.1"])]
        links = cell.all("a")
        assert bool(links) == (expected["verdict"] == "violated")
        for link in links:
            used.add(link.attributes["href"].removeprefix("#"))
            steps = stories[link.attributes["href"].removeprefix("#")].all("li", "step")
            assert len(steps) == expected["trace_length"] == int(link.words) + 1
        if not links:
            assert cell.words in ("ok", "ok*", "?")
    assert used == set(stories)
    assert len(shown) == len(values)
    lost = [cell["profile"] for cell in values if cell["verdict"] == "violated"]
    each = len(values) // 2
    assert (
        page.all("header")[0].all("strong")[0].words
        == f"A loss in {len(lost)} of {len(values)} cells; of 4.1.0 to 4.2.2 in {lost.count('kafka-4.1')} of {each}."
    )


def key_of(cell: Any, column: int, versions: list[str]) -> tuple[tuple[str, ...], str, int]:
    """What tells a cell from others: what is configured, with which faults, and the number of its version."""
    settings, faults = cell["settings"], cell["faults"]
    words = (settings["acks"], str(settings["min_isr"]), "on" if settings["unclean"] else "off")
    named = {"crashes": "crash", "power_losses": "power loss", "leader_moves": "leader move"}
    said = ", ".join(
        f"{count} {named[name] if count == 1 else name.replace('_', ' ')}" for name, count in faults.items() if count
    )
    return words, said, versions.index(cell["profile"])


def cells_of(page: Element) -> Iterator[tuple[tuple[tuple[str, ...], str, int], Element]]:
    """The cells of all tables, a merged one once for each that it stands for."""
    for block in page.all("section", "block"):
        for row in block.all("table", "cells")[0].all("tr"):
            if "data-cells" not in row.attributes:
                continue
            wide = [cell for cell in row.all("td") for _ in range(int(cell.attributes.get("colspan", "1")))]
            assert [cell.words for cell in wide] == json.loads(row.attributes["data-cells"])
            labels = [text for text in row.all("th")[0].content if isinstance(text, str)]
            for words in json.loads(block.attributes["data-words"]):
                for label in labels:
                    yield from (((tuple(words), label, number), cell) for number, cell in enumerate(wide))


def test_neither_two_tables_nor_two_rows_of_one_are_alike(of_two: tuple[Element, Any]) -> None:
    page, _ = of_two
    tables = [
        [
            re.sub(r"story-\d+", "", row.attributes["data-cells"])
            for row in block.all("tr")
            if "data-cells" in row.attributes
        ]
        for block in page.all("section", "block")
    ]
    linked = [
        [
            [link.attributes["href"] for link in row.all("a")]
            for row in block.all("tr")
            if "data-cells" in row.attributes
        ]
        for block in page.all("section", "block")
    ]
    cells = [list(zip(texts, map(str, links), strict=True)) for texts, links in zip(tables, linked, strict=True)]
    assert all(len(set(table)) == len(table) for table in cells)


def test_it_opens_with_the_settings_of_careful_users_and_says_which_releases_a_column_is(
    run: Run, tmp_path: Path
) -> None:
    page, _ = matrix_page(run, tmp_path, "--replicas", "2", "--version", "kafka-4.1")
    checked = [box.attributes["value"] for box in page.all("input") if "checked" in box.attributes]
    assert checked == ["all", "2", "off"]
    assert [head.words for head in page.all("table", "cells")[0].all("th", "release")] == ["4.1.0 to 4.2.2"]
