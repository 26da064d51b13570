"""The exchanges that last over a change of leadership or of the ISR: what is under way, and what ends it."""

from __future__ import annotations

from neverlost.model.core import NONE

from .state import (
    FORGOTTEN,
    LATE_CHECK,
    LATE_CUT,
    LATE_LOOK,
    LATE_NEWS,
    LATE_PRODUCE,
    LATE_RECORD,
    LATE_REQUEST,
    LATE_SLICE,
    LATE_TRUNCATION,
    OVER,
    UNKNOWN,
    UNUSED,
    Delay,
    Partition,
    ProducerEpoch,
    Replica,
    Value,
)


def is_next(s: Partition, delay: Delay) -> bool:
    """Is this the first delay that was not used yet?"""
    for earlier in s.each(Delay):
        if earlier < delay and s.late_kind[earlier] == UNUSED:
            return False
    return s.late_kind[delay] == UNUSED


def end_exchange(s: Partition, delay: Delay) -> None:
    """The exchange has ended, and its delay is used up."""
    s.late_kind[delay] = OVER
    s.late_broker[delay] = NONE
    s.late_follower[delay] = NONE
    s.straddles[delay] = 0
    s.late_offset[delay] = 0
    s.late_end[delay] = 0
    s.late_value[delay] = NONE
    s.late_epoch[delay] = NONE
    for producer_epoch in s.each(ProducerEpoch):
        s.late_numbered_anew[producer_epoch][delay] = 0


def is_produce(s: Partition, delay: Delay) -> bool:
    """Is a produce under way: without its delayed produce, or while a thread looks at that?"""
    return s.late_kind[delay] == LATE_PRODUCE or s.late_kind[delay] == LATE_LOOK


def end_produce(s: Partition, value: Value) -> None:
    """The producer has an answer, or waits for none any more: that the delayed produce is made, or looked at, later changes nothing."""
    for delay in s.each(Delay):
        if is_produce(s, delay) and s.late_value[delay] == value:
            end_exchange(s, delay)


def is_held_up(s: Partition, value: Value) -> bool:
    """Is the value appended, and its delayed produce not made yet, or being looked at?"""
    for delay in s.each(Delay):
        if is_produce(s, delay) and s.late_value[delay] == value:
            return True
    return False


def is_response(s: Partition, delay: Delay) -> bool:
    """Is the response to a fetch under way: where to cut, a slice of the leader's log, or a record and the high watermark?"""
    return s.late_kind[delay] == LATE_CUT or s.late_kind[delay] == LATE_SLICE or s.late_kind[delay] == LATE_RECORD


def awaits_response(s: Partition, follower: Replica, leader: Replica) -> bool:
    """Does the follower still wait for a response of that leader? It has one fetcher thread for it, which asks nothing else."""
    for delay in s.each(Delay):
        if is_response(s, delay) and s.late_broker[delay] == leader and s.late_follower[delay] == follower:
            return True
    return False


def has_yet_to_cut(s: Partition, follower: Replica) -> bool:
    """Has the follower heard of its epoch, and not cut its log yet? Up to 2.7 it fetches nothing before it has."""
    for delay in s.each(Delay):
        if s.late_kind[delay] == LATE_TRUNCATION and s.late_follower[delay] == follower:
            return True
    return False


def epoch_led_before_cut(s: Partition, follower: Replica) -> int:
    """The epoch that a follower led before it heard where it has yet to ask; NONE if it led none, or if it has cut its log."""
    for delay in s.each(Delay):
        if s.late_kind[delay] == LATE_TRUNCATION and s.late_follower[delay] == follower:
            return s.late_epoch[delay]
    return NONE  # type: ignore[no-any-return]


def end_truncation(s: Partition, follower: Replica) -> None:
    """The follower has cut its log, or is to ask anew where to cut it."""
    for delay in s.each(Delay):
        if s.late_kind[delay] == LATE_TRUNCATION and s.late_follower[delay] == follower:
            end_exchange(s, delay)


