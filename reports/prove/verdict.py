"""The verdict of a proof in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.explorer.symbolic.bounded import DepthResult
from neverlost.explorer.symbolic.proof import Proof
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Lemma

from ..common import model_words


def verdict_words(proof: Proof) -> str:
    """What was tried to be proven, the verdict, and what it rests on."""
    opening = f"{model_words(proof.model)}: {proof.claim.name} is"
    if proof.verdict == Verdict.PROVEN:
        return f"{opening} PROVEN for any number of steps, {from_lemmas(proof.lemmas)}{_k(proof)}{proof.model.proviso}."
    if proof.trace is not None:
        return f"{opening} VIOLATED in {counted(len(proof.trace.steps), 'step')}."
    if proof.depths:
        decided = [d.steps for d in proof.depths if d.result == DepthResult.NONE]
        within = f"no violation within {counted(decided[-1], 'step')}" if decided else "nothing was decided in time"
        return f"{opening} UNDECIDED: {within}; more steps are needed, or induction (without --depth)."
    if proof.broken:
        others = sum(bool(query.lemma) for query in proof.broken[1:])
        too = f", and so {'do' if others > 1 else 'does'} {counted(others, 'other lemma')}" if others else ""
        return f"{opening} UNDECIDED: {proof.broken[0].text} fails{too}; no violation was found."
    if not proof.unknown:
        return f"{opening} UNDECIDED: interrupted after {len(proof.queries):,} queries, none of which failed."
    return f"{opening} UNDECIDED: {len(proof.unknown)} of {len(proof.queries)} queries found no answer in time."


def from_lemmas(lemmas: Sequence[Lemma]) -> str:
    """What a proof rests on, in words."""
    return f"from {counted(len(lemmas), 'lemma')}" if lemmas else "by itself"


def _k(proof: Proof) -> str:
    return "" if proof.k == 1 else f", by induction over {proof.k} states in a row"
