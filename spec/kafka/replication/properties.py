"""What must never happen to a partition, and what must be seen to happen, as predicates over its states."""

from __future__ import annotations

from neverlost.model.core import NONE, always, contains, harmless, sometimes, step_always, suffices
from neverlost.model.kafka.replication.cleaner import cleaned_rightly, holds_newest, is_superseded
from neverlost.model.kafka.replication.controller import seems_dead
from neverlost.model.kafka.replication.log import holds_value
from neverlost.model.kafka.replication.producer import is_idempotent
from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    AFTER_APPEND,
    AGAIN,
    COMMIT_AUTO,
    COMMIT_BEFORE,
    LATE_LOOK,
    LATE_PRODUCE,
    NEVER,
    NO_CONSUMER,
    REFUSED,
    UNKNOWN,
    Delay,
    Epoch,
    Offset,
    Partition,
    Replica,
    Value,
)

from .stories import (
    disorder_story,
    duplicate_story,
    exposed_story,
    loss_story,
    read_story,
    repeated_story,
    skipped_story,
    vanished_story,
)


def is_true_leader(s: Partition, replica: Replica) -> bool:
    """Does the broker lead, and know itself in the controller's newest epoch?"""
    return s.controller_leader == replica and s.leader[replica] == replica and s.epoch[replica] == s.newest_epoch


def holds_what_was_exposed(s: Partition, replica: Replica) -> bool:
    """Does the broker hold every record that was ever exposed, at its offset?"""
    for offset in s.each(Offset):
        if s.committed[offset] != NONE and s.record_value[replica][offset] != s.committed[offset]:
            if not cleaned_rightly(s, replica, offset):
                return False
    return True


def agree_below(s: Partition, one: Replica, other: Replica, end: int) -> bool:
    """Do two logs hold the same records at every offset below `end`, but for what was cleaned away?"""
    for offset in s.each(Offset):
        if offset < end:
            if s.record_epoch[one][offset] != s.record_epoch[other][offset]:
                return False
            if s.record_value[one][offset] != s.record_value[other][offset]:
                if not cleaned_rightly(s, one, offset) and not cleaned_rightly(s, other, offset):
                    return False
    return True


def agree_at(s: Partition, one: Replica, other: Replica, offset: Offset) -> bool:
    """Do two logs have the same record at an offset?"""
    return (
        s.record_epoch[one][offset] == s.record_epoch[other][offset]
        and s.record_value[one][offset] == s.record_value[other][offset]
    )


@harmless("no value is acknowledged, and none can be any more")
def none_acknowledged(s: Partition) -> bool:
    """Are all values sent and none acknowledged, nothing waits for an answer, and nothing can be sent again?"""
    return (
        s.retries_left == 0
        and all(
            s.delivery[value] == REFUSED or s.delivery[value] == AFTER_APPEND or s.delivery[value] == UNKNOWN
            for value in s.each(Value)
        )
        and all(s.waiting_at[value] == NONE for value in s.each(Value))
        and all(s.late_kind[delay] != LATE_PRODUCE and s.late_kind[delay] != LATE_LOOK for delay in s.each(Delay))
    )


