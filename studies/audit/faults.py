"""Sets of faults: how many of each may happen in one run, and which sets an audit asks about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from neverlost.model.kafka.replication.state import BROKER, Partition
from neverlost.spec.configuration import EVENTS
from neverlost.spec.configuration.tolerance import MOST


@dataclass(frozen=True)
class Faults:
    """How many of each fault may happen, by the model's setting; other faults do not happen."""

    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, budgets: Mapping[str, int]) -> Faults:
        """The set with these numbers, in the fixed order of faults."""
        return cls(tuple((f.name, budgets[f.name]) for f in Partition.faults if budgets.get(f.name)))

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    def within(self, other: Faults) -> bool:
        """Whether these are at most the other's faults. All that happens with these can then happen with those."""
        most = dict(other.counts)
        return all(count <= most.get(bound, 0) for bound, count in self.counts)

    def __str__(self) -> str:
        """`1 crash + 2 leader moves`; `no fault`."""
        return Partition.fault_words(dict(self.counts))


ZONE_LOSS = "az-loss"


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

    def in_one_zone(self, replicas: int) -> Tolerance:
        """The same where all replicas of a partition may lie in one zone: its loss is a power loss of each, at most three."""
        zone = Faults.of({"power_losses": min(replicas, MOST)})
        return replace(self, named=tuple((name, zone if name == ZONE_LOSS else own) for name, own in self.named))

    def covers(self, faults: Faults) -> bool:
        """Are they within one of the sets?"""
        return any(faults.within(one) for one in self.sets)


NO_FAULT = Faults()
EVERYDAY: Mapping[str, Faults] = {event.name: Faults.of(event.faults) for event in EVENTS if event.everyday}
"""What operators do on purpose, by name: a deployment that loses a record by it is not called SAFE without saying so."""
BROKER_FAULTS = tuple(fault.name for fault in Partition.faults if fault.whose == BROKER)
SEVERAL = tuple(
    Faults.of(budgets)
    for budgets in (
        {"crashes": 2},
        {"crashes": 1, "leader_moves": 1},
        {"crashes": 1, "power_losses": 1},
        {"power_losses": 2},
        {"leader_moves": 2},
        {"leader_moves": 3},
        {"leader_moves": 1, "shutdowns": 2},
    )
)
"""Several faults in one run: the most common combinations whose models are small enough for an audit, and everyday work.

Three leader moves are among them because nothing fails then, but released versions still lose acknowledged records.
"""


def everyday_name(faults: Faults) -> str:
    """The name of the everyday work that is exactly these faults, if they are several; empty if there is none."""
    return next((name for name, own in EVERYDAY.items() if own == faults and faults.total > 1), "")


def named(faults: Faults) -> str:
    """The faults, with the name of the everyday work that they are: `1 leader move + 2 shutdowns (rolling-restart)`."""
    name = everyday_name(faults)
    return f"{faults} ({name})" if name else str(faults)


def singles(bounds: Iterable[str]) -> tuple[Faults, ...]:
    """No fault, and each of these faults once."""
    return (NO_FAULT, *(Faults.of({bound: 1}) for bound in bounds))


def all_within(largest: Faults) -> tuple[Faults, ...]:
    """Every set of faults within this one, smaller ones first."""
    ranges = [range(count + 1) for _, count in largest.counts]
    names = [bound for bound, _ in largest.counts]
    sets = (Faults.of(dict(zip(names, counts, strict=True))) for counts in product(*ranges))
    return tuple(sorted(sets, key=lambda faults: faults.total))


def minimal(sets: Iterable[Faults]) -> list[Faults]:
    """The sets that contain no other one."""
    known = list(sets)
    return [one for one in known if not any(other != one and other.within(one) for other in known)]


def maximal(sets: Iterable[Faults]) -> list[Faults]:
    """The sets that no other one contains."""
    known = list(sets)
    return [one for one in known if not any(other != one and one.within(other) for other in known)]
