"""Markers on their way to the leaders of partitions (TransactionMarkerChannelManager, TransactionMarkerRequestCompletionHandler)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ErrorCode
from .metadata import PREPARED, TransactionMetadata, Transit
from .state_manager import TransactionStateManager


@dataclass(frozen=True, kw_only=True)
class Marker:
    """What a WriteTxnMarkers says of one producer and one partition (TxnMarkerEntry)."""

    partition: int
    producer_epoch: int
    coordinator_epoch: int
    committed: bool
    version: int
    """The transaction version; 0 if the coordinator does not send it."""


class MarkerChannel:
    """The markers of a prepared end that are not answered, and the completion that follows the last answer."""

    def __init__(self, states: TransactionStateManager, *, tells_version: bool) -> None:
        self._states, self._tells_version = states, tells_version
        self.unanswered: dict[int, Marker] = {}
        self._completion: Transit | None = None

    def send(self, committed: bool, metadata: TransactionMetadata, completion: Transit) -> None:
        """Markers for each partition of the transaction (addTxnMarkersToSend)."""
        self._completion = completion
        for partition in metadata.partitions:
            self.unanswered[partition] = Marker(
                partition=partition,
                producer_epoch=metadata.producer_epoch,
                coordinator_epoch=self._states.coordinator_epoch,
                committed=committed,
                version=metadata.client_version if self._tells_version else 0,
            )
        self.complete_if_written()

    def answered(self, marker: Marker, error: ErrorCode) -> None:
        """A leader has answered. One that refuses the producer's or the coordinator's epoch ends the sending for good."""
        if marker.coordinator_epoch != self._states.coordinator_epoch:
            return
        if error in (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED):
            self._completion = None
            return
        self.unanswered.pop(marker.partition, None)
        self._states.known().remove_partition(marker.partition)
        self.complete_if_written()

    def complete_if_written(self) -> None:
        """When no partition is left the end is complete, which goes into the log (maybeWriteTxnCompletion)."""
        metadata = self._states.known()
        if self._completion is None or metadata.state not in PREPARED or metadata.partitions:
            return
        completion, self._completion = self._completion, None
        self._states.append(completion)
