"""Brokers hear of new leader epochs, become leader or follower, and fetch."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, require

from .controller import forget_metadata
from .leader import advance_high_watermark, fail_produces, follows, leads
from .log import append, cut, end_of_last_epoch, shared_end
from .state import (
    DELIVERED,
    KIP_101,
    KIP_279,
    ON_FETCH,
    TO_HIGH_WATERMARK,
    Epoch,
    Partition,
    Replica,
    Response,
)


def may_hear_of(s: Partition, replica: Replica, epoch: Epoch) -> bool:
    """May news of the epoch reach the broker? Never after newer news (R-META-1); to one that has just started, the newest only."""
    return s.up[replica] and epoch > s.epoch[replica] and (s.epoch[replica] != NONE or epoch == s.newest_epoch)


def forget_followers(s: Partition, replica: Replica) -> None:
    """What the broker knew of its followers, and asked for as a leader, counts no more in another epoch."""
    for follower in s.each(Replica):
        s.known_end[replica][follower] = 0
    s.proposed_isr[replica] = EMPTY


@action("R-META-1, R-HW-2")
def become_leader(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A broker hears that it leads a newer epoch. It keeps its log and its own, perhaps stale, high watermark.

    What it knew of its followers counts no more: they may have cut their logs in an epoch between that it never heard of.
    """
    require(s.metadata_leader[epoch] == replica)
    require(may_hear_of(s, replica, epoch))

    if s.keeps_known_ends and s.leader[replica] == replica:
        s.proposed_isr[replica] = EMPTY
    else:
        forget_followers(s, replica)
    s.leader[replica] = replica
    s.epoch[replica] = epoch
    s.isr[replica] = s.metadata_isr[epoch]
    s.metadata_isr[epoch] = EMPTY
    forget_metadata(s)
    advance_high_watermark(s, replica)


@action("R-META-1, R-TRUNC-1..4")
def become_follower(s: Partition, replica: Replica, leader: Replica, epoch: Epoch) -> None:
    """A broker hears of a newer epoch that another leads, and cuts its log as its version does."""
    require(s.metadata_leader[epoch] == leader)
    require(leader != replica)
    require(may_hear_of(s, replica, epoch))

    truncate_for(s, replica, leader, epoch)
    fail_produces(s, replica)
    forget_followers(s, replica)
    s.isr[replica] = EMPTY
    s.leader[replica] = leader
    s.epoch[replica] = epoch
    forget_metadata(s)


def truncate_for(s: Partition, follower: Replica, leader: Replica, epoch: Epoch) -> None:
    """Where a new follower cuts its log: at its own high watermark, or where the leader tells, or only when it fetches.

    Who follows the same leader in the next epoch goes on as it was, until fencing makes every epoch a new beginning. With KIP-279,
    who has missed an epoch between does not.
    """
    if s.truncation == ON_FETCH:
        return
    changed = s.leader[follower] != leader
    missed = s.truncation == KIP_279 and epoch > s.epoch[follower] + 1
    if s.truncation == TO_HIGH_WATERMARK:
        if changed:
            cut(s, follower, s.high_watermark[follower])
    elif changed or missed or s.fencing:
        require(leads(s, leader))
        require(not s.fencing or s.epoch[leader] == epoch)
        if s.truncation == KIP_101:
            cut(s, follower, end_of_last_epoch(s, leader, follower))
        else:
            cut(s, follower, shared_end(s, leader, follower))


@action("R-FETCH-1, R-FETCH-2")
def fetch(s: Partition, follower: Replica, leader: Replica, response: Response) -> None:
    """The leader learns the follower's log end; the follower gets the next record and the high watermark as it was before.

    A response may be lost: the leader has learned, the follower has not. A follower whose log has parted from the leader's
    is told where to cut instead (from 2.7 on), or that it is beyond the leader's log; the leader learns nothing then. A fetch
    that tells the leader nothing new does not make it look at its high watermark (KAFKA-13091 shows it).
    """
    require(follows(s, follower, leader))
    end = s.log_end[follower]
    high_watermark = s.high_watermark[leader]
    shared = end
    if s.truncation == ON_FETCH:
        shared = shared_end(s, leader, follower)
    shared = min(shared, s.log_end[leader])

    if shared < end:
        if response == DELIVERED:
            cut(s, follower, shared)
    else:
        if s.known_end[leader][follower] != end:
            s.known_end[leader][follower] = end
            advance_high_watermark(s, leader)
        if response == DELIVERED:
            receive(s, follower, leader, high_watermark)


def receive(s: Partition, follower: Replica, leader: Replica, high_watermark: int) -> None:
    """The follower appends the leader's next record, if there is one, and learns the high watermark."""
    end = s.log_end[follower]
    if end < s.log_end[leader]:
        append(s, follower, s.record_value[leader][end], s.record_epoch[leader][end])
    s.high_watermark[follower] = min(high_watermark, s.log_end[follower])
