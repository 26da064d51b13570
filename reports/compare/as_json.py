"""Where two releases differ, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.conformance.cluster.comparing import Compared, Played


def compared_values(found: Sequence[Compared]) -> list[dict[str, Any]]:
    """What was compared, as plain values."""
    return [
        {
            "profile": one.rule.version,
            "rule": one.rule.own,
            "elsewhere": one.rule.other,
            "why_no_run": one.rule.why,
            "steps": [step.show(one.rule.model.bounds) for step in one.rule.steps] if one.rule.model else [],
            "there": _values(one.there),
            "on_the_other": _values(one.elsewhere),
            "as_expected": one.as_expected,
        }
        for one in found
    ]


def _values(played: Played | None) -> dict[str, Any] | None:
    if played is None:
        return None
    left = played.difference
    return {
        "differs_at": None if left is None else left.number,
        "refusal": "" if left is None else left.refusal,
        "differences": [] if left is None else [one.show() for one in left.differences],
        "trouble": played.trouble,
    }
