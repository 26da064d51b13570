"""Whole numbers as options: no more digits than a 64-bit number has, no more workers than any machine is for."""

from __future__ import annotations

from typing import Any

import click

MOST_DIGITS = 18
SHOWN = 24
"""How much of a wrong value a message repeats."""


def short(text: str) -> str:
    """A wrong value as a message repeats it."""
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}... ({len(text):,} characters)"


class WholeNumber(click.IntRange):
    """A whole number within a range, of at most MOST_DIGITS digits: larger ones fit into no counter of a kernel, and into no clock."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        if len(text.lstrip("+-")) > MOST_DIGITS:
            self.fail(f"{short(text)} is longer than a number of {MOST_DIGITS} digits.", param, ctx)
        number: int = super().convert(value, param, ctx)
        return number


MOST_WORKERS = 256
WORKERS = WholeNumber(min=1, max=MOST_WORKERS)
"""Each worker has buffers for what it hands to each other one: with more, these take more memory than any search."""
