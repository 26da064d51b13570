"""What the coordinator of the transactional id does (R-TXN-1 to R-TXN-11)."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, sends, with_member, without

from .partition import accepts_marker, write
from .state import (
    DOES,
    DONE_BEFORE,
    FENCED,
    INVALID,
    TRY_AGAIN,
    Decision,
    Epoch,
    PartialLoad,
    Partition,
    Protocol,
    Result,
    Tail,
    Transactions,
    Way,
    in_v2,
)


def is_prepared(s: Transactions) -> bool:
    """Has the coordinator decided, and not yet heard from all partitions?"""
    return s.state == Decision.PREPARE_COMMIT or s.state == Decision.PREPARE_ABORT


def write_to_log(s: Transactions) -> None:
    """The coordinator is about to change what is last in its log, and has no acknowledgement yet. Called before the change.

    What was last before is acknowledged by then: of one transactional id only one transition is pending. It matters where two moves
    of the coordinator follow: to a broker that has what was written, and to one that has not.
    """
    if s.coordinator_moves_left > 1:
        s.tail = Tail.WRITTEN
        s.before_state = s.state
        s.before_epoch = s.newest_epoch
        s.before_partitions = s.partitions
    else:
        acknowledge(s)


def acknowledge(s: Transactions) -> None:
    """The log has acknowledged all that is in it."""
    s.tail = Tail.ACKNOWLEDGED
    s.before_state = Decision.EMPTY
    s.before_epoch = NONE
    s.before_partitions = EMPTY


def answers(s: Transactions) -> None:
    """The coordinator answers: its log has acknowledged what it has written, but perhaps not what it has read when it was elected."""
    if s.tail == Tail.WRITTEN:
        acknowledge(s)


def raise_epoch(s: Transactions) -> None:
    """The coordinator issues the next producer epoch, while the bounds have one."""
    require(s.newest_epoch + 1 < s.size(Epoch))
    s.newest_epoch += 1


def fence(s: Transactions) -> None:
    """The coordinator aborts the ongoing transaction in a newer epoch (R-TXN-1, R-TXN-7).

    TransactionMetadata.prepareFenceProducerEpoch, then endTransaction with the version of the cluster: in version 2 the epoch before
    is kept, before it is not.
    """
    write_to_log(s)
    if s.server == Protocol.TV2:
        if s.fence_bumps_twice:
            raise_epoch(s)
        s.last_epoch = s.newest_epoch
        raise_epoch(s)
        s.prepared_in_v2 = True
    else:
        s.last_epoch = NONE
        raise_epoch(s)
    s.state = Decision.PREPARE_ABORT
    s.logged_partitions = s.partitions
    note_decision(s, Result.ABORT)


def note_decision(s: Transactions, result: int) -> None:
    """A decision is in the coordinator's log, where a broker may read it that does not get to what follows."""
    for load in s.each(PartialLoad):
        if s.coordinator_moves_left > 1:
            s.decided[load] = result
            s.decided_epoch[load] = s.newest_epoch
            s.decided_partitions[load] = s.partitions
            s.decided_in_v2[load] = s.prepared_in_v2


def issue_epoch(s: Transactions) -> None:
    """A producer that starts gets a new epoch; no transaction is ongoing (TransactionMetadata.prepareIncrementProducerEpoch)."""
    acknowledge(s)
    raise_epoch(s)
    s.last_epoch = NONE
    s.state = Decision.EMPTY


def answer_to_bump(s: Transactions, expected: int) -> int:
    """What becomes of an InitProducerId that expects an epoch, when no transaction is ongoing or prepared (R-TXN-2)."""
    if expected == s.newest_epoch:
        return DOES
    return DONE_BEFORE if expected == s.last_epoch else FENCED


def bump(s: Transactions, expected: int) -> None:
    """The producer that has the newest epoch gets the next one; if it has got that before, the same again."""
    acknowledge(s)
    if expected == s.newest_epoch:
        s.last_epoch = s.newest_epoch
        raise_epoch(s)
    s.state = Decision.EMPTY


def answer_to_add(s: Transactions, partition: Partition, epoch: int) -> int:
    """What becomes of an AddPartitionsToTxn (R-TXN-3; TransactionCoordinator.handleAddPartitionsToTransaction)."""
    if epoch != s.newest_epoch:
        return FENCED
    if is_prepared(s):
        return TRY_AGAIN
    if s.state == Decision.ONGOING and contains(s.partitions, partition):
        return DONE_BEFORE
    return DOES


