"""The charts of the documentation show the numbers that stand in its tables."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from shell_blocks import ROOT

EXPLANATION = ROOT / "docs" / "explanation"
MOST_BYTES = 40_000


def test_the_numbers_of_the_chart_of_wider_states_stand_in_its_table() -> None:
    page = (EXPLANATION / "search.md").read_text(encoding="utf-8")
    values = json.loads((EXPLANATION / "data" / "wider-states.json").read_text(encoding="utf-8"))
    for row in values["rows"]:
        assert f"| {row['bounds']} | {row['words']} | {row['ns']} | {row['bytes']} |" in page


def test_the_chart_is_small_and_has_every_number_as_text() -> None:
    text = (EXPLANATION / "wider-states.svg").read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    shown = {
        (part.text or "").strip() for part in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}text")
    }
    values = json.loads((EXPLANATION / "data" / "wider-states.json").read_text(encoding="utf-8"))
    assert {str(row[key]) for row in values["rows"] for key in ("ns", "bytes")} <= shown
