"""The verdict of a proof in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.explorer.symbolic.any_bounds.proof import AnyProof
from neverlost.explorer.symbolic.bounded import DepthResult
from neverlost.explorer.symbolic.proof import Proof
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.arguments import argument
from neverlost.model.core import Lemma

from ..common import faultless, model_words, with_settings


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
        return f"{opening} UNDECIDED: {within}; more steps are needed, or induction (without {argument('depth')})."
    if proof.broken:
        others = sum(bool(query.lemma) for query in proof.broken[1:])
        too = f", and so {'do' if others > 1 else 'does'} {counted(others, 'other lemma')}" if others else ""
        return f"{opening} UNDECIDED: {proof.broken[0].text} fails{too}; no violation was found."
    if not proof.unknown:
        return f"{opening} UNDECIDED: interrupted after {len(proof.queries):,} queries, none of which failed."
    return f"{opening} UNDECIDED: {len(proof.unknown)} of {len(proof.queries)} queries found no answer in time."


def any_bounds_words(proof: AnyProof) -> str:
    """What was tried to be proven for any bounds, the verdict, and what it rests on."""
    profile = proof.unbounded.profile
    bounds = f" ({', '.join(f'any {name}' for name in profile.bound_names)})" if profile.bound_names else ""
    chosen = with_settings(profile, proof.settings)
    faults = faultless(profile, proof.settings, None)
    opening = f"{profile.name}{bounds}{chosen}{faults}: {proof.claim.name} is"
    if proof.verdict == Verdict.PROVEN:
        return f"{opening} PROVEN for any number of steps, {from_lemmas(proof.lemmas)}."
    stopping = (*proof.failing, *proof.unknown)
    if not stopping:
        return f"{opening} UNDECIDED: interrupted after {len(proof.queries):,} queries, none of which failed."
    found = "fails" if proof.failing else "found no answer in time"
    return f"{opening} UNDECIDED: {stopping[0].text} {found}."


def from_lemmas(lemmas: Sequence[Lemma]) -> str:
    """What a proof rests on, in words."""
    return f"from {counted(len(lemmas), 'lemma')}" if lemmas else "by itself"


def _k(proof: Proof) -> str:
    return "" if proof.k == 1 else f", by induction over {proof.k} states in a row"
