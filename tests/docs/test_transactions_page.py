"""The tables of the page on transactions are what searches find: verdicts, lengths and states."""

from __future__ import annotations

import pytest
from page_options import asked
from transactions_page import COLUMNS, ROWS, verdicts

from neverlost.explorer.search import explore
from neverlost.spec.families import profiles

QUICK = ("nothing", "`--timeouts 1`", "`--lost-markers 1`", "`--late-markers 1`")


def row(values: tuple[str, ...]) -> object:
    return pytest.param(
        *values, id=f"{values[0]} {values[1]}", marks=[] if values[1] in QUICK else [pytest.mark.thorough]
    )


@pytest.mark.parametrize(("version", "options", "cells", "states"), [row(values) for values in ROWS])
def test_a_row_is_what_a_search_finds(version: str, options: str, cells: str, states: str) -> None:
    model = profiles()[f"kafka-transactions-{version}"].model(**asked(options))
    result = explore(model, until="all", properties=COLUMNS, symmetry=True)
    assert result.complete
    found = {name: result.findings[name].trace for name in COLUMNS}
    assert {name: str(len(trace) - 1) if trace else "holds" for name, trace in found.items()} == verdicts(cells)
    assert result.distinct == int(states.replace(",", ""))


def test_the_page_has_every_version_with_requests_and_markers_held_up() -> None:
    held_up = {(values[0], values[1]) for values in ROWS}
    for version in ("0.11", "2.5", "3.6", "4.0.0", "4.0", "4.2"):
        assert (version, "nothing") in held_up
        assert {(version, f"`--delays {n}{late}`") for n in (1, 2) for late in ("", " --late-markers 1")} <= held_up
