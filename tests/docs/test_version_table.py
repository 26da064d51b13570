"""The tables of random runs on the page about real brokers, made from the files of soaks."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from neverlost.conformance.cluster.soaking import Kind

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "version_table.py"))
PAGE = "a\n<!-- versions: begin -->\nold\n<!-- versions: end -->\nb\n<!-- versions-120: begin -->\n<!-- versions-120: end -->\nc\n"


def line(number: int, steps: int, **others: Any) -> dict[str, Any]:
    return {
        "release": "3.9.1",
        "mode": "KRaft",
        "number": number,
        "steps": steps,
        "trouble": "",
        "difference": None,
    } | others


def test_a_table_has_the_runs_of_one_kind_and_their_steps_by_action() -> None:
    runs = [line(1, 5, actions={"fetch": 3, "crash": 2}), line(2, 4, actions={"fetch": 4}, difference={"step": 4})]
    text = TOOL["with_table"](PAGE, Kind(longest=120), runs)
    assert "| 3.9.1 with KRaft | `kafka-3.9` | 2 | 9 | differs in run 2 |" in text
    assert "| all | | 2 | 9 | |" in text
    assert "Steps by action: `fetch` 7, `crash` 2." in text
    assert "\nold\n" in text, "the table of another kind stays"


def test_lines_from_before_steps_were_counted_by_action_make_a_table_too() -> None:
    text = TOOL["with_table"](PAGE, Kind(), [line(1, 5)])
    assert "| 3.9.1 with KRaft | `kafka-3.9` | 1 | 5 | conforms |" in text
    assert "\nold\n" not in text
    assert "Steps by action" not in text


def test_a_kind_that_the_page_has_no_place_for_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for versions-240-clients-5-brokers"):
        TOOL["with_table"](PAGE, Kind(longest=240, clients=True, brokers=5), [line(1, 5)])
