"""Controlled shutdown: a broker hands over leadership, leaves the ISR, flushes its log and ends. It has a budget, like a fault."""

from __future__ import annotations

from neverlost.model.core import action, contains, require, sends, with_member

from .controller import drop_follower, may_succeed, replace_leader
from .faults import go_down
from .state import Partition, Replica


def may_begin(s: Partition, replica: Replica) -> bool:
    """May a broker be shut down that the controller considers live?"""
    return (
        s.shutdowns_left > 0 and s.up[replica] and not contains(s.fenced, replica) and not contains(s.silent, replica)
    )


def begin(s: Partition, replica: Replica) -> None:
    """The controller no longer counts on the broker, which continues until it ends."""
    s.shutdowns_left -= 1
    s.fenced = with_member(s.fenced, replica)
    s.silent = with_member(s.silent, replica)


def has_successor(s: Partition, leader: Replica) -> bool:
    """Could the controller elect another leader without loss?"""
    for successor in s.each(Replica):
        if may_succeed(s, successor, leader):
            return True
    return False


@action("R-STOP-1", sends("leader", "controller", "wants to shut down"))
def hand_over(s: Partition, leader: Replica, successor: Replica) -> None:
    """A leader that is to shut down asks the controller, which elects another leader and removes this one from the ISR."""
    require(may_begin(s, leader))
    require(s.controller_leader == leader)
    require(may_succeed(s, successor, leader))

    begin(s, leader)
    replace_leader(s, leader, successor)


@action("R-STOP-1", sends("replica", "controller", "wants to shut down"))
def leave_isr(s: Partition, replica: Replica) -> None:
    """A follower that is to shut down asks the controller, which removes it from the ISR, unless it is the last member."""
    require(may_begin(s, replica))
    require(s.controller_leader != replica)

    begin(s, replica)
    drop_follower(s, replica)


@action("R-STOP-1, R-STOP-2, KIP-966")
def shut_down(s: Partition, replica: Replica) -> None:
    """A broker flushes its log, writes its high watermark, and ends. A leader without a possible successor ends without handing over.

    With KIP-966 it leaves a mark that it ended cleanly, and so stays eligible when it starts again.
    """
    require(s.up[replica])
    require(is_shutting_down(s, replica) or may_end_as_leader(s, replica))

    if not is_shutting_down(s, replica):
        s.shutdowns_left -= 1
    if s.flush and s.crashes > 0 and s.power_losses > 0:
        s.cached[replica] = 0
    go_down(s, replica)
    if s.elr:
        s.silent = with_member(s.silent, replica)


def is_shutting_down(s: Partition, replica: Replica) -> bool:
    """Has the controller granted the shutdown?"""
    return contains(s.fenced, replica) and contains(s.silent, replica)


def may_end_as_leader(s: Partition, replica: Replica) -> bool:
    """Is the broker to be shut down although it leads, because the controller finds no successor?"""
    return may_begin(s, replica) and s.controller_leader == replica and not has_successor(s, replica)
