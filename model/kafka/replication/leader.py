"""What a leader does by itself: its high watermark, its ISR, and the produce requests that wait for them."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, sends, with_member, without

from .controller import count, issue_epoch, issues_to, record_isr
from .decisions import cannot_read_on, leader_is_ahead, read_on
from .delays import end_exchanges_about_isr, end_produce, has_yet_to_cut, is_to_hear_of_isr, learn_before_news
from .state import (
    ACKNOWLEDGED,
    AFTER_APPEND,
    EVERY_SHRINK,
    NO_SHRINK,
    REFUSED,
    UNKNOWN,
    Offset,
    Partition,
    ProducerEpoch,
    Replica,
    ReplicaSet,
    Value,
)


def leads(s: Partition, replica: Replica) -> bool:
    """Does the broker believe that it leads? A deposed leader does not know."""
    return s.leader[replica] == replica


def follows(s: Partition, follower: Replica, leader: Replica) -> bool:
    """Does the leader accept the follower's fetches? With fencing, only in its own epoch (KIP-320)."""
    return (
        s.leader[follower] == leader
        and leads(s, leader)
        and follower != leader
        and (not s.fencing or s.epoch[follower] == s.epoch[leader])
    )


def waits_for(s: Partition, leader: Replica, replica: Replica) -> bool:
    """Does the high watermark wait for the replica? It waits for the maximal ISR (KIP-497), else for as few as possible."""
    if s.maximal_isr:
        return contains(s.isr[leader], replica) or contains(s.proposed_isr[leader], replica)
    return contains(s.isr[leader], replica) and (
        s.proposed_isr[leader] == EMPTY or contains(s.proposed_isr[leader], replica)
    )


def maximal_isr_size(s: Partition, leader: Replica) -> int:
    """How many replicas the high watermark waits for."""
    size = 0
    for replica in s.each(Replica):
        if waits_for(s, leader, replica):
            size += 1
    return size


def settle(s: Partition, value: Value, outcome: int) -> None:
    """The producer learns the outcome of a value; nothing waits for it any more."""
    s.delivery[value] = outcome
    s.waiting_at[value] = NONE
    s.required_end[value] = 0
    end_produce(s, value)
    if s.acks_earlier and outcome == ACKNOWLEDGED:
        acknowledge_earlier(s, value)


def acknowledge_earlier(s: Partition, value: Value) -> None:
    """The producer takes every earlier value for acknowledged that it would else send again: a partition writes them in order.

    One that has nothing of the producer does not (KAFKA-15591): rd_kafka_handle_idempotent_Produce_success.
    """
    for earlier in s.each(Value):
        if earlier < value and (
            s.delivery[earlier] == REFUSED or s.delivery[earlier] == AFTER_APPEND or s.delivery[earlier] == UNKNOWN
        ):
            s.delivery[earlier] = ACKNOWLEDGED


def complete_produces(s: Partition, leader: Replica) -> None:
    """Delayed produces that the high watermark has reached are answered: with success if the ISR is still large enough (R-DP-1)."""
    for value in s.each(Value):
        if s.waiting_at[value] == leader and s.required_end[value] <= s.high_watermark[leader]:
            if maximal_isr_size(s, leader) >= s.min_isr:
                settle(s, value, ACKNOWLEDGED)
            else:
                settle(s, value, AFTER_APPEND)


def fail_produces(s: Partition, broker: Replica) -> None:
    """A producer that waits at a broker that no longer leads gets an error: the outcome is unknown (R-DP-1, case B)."""
    for value in s.each(Value):
        if s.waiting_at[value] == broker:
            settle(s, value, UNKNOWN)


def advance_high_watermark(s: Partition, leader: Replica) -> None:
    """The high watermark is the smallest log end that the leader knows of in its maximal ISR, and never decreases (R-HW-1)."""
    end = s.log_end[leader]
    for follower in s.each(Replica):
        if follower != leader and waits_for(s, leader, follower):
            end = min(end, s.known_end[leader][follower])
    if end > s.high_watermark[leader] and not (s.strict_min_isr and count(s, s.isr[leader]) < s.min_isr):
        s.high_watermark[leader] = end
        for offset in s.each(Offset):
            if offset < end and s.committed[offset] == NONE:
                s.committed[offset] = s.record_value[leader][offset]
        complete_produces(s, leader)


def change_isr(s: Partition, leader: Replica, isr: ReplicaSet) -> None:
    """The leader changes its ISR: it asks the controller, or writes the ISR at once if it is still the controller's leader."""
    require(s.proposed_isr[leader] == EMPTY)
    if s.isr_in_flight:
        s.proposed_isr[leader] = isr
    else:
        require(issues_to(s, leader))
        record_isr(s, isr)
        s.isr[leader] = isr
    advance_high_watermark(s, leader)


