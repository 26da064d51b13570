"""A member: it polls, processes, and commits its offsets."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require, sends

from .assigning import commits_automatically, in_poll
from .offsets import accepts, forget_late, may_be_fresh, out_of_range, reset_offset, write_and_refuse, write_offset
from .state import Commit, Group, Member, Offset, Partition, Protocol, Standing, Times


def is_joining(s: Group, member: Member) -> bool:
    """Does the member wait for the others to join, or for its assignment?"""
    if s.unanswered[member]:
        return True
    return s.standing[member] == Standing.JOINING or s.standing[member] == Standing.SYNCING


def may_send(s: Group, member: Member) -> bool:
    """Does the client let a commit go out? The classic one does not while it joins (AbstractCoordinator.generationIfStable)."""
    return s.up[member] and not is_joining(s, member)


def names(s: Group, member: Member) -> int:
    """The generation or epoch that a commit of the member names. With KIP-848 one that is not in the group names none, here 0."""
    if s.protocol == Protocol.CONSUMER and s.standing[member] == Standing.UNKNOWN:
        return 0
    return s.known[member]


def commits_early(s: Group) -> bool:
    """May enable.auto.commit commit what poll has yet to return?"""
    return s.commits_unreturned == 1 if s.protocol == Protocol.CONSUMER else s.commits_in_last_poll == 1


def may_commit(s: Group, member: Member, partition: Partition) -> bool:
    """Is the member where it commits?"""
    if not may_send(s, member):
        return False
    if commits_automatically(s):
        return s.owned[member][partition] == 1 and (in_poll(s, member) or commits_early(s))
    if s.commit == Commit.BEFORE:
        is_next = s.start[partition] <= s.position[member][partition] < s.end[partition]
        return s.owned[member][partition] == 1 and is_next
    return has_offset(s, member, partition)


def has_offset(s: Group, member: Member, partition: Partition) -> bool:
    """Has the application an offset to commit by hand: of a partition that it owns, or of what it had in hand and has processed?"""
    if s.owned[member][partition]:
        return True
    is_processed = s.position[member][partition] > 0 and s.done[member][partition] == s.position[member][partition]
    return s.protocol == Protocol.CONSUMER and is_processed


def end_rest(s: Group, member: Member, partition: Partition) -> None:
    """An application that has committed what it had in hand of a lost partition has nothing more of it."""
    if not s.owned[member][partition]:
        s.position[member][partition] = 0
        s.done[member][partition] = 0


def next_commit(s: Group, member: Member, partition: Partition) -> int:
    """What the member commits: its position, what it has processed, or with `before` what it is about to process."""
    if commits_automatically(s):
        return s.position[member][partition]
    return s.position[member][partition] + 1 if s.commit == Commit.BEFORE else s.done[member][partition]


@action("KafkaConsumer.poll, Fetch", sends("member", "partitions", "fetch of {partition}"))
def poll(s: Group, member: Member, partition: Partition) -> None:
    """A member gets the next record of a partition that it believes to own; processing between two polls ends before the next."""
    require(s.owned[member][partition])
    require(in_poll(s, member))
    require(s.reads_in_rebalance or not is_joining(s, member))
    require(s.start[partition] <= s.position[member][partition] < s.end[partition])
    require(s.commit != Commit.BEFORE or (may_send(s, member) and accepts(s, member, partition, s.known[member])))

    s.position[member][partition] += 1
    if s.commit == Commit.BEFORE:
        write_offset(s, partition, s.position[member][partition])


@action("OFFSET_OUT_OF_RANGE, auto.offset.reset")
def reset_position(s: Group, member: Member, partition: Partition) -> None:
    """A member learns that its position is outside of the partition, and begins where auto.offset.reset says."""
    require(s.owned[member][partition])
    require(in_poll(s, member))
    require(s.done[member][partition] == s.position[member][partition])
    require(out_of_range(s, member, partition))
    require(reset_offset(s, partition) != NONE)

    s.fresh[member][partition] = may_be_fresh(s)
    s.position[member][partition] = reset_offset(s, partition)
    s.done[member][partition] = reset_offset(s, partition)


@action("the application")
def process(s: Group, member: Member, partition: Partition, offset: Offset) -> None:
    """A member processes the next record that it has in hand."""
    require(s.done[member][partition] == offset)
    require(offset < s.position[member][partition])
    require(s.commit != Commit.BEFORE or s.owned[member][partition])

    s.done[member][partition] += 1
    s.fresh[member][partition] = False
    count_processed(s, partition, offset)


def count_processed(s: Group, partition: Partition, offset: Offset) -> None:
    """A record is processed once more."""
    if s.processed[partition][offset] == Times.NEVER:
        s.processed[partition][offset] = Times.ONCE
    else:
        s.processed[partition][offset] = Times.AGAIN


@action("KafkaConsumer.commitSync, OffsetCommit", sends("member", "coordinator", "commit of {partition}"))
def commit_sync(s: Group, member: Member, partition: Partition) -> None:
    """A member commits what it has processed, and waits for the answer."""
    require(s.commit == Commit.SYNC)
    require(may_send(s, member))
    require(has_offset(s, member, partition))
    require(s.done[member][partition] != s.committed[partition])
    require(accepts(s, member, partition, s.known[member]))

    write_offset(s, partition, s.done[member][partition])
    end_rest(s, member, partition)


@action("KafkaConsumer.commitSync, OffsetCommit", sends("member", "coordinator", "commit of {partition}"))
def commit_rest(s: Group, member: Member, partition: Partition, offset: Offset) -> None:
    """A member that commits first has joined again in the background: it commits the record that it has in hand, and processes it.

    Source: ConsumerGroup.validateOffsetCommit, which does not ask who owns the partition.
    """
    require(s.commit == Commit.BEFORE)
    require(s.protocol == Protocol.CONSUMER)
    require(may_send(s, member))
    require(not s.owned[member][partition])
    require(s.done[member][partition] == offset)
    require(offset < s.position[member][partition])
    require(accepts(s, member, partition, s.known[member]))

    write_offset(s, partition, s.position[member][partition])
    count_processed(s, partition, offset)
    end_rest(s, member, partition)


@action("enable.auto.commit, OffsetCommit")
def commit_auto(s: Group, member: Member, partition: Partition) -> None:
    """Within a later poll a member commits its position: everything that poll has returned before.

    The new consumer does so in a thread of its own. To 3.9 (KAFKA-18641), and again from 4.2 on (KAFKA-19589), it may commit what poll
    has yet to return. So did the classic one of 0.9.0.0 (KAFKA-2942).

    Source: ConsumerCoordinator.maybeAutoCommitOffsetsAsync, ApplicationEventProcessor.process(AsyncPollEvent),
    AsyncKafkaConsumer.collectFetch.
    """
    require(commits_automatically(s))
    require(may_send(s, member))
    require(s.owned[member][partition])
    require(in_poll(s, member) or commits_early(s))
    require(s.position[member][partition] != s.committed[partition])
    require(accepts(s, member, partition, s.known[member]))

    write_offset(s, partition, s.position[member][partition])


@action("KafkaConsumer.commitAsync")
def send_commit(s: Group, member: Member, partition: Partition) -> None:
    """A member sends a commit of what it has processed, and goes on."""
    require(s.commit == Commit.ASYNC)
    require(may_send(s, member))
    require(has_offset(s, member, partition))
    require(s.done[member][partition] != s.committed[partition])
    require(s.sent[member][1] == NONE)
    require(s.sent[member][0] != partition or s.sent_offset[member][0] != s.done[member][partition])

    k = 0 if s.sent[member][0] == NONE else 1
    s.sent[member][k] = partition
    s.sent_offset[member][k] = s.done[member][partition]
    s.sent_in[member][k] = names(s, member)
    end_rest(s, member, partition)


@action("OffsetCommit")
def receive_commit(s: Group, member: Member, partition: Partition) -> None:
    """The coordinator gets the first commit that the member has under way, and writes or refuses it."""
    require(s.sent[member][0] == partition)

    if accepts(s, member, partition, s.sent_in[member][0]):
        write_offset(s, partition, s.sent_offset[member][0])
    end_first(s, member)


@action("OffsetCommit, a retriable error")
def fail_commit(s: Group, member: Member, partition: Partition) -> None:
    """The first commit under way fails, and is not written; an application that repeats it sends the same offset again.

    Source: GroupMetadataManager.storeOffsets (NOT_ENOUGH_REPLICAS, before anything is written), a coordinator that moves or loads.
    """
    require(s.commit_failures_left > 0)
    require(s.sent[member][0] == partition)

    s.commit_failures_left -= 1
    refuse_first(s, member, partition)


@action("OffsetCommit, offsets.commit.timeout.ms")
def fail_after_write(s: Group, member: Member, partition: Partition) -> None:
    """The coordinator writes a commit, waits for replicas in vain, and answers with a retriable error.

    Whoever waits for the answer does not go on: of commitSync before processing the record is yet to be processed.

    Source: ReplicaManager.appendRecords, DelayedProduce (REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    CoordinatorRuntime.OperationTimeout. Seen on 4.3.1.
    """
    require(s.commit_failures_left > 0)
    if s.commit == Commit.ASYNC:
        require(s.sent[member][0] == partition)
        require(accepts(s, member, partition, s.sent_in[member][0]))
    else:
        require(may_commit(s, member, partition))
        require(next_commit(s, member, partition) != s.committed[partition])
        require(accepts(s, member, partition, s.known[member]))

    s.commit_failures_left -= 1
    if s.commit == Commit.ASYNC:
        write_and_refuse(s, partition, s.sent_offset[member][0])
        refuse_first(s, member, partition)
    else:
        write_and_refuse(s, partition, next_commit(s, member, partition))


def refuse_first(s: Group, member: Member, partition: Partition) -> None:
    """The first commit under way is answered with an error. If the application repeats it, that comes after what it has sent since."""
    offset = s.sent_offset[member][0]
    end_first(s, member)
    if s.retries_async and s.up[member]:
        k = 0 if s.sent[member][0] == NONE else 1
        s.sent[member][k] = partition
        s.sent_offset[member][k] = offset
        s.sent_in[member][k] = names(s, member)


@action("OffsetCommit on a connection that breaks")
def hold_up(s: Group, member: Member, partition: Partition) -> None:
    """A member sends a commit, its connection breaks, and what it sends next goes over another one.

    The broker still reads what has reached it over a connection that its client has closed.

    Source: AbstractCoordinator.CoordinatorResponseHandler.onFailure (a disconnect, request.timeout.ms), CommitRequestManager.
    """
    require(s.delays_left > 0)
    require(s.late == NONE)
    require(may_commit(s, member, partition))

    s.delays_left -= 1
    s.late = partition
    s.late_of = member
    s.late_in = names(s, member)
    s.late_offset = next_commit(s, member, partition)


@action("OffsetCommit")
def arrive_late(s: Group, member: Member, partition: Partition) -> None:
    """The coordinator gets the commit that was held up, and writes or refuses it."""
    require(s.late == partition)
    require(s.late_of == member)

    if accepts(s, member, partition, s.late_in):
        write_offset(s, partition, s.late_offset)
    forget_late(s)


def end_first(s: Group, member: Member) -> None:
    """The first commit under way is answered; the second is now the first."""
    s.sent[member][0] = s.sent[member][1]
    s.sent_offset[member][0] = s.sent_offset[member][1]
    s.sent_in[member][0] = s.sent_in[member][1]
    s.sent[member][1] = NONE
    s.sent_offset[member][1] = 0
    s.sent_in[member][1] = 0
