"""How followers get the metadata log from the leader, and what the active controller decides of a partition."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .elections import forget_memory
from .log import agreed_end, append, commit, cut, diverges, end_to_keep, take
from .state import Controller, Decision, Offset, Quorum, Role


@action("KIP-595, Fetch", sends("controller", "leader", "fetches from offset {log_end[controller]}"))
def fetch(s: Quorum, controller: Controller, leader: Controller) -> None:
    """A follower fetches: it tells its log end, and gets the next record, or where to cut its log.

    A fetch that was parked is answered before the leader flushes. What is appended is flushed before the next fetch. Source:
    KafkaRaftClient.tryCompleteFetchRequest, handleFetchResponse.
    """
    require(is_answered(s, controller, leader))

    if diverges(s, controller, leader):
        truncate(s, controller, leader)
    else:
        tell_end(s, controller, leader)
        copy_next(s, controller, leader)
        learn_high_watermark(s, controller, s.high_watermark[leader])


def is_answered(s: Quorum, controller: Controller, leader: Controller) -> bool:
    """Does the leader of a follower answer its fetch?"""
    return (
        s.up[controller]
        and s.up[leader]
        and s.role[controller] == Role.FOLLOWER
        and s.leader[controller] == leader
        and s.role[leader] == Role.LEADER
        and s.epoch[controller] == s.epoch[leader]
        and (not s.unflushed[leader] or is_parked(s, controller, leader))
    )


def tell_end(s: Quorum, controller: Controller, leader: Controller) -> None:
    """A leader learns from a fetch where the log of a follower ends."""
    s.known_end[leader][controller] = s.log_end[controller]
    s.known_directory[leader][controller] = s.directory[controller]
    commit(s, leader)


def truncate(s: Quorum, controller: Controller, leader: Controller) -> None:
    """A follower cuts its log as its leader tells it; a process that is to cut below its high watermark ends instead.

    Source: KafkaRaftClient.handleFetchResponse, KafkaMetadataLog.truncateTo.
    """
    if min(agreed_end(s, controller, leader), end_to_keep(s, controller, leader)) < s.high_watermark[controller]:
        go_down(s, controller)
    else:
        cut(s, controller, end_to_keep(s, controller, leader))


def learn_high_watermark(s: Quorum, controller: Controller, high_watermark: int) -> None:
    """A follower takes the leader's high watermark, if that has one yet; a process that is told a lower one than it had ends.

    Source: FollowerState.updateHighWatermark.
    """
    if high_watermark > 0:
        if min(high_watermark, s.log_end[controller]) < s.high_watermark[controller]:
            go_down(s, controller)
        else:
            s.high_watermark[controller] = min(high_watermark, s.log_end[controller])


def is_parked(s: Quorum, controller: Controller, leader: Controller) -> bool:
    """Did the leader count a fetch from this offset, so that it may wait in the purgatory for the next record?"""
    return (
        s.known_end[leader][controller] == s.log_end[controller]
        and s.known_directory[leader][controller] == s.directory[controller]
        and s.log_end[controller] + 1 == s.log_end[leader]
    )


def copy_next(s: Quorum, controller: Controller, leader: Controller) -> None:
    """A follower appends the leader's next record, if there is one, and flushes its log."""
    for offset in s.each(Offset):
        if offset == s.log_end[controller] and offset < s.log_end[leader]:
            take(s, controller, leader, offset)
            s.log_end[controller] += 1
            s.cached[controller] = 0
            return


def go_down(s: Quorum, controller: Controller) -> None:
    """A process ends: only what is on its disk is left."""
    s.up[controller] = False
    s.role[controller] = Role.UNATTACHED
    s.high_watermark[controller] = 0
    s.unflushed[controller] = False
    forget_memory(s, controller)


def knows(s: Quorum, controller: Controller, decision: Decision) -> bool:
    """Is a decision in somebody's log, committed or not?"""
    return any(s.log_decision[controller][offset] == decision for offset in s.each(Offset))


def is_committed(s: Quorum, decision: Decision) -> bool:
    """Was a decision ever committed?"""
    return any(s.committed_decision[offset] == decision for offset in s.each(Offset))


@action("R-ELECT-1, PartitionChangeRecord", sends("leader", "partition", "{decision}"))
def decide(s: Quorum, leader: Controller, decision: Decision) -> None:
    """The active controller decides: b2 leaves the ISR, as b1 asks; or b1 seems dead, and b2, in the ISR by its log, leads."""
    require(s.up[leader])
    require(s.role[leader] == Role.LEADER)
    require(s.log_end[leader] < s.size(Offset))
    require(not s.unflushed[leader])
    require(not s.sent[decision])
    require(not knows(s, leader, Decision.SHRINK) and not knows(s, leader, Decision.FAIL_OVER))

    s.sent[decision] = True
    append(s, leader, decision, NONE, NONE)


@action("R-PROD-2, KIP-497")
def acknowledge(s: Quorum) -> None:
    """b1 has learned that the ISR is b1, and acknowledges a record that b2 does not have: clean elections will keep it, b1 takes it."""
    require(not s.acknowledged)
    require(is_committed(s, Decision.SHRINK))
    require(not is_committed(s, Decision.FAIL_OVER))

    s.acknowledged = True
