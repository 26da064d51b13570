"""What brokers hear on real brokers: of a leader epoch, and that nobody leads; each hears of it when a step says so."""

from __future__ import annotations

from collections import deque
from functools import partial

from neverlost.model.core import NONE, Step, contains
from neverlost.model.kafka.replication.shutdown import is_shutting_down
from neverlost.model.kafka.replication.state import KIP_101, Partition, Replica
from neverlost.spec.kafka.replication.seen import listens

from .action import OnBrokers
from .fetching import fresh_fetch
from .partition_run import PartitionRun
from .planned import PlannedRun, PlannedStep, Remembering
from .producing import wait_no_longer

STOPPED = "the controller on ZooKeeper stops the replicas of a broker that is shutting down"
DEAF = "before 3.3 a broker in KRaft mode reads no more metadata as soon as it is shutting down"
HEARS_NO_LEADER = "before 3.3 a broker stays in its leader epoch where nobody leads (KAFKA-13858)"
HALTS = "a broker of 0.11 ends itself where its leader has lost what it has itself"
UNREAD = "a broker that hears of two decisions, one by one, after both were made, reads both at once"
MISSED = "a broker whose session had ended hears, when it is back, of the newest decision alone"
STEPS_DOWN = "a broker that comes back while nobody leads hears so first, follows nobody, and answers who waits there"
NEWS = ("become_leader", "become_follower")
IN_ONE_EPOCH = ("produce", "retry", "fetch", "shrink_isr", "expand_isr")
"""What a broker does as a leader or a follower of the epoch that it is in."""


def become_leader(run: PartitionRun, replica: int, epoch: int) -> None:
    """Let the broker hear of the epoch, and wait until it leads."""
    run.hear(replica, epoch)
    broker = run.broker(replica)
    run.until(partial(run.topic.leads, broker), f"broker {broker} as leader")


def become_leader_obstacle(s: Partition, replica: Replica, epoch: int) -> str:
    """A broker that shuts down may not listen any more."""
    return "" if s.ordered_metadata or listens(s, replica) else DEAF


def become_follower(run: PartitionRun, replica: int, leader: int, epoch: int) -> None:
    """Let the broker hear of the epoch, and wait until it fetches from the leader, if that is alive."""
    run.hear(replica, epoch)
    if run.up[leader] and run.knows_of[leader] == epoch and replica not in run.leaving:
        fresh_fetch(run, replica, leader)
    if not run.cluster.release.answers_when_deposed:
        wait_no_longer(run, run.broker(replica))


def become_follower_obstacle(s: Partition, replica: Replica, leader: Replica, epoch: int) -> str:
    """A broker that goes on following a leader may have records that the leader has lost."""
    if not listens(s, replica):
        return STOPPED if s.ordered_metadata else DEAF
    has_more = s.leader[replica] == leader and s.log_end[replica] > s.log_end[leader]
    return HALTS if s.truncation == KIP_101 and has_more else ""


def hear_of_no_leader(run: PartitionRun, replica: int, epoch: int) -> None:
    """Let the broker read that nobody leads, and wait until it has taken it in."""
    run.hear(replica, epoch)
    run.until(partial(run.has_heard, replica, epoch), f"broker {run.broker(replica)} without a leader")


def hear_of_no_leader_obstacle(s: Partition, replica: Replica, epoch: int) -> str:
    """Not every release has a broker hear that nobody leads."""
    return "" if s.isr_without_fenced else HEARS_NO_LEADER


def on_return(run: PartitionRun, step: Step) -> bool:
    """A broker that comes back in KRaft mode hears of the newest epoch, also of one without a leader."""
    return step.picks()["replica"] == run.returned


def heard_in(run: PlannedRun) -> tuple[deque[int], ...]:
    """The epochs that each broker hears of in a run, in turn."""
    heard: tuple[deque[int], ...] = tuple(deque() for _ in range(run.model.bounds["replicas"]))
    for step in run.steps:
        if step.action.name in NEWS:
            heard[step.picks()["replica"]].append(step.picks()["epoch"])
    return heard


def _after_reading(heard_in: tuple[int, ...], planned: PlannedStep) -> tuple[tuple[int, ...], str]:
    if planned.name not in NEWS:
        return heard_in, ""
    replica, epoch, newest = planned.picks["replica"], planned.picks["epoch"], planned.before.newest_epoch
    why = UNREAD if epoch < newest and heard_in[replica] >= epoch else ""
    return (*heard_in[:replica], newest, *heard_in[replica + 1 :]), why


unread = Remembering[tuple[int, ...]](lambda model: (0,) * model.bounds["replicas"], _after_reading)
"""In KRaft mode a broker reads all metadata there is, or what there was when a decision was made that it hears of next.

Remembered is for each broker which epoch was the newest when it last heard of one: what was decided later may be heard of by itself.
"""

ToHear = tuple[frozenset[int], ...]


def _after_sending(to_hear: ToHear, planned: PlannedStep) -> tuple[ToHear, str]:
    before, after, picks = planned.before, planned.after, planned.picks
    sent = list(to_hear)
    for replica in after.each(Replica):
        if _is_away(after, replica):
            sent[replica] = frozenset()
        elif _is_away(before, replica) or after.newest_epoch != before.newest_epoch:
            sent[replica] |= {after.newest_epoch}
    why = MISSED if planned.name in NEWS and picks["epoch"] not in sent[picks["replica"]] else ""
    return tuple(sent), why


missed = Remembering[ToHear](lambda model: (frozenset(),) * model.bounds["replicas"], _after_sending)
"""The controller on ZooKeeper sends a decision to brokers that are live then, and the newest one to a broker that comes back.

What it has not sent to a broker when the session ends, it drops. Remembered is what it sends to each.
"""


def _is_away(s: Partition, replica: Replica) -> bool:
    """Has the session of a broker ended? That of one that is shutting down has not."""
    return contains(s.fenced, replica) and not (is_shutting_down(s, replica) and s.up[replica])


Epochs = tuple[tuple[int, int], ...]
"""The brokers that came back while nobody led, and the epochs that they were in."""


def _after_return(came_back: Epochs, planned: PlannedStep) -> tuple[Epochs, str]:
    state, picks = planned.before, planned.picks
    still = dict(one for one in came_back if state.epoch[one[0]] == one[1])
    busy = set[int]()
    if planned.name in IN_ONE_EPOCH:
        busy = {picks["leader"], picks.get("follower", NONE)}
    elif planned.name == "time_out":
        busy = {state.waiting_at[picks["value"]]}
    why = STEPS_DOWN if busy & still.keys() else ""
    if planned.name == "unfence" and state.controller_leader == NONE:
        epoch = state.epoch[picks["replica"]]
        still |= {picks["replica"]: epoch} if epoch < state.newest_epoch else {}
    return tuple(sorted(still.items())), why


old_epochs = Remembering[Epochs](lambda model: (), _after_return)
"""In KRaft mode a broker that has come back while nobody leads does nothing more in the leader epoch that it was in before."""


ACTIONS = {
    "become_leader": OnBrokers(perform=become_leader, obstacle=become_leader_obstacle, hidden=on_return),
    "become_follower": OnBrokers(perform=become_follower, obstacle=become_follower_obstacle, hidden=on_return),
    "hear_of_no_leader": OnBrokers(perform=hear_of_no_leader, obstacle=hear_of_no_leader_obstacle, hidden=on_return),
}
