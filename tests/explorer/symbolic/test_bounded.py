"""Bounded checking finds what the search finds, at the same length, and nothing where there is nothing.

By default a few rows of the golden table; with `--thorough` every row of up to 400 states to its full depth, and every
violation of up to eleven steps below 20,000 states.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ledgers.golden_rows import BY_NAME
from unsound_models import LEAKING

from neverlost.explorer.symbolic.orbits import provable_symmetry
from neverlost.explorer.symbolic.proof import prove_within
from neverlost.explorer.traces.trace import replay
from neverlost.model.core import ModelError
from neverlost.spec.golden import GoldenRow, golden_rows

QUICK_STATES = 25
SMALL_STATES = 400
VIOLATED_STATES = 20_000
LONGEST_TRACE = 12
SMALLEST_VIOLATED = {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 2}


def questions(most_states: int) -> Iterator[tuple[GoldenRow, str]]:
    """The rows of at most so many states, each with its properties of the kind `always`."""
    for row in golden_rows():
        if row.symmetry or row.distinct > most_states:
            continue
        for name in row.findings:
            if BY_NAME[row.profile].property_named(name).kind == "always":
                yield row, name


def violated(row: GoldenRow, name: str) -> bool:
    return row.findings[name].verdict == "violated"


def agrees(row: GoldenRow, name: str) -> None:
    """Bounded checking to the row's full depth decides as the row says."""
    known = row.findings[name]
    proof = prove_within(BY_NAME[row.profile].bounded(**row.bounds), name, row.depth)
    if not violated(row, name):
        assert (proof.verdict, [d.result for d in proof.depths]) == ("undecided", ["none"] * (row.depth + 1))
        return
    assert proof.verdict == "violated"
    assert proof.trace is not None
    assert len(proof.trace) == known.trace_length
    replay(proof.trace)


def chosen(everything: bool) -> list[tuple[GoldenRow, str]]:
    """What to decide: small rows of every profile; with everything, larger ones, and all that are violated soon enough."""
    found = list(questions(SMALL_STATES if everything else QUICK_STATES))
    for row, name in questions(VIOLATED_STATES) if everything else ():
        soon = violated(row, name) and 1 < (row.findings[name].trace_length or 0) <= LONGEST_TRACE
        if soon and row.distinct > SMALL_STATES:
            found.append((row, name))
    return found


def is_smallest(row: GoldenRow) -> bool:
    """Are these the smallest bounds at which KIP-101 or KIP-279 loses what is committed, with three replicas?"""
    return row.profile in ("published/kip-101", "published/kip-279") and row.bounds == SMALLEST_VIOLATED


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "question" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--thorough")
        metafunc.parametrize("question", chosen(everything), ids=lambda q: f"{q[0].label} {q[1]}")


def test_bounded_checking_decides_what_the_table_says(question: tuple[GoldenRow, str]) -> None:
    agrees(*question)


def test_the_smallest_counterexamples_of_kip_101_and_kip_279_are_among_these_with_symmetry_broken() -> None:
    smallest = [(row, name) for row, name in chosen(everything=True) if is_smallest(row) and name == "strong_isr"]
    assert sorted(row.profile for row, _ in smallest) == ["published/kip-101", "published/kip-279"]
    for row, name in smallest:
        assert row.findings[name].trace_length == 12
        model = BY_NAME[row.profile].bounded(**row.bounds)
        domains, _ = provable_symmetry(model, [model.profile.property_named(name)], [])
        assert [domain.__name__ for domain in domains] == ["Replica"]


def test_a_step_that_leaves_a_domain_is_the_error_of_the_search() -> None:
    with pytest.raises(ModelError, match=r"climb\(\): height was set to 3, outside its domain 0\.\.2"):
        prove_within(LEAKING.bounded(rungs=2), LEAKING.properties[0].name, 5)


def test_too_little_time_is_unknown_and_undecided() -> None:
    from neverlost.explorer.symbolic.induction import Effort

    model = BY_NAME["published/kip-279"].bounded(replicas=3, log_size=3, records=3, leader_epochs=3)
    proof = prove_within(model, "strong_isr", 12, effort=Effort(rounds=(0.001,)))
    assert proof.verdict == "undecided"
    assert proof.depths[-1].result == "unknown"
