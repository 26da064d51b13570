"""Searches for what the record of claims and the store lack, and writes docs/claims.md and spec/ledgers/claims.found.json.

python tools/claims_ledger.py            with the store that the command line has; `make claims` does this
python tools/claims_ledger.py FOLDER     with the store in this folder
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ledgers.claims_record import IDS, KEY_LENGTH, PAGE, RECORD, on_record, recorded, verdicts

from neverlost.cli.stores import open_store
from neverlost.explorer.answers.questions import Answer, Question
from neverlost.explorer.process.memory import sensible_memory
from neverlost.explorer.search import Limits
from neverlost.reports.claims.as_markdown import claims_markdown
from neverlost.studies.claims.judging import Judgement, options_beside_bounds
from neverlost.studies.claims.ledger import judgements
from neverlost.studies.study import Study


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


def record_text(judged: Sequence[Judgement], rows: Sequence[Mapping[str, Any]]) -> str:
    """The record as text: the verdicts, then the answers, one a line."""
    lines = ",\n".join(json.dumps(row) for row in sorted(rows, key=lambda row: row["key"]))
    return f'{{"verdicts": {json.dumps(verdicts(judged), indent=1)},\n"answers": [\n{lines}\n]}}\n'


def main(arguments: Sequence[str]) -> None:
    """Decide all claims, and write the page and the record."""
    store = open_store(arguments[0] if arguments else None, on_record(recorded()["answers"]))
    study = Study(store, Limits(memory_bytes=sensible_memory()), workers=2)
    judged = []
    for judgement in judgements(IDS, study):
        print(judgement.claim.id, judgement.verdict, flush=True)
        judged.append(judgement)
    rows = [row_of(question, study.answers.kept[key]) for key, question in study.asked.items()]
    PAGE.write_text(claims_markdown(judged), encoding="utf-8")
    RECORD.write_text(record_text(judged, rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
