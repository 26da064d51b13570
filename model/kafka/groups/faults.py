"""What happens to consumer processes: they are started, closed, die, and are started again."""

from __future__ import annotations

from neverlost.model.core import action, require, sends

from .assigning import all_done, commits_last, give_up
from .coordinator import drop
from .member import is_joining
from .record import stop_waiting
from .state import Generation, Group, Member, Partition, Standing


def end_process(s: Group, member: Member) -> None:
    """The process ends, with everything that it has in memory."""
    s.up[member] = False
    s.known[member] = 0
    s.recorded[member] = False
    stop_waiting(s, member)
    for partition in s.each(Partition):
        s.owned[member][partition] = False
        s.fresh[member][partition] = False
        s.position[member][partition] = 0
        s.done[member][partition] = 0


@action("R-FAULT")
def crash(s: Group, member: Member) -> None:
    """A consumer process dies."""
    require(s.crashes_left > 0)
    require(s.up[member])

    s.crashes_left -= 1
    end_process(s, member)


@action("KafkaConsumer.close", sends("member", "coordinator", "LeaveGroup"))
def leave(s: Group, member: Member) -> None:
    """A member that has processed everything is closed: it commits once more, and leaves the group."""
    require(s.leaves_left > 0)
    require(all_done(s, member))

    s.leaves_left -= 1
    close(s, member)


@action("KafkaConsumer.close after an exception", sends("member", "coordinator", "LeaveGroup"))
def fail(s: Group, member: Member) -> None:
    """Processing fails, and the application closes its consumer, which commits positions if enable.auto.commit is on.

    Source: ConsumerCoordinator.close, AsyncKafkaConsumer.close.
    """
    require(s.failures_left > 0)
    require(not s.passes_failed)
    require(not all_done(s, member))

    s.failures_left -= 1
    close(s, member)


@action("an error handler of the application or of its framework")
def pass_failed(s: Group, member: Member, partition: Partition) -> None:
    """Processing fails, and the application goes on with the next record: the failed one counts as done.

    Source: DefaultErrorHandler (Spring for Apache Kafka), LogAndContinueExceptionHandler (Kafka Streams), errors.tolerance (Connect).
    """
    require(s.failures_left > 0)
    require(s.passes_failed)
    require(s.done[member][partition] < s.position[member][partition])

    s.failures_left -= 1
    s.done[member][partition] += 1
    s.fresh[member][partition] = False


def close(s: Group, member: Member) -> None:
    """A consumer is closed: it commits and gives up its partitions, leaves the group, and its process ends.

    The classic one commits nothing while it joins (AbstractCoordinator.generationIfStable, ConsumerCoordinator.onLeavePrepare).
    """
    require(s.up[member])
    require(s.generation + 1 < s.size(Generation))

    for partition in s.each(Partition):
        if s.owned[member][partition]:
            if not is_joining(s, member):
                commits_last(s, member, partition)
            give_up(s, member, partition)
    if s.standing[member] != Standing.UNKNOWN:
        drop(s, member)
    end_process(s, member)


@action("the operator")
def start_member(s: Group, member: Member) -> None:
    """A member is started for the first time."""
    require(s.joins_left > 0)
    require(member + s.joins_left == s.size(Member))

    s.joins_left -= 1
    s.up[member] = True


@action("the operator")
def restart(s: Group, member: Member) -> None:
    """A consumer process is started again. The coordinator takes it for a new member, and has expelled the old one by then."""
    require(not s.up[member])
    require(member + s.joins_left < s.size(Member))
    require(s.standing[member] == Standing.UNKNOWN)

    s.up[member] = True
