"""Anomalies of transactions, for readers of committed records: torn, read before they were committed, in a circle.

What a transaction sent is visible from its commit on, and it is committed after all its polls. So who reads a value of a transaction
has read it after that was asked to be committed, and, if it is a transaction itself, before its own commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from .columns import OK, UNKNOWN, Column
from .cycles import components, shortest_cycle
from .derived_columns import DerivedColumns
from .findings import CIRCULAR, PRECOMMITTED, TORN, Anomaly, Mention, Witnesses, at
from .recording import History


class TransactionJudge:
    """Searches one history for anomalies of transactions."""

    def __init__(self, history: History, derived: DerivedColumns, witnesses: Witnesses) -> None:
        self.history, self.derived, self.witnesses = history, derived, witnesses
        self.sends, self.reads, self.transactions = history.sends, history.reads, history.transactions

    def anomalies(self) -> Iterator[Anomaly]:
        """What is wrong, kind by kind."""
        yield from self._torn()
        yield from self._own_reads()
        yield from self._early_reads()
        yield from self._circles()

    def _torn(self) -> Iterator[Anomaly]:
        """One value of a transaction was read, so it was committed; another one is not where it must be."""
        sends, number = self.sends, self.derived.numbers[0]
        rows = np.flatnonzero(sends.transaction >= 0)
        rows = rows[self.derived.sole_send[number[rows]] == rows]
        of, read = sends.transaction[rows], self.derived.is_read[number[rows]]
        times = np.bincount(of, minlength=len(self.transactions))
        seen = np.bincount(of[read], minlength=len(self.transactions))
        rows = rows[(seen[of] > 0) & (seen[of] < times[of])]
        for part in _by(sends.transaction, rows):
            anomaly = self._torn_part(part)
            if anomaly is not None:
                yield anomaly

    def _torn_part(self, rows: Column) -> Anomaly | None:
        number = self.derived.numbers[0]
        read = rows[self.derived.is_read[number[rows]]]
        first = int(min(self.derived.first_read[number[read]].tolist(), key=self.reads.completed.item))
        for row in rows[~self.derived.is_read[number[rows]]].tolist():
            beyond = self._gone(row, read, int(self.reads.completed[first]))
            if beyond is not None:
                seen, name = self.witnesses.read(first), self.history.value_name(int(self.reads.value[first]))
                what = (
                    f"was sent{at(int(self.sends.offset[row]))} in one transaction with {name}, which was read; "
                    f"nobody ever read it, though {beyond[0]} was read"
                )
                return self.witnesses.of_send(TORN, row, what, self.witnesses.sent(row), seen, beyond[1])
        return None

    def _gone(self, row: int, read: Column, committed: int) -> tuple[str, Mention] | None:
        """What was read behind the place of a value, of which its transaction was committed at an operation; None if nothing was."""
        sends, partition = self.sends, int(self.sends.partition[row])
        highest = int(self.derived.read_up_to[partition])
        if sends.offset[row] >= 0:
            is_passed = highest >= 0 and self.reads.offset[highest] >= sends.offset[row]
            return (f"offset {self.reads.offset[highest]}", self.witnesses.read(highest)) if is_passed else None
        later = read[(sends.partition[read] == partition) & (sends.timed[read] != 0) & (sends.timed[row] != 0)]
        after = (sends.invoked[later] > sends.invoked[row]) | (
            (sends.invoked[later] == sends.invoked[row]) & (later > row)
        )
        if after.any():
            return self._behind(int(later[after][0]), "sent after it in the same transaction")
        if sends.outcome[row] == OK:
            committed = min(committed, int(sends.completed[row]))
        next_one = int(self._last_sent_and_read[partition])
        if next_one >= 0 and sends.invoked[next_one] > committed:
            return self._behind(next_one, "sent when that was committed")
        return None

    def _behind(self, row: int, how: str) -> tuple[str, Mention]:
        return f"{self.history.value_name(int(self.sends.value[row]))}, {how},", self.witnesses.sent(row)

    @cached_property
    def _last_sent_and_read(self) -> Column:
        """The value that was read and sent last, by partition; only where the history says when it was sent."""
        found = np.full(len(self.history.partitions), UNKNOWN, np.int64)
        rows = np.flatnonzero(self.derived.is_read[self.derived.numbers[0]] & (self.sends.timed != 0))
        order = rows[np.argsort(self.sends.invoked[rows], kind="stable")]
        found[self.sends.partition[order]] = order
        return found

    @cached_property
    def _visible(self) -> tuple[Column, Column, Column]:
        """The reads of what a transaction sent: (row of the read, transaction that sent it, transaction that read it)."""
        row = self.derived.sole_send[self.derived.numbers[1]]
        sender = np.where(row >= 0, self.sends.transaction[row], UNKNOWN) if len(self.sends) else row
        reads = np.flatnonzero(sender >= 0)
        return reads, sender[reads], self.reads.transaction[reads]

    def _own_reads(self) -> Iterator[Anomaly]:
        """A transaction that reads what it sends."""
        reads, sender, reader = self._visible
        own = np.flatnonzero(sender == reader)
        _, first = np.unique(sender[own], return_index=True)
        for found in own[np.sort(first)].tolist():
            what = "was read by the transaction that sent it, before that was committed"
            yield self._early(int(reads[found]), what)

    def _early(self, row: int, what: str, *more: Mention) -> Anomaly:
        sent = int(self.derived.sole_send[self.derived.numbers[1][row]])
        return self.witnesses.of_read(
            PRECOMMITTED, row, what, self.witnesses.sent(sent), self.witnesses.read(row), *more
        )

    @cached_property
    def _edges(self) -> dict[int, list[int]]:
        """From each transaction to those that read of it, each once."""
        _, sender, reader = self._visible
        between = (reader >= 0) & (sender != reader)
        pairs = np.unique(np.stack([sender[between], reader[between]], axis=1), axis=0)
        edges: dict[int, list[int]] = defaultdict(list)
        for one, other in pairs.tolist():
            edges[one].append(other)
        return dict(edges)

    @cached_property
    def _components(self) -> list[list[int]]:
        return list(components(self._edges))

    def _early_reads(self) -> Iterator[Anomaly]:
        """A read that was answered before its transaction was asked to be committed; or one of what a reader of it sent."""
        reads, sender, _ = self._visible
        completed = self.reads.completed[reads]
        order = np.lexsort((reads, completed))[::-1]
        witness = np.full(len(self.transactions), UNKNOWN, np.int64)
        witness[sender[order]] = reads[order]
        by: dict[int, tuple[int, int]] = {}
        """Of each transaction, the last operation before which it was committed, and the read that shows it."""
        for component in self._components:
            own = [(int(self.reads.completed[witness[t]]), int(witness[t])) for t in component if witness[t] >= 0]
            beyond = [by[other] for t in component for other in self._edges.get(t, ()) if other in by]
            if own or beyond:
                by.update(dict.fromkeys(component, min(own + beyond)))
        for transaction in np.flatnonzero(witness >= 0).tolist():
            direct = int(witness[transaction])
            latest, shown = by.get(transaction, (int(self.reads.completed[direct]), direct))
            asked = int(self.transactions.asked[transaction])
            sent = int(self.derived.sole_send[self.derived.numbers[1][direct]])
            if latest > asked:
                continue
            if shown == direct and latest <= self.sends.invoked[sent]:
                continue  # It was read before it was sent: another kind.
            if shown == direct:
                yield self._early(direct, "was read before its transaction was asked to be committed")
            else:
                name = self.history.value_name(int(self.reads.value[shown]))
                what = f"was read by a transaction before its own was asked to be committed: of the former, {name} was read by then"
                yield self._early(direct, what, self.witnesses.read(shown))

    def _circles(self) -> Iterator[Anomaly]:
        """Transactions that each read what the next one sent, around."""
        reads, sender, reader = self._visible
        for component in self._components:
            if len(component) < 2:
                continue
            cycle = shortest_cycle(self._edges, component)
            shown = [
                int(reads[np.flatnonzero((sender == one) & (reader == other))[0]])
                for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
            ]
            names = [self.history.value_name(int(self.reads.value[row])) for row in shown]
            what = f"was read by a transaction that sent {names[1]}, which was read by the transaction that sent {names[0]}"
            if len(cycle) > 2:
                what = f"was read by a transaction that sent {', whose reader sent '.join(names[1:])}, whose reader sent {names[0]}"
            yield self.witnesses.of_read(CIRCULAR, shown[0], what, *(self.witnesses.read(row) for row in shown))

    def write_cycles(self) -> int:
        """How many sets of transactions wrote in another order in one partition than in another one, around. Kafka allows that."""
        places, sends = self.derived.send_places, self.sends
        rows = np.flatnonzero((sends.transaction >= 0) & (places >= 0) & (sends.outcome == OK))
        order = rows[np.lexsort((places[rows], sends.partition[rows]))]
        one, other = order[:-1], order[1:]
        follows = (sends.partition[one] == sends.partition[other]) & (
            sends.transaction[one] != sends.transaction[other]
        )
        pairs = np.unique(
            np.stack([sends.transaction[one[follows]], sends.transaction[other[follows]]], axis=1), axis=0
        )
        edges: dict[int, list[int]] = defaultdict(list)
        for earlier, later in pairs.tolist():
            edges[earlier].append(later)
        return sum(len(component) > 1 for component in components(dict(edges)))


def _by(key: Column, rows: Column) -> list[Column]:
    """The rows in groups with the same key, each in order."""
    ordered = rows[np.lexsort((rows, key[rows]))]
    starts = np.flatnonzero(np.diff(key[ordered])) + 1
    return [part for part in np.split(ordered, starts) if len(part)]
