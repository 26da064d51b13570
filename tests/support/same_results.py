"""What must be equal in two results of the same search, by whatever engine and in however many parts."""

from __future__ import annotations

from neverlost.explorer import Result

SAME = (
    "complete",
    "stopped_by",
    "levels",
    "whole_levels",
    "generated_by_action",
    "initial_states",
    "digest",
    "symmetry",
    "findings",
)
"""All fields of a result but engine, workers, seconds and memory."""


def differing(one: Result, other: Result) -> list[str]:
    """The fields in which two results differ that must not."""
    return [name for name in SAME if getattr(one, name) != getattr(other, name)]
