"""A table in plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table_text(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table: texts aligned left, numbers right."""
    body = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *body, strict=True)]
    numeric = [all(_is_number(cell) for cell in column) for column in zip(*body, strict=True)] or [False] * len(titles)
    lines = [
        "  ".join(
            c.rjust(w) if right else c.ljust(w) for c, w, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in [list(titles), *body]
    ]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)


def _is_number(cell: str) -> bool:
    return not cell or cell.replace(",", "").replace(".", "", 1).removeprefix("-").isdecimal()
