"""What producers and their applications do (R-TXN-18 to R-TXN-20): the Java client, with one record for each partition."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .coordinator import (
    add,
    answer_to_add,
    answer_to_bump,
    answer_to_end,
    answer_to_verify,
    answers,
    bump,
    fence,
    is_prepared,
    issue_epoch,
    move_unacknowledged,
    prepare_end,
)
from .partition import answer_to_append, append, must_ask, refuses_first
from .state import (
    DOES,
    DONE_BEFORE,
    FENCED,
    INVALID,
    TRY_AGAIN,
    Decision,
    Held,
    Numbering,
    Partition,
    Phase,
    Producer,
    Result,
    Sent,
    Stage,
    Transactions,
    Txn,
    Unanswered,
    Way,
    in_v2,
)


def take_epoch(s: Transactions, producer: Producer, phase: int) -> None:
    """The producer goes on in the newest epoch, in which sequence numbers begin at 0."""
    s.phase[producer] = phase
    s.epoch[producer] = s.newest_epoch
    for partition in s.each(Partition):
        s.next_number[producer][partition] = 0


def stop(s: Transactions, producer: Producer, phase: int) -> None:
    """The producer can only be closed: its application does not learn how its transaction ends."""
    s.phase[producer] = phase
    s.must_abort[producer] = False
    s.needs_bump[producer] = False
    s.epoch[producer] = NONE
    for partition in s.each(Partition):
        s.next_number[producer][partition] = 0


def hold_up(s: Transactions) -> None:
    """One more request is held up: its sender has no answer."""
    require(s.delays_left > 0)
    s.delays_left -= 1


def is_current(s: Transactions, producer: Producer, txn: Txn) -> bool:
    """Is this the transaction that the producer is in?"""
    asked = s.stage[txn] == Stage.BEGUN or s.stage[txn] == Stage.COMMITTING or s.stage[txn] == Stage.ABORTING
    return asked and s.owner[txn] == producer


@action(
    "R-TXN-1, KIP-98, TransactionCoordinator.handleInitProducerId",
    sends("producers", "coordinator", "InitProducerId"),
)
def start(s: Transactions, producer: Producer, way: Way) -> None:
    """A producer starts and fences those before it. An ongoing transaction is aborted first, and the producer asks again."""
    require(s.phase[producer] == Phase.NEW or s.phase[producer] == Phase.STARTING)
    require(producer == 0 or s.phase[producer - 1] > Phase.STARTING)
    require(way == Way.LATE or not is_prepared(s))
    require(way == Way.AT_ONCE or not s.late_init[producer])
    require(way != Way.UNACKNOWLEDGED)

    if way == Way.LATE:
        hold_up(s)
        s.late_init[producer] = True
        s.phase[producer] = Phase.STARTING
    elif s.state == Decision.ONGOING:
        fence(s)
        s.phase[producer] = Phase.STARTING
    else:
        issue_epoch(s)
        take_epoch(s, producer, Phase.READY)


@action("KIP-98")
def begin(s: Transactions, producer: Producer, txn: Txn) -> None:
    """The application begins its next transaction. Nothing is sent."""
    require(s.phase[producer] == Phase.READY)
    require(s.stage[txn] == Stage.NOT_BEGUN)
    require(txn == 0 or s.stage[txn - 1] != Stage.NOT_BEGUN)

    s.phase[producer] = Phase.IN_TRANSACTION
    s.stage[txn] = Stage.BEGUN
    s.owner[txn] = producer
    s.txn_epoch[txn] = s.epoch[producer]


@action("R-TXN-3, KIP-98", sends("producers", "coordinator", "AddPartitionsToTxn of {txn}: {partition}"))
def add_partition(s: Transactions, producer: Producer, txn: Txn, partition: Partition, way: Way) -> None:
    """The producer tells the coordinator of a partition before it writes to it. If unacknowledged, another coordinator takes over.

    In version 2 the partition's leader does. The coordinator that takes over has it in its log.
    """
    require(not in_v2(s))
    require(s.phase[producer] == Phase.IN_TRANSACTION)
    require(is_current(s, producer, txn))
    require(not s.must_abort[producer])
    require(s.sent[txn][partition] == Sent.UNSENT or s.sent[txn][partition] == Sent.ADDING)
    answer = answer_to_add(s, partition, s.txn_epoch[txn])
    require(way == Way.LATE or answer != TRY_AGAIN)
    require(way != Way.LATE or not s.late_add[txn][partition])
    require(way != Way.UNACKNOWLEDGED or answer == DOES)

    if way == Way.LATE:
        hold_up(s)
        s.late_add[txn][partition] = True
        s.sent[txn][partition] = Sent.ADDING
    elif way == Way.UNACKNOWLEDGED:
        add(s, partition)
        move_unacknowledged(s)
        s.sent[txn][partition] = Sent.ADDING
    elif answer == FENCED:
        answers(s)
        stop(s, producer, Phase.FENCED)
    else:
        if answer == DOES:
            add(s, partition)
        answers(s)
        s.sent[txn][partition] = Sent.ADDED


def answer_to_verification(s: Transactions, txn: Txn, partition: Partition) -> int:
    """What the coordinator answers the partition's leader, which in version 2 adds the partition to the transaction."""
    if not must_ask(s, txn, partition):
        return DONE_BEFORE
    if refuses_first(s, txn, partition):
        return FENCED
    if in_v2(s):
        return answer_to_add(s, partition, s.txn_epoch[txn])
    return answer_to_verify(s, partition, s.txn_epoch[txn])


