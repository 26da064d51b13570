"""Random runs on real brokers, for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from neverlost.conformance.cluster.releases import RunnableRelease
from neverlost.conformance.cluster.soaking import PLAIN, Kind, SoakRun


def kind_of(values: Mapping[str, Any]) -> Kind:
    """Of which kind the run of a line is; a line from before there were kinds does not say all of it."""
    return Kind(
        longest=values.get("longest", PLAIN.longest),
        clients=values.get("clients", PLAIN.clients),
        brokers=values.get("brokers", PLAIN.brokers),
    )


def soak_values(release: RunnableRelease, run: SoakRun) -> dict[str, Any]:
    """A random run as plain values, a line of a soak's file."""
    bounds, difference = run.model.bounds, run.difference
    return {
        "release": release.version,
        "mode": release.mode,
        "profile": run.model.profile.name,
        "number": run.number,
        "longest": run.kind.longest,
        "clients": run.kind.clients,
        "brokers": run.kind.brokers,
        "steps": len(run.judged),
        "actions": dict(sorted(Counter(step.step.action.name for step in run.judged).items())),
        "another_way": sum(1 for step in run.judged if not step.as_the_run and step.as_the_model),
        "trouble": run.trouble,
        "difference": None
        if difference is None
        else {
            "step": difference.number,
            "run": [step.show(bounds) for step in run.steps[: difference.number]],
            "refusal": difference.refusal,
            "differences": [one.show() for one in difference.differences],
        },
    }
