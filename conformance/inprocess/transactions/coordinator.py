"""The coordinator of a transactional id (TransactionCoordinator)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import BrokerError, ErrorCode
from .markers import Marker, MarkerChannel
from .metadata import COMPLETE, NO_EPOCH, PREPARED, TransactionMetadata, TransactionState, Transit
from .release import Release
from .state_manager import TransactionStateManager


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to a producer or a leader; an epoch only where the response has one."""

    error: ErrorCode = ErrorCode.NONE
    epoch: int = NO_EPOCH


class TransactionCoordinator:
    """A broker that leads the partition of `__transaction_state`, since it was elected and has read the log."""

    def __init__(self, release: Release, log: list[Transit], coordinator_epoch: int = 0) -> None:
        self._release = release
        self.states = TransactionStateManager(log, coordinator_epoch)
        self.markers = MarkerChannel(self.states, tells_version=release.markers_have_version)
        metadata = self.states.metadata
        if metadata is not None and metadata.state in PREPARED:
            committed = metadata.state is TransactionState.PREPARE_COMMIT
            self.markers.send(committed, metadata, metadata.prepare_complete())

    def init_producer_id(self, expected: int | None) -> Answer:
        """InitProducerId: a new epoch; an ongoing transaction is aborted first, and the producer is to ask again."""
        metadata = self.states.known_or_new()
        if metadata.pending_state is not None or metadata.state in PREPARED:
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        if metadata.state is TransactionState.ONGOING:
            answer = self._fence(metadata)
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS) if answer.error is ErrorCode.NONE else answer
        try:
            transit = metadata.prepare_increment(expected)
        except BrokerError as refused:
            return Answer(error=refused.code)
        self._write(transit)
        return Answer(epoch=transit.producer_epoch)

    def _write(self, transit: Transit) -> None:
        self.states.append(transit)
        self.states.replicate()

    def add_partition(self, epoch: int, partition: int, client_version: int) -> Answer:
        """AddPartitionsToTxn, of a producer or in version 2 of a leader (handleAddPartitionsToTransaction)."""
        try:
            metadata = self.states.known()
        except BrokerError as unknown:
            return Answer(error=unknown.code)
        if metadata.pending_state is not None:
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        if metadata.producer_epoch != epoch:
            return Answer(error=ErrorCode.PRODUCER_FENCED)
        if metadata.state in PREPARED:
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        if metadata.state is TransactionState.ONGOING and partition in metadata.partitions:
            return Answer()
        self._write(metadata.prepare_add(partition, client_version))
        return Answer()

    def verify_partition(self, epoch: int, partition: int) -> Answer:
        """A leader asks whether the partition is in the transaction (handleVerifyPartitionsInTransaction).

        What is pending does not matter, because the leader looks at its guard before it appends.
        """
        try:
            metadata = self.states.known()
        except BrokerError as unknown:
            return Answer(error=unknown.code)
        if metadata.producer_epoch != epoch:
            return Answer(error=ErrorCode.PRODUCER_FENCED)
        if metadata.state in PREPARED:
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        if partition not in metadata.partitions:
            return Answer(error=ErrorCode.TRANSACTION_ABORTABLE)
        return Answer()

    def end_transaction(self, epoch: int, committed: bool, client_version: int) -> Answer:
        """EndTxn, by the version of the request."""
        return self._end(epoch, committed, client_version, from_client=True)

    def _end(self, epoch: int, committed: bool, client_version: int, *, from_client: bool) -> Answer:
        try:
            metadata = self.states.known()
        except BrokerError as unknown:
            return Answer(error=unknown.code)
        if client_version < 2:
            return self._end_in_the_same_epoch(metadata, epoch, committed, from_client=from_client)
        return self._end_in_a_new_epoch(metadata, epoch, committed, from_client=from_client)

    def _end_in_the_same_epoch(
        self, metadata: TransactionMetadata, epoch: int, committed: bool, *, from_client: bool
    ) -> Answer:
        """Versions 0 and 1 (endTransactionWithTV1)."""
        if epoch < metadata.producer_epoch or (from_client and epoch != metadata.producer_epoch):
            return Answer(error=ErrorCode.PRODUCER_FENCED)
        fences = metadata.pending_state is TransactionState.PREPARE_EPOCH_FENCE
        if metadata.pending_state is not None and not fences:
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        if metadata.state is TransactionState.ONGOING:
            if fences and not committed:
                metadata.pending_state = None
                metadata.producer_epoch, metadata.last_producer_epoch = epoch, NO_EPOCH
            return self._prepare(metadata, committed, 0)
        if metadata.state is _complete(committed):
            return Answer()
        if metadata.state is _prepared(committed):
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        return Answer(error=ErrorCode.INVALID_TXN_STATE)

    def _end_in_a_new_epoch(
        self, metadata: TransactionMetadata, epoch: int, committed: bool, *, from_client: bool
    ) -> Answer:
        """Version 2 (endTransaction, and the table in its comment)."""
        fences = metadata.pending_state is TransactionState.PREPARE_EPOCH_FENCE
        if metadata.pending_state is not None and not fences:
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS)
        repeated = not fences and metadata.producer_epoch == epoch + 1
        if not self._is_valid(metadata, epoch, repeated, fences=fences, from_client=from_client):
            return Answer(error=ErrorCode.PRODUCER_FENCED)
        state = metadata.state
        if state is TransactionState.ONGOING:
            if fences and not committed:
                metadata.pending_state = None
                if self._release.fence_raises_twice:
                    metadata.producer_epoch = epoch
            return self._prepare(metadata, committed, 2)
        if state in PREPARED:
            waits = state is _prepared(committed)
            return Answer(error=ErrorCode.CONCURRENT_TRANSACTIONS if waits else ErrorCode.INVALID_TXN_STATE)
        if repeated:
            if state is _complete(committed):
                return Answer(epoch=metadata.producer_epoch)
            return Answer(error=ErrorCode.INVALID_TXN_STATE)
        return Answer(error=ErrorCode.INVALID_TXN_STATE) if committed else self._prepare(metadata, False, 2)

    def _is_valid(
        self, metadata: TransactionMetadata, epoch: int, repeated: bool, *, fences: bool, from_client: bool
    ) -> bool:
        """Has the request the epoch of the transaction, or of a repetition where one is possible?"""
        if fences:
            return epoch >= metadata.producer_epoch and not (from_client and epoch != metadata.producer_epoch)
        if metadata.state in PREPARED:
            return repeated
        if metadata.state in COMPLETE:
            return repeated or epoch == metadata.producer_epoch
        return epoch == metadata.producer_epoch

    def _prepare(self, metadata: TransactionMetadata, committed: bool, client_version: int) -> Answer:
        """The decision goes into the log. Then the producer is answered, and markers are sent (sendTxnMarkersCallback)."""
        answers: list[Answer] = []

        def decided() -> None:
            completion = metadata.prepare_complete()
            answers.append(Answer(epoch=completion.producer_epoch if client_version >= 2 else NO_EPOCH))
            self.markers.send(committed, metadata, completion)

        transit = metadata.prepare_end(_prepared(committed), client_version)
        self.states.append(transit, decided)
        self.states.replicate()
        return answers[0]

    def _fence(self, metadata: TransactionMetadata) -> Answer:
        """Abort in a newer epoch, in the way of the cluster's version, whatever the producer has."""
        transit = metadata.prepare_fence()
        return self._end(transit.producer_epoch, False, self._release.transaction_version, from_client=False)

    def abort_timed_out(self) -> bool:
        """A transaction that lasts too long is aborted, and perhaps fenced (abortTimedOutTransactions); False if none is ongoing."""
        metadata = self.states.metadata
        ongoing = metadata is not None and metadata.state is TransactionState.ONGOING and metadata.pending_state is None
        if metadata is None or not ongoing:
            return False
        if self._release.timeout_fences:
            self._fence(metadata)
        else:
            self.end_transaction(metadata.producer_epoch, False, 0)
        return True

    def resigned(self, *, without_last: bool = False) -> TransactionCoordinator:
        """The coordinator after this one: it reads its log, and knows nothing of what is not in it (onElection).

        `without_last`: its log lacks the last record, which this one has read and no majority of replicas has acknowledged.
        """
        log = self.states.log[:-1] if without_last else self.states.log
        return TransactionCoordinator(self._release, log, self.states.coordinator_epoch + 1)

    def lost_while_read(self) -> tuple[list[Marker], TransactionCoordinator]:
        """Two coordinators follow: one that has read to the last decision when it loses its log, with its markers, and the next one."""
        log = self.states.log
        decided = [number for number, value in enumerate(log) if value.state in PREPARED]
        read = log[: decided[-1] + 1] if decided else []
        first = TransactionCoordinator(self._release, read, self.states.coordinator_epoch + 1)
        return list(first.markers.unanswered.values()), self.resigned().resigned()


def _prepared(committed: bool) -> TransactionState:
    return TransactionState.PREPARE_COMMIT if committed else TransactionState.PREPARE_ABORT


def _complete(committed: bool) -> TransactionState:
    return TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT
