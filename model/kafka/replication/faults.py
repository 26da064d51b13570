"""What fails, and how it comes back. Every fault has a budget."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, sends, with_member, without

from .broker import forget_followers
from .controller import forget_metadata, lose_news
from .decisions import read_anew
from .delays import lose_exchanges, refuse_requests_for
from .leader import awaits_decision, fail_produces, leads
from .log import cut
from .producer import end_of
from .state import ACKNOWLEDGED, ACKS_ONE, KIP_101, End, Offset, Partition, Replica, Value


def go_down(s: Partition, replica: Replica) -> None:
    """A broker process ends: only its disk is left. Clients that wait there lose their connection."""
    fail_produces(s, replica)
    forget_followers(s, replica)
    lose_exchanges(s, replica)
    read_anew(s, replica)
    s.up[replica] = False
    s.led_from[replica] = 0
    s.isr[replica] = EMPTY
    s.leader[replica] = NONE
    s.epoch[replica] = NONE
    s.silent = without(s.silent, replica)
    s.out_of_turn = without(s.out_of_turn, replica)
    forget_metadata(s)


@action("R-CRASH-1")
def crash(s: Partition, replica: Replica, checkpoint: End) -> None:
    """A broker process dies. Its log survives. If anything depends on its high watermark, that is now the last checkpoint.

    Truncation depends on it up to KIP-101. So does a leader that returns in its own epoch, if the start of the epoch does not keep
    followers out of the ISR.

    Where every record is flushed when it is appended, the process may die in between; nobody has counted the record by then. Who starts
    again reads it from the operating system's cache, and counts, but does not flush it before its next append (LogLoader.recoverLog).
    """
    require(s.crashes_left > 0)
    require(s.up[replica])
    require(checkpoint <= s.high_watermark[replica])
    require(
        checkpoint == s.high_watermark[replica]
        or s.truncation <= KIP_101
        or (s.misses_restarts and s.controller_changes > 0)
        or s.registers_unfenced
    )

    s.crashes_left -= 1
    if s.flush and s.crashes > 0 and s.power_losses > 0:
        s.cached[replica] = may_be_unflushed(s, replica)
    s.high_watermark[replica] = checkpoint
    go_down(s, replica)


def may_be_unflushed(s: Partition, replica: Replica) -> bool:
    """May a process die between the append of its log's last record and the flush, as nobody has counted the record at this broker?"""
    if s.power_losses_left == 0 or s.log_end[replica] <= s.high_watermark[replica]:
        return False
    for offset in s.each(Offset):
        if offset + 1 == s.log_end[replica] and contains(s.controller_isr, replica) and s.committed[offset] != NONE:
            return False
    for value in s.each(Value):
        answered = s.acks == ACKS_ONE and s.delivery[value] == ACKNOWLEDGED
        if leads(s, replica) and answered and end_of(s, replica, value) == s.log_end[replica]:
            return False
    return all(other == replica or s.known_end[other][replica] < s.log_end[replica] for other in s.each(Replica))


def returns_unfenced(s: Partition) -> bool:
    """May a broker come back before the controllers have fenced it, and stay the leader or in the ISR?

    In KRaft to 3.9. With ZooKeeper if its session ended while no controller acted: the next one reads who lives, and not since when.

    Source: KafkaController.initializeControllerContext, ReplicaStateMachine.startup.
    """
    return s.registers_unfenced == 1 or (s.misses_restarts == 1 and s.controller_changes > 0)


@action("R-CRASH-1")
def power_loss(s: Partition, replica: Replica, kept: End) -> None:
    """A broker loses power, and so any part of its log's tail, unless every record was flushed at once.

    Even then it may lose one that an earlier process had appended and not flushed.
    """
    require(s.power_losses_left > 0)
    require(s.up[replica])
    require(kept <= s.log_end[replica])
    require(
        kept == s.log_end[replica]
        or not s.flush
        or (s.crashes > 0 and s.cached[replica] and kept + 1 == s.log_end[replica])
    )

    s.power_losses_left -= 1
    cut(s, replica, kept)
    if s.flush and s.crashes > 0 and s.power_losses_left == 0:
        for other in s.each(Replica):
            s.cached[other] = 0
    go_down(s, replica)


@action("R-CRASH-1")
def disk_loss(s: Partition, replica: Replica) -> None:
    """A broker loses its disk, and everything on it."""
    require(s.disk_losses_left > 0)
    require(s.up[replica])

    s.disk_losses_left -= 1
    cut(s, replica, 0)
    go_down(s, replica)


@action("R-CRASH-1, R-ELECT-3, KIP-858, KIP-966")
def directory_loss(s: Partition, replica: Replica) -> None:
    """A broker that is down loses one of its log directories, with this log, and `log.dirs` names only the others from then on.

    These still have the mark that it ended cleanly, so it stays eligible. Where a move between directories clears the eligible
    replicas, the new place of the log is such a move, and nobody is elected by that mark.
    """
    require(s.disk_losses_left > 0)
    require(s.several_log_dirs)
    require(s.elr)
    require(not s.directory_moves_clear_elr)
    require(not s.up[replica])

    s.disk_losses_left -= 1
    cut(s, replica, 0)


@action("R-CRASH-1, R-ELECT-3, KIP-903", sends("replica", "controller", "registers"))
def restart(s: Partition, replica: Replica) -> None:
    """A broker starts again with what is on its disk, and registers anew; it stays eligible only if it shut down cleanly (KIP-966).

    It was fenced before. In KRaft up to 3.9 it need not be fenced; then it stays leader or in the ISR. So with ZooKeeper, if there is
    another controller since: the one before did not see that the broker was away, and what it had to send is lost.
    """
    require(not s.up[replica])
    require(contains(s.fenced, replica) or (s.misses_restarts and s.controller_changes > 0) or s.registers_unfenced)

    if s.misses_restarts and s.controller_changes > 0 and not contains(s.fenced, replica):
        require(s.controller_changes_left > 0)
        s.controller_changes_left -= 1
        for other in s.each(Replica):
            lose_news(s, other)
    s.up[replica] = True
    s.fenced = without(s.fenced, replica)
    if not contains(s.silent, replica):
        s.eligible = without(s.eligible, replica)
    s.silent = without(s.silent, replica)
    if s.broker_epochs:
        refuse_stale_proposals(s, replica)


def refuse_stale_proposals(s: Partition, restarted: Replica) -> None:
    """ISR changes that would add the broker as it was before its restart will be refused (KIP-903)."""
    for leader in s.each(Replica):
        joins = contains(s.proposed_isr[leader], restarted) and not contains(s.isr[leader], restarted)
        if joins and awaits_decision(s, leader):
            s.proposed_isr[leader] = EMPTY
    refuse_requests_for(s, restarted)


@action("R-META-1")
def pause(s: Partition, replica: Replica) -> None:
    """A live broker is silent for so long that its session ends; it does not know this and continues."""
    require(s.pauses_left > 0)
    require(s.up[replica])
    require(not contains(s.fenced, replica))
    require(not contains(s.silent, replica))

    s.pauses_left -= 1
    s.silent = with_member(s.silent, replica)


@action("R-META-1", sends("replica", "controller", "is alive"))
def unfence(s: Partition, replica: Replica) -> None:
    """The controller hears again from a fenced broker that lives."""
    require(s.up[replica])
    require(contains(s.fenced, replica))
    require(not contains(s.silent, replica))

    s.fenced = without(s.fenced, replica)
    lose_news(s, replica)
