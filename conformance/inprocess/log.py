"""A log: records at consecutive offsets, each with the leader epoch in which it was appended."""

from __future__ import annotations

from dataclasses import dataclass

from .epoch_history import EpochHistory


@dataclass(frozen=True, kw_only=True)
class ProducerStamp:
    """The producer of a record, and the record's number: idempotence depends on these (R-CLIENT-3)."""

    producer_id: int
    producer_epoch: int
    sequence: int


@dataclass(frozen=True, kw_only=True)
class Record:
    """A record as a producer writes it."""

    value: str
    key: str | None = None
    stamp: ProducerStamp | None = None


@dataclass(frozen=True)
class Entry:
    """A record in a log, with the leader epoch in which a leader appended it."""

    record: Record
    leader_epoch: int


class FileTooShort(Exception):
    """The file of a log has no longer all that a slice names: its end was cut off."""


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A part of a log's file, from one offset to another. Its bytes are read when they are sent, and are then what the file has."""

    log: Log
    start: int
    end: int

    def read(self) -> tuple[Entry, ...]:
        """The entries that are there now. Raises FileTooShort."""
        if self.log.end < self.end:
            raise FileTooShort(f"the log ends at {self.log.end}, and the slice at {self.end}")
        return self.log.read(self.start, self.end)


class Log:
    """Records from offset 0 to the log end, which is exclusive; the part up to `flushed_end` survives a power loss."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.epochs = EpochHistory()
        self.flushed_end = 0

    @property
    def end(self) -> int:
        """The log end offset: the first free one."""
        return len(self.entries)

    def append(self, entry: Entry) -> int:
        """Append an entry. Returns its offset."""
        self.epochs.note(entry.leader_epoch, self.end)
        self.entries.append(entry)
        return self.end - 1

    def read(self, start: int, limit: int) -> tuple[Entry, ...]:
        """The entries from `start` on and below `limit`."""
        return tuple(self.entries[start:limit])

    def truncate(self, end: int) -> None:
        """Remove everything at `end` and beyond."""
        del self.entries[end:]
        self.epochs.truncate(end)
        self.flushed_end = min(self.flushed_end, self.end)

    def flush(self) -> None:
        """Everything in the log is on disk."""
        self.flushed_end = self.end

    def last_epoch(self) -> int | None:
        """The leader epoch of the last record; None for an empty log."""
        return self.epochs.last()
