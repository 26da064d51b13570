"""The producer: sends each value, may learn its outcome, and may send it again.

Sending and the append are one step: a request that is lost in between counts as never sent.
"""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .controller import count
from .delays import is_held_up
from .leader import advance_high_watermark, complete_produces, leads, settle
from .log import append, holds_value
from .state import (
    ACKNOWLEDGED,
    ACKS_ALL,
    ACKS_NONE,
    ACKS_ONE,
    AFTER_APPEND,
    DELIVERED,
    REFUSED,
    UNKNOWN,
    UNSENT,
    WAITING,
    Offset,
    Partition,
    ProducerEpoch,
    Replica,
    Response,
    Value,
)


def its_turn(s: Partition, value: Value) -> bool:
    """Have all earlier values been sent and, unless requests are pipelined, answered?

    While the request of an earlier value is held up, another producer sends.
    """
    for earlier in s.each(Value):
        if earlier < value:
            if s.delivery[earlier] == UNSENT:
                return False
            if s.delivery[earlier] == WAITING and not s.pipelined and not is_held_up(s, earlier):
                return False
    return True


def may_send(s: Partition, value: Value) -> bool:
    """May the producer send the value for the first time?"""
    return s.delivery[value] == UNSENT and its_turn(s, value)


def may_send_again(s: Partition, value: Value) -> bool:
    """May the producer send the value once more, after an error or no answer?"""
    return (
        s.retries_left > 0
        and s.acks != ACKS_NONE
        and not is_held_back(s, value)
        and (s.delivery[value] == REFUSED or s.delivery[value] == AFTER_APPEND or s.delivery[value] == UNKNOWN)
        and (s.pipelined == 1 or is_last_sent(s, value))
    )


def is_held_back(s: Partition, value: Value) -> bool:
    """Does the producer, in a further epoch, send an earlier value of it again first, or has it given this one up?

    Source: RecordAccumulator.shouldStopDrainBatchesForPartition.
    """
    if s.size(ProducerEpoch) == 0:
        return False
    first = -1
    for producer_epoch in s.each(ProducerEpoch):
        first = max(first, s.first_numbered[producer_epoch])
    for earlier in s.each(Value):
        if 0 <= first <= earlier < value and s.delivery[earlier] != ACKNOWLEDGED:
            return True
    return value < first


def is_last_sent(s: Partition, value: Value) -> bool:
    """Have no later values been sent?"""
    for later in s.each(Value):
        if later > value and s.delivery[later] != UNSENT:
            return False
    return True


def is_idempotent(s: Partition) -> bool:
    """Do brokers recognise what is sent again? Producers number their records only with acks=all, so only then."""
    return s.idempotence and s.acks == ACKS_ALL


def out_of_sequence(s: Partition, leader: Replica, value: Value) -> bool:
    """Is the value not next after the last one of this producer in the leader's log? A log without any accepts all (R-CLIENT-3).

    A producer that sends one request at a time gives up on a value before it sends a later one, and renumbers: then there is no gap.
    """
    last = NONE
    for offset in s.each(Offset):
        last = max(last, s.record_value[leader][offset])
    return last != NONE and (value < last or (s.pipelined and value != last + 1))


def is_numbered_anew(s: Partition, producer_epoch: ProducerEpoch, value: Value) -> bool:
    """Does the producer send the value in that epoch, or in a later one?"""
    return 0 <= s.first_numbered[producer_epoch] <= value


def has_epoch_of(s: Partition, leader: Replica, offset: Offset, value: Value) -> bool:
    """Was the record at an offset sent in the producer epoch in which the value is sent now?"""
    for producer_epoch in s.each(ProducerEpoch):
        if s.numbered_anew[producer_epoch][leader][offset] != is_numbered_anew(s, producer_epoch, value):
            return False
    return True


def holds_copy(s: Partition, leader: Replica, value: Value) -> bool:
    """Has the leader's log the value with the number that it is sent with now?"""
    for offset in s.each(Offset):
        if s.record_value[leader][offset] == value and has_epoch_of(s, leader, offset, value):
            return True
    return False


