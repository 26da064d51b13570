"""The result of a validation, for programs."""

from __future__ import annotations

from typing import Any

from neverlost.conformance.validation.judged import Validation
from neverlost.conformance.validation.reasons import Refusal
from neverlost.explorer.traces.trace_json import step_values
from neverlost.model.core import Model

from ..common import differences_values, malformed_values

SCHEMA = 1


def validation_values(found: Validation) -> dict[str, Any]:
    """The validation as plain values, ready for JSON."""
    model, outcome = found.model, found.outcome
    number = 0
    hidden = []
    for number, move in enumerate(outcome.run, start=1):
        if move.hidden:
            steps = [step_values(step, model) for step in move.hidden]
            hidden.append({"before_event": number, "steps": steps})
    return {
        "neverlost": "validation",
        "schema": SCHEMA,
        "log": found.log.name,
        "profile": model.profile.name,
        "bounds": dict(model.bounds),
        "settings": model.plain_settings,
        "verdict": outcome.verdict,
        "stopped_by": outcome.stopped_by,
        "events": found.events,
        "explained": outcome.explained,
        "states_looked_at": outcome.looked,
        "hidden_actions": list(found.hidden),
        "hidden_steps": found.hidden_steps,
        "hidden": hidden,
        "malformed": malformed_values(found.malformed),
        "malformed_count": found.malformed_count,
        "refused": None if found.refusal is None else _refusal_values(model, found.refusal),
    }


def _refusal_values(model: Model, refused: Refusal) -> dict[str, Any]:
    return {
        "event": refused.number,
        "line": refused.event.line,
        "shown": refused.event.shown,
        "states": [model.state(words).values() for words in refused.states],
        "reasons": [
            {
                "steps": list(reason.steps),
                "after_hidden": list(reason.hidden),
                "guard": reason.guard or None,
                "observed": differences_values(reason.mismatches),
            }
            for reason in refused.reasons
        ],
    }
