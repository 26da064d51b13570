"""The digest of a model: equal digests, equal answers to the questions that it was made for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from neverlost.model.core import Field, Model, Property
from neverlost.model.core.source import described, model_functions


def model_digest(model: Model, properties: Sequence[Property]) -> str:
    """A digest of all that the verdicts on some properties depend on: state, start, actions, these properties, bounds and settings.

    Texts for people are no part of it, and neither is the name of the profile: versions that do the same have the same digest.
    """
    profile = model.profile
    asked = [function for prop in properties for function in prop.functions]
    called = [profile.initial, *(action.function for action in profile.actions), *asked]
    parts = (
        [_field(field) for field in (*profile.state.fields, *profile.state.settings)],
        sorted(model.bounds.items()),
        sorted(model.settings.items()),
        [(described(a.function), [(name, index.described()) for name, index in a.parameters]) for a in profile.actions],
        [(p.kind, p.weak, p.strong, [described(function) for function in p.functions]) for p in properties],
        [source.meaning for source in model_functions(called)],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _field(field: Field) -> tuple[object, ...]:
    of = field.domain.index
    indexes = [index.described() for index in field.indexes]
    return field.name, indexes, field.domain.kind, None if of is None else of.described()
