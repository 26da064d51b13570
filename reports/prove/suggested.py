"""Suggestions for a missing lemma, for people and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from neverlost.explorer.symbolic.suggesting import LITERALS, Suggestions
from neverlost.explorer.words import counted

from ..layout import wrapped


def suggestion_lines(suggestions: Suggestions) -> Iterator[str]:
    """What the suggestions rest on, and each as text to paste; or why there are none."""
    yield "Suggestions for a lemma that excludes the state before the step"
    yield wrapped(f"  {_standing(suggestions)}", "  ")
    for written in suggestions.found:
        yield ""
        yield from (f"  {line}" for line in written.text.split("\n"))


def _standing(suggestions: Suggestions) -> str:
    if not suggestions.tried:
        return "None: the state has too many fields to try all facts about them."
    which = "all" if suggestions.complete else "the first"
    classes = ", one of each that differ by renaming," if suggestions.symmetric else ""
    true = f"true in {which} {counted(suggestions.states, 'state')} reached{classes}"
    if not suggestions.found:
        return f"None: no fact of at most {LITERALS[-1]} comparisons is {true} and false in that state."
    return f"Each is {true} and false in that state. None is proven: add one with the reason why it is always true."


def suggestion_values(suggestions: Suggestions | None) -> dict[str, Any] | None:
    """The suggestions as plain values, ready for JSON."""
    if suggestions is None:
        return None
    return {
        "tried": suggestions.tried,
        "states": suggestions.states,
        "complete": suggestions.complete,
        "lemmas": [{"name": f.lemma.name, "condition": f.condition, "text": f.text} for f in suggestions.found],
    }
