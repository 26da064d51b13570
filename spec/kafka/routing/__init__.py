"""The routing of records without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neverlost.model.core import Profile
from neverlost.spec.family import Family

if TYPE_CHECKING:
    from neverlost.spec.claims import Claim


class Routing(Family):
    """Where a producer sends records that have neither a partition nor a key."""

    name = "routing"

    def profiles(self) -> tuple[Profile, ...]:
        from .properties import ROUTING

        return (ROUTING,)

    def claims(self) -> tuple[Claim, ...]:
        from .claims import CLAIMS

        return CLAIMS
