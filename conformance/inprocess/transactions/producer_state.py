"""What a partition's log knows of a producer id (ProducerStateEntry, VerificationStateEntry, ProducerAppendInfo)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import BrokerError, ErrorCode
from .markers import Marker
from .metadata import NO_EPOCH
from .release import MarkerEpochs

REMEMBERED_BATCHES = 5
NO_SEQUENCE = -1


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A batch of one transactional record, as a producer sends it."""

    partition: int
    epoch: int
    sequence: int
    value: object = None
    """What the record says."""


@dataclass(kw_only=True)
class ProducerEntry:
    """The producer id in one partition: the newest epoch, the last batches of it, and what is open (ProducerStateEntry)."""

    epoch: int = NO_EPOCH
    coordinator_epoch: int = -1
    sequences: list[int] = field(default_factory=list)
    """Those of the last batches in this epoch."""
    first_offset: int | None = None
    """Where the open transaction begins (currentTxnFirstOffset)."""

    @property
    def last_sequence(self) -> int:
        """The sequence of the last batch; NO_SEQUENCE if none is known."""
        return self.sequences[-1] if self.sequences else NO_SEQUENCE

    def _turn_to(self, epoch: int) -> None:
        """In another epoch batches are numbered anew (maybeUpdateProducerEpoch)."""
        if self.epoch != epoch:
            self.epoch = epoch
            self.sequences.clear()

    def add_batch(self, batch: Batch, offset: int) -> None:
        """A batch is in the log; the first one opens a transaction (appendDataBatch)."""
        self._turn_to(batch.epoch)
        self.sequences = [*self.sequences, batch.sequence][-REMEMBERED_BATCHES:]
        if self.first_offset is None:
            self.first_offset = offset

    def add_marker(self, marker: Marker) -> None:
        """A marker is in the log: nothing is open any more (appendEndTxnMarker)."""
        self._turn_to(marker.producer_epoch)
        self.coordinator_epoch = marker.coordinator_epoch
        self.first_offset = None

    def is_duplicate(self, batch: Batch) -> bool:
        """Is it one of the batches that are remembered (findDuplicateBatch)?"""
        return batch.epoch == self.epoch and batch.sequence in self.sequences

    def check_batch(self, batch: Batch, *, takes_any_first: bool) -> None:
        """Raises BrokerError for an older epoch, or a sequence that is not next (checkProducerEpoch, checkSequence)."""
        if batch.epoch < self.epoch:
            raise BrokerError(ErrorCode.INVALID_PRODUCER_EPOCH, f"epoch {batch.epoch} is older than {self.epoch}")
        if self.epoch == NO_EPOCH and takes_any_first:
            return
        due = 0 if batch.epoch != self.epoch else self.last_sequence + 1
        if batch.sequence != due:
            raise BrokerError(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, f"{batch.sequence} came where {due} is due")

    def check_marker(self, marker: Marker, epochs: MarkerEpochs) -> None:
        """Raises BrokerError for an epoch of the producer, or of the coordinator, that is too old.

        (checkProducerEpoch, checkCoordinatorEpoch)
        """
        if not self._has_good_epoch(marker, epochs):
            raise BrokerError(ErrorCode.INVALID_PRODUCER_EPOCH, f"epoch {marker.producer_epoch} against {self.epoch}")
        if self.coordinator_epoch > marker.coordinator_epoch:
            raise BrokerError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"coordinator epoch {marker.coordinator_epoch} is older than {self.coordinator_epoch}",
            )

    def _has_good_epoch(self, marker: Marker, epochs: MarkerEpochs) -> bool:
        if marker.version < 2 or epochs is MarkerEpochs.NOT_OLDER or marker.producer_epoch != self.epoch:
            return marker.producer_epoch >= self.epoch
        return epochs is MarkerEpochs.NEWER_OR_REPEATED and self.first_offset is None


class VerificationGuard:
    """Something that is itself only: two questions to the coordinator never have the same."""


@dataclass(kw_only=True)
class VerificationEntry:
    """A question to the coordinator that no append has followed (VerificationStateEntry)."""

    epoch: int
    lowest_sequence: int
    of_version_2: bool
    guard: VerificationGuard = field(default_factory=VerificationGuard)

    def ask_again(self, epoch: int, sequence: int) -> None:
        """Another batch asks (maybeUpdateLowestSequenceAndEpoch)."""
        if epoch == self.epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)
        elif epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence
