"""What is known of real brokers: scenarios, whose runs are of the model, and schedules, whose steps the model does not have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from neverlost.model.core import NeverlostError, UnknownNameError

from .releases import release_at
from .scenarios import Scenario, scenarios
from .schedules import Schedule, schedules

OfPlace = TypeVar("OfPlace")


class NothingKnownError(NeverlostError):
    """Nothing of what is asked for is known of a release."""


def known(names: Sequence[str] = (), releases: Collection[str] = ()) -> tuple[list[Scenario], list[Schedule]]:
    """The scenarios and schedules of these names, each with those of its releases that are wanted; all if none is given.

    `releases` has versions, as 4.1.1, or versions with a mode, as 3.9.1/ZooKeeper. Raises UnknownNameError for another name or
    release, and NothingKnownError for a release on which none of the scenarios was played.
    """
    all_scenarios, all_schedules = scenarios(), schedules()
    everything = [*(one.name for one in all_scenarios), *(one.name for one in all_schedules)]
    for name in names:
        if name not in everything:
            raise UnknownNameError("known scenario", name, everything)
    wanted = names or everything
    found = [one for one in all_scenarios if one.name in wanted]
    planned = [one for one in all_schedules if one.name in wanted]
    if not releases:
        return found, planned
    places = {place for one in found for place in (*one.shown, *one.not_shown)}
    places |= {place for one in planned for place in one.outcomes}
    for release in releases:
        release_at(release)
        if not _on((release,), dict.fromkeys(places)):
            raise NothingKnownError(
                f"none of these scenarios is known of {release}, so there is nothing to play. "
                f"They are known of {', '.join(sorted(places))}."
            )
    found = [replace(one, shown=_on(releases, one.shown), not_shown=_on(releases, one.not_shown)) for one in found]
    planned = [replace(one, outcomes=_on(releases, one.outcomes)) for one in planned]
    return [one for one in found if one.shown or one.not_shown], [one for one in planned if one.outcomes]


def _on(releases: Collection[str], known_of: Mapping[str, OfPlace]) -> dict[str, OfPlace]:
    """What is known of these releases, each with its mode or in every mode."""
    return {place: what for place, what in known_of.items() if place in releases or place.partition("/")[0] in releases}
