"""What a proof that no acknowledged record is lost rests on: lemmas that together are an inductive invariant.

The argument, in short. A leader may commit a record only while nobody that it waits for has left its epoch without the record
(`may_commit`). While that is so, whoever counts in any later epoch has the record, or is still in the leader's hands (`secured`):
`*_of_uncommitted_*`. So when the record is committed, in epoch c, everybody who counts from epoch c on has it, and from then on
takes over logs only from leaders that have it too: `committed_record_is_held`.
"""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, contains, lemma
from neverlost.model.kafka.replication.controller import count
from neverlost.model.kafka.replication.delays import has_yet_to_cut, is_about_isr, is_produce, is_response
from neverlost.model.kafka.replication.faults import returns_unfenced
from neverlost.model.kafka.replication.leader import follows, leads
from neverlost.model.kafka.replication.log import end_as_said
from neverlost.model.kafka.replication.producer import is_idempotent
from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    ACKS_ALL,
    ACKS_NONE,
    COMMIT_AFTER,
    COMMIT_BEFORE,
    FORGOTTEN,
    KIP_101,
    KIP_279,
    LATE_CHECK,
    LATE_CUT,
    LATE_RECORD,
    LATE_REQUEST,
    LATE_SLICE,
    LATE_TRUNCATION,
    NEVER,
    ON_FETCH,
    ONCE,
    OVER,
    UNSENT,
    UNUSED,
    WAITING,
    Delay,
    Epoch,
    Offset,
    Partition,
    Replica,
    ReplicaSet,
    Value,
)

from .assumptions import (
    answers_in_its_epoch,
    assumed,
    elects_cleanly,
    fenced_by_epoch,
    reads_what_is_exposed,
    responds_in_its_epoch,
)


def counts(s: Partition, leader: Replica, replica: Replica) -> bool:
    """Is the replica in the leader's maximal ISR?"""
    return contains(s.isr[leader], replica) or contains(s.proposed_isr[leader], replica)


def is_electable(s: Partition, replica: Replica) -> bool:
    """May the replica be elected, now or later? It is in the ISR or the ELR, or the last known leader (KIP-966)."""
    return contains(s.controller_isr, replica) or contains(s.eligible, replica) or s.last_leader == replica


def is_large_enough(s: Partition, isr: ReplicaSet) -> bool:
    """May the high watermark move with this ISR? From KIP-966 on, not while it is below min ISR."""
    return not s.strict_min_isr or count(s, isr) >= s.min_isr


def has_left(s: Partition, replica: Replica, epoch: int) -> bool:
    """Can the replica never be in this epoch again? It is in a later one, or has to start anew and hears of a later one."""
    return s.epoch[replica] > epoch or (s.epoch[replica] == NONE and s.newest_epoch > epoch)


def is_to_lead(s: Partition, replica: Replica, epoch: Epoch) -> bool:
    """Will the replica lead the epoch as soon as it hears of it? It may have to hear of others before."""
    return (
        s.metadata_leader[epoch] == replica
        and s.up[replica]
        and epoch > s.epoch[replica]
        and (s.epoch[replica] != NONE or epoch == s.newest_epoch)
    )


def same_record(s: Partition, one: Replica, other: Replica, offset: Offset) -> bool:
    """Do both logs have the same record at an offset?"""
    return (
        s.record_epoch[one][offset] != NONE
        and s.record_epoch[one][offset] == s.record_epoch[other][offset]
        and s.record_value[one][offset] == s.record_value[other][offset]
    )


def is_checked(s: Partition, delay: Delay, leader: Replica, follower: Replica) -> bool:
    """Has the leader checked a fetch of the follower, and not counted it yet?"""
    return s.late_kind[delay] == LATE_CHECK and s.late_broker[delay] == leader and s.late_follower[delay] == follower


def is_under_way(s: Partition, delay: Delay, leader: Replica, follower: Replica) -> bool:
    """Is a response of the leader to the follower under way?"""
    return is_response(s, delay) and s.late_broker[delay] == leader and s.late_follower[delay] == follower


def brings(s: Partition, delay: Delay, follower: Replica, offset: Offset) -> bool:
    """Does a response bring the follower a record for an offset?"""
    return (
        s.late_kind[delay] == LATE_RECORD
        and s.late_follower[delay] == follower
        and s.late_offset[delay] == offset
        and s.late_epoch[delay] != NONE
    )


def takes(s: Partition, delay: Delay, follower: Replica, offset: Offset) -> bool:
    """Does a response say that the follower is to cut what it has at an offset?"""
    return (
        s.late_kind[delay] == LATE_CUT
        and s.late_follower[delay] == follower
        and end_as_said(s, follower, s.late_epoch[delay], s.late_end[delay]) <= offset
    )


def is_to_lose(s: Partition, follower: Replica, offset: Offset) -> bool:
    """Is any response under way that says that the follower is to cut what it has at an offset?"""
    for delay in s.each(Delay):
        if takes(s, delay, follower, offset):
            return True
    return False


def is_known(s: Partition, leader: Replica, follower: Replica, offset: Offset) -> bool:
    """Does the leader know that the follower has its record, or will it once it has counted what it has checked?"""
    for delay in s.each(Delay):
        if is_checked(s, delay, leader, follower) and s.late_offset[delay] > offset:
            return True
    return s.known_end[leader][follower] > offset


