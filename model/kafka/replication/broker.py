"""Brokers hear of new leader epochs, become leader or follower, and fetch."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, sends, without

from .controller import forget_metadata
from .decisions import cannot_read_on, read_on
from .delays import awaits_response, end_truncation, epoch_led_before_cut, has_yet_to_cut, straddle
from .leader import advance_high_watermark, fail_produces, follows, leads
from .log import (
    append,
    cut,
    end_by_epochs,
    end_by_records,
    end_of_last_epoch,
    end_of_round,
    is_beyond_epochs,
    may_repeat_epochs,
    newest_up_to,
    shared_end,
)
from .state import (
    DELIVERED,
    IN_RANGE,
    KIP_101,
    KIP_279,
    ON_FETCH,
    OUT_OF_RANGE,
    TO_HIGH_WATERMARK,
    Epoch,
    Partition,
    ProducerEpoch,
    Replica,
    Response,
)


def may_hear_of(s: Partition, replica: Replica, epoch: Epoch) -> bool:
    """May news of the epoch reach the broker?

    Never after newer news (R-META-1); a broker that has just started gets only the newest news.
    """
    if not s.up[replica] or epoch <= s.epoch[replica]:
        return False
    if cannot_read_on(s, replica):
        return False
    if s.epoch[replica] == NONE:
        return epoch == s.newest_epoch
    return not s.ordered_metadata or (has_session(s, replica) and comes_in_turn(s, replica, epoch))


def has_session(s: Partition, replica: Replica) -> bool:
    """Does the controller still talk to the broker? It does while the broker is shutting down."""
    return not contains(s.fenced, replica) or contains(s.silent, replica)


def comes_in_turn(s: Partition, replica: Replica, epoch: Epoch) -> bool:
    """Has the broker heard of every earlier epoch with a leader, except those whose news is lost?"""
    if contains(s.out_of_turn, replica):
        return True
    for earlier in s.each(Epoch):
        if s.epoch[replica] < earlier < epoch and s.metadata_leader[earlier] != NONE:
            return False
    return True


def forget_followers(s: Partition, replica: Replica) -> None:
    """In another epoch, what the broker knew of its followers and asked for as a leader no longer counts."""
    for follower in s.each(Replica):
        s.known_end[replica][follower] = 0
    s.proposed_isr[replica] = EMPTY


@action("R-META-1, R-HW-2", sends("controller", "replica", "lead in epoch {epoch}"))
def become_leader(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A broker hears that it leads a newer epoch. It keeps its log and its own, perhaps stale, high watermark.

    From 0.9 on, a broker that already led also keeps what it knew of its followers, although they may have cut their logs in an
    epoch in between that it never heard of. A broker that has just started reads all metadata first, so it has the newest ISR.
    """
    require(s.metadata_leader[epoch] == replica)
    require(may_hear_of(s, replica, epoch))

    if s.keeps_known_ends and s.leader[replica] == replica:
        s.proposed_isr[replica] = EMPTY
    else:
        forget_followers(s, replica)
    s.isr[replica] = s.controller_isr if s.epoch[replica] == NONE else s.metadata_isr[epoch]
    s.leader[replica] = replica
    s.epoch[replica] = epoch
    s.led_from[replica] = s.log_end[replica]
    if s.produces_know_epoch:
        fail_produces(s, replica)
    straddle(s, replica)
    read_on(s, replica)
    s.metadata_isr[epoch] = EMPTY
    s.out_of_turn = without(s.out_of_turn, replica)
    forget_metadata(s)
    advance_high_watermark(s, replica)


@action("R-META-1, R-TRUNC-1..4", sends("controller", "replica", "follow {leader} in epoch {epoch}"))
def become_follower(s: Partition, replica: Replica, leader: Replica, epoch: Epoch) -> None:
    """A broker hears of a newer epoch with another leader, and cuts its log as its version does.

    Up to 1.0 the thread that asks where to cut may still wait for a response that it will obey; until then it asks nothing.
    """
    require(hears_of(s, replica, leader, epoch))

    if s.truncation == TO_HIGH_WATERMARK:
        if s.leader[replica] != leader:
            cut(s, replica, s.high_watermark[replica])
    elif asks_where_to_cut(s, replica, leader, epoch):
        require(leader_can_say(s, leader, epoch))
        require(s.responses_know_epoch or not awaits_response(s, replica, leader))
        cut_as_leader_says(s, replica, leader)
        end_truncation(s, replica)
    follow(s, replica, leader, epoch)


