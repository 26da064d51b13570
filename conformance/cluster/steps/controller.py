"""Decisions of the controller on real brokers: sessions end on command, and the controller elects by itself or is asked to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from neverlost.model.core import Model, Step
from neverlost.model.kafka.replication.state import FIRST_LEADER, Partition
from neverlost.spec.kafka.replication.seen import all_take_part

from ...adapter import How
from ..wire import NO_LEADER
from .action import Hidden, OnBrokers, always
from .partition_run import PartitionRun
from .planned import PlannedRun, PlannedStep, Remembering

UNMOVED = "the controller on ZooKeeper ends no reassignment, by which leadership is moved, while a replica is dead or outside the ISR"
BY_ITSELF = "the controller elects by itself who may be elected without loss, as soon as that broker lives"
UNCLEAN_AGAIN = "after an unclean election the controller on ZooKeeper holds the next by itself; up to 1.0 it empties the ISR before"
UNELECTED = "in no order of the replicas does the controller elect as the run says"
ELECTIONS = ("fail_over", "fail_over_unclean", "elect", "elect_unclean", "hand_over")
UNCLEAN = ("elect_unclean", "fail_over_unclean")


def fence_follower(run: PartitionRun, replica: int) -> None:
    """End a session; the ISR without the broker follows at once."""
    run.topic.end_session(run.broker(replica))


def lose_leader(run: PartitionRun, leader: int) -> None:
    """End the session of a leader that nobody may succeed."""
    fence_follower(run, leader)
    run.until(lambda: run.topic.state.leader == NO_LEADER, "a partition without a leader")


def fail_over(run: PartitionRun, leader: int, successor: int) -> None:
    """End the session of a leader."""
    fence_follower(run, leader)
    elect(run, successor)


def elect(run: PartitionRun, successor: int) -> None:
    """The controller elects by itself, as soon as somebody may lead."""
    run.topic.await_leader(run.broker(successor))


def elect_unclean(run: PartitionRun, successor: int) -> None:
    """Ask for an unclean election."""
    run.topic.elect_unclean()
    elect(run, successor)


def fail_over_unclean(run: PartitionRun, leader: int, successor: int) -> None:
    """End the session of a leader that nobody may succeed, then ask for an unclean election."""
    fence_follower(run, leader)
    elect_unclean(run, successor)


def move_leader(run: PartitionRun, successor: int) -> None:
    """Make the successor the preferred leader, and ask for a preferred election."""
    run.topic.move_leader(run.broker(successor))


def move_leader_obstacle(s: Partition, successor: int) -> str:
    """With ZooKeeper leadership is moved by a reassignment, in which all replicas take part."""
    return UNMOVED if s.ordered_metadata and not all_take_part(s) else ""


def _session_ends(name: str, run: PartitionRun, step: Step) -> bool:
    """The session of a broker that was shut down ends."""
    return step.picks()[name] == run.ended


def with_session_of(name: str) -> Hidden:
    """A step that the end of a session brings, whose broker is the pick of this name."""
    return partial(_session_ends, name)


def by_itself(run: PlannedRun) -> Iterator[str]:
    """The controller on ZooKeeper elects before anything else happens, that of KRaft before an unclean election."""
    for planned in run:
        ordered, name = planned.before.ordered_metadata, planned.name
        waits = name != "elect" if ordered else name == "elect_unclean"
        yield BY_ITSELF if waits and any(run.possible(planned.number, "elect")) else ""


def _after_unclean(was_unclean: bool, planned: PlannedStep) -> tuple[bool, str]:
    is_unclean = planned.before.ordered_metadata and planned.name in UNCLEAN
    lost = planned.before.ordered_metadata and planned.name == "lose_leader"
    return was_unclean or is_unclean, UNCLEAN_AGAIN if was_unclean and (is_unclean or lost) else ""


unclean_again = Remembering[bool](lambda model: False, _after_unclean)
"""With ZooKeeper an election is unclean only once in a run, and no leader is lost after it."""

Order = tuple[int, ...]
Orders = tuple[tuple[Order, Order], ...]
"""The orders of the replicas in which the controller elects whom the run says: how each was at the start, and how it is now."""


def _all_orders(model: Model) -> Orders:
    others = (replica for replica in range(model.bounds["replicas"]) if replica != FIRST_LEADER)
    orders = ((FIRST_LEADER, *rest) for rest in itertools.permutations(others))
    return tuple((order, order) for order in orders)


def _after_election(orders: Orders, planned: PlannedStep) -> tuple[Orders, str]:
    """The controller takes the first that it may; a move makes its successor the first."""
    chosen = planned.picks.get("successor")
    if planned.name == "move_leader":
        assert chosen is not None
        orders = tuple((begun, (chosen, *(one for one in now if one != chosen))) for begun, now in orders)
    elif planned.name in ELECTIONS:
        may = _candidates(planned)
        orders = tuple((begun, now) for begun, now in orders if next(one for one in now if one in may) == chosen)
    return orders, "" if orders else UNELECTED


unelected = Remembering[Orders](_all_orders, _after_election)
"""In one order of the replicas, the controller has to elect whom the run says each time."""


def order_of(run: PlannedRun) -> Order:
    """An order in which the controller, which takes the first that it may, elects whom the run says.

    Raises CannotSchedule if there is none.
    """
    orders = unelected.at_start(run.model)
    for planned in run:
        orders, why = unelected.after(orders, planned)
        if why:
            raise next(one for one in run if one.name in (*ELECTIONS, "move_leader")).refuse(why)
    return orders[0][0]


def _candidates(election: PlannedStep) -> set[int]:
    """Of whom the controller chooses."""
    possible = election.run.possible(election.number, election.name)
    old = election.picks.get("leader")
    return {one.picks()["successor"] for one in possible if one.picks().get("leader") == old}


ACTIONS = {
    "fence_follower": OnBrokers(perform=fence_follower, hidden=with_session_of("replica")),
    "lose_leader": OnBrokers(perform=lose_leader, hidden=with_session_of("leader")),
    "fail_over": OnBrokers(perform=fail_over, hidden=with_session_of("leader")),
    "fail_over_unclean": OnBrokers(perform=fail_over_unclean, hidden=with_session_of("leader")),
    "elect": OnBrokers(perform=elect, hidden=always, how=How.AWAITED),
    "elect_unclean": OnBrokers(perform=elect_unclean),
    "move_leader": OnBrokers(perform=move_leader, obstacle=move_leader_obstacle),
}
