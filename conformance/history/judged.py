"""A history with what is wrong in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.process.exit_code import ExitCode

from .anomalies import Anomaly
from .recording import History


@dataclass(frozen=True, kw_only=True)
class JudgedHistory:
    """A history with its findings: the first anomalies of each kind, how many there are, and what is open."""

    history: History
    anomalies: Mapping[str, Sequence[Anomaly]]
    counts: Mapping[str, int]
    unread: int

    @property
    def exit_code(self) -> ExitCode:
        """2 if a line is malformed, because then only a part of the history was judged."""
        if self.history.malformed_count:
            return ExitCode.WRONG_INPUT
        return ExitCode.VIOLATED if any(self.counts.values()) else ExitCode.HOLDS
