"""The golden table itself: complete, consistent, and faithful to what TLC answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledgers.golden_rows import PROFILE_OF_MODULE, key, read_table, rows_of_oracle

from neverlost.model.core import ModelError
from neverlost.spec.golden import GoldenRow, golden_rows
from neverlost.spec.published.profiles import PROFILES

ORACLE = Path(__file__).parents[3] / "shared" / "oracle"


def test_every_published_profile_has_golden_rows() -> None:
    assert {row.profile for row in golden_rows()} == {p.name for p in PROFILES} == set(PROFILE_OF_MODULE.values())


def test_no_row_is_there_twice() -> None:
    labels = [row.label for row in golden_rows()]
    assert len(set(labels)) == len(labels)


def test_every_property_of_a_profile_is_decided_in_its_rows() -> None:
    for profile in PROFILES:
        known = {p.name for p in profile.all_properties}
        for row in golden_rows():
            if row.profile == profile.name and set(row.confirmed_by) != {"tlc"}:
                assert set(row.findings) == known


def test_every_row_below_200_000_states_is_confirmed_by_tlc_and_by_the_interpreter() -> None:
    unconfirmed = [
        r.label for r in golden_rows() if r.distinct < 200_000 and not {"tlc", "interpreted"} <= set(r.confirmed_by)
    ]
    assert unconfirmed == []


def test_tlc_never_generates_fewer_successors_than_there_are_steps() -> None:
    fewer = [
        row.label
        for row in golden_rows()
        if row.generated is not None and row.tlc_generated is not None and row.tlc_generated < row.generated
    ]
    assert fewer == []


def test_a_row_whose_levels_do_not_add_up_is_refused() -> None:
    row = golden_rows()[0]
    with pytest.raises(ModelError, match="do not add up"):
        GoldenRow(**{**vars(row), "distinct": row.distinct + 1})


@pytest.mark.skipif(
    not ORACLE.is_dir(), reason="the files that TLC's figures were copied from are not beside the checkout"
)
def test_every_row_that_tlc_computed_is_in_the_table_with_equal_figures() -> None:
    table = {key(row): row for row in read_table()}
    for run in rows_of_oracle(ORACLE):
        row = table[key(run)]
        for name in ("distinct", "depth", "tlc_generated", "tlc_actions"):
            assert row[name] == run[name], (key(run), name)
        assert run["levels"] in (None, row["levels"]), key(run)
        for name, finding in run["findings"].items():
            known = {k: v for k, v in finding.items() if v is not None}
            assert known.items() <= row["findings"][name].items(), (key(run), name)
