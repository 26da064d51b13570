"""A counterexample, played on real brokers, for programs."""

from __future__ import annotations

from typing import Any

from neverlost.conformance.cluster.finding import Found
from neverlost.conformance.cluster.reproduction import Reproduction

from ..common import differences_values


def reproduction_values(found: Reproduction) -> dict[str, Any]:
    """A reproduction as plain values."""
    bounds, final = found.trace.model.bounds, found.final
    return {
        "schema": 1,
        "profile": found.trace.model.profile.name,
        "release": found.release,
        "patched": found.patched,
        "verdict": str(found.verdict),
        "property": found.trace.property,
        "steps": [
            {
                "step": step.step.show(bounds),
                "as_the_run": step.as_the_run,
                "as_the_model": step.as_the_model,
                "hidden": [hidden.show(bounds) for hidden in step.hidden],
                "refusal": step.refusal,
                "differences": differences_values(step.differences),
                "seconds": round(step.seconds, 3),
            }
            for step in found.steps
        ],
        "deliveries": list(found.answers),
        "lost": list(found.lost),
        "diverged": found.diverged,
        "trouble": found.trouble,
        "final": None
        if final is None
        else {
            "leader": f"r{final.leader}",
            "leader_epoch": final.leader_epoch,
            "logs": {
                f"r{broker}": [f"{value}@{epoch}" for _, epoch, value in log] for broker, log in final.logs.items()
            },
            "consumer": list(final.consumer),
            "notes": list(final.notes),
        },
    }


def tried_values(found: Found) -> list[dict[str, Any]]:
    """What was tried in a search for a run, as plain values."""
    return [{"profile": one.profile, "steps": one.length, "why": one.why} for one in found.tried]
