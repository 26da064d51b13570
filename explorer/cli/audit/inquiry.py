"""Asking the model: many questions at a time, with what is kept of earlier audits, and with progress for people."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from neverlost.spec.configuration import Deployment

from ...answers import Answer, Answers, Question
from ...search import Limits
from ..progress import announce_compilation
from .dangers import Danger, question_of
from .faults import Faults

if TYPE_CHECKING:
    from rich.live import Live

Asked = tuple[Deployment, Danger, Faults]


class Inquiry:
    """Puts questions to the model, each once. Shows on a terminal how far it is."""

    def __init__(
        self, store: Path | None, *, limits: Limits, workers: int, interrupted: Callable[[], bool], quiet: bool
    ) -> None:
        self.answers = Answers(store)
        self.limits, self.workers, self.interrupted, self.quiet = limits, workers, interrupted, quiet
        self.asked: dict[str, Answer] = {}
        self.live: Live | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self.quiet:
            from rich.live import Live

            from ..terminal import TextConsole

            self.live = Live(console=TextConsole(to_error=True), transient=True, auto_refresh=False)
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live is not None:
            self.live.stop()

    def ask(self, wanted: Sequence[Asked]) -> list[Answer]:
        """The answers, in the order of the questions."""
        questions = [question_of(*asked) for asked in wanted]
        names = {
            q.key: f"{danger.name}, with {faults}" for q, (_, danger, faults) in zip(questions, wanted, strict=True)
        }
        new = [q for q in questions if q.key not in self.asked]
        self._announce_compilation(new)
        found = self.answers.ask_all(new, limits=self.limits, workers=self.workers, interrupted=self.interrupted)
        for question, answer in found:
            self.asked[question.key] = answer
            self._show(f"{len(self.asked)} questions answered | {names[question.key]}: {answer.verdict}")
        return [self.asked[question.key] for question in questions]

    def _announce_compilation(self, questions: Sequence[Question]) -> None:
        open_ones = [] if self.quiet else [q for q in questions if self.answers.known(q) is None]
        for question in {tuple(q.model.bounds.items()): q for q in open_ones}.values():
            announce_compilation(question.model, [], question.symmetric)

    def _show(self, line: str) -> None:
        if self.live is not None:
            self.live.update(line, refresh=True)
