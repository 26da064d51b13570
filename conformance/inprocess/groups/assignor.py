"""How the leader of a classic group, or the coordinator, chooses members for partitions.

Simplified: round robin by the numbers of partitions, by an assignor of the application's own (ConsumerPartitionAssignor). What a
cooperative one must do beside is CooperativeStickyAssignor's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

NO_GENERATION = -1


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """What a member sends when it joins: what it owns, and in which generation it got it (ConsumerPartitionAssignor.Subscription)."""

    owned: frozenset[int] = frozenset()
    generation: int = NO_GENERATION


Assignment = dict[str, set[int]]


class Assignor:
    """An assignor, which sorts members by their ids."""

    def __init__(self, *, cooperative: bool, ignores_old_generations: bool) -> None:
        self._cooperative, self._ignores_old = cooperative, ignores_old_generations

    def assign(self, partitions: Iterable[int], members: Mapping[str, Subscription]) -> Assignment:
        """The partitions of each member; a cooperative one leaves out what another must give up first (adjustAssignment)."""
        assigned = round_robin(partitions, members)
        if self._cooperative:
            for partition, owner in self.owners(members).items():
                for member, its_own in assigned.items():
                    if member != owner:
                        its_own.discard(partition)
        return assigned

    def owners(self, members: Mapping[str, Subscription]) -> dict[int, str]:
        """Who owns what, by what members say (AbstractStickyAssignor.allSubscriptionsEqual); of two the one of the later generation."""
        newest = max((one.generation for one in members.values()), default=NO_GENERATION)
        found: dict[int, str] = {}
        for member in sorted(members):
            said = members[member]
            if self._ignores_old and said.generation < newest:
                continue
            for partition in said.owned:
                other = found.get(partition)
                if other is None or said.generation > members[other].generation:
                    found[partition] = member
        return found


def round_robin(partitions: Iterable[int], members: Iterable[str]) -> Assignment:
    """Each partition for the next member."""
    ordered = sorted(members)
    assigned: Assignment = {member: set() for member in ordered}
    for partition in partitions:
        assigned[ordered[partition % len(ordered)]].add(partition)
    return assigned
