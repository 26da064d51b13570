"""The tables of the page on transactions, read: which version, what happens, the cells and the states of each row."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "transactions.md").read_text(encoding="utf-8")
COLUMNS = (
    "all_or_nothing",
    "no_aborted_read",
    "no_commit_lost",
    "zombie_fenced",
    "no_duplicate",
    "in_order",
    "markers_accepted",
    "nothing_hangs",
)
ROWS: list[tuple[str, str, str, str]] = re.findall(
    rf"^\| (\S+) \| (nothing|`.*?`) ((?:\| \w+ ){{{len(COLUMNS)}}})\| ([\d,]+) \|$", PAGE, flags=re.MULTILINE
)


def verdicts(cells: str) -> dict[str, str]:
    """What a row says of each property."""
    return dict(zip(COLUMNS, cells.strip("| ").split(" | "), strict=True))