def answer_to_produce(s: Transactions, txn: Txn, partition: Partition) -> int:
    """What becomes of a record that meets no delay: the leader asks the coordinator if it must, and appends."""
    verified = answer_to_verification(s, txn, partition)
    if verified <= DONE_BEFORE:
        return answer_to_append(s, txn, partition)
    return verified


@action("R-TXN-12, R-TXN-14", sends("producers", "partition", "record of {txn}"))
def produce(s: Transactions, producer: Producer, txn: Txn, partition: Partition, way: Way) -> None:
    """The producer writes its record to a partition, or again while it has no answer. In version 2 the leader adds the partition first.

    If that is unacknowledged, another coordinator takes over with it in its log.
    """
    require(s.phase[producer] == Phase.IN_TRANSACTION)
    require(is_current(s, producer, txn))
    require(not s.must_abort[producer] or s.sent[txn][partition] == Sent.UNANSWERED)
    require(
        s.sent[txn][partition] == Sent.UNANSWERED
        or (not in_v2(s) and s.sent[txn][partition] == Sent.ADDED)
        or (in_v2(s) and s.sent[txn][partition] == Sent.UNSENT)
    )
    require(way != Way.LATE or s.late_produce[txn][partition] == Held.NO)

    if s.sent[txn][partition] != Sent.UNANSWERED:
        s.number[txn][partition] = s.next_number[producer][partition]
        s.next_number[producer][partition] += 1
    if way == Way.LATE:
        hold_up(s)
        s.late_produce[txn][partition] = Held.HELD_UP
        s.sent[txn][partition] = Sent.UNANSWERED
    elif way == Way.UNACKNOWLEDGED:
        require(answer_to_verification(s, txn, partition) == DOES)
        add(s, partition)
        move_unacknowledged(s)
        s.sent[txn][partition] = Sent.UNANSWERED
    else:
        verified = answer_to_verification(s, txn, partition)
        answer = answer_to_produce(s, txn, partition)
        require(answer != TRY_AGAIN)
        if verified == DOES:
            add(s, partition)
        if must_ask(s, txn, partition) and not refuses_first(s, txn, partition):
            answers(s)
        if answer == DOES:
            append(s, txn, partition)
        if answer <= DONE_BEFORE:
            s.sent[txn][partition] = Sent.ACKNOWLEDGED
        else:
            s.sent[txn][partition] = Sent.FAILED
            abort_later(s, producer)


