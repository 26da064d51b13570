"""The digest of a model: equal digests, equal answers to the questions that it was made for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from neverlost.model.core import Field, Model, Property
from neverlost.model.core.specialised import circumstances_of, specialised_functions, switched_off
from neverlost.model.core.tree import described


def model_digest(model: Model, properties: Sequence[Property]) -> str:
    """A digest of all that the verdicts on some properties depend on: start, actions, these properties, bounds, and fields.

    Texts for people and the name of the profile are not part of it: versions that do the same have the same digest. Nor is what the
    settings switch off, or what ranges over a bound of 0: an answer stays good when only that has changed.
    """
    profile, known, off = model.profile, circumstances_of(model), switched_off(model)
    actions = [action for action in profile.actions if action.name not in off]
    asked = [function for prop in properties for function in prop.functions]
    functions = list(specialised_functions([profile.initial, *(action.function for action in actions), *asked], known))
    used = {name for function in functions for name in function.fields}
    parts = (
        [_field(field) for field in profile.state.fields if field.name in used],
        sorted((name, size) for name, size in model.bounds.items() if size),
        [(described(a.function), [(name, index.described()) for name, index in a.parameters]) for a in actions],
        [(p.kind, p.weak, p.strong, [described(function) for function in p.functions]) for p in properties],
        [function.meaning for function in functions],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _field(field: Field) -> tuple[object, ...]:
    of = field.domain.index
    indexes = [index.described() for index in field.indexes]
    return field.name, indexes, field.domain.kind, None if of is None else of.described()
