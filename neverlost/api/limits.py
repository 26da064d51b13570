"""The default limits at which a search ends undecided."""

from __future__ import annotations

from neverlost.explorer.process.memory import sensible_memory
from neverlost.explorer.search import Limits

from .arguments import ensure_kind


def sensible(limits: Limits | None, states: int | None = None) -> Limits:
    """The given limits; without any, the free memory bounds a search, and `states` if it is given."""
    ensure_kind(limits, "limits", "nl.Limits(seconds=60)", Limits)
    return Limits(states=states, memory_bytes=sensible_memory()) if limits is None else limits
