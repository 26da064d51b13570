"""A broken implementation is caught: every mistake of the table by the suite of its bench, most of them by random runs too.

By default one mutant in sixteen is tried here, but for those on the largest benches, and all with --thorough. The search over all of
them, by random runs too, takes minutes: it is `make mutants`, and with --thorough made here, too.
"""

from __future__ import annotations

import pytest
from golden_text import EXPLANATION, expect_golden
from mutants.history_mutants import HISTORY
from mutants.inprocess_benches import BENCHES, suite
from mutants.inprocess_mutant_outcomes import by_chance, by_suite, table
from mutants.inprocess_mutant_page import page
from mutants.inprocess_mutants import MUTANTS
from mutants.inprocess_mutation import CodeMutant, mistake, planted
from mutants.surviving_mutants import SURVIVORS
from sampling import spread

from neverlost.conformance.suite.run import conform

FOUND = table()
ONE_IN = 16
LARGE = {
    *("changing-isr", "cut-on-fetch", "late-counts", "late-looks-and-metadata", "late-responses", "newer-records"),
    *("renumbering", "shutdowns", "starting-over"),
}
"""Benches whose suites take longest to make: only with --thorough."""

AGAIN = "run `make mutants`, and commit what it writes"
MOST_CASES = 15
"""So many cases of a suite are run, spread over all of it; with --thorough every case."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The mutants, those of one bench in one process, as its model is explored there."""
    quick = [mutant for mutant in MUTANTS[::ONE_IN] if mutant.bench not in LARGE]
    chosen = MUTANTS if metafunc.config.getoption("--thorough") else quick
    if "mutant" in metafunc.fixturenames:
        metafunc.parametrize(
            "mutant", [pytest.param(m, id=m.name, marks=pytest.mark.xdist_group(m.bench)) for m in chosen]
        )
    if "bench" in metafunc.fixturenames:
        benches = sorted({mutant.bench for mutant in chosen})
        metafunc.parametrize("bench", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in benches])


def test_brokers_without_a_mistake_pass_every_suite(bench: str, thorough: bool) -> None:
    whole = suite(bench)
    cases = whole.cases if thorough else spread(whole.cases, MOST_CASES)
    outcome = conform(whole.model, cases, BENCHES[bench].make, until="first")
    assert (outcome.failures, outcome.cases) == ((), len(cases))


def test_the_suite_of_its_bench_catches_every_mutant(mutant: CodeMutant) -> None:
    found = by_suite(mutant)
    assert found is not None
    assert found == FOUND[mutant.name]["suite"], AGAIN


def test_no_mutant_of_the_table_survives_its_suite() -> None:
    assert [name for name, values in FOUND.items() if values["suite"] is None] == []


def test_random_runs_catch_nine_of_ten() -> None:
    assert sum(values["chance"] is not None for values in FOUND.values()) >= 0.9 * len(MUTANTS)


@pytest.mark.thorough
def test_random_runs_catch_so_many_now() -> None:
    assert sum(by_chance(mutant) is not None for mutant in MUTANTS) >= 0.9 * len(MUTANTS)


def test_there_are_enough_mutants_and_each_breaks_something_else() -> None:
    assert len(MUTANTS) >= 40
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({(m.bench, m.place, m.written, m.instead) for m in MUTANTS}) == len(MUTANTS)
    assert {mutant.bench for mutant in MUTANTS} == set(BENCHES)


def test_the_table_has_every_mutant_and_no_other() -> None:
    assert list(FOUND) == [mutant.name for mutant in MUTANTS], AGAIN


def test_the_page_says_what_the_table_says() -> None:
    expect_golden("implementation-mutants.md", page(), EXPLANATION)


def test_every_mistake_can_be_made_in_the_code_as_it_is_now() -> None:
    for mutant in (*MUTANTS, *HISTORY, *SURVIVORS):
        with planted(mutant):
            pass


def test_a_mistake_whose_place_was_rewritten_is_refused() -> None:
    gone = mistake("gone", "R-HW-1", "min-isr", MUTANTS[0].place, "what does not stand there", "pass")
    with pytest.raises(ValueError, match="stands 0 times"), planted(gone):
        pass
