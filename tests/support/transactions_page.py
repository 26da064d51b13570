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


def asked(options: str) -> dict[str, int | str | bool]:
    """The settings that options choose."""
    words = [] if options == "nothing" else options.strip("`").split()
    found: dict[str, int | str | bool] = {}
    for number, word in enumerate(words):
        if word.startswith("--"):
            value = words[number + 1] if number + 1 < len(words) else "--"
            name = word[2:].replace("-", "_")
            found[name] = True if value.startswith("--") else int(value) if value.isdigit() else value
    return found


def told(cells: str) -> dict[str, str]:
    """What a row says of each property."""
    return dict(zip(COLUMNS, cells.strip("| ").split(" | "), strict=True))
