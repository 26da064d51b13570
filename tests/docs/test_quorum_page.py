"""The tables of the page of the quorum: which mishap breaks what in how many steps, in how many states, is what searches find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_options import asked

from neverlost.explorer.search import explore
from neverlost.spec.families import profiles

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "quorum.md").read_text(encoding="utf-8")
MISHAPS = PAGE.partition("\n## Which mishap breaks what\n")[2].partition("\n### ")[0]
FIVE = PAGE.partition("\n### Five controllers\n")[2].partition("\n### ")[0]
PROPERTIES = (
    "one_leader_per_epoch", "log_matching", "leader_completeness", "committed_never_lost", "acked_never_lost",
    "committed_is_held",
)  # fmt: skip
"""The columns of both tables."""
QUICK = 60_000
"""Rows with fewer states are searched always."""


def rows() -> Iterator[object]:
    """Of each row: the version, what is asked, and what the page says."""
    version, kraft_version = "", ""
    for line in MISHAPS.splitlines():
        if heading := re.match(r"\| \*\*(\S+), `kraft.version` (\d)\*\*", line):
            version, kraft_version = heading.groups()
        elif row := re.match(r"\| `(--.+?)` \| (.+) \| [\d.]+ \|$", line):
            options = {"kraft_version": kraft_version, **asked(row[1])}
            yield case(version, options, row[2], f"{version} {kraft_version} {row[1]}")
    for line in FIVE.splitlines():
        if row := re.match(r"\| `kraft.version` (\d), (?:nothing|`(--.+?)`) \| (\d) \| (.+) \| [\d.]+ \|$", line):
            options = {"controllers": 5, "log_size": int(row[3]), "kraft_version": row[1], **asked(row[2] or "")}
            yield case("3.9", options, row[4], f"five {row[1]} {row[2] or ''}")


def case(version: str, options: dict[str, int | str | bool], said: str, name: str) -> object:
    """A row; one with many states is thorough."""
    *cells, states = said.split(" | ")
    count = int(states.split(", stopped")[0].replace(",", ""))
    marks = [] if count < QUICK else [pytest.mark.thorough]
    return pytest.param(version, options, cells, states, id=name, marks=marks)


ROWS = list(rows())


@pytest.mark.parametrize(("version", "options", "cells", "states"), ROWS)
def test_a_mishap_breaks_what_the_page_says(
    version: str, options: dict[str, int | str | bool], cells: list[str], states: str
) -> None:
    model = profiles()[f"kafka-quorum-{version}"].model(**options)
    result = explore(model, until="each", properties=PROPERTIES, symmetry=["controller"])
    traces = [result.findings[name].trace for name in PROPERTIES]
    assert cells == ["holds" if trace is None else str(len(trace) - 1) for trace in traces]
    assert states == f"{result.distinct:,}" + ("" if result.complete else ", stopped")
    assert result.complete or None not in traces


def test_no_row_is_overlooked() -> None:
    written = re.findall(r"^\| `(?:--|kraft)", MISHAPS + FIVE, flags=re.MULTILINE)
    assert len(ROWS) == len(written) > 40
