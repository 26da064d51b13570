"""A partition's files on the disk of a broker, live or dead: records with their epochs, checkpoints; and how a fault changes them."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HIGH_WATERMARKS, RECOVERY_POINTS = "replication-offset-checkpoint", "recovery-point-offset-checkpoint"
LEADER_EPOCHS = "leader-epoch-checkpoint"
ENTRY = 12
"""Bytes before an entry: its offset and its size."""


@dataclass(frozen=True, kw_only=True)
class LogRecord:
    """A record: where it lies, in which leader epoch it was written (None before message format 2), and what it is.

    `start` is the position in the bytes at which its batch begins.
    """

    offset: int
    epoch: int | None
    value: bytes
    start: int

    @property
    def number(self) -> int:
        """The value of the model that the record stands for; see `bytes_of`."""
        return int(self.value[1:])


def bytes_of(value: int) -> bytes:
    """What is sent for a value of the model."""
    return b"v%d" % value


def records_of(data: bytes) -> Iterator[LogRecord]:
    """The records in the bytes of a log, of message format 0, 1 or 2; what is cut off at the end is left out."""
    at = 0
    while at + ENTRY + 5 <= len(data):
        offset, size = struct.unpack_from(">qi", data, at)
        if size <= 0 or at + ENTRY + size > len(data):
            return
        if data[at + 16] < 2:
            yield _old_record(data, at, offset)
        else:
            yield from _batch(data, at, offset)
        at += ENTRY + size


def _old_record(data: bytes, start: int, offset: int) -> LogRecord:
    at = start + 18 + (8 if data[start + 16] == 1 else 0)
    (key,) = struct.unpack_from(">i", data, at)
    at += 4 + max(key, 0)
    (size,) = struct.unpack_from(">i", data, at)
    return LogRecord(offset=offset, epoch=None, value=data[at + 4 : at + 4 + max(size, 0)], start=start)


def _batch(data: bytes, start: int, base: int) -> Iterator[LogRecord]:
    (epoch,) = struct.unpack_from(">i", data, start + 12)
    (count,) = struct.unpack_from(">i", data, start + 57)
    at = start + 61
    for _ in range(count):
        length, at = _varint(data, at)
        end = at + length
        _, at = _varint(data, at + 1)
        delta, at = _varint(data, at)
        key, at = _varint(data, at)
        size, at = _varint(data, at + max(key, 0))
        yield LogRecord(offset=base + delta, epoch=epoch, value=data[at : at + max(size, 0)], start=start)
        at = end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at


@dataclass(frozen=True)
class BrokerDisk:
    """The data folder of a broker."""

    folder: Path

    def partition(self, topic: str, number: int = 0) -> Path:
        """The folder of a topic's partition."""
        return self.folder / f"{topic}-{number}"

    def log(self, topic: str, number: int = 0) -> list[LogRecord]:
        """The records of a partition, as written up to now."""
        found: list[LogRecord] = []
        for segment in sorted(self.partition(topic, number).glob("*.log")):
            found += records_of(segment.read_bytes())
        return found

    def leader_epochs(self, topic: str) -> list[tuple[int, int]]:
        """The leader epochs that the broker has noted, each with its first offset; empty before 0.11."""
        file = self.partition(topic) / LEADER_EPOCHS
        if not file.is_file():
            return []
        rows = (line.split() for line in file.read_text(encoding="ascii").splitlines()[2:])
        return [(int(row[0]), int(row[1])) for row in rows if len(row) == 2]

    def checkpointed(self, name: str, topic: str, number: int = 0) -> int:
        """The offset that a checkpoint has of a partition; 0 if it has none."""
        return self._rows(name).get((topic, str(number)), 0)

    def checkpoint(self, name: str, topic: str, offset: int, number: int = 0) -> None:
        """Write the offset into a checkpoint that is there, as if it had been written then and not since."""
        file = self.folder / name
        if not file.is_file():
            return
        rows = self._rows(name) | {(topic, str(number)): offset}
        lines = [f"{name} {partition} {value}" for (name, partition), value in rows.items()]
        file.write_text("\n".join(["0", str(len(rows)), *lines, ""]), encoding="ascii")

    def _rows(self, name: str) -> dict[tuple[str, str], int]:
        file = self.folder / name
        if not file.is_file():
            return {}
        rows = (line.split() for line in file.read_text(encoding="ascii").splitlines()[2:])
        return {(row[0], row[1]): int(row[2]) for row in rows if len(row) == 3}

    def lose_tail(self, topic: str, kept: int, number: int = 0) -> None:
        """Cut off what a power loss takes: every record from the offset `kept` on. The broker must be dead."""
        for segment in sorted(self.partition(topic, number).glob("*.log")):
            lost = next((record for record in records_of(segment.read_bytes()) if record.offset >= kept), None)
            if lost is not None:
                os.truncate(segment, lost.start)
        for name in (HIGH_WATERMARKS, RECOVERY_POINTS):
            self.checkpoint(name, topic, min(self.checkpointed(name, topic, number), kept), number)

    def lose(self, topic: str) -> None:
        """Remove the partition, as on a new disk. The broker must be dead."""
        shutil.rmtree(self.partition(topic))
        for name in (HIGH_WATERMARKS, RECOVERY_POINTS):
            self.checkpoint(name, topic, 0)
