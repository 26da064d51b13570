"""What makes each action of the model one step in Apache Kafka: a lock or a thread, as its code says; or nothing, and what follows."""

from __future__ import annotations

from ..releases import RELEASES, SPANS
from .brokers import FETCHING, HEARING, IN_SYNC, PRODUCING
from .controllers import DECIDING, ENDING, FAILING
from .delayed import LATE
from .readers import CLEANING, CONSUMING
from .row import ABSENT, NOTHING, Gap, LedgerRow, Merged, Missing, Place, Split

LEDGER: tuple[LedgerRow, ...] = (
    *PRODUCING,
    *FETCHING,
    *LATE,
    *HEARING,
    *IN_SYNC,
    *DECIDING,
    *FAILING,
    *ENDING,
    *CLEANING,
    *CONSUMING,
)
"""Every row, action by action, older releases first."""


def releases_of(version: str) -> tuple[tuple[str, str], ...]:
    """The releases that a version stands for, each with its mode. Raises KeyError for a profile that is no version of Kafka."""
    return tuple((release, span.mode) for span in SPANS[version] for release in RELEASES if release in span)


def ledger_of(version: str) -> tuple[LedgerRow, ...]:
    """The rows that hold for a release of a version of Kafka. Raises KeyError for a profile that is no version of Kafka."""
    releases = releases_of(version)
    return tuple(row for row in LEDGER if any(row.when.holds_for(*release) for release in releases))


def gaps_of(row: LedgerRow, version: str) -> tuple[Gap, ...]:
    """The gaps of a row that releases of a version have. Raises KeyError for a profile that is no version of Kafka."""
    releases = [release for release in releases_of(version) if row.when.holds_for(*release)]
    return tuple(gap for gap in row.gaps if any(gap.when.holds_for(*release) for release in releases))


__all__ = [
    "ABSENT", "LEDGER", "NOTHING", "Gap", "LedgerRow", "Merged", "Missing", "Place", "Split", "gaps_of", "ledger_of", "releases_of",
]  # fmt: skip
