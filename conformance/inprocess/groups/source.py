"""A partition of the topic that a group reads, at its leader (UnifiedLog, LeaderEpochFileCache)."""

from __future__ import annotations

from ..errors import BrokerError, ErrorCode


class SourcePartition:
    """Records with the leader epochs in which they were written. A record is known by its offset."""

    def __init__(self) -> None:
        self.start = 0
        self.leader_epoch = 0
        self.record_epochs: list[int] = []
        """The epoch of each record since the first; those below `start` are removed."""
        self._began: list[tuple[int, int]] = [(0, 0)]
        """Each epoch with the offset at which it began, oldest first."""

    @property
    def end(self) -> int:
        """The offset after the last record."""
        return len(self.record_epochs)

    def append(self) -> None:
        """A record is written in the leader's epoch."""
        self.record_epochs.append(self.leader_epoch)

    def remove_oldest(self) -> None:
        """Retention removes the oldest record."""
        self.start += 1

    def lose_last(self) -> None:
        """A replica that lacks the last record becomes the leader."""
        self.record_epochs.pop()
        self.leader_epoch += 1
        self._began = [one for one in self._began if one[1] < self.end]
        self._began.append((self.leader_epoch, self.end))

    def fetch(self, offset: int) -> int:
        """The epoch of the record at an offset. Raises BrokerError with OFFSET_OUT_OF_RANGE; NONE if nothing is there yet."""
        if not self.start <= offset <= self.end:
            raise BrokerError(ErrorCode.OFFSET_OUT_OF_RANGE, f"the log is from {self.start} to {self.end}")
        if offset == self.end:
            raise BrokerError(ErrorCode.NONE, "there is no record yet")
        return self.record_epochs[offset]

    def end_of_epoch(self, epoch: int) -> int:
        """Where an epoch ends, OffsetsForLeaderEpoch: where the next one begins, or the end of the log (endOffsetFor)."""
        later = [began for other, began in self._began if other > epoch]
        return min(later, default=self.end)
