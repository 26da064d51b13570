"""Mistakes that were held out are refused: the run of each row differs with the mistake, and passes without it."""

from __future__ import annotations

import pytest
from golden_text import EXPLANATION, expect_golden
from mutants.held_out_mutants import HELD_OUT, UNSEEN
from mutants.held_out_outcomes import refused_by, seen_in, table
from mutants.held_out_page import page
from mutants.history_mutants import HISTORY
from mutants.inprocess_mutants import MUTANTS
from mutants.inprocess_mutation import CodeMutant, planted
from mutants.missed_mutants import MISSED
from mutants.surviving_mutants import SURVIVORS

FOUND = table()["refused"]
REFUSED = [mutant for mutant in (*MISSED, *HELD_OUT) if FOUND.get(mutant.name)]
AGAIN = "python tools/held_out_mutant_search.py writes the table anew"


@pytest.mark.parametrize("mutant", REFUSED, ids=lambda mutant: mutant.name)
def test_the_run_tells_the_mistake_and_passes_without_it(mutant: CodeMutant) -> None:
    row = FOUND[mutant.name]
    assert seen_in(mutant, row) is None
    with planted(mutant):
        assert seen_in(mutant, row) == row["differs"], AGAIN


def test_every_kind_that_was_missed_is_refused_and_nine_of_ten_of_the_others() -> None:
    assert [mutant.name for mutant in MISSED if FOUND[mutant.name] is None] == []
    visible = [mutant for mutant in HELD_OUT if mutant.name not in UNSEEN]
    assert sum(FOUND[mutant.name] is not None for mutant in visible) >= 0.9 * len(visible)
    assert all(FOUND[name] is None for name in UNSEEN)


def test_there_are_thirty_that_are_no_others() -> None:
    others = {(m.place, m.written, m.instead) for m in (*MUTANTS, *HISTORY, *SURVIVORS)}
    assert len({(m.place, m.written, m.instead) for m in HELD_OUT} - others) == 30


def test_the_table_has_every_mistake_and_no_other() -> None:
    assert list(FOUND) == [mutant.name for mutant in (*MISSED, *HELD_OUT)], AGAIN


def test_the_page_says_what_the_table_says() -> None:
    expect_golden("held-out-mutants.md", page(), EXPLANATION)


@pytest.mark.thorough
@pytest.mark.parametrize("mutant", [*MISSED, *HELD_OUT], ids=lambda mutant: mutant.name)
def test_what_users_run_refuses_it_now(mutant: CodeMutant) -> None:
    assert (refused_by(mutant) is None) == (FOUND[mutant.name] is None)
