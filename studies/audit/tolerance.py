"""What a deployment should survive: sets of faults, under the names of events or their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from neverlost.spec.configuration import EVENTS
from neverlost.spec.configuration.tolerance import as_placed
from neverlost.spec.faults import Faults


@dataclass(frozen=True)
class Tolerance:
    """What a deployment should survive: each of these sets of faults, in a run of its own, under the name of an event or its own."""

    named: tuple[tuple[str, Faults], ...]
    of_events: bool = True

    @classmethod
    def of_faults(cls, faults: Faults) -> Tolerance:
        """All of these faults in one run."""
        return cls(((str(faults), faults),), of_events=False)

    @property
    def sets(self) -> tuple[Faults, ...]:
        """Each set once."""
        return tuple(dict.fromkeys(faults for _, faults in self.named))

    def as_placed(self, replicas: Mapping[str, int]) -> Tolerance:
        """The same where an event takes so many replicas of a partition together, by its name."""
        return replace(self, named=tuple((name, as_placed(name, faults, replicas)) for name, faults in self.named))

    def covers(self, faults: Faults) -> bool:
        """Are they within one of the sets?"""
        return any(faults.within(one) for one in self.sets)


EVERYDAY: Mapping[str, Faults] = {event.name: Faults.of(event.faults) for event in EVENTS if event.everyday}
"""What operators do on purpose, by name: a deployment that loses a record by it is not called SAFE without saying so."""


def everyday_name(faults: Faults) -> str:
    """The name of the everyday work that is exactly these faults, if they are several; empty if there is none."""
    return next((name for name, own in EVERYDAY.items() if own == faults and faults.total > 1), "")


def named(faults: Faults) -> str:
    """The faults, with the name of the everyday work that they are: `1 leader move + 2 shutdowns (rolling-restart)`."""
    name = everyday_name(faults)
    return f"{faults} ({name})" if name else str(faults)
