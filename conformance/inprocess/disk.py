"""What a broker has on disk, and what survives which fault (R-CRASH-1)."""

from __future__ import annotations

from .errors import StorageError
from .log import Entry, Log
from .protocol import TopicPartition


class Disk:
    """The logs of a broker, and the last checkpoint of its high watermarks."""

    def __init__(self) -> None:
        self.logs: dict[TopicPartition, Log] = {}
        self.checkpoints: dict[TopicPartition, int] = {}
        self.failing = False
        self.shut_down_cleanly = False

    def log(self, partition: TopicPartition) -> Log:
        """The log of a partition, created on first use."""
        return self.logs.setdefault(partition, Log())

    def append(self, partition: TopicPartition, entry: Entry, *, flush: bool) -> int:
        """Write an entry. Returns its offset. Raises StorageError if the disk fails."""
        if self.failing:
            raise StorageError(f"cannot write to the log of {partition}")
        log = self.log(partition)
        offset = log.append(entry)
        if flush:
            log.flush()
        return offset

    def checkpoint(self, partition: TopicPartition, high_watermark: int) -> None:
        """Checkpoint a high watermark, as brokers do every few seconds."""
        self.checkpoints[partition] = high_watermark

    def checkpointed(self, partition: TopicPartition) -> int:
        """The high watermark to start from: the checkpoint, but within the log."""
        return min(self.checkpoints.get(partition, 0), self.log(partition).end)

    def mark_clean_shutdown(self) -> None:
        """Flush every log, and leave the mark that the next start finds (R-STOP-2)."""
        for log in self.logs.values():
            log.flush()
        self.shut_down_cleanly = True

    def lose_power(self, kept: dict[TopicPartition, int]) -> None:
        """The part of each log up to its `kept` end survives; by default what was flushed (R-CRASH-1).

        Raises ValueError for an end that would remove something flushed.
        """
        for partition, log in self.logs.items():
            end = kept.get(partition, log.flushed_end)
            if end < log.flushed_end:
                raise ValueError(f"{partition} is flushed up to {log.flushed_end}; a power loss cannot cut it to {end}")
            log.truncate(end)

    def lose_everything(self) -> None:
        """An empty disk replaces this one (R-CRASH-1)."""
        self.logs.clear()
        self.checkpoints.clear()