def may_commit(s: Partition, leader: Replica, offset: Offset) -> bool:
    """May the leader still commit a record? Not if somebody whom it waits for has left its epoch without fetching so far."""
    if not leads(s, leader) or not is_large_enough(s, s.isr[leader]):
        return False
    for follower in s.each(Replica):
        if follower != leader and counts(s, leader, follower):
            if not is_known(s, leader, follower, offset) and has_left(s, follower, s.epoch[leader]):
                return False
    return True


def secured(s: Partition, replica: Replica, leader: Replica, offset: Offset) -> bool:
    """Does the replica have the leader's record, or is it one that the leader still waits for, and may still fetch?"""
    if has_left(s, replica, s.epoch[leader]):
        return same_record(s, replica, leader, offset)
    return counts(s, leader, replica)


def may_commit_at_once(s: Partition, leader: Replica, epoch: Epoch) -> bool:
    """Will the replica lead the epoch, and may it commit something then? Not if a member of the ISR has left the epoch behind."""
    if not is_to_lead(s, leader, epoch) or not is_large_enough(s, s.metadata_isr[epoch]):
        return False
    for replica in s.each(Replica):
        if contains(s.metadata_isr[epoch], replica) and has_left(s, replica, epoch):
            return False
    return True


def has_committed(s: Partition, replica: Replica, offset: Offset, written: Epoch) -> bool:
    """Does the replica have what was committed at an offset, as written in an epoch?"""
    return s.record_epoch[replica][offset] == written and s.record_value[replica][offset] == s.committed[offset]


def keeps_committed(s: Partition, replica: Replica, offset: Offset, written: Epoch, since: Epoch) -> bool:
    """Does the replica have the committed record, and obey nobody any more who may lack it?"""
    return (
        has_committed(s, replica, offset, written)
        and (s.epoch[replica] >= since or s.epoch[replica] == NONE)
        and not is_to_lose(s, replica, offset)
    )


def exchanges_keep_committed(s: Partition, offset: Offset, written: Epoch, since: Epoch) -> bool:
    """Do the exchanges that are under way know of the committed record?"""
    for delay in s.each(Delay):
        for follower in s.each(Replica):
            if s.late_kind[delay] == LATE_RECORD and s.late_follower[delay] == follower and s.late_end[delay] > offset:
                if offset < s.late_offset[delay] and not has_committed(s, follower, offset, written):
                    return False
                if brings(s, delay, follower, offset):
                    if s.late_value[delay] != s.committed[offset] or s.late_epoch[delay] != written:
                        return False
            for leader in s.each(Replica):
                if is_checked(s, delay, leader, follower) and s.late_offset[delay] > offset:
                    if s.epoch[leader] >= since and not keeps_committed(s, follower, offset, written, since):
                        return False
    return True


def committed_since(s: Partition, offset: Offset, written: Epoch, since: Epoch) -> bool:
    """Was the record committed in epoch `since`, so that everybody who counts from then on has it?"""
    for replica in s.each(Replica):
        if s.high_watermark[replica] > offset and not has_committed(s, replica, offset, written):
            return False
        if is_electable(s, replica) and not keeps_committed(s, replica, offset, written, since):
            return False
    for leader in s.each(Replica):
        if leads(s, leader) and s.epoch[leader] >= since:
            if not has_committed(s, leader, offset, written):
                return False
            if s.epoch[leader] == since and s.high_watermark[leader] <= offset:
                return False
            for member in s.each(Replica):
                if counts(s, leader, member) and not keeps_committed(s, member, offset, written, since):
                    return False
    for epoch in s.each(Epoch):
        for leader in s.each(Replica):
            if epoch >= since and is_to_lead(s, leader, epoch):
                if epoch == since:
                    return False
                for member in s.each(Replica):
                    if contains(s.metadata_isr[epoch], member):
                        if not keeps_committed(s, member, offset, written, since):
                            return False
    return exchanges_keep_committed(s, offset, written, since)


# Faults


@lemma("No budget is ever raised: without power losses and disk losses at the start there are none later.")
def disks_are_kept(s: Partition) -> bool:
    return (s.power_losses > 0 or s.power_losses_left == 0) and (s.disk_losses > 0 or s.disk_losses_left == 0)


# Epochs


@lemma("Brokers hear only of epochs that the controller has issued, and forget theirs when they go down.")
def epoch_is_issued(s: Partition, replica: Replica) -> bool:
    return s.epoch[replica] <= s.newest_epoch and (s.up[replica] or s.epoch[replica] == NONE)


@lemma("A broker hears of an epoch and its leader together.")
def epoch_comes_with_leader(s: Partition, replica: Replica) -> bool:
    return (s.epoch[replica] >= 0) == (s.leader[replica] >= 0)


@lemma("Nothing is announced of an epoch before the controller issues it.")
def metadata_is_issued(s: Partition, epoch: Epoch) -> bool:
    return epoch <= s.newest_epoch or (s.metadata_leader[epoch] == NONE and s.metadata_isr[epoch] == EMPTY)


@lemma("The newest epoch is never forgotten, and has the controller's leader.")
def newest_metadata_is_current(s: Partition, epoch: Epoch) -> bool:
    return epoch != s.newest_epoch or s.metadata_leader[epoch] == s.controller_leader


