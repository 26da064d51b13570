"""Fewer of what a test could be given, spread over all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def spread(items: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of the items, in their order, at equal distances."""
    return items[:: -(-len(items) // most) or 1]


def quick_one_in(number: int, values: Sequence[T], name: Callable[[T], str] = str) -> list[Any]:
    """The values as parameters of a test: the first of every so many, the others only with `--thorough`."""
    return [
        pytest.param(value, id=name(value), marks=[pytest.mark.thorough] if n % number else [])
        for n, value in enumerate(values)
    ]
