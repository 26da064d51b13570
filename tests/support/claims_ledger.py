"""The record of what was answered about the claims, and the page that is made from it.

    python tests/support/claims_ledger.py

runs every search of the ledger that the store does not have, and writes docs/claims.md and spec/kafka/claims.json. A row of
the record is found by the key of its question, which changes with the model, the settings and the property: a record that is
stale misses keys.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from neverlost.cli.stores import open_store
from neverlost.explorer.answers import Answer, Answers, Question
from neverlost.explorer.memory import sensible_memory
from neverlost.explorer.search import Limits
from neverlost.explorer.symmetry import symmetric_domains
from neverlost.explorer.trace import replay, trace_along
from neverlost.explorer.verdict import Verdict
from neverlost.spec.kafka.claims import CLAIMS
from neverlost.studies.asker import Asker
from neverlost.studies.claims.claims_markdown import claims_markdown
from neverlost.studies.claims.judging import Judgement, options_beside_bounds
from neverlost.studies.claims.ledger import judgements

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "claims.md"
RECORD = ROOT / "spec" / "kafka" / "claims.json"
KEY_LENGTH = 20
IDS = [claim.id for claim in CLAIMS]


class NotRecordedError(Exception):
    """A question whose answer is not in the record."""


def row_of(question: Question, answer: Answer) -> dict[str, Any]:
    """What the record keeps of an answer: enough to tell it again, the trace as its steps."""
    steps = None if answer.trace is None else [step.show(question.model.bounds) for step in answer.trace.steps]
    return {
        "key": question.key[:KEY_LENGTH],
        "profile": question.model.profile.name,
        "options": " ".join(options_beside_bounds(question.model)),
        "property": question.property,
        "verdict": answer.verdict,
        "distinct": answer.distinct,
        "depth": answer.depth,
        "hidden": answer.hidden,
        "steps": steps,
    }


def answer_of(question: Question, row: Mapping[str, Any]) -> Answer:
    """The answer that a row records, its trace replayed step by step through the interpreter."""
    trace = None
    if row["steps"] is not None:
        model = question.model
        steps = [model.parse_step(text) for text in row["steps"]]
        trace = trace_along(model, steps, question.property, tuple(symmetric_domains(model)))
        replay(trace)
    return Answer(
        verdict=Verdict(row["verdict"]),
        distinct=row["distinct"],
        depth=row["depth"],
        complete=row["steps"] is None,
        hidden=row["hidden"],
        trace=trace,
    )


class Recorded(Answers):
    """Answers from the record alone: nothing is searched for."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(None)
        self.rows = {row["key"]: row for row in rows}

    def ask_all(
        self,
        questions: Sequence[Question],
        *,
        limits: Limits | None = None,
        workers: int = 2,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[Question, Answer]]:
        for question in questions:
            if question.key not in self.kept:
                row = self.rows.get(question.key[:KEY_LENGTH])
                if row is None:
                    asked = f"{question.model.profile.name}, {question.property}"
                    raise NotRecordedError(f"no answer is recorded on {asked}: the ledger is stale, run make claims")
                self.kept[question.key] = answer_of(question, row)
            yield question, self.kept[question.key]


def recorded() -> Mapping[str, Any]:
    """The record as it lies in the file."""
    found: Mapping[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def verdicts(judged: Sequence[Judgement]) -> dict[str, Any]:
    """The verdicts by claim."""
    return {j.claim.id: {"verdict": j.verdict, "condition": j.condition} for j in judged}


def record_text(judged: Sequence[Judgement], rows: Sequence[Mapping[str, Any]]) -> str:
    """The record as text: the verdicts, then the answers, one a line."""
    lines = ",\n".join(json.dumps(row) for row in sorted(rows, key=lambda row: row["key"]))
    return f'{{"verdicts": {json.dumps(verdicts(judged), indent=1)},\n"answers": [\n{lines}\n]}}\n'


def main(arguments: Sequence[str]) -> None:
    """Decide all claims, and write the page and the record."""
    asker = Asker(open_store(arguments[0] if arguments else None), Limits(memory_bytes=sensible_memory()), workers=2)
    judged = []
    for judgement in judgements(IDS, asker):
        print(judgement.claim.id, judgement.verdict, flush=True)
        judged.append(judgement)
    rows = [row_of(question, asker.answers.kept[key]) for key, question in asker.asked.items()]
    PAGE.write_text(claims_markdown(judged), encoding="utf-8")
    RECORD.write_text(record_text(judged, rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
