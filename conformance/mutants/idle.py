"""Mutants that cannot show as a model is: its settings, budgets of 0 and empty bounds decide what the mutated condition would."""

from __future__ import annotations

from collections.abc import Collection

from neverlost.model.core import Model
from neverlost.model.core.specialised import Circumstances, specialised, specialised_functions

from .mutation import SETTING


def decided_by(model: Model) -> tuple[str, ...]:
    """Settings, budgets and bounds of a mutated model, so few that leaving out one more lets the mutant differ from mutant 0.

    Empty if the mutant may differ, or does what mutant 0 does whatever these are. A budget of 0 is taken to keep its counter at 0, so
    ask only of a mutant that reaches the same states by the same steps as the model.
    """
    needed = [*model.settings, *(name for name, size in model.bounds.items() if not size)]
    if not _is_same(model, needed):
        return ()
    for name in tuple(needed):
        fewer = [other for other in needed if other != name]
        if _is_same(model, fewer):
            needed = fewer
    return tuple(needed)


def _is_same(model: Model, names: Collection[str]) -> bool:
    """Does the mutant do what mutant 0 does, by these settings, budgets and bounds alone?"""
    return _meanings(model, names, model.settings[SETTING]) == _meanings(model, names, 0)


def _meanings(model: Model, names: Collection[str], mutant: int) -> list[str]:
    """What is left of the start and of the actions that may happen."""
    settings = {name: value for name, value in model.settings.items() if name in names}
    counters = {b.counter: 0 for b in model.profile.budgets if b.name in names and not settings[b.name]}
    empty = frozenset(name for name, size in model.bounds.items() if not size and name in names)
    known = Circumstances({**settings, **counters, SETTING: mutant}, empty)
    possible = [
        action.function
        for action in model.profile.actions
        if not any(index.bound in empty and not index.size(model.bounds) for _, index in action.parameters)
        and not specialised(action.function, known).refuses
    ]
    return [one.meaning for one in specialised_functions([model.profile.initial, *possible], known)]
