"""The state of a consumer group, what may be configured, and how many faults may happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from neverlost.model.core import Index, State, any_of, budget, counter, flag, optional, per, setting, up_to, view


class Member(Index, bound="members", prefix="m", first=1):
    """A consumer process, under the same name after a restart: m1, m2, ..."""


class Partition(Index, bound="partitions", prefix="p", first=1):
    """A partition of the topic that the group reads."""


class Offset(Index, bound="records"):
    """The offset of a record in its partition."""


class Next(Index, bound="records", more=1):
    """An offset to read next: also the end of a partition."""


class Generation(Index, bound="generations"):
    """A generation of the group, in the new protocol an epoch."""


class Protocol(Index, names=("eager", "cooperative", "consumer")):
    """How partitions move: all are given up first; only those that move; without a barrier, as the coordinator says (KIP-848)."""


class Commit(Index, names=("auto", "auto-threads", "sync", "async", "before")):
    """When offsets are committed: by enable.auto.commit with records processed between two polls, or handed to other threads; by
    commitSync after processing; by commitAsync after processing; by commitSync before processing."""


class Reset(Index, names=("earliest", "latest", "none")):
    """Where a consumer begins that has no valid committed offset."""


class Standing(Index, names=("unknown", "stable", "joining", "syncing")):
    """What a member is to the coordinator: not in the group; with its assignment; waiting for the others to join; about to get its
    assignment."""


class Times(Index, names=("never", "once", "again")):
    """How often a record was processed."""


class Slot(Index, members=2):
    """A commitAsync under way."""


class Count(Index, members=3):
    """A small number, of faults and events."""


ABSENT = -1
"""No member, or no offset: NONE, as a number for type checkers."""
CLIENT, OPERATOR, BROKER = "client", "operator", "broker"
"""Whose a fault is."""


class Group(State):
    """One group: what its coordinator knows, what each member believes, and what became of each record."""

    protocol = setting(any_of(Protocol))
    """How partitions move (`partition.assignment.strategy`, `group.protocol`)."""
    commit = setting(any_of(Commit))
    """When offsets are committed (`enable.auto.commit`, commitSync, commitAsync)."""
    reset = setting(any_of(Reset))
    """Where a consumer begins that has no valid committed offset (`auto.offset.reset`)."""
    commits_on_revoke = setting(flag(), off="forgets_on_revoke")
    """Does the application commit what it has processed before it gives a partition up (onPartitionsRevoked)? Otherwise it has no
    ConsumerRebalanceListener."""
    drops_records = setting(flag(), off="finishes_records")
    """Do other threads drop what they have of a partition when it is given up? Otherwise they finish it."""
    retries_async = setting(flag())
    """Does the application repeat a commitAsync that failed, whatever it has committed since?"""
    passes_failed = setting(flag(), off="stops_at_failed")
    """Does the application, or its framework, go on behind a record whose processing fails? Otherwise it closes its consumer."""
    new_group = setting(flag())
    """Has the group not committed anything yet? Otherwise the beginning of every partition is committed."""
    commits_epoch = setting(flag(), off="commits_no_epoch")
    """Does a commit carry the leader epoch of the last record (`OffsetAndMetadata`)? enable.auto.commit and commitSync() do."""
    checks_epoch = setting(flag())
    """Do consumers notice by leader epochs that a partition was truncated below their position (KIP-320)?"""
    expires_in_use = setting(flag())
    """Do offsets expire while the group has members (before KIP-211)?"""
    expires_in_rebalance = setting(flag())
    """Do offsets expire while the group rebalances (KAFKA-13636)?"""
    reads_while_revoking = setting(flag())
    """Does poll return records of partitions whose last offsets are being committed before they are given up (KAFKA-14196)?"""
    ignores_old_claims = setting(flag())
    """Does the cooperative assignor ignore what members own that have missed a generation (KAFKA-14639)?"""
    commits_unreturned = setting(flag())
    """May the new consumer commit offsets of records that poll has yet to return (KAFKA-18641, KAFKA-19589)?"""
    commits_in_last_poll = setting(flag())
    """May the classic consumer do so, as it sends the next fetches before it returns (KAFKA-2942)?"""
    reads_in_rebalance = setting(flag())
    """Does poll return records of partitions that a cooperative member keeps while the group rebalances (KAFKA-8421)?"""
    loads_old = setting(flag())
    """May a new coordinator go on with an offset that it has read before the newest (KAFKA-5600)?"""
    loads_to_high_watermark = setting(flag())
    """Does a new coordinator read its log to the high watermark only, which may be behind what is acknowledged?"""
    acknowledges_lost = setting(flag())
    """May a coordinator that loses its partition acknowledge a commit that is truncated (KAFKA-20634)?"""
    preview_acknowledges_lost = setting(flag())
    """May it with KIP-848, whose coordinator 3.7 to 3.9 have beside the classic one?"""
    rejoins_quietly = setting(flag())
    """Does a member that joins again with the same metadata get the coordinator's generation, without another rebalance?"""
    preview_answers_at_once = setting(flag())
    """Does the coordinator of KIP-848's preview answer with what it has read in its log, before other replicas have it?"""
    drops_what_is_taken = setting(flag())
    """Does a heartbeat that repeats everything leave out a partition whose onPartitionsAssigned runs (KIP-848)? It is taken for given
    up, if it is meant for another member by then."""
    resets_unfetched = setting(flag())
    """Does the new consumer reset each partition without a position when it has fetched the committed offsets of some (KAFKA-17674)?"""
    counts_refused = setting(flag())
    """Does a commit that was written and answered with an error count at once? Else a coordinator that loads its log counts it."""
    epoch_per_partition = setting(flag())
    """Is a commit accepted from the epoch on in which the member was assigned the partition (KIP-1251)? Else only in its newest."""

    joins = budget(up_to(Count), singular="later member")
    """How many members, the last ones, are started only later."""
    leaves = budget(up_to(Count), singular="orderly close")
    """How many times a member may be closed with everything processed, as for a rolling restart."""
    failures = budget(up_to(Count), singular="failed record", whose=CLIENT)
    """How many times processing may fail: the application closes its consumer with records in hand, or passes the record over."""
    crashes = budget(up_to(Count), singular="consumer crash", whose=CLIENT)
    """How many times a consumer process may die."""
    timeouts = budget(up_to(Count), singular="timeout of a member", whose=CLIENT)
    """How many times a running member may be silent so long that it is expelled (`session.timeout.ms`, `max.poll.interval.ms`)."""
    heartbeat_failures = budget(up_to(Count), singular="failed heartbeat", whose=BROKER)
    """How many times a heartbeat may fail while its member is taking a partition (KIP-848)."""
    commit_failures = budget(up_to(Count), singular="failed commit", whose=BROKER)
    """How many times a commit may fail with a retriable error, whether the coordinator has written it or not."""
    delays = budget(up_to(Count), singular="held-up commit", whose=BROKER)
    """How many times a commit may be held up on a broken connection, and arrive after what its member has sent since."""
    expiries = budget(up_to(Count), singular="expiry of offsets", whose=OPERATOR)
    """How many times the group may be empty so long that its offsets expire (`offsets.retention.minutes`)."""
    idle_times = budget(up_to(Count), singular="idle time of a partition", whose=OPERATOR)
    """How many times nothing may be committed for a partition for as long, while the group has members."""
    coordinator_moves = budget(up_to(Count), singular="move of the coordinator", whose=BROKER)
    """How many times the coordinator's partition of __consumer_offsets may get another leader, which loads it."""
    rollbacks = budget(up_to(Count), singular="lost commit", whose=BROKER)
    """How many times __consumer_offsets may lose its last commit, by an unclean election."""
    partition_adds = budget(up_to(Count), singular="added partition", whose=OPERATOR)
    """How many partitions, the last ones, are added only later."""
    truncations = budget(up_to(Count), singular="truncation of the source", whose=BROKER)
    """How many times a partition may lose its last record, by an unclean election."""
    removals = budget(up_to(Count), singular="removed record", whose=OPERATOR)
    """How many times retention may remove the oldest record of a partition (`retention.ms`)."""

    exists = per(Partition, flag())
    """Does the partition exist?"""
    discovered = per(Partition, flag())
    """Does the group know of the partition?"""
    end = per(Partition, up_to(Offset))
    """The offset after the last record."""
    start = per(Partition, up_to(Offset))
    """The offset of the oldest record that retention has left."""
    processed = per(Partition, Offset, any_of(Times))
    """How often the record at an offset was processed; after a truncation, the record that replaces it."""
    committed = per(Partition, optional(Next))
    """The committed offset: where a new owner of the partition continues."""
    older = per(Partition, optional(Next))
    """The offset that was committed before."""
    unseen = per(Partition, optional(Next))
    """The offset that is last in the coordinator's log, and not taken over: its commit was answered with an error."""
    cut_at = per(Partition, optional(Next))
    """Where the partition was truncated below the committed offset since: the leader epoch that was committed with it tells."""
    generation = any_of(Generation)
    """The generation of the group, in the new protocol its epoch."""
    rebalancing = flag()
    """Does the coordinator wait for the members to join?"""
    emptied = flag()
    """Has the group had no member since its last generation?"""
    standing = per(Member, any_of(Standing))
    """What each member is to the coordinator."""
    given = per(Partition, optional(Member))
    """The member that the coordinator has assigned the partition to."""
    given_in = per(Partition, any_of(Generation))
    """The epoch in which it was assigned (KIP-848)."""
    asked = per(Partition, flag())
    """Has its member been asked to give the partition up (KIP-848)?"""
    unfetched = per(Partition, flag())
    """Was it assigned while its member was to fetch the committed offset of another, so that this one may be reset (KAFKA-17674)?"""
    member_epoch = per(Member, any_of(Generation))
    """The member's epoch, as the coordinator has it (KIP-848)."""
    recorded = per(Member, flag())
    """Has the record of the group's generation the member, so that a coordinator that loads it knows it? Asked of the classic protocol,
    where the next generation may be forgotten."""
    forgotten = per(Partition, optional(Member))
    """The member to which a generation gave the partition that the coordinator after has not."""
    unanswered = per(Member, flag())
    """Does the member wait for its assignment of that generation?"""
    up = per(Member, flag())
    """Is the process running?"""
    known = per(Member, any_of(Generation))
    """The generation or epoch that the member is in, as it believes."""
    owned = per(Member, Partition, flag())
    """Does the member believe that a partition is its own?"""
    position = per(Member, Partition, up_to(Offset))
    """The offset that the member polls next."""
    fresh = per(Member, Partition, flag())
    """Has the member begun where auto.offset.reset=latest says, or is its offset gone since, and has it processed nothing after that?
    Then its last commit, of what is processed, has no offset for the partition."""
    done = per(Member, Partition, up_to(Offset))
    """The offset up to which the member has processed what it polled. From here to the position, records are in hand."""
    sent = per(Member, Slot, optional(Partition))
    """The partition of each commitAsync under way, in the order in which they were sent."""
    sent_offset = per(Member, Slot, up_to(Offset))
    """The offset that it commits."""
    sent_in = per(Member, Slot, any_of(Generation))
    """The generation or epoch that it names."""
    late = optional(Partition)
    """The partition of a commit that is held up; its member has sent it again on another connection, or given it up."""
    late_offset = up_to(Offset)
    """The offset that it commits."""
    late_of = optional(Member)
    """The member that has sent it."""
    late_in = any_of(Generation)
    """The generation or epoch that it names."""
    joins_left = counter(joins)
    """How many members are yet to be started."""
    leaves_left = counter(leaves)
    """How many times a member may still be closed."""
    failures_left = counter(failures)
    """How many times processing may still fail."""
    crashes_left = counter(crashes)
    """How many times a process may still die."""
    timeouts_left = counter(timeouts)
    """How many times a running member may still be expelled."""
    heartbeat_failures_left = counter(heartbeat_failures)
    """How many times a heartbeat may still fail."""
    commit_failures_left = counter(commit_failures)
    """How many times a commit may still fail."""
    delays_left = counter(delays)
    """How many times a commit may still be held up."""
    expiries_left = counter(expiries)
    """How many times offsets may still expire."""
    idle_times_left = counter(idle_times)
    """How many times nothing may still be committed for long."""
    coordinator_moves_left = counter(coordinator_moves)
    """How many times the coordinator may still move."""
    rollbacks_left = counter(rollbacks)
    """How many times a commit may still be lost."""
    partition_adds_left = counter(partition_adds)
    """How many partitions are yet to be added."""
    truncations_left = counter(truncations)
    """How many times a partition may still lose its last record."""
    removals_left = counter(removals)
    """How many records may still be removed."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {"coordinator": ("generation", "rebalancing", "emptied")}

    @view(Member, "sent", "sent_offset", "sent_in")
    def commits_under_way(self, member: int) -> str:
        """The commits that the member has sent and that the coordinator has not answered."""
        slots = zip(self.sent[member], self.sent_offset[member], self.sent_in[member], strict=True)
        return ", ".join(f"p{p + 1} at {offset} (generation {of})" for p, offset, of in slots if p >= 0)

    @view("late", "late_offset", "late_of", "late_in")
    def held_up(self) -> str:
        """The commit that is held up."""
        if self.late < 0:
            return ""
        return f"p{self.late + 1} at {self.late_offset} of m{self.late_of + 1} (generation {self.late_in})"

    @view(Partition, "unseen")
    def in_the_log_alone(self, partition: int) -> str:
        """The offset that the coordinator has written, and not taken over."""
        return "" if self.unseen[partition] < 0 else str(self.unseen[partition])

    @view(Partition, "start", "end", "processed")
    def records(self, partition: int) -> str:
        """The records of the partition, each with how often it was processed."""
        kept = range(self.start[partition], self.end[partition])
        return ", ".join(f"{offset} {Times.names[self.processed[partition][offset]]}" for offset in kept)
