"""Consumer groups and their offsets: what is skipped, processed twice, or committed backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neverlost.model.core import Profile
from neverlost.spec.family import Family

if TYPE_CHECKING:
    from neverlost.spec.claims import Claim
    from neverlost.spec.inquiry import Inquiry
    from neverlost.spec.kafka.atomicity import Ledger
    from neverlost.spec.kafka.releases import TimeLine
    from neverlost.spec.matrix import Matrix
    from neverlost.spec.mutant_configurations import Configuration


class Groups(Family):
    """A consumer group, its coordinator, the partitions that it reads, and what may happen to all of them."""

    name = "groups"
    beginning = "kafka-groups-"

    def profiles(self) -> tuple[Profile, ...]:
        from .versions import VERSIONS

        return VERSIONS

    def time_line(self) -> TimeLine:
        from .differences import TIME_LINE

        return TIME_LINE

    def matrix(self) -> Matrix:
        from .matrix import MATRIX

        return MATRIX

    def claims(self) -> tuple[Claim, ...]:
        from .claims import CLAIMS

        return CLAIMS

    def inquiry(self) -> Inquiry:
        from .inquiry import GroupsInquiry

        return GroupsInquiry()

    def atomicity(self) -> Ledger:
        from .atomicity import LEDGER

        return LEDGER

    def mutant_configurations(self) -> tuple[Configuration, ...]:
        from .mutant_configurations import CONFIGURATIONS

        return CONFIGURATIONS

    def surroundings(self) -> tuple[str, ...]:
        from .versions import SURROUNDINGS

        return SURROUNDINGS
