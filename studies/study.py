"""A study: many questions, each asked once, with one store of answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from neverlost.explorer.answers.questions import Answer, Answers, Question
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict


def all_within(limits: Limits, interrupted: Callable[[], bool]) -> tuple[Limits, Callable[[], bool]]:
    """The limits without their time, and an interruption once it is over: a time for all questions together, from now on."""
    if limits.seconds is None:
        return limits, interrupted
    end = time.monotonic() + limits.seconds
    return replace(limits, seconds=None), lambda: interrupted() or time.monotonic() > end


class Watcher(Protocol):
    """The interface for showing the progress of a study."""

    def begins(self, questions: Sequence[Question]) -> None:
        """These questions are about to be searched for."""

    def answered(self, label: str, answer: Answer, done: int, total: int) -> None:
        """One more question has its answer: `done` of `total` in this call."""


class Study:
    """Asks the explorer many questions, and keeps its answers.

    `limits` end a single search undecided, `workers` searches run in parallel, and no more begin once `interrupted` returns true.
    """

    def __init__(
        self,
        answers: Answers,
        limits: Limits,
        workers: int = 2,
        interrupted: Callable[[], bool] = lambda: False,
        watcher: Watcher | None = None,
    ) -> None:
        self.answers, self.limits, self.workers, self.interrupted = answers, limits, workers, interrupted
        self.watcher = watcher
        self.asked: dict[str, Question] = {}
        self.answered: dict[str, Answer] = {}
        self.cut_short = 0
        """How many searches ended undecided so far."""

    def answer_all(self, questions: Sequence[Question], labels: Mapping[str, str] | None = None) -> list[Answer]:
        """The answers, in the order of the questions. `labels` maps a key to the text that a watcher gets."""
        new = list({q.key: q for q in questions if q.key not in self.answered}.values())
        if self.watcher is not None:
            self.watcher.begins([question for question in new if self.answers.known(question) is None])
        found = self.answers.ask_all(new, limits=self.limits, workers=self.workers, interrupted=self.interrupted)
        for done, (question, answer) in enumerate(found, start=1):
            self.asked[question.key], self.answered[question.key] = question, answer
            self.cut_short += answer.verdict == Verdict.UNDECIDED
            if self.watcher is not None:
                label = (labels or {}).get(question.key, question.model.profile.name)
                self.watcher.answered(label, answer, done, len(new))
        return [self.answered[question.key] for question in questions]
