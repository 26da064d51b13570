"""The rows of the tables of an audit: what each tone means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BAD, UNCOUNTED, BEYOND, GOOD, OPEN = "bad", "uncounted", "beyond", "good", "open"
ROW_STYLES = {BAD: "red", UNCOUNTED: "yellow", BEYOND: "yellow", GOOD: "", OPEN: ""}

COLUMNS = {
    BAD: "happens with",
    UNCOUNTED: "happens, and is not counted, with",
    BEYOND: "happens beyond tolerance with",
    GOOD: "never happens with",
    OPEN: "open",
}
"""What a page says of a danger, by tone."""


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The columns in which some row says something."""
    return {tone: name for tone, name in COLUMNS.items() if any(row["cells"].get(tone) for row in rows)}
