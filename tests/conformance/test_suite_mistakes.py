"""In-process families with a mistake are refused: a row for each, with the case of a suite from mutants that does it."""

from __future__ import annotations

import pytest
from mutants.inprocess_mutation import CodeMutant, planted
from mutants.suite_outcomes import FAMILIES, Mistakes

AGAIN = "python tools/suite_mutant_search.py FAMILY writes the table anew"
OF_ALL = [
    pytest.param(one, mutant, id=f"{one.family}: {mutant.name}") for one in FAMILIES.values() for mutant in one.mutants
]
SUITES = {"transactions": ("0.11", "3.6", "4.2"), "groups": ("0.11.0.0", "2.8.1", "4.3.1")}
FEWEST = {"transactions": 40, "groups": 30}


@pytest.mark.parametrize(("family", "mutant"), OF_ALL)
def test_the_case_refuses_the_mistake_and_not_what_is_right(family: Mistakes, mutant: CodeMutant) -> None:
    row = family.table()[mutant.name]
    assert family.seen_in(mutant, row) is None
    with planted(mutant):
        assert family.seen_in(mutant, row) == row["differs"], AGAIN


@pytest.mark.parametrize("name", FAMILIES)
def test_every_mistake_is_refused_and_no_row_is_of_another(name: str) -> None:
    family, found = FAMILIES[name], FAMILIES[name].table()
    assert [mutant.name for mutant in family.mutants] == list(found), AGAIN
    assert [mistake for mistake, row in found.items() if row is None] == []
    places = {(mutant.place, mutant.written, mutant.instead) for mutant in family.mutants}
    assert len(places) == len(family.mutants) >= FEWEST[name]
    assert {mutant.bench for mutant in family.mutants} == set(SUITES[name])


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "version"), [(name, one) for name, versions in SUITES.items() for one in versions])
def test_the_suite_of_its_version_refuses_every_mistake(name: str, version: str) -> None:
    family = FAMILIES[name]
    own = [mutant for mutant in family.mutants if mutant.bench == version]
    assert [mutant.name for mutant in own if family.refused_by(mutant) is None] == []
