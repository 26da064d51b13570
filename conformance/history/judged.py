"""A history with what is wrong in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.verdict import Verdict

from .anomalies import Judge
from .findings import Anomaly, NotJudged
from .recording import History


@dataclass(frozen=True, kw_only=True)
class JudgedHistory:
    """A history with its findings: the first anomalies of each kind, how many there are, what is open, and what was not judged.

    `allowed` counts what Kafka allows. `uncommitted` says that readers were taken to see what is not committed.
    """

    history: History
    anomalies: Mapping[str, Sequence[Anomaly]]
    counts: Mapping[str, int]
    unread: int
    allowed: Mapping[str, int]
    not_judged: Sequence[NotJudged]
    uncommitted: bool

    @property
    def verdict(self) -> Verdict:
        """Undecided if nothing wrong was found, but not all was read, or what the history does not show would be wrong."""
        if any(self.counts.values()):
            return Verdict.VIOLATED
        in_doubt = self.history.malformed_count > 0 or any(one.in_doubt for one in self.not_judged)
        return Verdict.UNDECIDED if in_doubt else Verdict.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """2 if a line is malformed, because then only a part of the history was judged."""
        if self.history.malformed_count:
            return ExitCode.WRONG_INPUT
        return ExitCode.of(self.verdict)


def judged(history: History, *, most: int, uncommitted: bool, one_group: bool) -> JudgedHistory:
    """The history with what was found in it, at most so many anomalies of each kind."""
    judge = Judge(history, most=most, uncommitted=uncommitted, one_group=one_group)
    return JudgedHistory(
        history=history,
        anomalies=judge.anomalies(),
        counts=judge.counts,
        unread=judge.unread(),
        allowed=judge.allowed(),
        not_judged=judge.not_judged(),
        uncommitted=uncommitted,
    )
