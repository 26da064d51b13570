"""What is decided of a property."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What a search, a proof or an audit says of a property; the value is the text of JSON and reports.

    A search says that a property holds within the bounds, a proof that it is proven for any number of steps.
    """

    HOLDS = "holds"
    PROVEN = "proven"
    VIOLATED = "violated"
    UNDECIDED = "undecided"
