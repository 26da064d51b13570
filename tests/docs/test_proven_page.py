"""What the page of proofs and refutations says is what the golden table says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neverlost.model.core.source import defined
from neverlost.spec.golden import GoldenFinding, golden_rows

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "what-is-proven.md").read_text(encoding="utf-8")
BOUNDS = {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 3}
ROWS = re.findall(r"^\| `(published/[\w-]+)` \| ([\d,]+) \| (.+?) \| (.+?) \|$", PAGE, flags=re.MULTILINE)


def said(finding: GoldenFinding) -> str:
    if finding.trace_length is None:
        return finding.verdict
    return f"refuted in {finding.trace_length - 1} steps"


@pytest.mark.parametrize(("profile", "distinct", "weak", "strong"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_the_page_is_a_golden_row(profile: str, distinct: str, weak: str, strong: str) -> None:
    (row,) = (r for r in golden_rows() if r.profile == profile and dict(r.bounds) == BOUNDS and not r.symmetry)
    assert int(distinct.replace(",", "")) == row.distinct
    assert (weak, strong) == (said(row.findings["weak_isr"]), said(row.findings["strong_isr"]))


def test_the_page_has_all_five_protocols() -> None:
    assert len(ROWS) == 5
    assert "all 4,093,531 states at 3 replicas, log size 3, 3 records, 3 leader epochs" in PAGE
    largest = {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 3}
    (row,) = (r for r in golden_rows() if r.profile == "published/kip-320" and dict(r.bounds) == largest)
    assert row.distinct == 4_093_531
    assert {row.findings[name].verdict for name in ("weak_isr", "strong_isr")} == {"holds"}


@pytest.mark.thorough
def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL):
        defined(block, "what-is-proven.md", {})
    assert "11. become_leader" in capsys.readouterr().out
