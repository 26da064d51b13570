"""The timer of the purgatory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neverlost.model.core import Profile
from neverlost.spec.family import Family

if TYPE_CHECKING:
    from neverlost.spec.claims import Claim


class TimingWheel(Family):
    """Hierarchical timing wheels, with one task in them."""

    name = "timing_wheel"

    def profiles(self) -> tuple[Profile, ...]:
        from .properties import TIMING_WHEEL

        return (TIMING_WHEEL,)

    def claims(self) -> tuple[Claim, ...]:
        from .claims import CLAIMS

        return CLAIMS
