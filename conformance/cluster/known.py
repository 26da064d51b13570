"""What is known of real brokers: scenarios, whose runs are of the model, and schedules, whose steps the model does not have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from neverlost.model.core import NeverlostError, UnknownNameError

from .releases import release_at
from .scenarios import Scenario, scenarios
from .schedules import Schedule, schedules

OfPlaces = TypeVar("OfPlaces")


class NothingKnownError(NeverlostError):
    """Nothing of what is asked for is known of a release."""


def known(names: Sequence[str] = (), releases: Collection[str] = ()) -> tuple[list[Scenario], list[Schedule]]:
    """The scenarios and schedules of these names, each with those of its releases that are wanted; all if none is given.

    `releases` has versions, as 4.1.1, or versions with a mode, as 3.9.1/zookeeper. Raises UnknownNameError for another name or
    release, and NothingKnownError if none of the scenarios was played on one of the releases.
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
        if not _on(places, (release,)):
            release_at(release)
            raise NothingKnownError(
                f"none of these scenarios is known of {release}, so there is nothing to play. "
                f"They are known of {', '.join(sorted(places))}."
            )
    narrowed = [replace(one, shown=_of(one.shown, releases), not_shown=_of(one.not_shown, releases)) for one in found]
    return (
        [one for one in narrowed if one.shown or one.not_shown],
        [replace(one, outcomes=left) for one in planned if (left := _of(one.outcomes, releases))],
    )


def _on(places: Collection[str], releases: Collection[str]) -> set[str]:
    return {place for place in places if place in releases or place.partition("/")[0] in releases}


def _of(places: Mapping[str, OfPlaces], releases: Collection[str]) -> dict[str, OfPlaces]:
    return {place: places[place] for place in places if place in _on(places, releases)}
