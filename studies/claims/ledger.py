"""The ledger: the judgement of every claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neverlost.spec.families import known_claims

from ..study import Study
from .headline import judge_headline
from .judging import Judgement, judge

HEADLINE = "C-26"


def judgements(wanted: Sequence[str], study: Study) -> Iterator[Judgement]:
    """The judgements of the named claims, in the order of the ledger."""
    for claim in known_claims():
        if claim.id == HEADLINE and claim.id in wanted:
            yield judge_headline(claim, study)
        elif claim.id in wanted:
            yield judge(claim, study)
