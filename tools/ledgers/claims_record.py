"""The record of what was answered about the claims; `make claims` writes it.

A row of the record is found by the key of its question, which changes with the model, the settings and the property: a record
that is stale misses keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from neverlost.explorer.answers.questions import Answer, Answers, Known, Question
from neverlost.explorer.search import Limits
from neverlost.explorer.traces.trace import deciding_trace
from neverlost.explorer.verdict import Verdict
from neverlost.spec.families import known_claims
from neverlost.studies.claims.judging import Judgement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "claims.md"
RECORD = ROOT / "spec" / "ledgers" / "claims.found.json"
KEY_LENGTH = 20
IDS = [claim.id for claim in known_claims()]


class NotRecordedError(Exception):
    """A question whose answer is not in the record."""


def answer_of(question: Question, row: Mapping[str, Any]) -> Answer:
    """The answer that a row records, its trace replayed step by step through the interpreter."""
    steps = row["steps"]
    trace = None if steps is None else deciding_trace(question.model, steps, question.property)
    return Answer(
        verdict=Verdict(row["verdict"]),
        distinct=row["distinct"],
        depth=row["depth"],
        complete=steps is None,
        hidden=row["hidden"],
        trace=trace,
    )


def on_record(rows: Sequence[Mapping[str, Any]]) -> Known:
    """The answers that the rows record."""
    by_key = {row["key"]: row for row in rows}

    def known(question: Question) -> Answer | None:
        row = by_key.get(question.key[:KEY_LENGTH])
        return None if row is None else answer_of(question, row)

    return known


class Recorded(Answers):
    """Answers from the record alone: nothing is searched for."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(None, on_record(rows))

    def ask_all(
        self,
        questions: Sequence[Question],
        *,
        limits: Limits | None = None,
        workers: int = 2,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[Question, Answer]]:
        for question in questions:
            answer = self.known(question)
            if answer is None:
                asked = f"{question.model.profile.name}, {question.property}"
                raise NotRecordedError(f"no answer is recorded on {asked}: the ledger is stale, run make claims")
            yield question, answer


def recorded() -> Mapping[str, Any]:
    """The record as it lies in the file."""
    found: Mapping[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def verdicts(judged: Sequence[Judgement]) -> dict[str, Any]:
    """The verdicts by claim."""
    return {j.claim.id: {"verdict": j.verdict, "condition": j.condition} for j in judged}
