"""Whole numbers as options, with at most the digits of a 64-bit number, and a limit on workers."""

from __future__ import annotations

import os
from typing import Any

import click

MOST_DIGITS = 18
SHOWN = 24
"""How much of a wrong value a message repeats."""


def short(text: str) -> str:
    """A wrong value as a message repeats it."""
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}... ({len(text):,} characters)"


class WholeNumber(click.IntRange):
    """A whole number within a range, of at most MOST_DIGITS digits: no counter of a kernel and no clock takes larger ones."""

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        if len(text.lstrip("+-")) > MOST_DIGITS:
            self.fail(f"{short(text)} is longer than a number of {MOST_DIGITS} digits.", param, ctx)
        number: int = super().convert(value, param, ctx)
        return number


MOST_WORKERS = 256
WORKERS = WholeNumber(min=1, max=MOST_WORKERS)
"""Each worker has buffers of its own: with more workers, they take more memory than most searches."""


def processors() -> int:
    """How many processors this process may use."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:
        count = os.cpu_count() or 1
    return min(count, MOST_WORKERS)
