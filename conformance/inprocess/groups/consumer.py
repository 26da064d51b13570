"""What both Java consumers have: what is assigned, where they read, and what they commit (SubscriptionState, ConsumerCoordinator).

A consumer is driven from outside: who calls says when its poll, its heartbeats and its requests come. A commit is of one partition, as
with commitSync(Map); of an automatic one Kafka's has all partitions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ..errors import BrokerError, ErrorCode
from .coordinator import GroupCoordinator, OffsetCommit
from .source import SourcePartition


class Reset(Enum):
    """`auto.offset.reset`."""

    EARLIEST = "earliest"
    LATEST = "latest"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Position:
    """The offset to fetch next, and the leader epoch of the record before it, if that is known (FetchPosition)."""

    offset: int
    epoch: int | None = None


class CommitFailed(Exception):
    """A commit is refused, or the consumer does not send it (CommitFailedException, RebalanceInProgressException)."""


class Listener(Protocol):
    """The application's callbacks (ConsumerRebalanceListener)."""

    def revoked(self, partitions: Iterable[int]) -> None:
        """Partitions are given up; offsets may still be committed."""

    def lost(self, partitions: Iterable[int]) -> None:
        """Partitions have been lost: others may have them."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """What the application has set."""

    client_id: str
    reset: Reset
    auto_commit: bool


class Consumer(ABC):
    """One consumer with its positions."""

    new_protocol: bool
    member: str

    def __init__(
        self, config: Config, coordinator: GroupCoordinator, sources: Sequence[SourcePartition], listener: Listener
    ) -> None:
        self.config, self.coordinator, self.sources, self.listener = config, coordinator, sources, listener
        self.release = coordinator.release
        self.assigned: dict[int, Position | None] = {}
        """The assigned partitions; None where there is no position, because nothing says where to begin."""

    def position(self, partition: int) -> Position | None:
        """Where the consumer reads on."""
        return self.assigned.get(partition)

    def poll(self, partition: int) -> Position | None:
        """The next record of a partition, as the position behind it; None if poll returns nothing of it."""
        position = self.position(partition)
        if position is None or not self.returns_records():
            return None
        try:
            epoch = self.sources[partition].fetch(position.offset)
        except BrokerError:
            return None
        self.assigned[partition] = Position(offset=position.offset + 1, epoch=epoch)
        return self.assigned[partition]

    @abstractmethod
    def returns_records(self) -> bool:
        """May poll return records now?"""

    def fetch_out_of_range(self, partition: int) -> bool:
        """A fetch; where its offset is out of range, the position is reset (handleOffsetOutOfRange). Is it?"""
        return self._is_out_of_range(partition) and self._reset(partition)

    def _is_out_of_range(self, partition: int) -> bool:
        position = self.position(partition)
        if position is None:
            return False
        try:
            self.sources[partition].fetch(position.offset)
        except BrokerError as refused:
            return refused.code is ErrorCode.OFFSET_OUT_OF_RANGE
        return False

    def _reset(self, partition: int) -> bool:
        """The position that `auto.offset.reset` says. It has no epoch, so that it is not compared (resetPositionIfNeeded)."""
        source = self.sources[partition]
        if self.config.reset is Reset.NONE:
            return False
        offset = source.start if self.config.reset is Reset.EARLIEST else source.end
        self.assigned[partition] = self._at(partition, offset)
        return True

    def _at(self, partition: int, offset: int) -> Position:
        """A position without an epoch."""
        known = self.release.knows_every_epoch and offset > 0
        return Position(offset=offset, epoch=self.sources[partition].record_epochs[offset - 1] if known else None)

    def add(self, partition: int) -> None:
        """A partition is assigned: where it begins (refreshCommittedOffsetsIfNeeded, resetPositionsIfNeeded, the first fetch)."""
        committed = self.coordinator.fetch_offset(partition)
        self.assigned[partition] = None
        if committed is not None:
            self.assigned[partition] = Position(offset=committed.offset, epoch=committed.leader_epoch)
            self.validate(partition)
            if not self._is_out_of_range(partition):
                if committed.leader_epoch is None:
                    self.assigned[partition] = self._at(partition, committed.offset)
                return
        if not self._reset(partition):
            self.assigned[partition] = None

    def reset_initializing(self, partition: int) -> None:
        """A partition begins without a look at its committed offset (SubscriptionState.resetInitializingPositions)."""
        self.assigned[partition] = None
        self._reset(partition)

    def validate(self, partition: int) -> None:
        """After a change of the leader: is the position behind the end of its epoch (maybeCompleteValidation)?"""
        position = self.position(partition)
        if position is None or position.epoch is None or not self.release.checks_epochs:
            return
        end = self.sources[partition].end_of_epoch(position.epoch)
        if end < position.offset and self.config.reset is not Reset.NONE:
            self.assigned[partition] = Position(offset=end, epoch=position.epoch)

    def commit_request(self, partition: int, offset: int, leader_epoch: int | None) -> OffsetCommit:
        """The request of a commit. Raises CommitFailed if the consumer does not send it."""
        return OffsetCommit(
            member=self.member,
            generation=self.generation_of_commits(),
            partition=partition,
            offset=offset,
            leader_epoch=leader_epoch,
        )

    @abstractmethod
    def generation_of_commits(self) -> int:
        """The generation, or with the new protocol the epoch, that commits name. Raises CommitFailed if none is sent now."""

    def send(self, request: OffsetCommit) -> ErrorCode:
        """The coordinator gets a commit."""
        return self.coordinator.commit(request, new_protocol=self.new_protocol)

    def commit_sync(self, partition: int, offset: int, leader_epoch: int | None) -> None:
        """The application calls commitSync. Raises CommitFailed."""
        error = self.send(self.commit_request(partition, offset, leader_epoch))
        if error is not ErrorCode.NONE:
            raise CommitFailed(error.name)

    def commit_automatically(self, partition: int) -> None:
        """A commit of the position, as enable.auto.commit has it (allConsumed). Raises CommitFailed."""
        position = self.position(partition)
        if position is not None:
            self.commit_sync(partition, position.offset, position.epoch)

    def commit_last(self, partitions: Iterable[int]) -> None:
        """The last automatic commit before partitions are given up; whether it fails does not matter."""
        if self.config.auto_commit:
            for partition in partitions:
                try:
                    self.commit_automatically(partition)
                except CommitFailed:
                    return

    def revoke(self, partitions: Iterable[int]) -> None:
        """The application may commit; then the partitions are not the consumer's any more (invokePartitionsRevoked)."""
        given_up = sorted(partitions)
        self.listener.revoked(given_up)
        self._drop(given_up)

    def lose(self) -> None:
        """Nothing is the consumer's any more (invokePartitionsLost)."""
        lost = sorted(self.assigned)
        if lost:
            self.listener.lost(lost)
        self._drop(lost)

    def _drop(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            del self.assigned[partition]
