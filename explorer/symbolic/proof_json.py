"""The machine-readable form of a proof."""

from __future__ import annotations

from typing import Any

from ..trace_json import step_values, trace_values
from .induction import Query
from .proof import Proof

SCHEMA = 1


def proof_values(proof: Proof) -> dict[str, Any]:
    """The proof as plain values, ready for JSON."""
    return {
        "schema": SCHEMA,
        "profile": proof.model.profile.name,
        "property": proof.claim.name,
        "statement": proof.claim.statement,
        "bounds": dict(proof.model.bounds),
        "settings": proof.model.plain_settings,
        "verdict": proof.verdict,
        "method": proof.method,
        "k": proof.k,
        "lemmas": [lemma.name for lemma in proof.lemmas],
        "symmetric_domains": list(proof.symmetric),
        "bits": proof.bits,
        "queries": len(proof.queries),
        "unknown": len(proof.unknown),
        "seconds": proof.seconds,
        "translated_seconds": proof.translated_seconds,
        "depths": [{"steps": d.steps, "result": d.result, "seconds": d.seconds} for d in proof.depths],
        "failing": [_query_values(q) for q in proof.failing],
        "trace_length": None if proof.trace is None else len(proof.trace),
        "trace": None if proof.trace is None else trace_values(proof.trace),
        "counterexample_to_induction": _counterexample(proof),
    }


def _query_values(query: Query) -> dict[str, Any]:
    return {
        "kind": query.kind,
        "lemma": query.lemma,
        "instance": query.instance,
        "step": query.step,
        "result": query.result,
        "solver": query.configuration,
        "seconds": query.seconds,
    }


def _counterexample(proof: Proof) -> dict[str, Any] | None:
    if proof.verdict != "undecided" or not proof.failing:
        return None
    query = proof.failing[0]
    pair, model = query.pair, proof.model
    assert pair is not None
    return {
        **_query_values(query),
        "step": None if pair.step is None else step_values(model.steps[pair.step], model),
        "before": model.state(pair.before).values(),
        "after": model.state(pair.after).values(),
        "before_is": None if proof.reach is None else proof.reach.text,
        "trace_to_before": None
        if proof.reach is None or proof.reach.trace is None
        else trace_values(proof.reach.trace),
    }
