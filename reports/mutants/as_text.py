"""What is wrong without each condition of a model, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.mutants.conditions import Missed
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Model
from neverlost.model.core.profile import show_bounds

from ..layout import wrapped


def missed_text(found: Sequence[Missed]) -> str:
    """Every condition, and what is wrong without it: first those whose lack nothing finds."""
    lines = []
    for missed in sorted(found, key=lambda missed: missed.killed):
        lines += [wrapped(f"  {missed.mutant.label}", "    "), wrapped(f"      {_what(missed)}", "      ")]
    return "\n".join(lines)


def _what(missed: Missed) -> str:
    if missed.error:
        return f"without it, a step leaves a domain: {missed.error}"
    if missed.killed:
        return f"without it, {missed.violated} is violated after {counted(missed.steps, 'step')}"
    if missed.verdict == Verdict.UNDECIDED:
        return "UNDECIDED: the search ended before its end"
    if missed.same:
        return "SURVIVES: without it, all states and steps are the same"
    states = "as many states, but other steps"
    if missed.more:
        states = f"{counted(abs(missed.more), 'state')} {'more' if missed.more > 0 else 'fewer'}"
    return f"SURVIVES: without it, there are {states}, and every property holds"


def missed_verdict(model: Model, found: Sequence[Missed], complete: bool) -> str:
    """How many conditions something finds, in a sentence."""
    bounds = f" ({show_bounds(model.bounds)})" if model.bounds else ""
    killed = sum(missed.killed for missed in found)
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
