"""What the coordinator knows of a transactional id, and how that changes (TransactionMetadata, TxnTransitMetadata)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ..errors import BrokerError, ErrorCode

NO_EPOCH = -1


class TransactionState(Enum):
    """The states of a transactional id (TransactionState)."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"


PREPARED = (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)
COMPLETE = (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT)


@dataclass(frozen=True, kw_only=True)
class Transit:
    """What the metadata will be when it is in the log (TxnTransitMetadata)."""

    state: TransactionState
    producer_epoch: int
    last_producer_epoch: int
    partitions: frozenset[int]
    client_version: int


class TransactionMetadata:
    """A transactional id at its coordinator. While a transition is pending, no other is prepared."""

    def __init__(self) -> None:
        self.state = TransactionState.EMPTY
        self.pending_state: TransactionState | None = None
        self.producer_epoch = self.last_producer_epoch = NO_EPOCH
        self.partitions: set[int] = set()
        self.client_version = 0

    def _prepare(self, state: TransactionState, **changes: object) -> Transit:
        """A transition, which is pending from now on (prepareTransitionTo)."""
        if self.pending_state is not None:
            raise AssertionError(f"{state} is prepared while {self.pending_state} is pending")
        self.pending_state = state
        now = Transit(
            state=state,
            producer_epoch=self.producer_epoch,
            last_producer_epoch=self.last_producer_epoch,
            partitions=frozenset(self.partitions),
            client_version=self.client_version,
        )
        return replace(now, **changes)  # type: ignore[arg-type]

    def prepare_fence(self) -> Transit:
        """The next epoch, which no producer gets (prepareFenceProducerEpoch)."""
        return self._prepare(TransactionState.PREPARE_EPOCH_FENCE, producer_epoch=self.producer_epoch + 1)

    def prepare_increment(self, expected: int | None) -> Transit:
        """The epoch for who asks for one (prepareIncrementProducerEpoch). Raises BrokerError with PRODUCER_FENCED.

        Who expects the newest epoch gets the next; who expects the one before has asked again, and gets the newest.
        """
        if expected is None:
            epoch, last = self.producer_epoch + 1, NO_EPOCH
        elif self.producer_epoch in (expected, NO_EPOCH):
            epoch, last = self.producer_epoch + 1, self.producer_epoch
        elif expected == self.last_producer_epoch:
            epoch, last = self.producer_epoch, self.last_producer_epoch
        else:
            raise BrokerError(ErrorCode.PRODUCER_FENCED, f"epoch {expected} is neither the newest nor the one before")
        return self._prepare(
            TransactionState.EMPTY, producer_epoch=epoch, last_producer_epoch=last, partitions=frozenset()
        )

    def prepare_add(self, partition: int, client_version: int) -> Transit:
        """One more partition; the first begins a transaction (prepareAddPartitions)."""
        return self._prepare(
            TransactionState.ONGOING,
            partitions=frozenset((*self.partitions, partition)),
            client_version=client_version,
        )

    def prepare_end(self, state: TransactionState, client_version: int) -> Transit:
        """The decision, in version 2 with the next epoch (prepareAbortOrCommit)."""
        if client_version < 2:
            return self._prepare(state, client_version=client_version)
        return self._prepare(
            state,
            producer_epoch=self.producer_epoch + 1,
            last_producer_epoch=self.producer_epoch,
            client_version=client_version,
        )

    def prepare_complete(self) -> Transit:
        """What follows when every marker is written (prepareComplete)."""
        committed = self.state is TransactionState.PREPARE_COMMIT
        state = TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT
        return self._prepare(state, partitions=frozenset())

    def complete_transition(self, transit: Transit) -> None:
        """The transition is in the log (completeTransitionTo)."""
        if self.pending_state is not transit.state:
            raise AssertionError(f"{transit.state} is complete while {self.pending_state} is pending")
        self.state, self.pending_state = transit.state, None
        self.producer_epoch, self.last_producer_epoch = transit.producer_epoch, transit.last_producer_epoch
        self.partitions, self.client_version = set(transit.partitions), transit.client_version

    def remove_partition(self, partition: int) -> None:
        """A partition has its marker (removePartition)."""
        if self.state not in PREPARED:
            raise AssertionError(f"a marker is answered in {self.state}")
        self.partitions.discard(partition)
