"""What is wrong without each condition of a model, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.mutants.mutant import ERROR, Outcome
from neverlost.explorer.words import counted
from neverlost.model.core import Model
from neverlost.model.core.profile import show_bounds

from ..layout import wrapped


def conditions_text(found: Sequence[Outcome]) -> str:
    """Every condition, and what is wrong without it: first those whose lack nothing finds."""
    lines = []
    for outcome in sorted(found, key=lambda outcome: outcome.killed):
        lines += [wrapped(f"  {outcome.mutant.label}", "    "), wrapped(f"      {_what(outcome)}", "      ")]
    return "\n".join(lines)


def _what(outcome: Outcome) -> str:
    if outcome.how == ERROR:
        return f"without it, a step leaves a domain: {outcome.by}"
    if outcome.killed:
        return f"without it, {outcome.by} is violated after {counted(len(outcome.steps), 'step')}"
    if not outcome.complete:
        return "UNDECIDED: the search ended before its end"
    if outcome.same_states and outcome.same_steps:
        return "SURVIVES: without it, all states and steps are the same"
    states = "as many states, but other steps"
    if outcome.more:
        states = f"{counted(abs(outcome.more), 'state')} {'more' if outcome.more > 0 else 'fewer'}"
    return f"SURVIVES: without it, there are {states}, and every property holds"


def conditions_verdict(model: Model, found: Sequence[Outcome], complete: bool) -> str:
    """How many conditions something finds, in a sentence."""
    bounds = f" ({show_bounds(model.bounds)})" if model.bounds else ""
    killed = sum(outcome.killed for outcome in found)
    left = len(found) - killed
    ended = "" if complete else " The run ended before all were tried."
    if not left:
        return wrapped(
            f"{model.profile.name}{bounds}: something finds the lack of each of its {counted(killed, 'condition')}.{ended}"
        )
    return wrapped(
        f"{model.profile.name}{bounds}: something finds the lack of {killed} of {counted(len(found), 'condition')}. Nothing finds the"
        f" lack of {left}: remove what has no effect, or state a property that needs it.{ended}"
    )