def add(s: Transactions, partition: Partition) -> None:
    """The partition enters the transaction. The first one begins it, also in the epoch of a transaction that has ended."""
    write_to_log(s)
    s.state = Decision.ONGOING
    s.partitions = with_member(s.partitions, partition)


def answer_to_verify(s: Transactions, partition: Partition, epoch: int) -> int:
    """What a partition is told that asks (R-TXN-4; TransactionCoordinator.handleVerifyPartitionsInTransaction)."""
    added = answer_to_add(s, partition, epoch)
    return INVALID if added == DOES else added


def answer_to_end(s: Transactions, epoch: int, result: int) -> int:
    """What becomes of an EndTxn, by the version of the request (R-TXN-5, R-TXN-6)."""
    return answer_to_end_v2(s, epoch, result) if in_v2(s) else answer_to_end_v0(s, epoch, result)


def prepared(result: int) -> int:
    """The state in which a result is prepared."""
    return Decision.PREPARE_COMMIT if result == Result.COMMIT else Decision.PREPARE_ABORT


def completed(result: int) -> int:
    """The state in which a result is complete."""
    return Decision.COMPLETE_COMMIT if result == Result.COMMIT else Decision.COMPLETE_ABORT


def answer_to_end_v0(s: Transactions, epoch: int, result: int) -> int:
    """Every transaction has the same epoch: a repetition is not told from the end of the next one (endTransactionWithTV1)."""
    if epoch != s.newest_epoch:
        return FENCED
    if s.state == Decision.ONGOING:
        return DOES
    if s.state == prepared(result):
        return TRY_AGAIN
    return DONE_BEFORE if s.state == completed(result) else INVALID


def answer_to_end_v2(s: Transactions, epoch: int, result: int) -> int:
    """Every end raises the epoch: a repetition has the one before (the table in TransactionCoordinator.endTransaction)."""
    repeated = epoch + 1 == s.newest_epoch
    if s.state == Decision.ONGOING or s.state == Decision.EMPTY:
        if epoch != s.newest_epoch:
            return FENCED
        return DOES if s.state == Decision.ONGOING or result == Result.ABORT else INVALID
    if is_prepared(s):
        if epoch == s.newest_epoch:
            return TRY_AGAIN
        if not repeated:
            return FENCED
        return TRY_AGAIN if s.state == prepared(result) else INVALID
    if repeated:
        return DONE_BEFORE if s.state == completed(result) else INVALID
    if epoch != s.newest_epoch:
        return FENCED
    return DOES if result == Result.ABORT else INVALID


def prepare_end(s: Transactions, result: int) -> None:
    """The coordinator decides, in version 2 with a new epoch, which the client learns from the answer. It answers before any marker."""
    write_to_log(s)
    if in_v2(s):
        s.last_epoch = s.newest_epoch
        raise_epoch(s)
        s.prepared_in_v2 = True
    s.state = prepared(result)
    s.logged_partitions = s.partitions
    note_decision(s, result)


@action("R-TXN-7, TransactionCoordinator.abortTimedOutTransactions")
def time_out(s: Transactions) -> None:
    """A transaction lasts too long: the coordinator fences its producer and aborts it. The first releases did not fence."""
    require(s.timeouts_left > 0)
    require(s.state == Decision.ONGOING)

    s.timeouts_left -= 1
    if s.timeout_fences:
        fence(s)
    else:
        prepare_end(s, Result.ABORT)


@action("R-TXN-9, TransactionMarkerChannelManager", sends("coordinator", "partition", "WriteTxnMarkers"))
def write_marker(s: Transactions, partition: Partition, way: Way) -> None:
    """The coordinator sends a marker to a partition. One that is not answered it sends again.

    One that has decided waits for its log to acknowledge that. One that has read the decision in its log does not
    (TransactionStateManager.loadTransactionMetadata reads to the end of the log, not to the high watermark).
    """
    require(is_prepared(s))
    require(contains(s.partitions, partition))
    require(way == Way.AT_ONCE or (s.late_markers_left > 0 and s.late_marker[partition] == NONE))
    require(way == Way.LATE or accepts_marker(s, partition, s.newest_epoch, s.prepared_in_v2))
    require(way != Way.UNACKNOWLEDGED)

    answers(s)
    result = Result.COMMIT if s.state == Decision.PREPARE_COMMIT else Result.ABORT
    if way == Way.LATE:
        s.late_markers_left -= 1
        s.late_marker[partition] = result
        s.late_marker_epoch[partition] = s.newest_epoch
        s.late_marker_coordinator[partition] = s.coordinator_epoch
        s.late_marker_v2[partition] = s.prepared_in_v2
    else:
        write(s, partition, s.newest_epoch, result, s.coordinator_epoch)
        s.partitions = without(s.partitions, partition)


