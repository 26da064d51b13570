"""Anomalies of consumer groups: records that a group skips, partitions that two members read at a time, offsets that go back.

Who is in a group is known if the history names the group. Of clients that only subscribe, each may be in another group: then one client
has to show the whole anomaly. What was read by one of whom nothing is said counts as read by every group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .columns import FAIL, OK, UNKNOWN, Column
from .derived_columns import DerivedColumns
from .findings import OFFSET_BACK, SKIPPED_BY_GROUP, TWO_AT_A_TIME, Anomaly, Mention, Witnesses, ordered
from .groups import UNNAMED
from .recording import History


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Where a group was seen to continue: an offset, UNKNOWN if it had none, some time between two operations."""

    group: int
    partition: int
    offset: int
    began: int
    ended: int
    mention: Mention


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a group was at an operation."""

    offset: int
    operation: int
    mention: Mention


class GroupJudge:
    """Searches one history for anomalies of groups. `one_group` says that all clients that subscribe are in one."""

    def __init__(self, history: History, derived: DerivedColumns, witnesses: Witnesses, *, one_group: bool) -> None:
        self.history, self.derived, self.witnesses = history, derived, witnesses
        self.reads, self.groups, self.one_group = history.reads, history.groups, one_group

    def is_whole(self, group: int) -> bool:
        """Are all clients of this number in one group?"""
        return self.one_group or self.groups.names[group] != UNNAMED

    def anomalies(self) -> Iterator[Anomaly]:
        """What is wrong, kind by kind."""
        yield from self._skipped()
        yield from self._two_at_a_time()
        yield from self._committed_back()
        yield from self._continued_back()

    def _units(self, group: Column, process: Column) -> Iterator[tuple[int, Column]]:
        """Rows that surely belong to one group: all of a group, or of one of its clients."""
        for number in np.unique(group[group >= 0]).tolist():
            rows = np.flatnonzero(group == number)
            if self.is_whole(number):
                yield number, rows
            else:
                for one in np.unique(process[rows]).tolist():
                    yield number, rows[process[rows] == one]

    def _skipped(self) -> Iterator[Anomaly]:
        """A record that somebody read, and a group that went on beyond it without."""
        for group, record, before, beyond in self._skips(with_strangers=True):
            yield self._skip(group, record, before, beyond)

    def doubted_skips(self) -> tuple[int, list[str]]:
        """How many more records groups have skipped if clients that say nothing of a group are in none; the names of these clients."""
        reads = self.reads
        strangers = reads.group == UNKNOWN
        if not self.groups.names or not strangers.any():
            return 0, []
        surely = {(group, record) for group, record, _, _ in self._skips(with_strangers=True)}
        found = {(group, record) for group, record, _, _ in self._skips(with_strangers=False)} - surely
        coded = self.derived.coded(reads.partition, reads.offset)
        readers = reads.process[strangers & np.isin(coded, coded[sorted({record for _, record in found})])]
        return len(found), [self.history.processes[one] for one in np.unique(readers).tolist()]

    def _skips(self, *, with_strangers: bool) -> Iterator[tuple[int, int, Place, int]]:
        """What each group skipped, once. `with_strangers`: who says nothing of a group may be in each of them."""
        reads = self.reads
        code, _, first = self.derived.records
        refused = self.derived.is_sent & (self.derived.attempts == 0)
        known = ~refused[self.derived.numbers[1][first]] if len(first) else np.zeros(0, np.bool_)
        taken: dict[int, Column] = {}
        named: set[tuple[int, int]] = set()
        for group, rows in self._units(reads.group, reads.process):
            if group not in taken:
                of_group = (reads.group == group) | ((reads.group == UNKNOWN) & with_strangers)
                of_group &= (reads.outcome != FAIL) & (reads.offset >= 0)
                taken[group] = self.derived.coded(reads.partition[of_group], reads.offset[of_group])
            missed = first[known & ~np.isin(code, taken[group])]
            for partition in np.unique(reads.partition[rows]).tolist():
                mine = rows[(reads.partition[rows] == partition) & (reads.offset[rows] >= 0)]
                mine = mine[np.lexsort((mine, reads.offset[mine]))]
                for record, before, beyond in self._passed(group, mine, missed[reads.partition[missed] == partition]):
                    if (group, record) not in named:
                        named.add((group, record))
                        yield group, record, before, beyond

    def _passed(self, group: int, rows: Column, records: Column) -> Iterator[tuple[int, Place, int]]:
        """The records that these reads passed by, with where the group was before, and a read beyond that was begun after that.

        The rows are in the order of their offsets. If nobody knows what a poll of the group got, it may have got what was missed.
        """
        reads = self.reads
        until = self.groups.unanswered.get(group, NEVER)
        for before, later in self._before(group, rows, records):
            begun = (reads.invoked[rows] >= before.operation) | (reads.completed[rows] == before.operation)
            above = rows[begun & (reads.outcome[rows] == OK) & (reads.completed[rows] < until)][::-1]
            earliest = above[_running_least(reads.completed[above])][::-1]
            place = np.searchsorted(reads.offset[above[::-1]], reads.offset[later], side="right")
            for record, beyond in zip(later.tolist(), place.tolist(), strict=True):
                if beyond < len(earliest):
                    yield record, before, int(earliest[beyond])

    def _before(self, group: int, rows: Column, records: Column) -> Iterator[tuple[Place, Column]]:
        """Where the group was first seen before each record, at or below its offset, with all records of which that is so."""
        reads = self.reads
        if not len(rows) or not len(records):
            return
        start = self._start(group, int(reads.partition[rows[0]]))
        if start is not None and start.operation < reads.completed[rows].min():
            yield start, records[reads.offset[records] >= start.offset]
            return
        earliest = rows[_running_least(reads.completed[rows])]
        below = np.searchsorted(reads.offset[rows], reads.offset[records], side="left")
        records, first = records[below > 0], earliest[below[below > 0] - 1]
        for row in np.unique(first).tolist():
            where = Place(
                offset=int(reads.offset[row]), operation=int(reads.completed[row]), mention=self.witnesses.read(row)
            )
            yield where, records[first == row]

    def _start(self, group: int, partition: int) -> Place | None:
        """The first offset of the partition that the group was seen to have committed, or got as committed."""
        if not self.is_whole(group):
            return None
        commits, fetches = self.groups.commits, self.groups.fetches
        done = np.flatnonzero((commits.group == group) & (commits.partition == partition) & (commits.outcome == OK))
        fetched = np.flatnonzero((fetches.group == group) & (fetches.partition == partition) & (fetches.offset >= 0))
        places = [
            Place(
                offset=int(commits.offset[row]), operation=int(commits.completed[row]), mention=self._commit(int(row))
            )
            for row in done[np.argsort(commits.completed[done], kind="stable")][:1]
        ]
        places += [
            Place(offset=int(fetches.offset[row]), operation=int(fetches.completed[row]), mention=self._fetch(int(row)))
            for row in fetched[:1]
        ]
        return min(places, key=lambda place: place.operation, default=None)

    def _skip(self, group: int, record: int, before: Place, beyond: int) -> Anomaly:
        offset = self.reads.offset
        what = (
            f"is at offset {offset[record]}, and no member of {self._name(group)} was given it to process, "
            f"though they went from offset {before.offset} to {offset[beyond]}"
        )
        shown = dict.fromkeys((self.witnesses.read(record), before.mention, self.witnesses.read(beyond)))
        return self.witnesses.of_read(SKIPPED_BY_GROUP, record, what, *shown)

    def _name(self, group: int) -> str:
        name = self.groups.names[group]
        return f"group {name}" if name != UNNAMED else "the group"

    def _two_at_a_time(self) -> Iterator[Anomaly]:
        """Two members with the same partition, of which both are given records: the first one still when the second one was."""
        tenures = self.groups.tenures
        ended = np.where(tenures.ended >= 0, tenures.ended.astype(np.int64), NEVER)
        for _, rows in self._of_whole_groups(tenures.group, tenures.partition):
            in_order = rows[np.argsort(tenures.began[rows], kind="stable")].tolist()
            for position, one in enumerate(in_order):
                for other in in_order[position + 1 :]:
                    if tenures.began[other] >= ended[one]:
                        break
                    if tenures.process[one] != tenures.process[other]:
                        yield from self._both_read(one, other, int(min(ended[one], ended[other])))

    def _both_read(self, one: int, other: int, until: int) -> Iterator[Anomaly]:
        tenures, reads = self.groups.tenures, self.reads
        since = max(int(tenures.began[one]), int(tenures.asked[other]))
        newer = self._reads_in(other, since, until)
        if not len(newer):
            return
        second = int(newer[np.argmin(reads.completed[newer])])
        older = self._reads_in(one, int(reads.completed[second]), until)
        if not len(older):
            return
        first = int(older[np.argmin(reads.completed[older])])
        names = [self.history.processes[int(tenures.process[row])] for row in (one, other)]
        what = (
            f"was given to process {names[0]} of {self._name(int(tenures.group[one]))}, which had the partition all along, "
            f"after process {names[1]} of the same group had been given {self.history.value_name(int(reads.value[second]))}"
        )
        gained = Mention(
            operation=int(tenures.began[one]), process=int(tenures.process[one]), did="was assigned the partition"
        )
        shown = (gained, self.witnesses.read(second), self.witnesses.read(first))
        yield self.witnesses.of_read(TWO_AT_A_TIME, first, what, *shown)

    def _reads_in(self, tenure: int, since: int, until: int) -> Column:
        """What the member was given of its partition between two operations, and did not give back."""
        tenures, reads = self.groups.tenures, self.reads
        rows = self._reads_of(int(tenures.process[tenure]), int(tenures.partition[tenure]))
        return rows.compress(
            (reads.outcome[rows] == OK) & (reads.invoked[rows] >= since) & (reads.completed[rows] <= until)
        )

    def _reads_of(self, process: int, partition: int) -> Column:
        """What a client read of a partition."""
        return self._reads_by.get((process, partition), np.zeros(0, np.int64))

    @cached_property
    def _reads_by(self) -> dict[tuple[int, int], Column]:
        return _by(self.reads.process, self.reads.partition)

    @cached_property
    def _commits_by(self) -> dict[tuple[int, int], Column]:
        return _by(self.groups.commits.group, self.groups.commits.partition)

    def _of_whole_groups(self, group: Column, partition: Column) -> Iterator[tuple[tuple[int, int], Column]]:
        for number in np.unique(group[group >= 0]).tolist():
            if self.is_whole(number):
                for one in np.unique(partition[group == number]).tolist():
                    yield (number, one), np.flatnonzero((group == number) & (partition == one))

    def _committed_back(self) -> Iterator[Anomaly]:
        """A commit of a lower offset than one that was acknowledged before this was begun."""
        commits = self.groups.commits
        for group, rows in self._units(commits.group, commits.process):
            for partition in np.unique(commits.partition[rows]).tolist():
                mine = rows[(commits.partition[rows] == partition) & (commits.outcome[rows] == OK)]
                mine = mine[np.argsort(commits.completed[mine], kind="stable")]
                highest = np.maximum.accumulate(commits.offset[mine])
                before = np.searchsorted(commits.completed[mine], commits.invoked[mine], side="right")
                for position in np.flatnonzero(before > 0).tolist():
                    row, last = int(mine[position]), int(before[position]) - 1
                    if commits.offset[row] < highest[last]:
                        earlier = int(mine[np.flatnonzero(commits.offset[mine[: last + 1]] == highest[last])[0]])
                        what = f"{self._name(group)} had committed offset {highest[last]}, and then committed {commits.offset[row]}"
                        yield self._back(
                            partition, int(commits.offset[row]), what, self._commit(earlier), self._commit(row)
                        )

    def doubted_commits(self) -> int:
        """How many commits are lower than one answered before, by a member of which nobody says when it began to commit."""
        commits, count = self.groups.commits, 0
        for _, rows in self._of_whole_groups(commits.group, commits.partition):
            mine = rows[commits.outcome[rows] == OK]
            mine = mine[np.argsort(commits.completed[mine], kind="stable")]
            highest = np.maximum.accumulate(commits.offset[mine])
            before = np.searchsorted(commits.completed[mine], commits.invoked[mine], side="right")
            surely = (before > 0) & (commits.offset[mine] < highest[before - 1])
            count += int(((commits.offset[mine] < highest) & (commits.timed[mine] == 0) & ~surely).sum())
        return count

    def _continued_back(self) -> Iterator[Anomaly]:
        """A group that goes on below an acknowledged commit, and below all commits that may have replaced it."""
        commits, named = self.groups.commits, set[tuple[int, int, int]]()
        for seen in self._seen():
            rows = self._commits_by.get((seen.group, seen.partition), np.zeros(0, np.int64))
            rows = rows[(commits.outcome[rows] != FAIL) & (commits.invoked[rows] <= seen.ended)]
            done = rows[(commits.outcome[rows] == OK) & (commits.completed[rows] <= seen.began)]
            if not len(done):
                continue
            newest = int(commits.invoked[done].max())
            stands = (commits.outcome[rows] != OK) | (commits.completed[rows] >= newest)
            if seen.offset >= commits.offset[rows[stands]].min():
                continue
            row = int(done[np.argmax(commits.completed[done])])
            if (seen.group, seen.partition, row) not in named:
                named.add((seen.group, seen.partition, row))
                where = f"at offset {seen.offset}" if seen.offset >= 0 else "without any"
                what = f"{self._name(seen.group)} had committed offset {commits.offset[row]}, and then went on {where}"
                yield self._back(seen.partition, seen.offset, what, self._commit(row), seen.mention)

    def _seen(self) -> Iterator[Seen]:
        """What members got as committed, and where they began to read what they were assigned."""
        fetches, tenures, reads = self.groups.fetches, self.groups.tenures, self.reads
        for row in range(len(fetches)):
            if fetches.group[row] >= 0 and self.is_whole(int(fetches.group[row])):
                yield Seen(
                    group=int(fetches.group[row]),
                    partition=int(fetches.partition[row]),
                    offset=int(fetches.offset[row]),
                    began=int(fetches.invoked[row]),
                    ended=int(fetches.completed[row]),
                    mention=self._fetch(row),
                )
        for (group, partition), rows in self._of_whole_groups(tenures.group, tenures.partition):
            for row in rows.tolist():
                mine = self._reads_of(int(tenures.process[row]), partition)
                mine = mine[(reads.completed[mine] >= tenures.began[row]) & (reads.offset[mine] >= 0)]
                if not len(mine):
                    continue
                first = int(mine[np.argmin(reads.completed[mine])])
                is_its_own = tenures.ended[row] == UNKNOWN or reads.completed[first] <= tenures.ended[row]
                if is_its_own and reads.invoked[first] >= tenures.began[row]:
                    yield Seen(
                        group=group,
                        partition=partition,
                        offset=int(reads.offset[first]),
                        began=int(tenures.asked[row]),
                        ended=int(reads.completed[first]),
                        mention=self.witnesses.read(first),
                    )

    def _commit(self, row: int) -> Mention:
        commits = self.groups.commits
        did = f"committed offset {commits.offset[row]}"
        return Mention(operation=int(commits.completed[row]), process=int(commits.process[row]), did=did)

    def _fetch(self, row: int) -> Mention:
        fetches = self.groups.fetches
        offset = int(fetches.offset[row])
        did = f"got offset {offset} as committed" if offset >= 0 else "got the answer that no offset is committed"
        return Mention(operation=int(fetches.completed[row]), process=int(fetches.process[row]), did=did)

    @staticmethod
    def _back(partition: int, offset: int, what: str, *mentions: Mention) -> Anomaly:
        return Anomaly(
            kind=OFFSET_BACK, partition=partition, value=None, offset=offset, what=what, mentions=ordered(*mentions)
        )

    def delivered_again(self) -> int:
        """How many records a group was given more than once, and did not give back. At least once allows that."""
        reads = self.reads
        count = 0
        for group in np.unique(reads.group[reads.group >= 0]).tolist():
            if self.is_whole(group):
                rows = (reads.group == group) & (reads.outcome == OK) & (reads.offset >= 0)
                _, times = np.unique(self.derived.coded(reads.partition[rows], reads.offset[rows]), return_counts=True)
                count += int((times > 1).sum())
        return count


def _by(one: Column, other: Column) -> dict[tuple[int, int], Column]:
    """The rows of each pair of values of two columns."""
    order = np.lexsort((other, one))
    if not len(order):
        return {}
    new = (np.diff(one[order]) != 0) | (np.diff(other[order]) != 0)
    parts = np.split(order, np.flatnonzero(new) + 1)
    return {(int(one[part[0]]), int(other[part[0]])): part for part in parts}


def _running_least(numbers: Column) -> Column:
    """For each position, that of the least number up to there, the first one if there are several."""
    least = np.minimum.accumulate(numbers)
    new = np.ones(len(numbers), np.bool_)
    new[1:] = least[1:] < least[:-1]
    return np.maximum.accumulate(np.where(new, np.arange(len(numbers)), 0))


NEVER = int(np.iinfo(np.int64).max)
