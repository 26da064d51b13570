"""`neverlost matrix --html`: as many cells as were asked, and a story for every violated one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command_line import Run
from looked_at import Element, handlers, loaded, page_read


def test_every_cell_is_on_the_page_and_every_loss_has_its_story(run: Run, tmp_path: Path) -> None:
    arguments = ("matrix", "--replicas", "2", "--version", "kafka-3.7", "--version", "kafka-4.1")
    page_file, values_file = tmp_path / "m.html", tmp_path / "m.json"
    assert run(*arguments, "--html", str(page_file), "--json", str(values_file))[0] == 0
    page, values = page_read(page_file.read_text(encoding="utf-8")), json.loads(values_file.read_text(encoding="utf-8"))
    assert (loaded(page), handlers(page)) == ([], [])
    stories = {story.attributes["id"]: story for story in page.all("details", "bug")}
    used = set()
    for cell, expected in zip(cells_of(page), values, strict=True):
        links = cell.all("a")
        assert bool(links) == (expected["verdict"] == "violated")
        for link in links:
            used.add(link.attributes["href"].removeprefix("#"))
            steps = stories[link.attributes["href"].removeprefix("#")].all("li", "step")
            assert len(steps) == expected["trace_length"] == int(link.words) + 1
        if not links:
            assert cell.words in ("ok", "ok*", "?")
    assert used == set(stories)


def cells_of(page: Element) -> list[Element]:
    """The cells of the table in the order of its rows, without what names a row."""
    rows: list[Any] = [row for row in page.all("table", "cells")[0].all("tr") if "data-version" in row.attributes]
    return [cell for row in rows for cell in row.all("td")[3:]]
