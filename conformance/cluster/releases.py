"""The releases of Apache Kafka that can be run here, as data, and the preset that speaks for each."""

from __future__ import annotations

import tomllib
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from neverlost.model.core import NeverlostError, Profile, UnknownNameError
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.differences import TIME_LINE

ZOOKEEPER, KRAFT = "ZooKeeper", "KRaft"


class ClusterError(NeverlostError):
    """A cluster cannot be started, or does not do what it is asked to."""


NO_CONFLUENT_KAFKA = "confluent-kafka is not there: pip install 'neverlost[clients]'"


class MissingError(ClusterError):
    """Something is missing that real brokers need: Java, Maven, or jars that Maven cannot download."""


@dataclass(frozen=True, kw_only=True)
class RunnableRelease:
    """What it takes to run a release: its artefacts, its mode, and the versions of the requests that are sent to it.

    `magic` is the version of the message format; `separate_listeners` says whether brokers can have a listener of their own for
    replication (KIP-103, 0.10.2). `classes` is a jar or folder whose classes come before those of the release.
    """

    version: str
    scala: str
    mode: str
    extra: tuple[str, ...]
    produce: int
    fetch: int
    list_offsets: int
    metadata: int
    magic: int
    separate_listeners: bool = True
    classes: str = ""

    @property
    def kraft(self) -> bool:
        """Does a KRaft controller decide, or one on ZooKeeper?"""
        return self.mode == KRAFT

    @property
    def profile(self) -> Profile:
        """The version of the model that speaks for it."""
        return profiles()[TIME_LINE.version_name(self.version, self.mode)]

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers, to be compared."""
        return tuple(int(part) for part in self.version.split("."))

    @property
    def asks_for_isr(self) -> bool:
        """Does a leader ask the controller for another ISR (KIP-497, 2.7), or write it to ZooKeeper itself?"""
        return bool(TIME_LINE.settings_of(self.version, self.mode).get("isr_in_flight"))

    @property
    def answers_when_deposed(self) -> bool:
        """Does a broker that leads no more answer the producers that wait (seen: 0.8.2.1 and 0.9.0.0 do not, 0.9.0.1 does)?"""
        return self.number >= (0, 9, 0, 1)

    @property
    def hears_of_no_leader(self) -> bool:
        """Does a broker in KRaft mode take in that nobody leads (KAFKA-13858, 3.3)? Else it stays in its leader epoch."""
        return self.number >= (3, 3)

    @property
    def has_topic_ids(self) -> bool:
        """Do topics have ids, by which requests may name them (KIP-516, 2.8)?"""
        return self.number >= (2, 8)

    @property
    def logs_by_log4j2(self) -> bool:
        """Is the release's logging set up by the properties of Log4j 2 (4.0)?"""
        return self.number >= (4,)

    @property
    def artefacts(self) -> tuple[str, ...]:
        """The artefacts that its class path is made from, as group:artifact:version."""
        return (f"org.apache.kafka:kafka_{self.scala}:{self.version}", *self.extra)

    def __str__(self) -> str:
        own = f" and {Path(self.classes).name}" if self.classes else ""
        return f"{self.version} with {self.mode}{own}"


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files(__package__) / "releases.toml").read_text(encoding="utf-8"))


def runnable_releases() -> dict[str, tuple[str, ...]]:
    """The releases that can be run, oldest first, with their modes, the usual one first."""
    return {version: tuple(row["modes"]) for version, row in _table().items()}


def newest_of_line(name: str) -> str:
    """The newest release of a line that can be run: 3.9.2 for 3.9. Any other name stays as it is."""
    of_line = [version for version in _table() if version.startswith(f"{name}.")]
    return max(of_line, key=lambda version: [int(part) for part in version.split(".")], default=name)


def release_named(version: str, mode: str | None = None, classes: str | None = None) -> RunnableRelease:
    """The release of this version in a mode, the usual one if none is named, with classes that replace some of its own.

    Raises UnknownNameError, and ClusterError for its mode and for classes that are not there.
    """
    if version not in _table():
        raise UnknownNameError("release of Kafka that can be run", version, list(_table()))
    row = dict(_table()[version])
    modes = row.pop("modes")
    wanted = modes[0] if mode is None else next((known for known in modes if known.lower() == mode.lower()), None)
    if wanted is None:
        raise ClusterError(f"Kafka {version} runs with {' or '.join(modes)} here, not with {mode}")
    if classes is not None and not (zipfile.is_zipfile(classes) or Path(classes).is_dir()):
        raise ClusterError(f"{classes} is neither a jar nor a folder with classes")
    own = "" if classes is None else str(Path(classes).resolve())
    return RunnableRelease(version=version, mode=wanted, extra=tuple(row.pop("extra")), classes=own, **row)


def release_at(place: str) -> RunnableRelease:
    """The release that `VERSION` or `VERSION/MODE` names. Raises as `release_named` does."""
    version, _, mode = place.partition("/")
    return release_named(version, mode or None)
