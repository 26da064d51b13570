"""The state of one transactional id: producers, coordinator, partitions, and the messages that are held up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from neverlost.model.core import (
    NONE,
    Index,
    State,
    SubsetOf,
    any_of,
    budget,
    counter,
    flag,
    optional,
    per,
    setting,
    up_to,
    view,
)


class Producer(Index, bound="producers", prefix="p", first=1):
    """An instance of the producer, p1, p2, ... with the transactional id: each is started when the one before it has its epoch."""


class Txn(Index, bound="transactions", prefix="t", first=1):
    """A transaction as the application sees it: t1, t2, ... each is begun once, in order."""


class Partition(Index, bound="partitions", prefix="a", first=1, symmetric=True):
    """A partition that transactions write to: a1, a2, ... each transaction has one record for each."""


class Partitions(SubsetOf, of=Partition):
    """A set of partitions."""


class Epoch(Index, bound="epochs"):
    """A producer epoch: the coordinator issues each once, in order."""


class Number(Index, bound="transactions"):
    """The sequence number of a record, within an epoch in a partition."""


class Result(Index, names=("commit", "abort")):
    """How a transaction ends."""


class Protocol(Index, names=("tv0", "tv2")):
    """A transaction version (KIP-890). tv0 is 0 and 1, which differ in the format of the coordinator's log only."""


class MarkerCheck(Index, names=("not-older", "newer", "newer-or-repeated")):
    """Which producer epochs a partition accepts in a marker of version 2, compared with the newest that it has seen."""


class Unanswered(Index, names=("sends-again", "new-epoch", "closes")):
    """What a client does if EndTxn is not answered in time: it sends it again; from 2.5 on it may also ask for a new epoch when the
    transaction has ended; or it closes the producer, and does not know how the transaction ended."""


class Phase(
    Index,
    names=("new", "starting", "ready", "in-transaction", "ending", "bumping", "fenced", "dead"),
):
    """What a producer does: not started; waits for its first epoch; between transactions; in one; waits for the answer to EndTxn; waits
    for a new epoch; was told that it is fenced; was closed or has a fatal error."""


class Stage(Index, names=("not-begun", "begun", "committing", "committed", "aborting", "aborted")):
    """What the application has asked for, and was answered."""


class Sent(Index, names=("unsent", "adding", "added", "unanswered", "acknowledged", "failed", "dropped")):
    """What the producer knows of its record for a partition: AddPartitionsToTxn is not answered, or was; the record is not answered, or
    was; it failed; it was given up before the partition was known to be added."""


class Fate(Index, names=("absent", "open", "visible", "skipped")):
    """What a reader of committed records makes of a record: not in the log; in an open transaction; visible; skipped as aborted."""


class Numbering(Index, names=("next", "again")):
    """Which sequence number the next record has after one that was given up: the next, or that of the record that was given up."""


class Held(Index, names=("no", "held-up", "verified")):
    """Is a Produce held up? On its way, or in the broker between its verification and the append."""


class Decision(
    Index,
    names=("empty", "ongoing", "prepare-commit", "prepare-abort", "complete-commit", "complete-abort"),
):
    """The state of the transactional id at its coordinator (TransactionState)."""


class Way(Index, names=("at-once", "late", "unacknowledged")):
    """How a request arrives: at once; held up, so that its sender has no answer and sends it again; or at once, and another broker
    becomes the coordinator before the log has acknowledged what it wrote, and has it: the sender has no answer either."""


class Tail(Index, names=("acknowledged", "written", "read")):
    """Has the coordinator's log acknowledged what is last in it? If not, the coordinator has written it, and waits; or it is one that
    has read it when it was elected, and does not wait."""


class Count(Index, members=3):
    """A small number: of faults, of moves of the coordinator."""


BROKER, CLIENT, NETWORK, OPERATOR = "broker", "client", "network", "operator"
"""Whose a fault is."""


class PartialLoad(
    Index,
    bound="partial_loads",
    prefix="l",
    first=1,
    optional=True,
    on_request=True,
    absent="no coordinator loses its log while it reads it",
    whose=BROKER,
):
    """A time that a coordinator loses its log to another while it reads it, and acts on the part that it has read."""


DOES, DONE_BEFORE, TRY_AGAIN, FENCED, INVALID = 0, 1, 2, 3, 4
"""Answers, those without an error first: it is done; it was before; the sender has to wait; fenced; another error."""