@action("R-ISR-1", sends("leader", "controller", "{follower} out of the ISR"))
def shrink_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """The leader drops a follower that, as far as it knows, has not caught up to its log end; up to 2.0, any silent follower.

    Where a producer epoch may begin, a follower may also lack records of other producers, which are not in the log here: whether the
    log has some of this producer then makes a difference.
    """
    require(leads(s, leader))
    require(contains(s.isr[leader], follower))
    require(follower != leader)
    require(s.known_end[leader][follower] < s.log_end[leader] or s.size(ProducerEpoch) > 0 or s.drops_caught_up)

    change_isr(s, leader, without(s.isr[leader], follower))


def has_caught_up(s: Partition, leader: Replica, end: int) -> bool:
    """Is a log end at the high watermark of the leader, and at the end that its log had when it became the leader, or beyond?"""
    return end >= s.high_watermark[leader] and (not s.epoch_start_guard or end >= s.led_from[leader])


@action("R-ISR-2", sends("leader", "controller", "{follower} into the ISR"))
def expand_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """The leader adds a follower whose fetch shows that it has reached the high watermark and the start of the epoch."""
    require(follows(s, follower, leader))
    require(not has_yet_to_cut(s, follower))
    require(not contains(s.isr[leader], follower))
    require(s.known_end[leader][follower] == s.log_end[follower])
    require(has_caught_up(s, leader, s.known_end[leader][follower]))

    change_isr(s, leader, with_member(s.isr[leader], follower))


def acceptable(s: Partition, isr: ReplicaSet) -> bool:
    """May the controller record this ISR? From KIP-841 on, no fenced broker may be in it."""
    for replica in s.each(Replica):
        if s.isr_without_fenced and contains(isr, replica) and contains(s.fenced, replica):
            return False
    return True


def awaits_decision(s: Partition, leader: Replica) -> bool:
    """Does the controller still decide on the leader's request for another ISR? It refuses a stale one without a look at the ISR."""
    return s.proposed_isr[leader] != EMPTY and issues_to(s, leader) and s.controller_isr == s.isr[leader]


def comes_with_an_epoch(s: Partition, leader: Replica) -> bool:
    """Does the ISR that the leader asks for come with a new leader epoch? In KRaft before 3.6 a smaller one does."""
    return s.epoch_per_shrink == EVERY_SHRINK and count(s, s.proposed_isr[leader]) < count(s, s.controller_isr)


@action("R-ISR-2, KIP-497")
def grant_isr(s: Partition, leader: Replica) -> None:
    """The controller records the ISR that the leader asked for; the leader has not heard of it yet."""
    require(s.isr_in_flight)
    require(awaits_decision(s, leader))
    require(acceptable(s, s.proposed_isr[leader]))

    if comes_with_an_epoch(s, leader):
        issue_epoch(s, leader, s.proposed_isr[leader])
    else:
        record_isr(s, s.proposed_isr[leader])


@action("R-ISR-2, KIP-841", sends("controller", "leader", "ISR refused"))
def refuse_isr(s: Partition, leader: Replica) -> None:
    """The controller refuses an ISR with a fenced broker in it, and the leader learns this."""
    require(s.isr_in_flight)
    require(awaits_decision(s, leader))
    require(not acceptable(s, s.proposed_isr[leader]))

    s.proposed_isr[leader] = EMPTY


@action("R-ISR-2, KIP-497, KAFKA-13091", sends("controller", "leader", "ISR granted"))
def learn_isr(s: Partition, leader: Replica) -> None:
    """The leader learns that its ISR was granted, and updates its high watermark (from KAFKA-13091 on)."""
    require(s.isr_in_flight)
    require(s.proposed_isr[leader] != EMPTY)
    require(issues_to(s, leader))
    require(s.controller_isr == s.proposed_isr[leader])
    require(not leader_is_ahead(s))

    s.isr[leader] = s.proposed_isr[leader]
    s.proposed_isr[leader] = EMPTY
    learn_before_news(s, leader)
    if s.high_watermark_on_answer:
        advance_high_watermark(s, leader)


@action("R-META-1, KAFKA-15021", sends("controller", "leader", "another ISR"))
def hear_of_isr(s: Partition, leader: Replica) -> None:
    """The leader hears of an ISR of its leader epoch that it has not learned by an answer; its own request came too late."""
    require(s.isr_in_flight)
    require(s.epoch_per_shrink == NO_SHRINK or is_to_hear_of_isr(s, leader))
    require(issues_to(s, leader))
    require(s.controller_isr != s.isr[leader])
    require(s.controller_isr != s.proposed_isr[leader])
    require(not leader_is_ahead(s))
    require(not cannot_read_on(s, leader))

    s.isr[leader] = s.controller_isr
    read_on(s, leader)
    s.proposed_isr[leader] = EMPTY
    end_exchanges_about_isr(s)
    advance_high_watermark(s, leader)
