"""The Java producer with a transactional.id (TransactionManager, Sender), with one record for each partition in a transaction.

It is driven from outside: who calls sends its requests, and tells it the answers, or that none came. Simplified: an old epoch in an
answer to Produce makes the application abort in every release, as from 2.7 on (KIP-588).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..errors import ErrorCode
from .coordinator import Answer
from .metadata import NO_EPOCH
from .producer_state import Batch
from .release import Release


class ProducerState(Enum):
    """The states of a transactional producer (TransactionManager.State)."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    READY = "ready"
    IN_TRANSACTION = "in transaction"
    COMMITTING = "committing"
    ABORTING = "aborting"
    ABORTABLE_ERROR = "abortable error"
    FATAL_ERROR = "fatal error"
    CLOSED = "closed"


class Progress(Enum):
    """How far the producer is with a record."""

    WAITS = "waits for the partition to be added"
    MAY_BE_SENT = "may be sent"
    IN_FLIGHT = "was sent"
    ACKNOWLEDGED = "was acknowledged"
    FAILED = "failed after it was sent"
    DROPPED = "failed before it was sent"


@dataclass(kw_only=True)
class Sending:
    """A record that the application has handed over, and how far it is."""

    partition: int
    value: object
    progress: Progress = Progress.WAITS
    batch: Batch | None = None


class IllegalState(Exception):
    """The application asks for what the producer does not do in its state."""


