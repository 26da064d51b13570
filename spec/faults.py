"""Sets of faults: how many of each may happen in one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from .families import known_faults


@dataclass(frozen=True)
class Faults:
    """How many of each fault may happen, by the model's setting; other faults do not happen."""

    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, budgets: Mapping[str, int]) -> Faults:
        """The set with these numbers, in the fixed order of faults."""
        return cls(tuple((name, budgets[name]) for name in known_faults() if budgets.get(name)))

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    def within(self, other: Faults) -> bool:
        """Whether these are at most the other's faults. All that happens with these can then happen with those."""
        most = dict(other.counts)
        return all(count <= most.get(bound, 0) for bound, count in self.counts)

    def __str__(self) -> str:
        """`1 crash + 2 leader moves`; `no fault`."""
        known = known_faults()
        return " + ".join(known[name].words(count) for name, count in self.counts) or "no fault"


NO_FAULT = Faults()


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
