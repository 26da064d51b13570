"""The replication of one partition: what becomes of a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from neverlost.model.core import Model, Profile
from neverlost.spec.family import Family

if TYPE_CHECKING:
    from neverlost.spec.claims import Claim
    from neverlost.spec.derived_state import Derived
    from neverlost.spec.exposure import Exposure
    from neverlost.spec.kafka.atomicity import Ledger
    from neverlost.spec.kafka.releases import TimeLine
    from neverlost.spec.matrix import Matrix
    from neverlost.spec.mutant_configurations import Configuration


class Replication(Family):
    """A partition, its brokers, the controller, a producer, a consumer, and faults."""

    name = "replication"

    def profiles(self) -> tuple[Profile, ...]:
        from .versions import VERSIONS

        return VERSIONS

    def time_line(self) -> TimeLine:
        from .differences import TIME_LINE

        return TIME_LINE

    def like(self, version: Profile) -> Profile:
        from .versions import replicating_like

        return replicating_like(version)

    def seen(self, version: Profile) -> Profile:
        from .seen import seen

        return seen(version)

    def larger(self, model: Model) -> Mapping[str, Model]:
        from .thorough import larger

        return larger(model)

    def matrix(self) -> Matrix:
        from .matrix import MATRIX

        return MATRIX

    def exposure(self) -> Exposure:
        from .exposure import EXPOSURE

        return EXPOSURE

    def claims(self) -> tuple[Claim, ...]:
        from .claims import CLAIMS

        return CLAIMS

    def claimed(self) -> tuple[Profile, ...]:
        from .claims import CLAIM_VERSIONS

        return CLAIM_VERSIONS

    def atomicity(self) -> Ledger:
        from .atomicity import LEDGER

        return LEDGER

    def mutant_configurations(self) -> tuple[Configuration, ...]:
        from .mutant_configurations import CONFIGURATIONS

        return CONFIGURATIONS

    def derived(self) -> tuple[Derived, ...]:
        from .mutant_configurations import DERIVED

        return DERIVED

    def surroundings(self) -> tuple[str, ...]:
        from .mutant_configurations import SURROUNDINGS

        return SURROUNDINGS

    def unseen(self) -> tuple[str, ...]:
        from .mutant_configurations import UNSEEN

        return UNSEEN