def out_of_epoch(s: Partition, leader: Replica, value: Value) -> bool:
    """Is the value neither next in its producer epoch nor the first of it? A log without any value accepts all (R-CLIENT-3).

    Source: ProducerAppendInfo.checkSequence. The producer sends nothing any more in an epoch before its newest.
    """
    last = -1
    of_epoch = -1
    for offset in s.each(Offset):
        last = max(last, s.record_value[leader][offset])
        if has_epoch_of(s, leader, offset, value):
            of_epoch = max(of_epoch, s.record_value[leader][offset])
    if of_epoch < 0 <= last:
        return all(s.first_numbered[producer_epoch] != value for producer_epoch in s.each(ProducerEpoch))
    return last >= 0 and value != of_epoch + 1


def is_outdated(s: Partition, leader: Replica) -> bool:
    """Has the producer heard of a newer leader epoch than the leader's? Java's then takes no earlier one (updateLatestMetadata)."""
    return any(s.known_epoch[producer_epoch] > s.epoch[leader] for producer_epoch in s.each(ProducerEpoch))


def note_epoch(s: Partition, epoch: int) -> None:
    """The producer has heard of a leader epoch."""
    for producer_epoch in s.each(ProducerEpoch):
        s.known_epoch[producer_epoch] = epoch


@action("R-PROD-2, R-PROD-3, R-PROD-4", sends("producer", "leader", "value {value}"))
def produce(s: Partition, leader: Replica, value: Value, response: Response) -> None:
    """The producer sends the next value to a broker that believes it leads."""
    require(leads(s, leader))
    require(not is_outdated(s, leader))
    require(may_send(s, value))

    handle_produce(s, leader, value, response)


@action(
    "R-PROD-1",
    sends("producer", "broker", "value {value}"),
    sends("broker", "producer", "not the leader"),
)
def refuse_as_not_leader(s: Partition, broker: Replica, value: Value) -> None:
    """The producer sends the next value to a broker that does not believe it leads: NOT_LEADER_OR_FOLLOWER, nothing appended.

    Where that matters for the values after it, they go to the same broker, which has to become the leader between them, or to the
    leader of a later epoch than the one that the producer knew. A lone replica refuses once it has heard that there is no leader.
    """
    require(s.up[broker])
    require((s.size(ProducerEpoch) > 0 and s.size(Replica) == 1) or not leads(s, broker))
    require(may_send(s, value))
    require(not s.acks_earlier or s.newest_epoch > 0)
    require(all(s.known_epoch[producer_epoch] < s.newest_epoch for producer_epoch in s.each(ProducerEpoch)))

    s.delivery[value] = REFUSED
    for producer_epoch in s.each(ProducerEpoch):
        s.known_epoch[producer_epoch] += 1


@action("R-CLIENT-3", sends("producer", "leader", "value {value} again"))
def retry(s: Partition, leader: Replica, value: Value, response: Response) -> None:
    """The producer sends a value again after an error or no answer: the log may have the first copy, and its request may still wait."""
    require(leads(s, leader))
    require(not is_outdated(s, leader))
    require(may_send_again(s, value))

    s.retries_left -= 1
    handle_produce(s, leader, value, response)


@action(
    "R-CLIENT-3, KAFKA-15591",
    sends("producer", "leader", "value {value} again"),
    sends("leader", "producer", "out of order sequence"),
)
def begin_producer_epoch(s: Partition, leader: Replica, value: Value, producer_epoch: ProducerEpoch) -> None:
    """The first value without an acknowledgement is sent again and refused for its number: a new producer epoch begins with it.

    It has the first number there, and later values have the next, also those that a log has already. Earlier values are acknowledged or
    given up. If a later one is acknowledged, the value is not the next one for the producer, which only sends it on with its number.
    To be refused so takes no retry from those that are left. Source: TransactionManager.canRetry, startSequencesAtBeginning.
    """
    require(leads(s, leader))
    require(not is_outdated(s, leader))
    require(count(s, s.isr[leader]) >= s.min_isr)
    require(s.retries_left > 0)
    require(s.delivery[value] == REFUSED or s.delivery[value] == AFTER_APPEND or s.delivery[value] == UNKNOWN)
    require(not is_accepted(s, leader, value))
    require(s.first_numbered[producer_epoch] == NONE)
    for earlier in s.each(ProducerEpoch):
        require(earlier >= producer_epoch or s.first_numbered[earlier] != NONE)
        require(s.first_numbered[earlier] <= value)
    for other in s.each(Value):
        require(other >= value or s.delivery[other] != WAITING)
        require(other <= value or s.delivery[other] != ACKNOWLEDGED)

    note_epoch(s, s.epoch[leader])
    s.first_numbered[producer_epoch] = value
    s.delivery[value] = REFUSED


