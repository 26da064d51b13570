"""The digest of a model: equal digests, equal answers to the questions that it was made for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from neverlost.model.core import Action, Field, Model, Property
from neverlost.model.core.specialised import Circumstances, circumstances_of, specialised_functions, switched_off
from neverlost.model.core.tree import described


def model_digest(model: Model, properties: Sequence[Property]) -> str:
    """A digest of all that the verdicts on some properties depend on: start, actions, these properties, bounds, and fields.

    Texts for people and the name of the profile are not part of it: versions that do the same have the same digest. Nor is what the
    settings switch off, or what ranges over a bound of 0: an answer stays good when only that has changed.
    """
    core = _core(model)
    asked = [function for prop in properties for function in prop.functions]
    further = [one for one in specialised_functions(asked, core.known) if one.tree.function not in core.reached]
    used = core.used.union(*(one.fields for one in further))
    fields = [said for name, said in core.fields if name in used]
    bounds = sorted((name, size) for name, size in model.bounds.items() if size)
    decided = [(p.kind, p.weak, p.strong, [described(function) for function in p.functions]) for p in properties]
    meanings = [*core.meanings, *(repr(one.meaning) for one in further)]
    # The text of a tuple of five lists. Three of them are put together from texts that models share: studies ask very many questions.
    parts = f"({_listed(fields)}, {bounds!r}, {core.actions}, {decided!r}, {_listed(meanings)})"
    return hashlib.sha256(parts.encode()).hexdigest()


def _listed(texts: Sequence[str]) -> str:
    return f"[{', '.join(texts)}]"


@dataclass(frozen=True, eq=False)
class _Core:
    """What the digests of all questions about a model have in common: its fields, its start and its actions."""

    known: Circumstances
    fields: Sequence[tuple[str, str]]
    actions: str
    meanings: Sequence[str]
    reached: frozenset[Callable[..., Any]]
    used: frozenset[str]


@lru_cache(maxsize=256)
def _core(model: Model) -> _Core:
    profile, known, off = model.profile, circumstances_of(model), switched_off(model)
    actions = [action for action in profile.actions if action.name not in off]
    functions = [*specialised_functions([profile.initial, *(action.function for action in actions)], known)]
    return _Core(
        known=known,
        fields=_fields(profile.state.fields),
        actions=_listed([_action(action) for action in actions]),
        meanings=[repr(function.meaning) for function in functions],
        reached=frozenset(function.tree.function for function in functions),
        used=frozenset().union(*(function.fields for function in functions)),
    )


@cache
def _fields(fields: tuple[Field, ...]) -> list[tuple[str, str]]:
    return [(field.name, repr(_field(field))) for field in fields]


@cache
def _action(action: Action) -> str:
    return repr((described(action.function), [(name, index.described()) for name, index in action.parameters]))


def _field(field: Field) -> tuple[object, ...]:
    of = field.domain.index
    indexes = [index.described() for index in field.indexes]
    return field.name, indexes, field.domain.kind, None if of is None else of.described()
