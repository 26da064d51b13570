"""Which configuration keys Kafka knows, by role and version.

keys.json lists, for every role, each key with the first and the last version that has it (null: the newest still has). The lists were
taken from the configuration definitions in the released jars of every version in it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ROLES = ("broker", "topic", "producer", "consumer")

OWN_KEYS: Mapping[str, Mapping[str, str]] = {
    "topic": {"replication.factor": "0.8.2", "partitions": "0.8.2"},
    "broker": {"eligible.leader.replicas.version": "4.0", "metadata.version": "3.3"},
}
"""What a topic is created with, and feature levels of a cluster: no configuration of Kafka's, with the first version that has it."""

FEATURES = (
    "eligible.leader.replicas.version",
    "transaction.version",
    "kraft.version",
    "group.version",
    "share.version",
)
"""Levels of features of a cluster, which Kafka reads from no file of a broker's (KIP-584; kafka-features.sh shows them)."""

OLD_NAMES: Mapping[str, Mapping[str, str]] = {
    "producer": {"request.required.acks": "acks", "message.send.max.retries": "retries"},
    "consumer": {"auto.commit.enable": "enable.auto.commit"},
}
"""What the clients of 0.8 in Scala call keys that matter here."""


@dataclass(frozen=True, kw_only=True)
class VersionSpan:
    """The versions that have a key: from `since` to `until`, both included; None: still there."""

    since: str
    until: str | None


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """The known versions, and the keys of every role. `old` names keys that only the clients of 0.8 in Scala have."""

    versions: tuple[str, ...]
    keys: Mapping[str, Mapping[str, VersionSpan]]
    old: Mapping[str, frozenset[str]]

    def roles_of(self, key: str) -> tuple[str, ...]:
        """The roles that have the key, in any version."""
        return tuple(role for role in ROLES if key in self.keys[role])

    def has(self, role: str, key: str, version: str) -> bool:
        """Does this version have the key?"""
        span = self.keys[role].get(key)
        if span is None:
            return False
        at = self.versions.index(version)
        until = span.until or self.versions[-1]
        return self.versions.index(span.since) <= at <= self.versions.index(until)

    def nearest(self, role: str, key: str) -> str | None:
        """The key of the role that is written most like this one, if any is alike."""
        near = difflib.get_close_matches(key, self.keys[role], n=1, cutoff=0.75)
        return near[0] if near else None


@cache
def catalogue() -> Catalogue:
    """The catalogue that comes with neverlost."""
    data = json.loads(files("neverlost.spec.configuration").joinpath("keys.json").read_text(encoding="utf-8"))
    keys: dict[str, dict[str, VersionSpan]] = {}
    old: dict[str, frozenset[str]] = {}
    for role in ROLES:
        new = {key: VersionSpan(since=since, until=until) for key, (since, until) in data["keys"][role].items()}
        before = data["keys"].get(f"old_{role}", {})
        old[role] = frozenset(before) - frozenset(new)
        own = {key: VersionSpan(since=since, until=None) for key, since in OWN_KEYS.get(role, {}).items()}
        both = {key: VersionSpan(since=since, until=until) for key, (since, until) in before.items()}
        for key in both.keys() & new.keys():  # the Scala clients come first in every version that has both
            new[key] = VersionSpan(since=both[key].since, until=new[key].until)
        keys[role] = {**both, **own, **new}
    return Catalogue(versions=tuple(data["versions"]), keys=keys, old=old)


def slips(written: str, meant: str) -> int:
    """How many letters must be added, left out, replaced or swapped with their neighbour to get from one word to the other."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for i, letter in enumerate(written, start=1):
        above, row = row, [i]
        for j, other in enumerate(meant, start=1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == meant[j - 2] and written[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before = above
    return row[-1]


def slip_of(written: str, meant: Iterable[str]) -> str | None:
    """The word that was evidently meant: at most two slips away, and at most one in a short word; None if there is none."""
    for word in meant:
        allowed = 2 if len(word) > 8 else 1
        if 0 < slips(written.lower(), word) <= allowed or (written != word and written.lower() == word):
            return word
    return None
