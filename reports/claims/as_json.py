"""The verdicts on claims, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.explorer.files.json_text import json_text
from neverlost.studies.claims.headline import Headline, budget_of
from neverlost.studies.claims.judging import DecidedCase, Judgement


def claims_json(judged: Sequence[Judgement]) -> str:
    """All verdicts as a list; see docs/reference/json.md."""
    return json_text([_claim(judgement) for judgement in judged])


def _claim(judgement: Judgement) -> dict[str, Any]:
    claim, telling = judgement.claim, judgement.telling
    values: dict[str, Any] = {
        "id": claim.id,
        "verdict": judgement.verdict,
        "condition": judgement.condition,
        "profile": telling.model.profile.name,
        "settings": telling.model.plain_settings,
        "trace_length": telling.answer.trace_length,
        "sentence": claim.sentence,
        "sources": list(claim.articles),
        "refuted_by": claim.refuted_by,
        "cases": [_case(decided) for decided in judgement.decided],
        "remarks": [
            {"question": remark.question, "answer": decided.speaks_for, **_case(decided)}
            for remark, decided in judgement.remarks
        ],
    }
    return values | (_headline(judgement) if isinstance(judgement, Headline) else {})


def _case(decided: DecidedCase) -> dict[str, Any]:
    return {
        "profile": decided.model.profile.name,
        "bounds": decided.model.bounds,
        "settings": decided.model.plain_settings,
        "property": decided.case.property,
        "verdict": decided.answer.verdict,
        "speaks_for_the_claim": decided.speaks_for,
        "distinct": decided.answer.distinct,
        "trace_length": decided.answer.trace_length,
        "command": " ".join(decided.command),
    }


def _headline(headline: Headline) -> dict[str, Any]:
    return {
        "versions": [
            {
                "profile": survival.profile.name,
                "fixed": survival.fixed,
                "survives": [
                    {"faults": budget_of(d), **_case(d), "out_of_epochs": d.answer.hidden} for d in survival.survived
                ],
                "loses": [{"faults": budget_of(d), **_case(d)} for d in survival.fatal],
            }
            for survival in headline.survivals
        ],
        "switches": [
            {
                "off": dropped.switch.without,
                "words": dropped.switch.off,
                "loss": None if dropped.loss is None else {"faults": budget_of(dropped.loss), **_case(dropped.loss)},
                "searched": dropped.searched,
            }
            for dropped in headline.dropped
        ],
        "needed": [
            {
                "faults": needed.budget,
                "switches": [s.words for s in needed.kept],
                "off": needed.without,
                **_case(needed.proof),
            }
            for needed in headline.needed
        ],
    }
