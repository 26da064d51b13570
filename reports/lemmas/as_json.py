"""The machine-readable form of lemmas that were found."""

from __future__ import annotations

from typing import Any

from neverlost.explorer.symbolic.discovery import Discovery
from neverlost.explorer.verdict import Verdict


def discovery_values(discovery: Discovery) -> dict[str, Any]:
    """The discovery as plain values, ready for JSON."""
    return {
        "schema": 1,
        "profile": discovery.model.profile.name,
        "bounds": dict(discovery.model.bounds),
        "settings": discovery.model.plain_settings,
        "states": discovery.states,
        "complete": discovery.complete,
        "given": [lemma.name for lemma in discovery.given],
        "stages": [{"name": s.name, "left": s.left, "seconds": s.seconds} for s in discovery.stages],
        "found": [{"name": f.lemma.name, "condition": f.condition, "text": f.text} for f in discovery.found],
        "confirmed": discovery.confirmed,
        "interrupted": discovery.interrupted,
        "properties": {proof.claim.name: proof.verdict for proof in discovery.proofs},
        "proven": [proof.claim.name for proof in discovery.proofs if proof.verdict == Verdict.PROVEN],
        "seconds": discovery.seconds,
    }