@lemma("Every epoch is announced with one leader.")
def epoch_has_announced_leader(s: Partition, replica: Replica, epoch: Epoch) -> bool:
    return (
        s.epoch[replica] != epoch or s.metadata_leader[epoch] == NONE or s.leader[replica] == s.metadata_leader[epoch]
    )


@lemma("Every epoch has one leader, whoever hears of it and whenever.")
def epoch_has_one_leader(s: Partition, one: Replica, other: Replica) -> bool:
    return s.epoch[one] != s.epoch[other] or s.leader[one] == s.leader[other]


@lemma("The controller elects no fenced broker, and fences the leader only with a new epoch.")
def leader_is_not_fenced(s: Partition, replica: Replica) -> bool:
    return s.controller_leader != replica or not contains(s.fenced, replica)


# ISRs


@lemma("Without KIP-966 nobody outside the ISR is eligible; with it, nobody once the ISR is large enough.")
def eligible_only_below_min_isr(s: Partition) -> bool:
    return (s.elr and count(s, s.controller_isr) < s.min_isr) or (s.eligible == EMPTY and s.last_leader == NONE)


@lemma("A fenced broker leaves the ISR and is not let in, but for a last member without KIP-966.")
def isr_is_not_fenced(s: Partition, replica: Replica) -> bool:
    return (
        not s.elr or not elects_cleanly(s) or not contains(s.controller_isr, replica) or not contains(s.fenced, replica)
    )


@lemma("The last member of the ISR stays in it or, with KIP-966, is the last known leader.")
def somebody_is_electable(s: Partition) -> bool:
    return (
        not elects_cleanly(s)
        or s.controller_isr != EMPTY
        or (s.elr and s.controller_leader == NONE and s.last_leader != NONE)
    )


@lemma("With KIP-966 a partition has a leader if the ISR has a member, as this is live.")
def isr_with_eligible_has_leader(s: Partition) -> bool:
    return not s.elr or not elects_cleanly(s) or s.controller_leader != NONE or s.controller_isr == EMPTY


@lemma("Leaders are elected from the ISR, or become its only member, and no leader drops itself.")
def controller_leader_in_isr(s: Partition, replica: Replica) -> bool:
    return not elects_cleanly(s) or s.controller_leader != replica or contains(s.controller_isr, replica)


@lemma("An ISR is announced with its leader in it, and stays announced until the leader hears of it.")
def announced_leader_in_isr(s: Partition, replica: Replica, epoch: Epoch) -> bool:
    return (
        not elects_cleanly(s)
        or returns_unfenced(s)
        or not is_to_lead(s, replica, epoch)
        or contains(s.metadata_isr[epoch], replica)
    )


@lemma("A leader is in its own ISR, and never asks for one without itself.")
def leader_in_own_isr(s: Partition, replica: Replica) -> bool:
    return (
        not elects_cleanly(s)
        or not leads(s, replica)
        or (
            contains(s.isr[replica], replica)
            and (s.proposed_isr[replica] == EMPTY or contains(s.proposed_isr[replica], replica))
        )
    )


# Logs


@lemma("Records lie below the log end, and nothing at and beyond it.")
def log_ends_at_log_end(s: Partition, replica: Replica, offset: Offset) -> bool:
    if offset < s.log_end[replica]:
        return (s.compacted or s.record_value[replica][offset] >= 0) and s.record_epoch[replica][offset] >= 0
    return s.record_value[replica][offset] < 0 and s.record_epoch[replica][offset] < 0


@lemma("A log is never cut without its high watermark, which follows what is in the log.")
def high_watermark_in_log(s: Partition, replica: Replica) -> bool:
    return s.high_watermark[replica] <= s.log_end[replica]


@lemma("Records are written in the leader's epoch, and taken over only in an epoch at least as new.")
def record_epoch_is_past(s: Partition, replica: Replica, offset: Offset) -> bool:
    return s.record_epoch[replica][offset] <= s.newest_epoch and (
        not fenced_by_epoch(s) or s.epoch[replica] == NONE or s.record_epoch[replica][offset] <= s.epoch[replica]
    )


@lemma("A leader appends in an epoch that is no earlier than that of any record in its log.")
def record_epochs_ascend(s: Partition, replica: Replica, offset: Offset, later: Offset) -> bool:
    return (
        not responds_in_its_epoch(s)
        or later < offset
        or s.record_epoch[replica][later] == NONE
        or s.record_epoch[replica][offset] <= s.record_epoch[replica][later]
    )


@lemma("Only its leader writes in an epoch, and it has not begun.")
def nothing_written_before_leading(
    s: Partition, leader: Replica, epoch: Epoch, replica: Replica, offset: Offset
) -> bool:
    return returns_unfenced(s) or not is_to_lead(s, leader, epoch) or s.record_epoch[replica][offset] != epoch


@lemma("What others have of a leader's epoch they have from it, and a leader cuts nothing.")
def leader_has_its_epoch(s: Partition, leader: Replica, replica: Replica, offset: Offset) -> bool:
    return (
        not fenced_by_epoch(s)
        or not leads(s, leader)
        or s.record_epoch[replica][offset] != s.epoch[leader]
        or same_record(s, replica, leader, offset)
    )


