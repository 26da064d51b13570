"""In what mutants of a model are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neverlost.model.core import Profile

from .families import family_of


@dataclass(frozen=True)
class Configuration:
    """Bounds and settings. It is looked at only in a profile whose settings are those of `needs` by default, as far as it has them."""

    bounds: Mapping[str, int]
    settings: Mapping[str, int]
    needs: Mapping[str, int] = field(default_factory=dict)
    again: str = ""
    """A function, `module.name`: its mistakes are looked for here although they show elsewhere, as some systems make them only here."""


def configurations_of(profile: Profile) -> tuple[Configuration, ...]:
    """The configurations of the profile's family, if the profile has all that they choose; else its default bounds.

    Those are left out that choose what a version lacks.
    """
    known = {*profile.bound_names, *(one.name for one in profile.state.settings)}
    settings = profile.default_settings
    found = tuple(
        one
        for one in family_of(profile).mutant_configurations()
        if all(settings.get(name, value) == value for name, value in one.needs.items())
    )
    if found and all({*one.bounds, *one.settings} <= known for one in found):
        return tuple(one for one in found if not _lacking(profile, one))
    return (Configuration(dict(profile.default_bounds), {}),)


def _lacking(profile: Profile, chosen: Configuration) -> bool:
    """Does a configuration choose what the version does not have?"""
    return any(value in profile.lacks.get(name, {}) for name, value in chosen.settings.items())
