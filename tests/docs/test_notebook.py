"""The cells of the how-to page run in order, on the store that its first block makes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from shell_blocks import ROOT, prepared, problems

PAGE = ROOT / "docs" / "how-to" / "state-graph-notebook.md"
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 600


@pytest.mark.thorough
@pytest.mark.xdist_group("spark")
def test_the_cells_of_the_notebook_run_in_order(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert problems(text, prepared(tmp_path)) == []
    cells = CELL.findall(text)
    assert len(cells) > 4
    (tmp_path / "notebook.py").write_text("\n".join(cells), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "notebook.py"], cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert ran.returncode == 0, ran.stderr
    for shown in ("fenced_follower_fetch", "|strong_isr", "controller_elect_leader(replica=r1)", "{r1, r2}"):
        assert shown in ran.stdout