def abort_later(s: Transactions, producer: Producer) -> None:
    """A record failed: the application has to abort, and from 2.5 on the client then asks for a new epoch; in version 2 it gets one."""
    s.must_abort[producer] = True
    if s.client_bumps and not in_v2(s):
        s.needs_bump[producer] = True


@action("R-TXN-19, KIP-91, delivery.timeout.ms")
def give_up(s: Transactions, producer: Producer, txn: Txn, partition: Partition) -> None:
    """A record, or the request before it, is not answered in time: the producer sends it no more.

    Up to 2.4 a record that may be in the log is a fatal error (KAFKA-8805; Sender, TransactionManager.hasUnresolvedSequences).
    """
    require(s.phase[producer] == Phase.IN_TRANSACTION)
    require(is_current(s, producer, txn))
    require(s.sent[txn][partition] == Sent.UNANSWERED or s.sent[txn][partition] == Sent.ADDING)

    if s.sent[txn][partition] == Sent.ADDING:
        s.sent[txn][partition] = Sent.DROPPED
        abort_later(s, producer)
    else:
        s.sent[txn][partition] = Sent.FAILED
        if s.client_bumps or in_v2(s):
            abort_later(s, producer)
        else:
            stop(s, producer, Phase.DEAD)


@action("R-TXN-19, Sender.completeBatch, TransactionManager.maybeTransitionToErrorState")
def give_up_in_the_same_epoch(
    s: Transactions, producer: Producer, txn: Txn, partition: Partition, numbering: Numbering
) -> None:
    """A record is given up without a fatal error or a new epoch: the application aborts, and goes on in the same epoch.

    Where the answer is an error and comes after `delivery.timeout.ms`, the next record has the number of this one, which may be in the
    log (Sender.failBatch, adjustSequenceNumbers).
    """
    require(s.keeps_epoch and not in_v2(s))
    require(s.phase[producer] == Phase.IN_TRANSACTION)
    require(is_current(s, producer, txn))
    require(s.sent[txn][partition] == Sent.UNANSWERED)

    s.sent[txn][partition] = Sent.FAILED
    s.must_abort[producer] = True
    if numbering == Numbering.AGAIN:
        s.next_number[producer][partition] = s.number[txn][partition]


def is_answered(s: Transactions, txn: Txn) -> bool:
    """Waits nothing in the transaction for an answer? Only then is EndTxn sent (TransactionManager.nextRequest)."""
    for partition in s.each(Partition):
        if s.sent[txn][partition] == Sent.UNANSWERED or s.sent[txn][partition] == Sent.ADDING:
            return False
    return True


def is_started(s: Transactions, txn: Txn) -> bool:
    """Does the producer know that the coordinator has heard of the transaction (TransactionManager.transactionStarted)?"""
    for partition in s.each(Partition):
        if s.sent[txn][partition] != Sent.UNSENT and s.sent[txn][partition] != Sent.DROPPED:
            return True
    return False


def may_commit(s: Transactions, producer: Producer, txn: Txn) -> bool:
    """Is every record that was handed to the producer acknowledged?"""
    for partition in s.each(Partition):
        if s.sent[txn][partition] != Sent.UNSENT and s.sent[txn][partition] != Sent.ACKNOWLEDGED:
            return False
    return not s.must_abort[producer]


