"""The published specification of KRaft has the states that TLC counts."""

from __future__ import annotations

import pytest
from published_kraft import PUBLISHED_KRAFT

from neverlost.explorer.search import explore

BY_TLC = [
    (2, 1, 1, 55, 17),
    (2, 2, 1, 259, 24),
    (2, 3, 1, 1_711, 31),
    (2, 4, 1, 14_419, 38),
    (2, 1, 2, 1_230, 27),
    (2, 2, 2, 8_076, 34),
    (3, 1, 1, 10_468, 30),
    (3, 2, 1, 220_780, 43),
    pytest.param(2, 3, 2, 70_170, 41, marks=pytest.mark.thorough),
    pytest.param(4, 1, 1, 642_493, 46, marks=pytest.mark.thorough),
]
"""Servers, values, elections; distinct states and depth of KRaft.tla as TLC counts them, without a view and without symmetry."""


@pytest.mark.parametrize(("servers", "values", "elections", "distinct", "depth"), BY_TLC)
def test_the_specification_has_as_many_states_as_tlc_counts(
    servers: int, values: int, elections: int, distinct: int, depth: int
) -> None:
    result = explore(PUBLISHED_KRAFT.bounded(servers=servers, values=values, elections=elections), until="all")
    assert (result.distinct, result.depth) == (distinct, depth)
    assert {name: finding.verdict for name, finding in result.findings.items() if finding.verdict != "holds"} == {}
