"""Where a search ends undecided if nobody says."""

from __future__ import annotations

from neverlost.explorer.memory import sensible_memory
from neverlost.explorer.search import Limits


def sensible(limits: Limits | None, states: int | None = None) -> Limits:
    """The limits given; without any, the memory that is free bounds a search, and `states` if it is given."""
    return Limits(states=states, memory_bytes=sensible_memory()) if limits is None else limits
