"""What must hold: properties, profiles, and the verdicts that were confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from neverlost.model.core import Profile

FAMILIES = (
    ("kafka-", "neverlost.spec.kafka.versions:VERSIONS"),
    ("kafka-", "neverlost.spec.kafka.small_models:SMALL_MODELS"),
    ("claims/", "neverlost.spec.kafka.claims:CLAIM_VERSIONS"),
    ("published/", "neverlost.spec.published:PROFILES"),
)
"""The beginning of the names of some profiles, and where these are."""


@cache
def _family(place: str) -> dict[str, Profile]:
    module, _, name = place.partition(":")
    return {profile.name: profile for profile in getattr(import_module(module), name)}


def _meant(name: str) -> str | None:
    """The version that the name of a release means, such as `kafka-3.8`."""
    if not name.startswith("kafka-"):
        return None
    meant: str | None = import_module("neverlost.spec.kafka.releases").version_meant(name)
    return meant


class _Profiles(Mapping[str, Profile]):
    """Profiles by name. A family of them is imported when one of its names is asked for."""

    def __getitem__(self, name: str) -> Profile:
        for beginning, place in FAMILIES:
            if name.startswith(beginning) and name in _family(place):
                return _family(place)[name]
        meant = _meant(name)
        if meant is not None:
            return self[meant]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for _, place in FAMILIES for name in _family(place))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def profiles() -> Mapping[str, Profile]:
    """Every profile that comes with neverlost, by name."""
    return _Profiles()
