"""What files leave open, as alternatives: the release, the mode, eligible leader replicas, the client. One choice of all is a reading.

A verdict is the worst of those of all readings, so nothing is safe only because something was assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from neverlost.model.arguments import argument
from neverlost.spec.families import inquiries
from neverlost.spec.kafka.releases import KRAFT, ZOOKEEPER

from .catalogue import catalogue
from .clients import (
    CONNECT,
    FAMILIES,
    FRANZ_GO,
    JAVA,
    KAFKA_PYTHON,
    LIBRDKAFKA,
    OLD_LIBRDKAFKA,
    ON_LIBRDKAFKA,
    OTHER_CLIENTS,
    Client,
    other_client,
)
from .configuration_file import ConfigurationFile, entries_of
from .defaults import configuration_key, deciding_keys
from .features import ELR_KEY, rules_out
from .notices import ConfigurationError, Notice
from .version_choice import ChosenVersion
from .versions import at_least

RELEASE, MODE, ELR, CLIENT, FILES, ZONES = "release", "mode", "elr", "client", "files", "zones"
OF_NO_READING = (FILES, ZONES)
"""What may be said of files that makes no reading of them."""

ON, OFF = "on", "off"
APART, LAYERS = "apart", "layers"
"""What several files of one role are: of programs of their own, or one goes over another."""
LEVELS = {ON: "1", OFF: "0"}

JAVA_2_8, JAVA_2_0 = "java-2.8", "java-2.0"

OTHER_JAVA: Mapping[str, Sequence[tuple[str, str]]] = {
    JAVA_2_8: (("2.8", "2.8"), ("3.1", "3.1.0")),
    JAVA_2_0: (("2.0", "2.0"),),
}
"""Java clients with other defaults than those of the brokers' release (KIP-679, KAFKA-5494): of which versions and releases.