@lemma("Who leads has in its log what was there before, and behind it what it has written in its epoch.")
def epoch_starts_where_it_leads_from(s: Partition, leader: Replica, offset: Offset) -> bool:
    if not assumed(s) or not leads(s, leader):
        return True
    if s.led_from[leader] > s.log_end[leader]:
        return False
    if offset < s.led_from[leader]:
        return s.record_epoch[leader][offset] != s.epoch[leader]
    return offset >= s.log_end[leader] or s.record_epoch[leader][offset] == s.epoch[leader]


@lemma("Only one leader writes in an epoch, and a follower appends only to a prefix of its leader's log.")
def logs_match(s: Partition, one: Replica, other: Replica, offset: Offset, earlier: Offset) -> bool:
    return (
        not fenced_by_epoch(s)
        or earlier > offset
        or s.record_epoch[one][offset] == NONE
        or s.record_epoch[one][offset] != s.record_epoch[other][offset]
        or same_record(s, one, other, earlier)
    )


@lemma("Before fetches cut logs, a follower cuts its own by that of its leader, which is in the epoch already.")
def nobody_follows_before_leader(s: Partition, leader: Replica, epoch: Epoch, replica: Replica) -> bool:
    return (
        not fenced_by_epoch(s)
        or s.truncation == ON_FETCH
        or not is_to_lead(s, leader, epoch)
        or s.epoch[replica] != epoch
        or has_yet_to_cut(s, replica)
    )


@lemma("Before fetches cut logs, what a follower has once it has cut its own it has from its leader.")
def follower_has_part_of_leaders_log(s: Partition, leader: Replica, follower: Replica, offset: Offset) -> bool:
    return (
        not fenced_by_epoch(s)
        or s.truncation == ON_FETCH
        or not follows(s, follower, leader)
        or has_yet_to_cut(s, follower)
        or offset >= s.log_end[follower]
        or same_record(s, follower, leader, offset)
    )


# What a leader knows of its followers


@lemma("A follower's end is taken for known only if the leader's log reaches it.")
def known_end_in_log(s: Partition, leader: Replica, follower: Replica) -> bool:
    return not fenced_by_epoch(s) or not leads(s, leader) or s.known_end[leader][follower] <= s.log_end[leader]


@lemma("A leader forgets what it knew of its followers with every new epoch, and answers only those that are in it.")
def nothing_known_of_earlier_epochs(s: Partition, leader: Replica, follower: Replica) -> bool:
    return (
        not fenced_by_epoch(s)
        or not leads(s, leader)
        or s.epoch[follower] == NONE
        or s.epoch[follower] >= s.epoch[leader]
        or s.known_end[leader][follower] == 0
    )


@lemma("Until it has left the epoch, a follower keeps what its leader knows it to have, also while it is down.")
def known_records_are_held(s: Partition, leader: Replica, follower: Replica, offset: Offset) -> bool:
    return (
        not assumed(s)
        or not leads(s, leader)
        or has_left(s, follower, s.epoch[leader])
        or not is_known(s, leader, follower, offset)
        or same_record(s, follower, leader, offset)
    )


# Fencing: an epoch whose leader has yet to hear of it


@lemma("Until its leader has heard of an epoch, or a member of its ISR has gone on, later ISRs are parts of it.")
def isr_within_unheard_isr(s: Partition, leader: Replica, epoch: Epoch, member: Replica) -> bool:
    return (
        not assumed(s)
        or not may_commit_at_once(s, leader, epoch)
        or not is_electable(s, member)
        or contains(s.metadata_isr[epoch], member)
    )


@lemma("Until its leader has heard of an epoch, or a member of its ISR has gone on, later ISRs are parts of it.")
def later_isr_within_unheard_isr(
    s: Partition, leader: Replica, epoch: Epoch, later_leader: Replica, later: Epoch, member: Replica
) -> bool:
    return (
        not assumed(s)
        or not may_commit_at_once(s, leader, epoch)
        or later <= epoch
        or not is_to_lead(s, later_leader, later)
        or not contains(s.metadata_isr[later], member)
        or contains(s.metadata_isr[epoch], member)
    )


@lemma("The next to lead is a member of the ISR, and has gone on then.")
def nobody_leads_after_unheard(s: Partition, leader: Replica, epoch: Epoch, other: Replica) -> bool:
    return not assumed(s) or not may_commit_at_once(s, leader, epoch) or not leads(s, other) or s.epoch[other] <= epoch


# Fencing: what a leader may still commit


@lemma(
    "Whoever has left the epoch with a record keeps it, as everybody who leads later has it, if it may still be committed."
)
def known_record_outlives_epoch(s: Partition, leader: Replica, offset: Offset, follower: Replica) -> bool:
    return (
        not assumed(s)
        or not may_commit(s, leader, offset)
        or follower == leader
        or not counts(s, leader, follower)
        or not is_known(s, leader, follower, offset)
        or same_record(s, follower, leader, offset)
    )


@lemma("Who leads later was in the ISR, and so has what may still be committed, or else has left without it.")
def later_leader_has_uncommitted(s: Partition, leader: Replica, offset: Offset, other: Replica) -> bool:
    return (
        not assumed(s)
        or not may_commit(s, leader, offset)
        or not leads(s, other)
        or s.epoch[other] <= s.epoch[leader]
        or same_record(s, other, leader, offset)
    )


@lemma("The controller's ISR is what the leader waits for, or of a later leader that has what may still be committed.")
def isr_has_uncommitted(s: Partition, leader: Replica, offset: Offset, member: Replica) -> bool:
    return (
        not assumed(s)
        or not may_commit(s, leader, offset)
        or not is_electable(s, member)
        or secured(s, member, leader, offset)
    )


