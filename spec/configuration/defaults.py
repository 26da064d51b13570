"""The keys that decide what the model does, and what each version takes for those that are not set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .versions import at_least, known_versions

LONGEST = 9223372036854775807
LARGEST = 2147483647


@dataclass(frozen=True, kw_only=True)
class ConfigurationKey:
    """A key that is read. `defaults` are (first version, value) pairs; a version before the first of them has no such key.

    `broker_key` is the broker's key that gives the default of a topic's. `kind` is how the value is written: "acks", "bool",
    "int" (with `least` and `most`) or "word" (one of `words`; any word if there are none).
    """

    role: str
    key: str
    kind: str
    defaults: tuple[tuple[str, str], ...]
    broker_key: str | None = None
    least: int = 0
    most: int = LARGEST
    words: tuple[str, ...] = ()

    def default(self, version: str) -> str | None:
        """What this version takes if nothing is set; None if it does not have the key."""
        values = [value for since, value in self.defaults if at_least(version, since)]
        return values[-1] if values else None


FIRST = known_versions()[0]

CONFIGURATION_KEYS = (
    ConfigurationKey(role="producer", key="acks", kind="acks", defaults=((FIRST, "1"), ("3.0", "all"))),
    ConfigurationKey(role="producer", key="retries", kind="int", defaults=((FIRST, "0"), ("2.1", str(LARGEST)))),
    ConfigurationKey(
        role="producer", key="enable.idempotence", kind="bool", defaults=(("0.11", "false"), ("3.0", "true"))
    ),
    ConfigurationKey(
        role="producer",
        key="max.in.flight.requests.per.connection",
        kind="int",
        defaults=((FIRST, "5"),),
        least=1,
    ),
    ConfigurationKey(role="producer", key="transactional.id", kind="word", defaults=(("0.11", ""),)),
    ConfigurationKey(role="consumer", key="enable.auto.commit", kind="bool", defaults=((FIRST, "true"),)),
    ConfigurationKey(
        role="consumer",
        key="auto.offset.reset",
        kind="word",
        defaults=((FIRST, "largest"), ("0.9", "latest")),
    ),
    ConfigurationKey(
        role="consumer",
        key="isolation.level",
        kind="word",
        defaults=(("0.11", "read_uncommitted"),),
        words=("read_uncommitted", "read_committed"),
    ),
    ConfigurationKey(
        role="topic",
        key="replication.factor",
        kind="int",
        defaults=((FIRST, "1"),),
        broker_key="default.replication.factor",
        least=1,
        most=32767,
    ),
    ConfigurationKey(
        role="topic",
        key="min.insync.replicas",
        kind="int",
        defaults=((FIRST, "1"),),
        broker_key="min.insync.replicas",
        least=1,
    ),
    ConfigurationKey(
        role="topic",
        key="unclean.leader.election.enable",
        kind="bool",
        defaults=((FIRST, "true"), ("0.11", "false")),
        broker_key="unclean.leader.election.enable",
    ),
    ConfigurationKey(
        role="topic",
        key="flush.messages",
        kind="int",
        defaults=((FIRST, str(LONGEST)),),
        broker_key="log.flush.interval.messages",
        most=LONGEST,
    ),
    ConfigurationKey(
        role="broker",
        key="eligible.leader.replicas.version",
        kind="int",
        defaults=(("4.0", "0"), ("4.1", "1")),
        most=1,
    ),
    ConfigurationKey(
        role="broker",
        key="replica.lag.time.max.ms",
        kind="int",
        defaults=((FIRST, "10000"), ("2.5", "30000")),
        least=1,
        most=LONGEST,
    ),
    ConfigurationKey(
        role="broker",
        key="offsets.topic.replication.factor",
        kind="int",
        defaults=((FIRST, "3"),),
        least=1,
        most=32767,
    ),
)

OLD_DEFAULTS: Mapping[str, str] = {"acks": "0", "retries": "3", "max.in.flight.requests.per.connection": "1"}
"""Defaults of the producer of 0.8 in Scala, which sends one request at a time."""


SHOWN_ONLY = frozenset(
    {"auto.offset.reset", "isolation.level", "replica.lag.time.max.ms", "offsets.topic.replication.factor"}
)
"""Keys that are read and shown, and decide nothing in the model."""


def configuration_key(role: str, key: str) -> ConfigurationKey:
    """The key of that name and role. Raises KeyError."""
    return {(s.role, s.key): s for s in CONFIGURATION_KEYS}[role, key]


def keys_that_matter(role: str) -> frozenset[str]:
    """The keys of a role that decide what the model does."""
    own = {s.key for s in CONFIGURATION_KEYS if s.role == role}
    if role == "broker":
        own |= {s.broker_key for s in CONFIGURATION_KEYS if s.broker_key}
    return frozenset(own)


def all_keys_that_matter() -> tuple[str, ...]:
    """The keys of every role that are read."""
    return tuple(sorted(frozenset[str]().union(*(keys_that_matter(setting.role) for setting in CONFIGURATION_KEYS))))


def deciding_keys(role: str) -> frozenset[str]:
    """The keys of a role of which at least one must be set, or its file says nothing to an audit: those that the model has."""
    return keys_that_matter(role) - SHOWN_ONLY