class TransactionalProducer:
    """One instance of the producer. `fenced` says that a fatal error was that of a newer epoch."""

    def __init__(self, release: Release, *, version: int) -> None:
        self._release, self.version = release, version
        self.state = ProducerState.UNINITIALIZED
        self.epoch = NO_EPOCH
        self.fenced = False
        self.bump_required = False
        """Will it ask for a new epoch when the transaction has ended (clientSideEpochBumpRequired)?"""
        self.next_sequences: dict[int, int] = {}
        self.records: dict[int, Sending] = {}
        """Those of the transaction, by partition."""
        self._started = False

    def _refuse_unless(self, *states: ProducerState) -> None:
        if self.state not in states:
            raise IllegalState(f"the producer is {self.state.value}")

    def init_transactions(self) -> None:
        """The application calls initTransactions: InitProducerId is to be sent until it is answered."""
        self._refuse_unless(ProducerState.UNINITIALIZED, ProducerState.INITIALIZING)
        self.state = ProducerState.INITIALIZING

    @property
    def expected_epoch(self) -> int | None:
        """The epoch that an InitProducerId names: the producer's own if it goes on after an error (KIP-360)."""
        return None if self.epoch == NO_EPOCH else self.epoch

    def initialized(self, answer: Answer) -> None:
        """InitProducerId is answered (InitProducerIdHandler.handleResponse)."""
        self._refuse_unless(ProducerState.INITIALIZING)
        if answer.error is ErrorCode.NONE:
            self._take(answer.epoch)
            self.state = ProducerState.READY
        elif answer.error is not ErrorCode.CONCURRENT_TRANSACTIONS:
            self._fail(fenced=answer.error is ErrorCode.PRODUCER_FENCED)

    def _take(self, epoch: int) -> None:
        self.epoch = epoch
        self.next_sequences.clear()

    def _fail(self, *, fenced: bool) -> None:
        self.state, self.fenced = ProducerState.FATAL_ERROR, fenced

    def close(self) -> None:
        """The application closes the producer, whatever it waits for."""
        self.state = ProducerState.CLOSED

    def begin(self) -> None:
        """The application begins a transaction. Nothing is sent."""
        self._refuse_unless(ProducerState.READY)
        self.state = ProducerState.IN_TRANSACTION
        self.records, self._started = {}, False

    def send(self, partition: int, value: object) -> Sending:
        """The application hands over its record for a partition (maybeAddPartition)."""
        self._refuse_unless(ProducerState.IN_TRANSACTION)
        record = self.records[partition] = Sending(partition=partition, value=value)
        if self.version >= 2:
            record.progress, self._started = Progress.MAY_BE_SENT, True
        return record

    def add(self, partition: int) -> None:
        """AddPartitionsToTxn is to be sent, now or again, unless there was an error (maybeTerminateRequestWithError)."""
        if self.state in (ProducerState.ABORTABLE_ERROR, ProducerState.FATAL_ERROR):
            raise IllegalState(f"the producer is {self.state.value}")
        record = self.records[partition]
        if record.progress is not Progress.WAITS:
            raise IllegalState(f"the record {record.progress.value}")

    def added(self, partition: int, answer: Answer) -> None:
        """AddPartitionsToTxn is answered (AddPartitionsToTxnHandler.handleResponse)."""
        if answer.error is ErrorCode.NONE:
            self._started = True
            self.records[partition].progress = Progress.MAY_BE_SENT
        elif answer.error is not ErrorCode.CONCURRENT_TRANSACTIONS:
            self._fail(fenced=answer.error is ErrorCode.PRODUCER_FENCED)

    def drain(self, partition: int) -> Batch:
        """The batch to send, now or again. A batch has its sequence from the first time on (RecordAccumulator.drain)."""
        record = self.records[partition]
        if record.progress is Progress.MAY_BE_SENT:
            self._refuse_unless(ProducerState.IN_TRANSACTION)
            sequence = self.next_sequences.get(partition, 0)
            self.next_sequences[partition] = sequence + 1
            record.batch = Batch(partition=partition, epoch=self.epoch, sequence=sequence, value=record.value)
            record.progress = Progress.IN_FLIGHT
        if record.batch is None or record.progress is not Progress.IN_FLIGHT:
            raise IllegalState(f"the record {record.progress.value}")
        return record.batch

    def produced(self, partition: int, error: ErrorCode) -> None:
        """Produce is answered (Sender.completeBatch). After an error that is not retried the application has to abort."""
        record = self.records[partition]
        if error is ErrorCode.NONE:
            record.progress = Progress.ACKNOWLEDGED
        elif error is not ErrorCode.CONCURRENT_TRANSACTIONS:
            record.progress = Progress.FAILED
            self._abortable_error()

    def _abortable_error(self) -> None:
        """(maybeTransitionToErrorState) While it commits or aborts, a producer asks for no new epoch."""
        completing = self.state in (ProducerState.COMMITTING, ProducerState.ABORTING)
        if self._release.producer_bumps and self.version < 2 and not completing:
            self.bump_required = True
        if self.state is not ProducerState.ABORTING:
            self.state = ProducerState.ABORTABLE_ERROR

    def expire(self, partition: int, *, retried: bool) -> None:
        """A record is not answered within `delivery.timeout.ms` (Sender.failExpiredBatches).

        If it was sent again, nobody knows whether its sequence is taken. Up to 2.4 that is fatal, later it needs a new epoch
        (maybeResolveSequences).
        """
        record = self.records[partition]
        sent = record.progress is Progress.IN_FLIGHT
        record.progress = Progress.FAILED if sent else Progress.DROPPED
        self._abortable_error()
        if not (sent and retried) or self.version >= 2:
            return
        if self._release.producer_bumps:
            self.bump_required = True
        else:
            self._fail(fenced=False)

    def refused_at_last(self, partition: int) -> None:
        """Produce is answered with an error, but after `delivery.timeout.ms`: the next record gets its sequence (Sender.failBatch)."""
        record = self.records[partition]
        if record.batch is None:
            raise IllegalState("the record was not sent")
        record.progress = Progress.FAILED
        self._abortable_error()
        self.next_sequences[partition] = record.batch.sequence

    def begin_end(self, *, commit: bool) -> None:
        """The application commits or aborts. What was sent is waited for; an abort drops what was not (beginCommit, beginAbort)."""
        if commit:
            self._refuse_unless(ProducerState.IN_TRANSACTION)
            self.state = ProducerState.COMMITTING
        else:
            self._refuse_unless(ProducerState.IN_TRANSACTION, ProducerState.ABORTABLE_ERROR, ProducerState.ABORTING)
            self.state = ProducerState.ABORTING

    def sends_end(self) -> bool:
        """Is EndTxn sent? If the coordinator has heard nothing of the transaction, it has ended without (nextRequest).

        Raises IllegalState while records are waited for.
        """
        self._refuse_unless(ProducerState.COMMITTING, ProducerState.ABORTING)
        awaited = [Progress.WAITS, Progress.IN_FLIGHT]
        if self.state is ProducerState.COMMITTING:
            awaited.append(Progress.MAY_BE_SENT)
        if any(record.progress in awaited for record in self.records.values()):
            raise IllegalState("records are waited for")
        started = self._started
        if not started:
            self._reset()
        return started

    def ask_for_new_epoch(self) -> None:
        """The application is to go on in a new epoch when the transaction has ended, because EndTxn was not answered in time."""
        if self._release.producer_bumps and self.version < 2:
            self.bump_required = True

    def ended(self, answer: Answer) -> None:
        """EndTxn is answered (EndTxnHandler.handleResponse); in version 2 with the next epoch."""
        self._refuse_unless(ProducerState.COMMITTING, ProducerState.ABORTING)
        if answer.error is ErrorCode.NONE:
            if self.version >= 2:
                self._take(answer.epoch)
            self._reset()
        elif answer.error is not ErrorCode.CONCURRENT_TRANSACTIONS:
            self._fail(fenced=answer.error is ErrorCode.PRODUCER_FENCED)

    def _reset(self) -> None:
        """Ready for the next transaction, in a new epoch if one is needed (resetTransactionState)."""
        self.state = ProducerState.INITIALIZING if self.bump_required else ProducerState.READY
        self.bump_required, self._started = False, False