@lemma(
    "An ISR still to be heard of is what the leader waits for, or of a later leader that has what may still be committed."
)
def unheard_isr_has_uncommitted(
    s: Partition, leader: Replica, offset: Offset, other: Replica, epoch: Epoch, member: Replica
) -> bool:
    return (
        not assumed(s)
        or not may_commit(s, leader, offset)
        or epoch <= s.epoch[leader]
        or not is_to_lead(s, other, epoch)
        or not contains(s.metadata_isr[epoch], member)
        or secured(s, member, leader, offset)
    )


@lemma(
    "A later leader takes in only whoever has reached the start of its epoch, and so has what may still be committed."
)
def later_leaders_isr_has_uncommitted(
    s: Partition, leader: Replica, offset: Offset, other: Replica, member: Replica
) -> bool:
    return (
        not assumed(s)
        or not may_commit(s, leader, offset)
        or not leads(s, other)
        or s.epoch[other] <= s.epoch[leader]
        or not counts(s, other, member)
        or secured(s, member, leader, offset)
    )


# Commitment


@lemma("A high watermark passes a record when it is committed, and followers learn it with the record.")
def below_high_watermark_is_committed(s: Partition, replica: Replica, offset: Offset) -> bool:
    return not assumed(s) or offset >= s.high_watermark[replica] or s.committed[offset] != NONE


@lemma(
    "From the epoch on in which a record was committed, all ISRs and leaders have it, and take logs only from each other."
)
def committed_record_is_held(s: Partition, offset: Offset) -> bool:
    if not assumed(s) or s.committed[offset] == NONE:
        return True
    for since in s.each(Epoch):
        for written in s.each(Epoch):
            if written <= since and since <= s.newest_epoch and committed_since(s, offset, written, since):
                return True
    return False


# Acknowledgement


@lemma("A delayed produce waits where the value was appended, for the high watermark to pass it.")
def delayed_produce_is_in_log(s: Partition, leader: Replica, value: Value) -> bool:
    if s.waiting_at[value] != leader:
        return True
    if not leads(s, leader) or s.delivery[value] != WAITING or s.acks != ACKS_ALL:
        return False
    for offset in s.each(Offset):
        if s.required_end[value] == offset + 1:
            return s.compacted or not answers_in_its_epoch(s) or s.record_value[leader][offset] == value
    return False


@lemma("With acks=0 nothing is answered; with min ISR above the number of replicas every request is refused.")
def nobody_awaits_what_never_comes(s: Partition, value: Value) -> bool:
    if s.acks == ACKS_NONE or (s.acks == ACKS_ALL and s.min_isr > s.size(Replica)):
        return s.delivery[value] != ACKNOWLEDGED and s.waiting_at[value] < 0
    return True


@lemma("With acks=all a value is acknowledged when the high watermark has passed it.")
def acknowledged_is_committed(s: Partition, value: Value) -> bool:
    if not assumed(s) or not answers_in_its_epoch(s) or s.acks != ACKS_ALL or s.delivery[value] != ACKNOWLEDGED:
        return True
    for offset in s.each(Offset):
        if s.committed[offset] == value:
            return True
    return False


# The order of values


@lemma("No budget is ever raised: without retries at the start there are none later.")
def nothing_sent_again_without_retries(s: Partition) -> bool:
    return s.retries > 0 or s.retries_left == 0


@lemma("The producer sends values in order.")
def values_sent_in_order(s: Partition, value: Value, later: Value) -> bool:
    return later <= value or s.delivery[later] == UNSENT or s.delivery[value] != UNSENT


@lemma("Nothing is in a log that was not sent.")
def unsent_value_in_no_log(s: Partition, replica: Replica, offset: Offset, value: Value) -> bool:
    return s.delivery[value] != UNSENT or s.record_value[replica][offset] != value


@lemma("A leader appends no value that its log has, if it knows it again or nobody sends it again.")
def value_in_log_once(s: Partition, replica: Replica, offset: Offset, later: Offset) -> bool:
    return (
        not fenced_by_epoch(s)
        or (s.retries > 0 and not is_idempotent(s))
        or later <= offset
        or s.record_value[replica][later] == NONE
        or s.record_value[replica][offset] != s.record_value[replica][later]
    )


@lemma("A leader appends no value after a later one: it refuses it as out of sequence, or nobody sends it then.")
def values_ascend_in_log(s: Partition, replica: Replica, offset: Offset, later: Offset) -> bool:
    return (
        not fenced_by_epoch(s)
        or (s.pipelined and s.retries > 0 and not is_idempotent(s))
        or later <= offset
        or s.record_value[replica][later] == NONE
        or s.record_value[replica][offset] <= s.record_value[replica][later]
    )


# The consumer


@lemma("Records are committed from the start of the log on.")
def committed_without_gaps(s: Partition, offset: Offset, later: Offset) -> bool:
    return not assumed(s) or later <= offset or s.committed[later] == NONE or s.committed[offset] != NONE


@lemma("What is committed at two offsets lies at both in the log of the leader that committed it last.")
def committed_once(s: Partition, offset: Offset, later: Offset) -> bool:
    return (
        not assumed(s)
        or (s.retries > 0 and not is_idempotent(s))
        or later <= offset
        or s.committed[later] == NONE
        or s.committed[offset] != s.committed[later]
    )


