"""The leader epochs of a log: where the records of each start. Truncation depends on it (R-TRUNC-2, R-TRUNC-3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EpochEnd:
    """The end of a leader epoch in a log: the first offset beyond it."""

    epoch: int
    end: int


class EpochHistory:
    """Runs of records of one leader epoch, in the order of the log: (epoch, first offset)."""

    def __init__(self) -> None:
        self.runs: list[tuple[int, int]] = []

    def note(self, epoch: int, offset: int) -> None:
        """Note that a record of the epoch is at the offset, behind all others."""
        if not self.runs or self.runs[-1][0] != epoch:
            self.runs.append((epoch, offset))

    def truncate(self, end: int) -> None:
        """Forget everything at `end` and beyond."""
        while self.runs and self.runs[-1][1] >= end:
            self.runs.pop()

    def last(self) -> int | None:
        """The leader epoch of the last record; None for an empty log."""
        return self.runs[-1][0] if self.runs else None

    def newest(self) -> int | None:
        """The newest leader epoch of all records; without fencing the last record may have an older one. None for an empty log."""
        return max((epoch for epoch, _ in self.runs), default=None)

    def start_of_first_after(self, epoch: int) -> int | None:
        """Where the first epoch newer than `epoch` starts; None if there is none (KIP-101)."""
        return next((start for known, start in self.runs if known > epoch), None)

    def spans(self, epoch: int) -> bool:
        """Is there a record of this epoch or an earlier one, and one of this or a later one?"""
        known = [run for run, _ in self.runs]
        return bool(known) and min(known) <= epoch <= max(known)

    def largest_up_to(self, epoch: int, log_end: int) -> EpochEnd | None:
        """The newest epoch that is no newer than `epoch`, with its end; None if all are newer (KIP-279)."""
        found = None
        for position, (known, _) in enumerate(self.runs):
            if known <= epoch and (found is None or known >= found.epoch):
                following = self.runs[position + 1 : position + 2]
                found = EpochEnd(known, following[0][1] if following else log_end)
        return found

    def end_for(self, epoch: int, log_end: int) -> EpochEnd:
        """The end of the newest epoch up to `epoch`; if all are newer, `epoch` itself ends where the first of them starts."""
        first = self.runs[0][1] if self.runs else log_end
        return self.largest_up_to(epoch, log_end) or EpochEnd(epoch, first)
