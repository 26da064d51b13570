"""Anomalies that Kafka should never show to clients. Each kind is defined here once, and searched for in whole columns.

The numbers of operations order them: an operation came before another if it completed before the other was invoked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

import numpy as np

from neverlost.explorer.words import counted

from .columns import FAIL, OK, UNKNOWN, Column
from .derived_columns import DerivedColumns
from .findings import (
    DUPLICATED,
    INCONSISTENT,
    KINDS,
    LOST,
    OF_GROUPS,
    OF_RECORDS,
    OF_TRANSACTIONS,
    OFFSET_BACK,
    REFUSED,
    REORDERED,
    SKIPPED,
    SKIPPED_BY_GROUP,
    TWO_AT_A_TIME,
    UNSENT,
    VANISHED,
    Anomaly,
    NotJudged,
    Witnesses,
    at,
    ordered,
)
from .group_anomalies import GroupJudge
from .groups import UNNAMED
from .recording import KNOWN, History
from .transaction_anomalies import TransactionJudge

MOST_NAMED = 5
WRITE_CYCLES, DELIVERED_AGAIN, SENT_AGAIN = "write-cycles", "delivered-again", "sent-again"
"""What is counted although Kafka allows it."""


def _unknown_name(item: tuple[str, int]) -> str:
    """A name that no rule reads, how often it occurs, and what it may have been meant to be."""
    name, count = item
    near = get_close_matches(name, KNOWN, n=1, cutoff=0.75)
    return f"{name} {count:,}" + (f" (is {near[0]} meant?)" if near else "")


def _first(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listed = list(names)
    more = [f"{len(listed) - MOST_NAMED:,} more"] if len(listed) > MOST_NAMED else []
    return ", ".join([*listed[:MOST_NAMED], *more])


class Judge:
    """Searches one history for every kind of anomaly.

    `uncommitted`: readers may see what was aborted, and what is not committed yet (`isolation.level=read_uncommitted`).
    `one_group`: all clients that subscribe are in one group, as in Jepsen's workload.
    """

    def __init__(
        self, history: History, *, most: int = 1_000, uncommitted: bool = False, one_group: bool = False
    ) -> None:
        self.history, self.sends, self.reads, self.most = history, history.sends, history.reads, most
        self.uncommitted = uncommitted
        self.derived, self.witnesses = DerivedColumns(history, uncommitted=uncommitted), Witnesses(history)
        self.of_transactions = TransactionJudge(history, self.derived, self.witnesses)
        self.of_groups = GroupJudge(history, self.derived, self.witnesses, one_group=one_group)
        self.counts: dict[str, int] = {}

    def anomalies(self) -> dict[str, list[Anomaly]]:
        """The anomalies of each kind, the first `most` of them; `counts` has how many there are."""
        found: dict[str, list[Anomaly]] = {kind: [] for kind in KINDS}
        self.counts = dict.fromkeys(KINDS, 0)
        looks = (
            self._lost,
            self._passed_over,
            self._replaced,
            self._duplicated,
            self._reordered,
            self._inconsistent,
            self._refused,
            self._unsent,
            self.of_groups.anomalies,
            *(() if self.uncommitted else (self.of_transactions.anomalies,)),
        )
        for look in looks:
            for anomaly in look():
                self.counts[anomaly.kind] += 1
                if len(found[anomaly.kind]) < self.most:
                    found[anomaly.kind].append(anomaly)
        return found

    def not_judged(self) -> tuple[NotJudged, ...]:
        """The kinds for which the history lacks what they are judged by, what puts them in doubt first."""
        return (*self._doubts(), *self._lacks())

    def _doubts(self) -> Iterator[NotJudged]:
        """What may be an anomaly, if what the history does not show is so."""
        unknown = self.history.unknown
        if unknown:
            operations = counted(sum(unknown.values()), "operation")
            why = f"{operations} of unknown name: {_first(map(_unknown_name, unknown.items()))}"
            yield NotJudged(kinds=KINDS, why=why, in_doubt=f"{operations} of unknown name may be of a client")
        skipped, readers = self.of_groups.doubted_skips()
        if skipped:
            records = counted(skipped, "record")
            why = (
                f"{records} that a group went past, and that {_first(readers)} read, who may be in the group: "
                "write assign before the reads of who is in none, and the group of who is in one"
            )
            in_doubt = f"a group may have skipped {records}"
            yield NotJudged(kinds=(SKIPPED_BY_GROUP,), why=why, in_doubt=in_doubt)
        back = self.of_groups.doubted_commits()
        if back:
            offsets = counted(back, "committed offset")
            why = f"{offsets} below one that was answered before, of which nobody says when its commit began"
            yield NotJudged(kinds=(OFFSET_BACK,), why=why, in_doubt=f"{offsets} may have gone back")

    def _lacks(self) -> Iterator[NotJudged]:
        groups, reads, sends = self.history.groups, self.reads, self.sends
        if not len(reads):
            yield NotJudged(kinds=OF_RECORDS, why="nothing was read")
        elif not len(sends):
            yield NotJudged(kinds=(LOST, REFUSED, UNSENT), why="nothing was sent")
        if int((sends.timed == 0).sum()) > 1:
            yield NotJudged(kinds=(REORDERED,), why="sends of which nobody says when they began")
        if (reads.owned == 0).any():
            why = "between polls of a client that did not assign itself its partitions"
            yield NotJudged(kinds=(VANISHED, SKIPPED, REORDERED), why=why)
        if not len(self.history.transactions):
            yield NotJudged(kinds=OF_TRANSACTIONS, why="no operation is one")
        elif self.uncommitted:
            yield NotJudged(kinds=(*OF_TRANSACTIONS, REFUSED), why="readers see what is aborted, or not committed yet")
        if not groups.names:
            yield NotJudged(kinds=OF_GROUPS, why="no client says that it is in one")
            return
        if groups.unanswered:
            names = ", ".join(groups.names[one] or "that has no name" for one in sorted(groups.unanswered))
            yield NotJudged(kinds=(SKIPPED_BY_GROUP,), why=f"after a poll without an answer, in group {names}")
        if not any(self.of_groups.is_whole(one) for one in range(len(groups.names))):
            yield NotJudged(kinds=(TWO_AT_A_TIME,), why="no client says in which group it is")
        elif not len(groups.tenures):
            yield NotJudged(kinds=(TWO_AT_A_TIME,), why="no client says which partitions its group gave it")
        if not len(groups.commits):
            yield NotJudged(kinds=(OFFSET_BACK,), why="no commit of an offset is in it")
        if UNNAMED in groups.names and not self.of_groups.one_group:
            kinds = (SKIPPED_BY_GROUP, *((OFFSET_BACK,) if len(groups.commits) else ()))
            yield NotJudged(kinds=kinds, why="between clients that do not say in which group they are")

    def allowed(self) -> dict[str, int]:
        """How often was seen what Kafka allows: cycles of writes, records that a group was given again, copies of values sent again."""
        cycles = self.of_transactions.write_cycles() if len(self.history.transactions) else 0
        again = self.of_groups.delivered_again()
        return {WRITE_CYCLES: cycles, DELIVERED_AGAIN: again, SENT_AGAIN: len(self._lying_often(allowed=True))}

    def _lost(self) -> Iterator[Anomaly]:
        for row, witness in zip(*(rows.tolist() for rows in self.derived.lost_rows), strict=True):
            partition, value = int(self.sends.partition[row]), int(self.sends.value[row])
            if witness >= 0:
                beyond = self.witnesses.read(witness)
                why = f"nobody ever read it, though offset {self.reads.offset[witness]} was read"
            else:
                later = int(self.derived.latest_read_send[partition])
                beyond = self.witnesses.sent(later)
                name = self.history.value_name(int(self.sends.value[later]))
                why = f"nobody ever read it, though {name}, which was sent after that, was read"
            yield Anomaly(
                kind=LOST,
                partition=partition,
                value=value,
                offset=int(self.sends.offset[row]),
                what=f"was acknowledged{at(int(self.sends.offset[row]))}, and {why}",
                mentions=ordered(self.witnesses.sent(row), beyond),
            )

    def _lying_often(self, *, allowed: bool) -> Column:
        """The values that lie at several offsets: as many as there are sends at most, or more."""
        times = np.bincount(self.derived.places[0], minlength=self.derived.count)
        return np.flatnonzero((times > 1) & ((times <= self.derived.attempts) == allowed))

    def _duplicated(self) -> Iterator[Anomaly]:
        number, offset, first = self.derived.places
        for one in self._lying_often(allowed=False):
            low, high = np.searchsorted(number, (one, one + 1))
            rows = [int(row) for row in first[low:high]]
            offsets = ", ".join(str(found) for found in offset[low:high])
            sent = int(self.derived.attempts[one])
            sends = "once" if sent == 1 else f"{sent} times" if sent else "never"
            yield Anomaly(
                kind=DUPLICATED,
                partition=int(self.reads.partition[rows[0]]),
                value=int(self.reads.value[rows[0]]),
                offset=int(offset[low]),
                what=f"was sent {sends}, and lies at offsets {offsets}",
                mentions=ordered(*(self.witnesses.read(row) for row in rows)),
            )

    def _reordered(self) -> Iterator[Anomaly]:
        yield from self._sent_out_of_order()
        yield from self._read_out_of_order()

    def _sent_out_of_order(self) -> Iterator[Anomaly]:
        """A value at a lower offset than another that was acknowledged before this one was sent."""
        sends, places = self.sends, self.derived.send_places
        rows = np.flatnonzero(places >= 0)
        order = rows[np.lexsort((places[rows], sends.partition[rows]))]
        completed = np.where(sends.completed[order] >= 0, sends.completed[order], self.history.operations)
        # From the back, every number of the next partition is smaller, so the minimum starts again with it.
        coded = completed + sends.partition[order].astype(np.int64) * (self.history.operations + 1)
        least = np.minimum.accumulate(coded[::-1])[::-1]
        # A send whose beginning is not known may have begun before everything.
        invoked = np.where(sends.timed[order] != 0, sends.invoked[order], UNKNOWN)
        invoked = invoked + sends.partition[order].astype(np.int64) * (self.history.operations + 1)
        wrong = np.flatnonzero(least[1:] <= invoked[:-1]) if len(order) else order
        by_code = np.argsort(coded, kind="stable")
        least_at = by_code[np.searchsorted(coded[by_code], least[wrong + 1], side="right") - 1] if len(wrong) else wrong
        for position, found in zip(wrong.tolist(), least_at.tolist(), strict=True):
            yield self._out_of_order(int(order[found]), int(order[position]), "was acknowledged before")
        yield from self._out_of_order_in_one_operation()

    def _out_of_order_in_one_operation(self) -> Iterator[Anomaly]:
        """Sends of one operation that lie in another order; whether it was acknowledged does not matter, if they were read."""
        sends, places = self.sends, self.derived.send_places
        rows = np.flatnonzero(places >= 0)
        keys = (sends.timed[rows], sends.invoked[rows], sends.process[rows], sends.partition[rows])
        order = rows[np.lexsort(keys)]
        one, other = order[:-1], order[1:]
        same = places[other] < places[one]
        for column in (sends.timed, sends.invoked, sends.process, sends.partition):
            same &= column[one] == column[other]
        for position in np.flatnonzero(same):
            yield self._out_of_order(
                int(one[position]), int(other[position]), "was sent, in the same operation, before"
            )

    def _out_of_order(self, early: int, late: int, how: str) -> Anomaly:
        sends, places = self.sends, self.derived.send_places
        name = self.history.value_name(int(sends.value[late]))
        then = "was sent" if how == "was acknowledged before" else "was"
        return Anomaly(
            kind=REORDERED,
            partition=int(sends.partition[late]),
            value=int(sends.value[early]),
            offset=int(places[early]),
            what=f"{how} {name} {then}, but lies after it: at offset {places[early]}, and {name} at {places[late]}",
            mentions=ordered(self.witnesses.sent(early), self.witnesses.sent(late)),
        )

    def _read_out_of_order(self) -> Iterator[Anomaly]:
        """A read that goes back, or repeats an offset, although no assignment moved the reader."""
        reads, (one, other) = self.reads, self.derived.consecutive
        for position in np.flatnonzero(reads.offset[other] <= reads.offset[one]):
            before, after = int(one[position]), int(other[position])
            name = self.history.value_name(int(reads.value[before]))
            how = "again after" if reads.offset[before] == reads.offset[after] else "after"
            what = (
                f"was read at offset {reads.offset[after]} {how} {name} at offset {reads.offset[before]}, by one reader"
            )
            yield self.witnesses.of_read(
                REORDERED, after, what, self.witnesses.read(before), self.witnesses.read(after)
            )

    def _inconsistent(self) -> Iterator[Anomaly]:
        partition, offset, value, row = self.derived.reported
        for group in self.derived.conflicts():
            names = " and ".join(self.history.value_name(int(one)) for one in value[group])
            yield Anomaly(
                kind=INCONSISTENT,
                partition=int(partition[group[0]]),
                value=int(value[group[0]]),
                offset=int(offset[group[0]]),
                what=f"is not alone at offset {offset[group[0]]}: {names} were seen there",
                mentions=ordered(
                    *(
                        self.witnesses.sent(~int(one)) if one < 0 else self.witnesses.read(int(one))
                        for one in row[group]
                    )
                ),
            )
        yield from self._acknowledged_elsewhere()

    def _acknowledged_elsewhere(self) -> Iterator[Anomaly]:
        """A value that was acknowledged at one offset, and read only at others; if sent again, though the log was read so far."""
        sends, number = self.sends, self.derived.numbers[0]
        places, _, first = self.derived.places
        elsewhere = (sends.outcome == OK) & (sends.offset >= 0) & np.isin(number, places)
        elsewhere &= ~self.derived.is_read_where_acknowledged
        beyond = self.derived.read_up_to[sends.partition]
        passed = (beyond >= 0) & (self.reads.offset[beyond] >= sends.offset) if len(self.reads) else elsewhere
        once = (self.derived.attempts[number] == 1) & (self.derived.read_at[number] >= 0)
        again = (self.derived.attempts[number] > 1) & passed
        for row in np.flatnonzero(elsewhere & (once | again)):
            read = int(first[np.searchsorted(places, number[row])])
            yield Anomaly(
                kind=INCONSISTENT,
                partition=int(sends.partition[row]),
                value=int(sends.value[row]),
                offset=int(sends.offset[row]),
                what=f"was acknowledged at offset {sends.offset[row]}, and read at offset {self.reads.offset[read]}",
                mentions=ordered(self.witnesses.sent(int(row)), self.witnesses.read(read)),
            )

    def _passed_over(self) -> Iterator[Anomaly]:
        """A record that one reader got, and that another one, going across its offset, did not: vanished if it came later."""
        reads, (one, other) = self.reads, self.derived.consecutive
        jumps = np.flatnonzero(reads.offset[other] > reads.offset[one] + 1)
        one, other = one[jumps], other[jumps]
        code, completed, first = self.derived.records
        low = np.searchsorted(code, self.derived.coded(reads.partition[one], reads.offset[one]), side="right")
        high = np.searchsorted(code, self.derived.coded(reads.partition[other], reads.offset[other]), side="left")
        passed: dict[int, tuple[bool, int, int]] = {}
        for position in np.flatnonzero(high > low):
            before, after = int(one[position]), int(other[position])
            for record in range(int(low[position]), int(high[position])):
                vanished = bool(completed[record] <= reads.invoked[after])
                if record not in passed or (vanished and not passed[record][0]):
                    passed[record] = (vanished, before, after)
        for record, (vanished, before, after) in sorted(passed.items(), key=lambda item: reads.completed[item[1][2]]):
            row = int(first[record])
            way = f"from offset {reads.offset[before]} to {reads.offset[after]} without it"
            who = "later a" if vanished else "another"
            what = f"was read at offset {reads.offset[row]}, and {who} reader went {way}"
            shown = (self.witnesses.read(found) for found in dict.fromkeys((row, before, after)))
            yield self.witnesses.of_read(VANISHED if vanished else SKIPPED, row, what, *shown)

    def _replaced(self) -> Iterator[Anomaly]:
        """A record that was read, and replaced: another one was read in its place later, and the first one never again."""
        partition, offset, value, _ = self.derived.reported
        conflicts = list(self.derived.conflicts())
        if not conflicts:
            return
        reads = self.reads
        order = np.argsort(self.derived.coded(reads.partition, reads.offset), kind="stable")
        coded = self.derived.coded(reads.partition, reads.offset)[order]
        for group in conflicts:
            place = self.derived.coded(partition[group[:1]], offset[group[:1]])[0]
            rows = order[np.searchsorted(coded, place) : np.searchsorted(coded, place, side="right")]
            rows = rows[reads.partition[rows] == partition[group[0]]]
            for one in value[group]:
                mine, others = rows[reads.value[rows] == one], rows[reads.value[rows] != one]
                if not len(mine) or not len(others):
                    continue
                last = int(mine[np.argmax(reads.completed[mine])])
                later = others[reads.invoked[others] >= reads.completed[last]]
                if not len(later):
                    continue
                after = int(later[np.argmin(reads.completed[later])])
                name = self.history.value_name(int(reads.value[after]))
                yield Anomaly(
                    kind=VANISHED,
                    partition=int(partition[group[0]]),
                    value=int(one),
                    offset=int(offset[group[0]]),
                    what=f"was read at offset {offset[group[0]]}, and later {name} was read in its place",
                    mentions=ordered(self.witnesses.read(last), self.witnesses.read(after)),
                )

    def _refused(self) -> Iterator[Anomaly]:
        """A value that was read although every send of it failed."""
        sends, number = self.sends, self.derived.numbers[0]
        wrong = np.flatnonzero(
            (sends.outcome == FAIL) & self.derived.is_read[number] & (self.derived.attempts[number] == 0)
        )
        if not len(wrong):
            return
        order = np.argsort(self.derived.numbers[1], kind="stable")
        sorted_numbers = self.derived.numbers[1][order]
        named: set[int] = set()
        for row in wrong:
            if int(number[row]) in named:
                continue
            named.add(int(number[row]))
            read = int(order[np.searchsorted(sorted_numbers, number[row])])
            yield Anomaly(
                kind=REFUSED,
                partition=int(sends.partition[row]),
                value=int(sends.value[row]),
                offset=int(self.reads.offset[read]),
                what=f"was refused, but read{at(int(self.reads.offset[read]))}",
                mentions=ordered(self.witnesses.sent(int(row)), self.witnesses.read(read)),
            )

    def _unsent(self) -> Iterator[Anomaly]:
        """A value that was read, but never sent to the partition, or only later. Without any send, producers are not in the history."""
        if not len(self.sends):
            return
        reads, number = self.reads, self.derived.numbers[1]
        early = reads.completed <= self.derived.first_invoked[number]
        rows = np.flatnonzero(~self.derived.is_sent[number] | early)
        _, first = np.unique(number[rows], return_index=True)
        rows = rows[np.sort(first)]
        by_value = np.argsort(self.sends.value, kind="stable")
        values = self.sends.value[by_value]
        low, high = (np.searchsorted(values, reads.value[rows], side=side).tolist() for side in ("left", "right"))
        for row, begin, end in zip(rows.tolist(), low, high, strict=True):
            sent = by_value[begin:end]
            here = sent[self.sends.partition[sent] == reads.partition[row]]
            if len(here):
                witness, what = [self.witnesses.sent(int(here[0]))], "before it was sent"
            elif len(sent):
                partition = self.history.partitions[int(self.sends.partition[sent[0]])]
                witness, what = [self.witnesses.sent(int(sent[0]))], f"but was sent to partition {partition}"
            else:
                witness, what = [], "but nobody sent it"
            what = f"was read{at(int(reads.offset[row]))}, {what}"
            yield self.witnesses.of_read(UNSENT, row, what, *witness, self.witnesses.read(row))

    def unread(self) -> int:
        """How many acknowledged values were not read, nor anything beyond them: a longer history would decide."""
        acknowledged = (self.sends.outcome == OK) & ~self.derived.is_read[self.derived.numbers[0]]
        return int(acknowledged.sum()) - len(self.derived.lost_rows[0])