def hears_of(s: Partition, replica: Replica, leader: Replica, epoch: Epoch) -> bool:
    """May the broker hear now that another leads in the epoch?"""
    return s.metadata_leader[epoch] == leader and leader != replica and may_hear_of(s, replica, epoch)


def follow(s: Partition, replica: Replica, leader: Replica, epoch: Epoch) -> None:
    """The broker is in the epoch, and follows its leader."""
    fail_produces(s, replica)
    forget_followers(s, replica)
    s.isr[replica] = EMPTY
    s.led_from[replica] = 0
    s.leader[replica] = leader
    s.epoch[replica] = epoch
    straddle(s, replica)
    read_on(s, replica)
    s.out_of_turn = without(s.out_of_turn, replica)
    forget_metadata(s)


def asks_where_to_cut(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
    """Does a new follower ask its leader where to cut its log (KIP-101, KIP-279)?

    One that keeps its leader in the next epoch does not, until fencing makes every epoch a new beginning. From KAFKA-7164 on, one
    that has missed an epoch in between asks too.
    """
    changed = s.leader[follower] != leader
    missed = s.notices_missed_epoch and epoch > s.epoch[follower] + 1
    return (s.truncation == KIP_101 or s.truncation == KIP_279) and (changed or missed or s.fencing == 1)


def leader_can_say(s: Partition, leader: Replica, epoch: int) -> bool:
    """Does the leader answer where an epoch ends? With fencing only in the follower's own epoch."""
    return leads(s, leader) and (not s.fencing or s.epoch[leader] == epoch)


def cut_as_leader_says(s: Partition, follower: Replica, leader: Replica) -> None:
    """The follower cuts its log where its leader says. It asks for the newest epoch that it knows the start of.

    A leader that has not heard of the follower's newest epoch cannot tell, and the follower cuts at its own high watermark.
    """
    if s.truncation == KIP_101:
        cut(s, follower, end_of_last_epoch(s, leader, follower))
    elif not s.notes_epoch_at_start:
        cut(s, follower, end_by_records(s, leader, follower))
    elif newest_epoch(s, follower) > s.epoch[leader]:
        cut(s, follower, s.high_watermark[follower])
    else:
        cut(s, follower, shared_end(s, leader, follower))


def newest_epoch(s: Partition, replica: Replica) -> int:
    """The newest epoch that the broker knows the start of: of a record, or the one that it led, if it has not cut its log since."""
    newest = max(newest_up_to(s, replica, s.newest_epoch), epoch_led_before_cut(s, replica))
    if leads(s, replica):
        return max(newest, s.epoch[replica])
    return newest


def is_out_of_range(s: Partition, follower: Replica) -> bool:
    """Has the follower learned that it is beyond its leader's log, but not yet asked where that log ends?"""
    return s.known_end[follower][follower] == OUT_OF_RANGE


def may_fetch(s: Partition, follower: Replica, leader: Replica) -> bool:
    """May the follower fetch, and does the leader accept that?"""
    return (
        follows(s, follower, leader)
        and not is_out_of_range(s, follower)
        and not awaits_response(s, follower, leader)
        and not has_yet_to_cut(s, follower)
        and not is_beyond_epochs(s, leader, follower)
    )


def where_to_cut(s: Partition, follower: Replica, leader: Replica) -> int:
    """Where the leader finds that the follower's log leaves its own: at the log end of the follower if it does not."""
    shared = s.log_end[follower]
    if s.truncation == ON_FETCH:
        shared = end_by_epochs(s, leader, follower) if may_repeat_epochs(s) else shared_end(s, leader, follower)
    return min(shared, s.log_end[leader])


def hides_divergence(s: Partition, follower: Replica, leader: Replica) -> bool:
    """Does the leader, which looks at epochs alone, not say where to cut? It does wherever no epoch is issued twice."""
    if not may_repeat_epochs(s):
        return False
    return where_to_cut(s, follower, leader) == s.log_end[follower]


def note_fetch(s: Partition, leader: Replica, follower: Replica, shared: int) -> None:
    """The leader learns the follower's log end from a fetch; not from one that must cut, except with KAFKA-13141."""
    end = s.log_end[follower]
    if (shared == end or s.counts_diverging_fetch) and s.known_end[leader][follower] != end:
        s.known_end[leader][follower] = end
        advance_high_watermark(s, leader)


@action(
    "R-FETCH-1, R-FETCH-2",
    sends("follower", "leader", "fetch from offset {log_end[follower]}"),
    sends("leader", "follower", "answer, high watermark {high_watermark[leader]}", lost_by="response"),
)
def fetch(s: Partition, follower: Replica, leader: Replica, response: Response) -> None:
    """The leader learns the follower's log end; the follower gets the next record and the high watermark as it was before.

    A response may be lost: then only the leader has learned something. If the follower's log has diverged from the leader's,
    the response says where to cut instead (from 2.8 on), or that the follower is beyond the leader's log; then the leader learns
    nothing, except with KAFKA-13141. A fetch without news for the leader does not update its high watermark (see KAFKA-13091).
    """
    require(may_fetch(s, follower, leader))
    end = s.log_end[follower]
    high_watermark = s.high_watermark[leader]
    shared = where_to_cut(s, follower, leader)

    note_fetch(s, leader, follower, shared)
    if response == DELIVERED:
        if s.starts_over and end > s.log_end[leader]:
            s.known_end[follower][follower] = OUT_OF_RANGE
        elif shared < end:
            if s.counts_diverging_fetch:
                count_rounds(s, follower, leader)
            cut(s, follower, shared)
        else:
            receive(s, follower, leader, high_watermark)


def count_rounds(s: Partition, follower: Replica, leader: Replica) -> None:
    """The follower cuts in rounds, one for each epoch that only its log has; with KAFKA-13141, each of these fetches counts."""
    for _ in s.each(Epoch):
        if shared_end(s, leader, follower) < s.log_end[follower]:
            s.known_end[leader][follower] = s.log_end[follower]
            cut(s, follower, end_of_round(s, follower, leader))


@action(
    "R-FETCH-2, KAFKA-2143",
    sends("follower", "leader", "where does your log end?"),
    sends("leader", "follower", "at offset {log_end[leader]}"),
)
def handle_out_of_range(s: Partition, follower: Replica, leader: Replica) -> None:
    """A follower beyond the leader's log asks where that ends, and cuts its own there; up to 0.9.0.0 it drops all if that has grown."""
    require(s.starts_over)
    require(is_out_of_range(s, follower))
    require(follows(s, follower, leader))

    s.known_end[follower][follower] = IN_RANGE
    if s.log_end[leader] < s.log_end[follower]:
        cut(s, follower, s.log_end[leader])
    else:
        cut(s, follower, 0)


@action(
    "R-FETCH-2, R-TRUNC-4, KAFKA-14704",
    sends("follower", "leader", "fetch from offset {log_end[follower]}"),
    sends("leader", "follower", "cut, high watermark {high_watermark[leader]}"),
)
def expose_diverging(s: Partition, follower: Replica, leader: Replica) -> None:
    """A follower whose fetch response says where to cut takes its high watermark first, and cuts when it fetches again.

    Only consumers that read from followers can see this.
    """
    require(s.exposes_diverging)
    require(s.fetch_from_followers)
    require(s.truncation == ON_FETCH)
    require(follows(s, follower, leader))
    require(shared_end(s, leader, follower) < s.log_end[follower])
    require(s.high_watermark[follower] < min(s.high_watermark[leader], s.log_end[follower]))
    require(not hides_divergence(s, follower, leader))

    s.high_watermark[follower] = min(s.high_watermark[leader], s.log_end[follower])


def is_taken(s: Partition, follower: Replica, leader: Replica, offset: int) -> bool:
    """Does the follower append the leader's record? From KAFKA-18723 on not if its epoch is newer than the follower's own."""
    if not may_repeat_epochs(s):
        return True
    return not s.refuses_newer_records or s.record_epoch[leader][offset] <= s.epoch[follower]


def receive(s: Partition, follower: Replica, leader: Replica, high_watermark: int) -> None:
    """The follower appends the leader's next record, if there is one, and learns the high watermark."""
    end = s.log_end[follower]
    if end < s.log_end[leader]:
        if is_taken(s, follower, leader, end):
            append(s, follower, s.record_value[leader][end], s.record_epoch[leader][end])
            for producer_epoch in s.each(ProducerEpoch):
                s.numbered_anew[producer_epoch][follower][end] = s.numbered_anew[producer_epoch][leader][end]
    s.high_watermark[follower] = min(high_watermark, s.log_end[follower])