@lemma("A consumer processes what it has polled, and commits after that, or when it polls.")
def consumer_goes_in_order(s: Partition) -> bool:
    return (
        s.processed_end <= s.position
        and s.committed_offset <= s.position
        and (s.commit != COMMIT_AFTER or s.committed_offset <= s.processed_end)
        and (s.commit != COMMIT_BEFORE or s.committed_offset == s.position)
    )


@lemma("Whichever leader is polled, below its high watermark is what was committed.")
def consumer_reads_committed(s: Partition, offset: Offset) -> bool:
    if not assumed(s) or not reads_what_is_exposed(s):
        return True
    if offset >= s.position:
        return s.read[offset] == NONE or s.read[offset] == s.committed[offset]
    return s.committed[offset] != NONE and s.read[offset] == s.committed[offset]


@lemma("A consumer that commits after processing leaves nothing out.")
def consumer_processes_all(s: Partition, offset: Offset, value: Value) -> bool:
    return (
        not assumed(s)
        or not reads_what_is_exposed(s)
        or s.commit != COMMIT_AFTER
        or offset >= s.processed_end
        or s.committed[offset] != value
        or s.processed[value] != NEVER
    )


@lemma("A consumer that commits before processing never goes back, and finds no value at two offsets.")
def consumer_processes_once(s: Partition, value: Value) -> bool:
    if not assumed(s) or not reads_what_is_exposed(s) or (s.retries > 0 and not is_idempotent(s)):
        return True
    if s.commit != COMMIT_BEFORE or s.processed[value] == NEVER:
        return True
    for offset in s.each(Offset):
        if offset < s.processed_end and s.committed[offset] == value:
            return s.processed[value] == ONCE
    return False


# Exchanges that may last over a change of leadership


@lemma(
    "An exchange is between brokers, of a kind that its version has; one that has not begun, or is over, brings nothing."
)
def exchange_is_of_its_kind(s: Partition, delay: Delay) -> bool:
    kind = s.late_kind[delay]
    if is_produce(s, delay):
        if s.acks != ACKS_ALL or s.min_isr > s.size(Replica) or s.late_value[delay] < 0:
            return False
        return s.late_broker[delay] >= 0 and s.late_follower[delay] < 0 and s.late_epoch[delay] < 0
    if is_about_isr(s, delay):
        if s.late_broker[delay] < 0 or s.late_end[delay] > 0:
            return False
        if kind == LATE_REQUEST and s.late_follower[delay] < 0:
            return False
        return s.takes_back_proposals and s.late_value[delay] < 0 and s.late_epoch[delay] < 0
    under_way = kind != UNUSED and kind != OVER
    if (s.late_broker[delay] >= 0) != under_way or (s.late_follower[delay] >= 0) != under_way:
        return False
    if not under_way and (s.straddles[delay] or s.late_end[delay] > 0):
        return False
    if kind == LATE_RECORD:
        return (s.compacted and s.late_value[delay] < 0) or (s.late_value[delay] >= 0) == (s.late_epoch[delay] >= 0)
    if kind == LATE_CUT and s.truncation != ON_FETCH:
        return False
    if kind == LATE_TRUNCATION and s.truncation != KIP_101 and s.truncation != KIP_279:
        return False
    if kind == LATE_SLICE and s.responses_keep_bytes:
        return False
    if kind != LATE_CUT and kind != LATE_TRUNCATION and s.late_epoch[delay] >= 0:
        return False
    return s.late_value[delay] < 0


@lemma("A follower that has yet to cut its log is to ask the broker that it follows, and led only in an earlier epoch.")
def late_truncation_asks_the_leader(s: Partition, delay: Delay, follower: Replica) -> bool:
    if s.late_kind[delay] != LATE_TRUNCATION or s.late_follower[delay] != follower:
        return True
    if s.late_broker[delay] == follower or s.leader[follower] != s.late_broker[delay]:
        return False
    return s.late_epoch[delay] < s.epoch[follower]


@lemma(
    "A produce that knows its epoch fails when its leader hears of another; until then the log has what was appended."
)
def late_produce_is_in_log(s: Partition, delay: Delay, leader: Replica, value: Value) -> bool:
    if not is_produce(s, delay) or s.late_value[delay] != value:
        return True
    if s.delivery[value] != WAITING or s.waiting_at[value] != NONE:
        return False
    if not answers_in_its_epoch(s) or s.late_broker[delay] != leader:
        return True
    for offset in s.each(Offset):
        if s.late_offset[delay] == offset + 1:
            return leads(s, leader) and (s.compacted or s.record_value[leader][offset] == value)
    return False


@lemma(
    "A value is sent again only once its request is answered, and then no delayed produce of it is to be made any more."
)
def one_late_produce_of_a_value(s: Partition, delay: Delay, other: Delay, value: Value) -> bool:
    return (
        delay == other
        or not is_produce(s, delay)
        or not is_produce(s, other)
        or s.late_value[delay] != value
        or s.late_value[other] != value
    )


