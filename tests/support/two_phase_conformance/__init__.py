"""The adapter of an implementation of two-phase commit: the folder of `neverlost.conformance` that a family of this name has."""

from __future__ import annotations

from neverlost.conformance.adapter import MakeAdapter

NAME = "two-phase"


def in_process() -> MakeAdapter:
    """The adapter."""
    from .adapter import TwoPhaseAdapter

    return TwoPhaseAdapter
