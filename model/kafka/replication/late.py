"""Exchanges that last over a change of leadership or of the ISR: what brokers do in several steps, with anything in between.

Each takes one of the delays that are allowed. Without a change between its steps it does what `produce`, `fetch`, `become_follower` and
`learn_isr` do in one.
"""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, sends, with_member

from .broker import (
    asks_where_to_cut,
    cut_as_leader_says,
    follow,
    hears_of,
    leader_can_say,
    may_fetch,
    note_fetch,
    where_to_cut,
)
from .controller import count, record_isr
from .delays import (
    awaits_response,
    end_exchange,
    end_truncation,
    epoch_led_before_cut,
    is_next,
    is_response,
    may_matter,
)
from .leader import (
    acceptable,
    advance_high_watermark,
    awaits_decision,
    change_isr,
    comes_with_an_epoch,
    complete_produces,
    has_caught_up,
    leads,
    maximal_isr_size,
    settle,
)
from .log import append, asked_epoch, cut, end_as_said, end_of_round, last_epoch, start_after
from .producer import append_once, end_of, is_accepted, is_outdated, may_send, may_send_again, note_epoch
from .state import (
    ACKNOWLEDGED,
    ACKS_ALL,
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
    ON_FETCH,
    UNKNOWN,
    UNSENT,
    WAITING,
    Delay,
    Epoch,
    Partition,
    ProducerEpoch,
    Replica,
    Value,
)


@action("R-PROD-4, KAFKA-1148", sends("producer", "leader", "value {value}"))
def append_first(s: Partition, leader: Replica, value: Value, delay: Delay) -> None:
    """The leader appends a value. It makes the delayed produce later, after it has appended to the request's other partitions."""
    require(is_next(s, delay))
    require(s.acks == ACKS_ALL)
    require(leads(s, leader))
    require(not is_outdated(s, leader))
    require(may_send(s, value) or may_send_again(s, value))
    require(count(s, s.isr[leader]) >= s.min_isr)
    require(is_accepted(s, leader, value))
    require(not s.produces_know_epoch or s.every_delay)

    note_epoch(s, s.epoch[leader])
    if s.delivery[value] != UNSENT:
        s.retries_left -= 1
    append_once(s, leader, value)
    s.delivery[value] = WAITING
    s.late_kind[delay] = LATE_PRODUCE
    s.late_broker[delay] = leader
    s.late_offset[delay] = end_of(s, leader, value)
    s.late_value[delay] = value
    advance_high_watermark(s, leader)


@action("R-DP-1, KAFKA-1148")
def make_delayed_produce(s: Partition, broker: Replica, value: Value, delay: Delay) -> None:
    """The delayed produce is made, and looks at the high watermark at once. It does not know the epoch of the append."""
    require(s.late_kind[delay] == LATE_PRODUCE)
    require(s.late_broker[delay] == broker)
    require(s.late_value[delay] == value)
    require(may_matter(s, delay))

    end = s.late_offset[delay]
    end_exchange(s, delay)
    if leads(s, broker):
        s.waiting_at[value] = broker
        s.required_end[value] = end
        complete_produces(s, broker)
    else:
        settle(s, value, UNKNOWN)


@action("R-DP-1")
def begin_look(s: Partition, leader: Replica, value: Value, delay: Delay) -> None:
    """A thread that looks at a delayed produce has read that the broker leads, and an ISR that is large enough. It holds no lock."""
    require(is_next(s, delay))
    require(leads(s, leader))
    require(s.waiting_at[value] == leader)
    require(maximal_isr_size(s, leader) >= s.min_isr)
    require(not s.looks_at_once)

    s.late_kind[delay] = LATE_LOOK
    s.late_broker[delay] = leader
    s.late_offset[delay] = s.required_end[value]
    s.late_value[delay] = value
    s.waiting_at[value] = NONE
    s.required_end[value] = 0


