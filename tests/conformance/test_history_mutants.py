"""Mistakes after Kafka's own history: the cases of the table kill them, and pass without them."""

from __future__ import annotations

import re

import pytest
from golden_text import EXPLANATION, expect_golden
from mutants.history_mutants import HISTORY, SURVIVE
from mutants.history_outcomes import seen_in, table
from mutants.history_page import page
from mutants.inprocess_mutants import MUTANTS
from mutants.inprocess_mutation import CodeMutant
from mutants.surviving_mutants import SURVIVE as SURVIVORS_THAT_SURVIVE
from mutants.surviving_mutants import SURVIVORS

KILLED = table()["killed"]
AGAIN = "run `make mutants`, and commit what it writes"


@pytest.mark.parametrize("mutant", [pytest.param(m, id=m.name) for m in (*HISTORY, *SURVIVORS) if KILLED.get(m.name)])
def test_the_case_tells_the_mistake_and_passes_without_it(mutant: CodeMutant) -> None:
    case = KILLED[mutant.name]
    assert seen_in(case, None) is None
    assert seen_in(case, mutant) == case["seen"], AGAIN


def test_there_are_thirty_and_none_is_among_the_other_mutants() -> None:
    others = {(m.place, m.written, m.instead) for m in MUTANTS}
    assert len({(m.place, m.written, m.instead) for m in HISTORY} - others) == 30
    assert all(re.match(r"KAFKA-\d+: ", mutant.name) for mutant in HISTORY)


def test_the_table_has_every_mistake_and_what_is_not_seen_has_a_reason() -> None:
    assert list(KILLED) == [mutant.name for mutant in (*HISTORY, *SURVIVORS)], AGAIN
    survivals = {name for name, case in KILLED.items() if case is None}
    assert {name.partition(":")[0] for name in survivals} == {*SURVIVE, *SURVIVORS_THAT_SURVIVE}
    assert set(table()["at_random"]) == survivals


def test_the_page_says_what_the_table_says() -> None:
    expect_golden("history-mutants.md", page(), EXPLANATION)
