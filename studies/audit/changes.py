"""The changes that a user can make to a deployment, and the deployment after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from neverlost.spec.configuration import ConfigurationError, Deployment, deployment_after
from neverlost.spec.kafka.releases import KRAFT, RELEASES, has_mode
from neverlost.spec.kafka.replication.differences import TIME_LINE

VERSION = "version"


@dataclass(frozen=True, kw_only=True)
class ConfigurationChange:
    """One value to change; the key "version" is the version of Kafka. `cost` orders the changes: cheap ones come first."""

    key: str
    value: str
    cost: int


LOG_CHANGES = (
    ConfigurationChange(key="unclean.leader.election.enable", value="false", cost=1),
    ConfigurationChange(key="acks", value="all", cost=2),
    ConfigurationChange(key="eligible.leader.replicas.version", value="1", cost=3),
    ConfigurationChange(key="min.insync.replicas", value="2", cost=4),
    ConfigurationChange(key="replication.factor", value="3", cost=8),
    ConfigurationChange(key="flush.messages", value="1", cost=12),
)
PRODUCER_CHANGES = (
    ConfigurationChange(key="enable.idempotence", value="true", cost=1),
    ConfigurationChange(key="acks", value="all", cost=2),
    ConfigurationChange(key="max.in.flight.requests.per.connection", value="1", cost=4),
    ConfigurationChange(key="retries", value="0", cost=40),
)
CONSUMER_CHANGES = (ConfigurationChange(key="enable.auto.commit", value="false", cost=1),)
UPGRADE_COST = 16

CHANGES = {"log": LOG_CHANGES, "producer": PRODUCER_CHANGES, "consumer": CONSUMER_CHANGES}


def candidates(deployment: Deployment, concerns: str) -> Iterator[tuple[ConfigurationChange, ...]]:
    """Changes to try: single ones, then pairs, cheaper ones first. Every version is tried alone, and only the newest in pairs."""
    settings = CHANGES[concerns]
    upgrades = [] if concerns == "consumer" else list(_upgrades(deployment))
    yield from ((change,) for change in sorted((*settings, *upgrades), key=lambda change: change.cost))
    pairs = combinations((*settings, *upgrades[-1:]), 2)
    yield from sorted(pairs, key=lambda pair: sum(change.cost for change in pair))


def _upgrades(deployment: Deployment) -> Iterator[ConfigurationChange]:
    """Later versions: the first of each group that behaves alike."""
    seen = {deployment.profile}
    for number, release in enumerate(RELEASES[RELEASES.index(deployment.release) :]):
        mode = deployment.mode if has_mode(release, deployment.mode) else KRAFT
        if TIME_LINE.version_name(release, mode) not in seen:
            seen.add(TIME_LINE.version_name(release, mode))
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