@action("R-DP-1")
def end_look(s: Partition, broker: Replica, value: Value, delay: Delay) -> None:
    """The thread reads the high watermark, in whatever epoch the broker is now, and answers if it has come far enough.

    The ISR may have become smaller meanwhile, so it makes a difference also without a new epoch.
    """
    require(s.late_kind[delay] == LATE_LOOK)
    require(s.late_broker[delay] == broker)
    require(s.late_value[delay] == value)

    end = s.late_offset[delay]
    end_exchange(s, delay)
    if end <= s.high_watermark[broker]:
        settle(s, value, ACKNOWLEDGED)
    elif leads(s, broker):
        s.waiting_at[value] = broker
        s.required_end[value] = end
    else:
        settle(s, value, UNKNOWN)


@action("R-FETCH-1", sends("follower", "leader", "fetch from offset {log_end[follower]}"))
def check_fetch(s: Partition, follower: Replica, leader: Replica, delay: Delay) -> None:
    """The leader checks the epoch of a fetch, and counts the fetch later. The response is lost."""
    require(is_next(s, delay))
    require(may_fetch(s, follower, leader))
    require(where_to_cut(s, follower, leader) == s.log_end[follower])
    require(not s.fetches_know_epoch or s.every_delay)

    s.late_kind[delay] = LATE_CHECK
    s.late_broker[delay] = leader
    s.late_follower[delay] = follower
    s.late_offset[delay] = s.log_end[follower]


def is_noted(s: Partition, delay: Delay) -> bool:
    """Does a leader note the log end of a fetch that it counts late? From 3.3 on only if it has not followed since."""
    return s.late_end[delay] != FORGOTTEN


@action("R-FETCH-1")
def count_fetch(s: Partition, leader: Replica, follower: Replica, delay: Delay) -> None:
    """The leader counts a fetch that it has checked before, in whatever epoch it leads now. A follower's log end may be no news.

    From 3.3 on a broker that follows forgets its followers, and a late count is noted in what it has forgotten.
    """
    require(s.late_kind[delay] == LATE_CHECK)
    require(s.late_broker[delay] == leader)
    require(s.late_follower[delay] == follower)
    require(may_matter(s, delay))

    if leads(s, leader) and s.known_end[leader][follower] != s.late_offset[delay] and is_noted(s, delay):
        s.known_end[leader][follower] = s.late_offset[delay]
        advance_high_watermark(s, leader)
    end_exchange(s, delay)


@action("R-FETCH-1, R-ISR-2", sends("leader", "controller", "{follower} into the ISR"))
def expand_isr_late(s: Partition, leader: Replica, follower: Replica, delay: Delay) -> None:
    """The leader counts a fetch that it has checked before, and adds the follower, which has caught up as far as the fetch shows."""
    require(s.late_kind[delay] == LATE_CHECK)
    require(s.late_broker[delay] == leader)
    require(s.late_follower[delay] == follower)
    require(may_matter(s, delay))
    require(leads(s, leader))
    require(not contains(s.isr[leader], follower))
    require(has_caught_up(s, leader, s.late_offset[delay]))

    if is_noted(s, delay):
        s.known_end[leader][follower] = s.late_offset[delay]
    end_exchange(s, delay)
    change_isr(s, leader, with_member(s.isr[leader], follower))


@action("R-FETCH-1, R-FETCH-2", sends("follower", "leader", "fetch from offset {log_end[follower]}"))
def answer_fetch(s: Partition, follower: Replica, leader: Replica, delay: Delay) -> None:
    """The leader counts a fetch; its response is under way: where to cut, a slice of the log, or only the high watermark.

    The slice names a part of the log's file. Its bytes are read when the response is sent.
    """
    require(is_next(s, delay))
    require(may_fetch(s, follower, leader))
    end = s.log_end[follower]
    shared = where_to_cut(s, follower, leader)
    require(shared == end or s.truncation == ON_FETCH)
    sliced = shared == end and end < s.log_end[leader] and not s.responses_keep_bytes
    lasts = not s.responses_know_epoch or (shared < end and not s.cuts_know_epoch)
    require(sliced or lasts or s.every_delay)
    high_watermark = s.high_watermark[leader]

    note_fetch(s, leader, follower, shared)
    s.late_broker[delay] = leader
    s.late_follower[delay] = follower
    s.late_offset[delay] = end
    if shared < end:
        s.late_kind[delay] = LATE_CUT
        s.late_epoch[delay] = asked_epoch(s, follower, leader)
        s.late_end[delay] = start_after(s, leader, asked_epoch(s, follower, leader))
    else:
        s.late_end[delay] = high_watermark
        if sliced:
            s.late_kind[delay] = LATE_SLICE
        else:
            s.late_kind[delay] = LATE_RECORD
            if end < s.log_end[leader]:
                s.late_value[delay] = s.record_value[leader][end]
                s.late_epoch[delay] = s.record_epoch[leader][end]
                for producer_epoch in s.each(ProducerEpoch):
                    s.late_numbered_anew[producer_epoch][delay] = s.numbered_anew[producer_epoch][leader][end]


