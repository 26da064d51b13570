"""Numbers as bars: a table that can be read without seeing the bars."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from .page import filled


def bars(numbers: Mapping[str, int]) -> Markup:
    """A bar for each number, the longest for the largest."""
    largest = max(numbers.values(), default=0) or 1
    rows = [(name, value, round(100 * value / largest, 1)) for name, value in numbers.items()]
    return filled("pages/bars.html.j2", rows=rows)
