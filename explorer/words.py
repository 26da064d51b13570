"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 step`, `1,234 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
