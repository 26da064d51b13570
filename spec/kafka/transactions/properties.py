"""What must hold of transactions, and what must be reachable so that this is not vacuous."""

from __future__ import annotations

from neverlost.model.core import NONE, always, contains, eventually, sometimes, step_always, suffices
from neverlost.model.kafka.transactions.coordinator import complete, is_prepared, write_marker
from neverlost.model.kafka.transactions.partition import accepts_marker, has_open
from neverlost.model.kafka.transactions.state import (
    Decision,
    Epoch,
    Fate,
    Partition,
    Phase,
    Producer,
    Sent,
    Stage,
    Transactions,
    Txn,
)

from .stories import aborted_read, commit_lost, hangs, stuck, torn, twice, zombie


def is_visible(s: Transactions, txn: Txn, partition: Partition) -> bool:
    """Do readers see the record, or a copy of it?"""
    is_ended = s.record[txn][partition] == Fate.VISIBLE or s.copy[txn][partition] == Fate.VISIBLE
    return is_ended or s.read_early[txn][partition] == 1


def is_skipped(s: Transactions, txn: Txn, partition: Partition) -> bool:
    """Is the record skipped, and no copy of it open or visible?"""
    return s.record[txn][partition] == Fate.SKIPPED and (
        s.copy[txn][partition] == Fate.ABSENT or s.copy[txn][partition] == Fate.SKIPPED
    )


@always("Of one transaction, readers do not see some records while others are skipped as aborted.", story=torn)
def all_or_nothing(s: Transactions) -> bool:
    for txn in s.each(Txn):
        if any(is_visible(s, txn, p) for p in s.each(Partition)):
            if any(s.record[txn][p] == Fate.SKIPPED for p in s.each(Partition)):
                return False
    return True


@always("Readers of committed records see no record whose application has not asked for a commit.", story=aborted_read)
def no_aborted_read(s: Transactions) -> bool:
    for txn in s.each(Txn):
        if s.stage[txn] != Stage.COMMITTING and s.stage[txn] != Stage.COMMITTED:
            for partition in s.each(Partition):
                if is_visible(s, txn, partition):
                    return False
    return True


@always("What an application was told to be committed is in the log, and not skipped as aborted.", story=commit_lost)
def no_commit_lost(s: Transactions) -> bool:
    for txn in s.each(Txn):
        if s.stage[txn] == Stage.COMMITTED:
            for partition in s.each(Partition):
                if s.sent[txn][partition] == Sent.ACKNOWLEDGED:
                    if s.record[txn][partition] == Fate.ABSENT or is_skipped(s, txn, partition):
                        return False
    return True


def is_fenced(s: Transactions, txn: Txn) -> bool:
    """Has a later producer started than the one that began the transaction?"""
    for producer in s.each(Producer):
        if s.owner[txn] != NONE and producer > s.owner[txn]:
            if s.phase[producer] != Phase.NEW and s.phase[producer] != Phase.STARTING:
                return True
    return False


@step_always("When a later producer has started, no record of an earlier one becomes visible.", story=zombie)
def zombie_fenced(before: Transactions, after: Transactions) -> bool:
    for txn in before.each(Txn):
        if is_fenced(before, txn):
            for partition in before.each(Partition):
                if is_visible(after, txn, partition) and not is_visible(before, txn, partition):
                    return False
    return True


@always("Readers see no record twice.", story=twice)
def no_duplicate(s: Transactions) -> bool:
    for txn in s.each(Txn):
        for partition in s.each(Partition):
            if s.record[txn][partition] == Fate.VISIBLE and s.copy[txn][partition] == Fate.VISIBLE:
                return False
    return True


@step_always("No record is appended behind one of a later transaction of the same producer.")
def in_order(before: Transactions, after: Transactions) -> bool:
    for txn in before.each(Txn):
        for later in before.each(Txn):
            if txn < later and before.owner[txn] == before.owner[later]:
                for partition in before.each(Partition):
                    if before.record[txn][partition] == Fate.ABSENT and after.record[txn][partition] != Fate.ABSENT:
                        if before.record[later][partition] != Fate.ABSENT:
                            return False
    return True


