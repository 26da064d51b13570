"""The leader of a partition: its log, what it knows of the producer, and whom it asks (UnifiedLog, ReplicaManager)."""

from __future__ import annotations

from ..errors import BrokerError, ErrorCode
from .coordinator import TransactionCoordinator
from .markers import Marker
from .producer_state import Batch, ProducerEntry, VerificationEntry, VerificationGuard
from .release import Release


class PartitionLeader:
    """A partition at its leader. The log keeps what it has, but for `lose_last_marker`."""

    def __init__(self, release: Release, partition: int) -> None:
        self._release, self.partition = release, partition
        self.log: list[Batch | Marker] = []
        self.producer: ProducerEntry | None = None
        """The entry of the producer id; None if it is unknown, or forgotten."""
        self.verification: VerificationEntry | None = None

    def produce(self, batch: Batch, coordinator: TransactionCoordinator, client_version: int) -> None:
        """A Produce: ask the coordinator if that is needed, and append (handleProduceAppend). Raises BrokerError if it is refused."""
        guard = self.start_verification(batch, client_version)
        if guard is not None:
            self.ask(batch, coordinator, client_version)
        self.append(batch, guard)

    def start_verification(self, batch: Batch, client_version: int) -> VerificationGuard | None:
        """The guard of a batch about which the coordinator is asked; None if it is not (maybeStartTransactionVerification).

        Raises BrokerError with INVALID_PRODUCER_EPOCH.
        """
        of_version_2 = client_version >= 2
        if not self._release.verifies and not of_version_2:
            return None
        if self._release.compares_first:
            self._refuse_older(batch)
        if self.has_ongoing(batch.epoch):
            return None
        if self.verification is None:
            self.verification = VerificationEntry(
                epoch=batch.epoch, lowest_sequence=batch.sequence, of_version_2=of_version_2
            )
        self.verification.ask_again(batch.epoch, batch.sequence)
        return self.verification.guard

    def ask(self, batch: Batch, coordinator: TransactionCoordinator, client_version: int) -> None:
        """The coordinator is asked whether the partition is in the transaction; in version 2 it adds it. Raises BrokerError."""
        if client_version >= 2:
            answer = coordinator.add_partition(batch.epoch, batch.partition, client_version)
        else:
            answer = coordinator.verify_partition(batch.epoch, batch.partition)
        if answer.error is not ErrorCode.NONE:
            raise BrokerError(answer.error, "the coordinator refuses the partition")

    def append(self, batch: Batch, guard: VerificationGuard | None) -> None:
        """Append the batch, unless it is there already or must not be (analyzeAndValidateProducerState). Raises BrokerError."""
        entry = self.producer or ProducerEntry()
        if entry.is_duplicate(batch):
            return
        if not self.has_ongoing(batch.epoch):
            if self._release.compares_first:
                self._refuse_older(batch)
            if self._release.verifies and (guard is None or guard is not self._guard()):
                raise BrokerError(ErrorCode.INVALID_TXN_STATE, "the record is not part of an ongoing transaction")
        if self._waits_for_a_lower_sequence(batch):
            raise BrokerError(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, "a batch with a lower sequence has asked")
        entry.check_batch(batch, takes_any_first=self._release.takes_any_first_sequence)
        self.producer = entry
        entry.add_batch(batch, len(self.log))
        self.verification = None
        self.log.append(batch)

    def _refuse_older(self, batch: Batch) -> None:
        if self.producer is not None and batch.epoch < self.producer.epoch:
            raise BrokerError(ErrorCode.INVALID_PRODUCER_EPOCH, f"epoch {batch.epoch} is older than that of the log")

    def _waits_for_a_lower_sequence(self, batch: Batch) -> bool:
        asks = self.verification if self._release.compares_sequences_that_ask else None
        return asks is not None and batch.sequence > asks.lowest_sequence

    def _guard(self) -> VerificationGuard | None:
        return None if self.verification is None else self.verification.guard

    def has_ongoing(self, epoch: int) -> bool:
        """Is a transaction open, and from 4.0 on in this epoch (hasOngoingTransaction)?"""
        if self.producer is None or self.producer.first_offset is None:
            return False
        return self.producer.epoch == epoch or not self._release.asks_by_epoch

    def is_good(self, guard: VerificationGuard | None) -> bool:
        """May a batch be appended that was asked about with this guard? Without verification guards are not compared."""
        return not self._release.verifies or guard is self._guard()

    def write_marker(self, marker: Marker) -> None:
        """WriteTxnMarkers. Raises BrokerError if an epoch is too old."""
        entry = self.producer or ProducerEntry()
        entry.check_marker(marker, self._release.marker_epochs)
        self.producer = entry
        entry.add_marker(marker)
        if not self._asked_for_the_next(marker):
            self.verification = None
        self.log.append(marker)

    def _asked_for_the_next(self, marker: Marker) -> bool:
        """Is what asks in the epoch that the marker begins (KAFKA-18575; UnifiedLog.updateProducers)?"""
        asks = self.verification
        return asks is not None and asks.of_version_2 and asks.epoch == marker.producer_epoch

    def read_while_the_high_watermark_moves(self) -> list[Batch]:
        """What a fetch of committed records is answered of an open transaction, if the high watermark moves (KAFKA-9807)."""
        first = None if self.producer is None else self.producer.first_offset
        if first is None or not self._release.reads_above_stable:
            return []
        return [one for one in self.log[first:] if isinstance(one, Batch)]

    def expire_producer(self) -> bool:
        """Forget the producer id, after `producer.id.expiration.ms`; False if something is open (isProducerExpired)."""
        if self.producer is None or self.producer.first_offset is not None:
            return False
        self.producer = None
        return True

    def lose_last_marker(self) -> None:
        """Lose a marker that is the last in the log, and know of the producer what the rest of the log says.

        (KAFKA-20716; ProducerStateManager.truncateAndReload)
        """
        if not self.log or not isinstance(self.log[-1], Marker):
            raise BrokerError(ErrorCode.OFFSET_OUT_OF_RANGE, "the log does not end with a marker")
        del self.log[-1]
        entry = ProducerEntry()
        for offset, one in enumerate(self.log):
            if isinstance(one, Marker):
                entry.add_marker(one)
            else:
                entry.add_batch(one, offset)
        self.producer = entry if self.log else None
