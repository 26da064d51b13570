"""Asking what can happen to a deployment."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.explorer.answers.questions import Answer
from neverlost.spec.configuration import Deployment
from neverlost.spec.exposure import Danger
from neverlost.spec.faults import Faults

from ..study import Study
from .dangers import question_of

Asked = tuple[Deployment, Danger, Faults]


def answers_to(study: Study, wanted: Sequence[Asked]) -> list[Answer]:
    """The answers, in the order of the questions."""
    questions = [question_of(*asked) for asked in wanted]
    labels = {q.key: f"{danger.name}, with {faults}" for q, (_, danger, faults) in zip(questions, wanted, strict=True)}
    return study.answer_all(questions, labels)
