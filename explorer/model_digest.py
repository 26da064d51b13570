"""The digest of a model: equal digests, equal answers to the questions that it was made for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from neverlost.model.core import Field, Model, Property, State
from neverlost.model.core.source import described, model_functions


def model_digest(model: Model, properties: Sequence[Property]) -> str:
    """A digest of all that the verdicts on some properties depend on: state, start, actions, these properties, bounds and settings.

    Texts for people and the name of the profile are not part of it: versions that do the same have the same digest.
    """
    profile = model.profile
    asked = tuple(function for prop in properties for function in prop.functions)
    parts = (
        _schema(profile.state),
        sorted(model.bounds.items()),
        sorted(model.settings.items()),
        [(described(a.function), [(name, index.described()) for name, index in a.parameters]) for a in profile.actions],
        [(p.kind, p.weak, p.strong, [described(function) for function in p.functions]) for p in properties],
        _meaning((profile.initial, *(action.function for action in profile.actions), *asked)),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


_KNOWN: dict[object, str] = {}
"""Digests of parts that many models share."""


def _meaning(functions: tuple[Callable[..., Any], ...]) -> str:
    """A digest of functions, with all functions that they call."""
    if functions not in _KNOWN:
        meanings = [source.meaning for source in model_functions(list(functions))]
        _KNOWN[functions] = hashlib.sha256(repr(meanings).encode()).hexdigest()
    return _KNOWN[functions]


def _schema(state: type[State]) -> str:
    """A digest of the fields and settings of a state."""
    if state not in _KNOWN:
        fields = [_field(field) for field in (*state.fields, *state.settings)]
        _KNOWN[state] = hashlib.sha256(repr(fields).encode()).hexdigest()
    return _KNOWN[state]


def _field(field: Field) -> tuple[object, ...]:
    of = field.domain.index
    indexes = [index.described() for index in field.indexes]
    return field.name, indexes, field.domain.kind, None if of is None else of.described()
