"""What files leave open, as alternatives: the release, the mode, eligible leader replicas, the client. One choice of all is a reading.

A verdict is the worst of those of all readings, so nothing is safe only because something was assumed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from neverlost.spec.kafka.releases import KRAFT, ZOOKEEPER

from .catalogue import catalogue
from .clients import CONNECT, JAVA, LIBRDKAFKA, Client
from .configuration_file import ConfigurationFile
from .notices import ConfigurationError, Notice
from .version_choice import ChosenVersion
from .versions import at_least

RELEASE, MODE, ELR, CLIENT = "release", "mode", "elr", "client"
ELR_KEY, METADATA_KEY = "eligible.leader.replicas.version", "metadata.version"
ON, OFF = "on", "off"
LEVELS = {ON: "1", OFF: "0"}

OLDER_JAVA: Mapping[str, tuple[str, str]] = {"java-2.8": ("2.8", "3.0"), "java-2.0": ("2.0", "2.1")}
"""Java clients that may be older than the brokers: their version, and the first one with other defaults (KIP-679, KAFKA-5494)."""

ALTERNATIVES: Mapping[str, Mapping[str, str]] = {
    MODE: {"kraft": KRAFT, "zookeeper": ZOOKEEPER},
    ELR: {ON: ON, OFF: OFF},
    CLIENT: {name: name for name in (JAVA.name, *OLDER_JAVA, LIBRDKAFKA.name)},
}
"""What may be said of each: as a user writes it, and its name. The release is said otherwise."""

WORDS: Mapping[str, str] = {
    JAVA.name: "the Java client of the brokers' release",
    "java-2.8": "a Java client of 2.1 to 3.1",
    "java-2.0": "a Java client before 2.1",
    LIBRDKAFKA.name: "librdkafka",
}
"""What a client is called where it is one of several."""

WITHOUT_OLDEST_CLIENTS = "4.0"
"""From here on brokers refuse clients before 2.1 (KIP-896)."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One choice for everything that the files leave open; `open` has it by name, and is empty if they leave nothing open.

    `assumed` is what the user said of it, as far as it leaves out other readings.

    `clients` are those that read the producer's and the consumer's files, where something says so, and `java` is the version of the
    Java client. `elr` is the level of eligible leader replicas, where the files do not say it.
    """

    chosen: ChosenVersion
    clients: Mapping[str, Client]
    java: str
    elr: str | None = None
    open: Mapping[str, str] = field(default_factory=dict)
    assumed: Mapping[str, str] = field(default_factory=dict)

    def version_for(self, role: str) -> str:
        """The version whose keys and defaults count for a file of this role."""
        return self.java if role in ("producer", "consumer") else self.chosen.version


def readings_of(
    versions: Sequence[ChosenVersion],
    files: Sequence[ConfigurationFile],
    clients: Mapping[str, Client],
    assume: Mapping[str, str],
) -> list[Reading]:
    """Every reading of the files within what is assumed; newer releases and Java's own client come first.

    Raises ConfigurationError if nothing is left.
    """
    found = []
    for chosen in versions:
        levels, readers = _levels(chosen, files), _clients(chosen, files, clients)
        kept = [
            (client, level)
            for client, level in product(readers, levels)
            if _within({MODE: chosen.mode, ELR: level, CLIENT: client}, assume)
        ]
        for client, level in kept:
            opened = {RELEASE: chosen.release, MODE: chosen.mode} if len(versions) > 1 else {}
            opened |= {ELR: level} if level is not None and len({one for _, one in kept}) > 1 else {}
            opened |= {CLIENT: client} if len({one for one, _ in kept}) > 1 else {}
            found.append(
                Reading(
                    chosen=chosen,
                    clients={"producer": LIBRDKAFKA, **clients} if client == LIBRDKAFKA.name else clients,
                    java=OLDER_JAVA[client][0] if client in OLDER_JAVA else chosen.version,
                    elr=None if level is None else LEVELS[level],
                    open=opened,
                    assumed={n: v for n, v in assume.items() if v in (chosen.mode, level, client)},
                )
            )
    if not found:
        said = ", ".join(f"{name}={value}" for name, value in assume.items())
        what, advice = f"{said} goes with no reading of the files.", "Leave it out, or look at what the files say."
        raise ConfigurationError([Notice(what=what, advice=advice, key="--assume")])
    return found


def _within(choice: Mapping[str, str | None], assume: Mapping[str, str]) -> bool:
    """Is this what is assumed? What a choice does not have, such as the level of a release without it, goes with anything."""
    return all(choice[name] in (None, value) for name, value in assume.items())


def _levels(chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> list[str | None]:
    """Whether eligible leader replicas may be on, and off, the default first; None where the files or the release say it.

    They need metadata version 4.0-IV1, and are on by default from 4.1-IV0 (EligibleLeaderReplicasVersion of Kafka).
    """
    told = [entry for file in files if file.role == "broker" for entry in file.entries]
    if not at_least(chosen.version, "4.0") or any(entry.key == ELR_KEY for entry in told):
        return [None]
    levels = [entry.value for entry in told if entry.key == METADATA_KEY]
    if any(not has_elr(level) for level in levels):
        return [OFF]
    return [ON, OFF] if at_least(chosen.version, "4.1") else [OFF, ON]


def has_elr(metadata_version: str) -> bool:
    """Does a cluster with this metadata version have eligible leader replicas? They came with 4.0-IV1."""
    matched = re.match(r"(\d+)\.(\d+)(?:-IV(\d+))?", metadata_version.strip())
    if matched is None:
        return True
    major, minor, level = (int(part or 99) if part != "0" else 0 for part in matched.groups())
    return (major, minor, level) >= (4, 0, 1)


def _clients(chosen: ChosenVersion, files: Sequence[ConfigurationFile], clients: Mapping[str, Client]) -> list[str]:
    """Which client may read the producer's file: Java's own of the brokers' release, an older one, or librdkafka.

    Kafka Connect's client is part of its release, and so is the producer in Scala.
    """
    told, own = clients.get("producer"), [file for file in files if file.role == "producer"]
    if told is LIBRDKAFKA:
        return [LIBRDKAFKA.name]
    if told is CONNECT or any(file.is_old_client for file in own):
        return [JAVA.name]
    older = [
        name
        for name, (version, other) in OLDER_JAVA.items()
        if at_least(chosen.version, other)
        and (name != "java-2.0" or not at_least(chosen.version, WITHOUT_OLDEST_CLIENTS))
        and all(_may_have(entry.key, version) for file in own for entry in file.entries)
    ]
    return [JAVA.name, *older, *([LIBRDKAFKA.name] if told is None and at_least(chosen.version, "0.11") else [])]


def _may_have(key: str, version: str) -> bool:
    """Has the producer of this version the key, or may a plug-in have it?"""
    known = catalogue()
    return key not in known.keys["producer"] or known.has("producer", key, version)


def parse_assumptions(text: str | None) -> dict[str, str]:
    """What is assumed of what the files leave open: `elr=on,client=java`. Raises ConfigurationError with what can be said."""
    found: dict[str, str] = {}
    problems = []
    for part in text.split(",") if text is not None else ():
        name, _, value = (word.strip().lower() for word in part.partition("="))
        if value not in ALTERNATIVES.get(name, {}):
            problems.append(f"{part.strip()!r} is nothing that can be assumed.")
        elif name in found:
            problems.append(f"{name} is there twice.")
        else:
            found[name] = ALTERNATIVES[name][value]
    if problems:
        known = "; ".join(f"{name}={'|'.join(values)}" for name, values in ALTERNATIVES.items())
        advice = f"Known: {known}. --kafka-version says the release."
        raise ConfigurationError([Notice(what=" ".join(problems), advice=advice, key="--assume")])
    return found


def client_of(name: str | None) -> Client | None:
    """The client that reads a file which does not say that itself, if it is assumed."""
    return None if name is None else LIBRDKAFKA if name == LIBRDKAFKA.name else JAVA
