"""The state of one partition, what may be configured, and how many faults may happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from neverlost.model.core import (
    Index,
    State,
    SubsetOf,
    any_of,
    budget,
    counter,
    flag,
    one_to,
    optional,
    per,
    setting,
    up_to,
    view,
)

BROKER, CONTROLLER, CLIENT = "broker", "controller", "client"
"""Whose a fault is."""


class Replica(Index, bound="replicas", prefix="r", first=1, symmetric=True):
    """A broker that hosts the partition: r1, r2, ... r1 leads at the start."""


class ReplicaSet(SubsetOf, of=Replica):
    """A set of replicas."""


class Offset(Index, bound="log_size"):
    """A position in a log."""


class End(Index, bound="log_size", more=1):
    """The end of a log, or of a part of it: the first offset beyond it."""


class Value(Index, bound="values"):
    """A value that the producer writes: each once, in order."""


class Epoch(Index, bound="leader_epochs"):
    """A leader epoch: the controller issues each once, in order."""


class Acks(Index, names=("0", "1", "all")):
    """What the producer waits for."""


class Truncation(Index, names=("high-watermark", "kip-101", "kip-279", "on-fetch")):
    """How a new follower finds where to cut its log."""


class Commit(Index, names=("none", "before", "after", "auto")):
    """When the consumer commits its offset: never, as there is no consumer; before it processes a record; after; at the next poll."""


class Delivery(
    Index, names=("unsent", "waiting", "acknowledged", "refused", "not-enough-replicas-after-append", "unknown")
):
    """What the producer knows of a value."""


class Response(Index, names=("delivered", "lost")):
    """Does the response arrive?"""


class EpochPerShrink(Index, names=("none", "of-the-controller", "every")):
    """Which ISR changes that drop a member come with a new leader epoch."""


class Delay(
    Index,
    bound="delays",
    prefix="d",
    first=1,
    optional=True,
    absent="no exchange is delayed",
):
    """An exchange that may last over a change of leadership, or of the ISR: a fetch, a produce request, a response, metadata. Each is
    used once."""


class LostDecision(
    Index,
    bound="lost_decisions",
    prefix="l",
    first=1,
    optional=True,
    absent="the controllers lose no decision",
    present="every broker that has read a lost decision notices that",
    whose=CONTROLLER,
):
    """A time that the controllers, by a mishap in their quorum, lose their last decision about the partition."""


class MinIsrChange(Index, bound="min_isr_changes", prefix="c", first=1, optional=True):
    """A time that an operator sets min ISR while records are written, to any value."""


class DirectoryMove(Index, bound="directory_moves", prefix="m", first=1, optional=True):
    """A time that a replica moves to another log directory of its broker."""


class ProducerEpoch(
    Index,
    bound="producer_epochs",
    prefix="p",
    first=1,
    optional=True,
    on_request=True,
    absent="the producer begins no further epoch",
):
    """A further epoch of an idempotent producer: it numbers what is not acknowledged anew, as Java's does (KAFKA-15591)."""


class Late(
    Index,
    names=("unused", "produce", "check", "cut", "slice", "record", "truncation", "over", "look", "news", "request"),
):
    """What lasts: a produce without its delayed produce, a fetch that is checked and not counted, a response that says where to cut,
    one whose bytes are not read yet, one with a record or only the high watermark, a truncation that is to come, a look at a delayed
    produce, metadata with an ISR, a request for an ISR that the leader has taken back."""


class Count(Index, members=3):
    """A small number: of faults, of retries."""


class Members(Index, members=7):
    """A number of replicas."""


class Times(Index, names=("never", "once", "again")):
    """How often the consumer has processed a value."""


