"""In-process transactions with a mistake are refused: a row for each, with the case of a suite from mutants that does it."""

from __future__ import annotations

import os

import pytest
from mutants.inprocess_mutation import CodeMutant, planted
from mutants.transactions_mutants import TRANSACTIONS
from mutants.transactions_outcomes import refused_by, replayed, search, table, write

FOUND = table() if not os.environ.get("NEVERLOST_REWRITE") else {}
AGAIN = "NEVERLOST_REWRITE=1 pytest --thorough -k suites_refuse tests/conformance/transactions writes the table anew"


@pytest.mark.parametrize("mutant", TRANSACTIONS, ids=lambda mutant: mutant.name)
def test_the_case_refuses_the_mistake_and_not_what_is_right(mutant: CodeMutant) -> None:
    row = FOUND[mutant.name]
    assert replayed(mutant, row) is None
    with planted(mutant):
        assert replayed(mutant, row) is not None


def test_every_mistake_is_refused_and_no_row_is_of_another() -> None:
    assert [mutant.name for mutant in TRANSACTIONS] == list(FOUND), AGAIN
    assert [name for name, row in FOUND.items() if row is None] == []
    assert len({(mutant.place, mutant.written, mutant.instead) for mutant in TRANSACTIONS}) == len(TRANSACTIONS) >= 40


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["0.11", "3.6", "4.2"])
def test_suites_refuse_every_mistake_where_the_table_says(version: str) -> None:
    if os.environ.get("NEVERLOST_REWRITE"):
        write(search())
    found = table()
    for mutant in TRANSACTIONS:
        if mutant.bench == version:
            assert refused_by(mutant) == found[mutant.name], AGAIN
