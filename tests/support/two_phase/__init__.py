"""A protocol family that is no part of neverlost: a record is committed on two partitions or on none (two-phase commit).

It shows what a new family takes: this folder, a folder with an adapter, and a line in `neverlost.spec.families`.
"""

from __future__ import annotations

from neverlost.model.core import Profile
from neverlost.spec.exposure import Exposure
from neverlost.spec.family import Family
from neverlost.spec.kafka.releases import TimeLine
from neverlost.spec.matrix import Matrix


class TwoPhase(Family):
    """Two-phase commit."""

    name = "two_phase"
    beginning = "two-phase-"

    def profiles(self) -> tuple[Profile, ...]:
        from .versions import VERSIONS

        return VERSIONS

    def time_line(self) -> TimeLine:
        from .versions import TIME_LINE

        return TIME_LINE

    def matrix(self) -> Matrix:
        from .matrix import MATRIX

        return MATRIX

    def exposure(self) -> Exposure:
        from .exposure import EXPOSURE

        return EXPOSURE