def handle_produce(s: Partition, leader: Replica, value: Value, response: Response) -> None:
    """The leader refuses a value because of too small an ISR (R-PROD-2) or its sequence, or else appends it once (R-CLIENT-3)."""
    require(response == DELIVERED or s.size(ProducerEpoch) > 0 or (s.acks == ACKS_ONE and s.lost_responses_left > 0))

    if s.size(ProducerEpoch) > 0:
        note_epoch(s, s.epoch[leader])
    elif response != DELIVERED:
        s.lost_responses_left -= 1
    if (s.acks == ACKS_ALL and count(s, s.isr[leader]) < s.min_isr) or not is_accepted(s, leader, value):
        require(s.size(ProducerEpoch) == 0 or response == DELIVERED)
        s.delivery[value] = REFUSED
    else:
        append_once(s, leader, value)
        answer(s, leader, value, response)


def is_accepted(s: Partition, leader: Replica, value: Value) -> bool:
    """Does the leader accept the value's sequence: as the next one, or as one that it has already (R-CLIENT-3)?"""
    if s.size(ProducerEpoch) > 0:
        return holds_copy(s, leader, value) or not out_of_epoch(s, leader, value)
    return not is_idempotent(s) or holds_value(s, leader, value) or not out_of_sequence(s, leader, value)


def append_once(s: Partition, leader: Replica, value: Value) -> None:
    """The leader appends the value, unless it recognises it as one that it has."""
    if s.size(ProducerEpoch) > 0:
        if not holds_copy(s, leader, value):
            end = s.log_end[leader]
            append(s, leader, value, s.epoch[leader])
            for producer_epoch in s.each(ProducerEpoch):
                s.numbered_anew[producer_epoch][leader][end] = is_numbered_anew(s, producer_epoch, value)
    elif not (is_idempotent(s) and holds_value(s, leader, value)):
        append(s, leader, value, s.epoch[leader])


def end_of(s: Partition, leader: Replica, value: Value) -> int:
    """The end of the last record with the value in the leader's log."""
    end = 0
    for offset in s.each(Offset):
        if s.record_value[leader][offset] == value:
            end = offset + 1
    return end


def answer(s: Partition, leader: Replica, value: Value, response: Response) -> None:
    """Answer nothing for acks=0; at once for acks=1; for acks=all when the high watermark is past the value (R-PROD-4, R-DP-3).

    Where a producer epoch may begin, it matters that the answer is lost, also of a value that a leader alone has to have.
    """
    if s.size(ProducerEpoch) > 0 and response != DELIVERED:
        s.delivery[value] = UNKNOWN
    elif s.acks == ACKS_ALL:
        s.delivery[value] = WAITING
        s.waiting_at[value] = leader
        s.required_end[value] = end_of(s, leader, value)
    elif s.acks == ACKS_ONE and response == DELIVERED:
        s.delivery[value] = ACKNOWLEDGED
    else:
        s.delivery[value] = UNKNOWN
    advance_high_watermark(s, leader)
    complete_produces(s, leader)


@action("R-DP-2")
def time_out(s: Partition, value: Value) -> None:
    """A delayed produce reaches its deadline: the producer does not know the outcome.

    Only if that makes a difference: then the producer may send the value again, or the next one.
    """
    require(s.delivery[value] == WAITING)
    require(s.retries_left > 0 or value + 1 < s.size(Value))

    settle(s, value, UNKNOWN)
