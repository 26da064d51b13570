"""What members of a system keep beside their state because it follows from that: a cache, a table, a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from neverlost.model.core import Index


class Made(Enum):
    """When what follows from some fields is made."""

    CHANGED = "changed"
    """Whenever these change: on disk, so that an end and a start of the member leave it."""
    STARTED = "started"
    """When the member starts."""
    ENDED = "ended"
    """When the member ends."""


@dataclass(frozen=True, kw_only=True)
class Derived:
    """What follows from some fields of a member, the first of which is a number. `runs` says whether the member runs."""

    name: str
    member: type[Index]
    fields: tuple[str, ...]
    runs: str
    made: Made
