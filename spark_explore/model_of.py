"""The model of a store, made again from its manifest, and compared with the identity in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import Model, Profile, WrittenError

from .manifest import REMEDY, Identity, StoreError, source_digest
from .store import Store


def model_of(identity: Identity, folder: Path, profile_named: Callable[[str], Profile]) -> Model:
    """The model that a store names, with the current profile. Raises StoreError, and what `profile_named` raises."""
    found = profile_named(identity.profile)
    try:
        return found.bounded(**found.read(identity.bounds, identity.settings))
    except WrittenError as error:
        raise StoreError(f"{folder} is a search of another model: {error}. {REMEDY}") from error


def ensure_of(model: Model, store: Store) -> None:
    """Raises StoreError, with the differences, if a store is not about the current model."""
    identity = store.identity
    symmetry = symmetry_of(model, identity.symmetry, [])
    now = replace(
        identity,
        bounds=dict(model.bounds),
        settings=dict(model.plain_settings),
        source=source_digest(kernel_source(model, symmetry)),
        words=model.layout.words,
    )
    found = identity.differences(now)
    if found:
        raise StoreError(f"{store.folder} is a search of another model. It has {'; '.join(found)}. {REMEDY}")
    if any(len(level.generated) != len(model.profile.actions) for level in store.levels):
        raise StoreError(f"{store.folder} counts the steps of other actions than {model.profile.name} has. {REMEDY}")
