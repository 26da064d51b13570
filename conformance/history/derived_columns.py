"""Columns for the search for several kinds of anomalies, each computed on first use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .columns import FAIL, OK, UNKNOWN, Column
from .recording import History

Flags = npt.NDArray[np.bool_]


class DerivedColumns:
    """Facts from a history, in columns: the value at each offset, the values that were read, the values that are lost."""

    def __init__(self, history: History, *, uncommitted: bool = False) -> None:
        self.history, self.sends, self.reads = history, history.sends, history.reads
        self.uncommitted = uncommitted
        """May readers see what was aborted (`isolation.level=read_uncommitted`)?"""

    @cached_property
    def numbers(self) -> tuple[Column, Column]:
        """A number for each pair of partition and value, for every send and every read: equal if both are equal."""
        partitions = np.concatenate([self.sends.partition, self.reads.partition]).astype(np.int64)
        values = np.concatenate([self.sends.value, self.reads.value])
        numbers = _grouped(partitions, values)
        return numbers[: len(self.sends)], numbers[len(self.sends) :]

    @cached_property
    def count(self) -> int:
        sent, read = self.numbers
        return int(max(sent.max(initial=-1), read.max(initial=-1))) + 1

    @cached_property
    def is_read(self) -> Flags:
        """Whether the value of a number was read."""
        return self._flags(self.numbers[1])

    @cached_property
    def is_sent(self) -> Flags:
        """Whether the value of a number was sent, with any outcome."""
        return self._flags(self.numbers[0])

    def _flags(self, numbers: Column) -> Flags:
        """For every number, whether it is among these."""
        found = np.zeros(self.count, np.bool_)
        found[numbers] = True
        return found

    @cached_property
    def first_invoked(self) -> Column:
        """When a number was first sent; UNKNOWN if the history does not say when one of its sends began."""
        found = np.full(self.count, np.iinfo(np.int64).max, np.int64)
        np.minimum.at(found, self.numbers[0], np.where(self.sends.timed != 0, self.sends.invoked, UNKNOWN))
        return found

    @cached_property
    def attempts(self) -> Column:
        """How often readers may see a value: sends that were not refused."""
        return np.bincount(self.numbers[0][self.is_attempt], minlength=self.count)

    @cached_property
    def is_attempt(self) -> Flags:
        """May readers see what each row sent?"""
        found: Flags = self.sends.outcome != FAIL
        # A transaction of one part cannot be distinguished from a send without one.
        return np.ones_like(found) if self.uncommitted and len(self.history.transactions) else found

    @cached_property
    def sole_send(self) -> Column:
        """The only send of a number that readers may see; UNKNOWN if there is none, or several."""
        found = np.full(self.count, UNKNOWN, np.int64)
        rows = np.flatnonzero(self.is_attempt)
        found[self.numbers[0][rows]] = rows
        found[self.attempts != 1] = UNKNOWN
        return found

    @cached_property
    def first_read(self) -> Column:
        """The read of a number that was answered first; UNKNOWN if it was not read."""
        found = np.full(self.count, UNKNOWN, np.int64)
        order = np.argsort(self.reads.completed, kind="stable")[::-1]
        found[self.numbers[1][order]] = order
        return found

    @cached_property
    def places(self) -> tuple[Column, Column, Column]:
        """Each number with each offset at which it was read, once: (number, offset, the first read of it)."""
        number, rows = self.numbers[1], np.flatnonzero(self.reads.offset >= 0)
        order = rows[np.lexsort((rows, self.reads.offset[rows], number[rows]))]
        new = _changes(number[order], self.reads.offset[order])
        first = order[new]
        return number[first], self.reads.offset[first].astype(np.int64), first

    @cached_property
    def read_at(self) -> Column:
        """The offset at which a number was read: UNKNOWN if there is none, or several."""
        number, offset, _ = self.places
        found = np.full(self.count, UNKNOWN, np.int64)
        found[number] = offset
        found[np.bincount(number, minlength=self.count) > 1] = UNKNOWN
        return found

    @cached_property
    def is_read_where_acknowledged(self) -> Flags:
        """Whether the value of each send was read at the very offset at which it was acknowledged."""
        number, offset, _ = self.places
        return np.isin(self.coded(self.numbers[0], self.sends.offset), self.coded(number, offset))

    @cached_property
    def read_up_to(self) -> Column:
        """The row of the read with the highest offset, by partition; UNKNOWN if nothing was read from it."""
        found = np.full(len(self.history.partitions), UNKNOWN, np.int64)
        order = np.argsort(self.reads.offset, kind="stable")
        order = order[self.reads.offset[order] >= 0]
        found[self.reads.partition[order]] = order
        return found

    @cached_property
    def lost_rows(self) -> tuple[Column, Column]:
        """The sends whose values are lost, and for each the row of the read that went beyond it."""
        sends, reads = self.sends, self.reads
        candidates = np.flatnonzero((sends.outcome == OK) & ~self.is_read[self.numbers[0]])
        beyond = self.read_up_to[sends.partition[candidates]]
        highest = np.where(beyond >= 0, reads.offset[beyond], UNKNOWN) if len(reads) else beyond
        by_offset = (sends.offset[candidates] >= 0) & (sends.offset[candidates] <= highest)
        later = self.latest_read_send[sends.partition[candidates]]
        invoked = np.where(later >= 0, sends.invoked[later], UNKNOWN) if len(sends) else later
        by_time = (sends.offset[candidates] < 0) & (invoked >= sends.completed[candidates])
        witness = np.where(by_offset, beyond, UNKNOWN)
        lost = by_offset | by_time
        return candidates[lost], witness[lost]

    @cached_property
    def latest_read_send(self) -> Column:
        """The last invoked send whose value was read, by partition."""
        found = np.full(len(self.history.partitions), UNKNOWN, np.int64)
        rows = np.flatnonzero(self.is_read[self.numbers[0]])
        order = rows[np.argsort(self.sends.invoked[rows], kind="stable")]
        found[self.sends.partition[order]] = order
        return found

    @cached_property
    def send_places(self) -> Column:
        """The offset of each send's value: where it was read, else where it was acknowledged; UNKNOWN if lost, or ambiguous."""
        sends, number = self.sends, self.numbers[0]
        found = self.read_at[number].copy()
        acknowledged = ~self.is_read[number] & (sends.outcome == OK)
        found[acknowledged] = sends.offset[acknowledged]
        found[self.lost_rows[0]] = UNKNOWN
        found[(sends.outcome == FAIL) | (self.attempts[number] != 1)] = UNKNOWN
        return found

    @cached_property
    def consecutive(self) -> tuple[Column, Column]:
        """Pairs of successive reads in a session and a partition, within one operation unless the session is owned.

        After an operation that did not happen a reader may go back, as Jepsen's client does, but not forward.
        """
        reads = self.reads
        rows = np.flatnonzero(reads.offset >= 0)
        order = rows[np.lexsort((rows, reads.partition[rows], reads.session[rows]))]
        one, other = order[:-1], order[1:]
        together = (
            (reads.session[one] == reads.session[other])
            & (reads.partition[one] == reads.partition[other])
            & ((reads.owned[other] != 0) | (reads.completed[one] == reads.completed[other]))
        )
        taken = (reads.outcome[one] == OK) | (reads.completed[one] == reads.completed[other])
        together &= taken | (reads.offset[other] > reads.offset[one])
        return one[together], other[together]

    @cached_property
    def reported(self) -> tuple[Column, Column, Column, Column]:
        """The value at each offset, by reads and acknowledgements: (partition, offset, value, row); rows of sends are below 0."""
        sends, reads = self.sends, self.reads
        acknowledged = np.flatnonzero((sends.outcome == OK) & (sends.offset >= 0))
        read = np.flatnonzero(reads.offset >= 0)
        partition = np.concatenate([sends.partition[acknowledged], reads.partition[read]])
        offset = np.concatenate([sends.offset[acknowledged], reads.offset[read]])
        value = np.concatenate([sends.value[acknowledged], reads.value[read]])
        row = np.concatenate([~acknowledged, read])
        order = np.lexsort((value, offset, partition))
        order = order[_changes(partition[order], offset[order], value[order])]
        return partition[order], offset[order], value[order], row[order]

    def conflicts(self) -> Iterator[Column]:
        """The rows of `reported` for each offset with more than one value."""
        partition, offset, _, _ = self.reported
        if not len(partition):
            return
        starts = np.flatnonzero(_changes(partition, offset))
        ends = np.append(starts[1:], len(partition))
        for group in np.flatnonzero(ends - starts > 1):
            yield np.arange(starts[group], ends[group])

    @cached_property
    def records(self) -> tuple[Column, Column, Column]:
        """The reads by partition and offset: (a number for both, in order; the earliest completion; its row)."""
        reads = self.reads
        rows = np.flatnonzero(reads.offset >= 0)
        coded = self.coded(reads.partition[rows], reads.offset[rows])
        order = np.lexsort((reads.completed[rows], coded))
        order = order[_changes(coded[order])]
        return coded[order], reads.completed[rows[order]].astype(np.int64), rows[order]

    def coded(self, one: Column, offset: Column) -> Column:
        """A number for each pair of something and an offset, in their order; by the offset's rank, because it may be too large."""
        known = self._offsets
        return one.astype(np.int64) * (len(known) + 1) + np.searchsorted(known, offset)

    @cached_property
    def _offsets(self) -> Column:
        return np.unique(np.concatenate([self.sends.offset, self.reads.offset]))


def _changes(*columns: Column) -> Flags:
    """Whether each row of sorted columns differs from the one before it; the first one does."""
    found = np.ones(len(columns[0]), np.bool_)
    if len(found) > 1:
        found[1:] = False
        for column in columns:
            found[1:] |= column[1:] != column[:-1]
    return found


def _grouped(partitions: Column, values: Column) -> Column:
    """A number for each pair of a partition and a value, in their order."""
    order = np.lexsort((values, partitions))
    found = np.empty(len(order), np.int64)
    found[order] = np.cumsum(_changes(partitions[order], values[order])) - 1 if len(order) else 0
    return found
