"""The outcome of a suite, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.conformance.suite.parts import PartOutcome
from neverlost.conformance.suite.run import Failure, SuiteOutcome
from neverlost.model.core import Model

from ..common import differences_values


def outcome_values(
    model: Model, cover: str, outcome: SuiteOutcome, parts: Sequence[PartOutcome] = ()
) -> dict[str, Any]:
    """The outcome of a suite, and of those of the system's parts, as plain values."""
    return {
        "schema": 1,
        "profile": model.profile.name,
        "bounds": dict(model.bounds),
        "settings": model.plain_settings,
        "cover": cover,
        "cases": outcome.cases,
        "steps": outcome.steps,
        "attempts": outcome.attempts,
        "complete": outcome.complete,
        "walks": outcome.walks,
        "random_steps": outcome.random_steps,
        "failed": len(outcome.failures),
        "not_scheduled": dict(outcome.not_scheduled),
        "kinds": dict(outcome.kinds.most_common()),
        "never_compared": list(outcome.never_compared(model)),
        "failures": [_failure_values(failure) for failure in outcome.failures],
        "parts": [_part_values(part) for part in parts],
    }


def _part_values(part: PartOutcome) -> dict[str, Any]:
    outcome = part.outcome
    return {
        "profile": part.model.profile.name,
        "cases": outcome.cases,
        "steps": outcome.steps,
        "complete": outcome.complete,
        "failed": len(outcome.failures),
        "kinds": dict(outcome.kinds.most_common()),
        "never_compared": list(outcome.never_compared(part.model)),
        "failures": [_failure_values(failure) for failure in outcome.failures],
    }


def _failure_values(failure: Failure) -> dict[str, Any]:
    divergence = failure.divergence
    differences = () if divergence is None else divergence.differences
    attempted = None if divergence is None else divergence.attempted
    return {
        "case": failure.case.name,
        "kind": failure.kind,
        "step": None if divergence is None else len(divergence.trace.steps),
        "differences": differences_values(differences),
        "refusal": "" if divergence is None else divergence.refusal,
        "attempted": "" if divergence is None or attempted is None else attempted.show(divergence.trace.model.bounds),
        "refused_by": "" if divergence is None else divergence.refused_by,
        "fault": failure.fault,
        "mistakes": [mistake.about for mistake in failure.mistakes],
    }
