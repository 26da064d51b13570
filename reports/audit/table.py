"""The rows of the tables of an audit: what each tone means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BAD, BEYOND, GOOD, OPEN = "bad", "beyond", "good", "open"
ROW_STYLES = {BAD: "red", BEYOND: "yellow", GOOD: "", OPEN: ""}

COLUMNS = (
    ("happens with", BAD),
    ("happens beyond tolerance with", BEYOND),
    ("never happens with", GOOD),
    ("open", OPEN),
)
"""What a page says of a danger, and the tone of each."""


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[int, tuple[str, str]]:
    """The columns in which some row says something."""
    return {number: COLUMNS[number] for number in range(len(COLUMNS)) if any(row["cells"][number] for row in rows)}
