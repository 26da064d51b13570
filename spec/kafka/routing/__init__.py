"""The routing of records without a key."""

from __future__ import annotations

from neverlost.model.core import Profile
from neverlost.spec.claims import Claim
from neverlost.spec.family import Family


class Routing(Family):
    """Where a producer sends records that have neither a partition nor a key."""

    name = "routing"

    def profiles(self) -> tuple[Profile, ...]:
        from .properties import ROUTING

        return (ROUTING,)

    def claims(self) -> tuple[Claim, ...]:
        from .claims import CLAIMS

        return CLAIMS