def straddle(s: Partition, replica: Replica) -> None:
    """A broker hears of a new leader epoch: what it has at hand or waits for now lasts over it, or fails because it knows its epoch.

    A follower that has yet to cut its log, and keeps its leader, still has to cut it.
    """
    for delay in s.each(Delay):
        if is_produce(s, delay) and s.late_broker[delay] == replica:
            if s.produces_know_epoch:
                s.delivery[s.late_value[delay]] = UNKNOWN
                end_exchange(s, delay)
            else:
                s.straddles[delay] = 1
        elif s.late_kind[delay] == LATE_CHECK and s.late_broker[delay] == replica:
            if s.fetches_know_epoch:
                end_exchange(s, delay)
            else:
                s.straddles[delay] = 1
                if s.late_counts_are_lost and s.leader[replica] != replica:
                    s.late_end[delay] = FORGOTTEN
        elif s.late_kind[delay] == LATE_TRUNCATION and s.late_follower[delay] == replica:
            if s.late_broker[delay] != s.leader[replica]:
                end_exchange(s, delay)
        elif is_response(s, delay) and s.late_follower[delay] == replica:
            if s.responses_know_epoch and (s.cuts_know_epoch or s.late_kind[delay] != LATE_CUT):
                end_exchange(s, delay)
            else:
                s.straddles[delay] = 1
        elif s.late_kind[delay] == LATE_SLICE and s.late_broker[delay] == replica:
            s.straddles[delay] = 1
        elif is_about_isr(s, delay) and s.late_broker[delay] == replica:
            end_exchange(s, delay)


def lose_exchanges(s: Partition, replica: Replica) -> None:
    """A process ends: what it had at hand is gone, and what it waits for. What it has already sent may still arrive."""
    for delay in s.each(Delay):
        if is_produce(s, delay) and s.late_broker[delay] == replica:
            s.delivery[s.late_value[delay]] = UNKNOWN
            end_exchange(s, delay)
        elif is_about_isr(s, delay):
            if s.late_broker[delay] == replica:
                end_exchange(s, delay)
        elif s.late_kind[delay] == LATE_CHECK or s.late_kind[delay] == LATE_SLICE:
            if s.late_broker[delay] == replica or s.late_follower[delay] == replica:
                end_exchange(s, delay)
        elif s.late_follower[delay] == replica:
            end_exchange(s, delay)


def may_matter(s: Partition, delay: Delay) -> bool:
    """Does the exchange last over a change of leadership? If not, it could as well have ended at once, and is not ended late."""
    return s.straddles[delay] == 1 or s.every_delay == 1


def is_about_isr(s: Partition, delay: Delay) -> bool:
    """Is it metadata with an ISR, or a request for one that the leader has taken back?"""
    return s.late_kind[delay] == LATE_NEWS or s.late_kind[delay] == LATE_REQUEST


def is_to_hear_of_isr(s: Partition, leader: Replica) -> bool:
    """Is metadata with an ISR on its way to the leader that it has not learned by an answer?"""
    for delay in s.each(Delay):
        if s.late_kind[delay] == LATE_NEWS and s.late_broker[delay] == leader and s.straddles[delay] == 0:
            return True
    return False


def learn_before_news(s: Partition, leader: Replica) -> None:
    """The leader learns an ISR by the answer, before its metadata; or by that, if it had forgotten to have asked for it."""
    for delay in s.each(Delay):
        if s.late_kind[delay] == LATE_NEWS and s.late_broker[delay] == leader:
            if s.late_follower[delay] == NONE:
                s.straddles[delay] = 1
            else:
                end_exchange(s, delay)


def end_exchanges_about_isr(s: Partition) -> None:
    """The controller has changed the ISR: it refuses what was asked for before, and newer metadata comes after what is on its way."""
    for delay in s.each(Delay):
        if is_about_isr(s, delay):
            end_exchange(s, delay)


def refuse_requests_for(s: Partition, restarted: Replica) -> None:
    """The controller refuses requests for an ISR with the broker as it was before its restart (KIP-903)."""
    for delay in s.each(Delay):
        if s.late_kind[delay] == LATE_REQUEST and s.late_follower[delay] == restarted:
            end_exchange(s, delay)
