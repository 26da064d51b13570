"""What a hand-written mutant is: a text of the model, and what stands there instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """A named mistake: in which functions which text becomes which other text, and the history that it stands for."""

    name: str
    changes: tuple[tuple[str, str, str], ...]
    history: str


def effect(name: str, place: str, written: str, instead: str, history: str) -> Effect:
    """A mistake in one place. `name` says what goes wrong, in words joined by hyphens; an empty `instead` leaves a statement out."""
    return Effect(f"{place}:{name}", ((place, written, instead),), history)