FIRST_LEADER = 0
ACKS_NONE, ACKS_ONE, ACKS_ALL = 0, 1, 2
TO_HIGH_WATERMARK, KIP_101, KIP_279, ON_FETCH = 0, 1, 2, 3
NO_CONSUMER, COMMIT_BEFORE, COMMIT_AFTER, COMMIT_AUTO = 0, 1, 2, 3
UNSENT, WAITING, ACKNOWLEDGED, REFUSED, AFTER_APPEND, UNKNOWN = 0, 1, 2, 3, 4, 5
NO_SHRINK, SHRINK_BY_CONTROLLER, EVERY_SHRINK = 0, 1, 2
DELIVERED, LOST = 0, 1
UNUSED, LATE_PRODUCE, LATE_CHECK, LATE_CUT, LATE_SLICE, LATE_RECORD, LATE_TRUNCATION, OVER = 0, 1, 2, 3, 4, 5, 6, 7
LATE_LOOK, LATE_NEWS, LATE_REQUEST = 8, 9, 10
IN_RANGE, OUT_OF_RANGE = 0, 1
FORGOTTEN = 1
NEVER, ONCE, AGAIN = 0, 1, 2


class Partition(State):
    """One partition: what each broker has on disk and in memory, what the controller has recorded, and what the clients know."""

    acks = setting(any_of(Acks))
    """What the producer waits for: nothing, the leader's append, or every member of the ISR (`acks`)."""
    min_isr = setting(one_to(Members))
    """With acks=all, a write needs at least this many members in the ISR (`min.insync.replicas`)."""
    unclean = setting(flag(), off="clean")
    """May a replica outside the ISR be elected when no member of it is live (`unclean.leader.election.enable`)?"""
    retries = budget(up_to(Count), singular="retry")
    """How many times the producer may send failed values again, all values together (`retries`)."""
    idempotence = setting(flag())
    """Do brokers recognise what the producer sends again (`enable.idempotence`)?"""
    pipelined = setting(flag())
    """May the producer send a value before the previous one is answered (`max.in.flight.requests.per.connection` above 1)?"""
    acks_earlier = setting(flag())
    """Does the producer take a value that is acknowledged for the answer to earlier ones that failed (librdkafka with idempotence)?"""
    flush = setting(flag())
    """Is every record on disk before it counts (`flush.messages` = 1)? Otherwise a power loss may take any part of the log's tail."""
    commit = setting(any_of(Commit))
    """When the consumer commits its offset, if there is a consumer."""
    truncation = setting(any_of(Truncation))
    """How a new follower finds where to cut its log (KIP-101, KIP-279, KIP-595's truncation on fetch)."""
    fencing = setting(flag())
    """Are fetches with another leader epoch than the leader's refused (KIP-320)?"""
    isr_in_flight = setting(flag())
    """Does a leader ask the controller to change the ISR, and learn the answer later (KIP-497)? Otherwise it is one atomic write."""
    maximal_isr = setting(flag())
    """While an ISR change is in flight, does the leader wait for every replica of both ISRs (KIP-497)?"""
    high_watermark_on_answer = setting(flag())
    """Does a leader update its high watermark when its ISR change is answered (KAFKA-13091)?"""
    isr_without_fenced = setting(flag())
    """Does the controller refuse an ISR with a fenced broker in it (KIP-841)?"""
    broker_epochs = setting(flag())
    """Does the controller refuse an ISR with a broker that has restarted since the leader asked (KIP-903)?"""
    strict_min_isr = setting(flag())
    """Does the high watermark stay while the ISR is smaller than min ISR (KIP-966, KAFKA-15583)?"""
    elr = setting(flag())
    """Do replicas that leave an ISR below min ISR stay eligible for leadership (KIP-966)?"""
    keeps_known_ends = setting(flag(), off="forgets_known_ends")
    """Does a leader that hears of a newer epoch of its own keep what it knew of its followers (from KAFKA-2721 on)?"""
    epoch_start_guard = setting(flag())
    """Must a follower reach the start of the leader's epoch before it enters the ISR (KAFKA-7128)?"""
    ordered_metadata = setting(flag())
    """Does a broker hear of every leader epoch in turn, while its session and the controller last (ZooKeeper)? In KRaft it need not."""
    notices_missed_epoch = setting(flag())
    """Does a follower that has missed a leader epoch ask again where to cut its log (KAFKA-7164)?"""
    counts_diverging_fetch = setting(flag())
    """Does a fetch that only tells the follower where to cut its log count as progress (KAFKA-13141)?"""
    notes_epoch_at_start = setting(flag())
    """Does a leader record where its epoch starts before its log has a record of the epoch (KAFKA-7415)?"""
    starts_over = setting(flag())
    """Does a follower beyond its leader's log drop its own log if the leader's has grown meanwhile (KAFKA-2143)?"""
    exposes_diverging = setting(flag())
    """Does a follower take the high watermark of a response that says where to cut, before it cuts (KAFKA-14704)?"""
    reads_past_high_watermark = setting(flag())
    """May a consumer's fetch return a record that is appended while it reads up to the log end (KAFKA-9835)?"""
    cleans_uncommitted = setting(flag())
    """Does the cleaner count records above the high watermark as the newest of their key (KAFKA-13194)?"""
    drops_caught_up = setting(flag())
    """May a leader drop a silent follower although it has caught up (up to 2.0)?"""
    epoch_per_shrink = setting(any_of(EpochPerShrink))
    """Which ISR changes that drop a member come with a new leader epoch (KAFKA-15021)?"""
    misses_restarts = setting(flag())
    """Does a new controller take a broker that it finds registered for one that has never been away (ZooKeeper)?"""
    registers_unfenced = setting(flag())
    """May a broker that returns before it was fenced stay leader and in the ISR (KRaft, until KAFKA-18106)?"""
    compacted = setting(flag())
    """Is only the newest record of a key kept (`cleanup.policy=compact`)? Then all records have the same key."""
    fetch_from_followers = setting(flag())
    """May the consumer read from followers (`replica.selector.class`, KIP-392)?"""
    ignores_unclean = setting(flag())
    """Does the controller ignore that unclean election is allowed (KRaft to 3.8, KAFKA-12670)?"""
    lone_first_partition = setting(flag())
    """Has partition 0 of the topic one replica? Then the controller takes min ISR for 1 in all of its partitions (KIP-966)."""
    several_log_dirs = setting(flag())
    """Has a broker several log directories (`log.dirs`), so that it can start without one of them?"""
    directory_moves_clear_elr = setting(flag())
    """Does the controller clear the eligible replicas when a replica moves to another log directory (4.1 and 4.2)?"""
    responses_know_epoch = setting(flag())
    """Does a follower drop the response to a fetch of an earlier leader epoch (1.1 to 2.7; later from KAFKA-18991 on)?"""
    refuses_newer_records = setting(flag())
    """Does a follower drop records of a newer leader epoch than its own (KAFKA-18723)?"""
    late_counts_are_lost = setting(flag())
    """Is a fetch that is counted only after its leader has followed another noted nowhere, but for the ISR (from 3.3 on)?"""
    refuses_older_records = setting(flag())
    """Does a follower drop records of an older leader epoch than that of the record before? No release does."""
    produces_know_epoch = setting(flag())
    """Does a delayed produce fail when the leader epoch changes after the append (KAFKA-1148)? In no release."""
    fetches_know_epoch = setting(flag())
    """Is a fetch counted only in the leader epoch in which it was checked? In no release."""
    responses_keep_bytes = setting(flag())
    """Does the response to a fetch bring what was in the log when the fetch was checked? In no release."""
    cuts_know_epoch = setting(flag())
    """Does a follower that has checked the epoch of a response cut its log only in that epoch? In no release."""
    looks_at_once = setting(flag())
    """Is a delayed produce looked at under a lock, so that its broker hears of no epoch meanwhile? In no release."""
    takes_back_proposals = setting(flag(), off="keeps_proposals")
    """Does metadata with an ISR that the leader has learned already take back its next proposal, which may still be granted
    (KRaft; KAFKA-13790 left it so)?"""
    every_delay = setting(flag())
    """May exchanges also be delayed where that makes no difference? This checks that what is otherwise left out makes none."""
    crashes = budget(up_to(Count), singular="crash", whose=BROKER)
    """How many times a broker process may die; what it wrote survives."""
    power_losses = budget(up_to(Count), singular="power loss", whose=BROKER)
    """How many times a broker may lose power, and with it what was not flushed."""
    disk_losses = budget(up_to(Count), singular="disk loss", whose=BROKER)
    """How many times a broker may lose its disk, and come back with nothing."""
    leader_moves = budget(up_to(Count), singular="leader move", whose=BROKER)
    """How many times the controller may move leadership without a failure, as preferred elections do."""
    pauses = budget(up_to(Count), singular="pause", whose=BROKER)
    """How many times a live broker may be silent so long that it is fenced, for example by a long garbage collection."""
    shutdowns = budget(up_to(Count), singular="shutdown", whose=BROKER)
    """How many times a broker may be shut down, for example for a rolling restart: it hands over, flushes, and then ends."""
    controller_changes = budget(up_to(Count), singular="controller change", whose=CONTROLLER)
    """How many times the controller may change. Brokers that hear of leader epochs in turn then hear only of the newest."""
    lost_responses = budget(up_to(Count), singular="lost response", whose=CLIENT)
    """How many responses to the producer may be lost, with acks=1."""
    consumer_crashes = budget(up_to(Count), singular="consumer crash", whose=CLIENT)
    """How many times the consumer may die; another continues from the committed offset."""

    up = per(Replica, flag())
    """Is the broker process running?"""
    log_end = per(Replica, up_to(Offset))
    """The first free offset of the log (exclusive)."""
    record_value = per(Replica, Offset, optional(Value))
    """The value at an offset; none at and beyond the log end."""
    record_epoch = per(Replica, Offset, optional(Epoch))
    """The leader epoch in which the record was written."""
    high_watermark = per(Replica, up_to(Offset))
    """Every record below this offset counts as committed: consumers may read it. If the broker is down, the checkpoint."""
    epoch = per(Replica, optional(Epoch))
    """The leader epoch that the broker is in; none while it is down, and after a start until it hears of one."""
    leader = per(Replica, optional(Replica))
    """The leader, as the broker believes."""
    led_from = per(Replica, up_to(Offset))
    """Where the log of a leader ended when it became the leader, by this process: the start of its epoch (KAFKA-7128)."""
    isr = per(Replica, any_of(ReplicaSet))
    """The in-sync replicas, as a leader believes; empty for other brokers."""
    proposed_isr = per(Replica, any_of(ReplicaSet))
    """The ISR that a leader has asked the controller for, while it waits for the answer; empty if there is none."""
    known_end = per(Replica, Replica, up_to(Offset))
    """A leader's knowledge of each follower's log end, from that follower's fetches. A broker's entry for itself is 1 or 0: whether
    it has learned, as a follower, that it is beyond its leader's log, and next asks where that ends (KAFKA-2143)."""
    out_of_turn = any_of(ReplicaSet)
    """Brokers that may miss leader epochs although news comes in turn: its news was lost when a session or the controller ended."""
    controller_leader = optional(Replica)
    """The leader that the controller chose."""
    controller_isr = any_of(ReplicaSet)
    """The in-sync replicas as the controller has them."""
    eligible = any_of(ReplicaSet)
    """The eligible leader replicas: outside the ISR, but with all committed records (KIP-966)."""
    last_leader = optional(Replica)
    """The last known leader, elected when neither ISR nor ELR has a member (KIP-966)."""
    fenced = any_of(ReplicaSet)
    """The brokers that the controller considers dead."""
    metadata_isr = per(Epoch, any_of(ReplicaSet))
    """The ISR of an epoch, until its leader hears of it."""
    newest_epoch = any_of(Epoch)
    """The leader epoch of the controller's last decision."""
    silent = any_of(ReplicaSet)
    """Brokers whose session ends, and how. Those that run and are not fenced are silent and will be fenced; those that run and are
    fenced are about to shut down; those that are down have shut down cleanly (KIP-966 needs to know)."""
    metadata_leader = per(Epoch, optional(Replica))
    """The leader of an epoch, until brokers hear of it."""
    delivery = per(Value, any_of(Delivery))
    """What the producer knows of each value."""
    waiting_at = per(Value, optional(Replica))
    """The broker that holds the delayed produce of a value in its purgatory."""
    required_end = per(Value, up_to(Offset))
    """The high watermark that the delayed produce needs to complete."""
    first_numbered = per(ProducerEpoch, optional(Value))
    """The first value of each further producer epoch: it is sent in that epoch, and so is every later one. None before the epoch."""
    known_epoch = per(ProducerEpoch, any_of(Epoch))
    """The leader epoch that the producer has heard of, the same for all of its epochs: it sends to no leader of an earlier one."""
    numbered_anew = per(ProducerEpoch, Replica, Offset, flag())
    """Was the record at an offset sent in that producer epoch, or in a later one?"""
    committed = per(Offset, optional(Value))
    """The value first exposed below a high watermark at each offset. No part of the system knows it; properties compare with it."""
    position = up_to(Offset)
    """The offset that the consumer polls next."""
    processed_end = up_to(Offset)
    """The offset up to which the consumer has processed what it polled."""
    committed_offset = up_to(Offset)
    """The offset where a successor of the consumer continues."""
    read = per(Offset, optional(Value))
    """The value that the consumer last got at each offset."""
    processed = per(Value, any_of(Times))
    """How often the consumer has processed each value."""
    retries_left = counter(retries)
    """How many times the producer may still send again."""
    crashes_left = counter(crashes)
    """How many times a broker process may still die."""
    power_losses_left = counter(power_losses)
    """How many times a broker may still lose power."""
    disk_losses_left = counter(disk_losses)
    """How many times a broker may still lose its disk."""
    leader_moves_left = counter(leader_moves)
    """How many times leadership may still be moved."""
    pauses_left = counter(pauses)
    """How many times a broker may still fall silent."""
    shutdowns_left = counter(shutdowns)
    """How many times a broker may still be shut down."""
    controller_changes_left = counter(controller_changes)
    """How many times the controller may still change."""
    lost_responses_left = counter(lost_responses)
    """How many responses to the producer may still be lost."""
    consumer_crashes_left = counter(consumer_crashes)
    """How many times the consumer may still die."""
    cached = per(Replica, flag())
    """Was the last record of the log written by a process that was killed before it flushed it, and is it not flushed since? Only asked
    where every record is flushed at once, processes die, and power is lost."""
    min_isr_was_set = per(MinIsrChange, flag())
    """Which of the changes of min ISR that are allowed have happened."""
    directory_was_moved = per(DirectoryMove, flag())
    """Which of the moves between log directories that are allowed have happened."""
    late_kind = per(Delay, any_of(Late))
    """What lasts over a change of leadership or of the ISR, or may."""
    late_broker = per(Delay, optional(Replica))
    """The broker that was asked."""
    late_follower = per(Delay, optional(Replica))
    """The follower that asked, or that the leader has asked the controller for."""
    straddles = per(Delay, flag())
    """Has leadership changed since, so that it makes a difference when the exchange ends? For metadata: has the leader learned the ISR
    by the answer?"""
    late_offset = per(Delay, up_to(Offset))
    """The offset that the follower asked for, or the high watermark that the produce waits for."""
    late_end = per(Delay, up_to(Offset))
    """Where the epoch ends that the response names, or its high watermark; for a fetch that is not counted yet 1, if its leader has
    forgotten its followers since."""
    late_value = per(Delay, optional(Value))
    """The value that was appended, or that the response brings."""
    late_epoch = per(Delay, optional(Epoch))
    """The leader epoch of the record that the response brings, or of which it says where it ends; or, while a follower has yet to cut,
    the epoch that it led until then."""
    late_numbered_anew = per(ProducerEpoch, Delay, flag())
    """Was the record that the response brings sent in that producer epoch, or in a later one?"""
    decision_was_lost = per(LostDecision, flag())
    """Which of the losses of a decision that are allowed have happened."""
    earlier_epoch = per(LostDecision, optional(Epoch))
    """The leader epoch before the decision that would be lost; none if there is no such decision."""
    earlier_leader = per(LostDecision, optional(Replica))
    """The leader before that decision."""
    earlier_isr = per(LostDecision, any_of(ReplicaSet))
    """The ISR before that decision."""
    earlier_eligible = per(LostDecision, any_of(ReplicaSet))
    """The eligible leader replicas before that decision."""
    earlier_last_leader = per(LostDecision, optional(Replica))
    """The last known leader before that decision."""
    has_read_lost = per(LostDecision, any_of(ReplicaSet))
    """Brokers that have read the lost decision, or one after it: they cannot read on, and must end."""
    may_have_read_lost = per(LostDecision, any_of(ReplicaSet))
    """Brokers that may have read it, or something after it: they end, or turn out not to have."""
    leader_knows_lost = per(LostDecision, flag())
    """Does the leader know the ISR that was lost, by the answer to its request, while the controllers are at an earlier one?"""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "controller": (
            "newest_epoch", "controller_leader", "controller_isr", "eligible", "last_leader", "fenced", "silent",
            "out_of_turn", "decision_was_lost",
        ),
        "producer": ("delivery", "first_numbered", "known_epoch", "retries_left"),
        "consumer": ("position", "processed_end", "committed_offset", "read", "processed"),
        "exposed to consumers": ("committed",),
    }  # fmt: skip

    @view(Replica, "log_end", "record_value", "record_epoch")
    def log(self, replica: int) -> str:
        """The broker's log: each record as value@epoch, the leader epoch that it was written in."""
        end = self.log_end[replica]
        pairs = list(zip(self.record_value[replica], self.record_epoch[replica], strict=True))
        inside = [f"{value if value >= 0 else 'cleaned'}@{epoch}" for value, epoch in pairs[:end]]
        return (
            "[" + ", ".join(inside) + "]" + ("" if pairs[end:] == [(-1, -1)] * (len(pairs) - end) else " and rubbish")
        )

    @view("controller", "metadata_leader", "metadata_isr", each=Epoch)
    def metadata(self, epoch: int) -> str:
        """The news of a leader epoch that brokers have not heard yet."""
        leader = self.metadata_leader[epoch]
        if leader < 0:
            return ""
        isr = self.metadata_isr[epoch]
        return f"leader r{leader + 1}" + (f", isr {ReplicaSet.show(isr, self.bounds)}" if isr else "")

    @view("purgatory", "waiting_at", "required_end", each=Value)
    def delayed_produce(self, value: int) -> str:
        """The broker at which the request with a value waits, and for which high watermark."""
        at = self.waiting_at[value]
        return "" if at < 0 else f"at r{at + 1} for high watermark {self.required_end[value]}"

    @view(
        Delay,
        "late_kind", "late_broker", "late_follower", "late_offset", "late_end", "late_value", "late_epoch",
    )  # fmt: skip
    def exchange(self, delay: int) -> str:
        """What lasts, or may last, over a change of leadership or of the ISR."""
        kind, offset = self.late_kind[delay], self.late_offset[delay]
        broker, follower = (
            "nobody" if number < 0 else f"r{number + 1}"
            for number in (self.late_broker[delay], self.late_follower[delay])
        )
        texts = {
            UNUSED: "",
            OVER: "over",
            LATE_PRODUCE: f"{broker} has appended value {self.late_value[delay]}; it is to wait for high watermark {offset}",
            LATE_CHECK: f"{broker} has checked the fetch of {follower} from offset {offset}",
            LATE_CUT: f"{broker} answers {follower}: epoch {self.late_epoch[delay]} ends at {self.late_end[delay]}",
            LATE_SLICE: f"{broker} answers {follower} with what is at offset {offset} when it is sent",
            LATE_RECORD: f"{broker} answers {follower} with {self._carried(delay)}, high watermark {self.late_end[delay]}",
            LATE_TRUNCATION: f"{follower} is to ask {broker} where to cut",
            LATE_LOOK: f"{broker} leads, enough are in sync, and next it looks whether value {self.late_value[delay]}"
            f" has high watermark {offset}",
            LATE_NEWS: f"the metadata of {broker}'s newest ISR",
            LATE_REQUEST: f"{broker} has asked for {follower} in the ISR, and has taken that back",
        }
        return texts[kind]

    def _carried(self, delay: int) -> str:
        value, epoch = self.late_value[delay], self.late_epoch[delay]
        return "no record" if epoch < 0 else f"{'cleaned' if value < 0 else value}@{epoch}"
