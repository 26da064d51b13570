"""Where a search ends undecided, from the options of a command."""

from __future__ import annotations

from neverlost.explorer.process.memory import sensible_memory
from neverlost.explorer.search import Limits

from .quantities import size_bytes, time_seconds


def limits_of(
    *, states: int | None = None, depth: int | None = None, memory: str | None = None, time_limit: str | None = None
) -> Limits:
    """The limits asked for; without `memory`, a search ends before it uses up the memory of the machine. Raises QuantityError."""
    return Limits(
        states=states,
        depth=depth,
        memory_bytes=sensible_memory() if memory is None else size_bytes(memory),
        seconds=None if time_limit is None else time_seconds(time_limit),
    )
