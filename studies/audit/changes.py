"""The changes that a user can make to a deployment, and the deployment after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from neverlost.spec.configuration import ConfigurationError, Deployment, deployment_after
from neverlost.spec.exposure import VERSION, ConfigurationChange, Danger
from neverlost.spec.families import FAMILIES
from neverlost.spec.kafka.releases import KRAFT, RELEASES, has_mode

from .dangers import exposure_of

UPGRADE_COST = 16


def candidates(deployment: Deployment, danger: Danger) -> Iterator[tuple[ConfigurationChange, ...]]:
    """Changes to try: single ones and those that go together, then pairs, cheaper ones first.

    Every version is tried alone, and only the newest in pairs.
    """
    exposure = exposure_of(danger)
    known = exposure.changes[danger.concerns]
    settings = [change for change in known if not change.helps or deployment.settings.get(change.helps)]
    upgrades = list(_upgrades(deployment)) if danger.concerns in exposure.upgrades else []
    yield from sorted(
        (*((change,) for change in (*settings, *upgrades)), *exposure.together.get(danger.concerns, ())), key=_cost
    )
    yield from sorted(combinations((*settings, *upgrades[-1:]), 2), key=_cost)


def _cost(changes: tuple[ConfigurationChange, ...]) -> int:
    return sum(change.cost for change in changes)


def _upgrades(deployment: Deployment) -> Iterator[ConfigurationChange]:
    """Later versions: the first of each group that behaves alike."""
    lines = [line for family in FAMILIES if (line := family.time_line()) is not None and family.exposure() is not None]

    def names(release: str, mode: str) -> tuple[str | None, ...]:
        return tuple(line.version_at(release, mode) for line in lines)

    seen = {names(deployment.release, deployment.mode)}
    for number, release in enumerate(RELEASES[RELEASES.index(deployment.release) :]):
        mode = deployment.mode if has_mode(release, deployment.mode) else KRAFT
        if names(release, mode) not in seen:
            seen.add(names(release, mode))
            yield ConfigurationChange(key=VERSION, value=release, cost=UPGRADE_COST + number)


def changed(deployment: Deployment, changes: Sequence[ConfigurationChange]) -> Deployment | None:
    """The deployment after the changes; None if it is the same as before, or if Kafka would not start with it."""
    values = {change.key: change.value for change in changes}
    version = values.pop(VERSION, deployment.release)
    try:
        after = deployment_after(deployment, values, version)
    except ConfigurationError:
        return None
    return None if after.behaviour == deployment.behaviour else after
