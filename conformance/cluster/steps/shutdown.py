"""Controlled shutdown of real brokers: the process is asked to end, and what it asks the controller for then is held in between."""

from __future__ import annotations

from neverlost.model.kafka.replication.shutdown import is_shutting_down
from neverlost.model.kafka.replication.state import Partition, Replica
from neverlost.spec.kafka.replication.seen import is_behind

from ..gates import Answer
from ..releases import ClusterError
from ..topic import RESTART_SECONDS
from .action import OnBrokers
from .controller import elect
from .partition_run import PartitionRun

STAYING = "a leader that nobody may succeed ends only after five minutes"
BEHIND = "the controller lets a broker end only when every live broker has read that it leaves"


def hand_over(run: PartitionRun, leader: int, successor: int) -> None:
    """Ask a leader to end: it asks the controller, which elects another; the answer is held."""
    leave_isr(run, leader)
    elect(run, successor)


def leave_isr(run: PartitionRun, replica: int) -> None:
    """Ask a follower to end: it asks the controller, which takes it out of the ISR; the answer is held."""
    run.leaving.add(replica)
    _ask_to_end(run, replica)
    frame = run.news.wish_to_end(run.broker(replica))
    run.gates.release(frame, Answer.HELD)
    run.gates.answered(frame)


def _ask_to_end(run: PartitionRun, replica: int) -> None:
    broker = run.broker(replica)
    run.news.hold_wish_to_end(broker)
    run.cluster.processes[broker].ask_to_end()
    run.cluster.dead.add(broker)


def shut_down(run: PartitionRun, replica: int) -> None:
    """Let a broker end in good order."""
    broker = run.broker(replica)
    if broker not in run.cluster.dead:
        _ask_to_end(run, replica)
    run.news.before_end(replica)
    process = run.cluster.processes[broker]

    def has_ended() -> bool:
        if not process.has_ended():
            run.news.while_ending(replica)
        return process.has_ended()

    run.until(has_ended, f"the end of broker {broker}", RESTART_SECONDS)
    run.gates.node_died(broker)
    run.news.has_ended(replica)
    run.up[replica] = False


def shut_down_obstacle(s: Partition, replica: Replica) -> str:
    """In KRaft mode the controller waits for what live brokers have read."""
    if s.ordered_metadata:
        return ""
    if not is_shutting_down(s, replica):
        return STAYING
    return BEHIND if any(is_behind(s, other) for other in s.each(Replica) if other != replica) else ""


def end_those_that_leave(run: PartitionRun) -> None:
    """At the end of a run, wait for the brokers that were asked to end; one that does not end by itself is killed."""
    for replica in sorted(run.leaving):
        broker = run.broker(replica)
        process = run.cluster.processes[broker]
        try:
            run.until(process.has_ended, f"the end of broker {broker}")
        except ClusterError:
            run.note(f"broker {broker} did not end by itself, and was killed")
            process.kill()
        run.gates.node_died(broker)
        run.up[replica] = False
    run.leaving.clear()


ACTIONS = {
    "hand_over": OnBrokers(perform=hand_over),
    "leave_isr": OnBrokers(perform=leave_isr),
    "shut_down": OnBrokers(perform=shut_down, obstacle=shut_down_obstacle),
}