@action(
    "R-FETCH-2, R-TRUNC-4",
    sends("follower", "leader", "fetch from offset {log_end[follower]}"),
    sends("leader", "follower", "cut"),
)
def cut_a_round(s: Partition, follower: Replica, leader: Replica, delay: Delay) -> None:
    """A follower cuts its log where one response says, and fetches again later: its log still differs from the leader's."""
    require(is_next(s, delay))
    require(s.truncation == ON_FETCH)
    require(may_fetch(s, follower, leader))
    shared = where_to_cut(s, follower, leader)
    end = end_of_round(s, follower, leader)
    require(shared < end)
    require(end < s.log_end[follower])

    note_fetch(s, leader, follower, shared)
    cut(s, follower, end)
    end_exchange(s, delay)


@action("R-FETCH-2, KAFKA-18723")
def read_slice(s: Partition, broker: Replica, delay: Delay) -> None:
    """A network thread reads the bytes of the slice as they are now, and sends them."""
    require(s.late_kind[delay] == LATE_SLICE)
    require(s.late_broker[delay] == broker)
    require(not s.responses_know_epoch)

    read(s, broker, delay)


def read(s: Partition, broker: Replica, delay: Delay) -> None:
    """What the slice names is read from the file. A file that has become too short fails the response."""
    offset = s.late_offset[delay]
    if offset < s.log_end[broker]:
        s.late_kind[delay] = LATE_RECORD
        s.late_value[delay] = s.record_value[broker][offset]
        s.late_epoch[delay] = s.record_epoch[broker][offset]
        for producer_epoch in s.each(ProducerEpoch):
            s.late_numbered_anew[producer_epoch][delay] = s.numbered_anew[producer_epoch][broker][offset]
    else:
        end_exchange(s, delay)


@action(
    "R-FETCH-2, KAFKA-18991, KAFKA-18723",
    sends("broker", "follower", "answer to a fetch from offset {late_offset[delay]}"),
)
def receive_response(s: Partition, broker: Replica, follower: Replica, delay: Delay) -> None:
    """A response arrives. The follower obeys it if it follows that broker, and its log ends where it asked.

    It looks where its log ends before it cuts, in another lock; so where to cut is obeyed also if the log has changed since.
    If followers drop responses of earlier epochs, a slice is read and received in one step: they wait in the same epoch.
    """
    require(is_response(s, delay))
    require(s.late_broker[delay] == broker)
    require(s.late_follower[delay] == follower)
    require(s.late_kind[delay] != LATE_SLICE or s.responses_know_epoch)
    require(may_matter(s, delay))

    if s.late_kind[delay] == LATE_SLICE:
        read(s, broker, delay)
    if s.leader[follower] == broker:
        if s.late_kind[delay] == LATE_CUT:
            if not s.cuts_know_epoch or s.log_end[follower] == s.late_offset[delay]:
                cut(s, follower, end_as_said(s, follower, s.late_epoch[delay], s.late_end[delay]))
        elif s.late_kind[delay] == LATE_RECORD and s.log_end[follower] == s.late_offset[delay]:
            take(s, follower, delay)
    end_exchange(s, delay)


def take(s: Partition, follower: Replica, delay: Delay) -> None:
    """The follower appends the record of a response, unless it refuses its epoch, and learns the high watermark.

    Up to 1.0 it appends also while it has yet to cut its log, and then fetches on without having cut.
    """
    epoch = s.late_epoch[delay]
    if epoch != NONE and not (s.refuses_newer_records and epoch > s.epoch[follower]):
        if not (s.refuses_older_records and epoch < last_epoch(s, follower)):
            append(s, follower, s.late_value[delay], epoch)
            for new in s.each(ProducerEpoch):
                s.numbered_anew[new][follower][s.late_offset[delay]] = s.late_numbered_anew[new][delay]
            if not s.responses_know_epoch:
                end_truncation(s, follower)
    s.high_watermark[follower] = min(s.late_end[delay], s.log_end[follower])


