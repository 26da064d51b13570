"""How a system with a mistake was refused, as a row of a table from which it can be seen again without a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neverlost.conformance.adapter import MakeAdapter
from neverlost.conformance.divergence import Divergence, SideBySide
from neverlost.conformance.suite.cases import with_chosen
from neverlost.conformance.suite.run import Failure
from neverlost.model.core import Model
from neverlost.spec import profiles


def described(failure: Failure) -> dict[str, Any]:
    """How a case failed."""
    assert failure.divergence is not None, failure.fault
    return described_as(failure.case.chosen, failure.divergence)


def described_as(chosen: Mapping[str, int], divergence: Divergence) -> dict[str, Any]:
    """Bounds and settings, steps, after which of them refused steps were tried, and what differs then.

    Of a random walk, which tries only some refused steps, the one that differs is `attempted`.
    """
    bounds = divergence.trace.model.bounds
    row = {
        "chosen": dict(chosen),
        "differs": divergence.kind,
        "steps": [step.show(bounds) for step in divergence.trace.steps],
        "tried_after": list(divergence.attempts_after),
    }
    alone = divergence.attempted is not None and not divergence.attempts_after
    return row | ({"attempted": divergence.attempted.show(bounds)} if alone and divergence.attempted else {})


def model_of(profile: str, chosen: Mapping[str, int]) -> Model:
    """The model of a row."""
    return with_chosen(profiles()[profile].bounded(), chosen)


def replayed(profile: str, make: MakeAdapter, row: Mapping[str, Any]) -> str | None:
    """What kind of difference there is if the steps of a row are done, and refused steps tried as they were; None if there is none."""
    model = model_of(profile, row["chosen"])
    steps = [model.parse_step(step) for step in row["steps"]]
    run = SideBySide(model, make(model))
    found = run.follow(steps, row["tried_after"])
    if found is None and "attempted" in row:
        found = run.attempt(model.parse_step(row["attempted"]))
    return None if found is None else found.kind
