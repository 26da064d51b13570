"""The search on Spark answers what the golden table says and what the compiled engine answers.

By default for a row of 97,531 states, with its largest levels on Spark; with `--thorough` for every larger row, with most of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ledgers.golden_rows import BY_NAME
from same_results import differing
from spark_searches import ON_SPARK, kip_320, searched

from neverlost.explorer import explore
from neverlost.spark_explore.manifest import read_manifest
from neverlost.spec.golden import GoldenRow, golden_rows

LARGE = 100_000
QUICK = {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 3}
LARGEST_LEVELS, LARGEST_SYMMETRIC_LEVELS = 620_000, 100_000
"""Levels that are more work than this run on Spark: five of the quick row, with and without symmetry."""

pytestmark = pytest.mark.xdist_group("spark")


def rows(everything: bool) -> list[GoldenRow]:
    quick = [row for row in golden_rows() if row.profile == "published/kip-320" and row.bounds == QUICK]
    return [row for row in golden_rows() if row.distinct >= LARGE] if everything else quick


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "by_files" in metafunc.fixturenames:
        ways = [(True, True), (False, False)] if everything else [(True, True)]
        metafunc.parametrize(("by_files", "symmetry"), ways)
    if "row" in metafunc.fixturenames:
        chosen = rows(everything)
        metafunc.parametrize("row", chosen, ids=lambda row: row.label)


def test_a_search_on_spark_answers_what_the_table_and_the_compiled_engine_say(row: GoldenRow, tmp_path: Path) -> None:
    model, small = BY_NAME[row.profile].bounded(**row.bounds), row.distinct < LARGE
    options = {"until": "all", "symmetry": row.symmetry}
    work = LARGEST_LEVELS if small else row.distinct // 4
    result = searched(model, tmp_path / "store", local_work=work, **options)
    assert differing(result, explore(model, workers=2, **options)) == []
    assert (result.distinct, result.depth, result.digest) == (row.distinct, row.depth, row.digest)
    said = {
        name: (f.verdict, f.violating_states, None if f.trace is None else len(f.trace))
        for name, f in result.findings.items()
    }
    assert said == {name: (f.verdict, f.violating_states, f.trace_length) for name, f in row.findings.items()}
    ran = [level.ran for level in read_manifest(tmp_path / "store").levels]
    assert ran.count("spark") >= (3 if small else len(ran) / 3)


def test_it_is_the_same_result_whichever_way_candidates_go_and_under_symmetry(
    by_files: bool, symmetry: bool, tmp_path: Path
) -> None:
    model = kip_320()
    result = searched(
        model,
        tmp_path / "store",
        local_work=LARGEST_SYMMETRIC_LEVELS if symmetry else ON_SPARK,
        by_files=by_files,
        symmetry=symmetry,
        until="all",
        shards=3,
    )
    assert differing(result, explore(model, symmetry=symmetry, until="all")) == []
