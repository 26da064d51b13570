"""Consumer groups as a history shows them: who is in which, who has a partition, what is committed and what is found to be."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .columns import OK, UNKNOWN, Column, table
from .transactions import Transactions, after_transaction

OUTSIDE = -2
UNNAMED = ""
"""The group of clients that subscribe, and of which the history does not say in which group they are."""
GAINS, LOSSES = ("partitions-assigned",), ("partitions-revoked", "partitions-lost")


@dataclass(frozen=True, kw_only=True)
class Commits:
    """Commits of offsets, one row each. Within a transaction, `invoked` and `completed` are those of its own commit.

    `timed` if the history says when the commit began. Otherwise it began after `invoked`.
    """

    group: Column
    partition: Column
    offset: Column
    outcome: Column
    process: Column
    invoked: Column
    completed: Column
    transaction: Column
    timed: Column

    def __len__(self) -> int:
        return len(self.group)


@dataclass(frozen=True, kw_only=True)
class Fetches:
    """Offsets that clients got as committed, one row each; UNKNOWN if there was none."""

    group: Column
    partition: Column
    offset: Column
    process: Column
    invoked: Column
    completed: Column

    def __len__(self) -> int:
        return len(self.group)


@dataclass(frozen=True, kw_only=True)
class Tenures:
    """When a member of a group surely had a partition, as it believed: after `began`, before `ended`.

    The group gave it the partition some time after `asked`. UNKNOWN as `ended`: it had it at the end.
    """

    group: Column
    partition: Column
    process: Column
    asked: Column
    began: Column
    ended: Column

    def __len__(self) -> int:
        return len(self.group)


class GroupLog:
    """Gathers what members of groups say."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.of: dict[int, int] = {}
        """The group of each process."""
        self.commits, self.fetches, self.tenures = array("q"), array("q"), array("q")
        self.had: dict[tuple[int, int], int] = {}
        """Where the row of a tenure that goes on begins, by process and partition."""
        self.unanswered: dict[int, int] = {}
        """The first poll of each group of which nobody knows what it got."""

    def join(self, process: int, name: object) -> None:
        """The process is in this group from now on."""
        self.of[process] = self.names.setdefault(str(name), len(self.names))

    def group(self, process: int) -> int:
        """The group that the process is in; OUTSIDE if it assigns itself its partitions, UNKNOWN if nothing is said of that."""
        return self.of.get(process, UNKNOWN)

    def stay_outside(self, process: int) -> None:
        """The process assigns itself its partitions from now on."""
        self.of[process] = OUTSIDE

    def is_member(self, process: int) -> bool:
        return self.group(process) >= 0

    def _ensure_member(self, process: int) -> None:
        """Who does this is in a group, whether or not the history says in which."""
        if not self.is_member(process):
            self.join(process, UNNAMED)

    def leave(self, process: int, operation: int) -> None:
        """The process reads what it assigns itself, or subscribes anew: what it had before is over."""
        for one, partition in [key for key in self.had if key[0] == process]:
            self.lose(one, partition, operation)

    def gain(self, process: int, partition: int, asked: int, began: int) -> None:
        """The process learns that the partition is its own."""
        self._ensure_member(process)
        if (process, partition) not in self.had:
            self.had[process, partition] = len(self.tenures)
            self.tenures.extend((self.of[process], partition, process, asked, began, UNKNOWN))

    def lose(self, process: int, partition: int, operation: int) -> None:
        """The process learns that the partition is its own no more."""
        row = self.had.pop((process, partition), None)
        if row is not None:
            self.tenures[row + 5] = operation

    def miss(self, process: int, invoked: int) -> None:
        """A poll of the process is not answered, or not with what it got."""
        if self.is_member(process):
            self.unanswered.setdefault(self.of[process], invoked)

    def commit(
        self, process: int, offsets: Iterable[tuple[int, int]], outcome: int, times: tuple[int, int, int, bool]
    ) -> None:
        """The process commits offsets, by partition.

        `times` are when it asked and was answered, in which transaction, and whether it says when it asked.
        """
        self._ensure_member(process)
        invoked, completed, transaction, timed = times
        for partition, offset in offsets:
            row = (self.group(process), partition, offset, outcome, process, invoked, completed, transaction, timed)
            self.commits.extend(row)

    def fetch(self, process: int, offsets: Iterable[tuple[int, int]], invoked: int, completed: int) -> None:
        """The process learns which offsets are committed."""
        self._ensure_member(process)
        for partition, offset in offsets:
            self.fetches.extend((self.group(process), partition, offset, process, invoked, completed))


@dataclass(frozen=True, kw_only=True)
class Groups:
    """What members of groups said. `names` has UNNAMED for clients of which nobody says in which group they are."""

    names: tuple[str, ...]
    commits: Commits
    fetches: Fetches
    tenures: Tenures
    unanswered: dict[int, int]


def groups_of(log: GroupLog, transactions: Transactions) -> Groups:
    """What was gathered, with the outcomes of transactions."""
    commits = table(Commits, log.commits)
    outcome = after_transaction(commits.outcome, commits.transaction, transactions)
    within = (commits.transaction >= 0) & (len(transactions) > 0)
    invoked, completed, timed = commits.invoked, commits.completed, commits.timed
    if within.any():
        invoked = np.where(within, transactions.asked[commits.transaction], invoked)
        completed = np.where(within, transactions.completed[commits.transaction], completed)
        timed = np.where(within, transactions.asked[commits.transaction] != UNKNOWN, timed)
    return Groups(
        names=tuple(log.names),
        commits=Commits(
            group=commits.group,
            partition=commits.partition,
            offset=commits.offset,
            outcome=outcome,
            process=commits.process,
            invoked=invoked,
            completed=np.where(outcome == OK, completed, UNKNOWN),
            transaction=commits.transaction,
            timed=timed,
        ),
        fetches=table(Fetches, log.fetches),
        tenures=table(Tenures, log.tenures),
        unanswered=log.unanswered,
    )