@action("R-META-1, R-TRUNC-2..3", sends("controller", "replica", "follow {leader} in epoch {epoch}"))
def follow_before_cut(s: Partition, replica: Replica, leader: Replica, epoch: Epoch, delay: Delay) -> None:
    """A broker hears of a newer epoch with another leader; another thread asks that leader later where to cut the log."""
    require(is_next(s, delay))
    require(hears_of(s, replica, leader, epoch))
    require(asks_where_to_cut(s, replica, leader, epoch))

    led = epoch_led_before_cut(s, replica)
    if leads(s, replica) and s.notes_epoch_at_start and not s.fencing:
        led = s.epoch[replica]
    end_truncation(s, replica)
    s.late_kind[delay] = LATE_TRUNCATION
    s.late_broker[delay] = leader
    s.late_follower[delay] = replica
    s.late_epoch[delay] = led
    follow(s, replica, leader, epoch)


@action(
    "R-TRUNC-2..3",
    sends("follower", "leader", "where does my last epoch end?"),
    sends("leader", "follower", "there"),
)
def cut_later(s: Partition, follower: Replica, leader: Replica, delay: Delay) -> None:
    """A follower that has heard of its epoch before asks its leader where to cut its log, and cuts it."""
    require(s.late_kind[delay] == LATE_TRUNCATION)
    require(s.late_broker[delay] == leader)
    require(s.late_follower[delay] == follower)
    require(leader_can_say(s, leader, s.epoch[follower]))
    require(not awaits_response(s, follower, leader))

    cut_as_leader_says(s, follower, leader)
    end_exchange(s, delay)


@action("R-ISR-2, R-META-1, KAFKA-13790")
def grant_before_metadata(s: Partition, leader: Replica, delay: Delay) -> None:
    """The controller records the ISR that the leader asked for. The leader gets the answer first, and reads the metadata later."""
    require(is_next(s, delay))
    require(s.takes_back_proposals)
    require(awaits_decision(s, leader))
    require(acceptable(s, s.proposed_isr[leader]))
    require(not comes_with_an_epoch(s, leader))

    record_isr(s, s.proposed_isr[leader])
    s.late_kind[delay] = LATE_NEWS
    s.late_broker[delay] = leader


@action("R-META-1, KAFKA-13790", sends("controller", "leader", "the ISR that it knows"))
def take_back_proposal(s: Partition, leader: Replica, follower: Replica, delay: Delay) -> None:
    """The leader reads the metadata of an ISR that it knows, and so forgets that it has asked for one more follower.

    The controller may still grant that. A proposal without a follower is not followed here: granted or not, the leader waits for it.
    """
    require(s.late_kind[delay] == LATE_NEWS)
    require(s.late_broker[delay] == leader)
    require(s.straddles[delay] == 1)
    require(s.proposed_isr[leader] == with_member(s.isr[leader], follower))
    require(not contains(s.isr[leader], follower))

    s.proposed_isr[leader] = EMPTY
    s.late_kind[delay] = LATE_REQUEST
    s.late_follower[delay] = follower
    s.straddles[delay] = 0
    advance_high_watermark(s, leader)


@action("R-ISR-2, KAFKA-13790")
def grant_taken_back(s: Partition, leader: Replica, follower: Replica, delay: Delay) -> None:
    """The controller records an ISR that the leader no longer asks for. The leader ignores the answer, until it reads the metadata."""
    require(s.late_kind[delay] == LATE_REQUEST)
    require(s.late_broker[delay] == leader)
    require(s.late_follower[delay] == follower)
    require(acceptable(s, with_member(s.isr[leader], follower)))

    record_isr(s, with_member(s.isr[leader], follower))
    s.late_kind[delay] = LATE_NEWS
    s.late_broker[delay] = leader
    s.late_follower[delay] = follower
