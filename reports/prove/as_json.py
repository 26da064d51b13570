"""The machine-readable form of a proof."""

from __future__ import annotations

from typing import Any

from neverlost.explorer.symbolic.any_bounds.proof import AnyProof
from neverlost.explorer.symbolic.conditions import ConditionalProof, SettingsCase
from neverlost.explorer.symbolic.induction import Query
from neverlost.explorer.symbolic.proof import Proof, Reach
from neverlost.explorer.symbolic.suggesting import Suggestions
from neverlost.explorer.traces.trace_json import step_values, trace_values
from neverlost.model.core import Model

from .suggested import suggestion_values

SCHEMA = 1


def proof_values(proof: Proof, suggestions: Suggestions | None = None) -> dict[str, Any]:
    """The proof as plain values, ready for JSON; with suggestions for a lemma, if there are any."""
    first, others = proof.broken[:1], proof.broken[1:]
    return {
        "schema": SCHEMA,
        "profile": proof.model.profile.name,
        "property": proof.claim.name,
        "statement": proof.claim.statement,
        "bounds": dict(proof.model.bounds),
        "settings": proof.model.plain_settings,
        "assumed": list(proof.model.assumed),
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
        "counterexample_to_induction": _counterexample(first[0], proof.model, proof.reach) if first else None,
        "other_counterexamples": [_counterexample(query, proof.model) for query in others],
        "suggestions": suggestion_values(suggestions),
    }


def conditional_values(proof: ConditionalProof) -> dict[str, Any]:
    """The proof with settings left open as plain values: the same fields, and the verdict of every case."""
    return {
        "schema": SCHEMA,
        "profile": proof.model.profile.name,
        "property": proof.claim.name,
        "statement": proof.claim.statement,
        "bounds": dict(proof.model.bounds),
        "settings": {n: v for n, v in proof.model.plain_settings.items() if n not in proof.settings},
        "assumed": list(proof.model.assumed),
        "open_settings": list(proof.settings),
        "verdict": proof.verdict,
        "method": "induction",
        "lemmas": [lemma.name for lemma in proof.lemmas],
        "queries": len(proof.queries),
        "unknown": proof.unknown,
        "seconds": proof.seconds,
        "trace_length": None,
        "trace": None,
        "counterexample_to_induction": None,
        "cases": [_case_values(case, proof) for case in proof.cases],
    }


def any_bounds_values(proof: AnyProof) -> dict[str, Any]:
    """The proof for any bounds as plain values: the same fields, and what is stated in addition to the functions of the protocol."""
    return {
        "schema": SCHEMA,
        "profile": proof.unbounded.profile.name,
        "property": proof.claim.name,
        "statement": proof.claim.statement,
        "bounds": "any",
        "settings": {s.name: s.plain(proof.settings[s.name]) for s in proof.unbounded.profile.state.settings},
        "verdict": proof.verdict,
        "method": "induction",
        "k": 1,
        "lemmas": [lemma.name for lemma in proof.lemmas],
        "ghosts": list(proof.unbounded.ghosts),
        "meanings": [meaning.function.__name__ for meaning in proof.unbounded.meanings],
        "queries": len(proof.queries),
        "unknown": len(proof.unknown),
        "seconds": proof.seconds,
        "translated_seconds": proof.translated_seconds,
        "failing": [_query_values(q) for q in proof.failing],
        "unsettled": [_query_values(q) for q in proof.unknown],
        "trace_length": None,
        "trace": None,
        "counterexample_to_induction": None,
    }


def _case_values(case: SettingsCase, proof: ConditionalProof) -> dict[str, Any]:
    declared = {s.name: s for s in proof.model.profile.state.settings}
    return {
        "settings": {n: declared[n].plain(v) for n, v in zip(proof.settings, case.values, strict=True)},
        "verdict": case.verdict,
        "failing": None if case.query is None else case.query.text,
        "states": case.states,
        "complete": case.complete,
        "trace_length": None if case.trace is None else len(case.trace),
        "trace": None if case.trace is None else trace_values(case.trace),
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


def _counterexample(query: Query, model: Model, reach: Reach | None = None) -> dict[str, Any]:
    pair = query.pair
    assert pair is not None
    return {
        **_query_values(query),
        "step": None if pair.step is None else step_values(model.steps[pair.step], model),
        "before": model.state(pair.before).values(),
        "after": model.state(pair.after).values(),
        "before_is": None if reach is None else reach.text,
        "trace_to_before": None if reach is None or reach.trace is None else trace_values(reach.trace),
    }
