"""The initial state: no producer has started."""

from __future__ import annotations

from .state import Transactions


def initial(s: Transactions) -> None:
    """No producer has started, and neither coordinator nor partitions know of the transactional id."""
    s.delays_left = s.delays
    s.late_markers_left = s.late_markers
    s.timeouts_left = s.timeouts
    s.coordinator_moves_left = s.coordinator_moves
    s.expirations_left = s.expirations
    s.lost_markers_left = s.lost_markers
    s.early_reads_left = s.early_reads
