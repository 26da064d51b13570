"""Every engine answers what the golden table says.

By default the interpreted engine runs the rows of at most 500 states, and the compiled engine, with one and with two workers,
of each profile the smallest model, the smallest of 60,000 to 200,000 states, and whatever is explored up to renaming.
`--thorough` runs every row on the compiled engine, and every row below 200,000 states on the interpreted one as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import pytest
from ledgers.golden_rows import BY_NAME, COUNTED_TWICE_BY_TLC

from neverlost.explorer.engines import blocks, compiled, visited_set
from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.spec.golden import GoldenFinding, GoldenRow, golden_rows

QUICK_FOR_THE_INTERPRETER = 500
WORTH_A_KERNEL, QUICK_FOR_THE_COMPILER = 60_000, 200_000


def run(row: GoldenRow, engine: str, workers: int = 1) -> Result:
    model = BY_NAME[row.profile].bounded(**row.bounds)
    return explore(model, engine=engine, workers=workers, until="all", symmetry=row.symmetry)


def disagreements(row: GoldenRow, result: Result) -> list[str]:
    """What an engine answered otherwise than the table, and where TLC counted otherwise without a known reason."""
    found = []
    if not result.complete:
        found.append(f"the search was stopped by {result.stopped_by}")
    for name in ("distinct", "generated", "depth", "levels", "digest"):
        known = getattr(row, name)
        if known is not None and getattr(result, name) != known:
            found.append(f"{name} is {getattr(result, name)}, not {known}")
    plain = [r for r in golden_rows() if (r.profile, r.bounds, r.symmetry) == (row.profile, row.bounds, ())]
    whole = result.distinct_without_symmetry
    found += [f"{whole} without symmetry, not {r.distinct}" for r in plain if whole not in (None, r.distinct)]
    for name, known in row.findings.items():
        answer = result.findings[name]
        length = len(answer.trace) if answer.trace else None
        if (answer.verdict, answer.violating_states, length) != (
            known.verdict,
            known.violating_states,
            known.trace_length,
        ):
            found.append(f"{name} is {answer.verdict} ({answer.violating_states}, {length}), not {known}")
    for name, count in row.tlc_actions.items():
        if name not in COUNTED_TWICE_BY_TLC and result.generated_by_action[name] != count:
            found.append(f"{name} happens {result.generated_by_action[name]} times, for TLC {count}")
    return found


def compiled_by_default(row: GoldenRow) -> bool:
    same_profile = [r for r in golden_rows() if r.profile == row.profile and not r.symmetry]
    same_profile.sort(key=lambda r: r.distinct)
    large = [r for r in same_profile if WORTH_A_KERNEL < r.distinct < QUICK_FOR_THE_COMPILER]
    return bool(row.symmetry) or row in same_profile[:1] or row in large[:1]


def interpreted_rows(everything: bool) -> list[GoldenRow]:
    limit = QUICK_FOR_THE_COMPILER if everything else QUICK_FOR_THE_INTERPRETER + 1
    return [row for row in golden_rows() if row.distinct < limit]


def by_kernel(rows: Iterable[GoldenRow]) -> list[list[GoldenRow]]:
    """The rows grouped by profile and bounds: those share what is compiled."""

    def kernel(row: GoldenRow) -> tuple[str, tuple[tuple[str, int], ...]]:
        return row.profile, tuple(row.bounds.items())

    return [list(group) for _, group in groupby(sorted(rows, key=kernel), kernel)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "interpreted_row" in metafunc.fixturenames:
        metafunc.parametrize("interpreted_row", interpreted_rows(everything), ids=lambda row: row.label)
    if "kernel_rows" in metafunc.fixturenames:
        chosen = by_kernel(row for row in golden_rows() if everything or compiled_by_default(row))
        metafunc.parametrize("kernel_rows", chosen, ids=lambda rows: rows[0].label)


def test_the_interpreted_engine_answers_what_the_table_says(interpreted_row: GoldenRow) -> None:
    assert disagreements(interpreted_row, run(interpreted_row, "interpreted")) == []


def test_the_compiled_engine_answers_what_the_table_says(
    kernel_rows: list[GoldenRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search with two workers has a small table, which grows often, and keeps its levels in a file."""
    for row in kernel_rows:
        one = run(row, "compiled")
        with monkeypatch.context() as small:
            small.setattr(visited_set, "FIRST_SPAN", 16)
            small.setattr(visited_set, "LARGE_BYTES", 1 << 16)
            small.setattr(blocks, "SHARE_OF_MEMORY", 0)
            small.setattr(compiled, "BLOCK_ROWS", 500)
            two = run(row, "compiled", workers=2)
        assert disagreements(row, one) == []
        assert disagreements(row, two) == []
        assert one.digest == two.digest
        assert one.generated_by_action == two.generated_by_action


def test_a_figure_that_differs_is_a_disagreement() -> None:
    row = next(row for row in golden_rows() if row.profile == "published/id-sequence")
    wrong = GoldenFinding(verdict="violated", violating_states=1, trace_length=1, tlc=False)
    changed = {
        **vars(row),
        "generated": 99,
        "levels": None,
        "findings": {"type_ok": wrong},
        "tlc_actions": {"issue": 7},
    }
    found = disagreements(GoldenRow(**changed), run(row, "interpreted"))
    assert [text.split(" ")[0] for text in found] == ["generated", "type_ok", "issue"]