@always(
    "Every acknowledged value is in the log of every installed true leader.",
    story=loss_story,
    harmless=none_acknowledged,
)
def acked_never_lost(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for value in s.each(Value):
                if s.delivery[value] == ACKNOWLEDGED and not holds_newest(s, leader, value):
                    return False
    return True


@step_always(
    "What a leader ever exposed below its high watermark stays, at its offset, in every later true leader.",
    story=vanished_story,
)
def committed_never_lost(before: Partition, after: Partition) -> bool:
    for leader in after.each(Replica):
        if is_true_leader(after, leader):
            for offset in before.each(Offset):
                if before.committed[offset] != NONE and after.record_value[leader][offset] != before.committed[offset]:
                    if not cleaned_rightly(after, leader, offset):
                        return False
    return True


@always("What the consumer was given stays, at its offset, in every installed true leader.", story=read_story)
def read_never_lost(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for offset in s.each(Offset):
                if s.read[offset] != NONE and s.record_value[leader][offset] != s.read[offset]:
                    if not cleaned_rightly(s, leader, offset):
                        return False
    return True


@always(
    "No leader, true or deposed, exposes another value at an offset than was first exposed there.", story=exposed_story
)
def consistent_read(s: Partition) -> bool:
    for leader in s.each(Replica):
        if s.leader[leader] == leader:
            for offset in s.each(Offset):
                if offset < s.high_watermark[leader] and s.committed[offset] != NONE:
                    if s.record_value[leader][offset] != s.committed[offset]:
                        if not cleaned_rightly(s, leader, offset):
                            return False
    return True


def copies(s: Partition, value: Value) -> int:
    """How many logs have the value, those of brokers that are down included."""
    found = 0
    for replica in s.each(Replica):
        if holds_value(s, replica, value):
            found += 1
    return found


@step_always("When a value is acknowledged, at least two logs have it.")
def two_logs_when_acknowledged(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] != ACKNOWLEDGED and after.delivery[value] == ACKNOWLEDGED:
            if copies(after, value) < 2:
                return False
    return True


@step_always("A live broker that enters the ISR beside its leader has every record that was exposed.")
def newcomers_have_committed(before: Partition, after: Partition) -> bool:
    for member in before.each(Replica):
        if contains(after.controller_isr, member) and not contains(before.controller_isr, member):
            if after.up[member] and after.controller_leader != member and not holds_what_was_exposed(before, member):
                return False
    return True


@always("A follower in the epoch of a true leader has no other record than it at any offset.")
def followers_agree(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for follower in s.each(Replica):
                if s.leader[follower] == leader and s.epoch[follower] == s.epoch[leader]:
                    if not agree_below(s, leader, follower, min(s.log_end[leader], s.log_end[follower])):
                        return False
    return True


@step_always("A follower cuts no record below its own high watermark that its leader has.")
def keeps_what_its_leader_has(before: Partition, after: Partition) -> bool:
    for follower in before.each(Replica):
        for leader in before.each(Replica):
            if before.leader[follower] == leader and before.leader[leader] == leader and after.up[follower]:
                for offset in before.each(Offset):
                    if offset < before.high_watermark[follower] and after.log_end[follower] <= offset:
                        if agree_at(before, follower, leader, offset):
                            return False
    return True


@always("No fenced broker is in an ISR with another member that is live.")
def isr_is_live(s: Partition) -> bool:
    for member in s.each(Replica):
        if contains(s.controller_isr, member) and contains(s.fenced, member):
            for other in s.each(Replica):
                if contains(s.controller_isr, other) and not contains(s.fenced, other):
                    return False
    return True


@always("A true leader has every record that any live broker holds below its high watermark.")
def leader_completeness(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for other in s.each(Replica):
                if s.up[other] and not agree_below(s, leader, other, s.high_watermark[other]):
                    return False
    return True


@always("Two logs with a record of the same leader epoch at an offset agree there and everywhere before.")
def log_matching(s: Partition) -> bool:
    for one in s.each(Replica):
        for other in s.each(Replica):
            if one != other:
                for offset in s.each(Offset):
                    if s.record_epoch[one][offset] != NONE:
                        if s.record_epoch[one][offset] == s.record_epoch[other][offset]:
                            if not agree_below(s, one, other, offset + 1):
                                return False
    return True


@always("No two brokers lead in the same leader epoch.")
def one_leader_per_epoch(s: Partition) -> bool:
    for one in s.each(Replica):
        for other in s.each(Replica):
            if one != other and s.leader[one] == one and s.leader[other] == other and s.epoch[one] == s.epoch[other]:
                return False
    return True


@always("A high watermark is never beyond the log.")
def high_watermark_within_log(s: Partition) -> bool:
    for replica in s.each(Replica):
        if s.high_watermark[replica] > s.log_end[replica]:
            return False
    return True


@step_always("Within one leadership the high watermark never goes back.")
def high_watermark_monotonic(before: Partition, after: Partition) -> bool:
    for replica in before.each(Replica):
        if before.leader[replica] == replica and after.leader[replica] == replica:
            if before.epoch[replica] == after.epoch[replica]:
                if after.high_watermark[replica] < before.high_watermark[replica]:
                    return False
    return True


@always("Every live member of the controller's ISR holds every record that was exposed (the published StrongIsr).")
def isr_has_committed(s: Partition) -> bool:
    for member in s.each(Replica):
        if contains(s.controller_isr, member) and s.up[member] and not holds_what_was_exposed(s, member):
            return False
    return True


@always("Every live member of a true leader's own ISR holds what that leader exposes (the published WeakIsr).")
def true_leader_isr_has_committed(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for member in s.each(Replica):
                if contains(s.isr[leader], member) and s.up[member]:
                    if not agree_below(s, leader, member, s.high_watermark[leader]):
                        return False
    return True


@always("There is no leader, or it is in the controller's ISR.")
def leader_in_isr(s: Partition) -> bool:
    return s.controller_leader == NONE or contains(s.controller_isr, s.controller_leader)


@always("With idempotence, or without retries, no true leader has a value twice.")
def no_duplicate(s: Partition) -> bool:
    return (s.retries > 0 and not is_idempotent(s)) or no_value_twice(s)


def no_value_twice(s: Partition) -> bool:
    """Is every value in the log of every true leader at most once?"""
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for offset in s.each(Offset):
                for later in s.each(Offset):
                    if offset < later and s.record_value[leader][offset] != NONE:
                        if s.record_value[leader][offset] == s.record_value[leader][later]:
                            return False
    return True


@always("No true leader has a value twice.", story=duplicate_story)
def written_once(s: Partition) -> bool:
    return no_value_twice(s)


@always("With idempotence, or with one request at a time, values lie in the order in which they were sent.")
def in_order(s: Partition) -> bool:
    return (s.pipelined and s.retries > 0 and not is_idempotent(s)) or values_ascend(s)


def values_ascend(s: Partition) -> bool:
    """Does no log have a value before an earlier one?"""
    for replica in s.each(Replica):
        for offset in s.each(Offset):
            for later in s.each(Offset):
                if offset < later and s.record_value[replica][later] != NONE:
                    if s.record_value[replica][offset] > s.record_value[replica][later]:
                        return False
    return True


@always("Values lie in the order in which they were sent.", story=disorder_story)
def written_in_order(s: Partition) -> bool:
    return values_ascend(s)


@harmless("every value is processed")
def all_processed(s: Partition) -> bool:
    """Has the consumer processed every value? It does not forget that."""
    return all(s.processed[value] != NEVER for value in s.each(Value))


@always(
    "A consumer that commits after processing has processed everything below its committed offset.",
    harmless=all_processed,
)
def consumer_at_least_once(s: Partition) -> bool:
    return s.commit == NO_CONSUMER or s.commit == COMMIT_BEFORE or s.commit == COMMIT_AUTO or nothing_skipped(s)


def nothing_skipped(s: Partition) -> bool:
    """Has the consumer processed all that a true leader exposes below the committed offset, but for what it has still at hand?"""
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for offset in s.each(Offset):
                for value in s.each(Value):
                    if s.record_value[leader][offset] == value and s.processed[value] == NEVER:
                        if offset < min(s.committed_offset, s.processed_end, s.high_watermark[leader]):
                            if not s.compacted or not is_superseded(s, leader, offset, s.high_watermark[leader]):
                                return False
    return True


def nothing_repeated(s: Partition) -> bool:
    """Is no value processed twice?"""
    for value in s.each(Value):
        if s.processed[value] == AGAIN:
            return False
    return True


@always("A consumer that commits before processing processes nothing twice.")
def consumer_at_most_once(s: Partition) -> bool:
    return s.commit != COMMIT_BEFORE or (s.retries > 0 and not is_idempotent(s)) or nothing_repeated(s)


@always("The consumer and its successors skip nothing.", story=skipped_story, harmless=all_processed)
def consumed_never_skipped(s: Partition) -> bool:
    return nothing_skipped(s)


@always("The consumer and its successors process nothing twice.", story=repeated_story)
def consumed_never_repeated(s: Partition) -> bool:
    return nothing_repeated(s)


@step_always("An answer to the producer is final but for another attempt: an acknowledged value stays acknowledged.")
def exactly_one_response(before: Partition, after: Partition) -> bool:
    for value in before.each(Value):
        if before.delivery[value] == ACKNOWLEDGED and after.delivery[value] != ACKNOWLEDGED:
            return False
        if after.waiting_at[value] != NONE and after.delivery[value] == ACKNOWLEDGED:
            return False
    return True


@suffices(
    "leader epochs",
    "While the partition has no live leader, the controller has an epoch left to elect one in: these bounds hide nothing.",
)
def epochs_suffice(s: Partition) -> bool:
    if s.newest_epoch + 1 < s.size(Epoch):
        return True
    for replica in s.each(Replica):
        if s.controller_leader == replica and not seems_dead(s, replica):
            return True
    return False


@sometimes("A value is acknowledged.")
def acknowledged(s: Partition) -> bool:
    for value in s.each(Value):
        if s.delivery[value] == ACKNOWLEDGED:
            return True
    return False


@sometimes("A record is exposed to consumers.")
def exposed(s: Partition) -> bool:
    return s.committed[0] >= 0


@sometimes("A true leader is installed in a later epoch than that of an acknowledged value.")
def elected_after_acknowledgement(s: Partition) -> bool:
    for leader in s.each(Replica):
        if is_true_leader(s, leader):
            for offset in s.each(Offset):
                for value in s.each(Value):
                    if s.record_value[leader][offset] == value and s.delivery[value] == ACKNOWLEDGED:
                        if s.record_epoch[leader][offset] < s.epoch[leader]:
                            return True
    return False


@sometimes("Every fault of the budgets has happened, and a true leader is installed after an acknowledged value.")
def faults_survived(s: Partition) -> bool:
    if s.crashes_left + s.power_losses_left + s.disk_losses_left + s.leader_moves_left + s.pauses_left > 0:
        return False
    if s.shutdowns_left > 0:
        return False
    return elected_after_acknowledgement(s)


@sometimes("A request is refused: NOT_ENOUGH_REPLICAS, or out of sequence.")
def refused(s: Partition) -> bool:
    for value in s.each(Value):
        if s.delivery[value] == REFUSED:
            return True
    return False


@sometimes("A request is answered with NOT_ENOUGH_REPLICAS_AFTER_APPEND.")
def not_enough_replicas_after_append(s: Partition) -> bool:
    for value in s.each(Value):
        if s.delivery[value] == AFTER_APPEND:
            return True
    return False