@lemma("A fetch that knows its epoch is not counted in another one; its follower never goes back to an earlier one.")
def checked_fetch_is_of_its_epoch(s: Partition, delay: Delay, leader: Replica, follower: Replica) -> bool:
    return (
        not fenced_by_epoch(s)
        or not is_checked(s, delay, leader, follower)
        or (
            leads(s, leader)
            and leader != follower
            and s.epoch[follower] >= s.epoch[leader]
            and s.late_offset[delay] <= s.log_end[leader]
            and not s.straddles[delay]
            and s.late_end[delay] != FORGOTTEN
        )
    )


@lemma(
    "What a follower had when its fetch was checked it keeps, as everybody who leads later has it, if it may still be committed."
)
def checked_record_outlives_epoch(
    s: Partition, delay: Delay, leader: Replica, follower: Replica, committer: Replica, offset: Offset
) -> bool:
    return (
        not assumed(s)
        or not is_checked(s, delay, leader, follower)
        or s.late_offset[delay] <= offset
        or not may_commit(s, committer, offset)
        or s.epoch[committer] > s.epoch[leader]
        or same_record(s, follower, committer, offset)
    )


@lemma("A follower that waits for a response asks nothing else, and drops the response when it hears of another epoch.")
def response_is_of_its_epoch(s: Partition, delay: Delay, leader: Replica, follower: Replica) -> bool:
    return (
        not fenced_by_epoch(s)
        or not is_under_way(s, delay, leader, follower)
        or (s.leader[follower] == leader and leader != follower and s.log_end[follower] == s.late_offset[delay])
    )


@lemma("A follower that waits for a response asks nothing else.")
def one_response_at_a_time(s: Partition, delay: Delay, other: Delay, follower: Replica) -> bool:
    return (
        not fenced_by_epoch(s)
        or delay == other
        or not is_response(s, delay)
        or not is_response(s, other)
        or s.late_follower[delay] != follower
        or s.late_follower[other] != follower
    )


@lemma(
    "A response brings what its leader had: it was written in the leader's epoch or an earlier one, after what the follower has."
)
def response_is_past(s: Partition, delay: Delay, follower: Replica, offset: Offset) -> bool:
    if s.late_kind[delay] != LATE_RECORD or s.late_follower[delay] != follower:
        return True
    if s.late_epoch[delay] > s.newest_epoch:
        return False
    if not responds_in_its_epoch(s) or s.late_epoch[delay] == NONE:
        return True
    return s.record_epoch[follower][offset] <= s.late_epoch[delay] and (
        not fenced_by_epoch(s) or s.late_epoch[delay] <= s.epoch[follower]
    )


@lemma("Only its leader writes in an epoch, and it has not begun.")
def nothing_sent_before_leading(s: Partition, delay: Delay, leader: Replica, epoch: Epoch) -> bool:
    return (
        returns_unfenced(s)
        or s.late_kind[delay] != LATE_RECORD
        or not is_to_lead(s, leader, epoch)
        or s.late_epoch[delay] != epoch
    )


@lemma("A leader answers only once it has heard of its epoch, and then it never begins to lead in it again.")
def nobody_answers_before_leading(s: Partition, delay: Delay, leader: Replica, follower: Replica, epoch: Epoch) -> bool:
    return (
        not fenced_by_epoch(s)
        or not is_under_way(s, delay, leader, follower)
        or not is_to_lead(s, leader, epoch)
        or s.epoch[follower] != epoch
    )


@lemma("What a response brings of a leader's epoch it has from that leader, and a leader cuts nothing.")
def leader_has_what_is_sent_of_its_epoch(
    s: Partition, delay: Delay, follower: Replica, leader: Replica, offset: Offset
) -> bool:
    return (
        not fenced_by_epoch(s)
        or not leads(s, leader)
        or not brings(s, delay, follower, offset)
        or s.late_epoch[delay] != s.epoch[leader]
        or (
            s.record_epoch[leader][offset] == s.late_epoch[delay]
            and s.record_value[leader][offset] == s.late_value[delay]
        )
    )


@lemma(
    "A response was checked against the follower's log: what it brings fits there, as every record of its epoch does."
)
def response_matches_logs(
    s: Partition, delay: Delay, follower: Replica, other: Replica, offset: Offset, earlier: Offset
) -> bool:
    return (
        not fenced_by_epoch(s)
        or not brings(s, delay, follower, offset)
        or s.record_epoch[other][offset] != s.late_epoch[delay]
        or (
            s.record_value[other][offset] == s.late_value[delay]
            and (earlier >= offset or same_record(s, follower, other, earlier))
        )
    )


@lemma("Two responses with records of one epoch at one offset bring the same record, after the same records.")
def responses_match(
    s: Partition, delay: Delay, follower: Replica, late: Delay, other: Replica, offset: Offset, earlier: Offset
) -> bool:
    return (
        not fenced_by_epoch(s)
        or not brings(s, delay, follower, offset)
        or not brings(s, late, other, offset)
        or s.late_epoch[delay] != s.late_epoch[late]
        or (
            s.late_value[delay] == s.late_value[late]
            and (earlier >= offset or same_record(s, follower, other, earlier))
        )
    )


@lemma("While the leader that sent a response leads in that epoch, its log goes on where the follower's ends.")
def response_is_in_leaders_log(s: Partition, delay: Delay, leader: Replica, follower: Replica, offset: Offset) -> bool:
    if not fenced_by_epoch(s) or s.late_kind[delay] != LATE_RECORD or not is_under_way(s, delay, leader, follower):
        return True
    if not leads(s, leader) or s.epoch[leader] != s.epoch[follower]:
        return True
    if offset < s.late_offset[delay]:
        return same_record(s, follower, leader, offset)
    return not brings(s, delay, follower, offset) or (
        s.record_epoch[leader][offset] == s.late_epoch[delay] and s.record_value[leader][offset] == s.late_value[delay]
    )


