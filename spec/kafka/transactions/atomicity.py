"""The ledger of what makes each action of transactions one step in Kafka."""

from __future__ import annotations

from neverlost.model.core import Action
from neverlost.model.kafka.transactions import coordinator, faults, late, producer

from ..atomicity import ABSENT, Gap, Ledger, LedgerRow, Merged, Missing, Split, at
from ..releases import EITHER, InReleases
from .differences import TIME_LINE

FIRST = "0.11.0.0"
IN_LOCK = (
    "the lock of the transactional id (TransactionMetadata.inLock), and its pending transition until the coordinator's log has it:"
    " meanwhile other requests have to wait"
)
LOG_LOCK = "the lock of the partition's log: epoch, sequence number, open transaction and append"
CLIENT = "the monitor of TransactionManager, and one transactional request in flight"
SURROUNDINGS = "no deed of Kafka"
READ = ("2.4.1", "3.6.2", "4.1.1", "4.3.1")
"""The releases whose code was read, on their branches."""


def _in(since: str = FIRST, until: str | None = None) -> InReleases:
    """In both modes, from one release to another."""
    return InReleases(since=since, until=until, modes=(EITHER,))


ANSWERED = Gap(
    when=_in(),
    between="sending a request, its work, and its answer",
    done=Merged(
        because="the producer sends no other transactional request until it is answered, and what others do before the work may as well"
        " come before the step. A request that its producer has given up is held up, which is a budget"
    ),
)
PENDING = Gap(
    when=_in(),
    between="the check under the lock and the record in the coordinator's log",
    done=Merged(
        because="the pending transition makes other requests wait; what verifies meanwhile sees the state before, as a moment"
        " earlier"
    ),
)
ADDED_AND_WRITTEN = Gap(
    when=_in("3.6.0"),
    between="the coordinator's answer to the partition's leader, and the append",
    done=Split(into=(late.verify_late, late.append_late)),
)
EPOCH_FAILED = Gap(
    when=_in("2.7.0"),
    between="the new epoch of a fenced producer and its record in the log, if the append fails",
    done=Missing(what="the coordinator remembers that it failed, and takes the same epoch again"),
)
SEVERAL_PARTITIONS = Gap(
    when=_in(),
    between="the partitions of one request",
    done=Merged(because="each is checked and written under its own lock, one after the other"),
)
UNACKNOWLEDGED = Gap(
    when=_in(),
    between="the record in the coordinator's log, its acknowledgement, and what is done by it",
    done=Split(into=(coordinator.move_coordinator, coordinator.move_without_tail)),
)
OLD_COORDINATOR = Gap(
    when=_in(),
    between="the new coordinator's load of the log and the end of the old one",
    done=Merged(
        because="the old one cannot append to the log any more; its markers have the older coordinator epoch, and are held up"
    ),
)


def _of_coordinator(action: Action, *places: str, gaps: tuple[Gap, ...] = ()) -> tuple[LedgerRow, ...]:
    """Of what the coordinator decides."""
    return (LedgerRow(action=action, when=_in(), by=IN_LOCK, places=at(*places), gaps=(PENDING, *gaps), read=READ),)


def _of_partition(action: Action, *places: str, gaps: tuple[Gap, ...] = ()) -> tuple[LedgerRow, ...]:
    """Of what the leader of a partition does."""
    return (LedgerRow(action=action, when=_in(), by=LOG_LOCK, places=at(*places), gaps=gaps, read=READ),)


def _of_client(action: Action, *places: str, gaps: tuple[Gap, ...] = ()) -> tuple[LedgerRow, ...]:
    """Of what the client does alone."""
    return (LedgerRow(action=action, when=_in(), by=CLIENT, places=at(*places), gaps=gaps, read=READ),)


def _since(rows: tuple[LedgerRow, ...], since: str, until: str) -> tuple[LedgerRow, ...]:
    """The same from a release on; the ones before have no such step."""
    (row,) = rows
    absent = LedgerRow(
        action=row.action,
        when=_in(FIRST, until),
        by=ABSENT,
        places=row.places,
        read=("2.4.1",),
    )
    later = LedgerRow(
        action=row.action,
        when=_in(since),
        by=row.by,
        places=row.places,
        gaps=row.gaps,
        read=tuple(one for one in READ if _in(since).holds_for(one, EITHER)),
    )
    return (absent, later)


