"""What the leader of a partition does with records and markers of the transactional id (R-TXN-12 to R-TXN-17)."""

from __future__ import annotations

from neverlost.model.core import NONE

from .state import (
    DOES,
    DONE_BEFORE,
    FENCED,
    INVALID,
    Fate,
    Held,
    MarkerCheck,
    Partition,
    Result,
    Transactions,
    Txn,
    in_v2,
)


def has_open(s: Transactions, partition: Partition) -> bool:
    """Has the partition an open transaction, for which the last stable offset waits (currentTxnFirstOffset)?"""
    for txn in s.each(Txn):
        if s.record[txn][partition] == Fate.OPEN or s.copy[txn][partition] == Fate.OPEN:
            return True
    return False


def is_ongoing_in(s: Transactions, partition: Partition, epoch: int) -> bool:
    """Has the partition an open transaction, and is this the newest epoch that it knows (UnifiedLog.hasOngoingTransaction)?"""
    return has_open(s, partition) and s.seen_epoch[partition] == epoch


def must_ask(s: Transactions, txn: Txn, partition: Partition) -> bool:
    """Does the leader ask the coordinator before it appends (ReplicaManager.maybeSendPartitionsToTransactionCoordinator)?"""
    asks = s.verification or in_v2(s)
    return asks and not is_ongoing_in(s, partition, s.txn_epoch[txn])


def refuses_first(s: Transactions, txn: Txn, partition: Partition) -> bool:
    """Does the leader refuse a record of an older epoch before it asks (KAFKA-14563)?"""
    return s.compares_first == 1 and s.txn_epoch[txn] < s.seen_epoch[partition]


def answer_to_append(s: Transactions, txn: Txn, partition: Partition) -> int:
    """Is a record appended (UnifiedLog.analyzeAndValidateProducerState, ProducerAppendInfo.checkProducerEpoch, checkSequence)?"""
    seen = s.seen_epoch[partition]
    if s.txn_epoch[txn] < seen:
        return FENCED
    if s.txn_epoch[txn] == seen:
        if s.number[txn][partition] < s.expected[partition]:
            return DONE_BEFORE
        return DOES if s.number[txn][partition] == s.expected[partition] else INVALID
    return DOES if seen == NONE or s.number[txn][partition] == 0 else INVALID


def append(s: Transactions, txn: Txn, partition: Partition) -> None:
    """The record is appended. One that is in the log already, which the partition does not know any more, is there twice."""
    if s.record[txn][partition] == Fate.ABSENT:
        s.record[txn][partition] = Fate.OPEN
    else:
        s.copy[txn][partition] = Fate.OPEN
    s.seen_epoch[partition] = s.txn_epoch[txn]
    s.expected[partition] = s.number[txn][partition] + 1
    for other in s.each(Txn):
        s.ended_last[other][partition] = False
        if s.late_produce[other][partition] == Held.VERIFIED and s.verification:
            s.late_produce[other][partition] = Held.HELD_UP


def accepts_marker(s: Transactions, partition: Partition, epoch: int, in_v2: int) -> bool:
    """Does the partition accept a marker of this epoch (ProducerAppendInfo.checkProducerEpoch)? 4.2 is stricter in version 2."""
    seen = s.seen_epoch[partition]
    if epoch != seen or not in_v2 or s.mixed_brokers:
        return epoch >= seen
    if s.marker_check == MarkerCheck.NEWER:
        return False
    return s.marker_check == MarkerCheck.NOT_OLDER or not has_open(s, partition)


def write(s: Transactions, partition: Partition, epoch: int, result: int, coordinator: int) -> None:
    """A marker ends all that is open of the producer id: a partition does not tell transactions apart.

    It clears the guard of a Produce that is verified, which is then refused, unless that has the marker's own epoch in version 2
    (KAFKA-18575; UnifiedLog.updateProducers, batchMissingRequiredVerification).
    """
    fate = Fate.VISIBLE if result == Result.COMMIT else Fate.SKIPPED
    for txn in s.each(Txn):
        ends = s.record[txn][partition] == Fate.OPEN
        s.ended_last[txn][partition] = ends and s.lost_markers > 0
        if ends:
            s.record[txn][partition] = fate
        if s.copy[txn][partition] == Fate.OPEN:
            s.copy[txn][partition] = fate
        if s.late_produce[txn][partition] == Held.VERIFIED and s.verification:
            if not in_v2(s) or s.txn_epoch[txn] != epoch:
                s.late_produce[txn][partition] = Held.NO
    if s.seen_epoch[partition] != epoch:
        s.seen_epoch[partition] = epoch
        s.expected[partition] = 0
    s.seen_coordinator[partition] = coordinator
