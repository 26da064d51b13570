"""What the claims of the ledger say, as predicates over the states of a partition: true, false, or true on a condition."""

from __future__ import annotations

from neverlost.model.core import NONE, always, contains, sometimes, step_always
from neverlost.model.kafka.replication.controller import count
from neverlost.model.kafka.replication.leader import waits_for
from neverlost.model.kafka.replication.log import holds_value
from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    ACKS_NONE,
    AFTER_APPEND,
    NEVER,
    REFUSED,
    UNKNOWN,
    UNSENT,
    WAITING,
    Offset,
    Partition,
    Replica,
    Value,
)

from .properties import copies, is_true_leader, two_logs_when_acknowledged


def copies_at(s: Partition, leader: Replica, offset: Offset) -> int:
    """How many logs have the leader's record at an offset."""
    found = 0
    for replica in s.each(Replica):
        if s.record_value[replica][offset] == s.record_value[leader][offset]:
            if s.record_epoch[replica][offset] == s.record_epoch[leader][offset]:
                found += 1
    return found


def leads_on(before: Partition, after: Partition, replica: Replica) -> bool:
    """Does the broker lead in one and the same epoch before and after the step?"""
    return (
        before.leader[replica] == replica
        and after.leader[replica] == replica
        and before.epoch[replica] == after.epoch[replica]
    )


@step_always("When a value is acknowledged, every live member of its leader's ISR has the same log end.")
def isr_ends_equal_when_acknowledged(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] != ACKNOWLEDGED and after.delivery[value] == ACKNOWLEDGED:
            for leader in after.each(Replica):
                if is_true_leader(after, leader):
                    for member in after.each(Replica):
                        if contains(after.isr[leader], member) and after.up[member]:
                            if after.log_end[member] != after.log_end[leader]:
                                return False
    return True


@step_always("When a value is acknowledged, every live member of its leader's ISR has it.")
def isr_has_it_when_acknowledged(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] != ACKNOWLEDGED and after.delivery[value] == ACKNOWLEDGED:
            for leader in after.each(Replica):
                if is_true_leader(after, leader):
                    for member in after.each(Replica):
                        if contains(after.isr[leader], member) and after.up[member]:
                            if not holds_value(after, member, value):
                                return False
    return True


@step_always("When a value is acknowledged, every log has it.")
def all_logs_when_acknowledged(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] != ACKNOWLEDGED and after.delivery[value] == ACKNOWLEDGED:
            if copies(after, value) < after.size(Replica):
                return False
    return True