def _until(rows: tuple[LedgerRow, ...], until: str, since: str) -> tuple[LedgerRow, ...]:
    """The same up to a release; later ones have no such step."""
    (row,) = rows
    earlier = LedgerRow(
        action=row.action,
        when=_in(FIRST, until),
        by=row.by,
        places=row.places,
        gaps=row.gaps,
        read=tuple(one for one in READ if _in(FIRST, until).holds_for(one, EITHER)),
    )
    absent = LedgerRow(action=row.action, when=_in(since), by=ABSENT, places=row.places, read=("3.6.2",))
    return (earlier, absent)


def _outside(action: Action, *places: str) -> tuple[LedgerRow, ...]:
    """Of what befalls transactions."""
    return (LedgerRow(action=action, when=_in(), by=SURROUNDINGS, places=at(*places), read=("4.1.1",)),)


INIT = "TransactionCoordinator.scala: handleInitProducerId, prepareInitProducerIdTransit"
ADD = "TransactionCoordinator.scala: handleAddPartitionsToTransaction"
END = "TransactionCoordinator.scala: endTransaction"
APPEND = "UnifiedLog.java: analyzeAndValidateProducerState"
MANAGER = "TransactionManager.java"

LEDGER = Ledger(
    time_line=TIME_LINE,
    rows=(
        *_of_coordinator(producer.start, INIT, gaps=(ANSWERED, EPOCH_FAILED)),
        *_of_client(producer.begin, f"{MANAGER}: beginTransaction"),
        *_of_coordinator(producer.add_partition, ADD, gaps=(ANSWERED, SEVERAL_PARTITIONS)),
        *_of_partition(
            producer.produce,
            APPEND,
            "ReplicaManager.scala: maybeSendPartitionsToTransactionCoordinator",
            gaps=(ANSWERED, ADDED_AND_WRITTEN, SEVERAL_PARTITIONS),
        ),
        *_of_client(producer.give_up, "Sender.java: failBatch", f"{MANAGER}: handleFailedBatch"),
        *_of_client(
            producer.give_up_in_the_same_epoch,
            "Sender.java: completeBatch",
            f"{MANAGER}: maybeTransitionToErrorState",
        ),
        *_of_coordinator(producer.end, END, gaps=(ANSWERED, UNACKNOWLEDGED)),
        *_of_client(producer.end_unstarted, f"{MANAGER}: nextRequest"),
        *_since(
            _of_coordinator(producer.bump_epoch, INIT, f"{MANAGER}: initializeTransactions", gaps=(ANSWERED,)),
            "2.5.0",
            "2.4.1",
        ),
        *_of_coordinator(
            coordinator.time_out,
            "TransactionCoordinator.scala: abortTimedOutTransactions",
            gaps=(EPOCH_FAILED, UNACKNOWLEDGED),
        ),
        *_of_partition(
            coordinator.write_marker,
            "TransactionMarkerRequestCompletionHandler.scala: onComplete",
            "ProducerAppendInfo.java: appendEndTxnMarker",
            gaps=(ANSWERED, SEVERAL_PARTITIONS),
        ),
        *_of_coordinator(coordinator.complete, "TransactionMarkerChannelManager.scala: maybeWriteTxnCompletion"),
        *_of_coordinator(
            coordinator.move_coordinator,
            "TransactionStateManager.scala: loadTransactionsForTxnTopicPartition",
            gaps=(OLD_COORDINATOR,),
        ),
        *_of_coordinator(
            coordinator.move_without_tail,
            "TransactionStateManager.scala: loadTransactionMetadata",
            gaps=(OLD_COORDINATOR,),
        ),
        *_of_coordinator(
            coordinator.lose_log_while_reading,
            "TransactionStateManager.scala: loadTransactionMetadata",
            gaps=(OLD_COORDINATOR,),
        ),
        *_of_coordinator(late.late_init_arrives, INIT),
        *_since(_of_coordinator(late.late_bump_arrives, INIT), "2.5.0", "2.4.1"),
        *_of_coordinator(late.late_add_arrives, ADD),
        *_since(
            _of_coordinator(
                late.verify_late,
                "TransactionCoordinator.scala: handleVerifyPartitionsInTransaction, handleAddPartitionsToTransaction",
            ),
            "3.6.0",
            "3.5.2",
        ),
        *_of_partition(late.append_late, APPEND),
        *_of_coordinator(late.late_end_arrives, END),
        *_of_partition(late.late_marker_arrives, "ProducerAppendInfo.java: appendEndTxnMarker"),
        *_outside(faults.expire_producer, "ProducerStateManager.java: isProducerExpired"),
        *_outside(faults.lose_marker, "UnifiedLog.java: truncateTo"),
        *_until(_of_partition(faults.read_early, "Log.scala: read"), "2.4.1", "2.5.0"),
    ),
)