@lemma("What a response says to cut is not in the leader's log, as long as it leads in that epoch.")
def cut_is_not_in_leaders_log(s: Partition, delay: Delay, leader: Replica, follower: Replica, offset: Offset) -> bool:
    return (
        not fenced_by_epoch(s)
        or not is_under_way(s, delay, leader, follower)
        or not takes(s, delay, follower, offset)
        or not leads(s, leader)
        or s.epoch[leader] != s.epoch[follower]
        or not same_record(s, follower, leader, offset)
    )


@lemma("A leader that has answered has gone on from every epoch whose leader has yet to hear of it.")
def nobody_answers_after_unheard(
    s: Partition, delay: Delay, leader: Replica, follower: Replica, other: Replica, epoch: Epoch
) -> bool:
    return (
        not assumed(s)
        or not is_under_way(s, delay, leader, follower)
        or not may_commit_at_once(s, other, epoch)
        or s.epoch[follower] < epoch
    )


@lemma("Who leads later has what may still be committed, and so says to nobody to cut it.")
def nothing_uncommitted_is_cut(
    s: Partition, delay: Delay, follower: Replica, committer: Replica, offset: Offset
) -> bool:
    return (
        not assumed(s)
        or not takes(s, delay, follower, offset)
        or not may_commit(s, committer, offset)
        or s.epoch[committer] > s.epoch[follower]
        or not same_record(s, follower, committer, offset)
    )


@lemma("The high watermark of a response was one of its leader: every record below it is committed.")
def below_sent_high_watermark_is_committed(s: Partition, delay: Delay, offset: Offset) -> bool:
    return (
        not assumed(s)
        or s.late_kind[delay] != LATE_RECORD
        or offset >= s.late_end[delay]
        or s.committed[offset] != NONE
    )


@lemma(
    "Nothing is sent that the producer has not sent, and nothing that the follower has already or that comes before it."
)
def sent_value_is_next(s: Partition, delay: Delay, follower: Replica, offset: Offset, value: Value) -> bool:
    if s.late_kind[delay] != LATE_RECORD or s.late_follower[delay] != follower or s.late_value[delay] != value:
        return True
    if s.delivery[value] == UNSENT:
        return False
    if not fenced_by_epoch(s):
        return True
    return ((s.retries > 0 and not is_idempotent(s)) or s.record_value[follower][offset] != value) and (
        (s.pipelined and s.retries > 0 and not is_idempotent(s)) or s.record_value[follower][offset] <= value
    )


LEMMAS = (
    disks_are_kept,
    epoch_is_issued,
    epoch_comes_with_leader,
    metadata_is_issued,
    newest_metadata_is_current,
    epoch_has_announced_leader,
    epoch_has_one_leader,
    leader_is_not_fenced,
    eligible_only_below_min_isr,
    isr_is_not_fenced,
    somebody_is_electable,
    isr_with_eligible_has_leader,
    controller_leader_in_isr,
    announced_leader_in_isr,
    leader_in_own_isr,
    log_ends_at_log_end,
    high_watermark_in_log,
    record_epoch_is_past,
    record_epochs_ascend,
    nothing_written_before_leading,
    leader_has_its_epoch,
    epoch_starts_where_it_leads_from,
    logs_match,
    nobody_follows_before_leader,
    follower_has_part_of_leaders_log,
    known_end_in_log,
    nothing_known_of_earlier_epochs,
    known_records_are_held,
    isr_within_unheard_isr,
    later_isr_within_unheard_isr,
    nobody_leads_after_unheard,
    known_record_outlives_epoch,
    later_leader_has_uncommitted,
    isr_has_uncommitted,
    unheard_isr_has_uncommitted,
    later_leaders_isr_has_uncommitted,
    below_high_watermark_is_committed,
    committed_record_is_held,
    delayed_produce_is_in_log,
    nobody_awaits_what_never_comes,
    acknowledged_is_committed,
    nothing_sent_again_without_retries,
    values_sent_in_order,
    unsent_value_in_no_log,
    value_in_log_once,
    values_ascend_in_log,
    committed_without_gaps,
    committed_once,
    consumer_goes_in_order,
    consumer_reads_committed,
    consumer_processes_all,
    consumer_processes_once,
    exchange_is_of_its_kind,
    late_truncation_asks_the_leader,
    late_produce_is_in_log,
    one_late_produce_of_a_value,
    checked_fetch_is_of_its_epoch,
    checked_record_outlives_epoch,
    response_is_of_its_epoch,
    one_response_at_a_time,
    response_is_past,
    nothing_sent_before_leading,
    nobody_answers_before_leading,
    leader_has_what_is_sent_of_its_epoch,
    response_matches_logs,
    responses_match,
    response_is_in_leaders_log,
    cut_is_not_in_leaders_log,
    nobody_answers_after_unheard,
    nothing_uncommitted_is_cut,
    below_sent_high_watermark_is_committed,
    sent_value_is_next,
)
"""An inductive invariant: where `assumed` holds it follows that no acknowledged value is lost, and more."""