@always("A true leader's high watermark is the smallest log end in its ISR.")
def high_watermark_is_smallest_end(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            end = s.log_end[leader]
            for member in s.each(Replica):
                if contains(s.isr[leader], member):
                    end = min(end, s.log_end[member])
            if s.high_watermark[leader] != end:
                return False
    return True


@always("A true leader's high watermark is never above the log end of a live member of its ISR.")
def high_watermark_at_most_smallest_end(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for member in s.each(Replica):
                if contains(s.isr[leader], member) and s.up[member] and s.high_watermark[leader] > s.log_end[member]:
                    return False
    return True


@always("A true leader's high watermark is the smallest log end that it knows of among those that it waits for.")
def high_watermark_is_smallest_known_end(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            end = s.log_end[leader]
            for member in s.each(Replica):
                if member != leader and waits_for(s, leader, member):
                    end = min(end, s.known_end[leader][member])
            if s.high_watermark[leader] != end:
                return False
    return True


@step_always("When a leader's high watermark grows, a majority of all replicas have every record that it now covers.")
def high_watermark_growth_has_majority(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if leads_on(before, after, leader):
            for offset in after.each(Offset):
                if before.high_watermark[leader] <= offset < after.high_watermark[leader]:
                    held = copies_at(after, leader, offset)
                    if held + held <= after.size(Replica):
                        return False
    return True


@step_always("A value that times out at its leader was fetched by no follower.")
def timed_out_was_not_fetched(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] == WAITING and after.delivery[value] == UNKNOWN:
            for leader in before.each(Replica):
                if before.waiting_at[value] == leader and leads_on(before, after, leader):
                    if copies(before, value) > 1:
                        return False
    return True


@step_always("A value that times out at its leader was missing in the log of at least one member of the leader's ISR.")
def timed_out_was_not_fetched_by_all(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] == WAITING and after.delivery[value] == UNKNOWN:
            for leader in before.each(Replica):
                if before.waiting_at[value] == leader and leads_on(before, after, leader):
                    if isr_holds(before, leader, value):
                        return False
    return True


def isr_holds(s: Partition, leader: Replica, value: Value) -> bool:
    """Does every member of a leader's ISR have the value?"""
    for member in s.each(Replica):
        if contains(s.isr[leader], member) and not holds_value(s, member, value):
            return False
    return True


@step_always("A value that is answered with NOT_ENOUGH_REPLICAS_AFTER_APPEND is in the log of the leader that answers.")
def after_append_is_in_the_log(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] != AFTER_APPEND and after.delivery[value] == AFTER_APPEND:
            if not held_by_its_leader(before, after, value):
                return False
    return True


def held_by_its_leader(before: Partition, after: Partition, value: Value) -> bool:
    """Does the leader that the value waited for, or that has just taken it, have it after the step?"""
    for leader in after.each(Replica):
        if after.leader[leader] == leader and holds_value(after, leader, value):
            if before.waiting_at[value] == leader or before.waiting_at[value] < 0:
                return True
    return False


@sometimes("A value that was answered with NOT_ENOUGH_REPLICAS_AFTER_APPEND is exposed to consumers.")
def after_append_is_exposed(s: Partition) -> bool:
    for value in s.each(Value):
        if s.delivery[value] == AFTER_APPEND:
            for offset in s.each(Offset):
                if s.committed[offset] == value:
                    return True
    return False


@step_always("Sending a value again after NOT_ENOUGH_REPLICAS_AFTER_APPEND puts no second copy into a log.")
def after_append_retry_adds_no_copy(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] == AFTER_APPEND and after.delivery[value] != AFTER_APPEND:
            for replica in after.each(Replica):
                if before.log_end[replica] < after.log_end[replica] and holds_value(before, replica, value):
                    return False
    return True


@sometimes("A value that was appended, and never acknowledged, is not in the log of a true leader.")
def unacknowledged_is_gone(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for value in s.each(Value):
                if s.delivery[value] == UNKNOWN and not holds_value(s, leader, value):
                    return True
    return False


@step_always(
    "A value that a leader does not have, and of which the producer knows no outcome, is not appended there again."
)
def gone_is_not_sent_again(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] == UNKNOWN and after.delivery[value] == WAITING:
            for leader in after.each(Replica):
                if after.waiting_at[value] == leader and not holds_value(before, leader, value):
                    return False
    return True


@step_always("No live broker's log loses an acknowledged value.")
def cut_spares_acknowledged(before: Partition, after: Partition) -> bool:
    for replica in before.each(Replica):
        if before.up[replica] and after.up[replica]:
            for value in before.each(Value):
                if before.delivery[value] == ACKNOWLEDGED and holds_value(before, replica, value):
                    if not holds_value(after, replica, value):
                        return False
    return True


@step_always(
    "A restarted broker that becomes follower of a true leader has, after its cut, no record that the leader has otherwise."
)
def restarted_follower_agrees(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if is_true_leader(after, leader):
            for follower in after.each(Replica):
                if before.up[follower] and before.epoch[follower] == NONE and after.leader[follower] == leader:
                    if follower != leader and not epochs_agree(after, follower, leader):
                        return False
    return True


def epochs_agree(s: Partition, one: Replica, other: Replica) -> bool:
    """Do two logs have records of the same leader epochs at every offset that both have?"""
    for offset in s.each(Offset):
        if offset < s.log_end[one] and offset < s.log_end[other]:
            if s.record_epoch[one][offset] != s.record_epoch[other][offset]:
                return False
    return True


@step_always("A leader whose ISR shrinks has no higher high watermark after it.")
def shrinking_raises_no_high_watermark(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if leads_on(before, after, leader) and count(after, after.isr[leader]) < count(before, before.isr[leader]):
            if after.high_watermark[leader] > before.high_watermark[leader]:
                return False
    return True


@step_always(
    "A leader whose ISR shrinks has its high watermark at the smallest log end that it knows of in what is left."
)
def shrinking_moves_high_watermark(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if leads_on(before, after, leader) and count(after, after.isr[leader]) < count(before, before.isr[leader]):
            end = after.log_end[leader]
            for member in after.each(Replica):
                if member != leader and contains(after.isr[leader], member):
                    end = min(end, after.known_end[leader][member])
            if after.high_watermark[leader] < end:
                return False
    return True


@step_always("Whoever becomes leader was in the controller's ISR, or eligible.")
def leaders_come_from_the_isr(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if after.controller_leader == leader and before.controller_leader != leader:
            if not contains(before.controller_isr, leader) and not contains(before.eligible, leader):
                return False
    return True


@step_always("An append leaves its leader's high watermark where it is.")
def appending_raises_no_high_watermark(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if leads_on(before, after, leader) and before.log_end[leader] < after.log_end[leader]:
            if after.high_watermark[leader] > before.high_watermark[leader]:
                return False
    return True


@step_always("Without idempotence, no leader refuses a value: only brokers that do not lead do.")
def only_followers_refuse(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] != REFUSED and after.delivery[value] == REFUSED:
            if before.delivery[value] != UNSENT or not somebody_follows(before):
                return False
    return True


def somebody_follows(s: Partition) -> bool:
    """Is there a live broker that does not believe that it leads, so that it may have refused?"""
    for broker in s.each(Replica):
        if s.up[broker] and s.leader[broker] != broker:
            return True
    return False


@step_always("No leader appends while its ISR is below min ISR.")
def small_isr_takes_nothing(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if leads_on(before, after, leader) and before.log_end[leader] < after.log_end[leader]:
            if count(before, before.isr[leader]) < before.min_isr:
                return False
    return True


@always("With acks=0, the producer never hears more of a value than that its connection was closed.")
def acks_none_hears_only_refusals(s: Partition) -> bool:
    for value in s.each(Value):
        if s.acks == ACKS_NONE and s.delivery[value] != UNSENT:
            if s.delivery[value] != UNKNOWN and s.delivery[value] != REFUSED:
                return False
    return True


@sometimes("A value is sent.")
def sent(s: Partition) -> bool:
    for value in s.each(Value):
        if s.delivery[value] != UNSENT:
            return True
    return False


@sometimes("A value has been processed, and its offset committed.")
def consumed(s: Partition) -> bool:
    for value in s.each(Value):
        if s.processed[value] != NEVER and s.committed_offset > 0:
            return True
    return False


@sometimes("A value is timed out while its leader goes on leading.")
def timed_out(s: Partition) -> bool:
    for value in s.each(Value):
        if s.delivery[value] == UNKNOWN and s.newest_epoch == 0:
            return True
    return False


CLAIM_PROPERTIES = (
    isr_ends_equal_when_acknowledged,
    isr_has_it_when_acknowledged,
    two_logs_when_acknowledged,
    all_logs_when_acknowledged,
    high_watermark_is_smallest_end,
    high_watermark_at_most_smallest_end,
    high_watermark_is_smallest_known_end,
    high_watermark_growth_has_majority,
    timed_out_was_not_fetched,
    timed_out_was_not_fetched_by_all,
    after_append_is_in_the_log,
    after_append_is_exposed,
    after_append_retry_adds_no_copy,
    unacknowledged_is_gone,
    gone_is_not_sent_again,
    cut_spares_acknowledged,
    restarted_follower_agrees,
    shrinking_raises_no_high_watermark,
    shrinking_moves_high_watermark,
    leaders_come_from_the_isr,
    appending_raises_no_high_watermark,
    only_followers_refuse,
    small_isr_takes_nothing,
    acks_none_hears_only_refusals,
    sent,
    consumed,
    timed_out,
)