@always("A partition accepts the marker that the coordinator sends.", story=stuck)
def markers_accepted(s: Transactions) -> bool:
    if is_prepared(s):
        for partition in s.each(Partition):
            if contains(s.partitions, partition):
                if not accepts_marker(s, partition, s.newest_epoch, s.prepared_in_v2):
                    return False
    return True


@always("The coordinator knows of every open transaction in a partition, so that it will end it.", story=hangs)
def nothing_hangs(s: Transactions) -> bool:
    for partition in s.each(Partition):
        if has_open(s, partition) and not contains(s.partitions, partition):
            return False
    return True


def is_fenced_alone(before: Transactions, after: Transactions) -> bool:
    """Is a producer told that it is fenced, and none after it has asked for an epoch?"""
    for producer in before.each(Producer):
        if before.phase[producer] != Phase.FENCED and after.phase[producer] == Phase.FENCED:
            if all(before.phase[p] == Phase.NEW for p in before.each(Producer) if p > producer):
                return True
    return False


@step_always(
    "A producer is told that it is fenced only after a later one asked for an epoch, or a transaction timed out."
)
def fenced_by_others(before: Transactions, after: Transactions) -> bool:
    return before.timeouts_left < before.timeouts or not is_fenced_alone(before, after)


@step_always(
    "A producer is told that it is fenced only after a later one asked for an epoch: it goes on after a timeout."
)
def goes_on_after_timeouts(before: Transactions, after: Transactions) -> bool:
    return not is_fenced_alone(before, after)


@suffices("epochs", "The coordinator has two epochs left: these bounds hide nothing.")
def epochs_suffice(s: Transactions) -> bool:
    return s.newest_epoch + 2 < s.size(Epoch)


@sometimes("A transaction is visible as a whole.")
def all_visible(s: Transactions) -> bool:
    for txn in s.each(Txn):
        if all(s.record[txn][p] == Fate.VISIBLE for p in s.each(Partition)):
            return True
    return False


@sometimes("A transaction with a record in every partition is skipped as a whole.")
def all_skipped(s: Transactions) -> bool:
    for txn in s.each(Txn):
        if all(s.record[txn][p] == Fate.SKIPPED for p in s.each(Partition)):
            return True
    return False


@sometimes("Every application was told that its transaction is committed.")
def all_committed(s: Transactions) -> bool:
    return all(s.stage[txn] == Stage.COMMITTED for txn in s.each(Txn))


@sometimes("A record of a fenced producer is skipped.")
def zombie_skipped(s: Transactions) -> bool:
    for txn in s.each(Txn):
        if is_fenced(s, txn) and any(s.record[txn][p] == Fate.SKIPPED for p in s.each(Partition)):
            return True
    return False


@sometimes("A producer is told that it is fenced.")
def a_producer_is_fenced(s: Transactions) -> bool:
    return any(s.phase[producer] == Phase.FENCED for producer in s.each(Producer))


@sometimes("A record is open while its end is prepared.")
def open_at_the_end(s: Transactions) -> bool:
    return is_prepared(s) and any(has_open(s, p) for p in s.each(Partition))


@sometimes("Two transactions of one producer have records in the same partition.")
def one_after_the_other(s: Transactions) -> bool:
    for txn in s.each(Txn):
        for later in s.each(Txn):
            if txn < later and s.owner[txn] == s.owner[later]:
                for partition in s.each(Partition):
                    if s.record[txn][partition] != Fate.ABSENT and s.record[later][partition] != Fate.ABSENT:
                        return True
    return False


@eventually("What the coordinator has decided completes.", after=is_prepared, weak=(write_marker, complete))
def decided_completes(s: Transactions) -> bool:
    return s.state == Decision.COMPLETE_COMMIT or s.state == Decision.COMPLETE_ABORT
