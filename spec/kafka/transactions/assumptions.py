"""What the lemmas assume of the settings: where one is not so, no proof says anything."""

from __future__ import annotations

from neverlost.model.core import lemma
from neverlost.model.kafka.transactions.state import MarkerCheck, PartialLoad, Transactions, in_v2


@lemma("Client and cluster have transaction version 2 (KIP-890): every end of a transaction has an epoch of its own.")
def has_version_2(s: Transactions) -> bool:
    return in_v2(s)


@lemma("Fencing raises the epoch once (KAFKA-19367), and a timeout fences (KAFKA-6119).")
def fences_once(s: Transactions) -> bool:
    return not s.fence_bumps_twice and s.timeout_fences == 1


@lemma(
    "No marker is held up, or partitions refuse one of the epoch that they know while a transaction is open (KIP-1228,"
    " KAFKA-19999), and brokers of all releases do."
)
def checks_markers(s: Transactions) -> bool:
    return s.late_markers == 0 or (s.marker_check == MarkerCheck.NEWER_OR_REPEATED and not s.mixed_brokers)


@lemma("No partition loses a marker.")
def keeps_markers(s: Transactions) -> bool:
    return s.lost_markers == 0


@lemma("No partition forgets a producer, or partitions ask the coordinator (KIP-890) and a marker ends what was asked.")
def asks_when_forgotten(s: Transactions) -> bool:
    return s.expirations == 0 or s.verification == 1


@lemma("The coordinator moves at most once, or acts on nothing that its log has not acknowledged.")
def acts_on_what_is_acknowledged(s: Transactions) -> bool:
    return s.coordinator_moves <= 1 or not s.reads_to_log_end


@lemma("No coordinator loses its log while it reads it.")
def reads_its_whole_log(s: Transactions) -> bool:
    return s.size(PartialLoad) == 0


@lemma("No fetch of committed records is answered what is open (KAFKA-9807).")
def reads_what_is_stable(s: Transactions) -> bool:
    return s.early_reads == 0 or not s.reads_above_stable


ASSUMPTIONS = (
    has_version_2,
    fences_once,
    checks_markers,
    keeps_markers,
    asks_when_forgotten,
    acts_on_what_is_acknowledged,
    reads_its_whole_log,
    reads_what_is_stable,
)


def told_by_epochs(s: Transactions) -> bool:
    """Has every end an epoch of its own, by which partitions tell markers that are late, and is that not forgotten?"""
    checked = s.late_markers == 0 or (s.marker_check == MarkerCheck.NEWER_OR_REPEATED and not s.mixed_brokers)
    kept = s.lost_markers == 0 and (s.expirations == 0 or s.verification == 1)
    acknowledged = (s.coordinator_moves <= 1 or not s.reads_to_log_end) and s.size(PartialLoad) == 0
    stable = s.early_reads == 0 or not s.reads_above_stable
    fenced = not s.fence_bumps_twice and s.timeout_fences == 1
    return in_v2(s) and fenced and checked and kept and acknowledged and stable
