"""The model that a store is about, made again from what its manifest names."""

from __future__ import annotations

from neverlost.explorer.loading import find_profile, in_file
from neverlost.model.core import Model
from neverlost.spec import profiles

from .manifest import Identity, StoreError


def model_of(identity: Identity, folder: str, profile: str | None) -> Model:
    """The model that a store names, on the profile as it is now. Raises NeverlostError."""
    if profile is None and in_file(identity.profile):
        # Going on must not run a program that a folder names: the user names it.
        raise StoreError(
            f"{folder} is a search of {identity.profile}; add --profile {identity.profile} to run that file and load it"
        )
    found = find_profile(profile or identity.profile, profiles())
    known = found.written_settings
    settings = {n: known[n][value] for n, value in identity.settings.items() if value in known.get(n, {})}
    return found.bounded(**identity.bounds, **settings)
