"""The broker's purgatory."""

from __future__ import annotations

from neverlost.model.core import Profile
from neverlost.spec.family import Family


class Purgatory(Family):
    """Operations that wait under keys, events that complete them, deadlines."""

    name = "purgatory"

    def profiles(self) -> tuple[Profile, ...]:
        from .properties import PURGATORY

        return (PURGATORY,)