class Transactions(State):
    """One transactional id: what its coordinator and the partitions know, what each producer believes, and what is held up."""

    client = setting(any_of(Protocol))
    """The newest transaction version that the client has; it is used if the cluster has it too."""
    server = setting(any_of(Protocol))
    """The transaction version of the cluster (`transaction.version`), by which brokers time out and fence whatever the client has."""
    verification = setting(flag(), off="unverified")
    """Does a partition ask the coordinator whether it is in the transaction (`transaction.partition.verification.enable`)?"""
    compares_first = setting(flag())
    """Does a partition refuse an older epoch before it asks (KAFKA-14563)? Otherwise the append refuses it."""
    client_bumps = setting(flag())
    """Does a client ask for a new epoch after an error for which it aborted (KIP-360)? Otherwise a record without answer is fatal."""
    keeps_epoch = setting(flag(), off="never-in-the-same-epoch")
    """May a client that gives a record up go on in the same epoch all the same? Java's does, but for version 2: up to 2.4 if it is not
    the expiry of a retry that ends it; from 2.5 on if that is while it commits or aborts (TransactionManager.isCompleting)."""
    fence_bumps_twice = setting(flag())
    """Does fencing in version 2 raise the epoch twice (KAFKA-19367)?"""
    marker_check = setting(any_of(MarkerCheck))
    """Which epochs a partition accepts in a marker of version 2 (KIP-1228, KAFKA-19999)."""
    mixed_brokers = setting(flag())
    """Are some brokers of an earlier release, so that markers come without their version and are checked as those of tv0?"""
    unanswered = setting(any_of(Unanswered))
    """What a client does if EndTxn is not answered in time."""
    timeout_fences = setting(flag())
    """Does a timeout raise the epoch, so that the producer learns of it (KAFKA-6119)?"""
    reads_to_log_end = setting(flag(), off="reads-to-high-watermark")
    """Does a new coordinator act on all that is in its log, also on what is not acknowledged?"""
    reads_above_stable = setting(flag())
    """May a fetch of committed records be answered what is open, if the high watermark moves meanwhile (KAFKA-9807)?"""

    delays = budget(up_to(Count), singular="held-up request", whose=NETWORK)
    """How many requests of producers may be held up, and arrive at any later time although they were sent again."""
    late_markers = budget(up_to(Count), singular="held-up marker", whose=NETWORK)
    """How many WriteTxnMarkers of the coordinator may be held up in the same way."""
    timeouts = budget(up_to(Count), singular="transaction timeout", whose=CLIENT)
    """How many times a transaction may last longer than `transaction.timeout.ms`."""
    coordinator_moves = budget(up_to(Count), singular="move of the coordinator", whose=BROKER)
    """How many times another broker may become the coordinator, while the end of a transaction is prepared or before the log has
    acknowledged what the coordinator wrote."""
    expirations = budget(up_to(Count), singular="expiry of producer state", whose=OPERATOR)
    """How many times a partition may forget the producer (`producer.id.expiration.ms`, or its last record was deleted)."""
    lost_markers = budget(up_to(Count), singular="lost marker", whose=BROKER)
    """How often a partition may lose a marker at the end of its log, by an unclean election or as any acknowledged record is lost."""
    early_reads = budget(up_to(Count), singular="early read", whose=BROKER)
    """How many times a fetch of committed records may be answered while the high watermark moves."""

    phase = per(Producer, any_of(Phase))
    """What each producer does."""
    epoch = per(Producer, optional(Epoch))
    """The epoch of each producer."""
    must_abort = per(Producer, flag())
    """Has the producer an error for which its application has to abort?"""
    needs_bump = per(Producer, flag())
    """Will the producer ask for a new epoch when its transaction has ended?"""
    next_number = per(Producer, Partition, up_to(Number))
    """The sequence number of the producer's next record."""

    stage = per(Txn, any_of(Stage))
    """What the application asked for, and was answered."""
    owner = per(Txn, optional(Producer))
    """The producer that began the transaction."""
    txn_epoch = per(Txn, optional(Epoch))
    """The epoch in which its requests are sent."""
    sent = per(Txn, Partition, any_of(Sent))
    """What the producer knows of each record."""
    number = per(Txn, Partition, optional(Number))
    """The sequence number of each record that was sent."""
    record = per(Txn, Partition, any_of(Fate))
    """What readers make of each record."""
    copy = per(Txn, Partition, any_of(Fate))
    """The same for a second copy of it in the log."""
    read_early = per(Txn, Partition, flag())
    """Was the record read while it was open?"""
    ended_last = per(Txn, Partition, flag())
    """Was the record ended by the marker at the end of the partition's log? Known only where a marker may be lost."""

    late_init = per(Producer, flag())
    """Is an InitProducerId of a producer that starts held up?"""
    late_bump = per(Producer, optional(Epoch))
    """The epoch that is expected in an InitProducerId that is held up (KIP-360)."""
    late_add = per(Txn, Partition, flag())
    """Is an AddPartitionsToTxn held up?"""
    late_produce = per(Txn, Partition, any_of(Held))
    """Is a Produce held up?"""
    late_end = per(Txn, optional(Result))
    """Is an EndTxn held up, and which?"""
    late_marker = per(Partition, optional(Result))
    """Is a WriteTxnMarkers held up, and which?"""
    late_marker_epoch = per(Partition, optional(Epoch))
    """The producer epoch in it."""
    late_marker_coordinator = per(Partition, up_to(Count))
    """The coordinator epoch in it."""
    late_marker_v2 = per(Partition, flag())
    """Is it a marker of version 2?"""

    state = any_of(Decision)
    """The state at the coordinator."""
    newest_epoch = optional(Epoch)
    """The producer epoch at the coordinator."""
    last_epoch = optional(Epoch)
    """The epoch before it: a request to raise it is a repetition."""
    partitions = any_of(Partitions)
    """The partitions of the transaction; while its end is prepared, those that have not answered a marker."""
    logged_partitions = any_of(Partitions)
    """The partitions of a prepared end in the coordinator's log: another coordinator starts from these."""
    prepared_in_v2 = flag()
    """Was the end prepared in version 2?"""
    coordinator_epoch = up_to(Count)
    """How often the coordinator has moved."""

    tail = any_of(Tail)
    """Has the coordinator's log acknowledged what is last in it? Known only where the coordinator may move twice."""
    before_state = any_of(Decision)
    """The state that the log has before what is not acknowledged."""
    before_epoch = optional(Epoch)
    """The producer epoch there."""
    before_partitions = any_of(Partitions)
    """The partitions there."""
    decided = per(PartialLoad, optional(Result))
    """The last decision in the coordinator's log. Known only where a coordinator may lose its log while it reads it."""
    decided_epoch = per(PartialLoad, optional(Epoch))
    """The producer epoch there."""
    decided_partitions = per(PartialLoad, any_of(Partitions))
    """The partitions there."""
    decided_in_v2 = per(PartialLoad, flag())
    """Was it made in version 2?"""

    seen_epoch = per(Partition, optional(Epoch))
    """The newest producer epoch that the partition knows."""
    expected = per(Partition, up_to(Number))
    """The sequence number that it expects next."""
    seen_coordinator = per(Partition, up_to(Count))
    """The newest coordinator epoch in a marker of the partition."""

    delays_left = counter(delays)
    """How many requests may still be held up."""
    late_markers_left = counter(late_markers)
    """How many markers may still be held up."""
    timeouts_left = counter(timeouts)
    """How many timeouts may still happen."""
    coordinator_moves_left = counter(coordinator_moves)
    """How many times the coordinator may still move."""
    expirations_left = counter(expirations)
    """How many times a partition may still forget the producer."""
    lost_markers_left = counter(lost_markers)
    """How many markers may still be lost."""
    early_reads_left = counter(early_reads)
    """How many fetches may still be answered early."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "coordinator": (
            "state", "newest_epoch", "last_epoch", "partitions", "logged_partitions", "prepared_in_v2", "coordinator_epoch",
            "tail", "before_state", "before_epoch", "before_partitions",
            "decided", "decided_epoch", "decided_partitions", "decided_in_v2",
        ),
        "network": (
            "late_init", "late_bump", "late_add", "late_produce", "late_end", "late_marker", "late_marker_epoch",
            "late_marker_coordinator", "late_marker_v2",
        ),
    }  # fmt: skip

    @view("network", "late_end", each=Txn)
    def end_held_up(self, txn: int) -> str:
        """An EndTxn that is held up."""
        result = self.late_end[txn]
        return "" if result == NONE else f"EndTxn({Result.names[result]}) of epoch {self.txn_epoch[txn]}"

    @view("network", "late_marker", "late_marker_epoch", "late_marker_coordinator", "late_marker_v2", each=Partition)
    def marker_held_up(self, partition: int) -> str:
        """A marker that is held up."""
        result = self.late_marker[partition]
        return "" if result == NONE else f"{Result.names[result]} marker of epoch {self.late_marker_epoch[partition]}"


def in_v2(s: Transactions) -> bool:
    """Do client and cluster both have transaction version 2?"""
    return s.client == Protocol.TV2 and s.server == Protocol.TV2
