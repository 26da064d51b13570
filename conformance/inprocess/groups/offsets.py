"""Committed offsets: those in memory, and the log from which a coordinator reads them (GroupMetadataManager, OffsetMetadataManager)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETENTION_MS = 7 * 24 * 60 * 60 * 1000
"""The default of `offsets.retention.minutes`."""


@dataclass(frozen=True, kw_only=True)
class OffsetAndMetadata:
    """An offset to read next, the leader epoch of the record before it if the consumer has sent it, and when it was committed."""

    offset: int
    leader_epoch: int | None = None
    committed_at_ms: int = 0


class OffsetsLog:
    """The partition of `__consumer_offsets`: the values of each key, oldest first; None is a tombstone."""

    def __init__(self) -> None:
        self.values: dict[int, list[OffsetAndMetadata | None]] = {}

    def append(self, partition: int, value: OffsetAndMetadata | None) -> None:
        """A value is written."""
        self.values.setdefault(partition, []).append(value)

    def lose_last(self, partition: int) -> None:
        """The newest value of a partition is not in the next leader's log. Simplified: what was written after it is."""
        self.values[partition].pop()


class OffsetStore:
    """What a coordinator has in memory of the log."""

    def __init__(self, log: OffsetsLog) -> None:
        self.log = log
        self.offsets: dict[int, OffsetAndMetadata] = {}

    def commit(self, partition: int, value: OffsetAndMetadata, *, takes_over: bool = True) -> None:
        """Write an offset (storeOffsets, commitOffset). Nobody compares it with the one before."""
        self.log.append(partition, value)
        if takes_over:
            self.offsets[partition] = value

    def unseen(self, partition: int) -> OffsetAndMetadata | None:
        """The newest value of the log, if it is another offset than the one in memory."""
        newest, known = self.log.values.get(partition, [None])[-1], self.offsets.get(partition)
        return None if newest is None or (known is not None and known.offset == newest.offset) else newest

    def load(self, *, first_read: Mapping[int, int], keeps_first: bool) -> None:
        """Read the log, in two parts (doLoadGroupsAndOffsets).

        `first_read` says how many values of a partition are in the first part; all, if it is not named. `keeps_first`: what was loaded
        of the group from an earlier part is not overwritten (KAFKA-5600).
        """
        self.offsets = {}
        for partition, values in self.log.values.items():
            read = first_read.get(partition, len(values))
            self._take(partition, values[:read])
            if not keeps_first:
                self._take(partition, values[read:])

    def _take(self, partition: int, values: list[OffsetAndMetadata | None]) -> None:
        for value in values:
            if value is None:
                self.offsets.pop(partition, None)
            else:
                self.offsets[partition] = value

    def expire(self, is_expired: Callable[[OffsetAndMetadata], bool]) -> None:
        """Drop what is expired, with a tombstone for each (cleanupGroupMetadata, cleanupExpiredOffsets)."""
        for partition, value in list(self.offsets.items()):
            if is_expired(value):
                del self.offsets[partition]
                self.log.append(partition, None)
