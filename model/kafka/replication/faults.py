"""What fails, and how it comes back. Every fault has a budget."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, sends, with_member, without

from .broker import forget_followers
from .controller import forget_metadata, lose_news
from .decisions import read_anew
from .delays import lose_exchanges, refuse_requests_for
from .leader import awaits_decision, fail_produces
from .log import cut
from .state import KIP_101, End, Partition, Replica


def go_down(s: Partition, replica: Replica) -> None:
    """A broker process ends: only its disk is left. Clients that wait there lose their connection."""
    fail_produces(s, replica)
    forget_followers(s, replica)
    lose_exchanges(s, replica)
    read_anew(s, replica)
    s.up[replica] = False
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
    """
    require(s.crashes_left > 0)
    require(s.up[replica])
    require(checkpoint <= s.high_watermark[replica])
    require(checkpoint == s.high_watermark[replica] or s.truncation <= KIP_101 or s.registers_unfenced)

    s.crashes_left -= 1
    s.high_watermark[replica] = checkpoint
    go_down(s, replica)


@action("R-CRASH-1")
def power_loss(s: Partition, replica: Replica, kept: End) -> None:
    """A broker loses power, and so any part of its log's tail, unless every record was flushed at once."""
    require(s.power_losses_left > 0)
    require(s.up[replica])
    require(kept <= s.log_end[replica])
    require(kept == s.log_end[replica] or not s.flush)

    s.power_losses_left -= 1
    cut(s, replica, kept)
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

    It was fenced before. In KRaft up to 3.9 it need not be fenced; then it stays leader or in the ISR.
    """
    require(not s.up[replica])
    require(contains(s.fenced, replica) or s.registers_unfenced)

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
