"""The protocols that others have published, as they wrote them down."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.core import Profile, Unbounded
from neverlost.spec.family import Family


class Published(Family):
    """The published protocols."""

    name = "published"
    beginning = "published/"

    def profiles(self) -> tuple[Profile, ...]:
        from .profiles import PROFILES

        return PROFILES

    def unbounded(self) -> Mapping[str, Unbounded]:
        from .any_bounds import ANY_BOUNDS

        return ANY_BOUNDS
