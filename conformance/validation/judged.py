"""An event log, compared with a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.model.core import Model

from ..malformed import MalformedLine
from .event_log import MOST_NOTED, EventLog, Notes
from .following import LogVerdict, Outcome
from .reasons import Refusal


@dataclass(frozen=True, kw_only=True)
class Validation:
    """A log, the model that it was compared with, and the outcome."""

    log: EventLog
    model: Model
    notes: Sequence[Notes]
    hidden: tuple[str, ...]
    hidden_steps: int
    events: int
    outcome: Outcome
    refusal: Refusal | None

    @property
    def exit_code(self) -> ExitCode:
        """2 if a line is malformed, because then only a part of the log was judged."""
        if self.malformed_count:
            return ExitCode.WRONG_INPUT
        decided = {LogVerdict.ACCEPTED: ExitCode.HOLDS, LogVerdict.UNDECIDED: ExitCode.UNDECIDED}
        return decided.get(self.outcome.verdict, ExitCode.VIOLATED)

    @property
    def malformed_count(self) -> int:
        """How many parts of the log cannot be read."""
        return sum(notes.count for notes in self.notes)

    @property
    def malformed(self) -> list[MalformedLine]:
        """The first of them."""
        return [one for notes in self.notes for one in notes.noted][:MOST_NOTED]

    @property
    def hidden_taken(self) -> int:
        """How many hidden steps the run takes."""
        return sum(len(move.hidden) for move in self.outcome.run)
