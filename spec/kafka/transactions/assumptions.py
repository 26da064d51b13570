"""What the lemmas assume of the settings: where one is not so, no proof says anything."""

from __future__ import annotations

from neverlost.model.core import lemma
from neverlost.model.kafka.transactions.state import MarkerCheck, Transactions, in_v2


def told_by_epochs(s: Transactions) -> bool:
    """Does every end have an epoch of its own, by which partitions tell markers that are late, and does nobody forget epochs?"""
    checked = s.marker_check == MarkerCheck.NEWER_OR_REPEATED and not s.mixed_brokers
    return in_v2(s) and checked and s.expirations == 0 and s.lost_markers == 0


@lemma("Client and cluster have transaction version 2.")
def has_version_2(s: Transactions) -> bool:
    return in_v2(s)


@lemma(
    "Partitions refuse a marker of the epoch that they know while a transaction is open, and brokers of all releases do."
)
def checks_markers(s: Transactions) -> bool:
    return s.marker_check == MarkerCheck.NEWER_OR_REPEATED and not s.mixed_brokers


@lemma("Partitions forget no producer, and lose no marker.")
def keeps_epochs(s: Transactions) -> bool:
    return s.expirations == 0 and s.lost_markers == 0


ASSUMPTIONS = (has_version_2, checks_markers, keeps_epochs)
