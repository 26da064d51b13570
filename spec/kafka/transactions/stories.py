"""The sentence of each violation: which records, and what their application had asked for."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import EMPTY, NONE, contains
from neverlost.model.kafka.transactions.coordinator import is_prepared
from neverlost.model.kafka.transactions.partition import has_open
from neverlost.model.kafka.transactions.state import Decision, Fate, Partition, Partitions, Stage, Transactions, Txn

ASKED = {
    Stage.BEGUN: "has not asked for a commit",
    Stage.COMMITTING: "asked for a commit and has no answer",
    Stage.COMMITTED: "got the answer that it is committed",
    Stage.ABORTING: "asked for an abort and has no answer",
    Stage.ABORTED: "got the answer that it is aborted",
}


def txns(s: Transactions) -> range:
    """Every transaction."""
    return range(s.size(Txn))


def parts(s: Transactions) -> range:
    """Every partition."""
    return range(s.size(Partition))


def txn_name(s: Transactions, txn: int) -> str:
    """The name of a transaction: t1."""
    return Txn.show(txn, s.bounds)


def partition_name(s: Transactions, partition: int) -> str:
    """The name of a partition: a1."""
    return Partition.show(partition, s.bounds)


def named(s: Transactions, members: int) -> str:
    """The names of a set of partitions: `a1, a2`."""
    return Partitions.show(members, s.bounds)


def has_fate(s: Transactions, txn: int, partition: int, fate: int) -> bool:
    """Has the record, or its copy, this fate? It is also visible if it was read while it was open."""
    is_read = fate == Fate.VISIBLE and s.read_early[txn][partition] == 1
    return is_read or fate in (s.record[txn][partition], s.copy[txn][partition])


def with_fate(s: Transactions, txn: int, fate: int) -> list[int]:
    """The partitions in which a record of a transaction has a fate."""
    return [p for p in parts(s) if has_fate(s, txn, p, fate)]


def _in(s: Transactions, partitions: list[int]) -> str:
    return " and ".join(partition_name(s, p) for p in partitions)


def _ended_by(states: Sequence[Transactions], txn: int, partition: int, fate: int) -> int:
    """The step in which a record got its fate."""
    return next(n for n, s in enumerate(states) if has_fate(s, txn, partition, fate))


def torn(states: Sequence[Transactions]) -> str:
    """Which transaction is visible in part: in which partitions, since when."""
    last = states[-1]
    for txn in txns(last):
        visible, skipped = with_fate(last, txn, Fate.VISIBLE), with_fate(last, txn, Fate.SKIPPED)
        if visible and skipped:
            step = _ended_by(states, txn, visible[0], Fate.VISIBLE)
            return (
                f"Torn: of {txn_name(last, txn)}, readers see the record in {_in(last, visible)} since step {step}, and never that in"
                f" {_in(last, skipped)}. Its application {ASKED[last.stage[txn]]}."
            )
    return ""


def aborted_read(states: Sequence[Transactions]) -> str:
    """Which record readers see without a commit."""
    last = states[-1]
    for txn in txns(last):
        visible = with_fate(last, txn, Fate.VISIBLE)
        if visible and last.stage[txn] not in (Stage.COMMITTING, Stage.COMMITTED):
            return (
                f"Aborted record read: readers see the record of {txn_name(last, txn)} in {_in(last, visible)} since step"
                f" {_ended_by(states, txn, visible[0], Fate.VISIBLE)}, and its application {ASKED[last.stage[txn]]}."
            )
    return ""


def commit_lost(states: Sequence[Transactions]) -> str:
    """Which record of a committed transaction readers never see."""
    last = states[-1]
    for txn in txns(last):
        if last.stage[txn] == Stage.COMMITTED:
            lost = [p for p in parts(last) if last.record[txn][p] in (Fate.ABSENT, Fate.SKIPPED)]
            gone = [p for p in lost if last.number[txn][p] != NONE]
            if gone:
                at = next(n for n, s in enumerate(states) if s.stage[txn] == Stage.COMMITTED)
                how = "is not in the log" if last.record[txn][gone[0]] == Fate.ABSENT else "is skipped as aborted"
                return (
                    f"Committed record lost: the application got the answer at step {at} that {txn_name(last, txn)} is committed; its"
                    f" record in {partition_name(last, gone[0])} {how}."
                )
    return ""


def hangs(states: Sequence[Transactions]) -> str:
    """Which partition has an open transaction that the coordinator does not know."""
    last = states[-1]
    for p in parts(last):
        if has_open(last, Partition(p)) and not contains(last.partitions, Partition(p)):
            of = next(t for t in txns(last) if Fate.OPEN in (last.record[t][p], last.copy[t][p]))
            known = "nothing" if last.partitions == EMPTY else named(last, last.partitions)
            return (
                f"Hangs: {partition_name(last, p)} has an open transaction with the record of {txn_name(last, of)}, and the coordinator"
                f" is in {Decision.names[last.state]} with {known}: nobody ends it, and consumers of committed records wait."
            )
    return ""


def zombie(states: Sequence[Transactions]) -> str:
    """Which record of a fenced producer became visible."""
    before, last = states[-2], states[-1]
    for txn in txns(last):
        for p in with_fate(last, txn, Fate.VISIBLE):
            if not has_fate(before, txn, p, Fate.VISIBLE):
                return (
                    f"Zombie: the record of {txn_name(last, txn)} in {partition_name(last, p)} becomes visible, though a later producer"
                    " has started than the one that wrote it."
                )
    return ""


def twice(states: Sequence[Transactions]) -> str:
    """Which record readers see twice."""
    last = states[-1]
    for txn in txns(last):
        for p in parts(last):
            if last.record[txn][p] == Fate.VISIBLE == last.copy[txn][p]:
                return f"Duplicate: readers see the record of {txn_name(last, txn)} in {partition_name(last, p)} twice."
    return ""


def stuck(states: Sequence[Transactions]) -> str:
    """Which partition refuses the coordinator's marker."""
    last = states[-1]
    refusing = [p for p in parts(last) if is_prepared(last) and contains(last.partitions, Partition(p))]
    return (
        f"Stuck: the coordinator is in {Decision.names[last.state]}, and {_in(last, refusing)} refuses its marker of epoch"
        f" {last.newest_epoch}: the producer waits for as long as this coordinator runs."
    )
