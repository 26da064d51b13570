"""The page's table of versions and properties has what searches say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neverlost.explorer.search import explore
from neverlost.spec import profiles

PAGE = Path(__file__).parents[4] / "docs" / "explanation" / "transactions.md"
BOUNDS = {"producers": 2, "transactions": 2, "partitions": 2, "epochs": 8}
FAULTS = ({"delays": 1}, {"late_markers": 1}, {"timeouts": 1})


def columns() -> list[tuple[str, dict[str, str]]]:
    """The column of each version: its title, and what it has for each property."""
    text = (
        PAGE.read_text(encoding="utf-8").partition("<!-- properties: begin -->")[2].partition("<!-- properties: end")[0]
    )
    rows = [[cell.strip() for cell in row.split("|")] for row in re.findall(r"^\| (.*) \|$", text, flags=re.MULTILINE)]
    return [(title, {row[0].strip("`"): row[at] for row in rows[1:]}) for at, title in enumerate(rows[0]) if at]


@pytest.mark.parametrize(("title", "said"), columns(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_version_has_the_shortest_violation_of_each_property(title: str, said: dict[str, str]) -> None:
    profile = profiles()[f"kafka-transactions-{title.partition(',')[0]}"]
    client = {"client": "tv0"} if "tv0" in title else {}
    found = {}
    for name in said:
        cells = []
        for fault in FAULTS:
            model = profile.bounded(**profile.read(BOUNDS, {**fault, **client}))
            finding = explore(model, properties=[name], symmetry=True).findings[name]
            cells.append(str(finding.verdict) if finding.trace is None else str(len(finding.trace.steps)))
        found[name] = "holds" if set(cells) == {"holds"} else " / ".join(cells)
    assert found == said
