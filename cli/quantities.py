"""Sizes and times as people write them: `4GiB`, `500MB`, `90s`, `2h`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from neverlost.model.core import NeverlostError

from .counts import MOST_DIGITS, short

BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
BYTES |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
MOST_BYTES, MOST_SECONDS = 2**60, 100 * 365 * 86400
"""Larger than any machine needs, and small enough for the system's clocks and counters."""

DIGITS = rf"\d{{1,{MOST_DIGITS}}}"
AMOUNT = re.compile(rf"\s*({DIGITS}(?:\.{DIGITS})?)\s*([a-zA-Z]*)\s*")


class QuantityError(NeverlostError):
    """A text is not a size or time."""


def size_bytes(text: str) -> int:
    """`4GiB` in bytes. Raises QuantityError."""
    return int(_quantity(text, BYTES, "a size", MOST_BYTES, "1024 PiB", "4GiB, 500MB"))


def time_seconds(text: str) -> float:
    """`10m` in seconds. Raises QuantityError."""
    return _quantity(text, SECONDS, "a time", MOST_SECONDS, "100 years", "30, 90s, 10m, 2h")


def _quantity(text: str, units: Mapping[str, int], what: str, most: int, largest: str, examples: str) -> float:
    matched = AMOUNT.fullmatch(text)
    if matched is None or matched[2].lower() not in units or float(matched[1]) == 0:
        raise QuantityError(f"{short(text)} is not {what} above 0; write it like {examples}")
    amount = float(matched[1]) * units[matched[2].lower()]
    if amount > most:
        raise QuantityError(f"{short(text)} is more than {largest}; write {what} like {examples}")
    return amount