The first whose version has every key of the files stands for all. 3.0.0 and 3.1.0 are not idempotent by default either (KAFKA-13598).
"""

ALTERNATIVES: Mapping[str, Mapping[str, str]] = {
    MODE: {"kraft": KRAFT, "zookeeper": ZOOKEEPER},
    ELR: {ON: ON, OFF: OFF},
    CLIENT: {name: name for name in (JAVA.name, *OTHER_JAVA, *FAMILIES, *OTHER_CLIENTS)}
    | dict.fromkeys(ON_LIBRDKAFKA, LIBRDKAFKA.name),
    FILES: {APART: APART, LAYERS: LAYERS},
    ZONES: {number: number for number in "12345"},
}
"""What may be said of each: as a user writes it, and its name. The release is said otherwise."""


def words_of(name: str) -> dict[str, str]:
    """What may be said of a name, without the names of what is built on librdkafka: as a user writes it, and its value."""
    return {word: value for word, value in ALTERNATIVES[name].items() if word not in ON_LIBRDKAFKA}


WORDS: Mapping[str, str] = {
    JAVA.name: "the Java client of the brokers' release",
    JAVA_2_8: "a Java client of 2.1 to 3.1",
    JAVA_2_0: "a Java client before 2.1",
    LIBRDKAFKA.name: "librdkafka",
    OLD_LIBRDKAFKA.name: "librdkafka before 1.0",
    **{name: client.about.split(",")[0] for name, client in OTHER_CLIENTS.items() if client.java is not None},
}
"""What a client is called where it is one of several."""

WITHOUT_OLDEST_CLIENTS = "4.0"
"""From here on brokers refuse clients before 2.1 (KIP-896)."""
FIRST_WITH_NEWER_CLIENTS = "0.10.0"
"""From here on brokers answer Java clients that are newer than they are (KIP-35, KIP-97)."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One choice for everything that the files leave open; `open` has it by name, and is empty if they leave nothing open.

    `assumed` is what the user said of it, as far as it leaves out other readings.

    `clients` are those that read the producer's and the consumer's files, where something says so. `java` is the version of the Java
    client, and `java_release` its release, if that is known. `elr` is the level of eligible leader replicas, where the files do not
    say it.
    """

    chosen: ChosenVersion
    clients: Mapping[str, Client]
    java: str
    java_release: str
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
        levels, given = _levels(chosen, files), _level_in(chosen, files)
        readers = _clients(chosen, files, clients, assume.get(CLIENT))
        java = {client: _java(client, chosen, files) for client in readers}
        kept = [
            (client, level)
            for client, level in product(readers, levels)
            if _within({MODE: chosen.mode, ELR: level or given, CLIENT: client}, assume)
        ]
        several_clients = len({client for client, _ in kept}) > 1
        several_levels = len({level for _, level in kept}) > 1
        for client, level in kept:
            opened = {RELEASE: chosen.release, MODE: chosen.mode} if len(versions) > 1 else {}
            opened |= {ELR: level} if level is not None and several_levels else {}
            opened |= {CLIENT: client} if several_clients else {}
            found.append(
                Reading(
                    chosen=chosen,
                    clients={**clients, "producer": OTHER_CLIENTS[client]} if client in OTHER_CLIENTS else clients,
                    java=java[client][0],
                    java_release=java[client][1],
                    elr=None if level is None else LEVELS[level],
                    open=opened,
                    assumed={n: v for n, v in assume.items() if v in (chosen.mode, level) or client in named_by(v)},
                )
            )
    if not found or (assume.get(ELR) == ON and all(elr_default(one.chosen.version) is None for one in found)):
        said = ", ".join(f"{name}={value}" for name, value in assume.items())
        what, advice = f"{said} goes with no reading of the files.", "Leave it out, or look at what the files say."
        raise ConfigurationError([Notice(what=what, advice=advice, key=argument("assume"))])
    return found


def _within(choice: Mapping[str, str | None], assume: Mapping[str, str]) -> bool:
    """Is this what is assumed? What a choice does not have, such as the level of a release without it, goes with anything."""
    return all(choice[name] is None or choice[name] in named_by(value) for name, value in assume.items())


def _levels(chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> list[str | None]:
    """Whether eligible leader replicas may be on, and off, the default first; None where the files or the release say it.

    They need metadata version 4.0-IV1, and are on by default from 4.1-IV0 (EligibleLeaderReplicasVersion of Kafka).
    """
    given, usual = entries_of(files, "broker"), elr_default(chosen.version)
    if usual is None or any(entry.key == ELR_KEY for entry in given):
        return [None]
    if rules_out(ELR_KEY, given):
        return [OFF]
    return [ON, OFF] if usual == LEVELS[ON] else [OFF, ON]


def _level_in(chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> str | None:
    """What the files say of eligible leader replicas; None if nothing, or if the release does not have them."""
    given = [entry.value.strip() for entry in entries_of(files, "broker") if entry.key == ELR_KEY]
    return None if not given or elr_default(chosen.version) is None else ON if given[0] == LEVELS[ON] else OFF


def elr_default(version: str) -> str | None:
    """The level of eligible leader replicas in a new cluster of this version; None if it does not have them."""
    return configuration_key("broker", ELR_KEY).default(version)


def named_by(said: str) -> tuple[str, ...]:
    """What a name stands for: all versions of a client, or itself."""
    return FAMILIES.get(said, (said,))


def _clients(
    chosen: ChosenVersion, files: Sequence[ConfigurationFile], clients: Mapping[str, Client], said: str | None
) -> list[str]:
    """Which client may read the producer's file: Java's own of the brokers' release, another one of Java's, or librdkafka.

    Kafka Connect's client is part of its release, and so is the producer in Scala. Clients of others are readings if they are said. A
    file that shows librdkafka does not show its version.
    """
    given, own = clients.get("producer"), [file for file in files if file.role == "producer"]
    keys = {entry.key for file in own for entry in file.entries}
    if said is not None and other_client(said) is not None and given in (None, other_client(said)):
        return [
            name for name in named_by(said) if _serves(chosen.version, name) and not OTHER_CLIENTS[name].lacks & keys
        ]
    if given is LIBRDKAFKA:
        settled = keys & {"acks", "request.required.acks", *OLD_LIBRDKAFKA.lacks}
        return [LIBRDKAFKA.name, *([] if settled else [OLD_LIBRDKAFKA.name])]
    if given is CONNECT or any(file.is_old_client for file in own):
        return [JAVA.name]
    brokers, usual = chosen.version, _usual_java(chosen, files)
    speaks = {
        JAVA_2_8: at_least(usual, "3.0") or (not at_least(usual, "2.1") and _takes_newer(chosen, files)),
        JAVA_2_0: at_least(usual, "2.1") and not at_least(brokers, WITHOUT_OLDEST_CLIENTS),
    }
    others = [name for name in OTHER_JAVA if speaks[name] and _possible(name, files)]
    return [JAVA.name, *others, *([LIBRDKAFKA.name] if given is None and at_least(brokers, "0.11") else [])]


def _serves(brokers: str, name: str) -> bool:
    """Do brokers of this version have what a client of others asks them for by default? Before 0.11 there is no idempotence."""
    return at_least(brokers, "0.11") or name not in (FRANZ_GO.name, KAFKA_PYTHON.name)


def _takes_newer(chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> bool:
    """Do the brokers answer a newer client with this producer's file?"""
    return at_least(chosen.version, FIRST_WITH_NEWER_CLIENTS) and not _beyond(chosen, files)


