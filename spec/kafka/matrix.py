"""The matrix: every version under the settings that users choose, with small sets of faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from neverlost.model.core import Model, Profile
from neverlost.model.kafka.state import ACKS_ALL, ACKS_NONE, ACKS_ONE, Acks

from .versions import REPLICATING

PROPERTY = "acked_never_lost"
CONFIGURED = ("acks", "min_isr", "unclean")
"""The settings that users choose."""

ACKS = {"0": ACKS_NONE, "1": ACKS_ONE, "all": ACKS_ALL}
MIN_ISR = (1, 2)
FAULTS: Mapping[str, Mapping[str, int]] = {
    "1 crash": {"crashes": 1},
    "2 crashes": {"crashes": 2},
    "1 power loss": {"power_losses": 1},
    "2 power losses": {"power_losses": 2},
    "1 crash, 1 power loss": {"crashes": 1, "power_losses": 1},
}
LEADER_MOVES = (0, 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Cell:
    """One question of the matrix: a version, what is configured, and which faults happen at most."""

    version: Profile
    acks: int
    min_isr: int
    unclean: bool
    faults: str
    leader_moves: int

    @property
    def row(self) -> tuple[str, int, bool]:
        """What is configured."""
        return Acks.names[self.acks], self.min_isr, self.unclean

    @property
    def column(self) -> tuple[str, int]:
        """Which faults happen at most."""
        return self.faults, self.leader_moves

    @property
    def budgets(self) -> dict[str, int]:
        """The fault budgets by name."""
        return {**FAULTS[self.faults], "leader_moves": self.leader_moves}

    def model(self, **bounds: int) -> Model:
        """The model to search."""
        settings = {"acks": self.acks, "min_isr": self.min_isr, "unclean": int(self.unclean)}
        return self.version.bounded(**bounds, **settings, **self.budgets)


def cells(acks: Sequence[str], versions: Sequence[Profile] = REPLICATING) -> tuple[Cell, ...]:
    """Every cell for these values of acks, row by row."""
    axes = product((ACKS[name] for name in acks), MIN_ISR, (False, True), versions, FAULTS, LEADER_MOVES)
    return tuple(
        Cell(acks=a, min_isr=m, unclean=unclean, version=version, faults=faults, leader_moves=moves)
        for a, m, unclean, version, faults, moves in axes
    )
