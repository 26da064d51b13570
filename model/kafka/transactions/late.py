"""What was held up arrives at last. Nobody waits for its answer, so only what has an effect is a step."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .coordinator import (
    add,
    answer_to_add,
    answer_to_bump,
    answer_to_end,
    answers,
    bump,
    fence,
    is_prepared,
    issue_epoch,
    prepare_end,
)
from .partition import accepts_marker, answer_to_append, append, must_ask, write
from .producer import answer_to_verification
from .state import DOES, DONE_BEFORE, FENCED, Decision, Held, Partition, Producer, Transactions, Txn


@action("R-TXN-1")
def late_init_arrives(s: Transactions, producer: Producer) -> None:
    """An InitProducerId of a producer that has started meanwhile: it fences that producer too."""
    require(s.late_init[producer])
    require(not is_prepared(s))

    s.late_init[producer] = False
    if s.state == Decision.ONGOING:
        fence(s)
    else:
        issue_epoch(s)


@action("R-TXN-2")
def late_bump_arrives(s: Transactions, producer: Producer) -> None:
    """An InitProducerId that expects an epoch. An ongoing transaction is aborted whatever it expects."""
    require(s.late_bump[producer] != NONE)
    require(not is_prepared(s))
    require(s.state == Decision.ONGOING or answer_to_bump(s, s.late_bump[producer]) != FENCED)

    if s.state == Decision.ONGOING:
        fence(s)
    else:
        bump(s, s.late_bump[producer])
    s.late_bump[producer] = NONE


@action("R-TXN-3")
def late_add_arrives(s: Transactions, txn: Txn, partition: Partition) -> None:
    """An AddPartitionsToTxn: it begins a transaction if none is ongoing."""
    require(s.late_add[txn][partition])
    require(answer_to_add(s, partition, s.txn_epoch[txn]) == DOES)

    s.late_add[txn][partition] = False
    add(s, partition)


@action("R-TXN-14, ReplicaManager.maybeSendPartitionsToTransactionCoordinator")
def verify_late(s: Transactions, txn: Txn, partition: Partition) -> None:
    """A Produce reaches the leader, which asks the coordinator and has its answer. The append is a step of its own."""
    require(s.late_produce[txn][partition] == Held.HELD_UP)
    require(must_ask(s, txn, partition))
    answer = answer_to_verification(s, txn, partition)
    require(answer <= DONE_BEFORE)

    s.late_produce[txn][partition] = Held.VERIFIED
    if answer == DOES:
        add(s, partition)
    answers(s)


@action("R-TXN-12")
def append_late(s: Transactions, txn: Txn, partition: Partition) -> None:
    """A Produce that was held up is appended: its guard is valid, or none is needed."""
    require(s.late_produce[txn][partition] != Held.NO)
    require(s.late_produce[txn][partition] == Held.VERIFIED or not must_ask(s, txn, partition))
    require(answer_to_append(s, txn, partition) == DOES)

    s.late_produce[txn][partition] = Held.NO
    append(s, txn, partition)


@action("R-TXN-5, R-TXN-6")
def late_end_arrives(s: Transactions, txn: Txn) -> None:
    """An EndTxn: without an epoch for each transaction it ends the one that is ongoing."""
    require(s.late_end[txn] != NONE)
    require(answer_to_end(s, s.txn_epoch[txn], s.late_end[txn]) == DOES)

    prepare_end(s, s.late_end[txn])
    s.late_end[txn] = NONE


@action("R-TXN-15")
def late_marker_arrives(s: Transactions, partition: Partition) -> None:
    """A marker: it ends whatever is open, if the partition accepts its epochs (ProducerAppendInfo.checkCoordinatorEpoch)."""
    require(s.late_marker[partition] != NONE)
    require(accepts_marker(s, partition, s.late_marker_epoch[partition], s.late_marker_v2[partition]))
    require(s.late_marker_coordinator[partition] >= s.seen_coordinator[partition])

    write(
        s,
        partition,
        s.late_marker_epoch[partition],
        s.late_marker[partition],
        s.late_marker_coordinator[partition],
    )
    s.late_marker[partition] = NONE
    s.late_marker_epoch[partition] = NONE
    s.late_marker_coordinator[partition] = 0
    s.late_marker_v2[partition] = False
