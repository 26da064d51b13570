"""Kinds of anomalies, and findings with the operations that show them."""

from __future__ import annotations

from dataclasses import dataclass

from .columns import FAIL, OK
from .recording import History

LOST = "lost"
DUPLICATED = "duplicated"
REORDERED = "reordered"
INCONSISTENT = "inconsistent"
VANISHED = "vanished"
REFUSED = "refused-yet-read"
SKIPPED = "skipped"
UNSENT = "unsent"
TORN = "torn"
PRECOMMITTED = "precommitted"
CIRCULAR = "circular"
SKIPPED_BY_GROUP = "skipped-by-group"
TWO_AT_A_TIME = "two-at-a-time"
OFFSET_BACK = "offset-back"

OF_RECORDS = (LOST, VANISHED, SKIPPED, DUPLICATED, REORDERED, INCONSISTENT, REFUSED, UNSENT)
OF_TRANSACTIONS = (TORN, PRECOMMITTED, CIRCULAR)
OF_GROUPS = (SKIPPED_BY_GROUP, TWO_AT_A_TIME, OFFSET_BACK)
KINDS = (*OF_RECORDS, *OF_TRANSACTIONS, *OF_GROUPS)


@dataclass(frozen=True, kw_only=True)
class Mention:
    """An operation that shows an anomaly: its number, and what it did: `acknowledged 17 at offset 5`."""

    operation: int
    process: int
    did: str


@dataclass(frozen=True, kw_only=True)
class Anomaly:
    """One anomaly: its place and value, what happened in words, and the operations that show it, in their order.

    `value` is None where no record is concerned, but a partition or an offset of it.
    """

    kind: str
    partition: int
    value: int | None
    offset: int
    what: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, kw_only=True)
class NotJudged:
    """Kinds that were not judged, or not everywhere, and why. `in_doubt` says what in the history may be an anomaly of them."""

    kinds: tuple[str, ...]
    why: str
    in_doubt: str = ""


class Witnesses:
    """What sends and reads of a history did, by their rows."""

    def __init__(self, history: History) -> None:
        self.history, self.sends, self.reads = history, history.sends, history.reads

    def sent(self, row: int) -> Mention:
        """A send, with its answer."""
        sends = self.sends
        name, outcome = self.history.value_name(int(sends.value[row])), int(sends.outcome[row])
        if outcome == OK:
            did = f"{name} was acknowledged{at(int(sends.offset[row]))}"
        else:
            did = f"{name} was refused" if outcome == FAIL else f"{name} was sent, with an unknown outcome"
        operation = int(sends.completed[row]) if outcome == OK else int(sends.invoked[row])
        return Mention(operation=operation, process=int(sends.process[row]), did=did)

    def read(self, row: int) -> Mention:
        """A read."""
        reads = self.reads
        did = f"{self.history.value_name(int(reads.value[row]))} was read{at(int(reads.offset[row]))}"
        return Mention(operation=int(reads.completed[row]), process=int(reads.process[row]), did=did)

    def of_read(self, kind: str, row: int, what: str, *mentions: Mention) -> Anomaly:
        """An anomaly of the record that a read got."""
        return Anomaly(
            kind=kind,
            partition=int(self.reads.partition[row]),
            value=int(self.reads.value[row]),
            offset=int(self.reads.offset[row]),
            what=what,
            mentions=ordered(*mentions),
        )

    def of_send(self, kind: str, row: int, what: str, *mentions: Mention) -> Anomaly:
        """An anomaly of the record that was sent."""
        return Anomaly(
            kind=kind,
            partition=int(self.sends.partition[row]),
            value=int(self.sends.value[row]),
            offset=int(self.sends.offset[row]),
            what=what,
            mentions=ordered(*mentions),
        )


def at(offset: int) -> str:
    """` at offset 5`, or nothing if the offset is unknown."""
    return f" at offset {offset}" if offset >= 0 else ""


def ordered(*mentions: Mention) -> tuple[Mention, ...]:
    """The mentions in the order of their operations."""
    return tuple(sorted(mentions, key=lambda mention: mention.operation))