@action("R-TXN-5, R-TXN-6, KIP-98, KIP-890", sends("producers", "coordinator", "EndTxn of {txn}: {result}"))
def end(s: Transactions, producer: Producer, txn: Txn, result: Result, way: Way) -> None:
    """The application commits or aborts, until it is answered. If unacknowledged, another coordinator takes over with it in its log."""
    require(s.phase[producer] == Phase.IN_TRANSACTION or s.phase[producer] == Phase.ENDING)
    require(is_current(s, producer, txn))
    require(s.phase[producer] == Phase.ENDING or (is_answered(s, txn) and is_started(s, txn)))
    require(s.phase[producer] == Phase.ENDING or result == Result.ABORT or may_commit(s, producer, txn))
    require(
        s.phase[producer] == Phase.IN_TRANSACTION or (s.stage[txn] == Stage.COMMITTING) == (result == Result.COMMIT)
    )
    answer = answer_to_end(s, s.txn_epoch[txn], result)
    require(way == Way.LATE or answer != TRY_AGAIN)
    require(way != Way.LATE or s.late_end[txn] == NONE)
    require(way != Way.UNACKNOWLEDGED or (answer == DOES and s.state == Decision.ONGOING))

    s.phase[producer] = Phase.ENDING
    s.stage[txn] = Stage.COMMITTING if result == Result.COMMIT else Stage.ABORTING
    if way == Way.AT_ONCE:
        if answer == DOES:
            prepare_end(s, result)
        answers(s)
        if answer == FENCED:
            stop(s, producer, Phase.FENCED)
        elif answer == INVALID:
            stop(s, producer, Phase.DEAD)
        else:
            learn_end(s, producer, txn, result)
    else:
        if way == Way.LATE:
            hold_up(s)
            s.late_end[txn] = result
        else:
            prepare_end(s, result)
            move_unacknowledged(s)
        if s.unanswered == Unanswered.NEW_EPOCH and s.client_bumps and not in_v2(s):
            s.needs_bump[producer] = True
        if s.unanswered == Unanswered.CLOSES:
            stop(s, producer, Phase.DEAD)


@action("R-TXN-18, TransactionManager.nextRequest")
def end_unstarted(s: Transactions, producer: Producer, txn: Txn) -> None:
    """The application aborts a transaction of which the coordinator has heard nothing, as the producer believes: EndTxn is not sent.

    In version 2 what failed was sent, and so is EndTxn.
    """
    require(not in_v2(s))
    require(s.phase[producer] == Phase.IN_TRANSACTION)
    require(is_current(s, producer, txn))
    require(s.must_abort[producer])
    require(is_answered(s, txn) and not is_started(s, txn))

    learn_end(s, producer, txn, Result.ABORT)


def learn_end(s: Transactions, producer: Producer, txn: Txn, result: int) -> None:
    """The producer learns that its transaction has ended, and in version 2 its next epoch."""
    s.stage[txn] = Stage.COMMITTED if result == Result.COMMIT else Stage.ABORTED
    s.must_abort[producer] = False
    if in_v2(s):
        take_epoch(s, producer, Phase.READY)
    else:
        s.phase[producer] = Phase.BUMPING if s.needs_bump[producer] else Phase.READY
    s.needs_bump[producer] = False


@action(
    "R-TXN-2, KIP-360",
    sends("producers", "coordinator", "InitProducerId({epoch[producer]})"),
)
def bump_epoch(s: Transactions, producer: Producer, way: Way) -> None:
    """The producer goes on after an error, in a new epoch. The coordinator ignores the old one while a transaction is ongoing."""
    require(s.phase[producer] == Phase.BUMPING)
    require(way == Way.LATE or not is_prepared(s))
    require(way == Way.AT_ONCE or s.late_bump[producer] == NONE)
    require(way != Way.UNACKNOWLEDGED)

    if way == Way.LATE:
        hold_up(s)
        s.late_bump[producer] = s.epoch[producer]
    elif s.state == Decision.ONGOING:
        fence(s)
    elif answer_to_bump(s, s.epoch[producer]) == FENCED:
        answers(s)
        stop(s, producer, Phase.FENCED)
    else:
        bump(s, s.epoch[producer])
        take_epoch(s, producer, Phase.READY)
