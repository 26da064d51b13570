"""What must hold: properties, profiles, and the verdicts that were confirmed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from neverlost.model.core import Profile

from .kafka import SMALL_MODELS, VERSIONS
from .kafka.claims import CLAIM_VERSIONS
from .published import PROFILES


@cache
def profiles() -> Mapping[str, Profile]:
    """Every profile that comes with neverlost, by name."""
    return {profile.name: profile for profile in (*VERSIONS, *SMALL_MODELS, *CLAIM_VERSIONS, *PROFILES)}
