"""What a proof rests on that nothing is torn, read or lost in version 2 of 4.2: lemmas that together are an inductive invariant.

The argument, in short. Each transaction has its epoch, and each end the next one. So an open record has the newest epoch of its
partition, and is of the coordinator's transaction; a marker that is held up is of an end that was decided, and is refused while a
later transaction is open.
"""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, contains, is_subset, lemma
from neverlost.model.kafka.transactions.coordinator import is_prepared
from neverlost.model.kafka.transactions.partition import has_open
from neverlost.model.kafka.transactions.producer import is_current
from neverlost.model.kafka.transactions.state import (
    Decision,
    Fate,
    Held,
    PartialLoad,
    Partition,
    Phase,
    Producer,
    Result,
    Sent,
    Stage,
    Tail,
    Transactions,
    Txn,
)

from .assumptions import told_by_epochs
from .properties import is_fenced


def is_stopped(s: Transactions, producer: Producer) -> bool:
    """Can the producer only be closed?"""
    return s.phase[producer] == Phase.FENCED or s.phase[producer] == Phase.DEAD


@lemma("Partitions wait for a marker only while a transaction is ongoing or prepared.")
def only_an_unfinished_transaction_has_partitions(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    return (
        s.state == Decision.ONGOING
        or s.state == Decision.PREPARE_COMMIT
        or s.state == Decision.PREPARE_ABORT
        or s.partitions == EMPTY
    )


@lemma("A number that was used is that of a record of the producer's transaction, and its first.")
def numbers_belong_to_records(s: Transactions, producer: Producer, partition: Partition) -> bool:
    if not told_by_epochs(s) or s.next_number[producer][partition] == 0:
        return True
    if s.next_number[producer][partition] > 1:
        return False
    for txn in s.each(Txn):
        if is_current(s, producer, txn) and s.number[txn][partition] != NONE:
            return True
    return False


@lemma("A record gets its number when it is sent.")
def unsent_records_have_no_number(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return (s.number[txn][partition] < 0) == (s.sent[txn][partition] == Sent.UNSENT)


@lemma("What is in the log or in the network was sent.")
def records_were_sent(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return s.number[txn][partition] != NONE or (
        s.record[txn][partition] == Fate.ABSENT and s.late_produce[txn][partition] == Held.NO
    )


@lemma("A transaction that has not begun has no owner, no epoch and no end.")
def before_it_begins_nothing_is_known(s: Transactions, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return s.stage[txn] != Stage.NOT_BEGUN or (
        s.owner[txn] == NONE and s.txn_epoch[txn] == NONE and s.late_end[txn] == NONE
    )


@lemma("A transaction that has not begun has sent nothing.")
def before_it_begins_nothing_is_sent(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return s.stage[txn] != Stage.NOT_BEGUN or s.sent[txn][partition] == Sent.UNSENT


@lemma("Transactions begin in order.")
def transactions_begin_in_order(s: Transactions, txn: Txn, later: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return not (txn < later and s.stage[txn] == Stage.NOT_BEGUN and s.stage[later] != Stage.NOT_BEGUN)


@lemma("A transaction that has begun has an owner and an epoch.")
def begun_has_owner_and_epoch(s: Transactions, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return s.stage[txn] == Stage.NOT_BEGUN or (s.owner[txn] != NONE and s.txn_epoch[txn] != NONE)


@lemma("A producer that has started has an epoch, and none is newer than the coordinator's.")
def a_producer_has_an_epoch(s: Transactions, producer: Producer) -> bool:
    if not told_by_epochs(s):
        return True
    if (
        s.phase[producer] == Phase.READY
        or s.phase[producer] == Phase.IN_TRANSACTION
        or s.phase[producer] == Phase.ENDING
    ):
        return s.epoch[producer] != NONE and s.epoch[producer] <= s.newest_epoch
    return True


@lemma("A producer is in a transaction until its application asks for the end.")
def stage_follows_phase(s: Transactions, producer: Producer, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    if not is_current(s, producer, txn) or is_stopped(s, producer):
        return True
    if s.phase[producer] == Phase.IN_TRANSACTION:
        return s.stage[txn] == Stage.BEGUN
    return s.phase[producer] == Phase.ENDING and s.stage[txn] != Stage.BEGUN


@lemma("What is open is known to the coordinator.")
def open_is_known(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return not has_open(s, partition) or contains(s.partitions, partition)


@lemma("The coordinator moves as often as it may.")
def coordinator_moves_are_counted(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    return s.coordinator_epoch + s.coordinator_moves_left <= s.coordinator_moves


@lemma("No coordinator acts on what its log has not acknowledged.")
def what_is_acted_on_is_acknowledged(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    return s.tail != Tail.READ and (s.tail != Tail.WRITTEN or s.coordinator_moves > 1)


@lemma("No record is read while it is open.")
def nothing_is_read_early(s: Transactions, txn: Txn, partition: Partition) -> bool:
    return not told_by_epochs(s) or not s.read_early[txn][partition]


@lemma("The log of the coordinator has every partition whose marker is not answered.")
def log_has_the_partitions(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    return not is_prepared(s) or is_subset(s.partitions, s.logged_partitions)


@lemma("No transaction has a newer epoch than the coordinator's.")
def the_coordinator_has_the_newest_epoch(s: Transactions, txn: Txn) -> bool:
    return not told_by_epochs(s) or s.txn_epoch[txn] <= s.newest_epoch


@lemma("No partition knows a newer epoch than the coordinator's, and no marker to it has one.")
def no_partition_knows_a_newer_epoch(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return s.seen_epoch[partition] <= s.newest_epoch and s.late_marker_epoch[partition] <= s.newest_epoch


@lemma("What is open in a partition has the newest epoch there, and is the coordinator's transaction.")
def open_records_are_of_the_newest_transaction(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.record[txn][partition] != Fate.OPEN:
        return True
    if s.seen_epoch[partition] != s.txn_epoch[txn]:
        return False
    if s.state == Decision.ONGOING:
        return s.txn_epoch[txn] == s.newest_epoch
    return is_prepared(s) and s.txn_epoch[txn] + 1 == s.newest_epoch


@lemma("Two transactions have two epochs.")
def each_transaction_has_its_epoch(s: Transactions, txn: Txn, other: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return (
        txn == other
        or s.stage[txn] == Stage.NOT_BEGUN
        or s.stage[other] == Stage.NOT_BEGUN
        or s.txn_epoch[txn] != s.txn_epoch[other]
    )


@lemma("A producer that is ready has an epoch that no transaction has used.")
def a_ready_producer_has_a_fresh_epoch(s: Transactions, producer: Producer, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return s.phase[producer] != Phase.READY or s.txn_epoch[txn] != s.epoch[producer]


@lemma("Two producers that go on have two epochs.")
def each_producer_has_its_epoch(s: Transactions, producer: Producer, other: Producer) -> bool:
    if not told_by_epochs(s):
        return True
    return producer == other or s.epoch[producer] == NONE or s.epoch[producer] != s.epoch[other]


@lemma("A producer without an epoch does nothing, and one that does nothing has none.")
def without_epoch_it_does_nothing(s: Transactions, producer: Producer) -> bool:
    if not told_by_epochs(s):
        return True
    return (s.epoch[producer] < 0) == (s.phase[producer] <= Phase.STARTING or is_stopped(s, producer))


@lemma("What the coordinator commits is a transaction whose application asked for it.")
def a_commit_is_of_a_transaction(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    if s.state != Decision.PREPARE_COMMIT and s.state != Decision.COMPLETE_COMMIT:
        return True
    for txn in s.each(Txn):
        if s.txn_epoch[txn] != NONE and s.txn_epoch[txn] + 1 == s.newest_epoch and asked_to_commit(s, txn):
            return True
    return False


@lemma("A commit marker that is held up is of a transaction whose application asked for it.")
def a_commit_marker_is_of_a_transaction(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.late_marker[partition] != Result.COMMIT:
        return True
    for txn in s.each(Txn):
        if (
            s.txn_epoch[txn] != NONE
            and s.txn_epoch[txn] + 1 == s.late_marker_epoch[partition]
            and asked_to_commit(s, txn)
        ):
            return True
    return False


@lemma("Nothing is open when the coordinator has finished.")
def finished_means_closed(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return s.state == Decision.ONGOING or is_prepared(s) or not has_open(s, partition)


@lemma("A producer uses its own epoch in its transaction, and has only one.")
def a_transaction_has_the_epoch_of_its_producer(s: Transactions, producer: Producer, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    if not is_current(s, producer, txn):
        return True
    return is_stopped(s, producer) or (
        (s.phase[producer] == Phase.IN_TRANSACTION or s.phase[producer] == Phase.ENDING)
        and s.txn_epoch[txn] == s.epoch[producer]
    )


def asked_to_commit(s: Transactions, txn: Txn) -> bool:
    """Has the application asked for a commit?"""
    return s.stage[txn] == Stage.COMMITTING or s.stage[txn] == Stage.COMMITTED


def is_decided_to_commit(s: Transactions, txn: Txn) -> bool:
    """Is it the last transaction that the coordinator decided, and with a commit?"""
    return (s.state == Decision.PREPARE_COMMIT or s.state == Decision.COMPLETE_COMMIT) and s.txn_epoch[
        txn
    ] + 1 == s.newest_epoch


@lemma("The coordinator commits only what an application asked to commit.")
def decided_only_if_asked(s: Transactions, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return s.stage[txn] == Stage.NOT_BEGUN or not is_decided_to_commit(s, txn) or asked_to_commit(s, txn)


@lemma("A commit is only held up if it was asked for.")
def held_up_only_if_asked(s: Transactions, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return s.late_end[txn] != Result.COMMIT or asked_to_commit(s, txn)


@lemma("A commit marker is only held up if the commit was asked for.")
def marker_held_up_only_if_asked(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return (
        s.late_marker[partition] != Result.COMMIT
        or s.stage[txn] == Stage.NOT_BEGUN
        or s.txn_epoch[txn] + 1 != s.late_marker_epoch[partition]
        or asked_to_commit(s, txn)
    )


def is_decided(s: Transactions) -> bool:
    """Has the coordinator decided, and nothing come after that?"""
    return s.state != Decision.ONGOING and s.state != Decision.EMPTY


def awaits_answer(s: Transactions, producer: Producer, txn: Txn) -> bool:
    """Has the coordinator decided a transaction, and its producer not learned that?"""
    return (
        is_decided(s)
        and is_current(s, producer, txn)
        and not is_stopped(s, producer)
        and s.txn_epoch[txn] + 1 == s.newest_epoch
    )


@lemma("Until its producer has learned how a transaction ended, nobody has the epoch that comes next.")
def the_next_epoch_is_for_its_producer(s: Transactions, producer: Producer, txn: Txn, other: Producer) -> bool:
    if not told_by_epochs(s):
        return True
    return not awaits_answer(s, producer, txn) or s.epoch[other] != s.newest_epoch


@lemma("Until its producer has learned how a transaction ended, no transaction has the epoch that comes next.")
def the_next_epoch_is_unused(s: Transactions, producer: Producer, txn: Txn, other: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return not awaits_answer(s, producer, txn) or s.txn_epoch[other] != s.newest_epoch


@lemma("What is ongoing or decided is a transaction of that epoch.")
def what_is_decided_is_a_transaction(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    if s.state == Decision.EMPTY:
        return True
    for txn in s.each(Txn):
        if s.txn_epoch[txn] != NONE:
            if s.state == Decision.ONGOING and s.txn_epoch[txn] == s.newest_epoch:
                return True
            if is_decided(s) and s.txn_epoch[txn] + 1 == s.newest_epoch:
                return True
    return False


def is_decided_to_abort(s: Transactions, txn: Txn) -> bool:
    """Is it the last transaction that the coordinator decided, and with an abort?"""
    return (s.state == Decision.PREPARE_ABORT or s.state == Decision.COMPLETE_ABORT) and s.txn_epoch[
        txn
    ] + 1 == s.newest_epoch


@lemma("While a transaction is not decided, its records are open.")
def undecided_records_are_open(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.stage[txn] == Stage.NOT_BEGUN or s.txn_epoch[txn] != s.newest_epoch:
        return True
    if s.record[txn][partition] == Fate.VISIBLE or s.record[txn][partition] == Fate.SKIPPED:
        return False
    return s.sent[txn][partition] != Sent.ACKNOWLEDGED or s.record[txn][partition] == Fate.OPEN


@lemma("When a commit is decided, no record is skipped.")
def decided_commit_skips_nothing(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.stage[txn] == Stage.NOT_BEGUN or not is_decided_to_commit(s, txn):
        return True
    return s.record[txn][partition] != Fate.SKIPPED and (
        s.sent[txn][partition] != Sent.ACKNOWLEDGED or s.record[txn][partition] != Fate.ABSENT
    )


@lemma("When an abort is decided, no record is visible.")
def decided_abort_shows_nothing(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.stage[txn] == Stage.NOT_BEGUN or not is_decided_to_abort(s, txn):
        return True
    return s.record[txn][partition] != Fate.VISIBLE


@lemma("When an abort is decided, no application was told of a commit.")
def decided_abort_is_not_told_as_a_commit(s: Transactions, txn: Txn) -> bool:
    return not told_by_epochs(s) or not is_decided_to_abort(s, txn) or s.stage[txn] != Stage.COMMITTED


@lemma("A marker that is held up does not contradict what is known of its transaction.")
def held_up_markers_agree(s: Transactions, txn: Txn, partition: Partition, other: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.stage[txn] == Stage.NOT_BEGUN or s.late_marker[partition] == NONE:
        return True
    if s.txn_epoch[txn] + 1 != s.late_marker_epoch[partition]:
        return True
    if s.late_marker[partition] == Result.COMMIT:
        return s.record[txn][other] != Fate.SKIPPED and not is_decided_to_abort(s, txn)
    return s.record[txn][other] != Fate.VISIBLE and s.stage[txn] != Stage.COMMITTED and not is_decided_to_commit(s, txn)


@lemma("A held-up marker has an epoch.")
def held_up_markers_have_an_epoch(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return (s.late_marker[partition] < 0) == (s.late_marker_epoch[partition] < 0)


@lemma("A partition expects another number only if it has a record of that epoch.")
def expected_counts_records(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    if s.expected[partition] == 0:
        return True
    for txn in s.each(Txn):
        if s.txn_epoch[txn] != NONE and s.txn_epoch[txn] == s.seen_epoch[partition]:
            if s.record[txn][partition] != Fate.ABSENT:
                return True
    return False


@lemma("Records of one transaction share a fate.")
def records_share_a_fate(s: Transactions, txn: Txn, partition: Partition, other: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return s.record[txn][partition] != Fate.VISIBLE or s.record[txn][other] != Fate.SKIPPED


@lemma("What was told to be committed is in the log, and not skipped.")
def committed_is_in_the_log(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return (
        s.stage[txn] != Stage.COMMITTED
        or s.sent[txn][partition] != Sent.ACKNOWLEDGED
        or s.record[txn][partition] == Fate.VISIBLE
        or s.record[txn][partition] == Fate.OPEN
    )


@lemma("A commit is told only of what is decided, or was before.")
def told_only_if_decided(s: Transactions, txn: Txn) -> bool:
    if not told_by_epochs(s):
        return True
    return s.stage[txn] != Stage.COMMITTED or s.txn_epoch[txn] + 1 <= s.newest_epoch


@lemma("In version 2 nothing is done as before.")
def nothing_is_done_as_before(s: Transactions, producer: Producer) -> bool:
    if not told_by_epochs(s):
        return True
    return not s.needs_bump[producer] and s.phase[producer] != Phase.BUMPING and s.late_bump[producer] == NONE


@lemma("In version 2 no client adds partitions, and no record is in the log twice.")
def no_client_adds_partitions(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    state = s.sent[txn][partition]
    return (
        not s.late_add[txn][partition]
        and state != Sent.ADDING
        and state != Sent.ADDED
        and state != Sent.DROPPED
        and s.copy[txn][partition] == Fate.ABSENT
        and not s.ended_last[txn][partition]
    )


@lemma("A partition knows every record that is open by its number.")
def the_log_knows_what_is_open(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s) or s.record[txn][partition] != Fate.OPEN:
        return True
    return s.number[txn][partition] < s.expected[partition]


@lemma("A partition that forgets nothing knows every record that it has, by its number or by a newer epoch.")
def the_log_knows_its_records(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s) or s.expirations > 0 or s.record[txn][partition] == Fate.ABSENT:
        return True
    if s.txn_epoch[txn] == s.seen_epoch[partition]:
        return s.number[txn][partition] < s.expected[partition]
    return s.txn_epoch[txn] < s.seen_epoch[partition]


@lemma("A record that is verified is not in the log, or a partition that forgets nothing refuses it.")
def verified_records_are_not_in_the_log(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s) or s.late_produce[txn][partition] != Held.VERIFIED:
        return True
    return s.record[txn][partition] == Fate.ABSENT or not s.verification


@lemma("A record that is verified is of the coordinator's transaction, whose marker is still to come, or is fenced.")
def verified_records_are_of_the_newest_transaction(s: Transactions, txn: Txn, partition: Partition) -> bool:
    if not told_by_epochs(s) or s.late_produce[txn][partition] != Held.VERIFIED:
        return True
    if s.txn_epoch[txn] < s.seen_epoch[partition] and not s.verification:
        return True
    if not contains(s.partitions, partition):
        return False
    if s.state == Decision.ONGOING:
        return s.txn_epoch[txn] == s.newest_epoch
    return is_prepared(s) and s.txn_epoch[txn] + 1 == s.newest_epoch


@lemma("A producer starts when those before it have started.")
def producers_start_in_order(s: Transactions, producer: Producer, later: Producer) -> bool:
    if not told_by_epochs(s) or not (producer < later and s.phase[later] != Phase.NEW):
        return True
    return s.phase[producer] > Phase.STARTING


@lemma("A producer before one that has started has an older epoch.")
def a_fenced_producer_has_an_older_epoch(s: Transactions, producer: Producer, later: Producer) -> bool:
    if not told_by_epochs(s) or not (producer < later and s.phase[later] > Phase.STARTING):
        return True
    return s.epoch[producer] < s.newest_epoch


@lemma("A transaction of a producer before one that has started is neither ongoing nor what was decided last.")
def a_fenced_transaction_is_over(s: Transactions, txn: Txn) -> bool:
    if not told_by_epochs(s) or not is_fenced(s, txn):
        return True
    return s.txn_epoch[txn] < s.newest_epoch and not (is_decided(s) and s.txn_epoch[txn] + 1 == s.newest_epoch)


@lemma("A producer's next transaction has a newer epoch than those before.")
def epochs_rise_with_transactions(s: Transactions, txn: Txn, later: Txn) -> bool:
    if not told_by_epochs(s) or not (txn < later and s.stage[later] != Stage.NOT_BEGUN):
        return True
    return s.owner[txn] != s.owner[later] or s.txn_epoch[txn] < s.txn_epoch[later]


@lemma("A producer that is ready has a newer epoch than its transactions.")
def a_ready_producer_has_a_newer_epoch(s: Transactions, producer: Producer, txn: Txn) -> bool:
    if not told_by_epochs(s) or s.phase[producer] != Phase.READY or s.owner[txn] != producer:
        return True
    return s.txn_epoch[txn] < s.epoch[producer]


@lemma("Where nothing may be lost, forgotten or held up, nothing is left of it.")
def what_may_not_happen_is_not_left(s: Transactions) -> bool:
    return (
        (s.lost_markers > 0 or s.lost_markers_left == 0)
        and (s.expirations > 0 or s.expirations_left == 0)
        and (s.late_markers > 0 or s.late_markers_left == 0)
        and (s.early_reads > 0 or s.early_reads_left == 0)
    )


@lemma("No marker is held up where none may be.")
def markers_are_held_up_only_if_they_may(s: Transactions, partition: Partition) -> bool:
    return s.late_markers > 0 or s.size(PartialLoad) > 0 or s.late_marker[partition] == NONE


@lemma("Every end is prepared in version 2.")
def ends_are_of_version_2(s: Transactions) -> bool:
    if not told_by_epochs(s):
        return True
    return s.prepared_in_v2 or not is_prepared(s)


@lemma("Every marker that is held up is of version 2.")
def markers_are_of_version_2(s: Transactions, partition: Partition) -> bool:
    if not told_by_epochs(s):
        return True
    return s.late_marker_v2[partition] or s.late_marker[partition] == NONE


LEMMAS = (
    only_an_unfinished_transaction_has_partitions,
    numbers_belong_to_records,
    unsent_records_have_no_number,
    records_were_sent,
    before_it_begins_nothing_is_known,
    before_it_begins_nothing_is_sent,
    transactions_begin_in_order,
    begun_has_owner_and_epoch,
    a_producer_has_an_epoch,
    stage_follows_phase,
    open_is_known,
    coordinator_moves_are_counted,
    what_is_acted_on_is_acknowledged,
    nothing_is_read_early,
    log_has_the_partitions,
    the_coordinator_has_the_newest_epoch,
    no_partition_knows_a_newer_epoch,
    open_records_are_of_the_newest_transaction,
    each_transaction_has_its_epoch,
    a_ready_producer_has_a_fresh_epoch,
    each_producer_has_its_epoch,
    without_epoch_it_does_nothing,
    a_commit_is_of_a_transaction,
    a_commit_marker_is_of_a_transaction,
    finished_means_closed,
    a_transaction_has_the_epoch_of_its_producer,
    decided_only_if_asked,
    held_up_only_if_asked,
    marker_held_up_only_if_asked,
    the_next_epoch_is_for_its_producer,
    the_next_epoch_is_unused,
    what_is_decided_is_a_transaction,
    undecided_records_are_open,
    decided_commit_skips_nothing,
    decided_abort_shows_nothing,
    decided_abort_is_not_told_as_a_commit,
    held_up_markers_agree,
    held_up_markers_have_an_epoch,
    expected_counts_records,
    records_share_a_fate,
    committed_is_in_the_log,
    told_only_if_decided,
    nothing_is_done_as_before,
    no_client_adds_partitions,
    the_log_knows_what_is_open,
    the_log_knows_its_records,
    verified_records_are_not_in_the_log,
    verified_records_are_of_the_newest_transaction,
    producers_start_in_order,
    a_fenced_producer_has_an_older_epoch,
    a_fenced_transaction_is_over,
    epochs_rise_with_transactions,
    a_ready_producer_has_a_newer_epoch,
    what_may_not_happen_is_not_left,
    markers_are_held_up_only_if_they_may,
    ends_are_of_version_2,
    markers_are_of_version_2,
)
