"""A leader's in-sync replicas: those recorded by the controller, and a change that it has asked for (KIP-497)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InSyncReplicas:
    """The ISR that the controller is known to have recorded, and the proposed one while a change is in flight."""

    committed: frozenset[int]
    partition_epoch: int
    proposed: frozenset[int] | None = None

    @property
    def maximal(self) -> frozenset[int]:
        """Every replica of both ISRs: whichever the controller records, the leader waits for all its members."""
        return self.committed if self.proposed is None else self.committed | self.proposed

    def proposing(self, isr: frozenset[int]) -> InSyncReplicas:
        """With a change in flight."""
        return InSyncReplicas(committed=self.committed, partition_epoch=self.partition_epoch, proposed=isr)

    def recorded(self, isr: frozenset[int], partition_epoch: int) -> InSyncReplicas:
        """As the controller has recorded it."""
        return InSyncReplicas(committed=isr, partition_epoch=partition_epoch)

    def refused(self) -> InSyncReplicas:
        """Without the requested change."""
        return InSyncReplicas(committed=self.committed, partition_epoch=self.partition_epoch)
