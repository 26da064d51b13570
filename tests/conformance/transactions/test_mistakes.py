"""In-process transactions with a mistake are refused: a row for each, with the case of a suite from mutants that does it."""

from __future__ import annotations

import pytest
from mutants.inprocess_mutation import CodeMutant, planted
from mutants.transactions_mutants import TRANSACTIONS
from mutants.transactions_outcomes import refused_by, seen_in, table

FOUND = table()
AGAIN = "python tools/transactions_mutant_search.py writes the table anew"


@pytest.mark.parametrize("mutant", TRANSACTIONS, ids=lambda mutant: mutant.name)
def test_the_case_refuses_the_mistake_and_not_what_is_right(mutant: CodeMutant) -> None:
    row = FOUND[mutant.name]
    assert seen_in(mutant, row) is None
    with planted(mutant):
        assert seen_in(mutant, row) == row["differs"], AGAIN


def test_every_mistake_is_refused_and_no_row_is_of_another() -> None:
    assert [mutant.name for mutant in TRANSACTIONS] == list(FOUND), AGAIN
    assert [name for name, row in FOUND.items() if row is None] == []
    assert len({(mutant.place, mutant.written, mutant.instead) for mutant in TRANSACTIONS}) == len(TRANSACTIONS) >= 40


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["0.11", "3.6", "4.2"])
def test_the_suite_of_its_version_refuses_every_mistake(version: str) -> None:
    own = [mutant for mutant in TRANSACTIONS if mutant.bench == version]
    assert [mutant.name for mutant in own if refused_by(mutant) is None] == []