@action("R-TXN-10, TransactionMarkerChannelManager.maybeWriteTxnCompletion")
def complete(s: Transactions) -> None:
    """All partitions have answered: the coordinator notes that the transaction is complete, and its log acknowledges all."""
    require(is_prepared(s))
    require(s.partitions == EMPTY)

    acknowledge(s)
    s.state = completed(Result.COMMIT if s.state == Decision.PREPARE_COMMIT else Result.ABORT)
    s.logged_partitions = EMPTY
    s.prepared_in_v2 = False


def move(s: Transactions) -> None:
    """Another broker becomes the coordinator. It has what is in its log, and the epoch before the newest is not in it."""
    s.coordinator_moves_left -= 1
    s.coordinator_epoch += 1
    s.last_epoch = NONE
    if is_prepared(s):
        s.partitions = s.logged_partitions
    for load in s.each(PartialLoad):
        if s.coordinator_moves_left < 2:
            s.decided[load] = NONE
            s.decided_epoch[load] = NONE
            s.decided_partitions[load] = EMPTY
            s.decided_in_v2[load] = False


def move_unacknowledged(s: Transactions) -> None:
    """Another broker, which has what was just written, becomes the coordinator before the log has acknowledged it.

    One that reads to the high watermark does nothing before that is acknowledged.
    """
    require(s.tail == Tail.WRITTEN)
    move(s)
    if s.reads_to_log_end:
        s.tail = Tail.READ
    else:
        acknowledge(s)


@action("R-TXN-11, TransactionCoordinator.onElection, TransactionStateManager.loadTransactionsForTxnTopicPartition")
def move_coordinator(s: Transactions) -> None:
    """Another broker becomes the coordinator: it knows what is in the log, and sends all markers of a prepared end again.

    In other states it knows all that the one before knew, and its epoch only makes partitions refuse more markers that are held up.
    """
    require(s.coordinator_moves_left > 0)
    require(is_prepared(s) or s.tail == Tail.WRITTEN)

    if s.tail == Tail.WRITTEN:
        move_unacknowledged(s)
    else:
        acknowledge(s)
        move(s)


@action("R-TXN-11, TransactionStateManager.loadTransactionMetadata, KIP-101")
def move_without_tail(s: Transactions) -> None:
    """Another broker becomes the coordinator, whose log does not have what the last one has read and its log has not acknowledged."""
    require(s.coordinator_moves_left > 0)
    require(s.tail == Tail.READ)

    move(s)
    s.state = s.before_state
    s.newest_epoch = s.before_epoch
    s.partitions = s.before_partitions
    s.logged_partitions = EMPTY
    s.prepared_in_v2 = False
    acknowledge(s)


@action("R-TXN-11, TransactionStateManager.loadTransactionMetadata")
def lose_log_while_reading(s: Transactions, load: PartialLoad) -> None:
    """Another broker becomes the coordinator, and loses its log to a third one while it reads it: it takes what it has read for all.

    It sends the markers of the decision that is last there, in its own coordinator epoch, whatever follows in the log. Each arrives
    later, or never.

    Source: loadTransactionMetadata ends when the end of the log is -1, and loadTransactions goes on, unless onResignation was before.
    """
    require(s.coordinator_moves_left > 1)
    require(s.decided[load] != NONE)
    require(s.decided_partitions[load] != EMPTY)
    for partition in s.each(Partition):
        require(not contains(s.decided_partitions[load], partition) or s.late_marker[partition] == NONE)

    acknowledge(s)
    for partition in s.each(Partition):
        if contains(s.decided_partitions[load], partition):
            s.late_marker[partition] = s.decided[load]
            s.late_marker_epoch[partition] = s.decided_epoch[load]
            s.late_marker_coordinator[partition] = s.coordinator_epoch + 1
            s.late_marker_v2[partition] = s.decided_in_v2[load]
    move(s)
    move(s)
