"""What the controller has recorded about a partition: leader, epochs, ISR, and from KIP-966 on who else may lead (R-ELECT-3)."""

from __future__ import annotations

from dataclasses import dataclass

from .messages import LeaderAndIsr
from .protocol import TopicPartition


@dataclass(kw_only=True)
class PartitionRecord:
    """The controller's record of one partition."""

    partition: TopicPartition
    replicas: tuple[int, ...]
    leader: int | None
    isr: frozenset[int]
    min_isr: int
    unclean_election: bool
    keeps_eligible: bool
    leader_epoch: int = 0
    partition_epoch: int = 0
    eligible: frozenset[int] = frozenset()
    last_known_leader: int | None = None

    def record_isr(self, isr: frozenset[int]) -> None:
        """Record an ISR. A replica that leaves an ISR below min ISR stays eligible for leadership (R-ELECT-3)."""
        if self.keeps_eligible:
            if len(isr) >= self.min_isr:
                self.eligible, self.last_known_leader = frozenset(), None
            else:
                self.eligible = (self.eligible | self.isr) - isr
        self.isr = isr
        self.partition_epoch += 1

    def decide(self, leader: int | None, isr: frozenset[int]) -> None:
        """Record a leader and an ISR in a new leader epoch."""
        self.record_isr(isr)
        self.leader = leader
        self.leader_epoch += 1

    def without(self, broker: int) -> frozenset[int]:
        """The ISR after a member's death. The last member stays, except with KIP-966, which keeps it eligible (R-ELECT-1)."""
        if self.isr == {broker} and not self.keeps_eligible:
            return self.isr
        return self.isr - {broker}

    def clean_candidates(self, live: frozenset[int]) -> tuple[int, ...]:
        """Who may be elected without loss: live members of the ISR; else live eligible ones; else the last known leader."""
        for group in (self.isr & live, self.eligible & live):
            if group:
                return self._in_order(group)
        if not self.isr and not self.eligible and self.last_known_leader in live:
            return self._in_order(frozenset({self.last_known_leader}))
        return ()

    def unclean_candidates(self, live: frozenset[int]) -> tuple[int, ...]:
        """Who may be elected at the price of a loss: any live replica, if no member of ISR and ELR is live (R-ELECT-2)."""
        if not self.unclean_election or (self.isr | self.eligible) & live:
            return ()
        return self._in_order(live)

    def _in_order(self, brokers: frozenset[int | None]) -> tuple[int, ...]:
        """In the order of the assignment: the preferred replica first."""
        return tuple(replica for replica in self.replicas if replica in brokers)

    def elect(self, leader: int, isr: frozenset[int]) -> None:
        """Make a candidate the leader. One from outside the ISR becomes its only member."""
        self.decide(leader, isr if leader in isr else frozenset({leader}))

    def news(self) -> LeaderAndIsr:
        """The record as brokers get it."""
        return LeaderAndIsr(
            partition=self.partition,
            leader=self.leader,
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            isr=self.isr,
            replicas=self.replicas,
        )
