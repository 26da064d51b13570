"""The application that reads by a consumer: what it has in hand, what it has done, and when it commits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..inprocess.groups.classic_consumer import ClassicConsumer
from ..inprocess.groups.consumer import CommitFailed, Position
from ..inprocess.groups.coordinator import OffsetCommit
from ..inprocess.groups.new_consumer import NewConsumer


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How the application is written."""

    commits_on_revoke: bool
    """Does it call commitSync in onPartitionsRevoked?"""
    keeps_rest: bool
    """Do its other threads finish what they have of a partition that is given up?"""
    tells_epochs: bool
    """Do its commits have the leader epoch of the last record?"""


@dataclass(kw_only=True)
class Application:
    """What is polled and done of each partition. Those that are given up stay, if other threads have something of them."""

    habits: Habits
    consumer: ClassicConsumer | NewConsumer | None = None
    """None before it is made, and when the process has ended."""
    polled: dict[int, int] = field(default_factory=dict)
    done: dict[int, int] = field(default_factory=dict)
    fresh: set[int] = field(default_factory=set)
    """The partitions of which it has nothing to commit: no offset counts, and it has processed nothing since."""
    epochs: dict[int, dict[int, int | None]] = field(default_factory=dict)
    """Of each partition, by the offset behind a record: the record's leader epoch."""
    under_way: list[OffsetCommit] = field(default_factory=list)
    """Calls of commitAsync that have no answer, in the order of their connection."""

    def begin(self, partition: int, position: Position) -> None:
        """The application gets a partition, or its position is another."""
        self.polled[partition] = self.done[partition] = position.offset
        self.fresh.discard(partition)
        self.epochs[partition] = {position.offset: position.epoch}

    def finish(self, partition: int) -> None:
        """A record is processed, or passed over."""
        self.done[partition] += 1
        self.fresh.discard(partition)

    def take(self, partition: int, position: Position) -> None:
        """A record comes, which ends at this position."""
        self.polled[partition] = position.offset
        self.epochs[partition][position.offset] = position.epoch

    def epoch_at(self, partition: int, offset: int) -> int | None:
        """The leader epoch that a commit of this offset has."""
        return self.epochs[partition].get(offset) if self.habits.tells_epochs else None

    def revoked(self, partitions: Iterable[int]) -> None:
        """onPartitionsRevoked: commitSync of what is done. Commits under way have come before, and count no more."""
        for partition in partitions:
            if self.habits.commits_on_revoke and partition in self.done and partition not in self.fresh:
                assert self.consumer is not None
                offset = self.done[partition]
                epoch = self.epoch_at(partition, offset)
                try:
                    self.consumer.commit_sync(partition, offset, epoch)
                except CommitFailed:
                    continue
                self.under_way = [
                    replace(one, offset=offset, leader_epoch=epoch) if one.partition == partition else one
                    for one in self.under_way
                ]
        self.lost(partitions)

    def lost(self, partitions: Iterable[int]) -> None:
        """onPartitionsLost: what is in hand of these is dropped, unless other threads have it."""
        for partition in partitions:
            self.fresh.discard(partition)
            if self.habits.keeps_rest and self.done.get(partition) != self.polled.get(partition):
                continue
            self.polled.pop(partition, None)
            self.done.pop(partition, None)

    def forget_rest(self, owned: Iterable[int]) -> None:
        """It polls: what it had in hand of other partitions is over."""
        self.lost(set(self.done) - set(owned))

    def has_all_done(self) -> bool:
        """Is nothing in hand?"""
        return self.done == self.polled