def _java(client: str, chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> tuple[str, str]:
    """The version of the Java client, and its release, if that is known."""
    if client in OTHER_JAVA:
        return _possible(client, files)[0]
    other = OTHER_CLIENTS.get(client)
    if other is not None and other.java is not None:
        return other.java
    usual = _usual_java(chosen, files)
    return usual, chosen.release if usual == chosen.version else usual


def _possible(client: str, files: Sequence[ConfigurationFile]) -> list[tuple[str, str]]:
    """The versions and releases of another Java client that have every key in the producer's files."""
    own = [file for file in files if file.role == "producer"]
    return [
        (version, release)
        for version, release in OTHER_JAVA[client]
        if all(_may_have(entry.key, version) for file in own for entry in file.entries)
    ]


def _usual_java(chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> str:
    """The version of the Java client that is usual: the brokers', or the first one after it that has the keys of the clients' files."""
    known = catalogue()
    used = [
        (file.role, entry.key)
        for file in files
        if file.role in ("producer", "consumer") and file.client is not LIBRDKAFKA and not file.is_old_client
        for entry in file.entries
        if entry.key in known.keys[file.role] and entry.key not in known.old[file.role]
    ]
    since = [known.keys[role][key].since for role, key in used]
    return chosen.version if _beyond(chosen, files) else max((chosen.version, *since), key=known.versions.index)


def _beyond(chosen: ChosenVersion, files: Sequence[ConfigurationFile]) -> bool:
    """Does a producer's file ask for what the brokers cannot do? No newer client helps: it fails with an error."""
    known = catalogue()
    keys = {entry.key for file in files if file.role == "producer" for entry in file.entries}
    return any(not known.has("producer", key, chosen.version) for key in keys & deciding_keys("producer"))


def _may_have(key: str, version: str) -> bool:
    """Has the producer of this version the key, or may a plug-in have it?"""
    known = catalogue()
    return key not in known.keys["producer"] or known.has("producer", key, version)


def parse_assumptions(text: str | None) -> dict[str, str]:
    """What is assumed of what the files leave open: `elr=on,client=java`. Raises ConfigurationError with what can be said.

    Families beside replication have open points of their own: `unanswered=closes`.
    """
    found: dict[str, str] = {}
    problems = []
    known = {**{name: dict(words) for name, words in of_sections().items()}, **ALTERNATIVES}
    for part in text.split(",") if text is not None else ():
        name, _, value = (word.strip().lower() for word in part.partition("="))
        if value not in known.get(name, {}):
            problems.append(f"{part.strip()!r} is nothing that can be assumed.")
        elif name in found:
            problems.append(f"{name} is there twice.")
        else:
            found[name] = known[name][value]
    if problems:
        said = [f"{name}={'|'.join(words_of(name))}" for name in ALTERNATIVES]
        said += [f"{name}={'|'.join(words)}" for name, words in of_sections().items() if name not in ALTERNATIVES]
        advice = f"Known: {'; '.join(said)}. {argument('kafka_version')} says the release."
        raise ConfigurationError([Notice(what=" ".join(problems), advice=advice, key=argument("assume"))])
    return found


def of_sections() -> Mapping[str, Mapping[str, str]]:
    """What may be said of the open points of families beside replication."""
    points = [point for inquiry in inquiries().values() for point in inquiry.points]
    return {point.name: {way: way for way in point.ways} for point in points}


def client_of(name: str | None) -> Client | None:
    """The client that reads a file which does not say that itself, if it is assumed."""
    return None if name is None else other_client(name) or JAVA
