"""Spring Cloud Stream with its Kafka binder: the producers and consumers of its bindings, and the topics that it creates.

BindingUtils and KafkaBinderConfigurationProperties of Spring Cloud Stream say what goes over what. A producer has, from the lowest on:
`binder.required-acks`, what Spring Boot has below `spring.kafka`, `binder.configuration`, `binder.producer-properties`, and the
`producer.configuration` of its binding. A consumer likewise; of its enable.auto.commit only that of the binding counts, and over
auto.offset.reset goes the `start-offset` of the binding. What stands below `kafka.default` is each binding's that has no other
(KafkaExtendedBindingProperties). New topics have `replication-factor`, which is 1 by default before 3.1, and the brokers' default from
then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..catalogue import catalogue
from ..clients import SPRING_CLOUD
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText
from ..defaults import all_keys_that_matter, deciding_keys
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .foreign_keys import decides_elsewhere
from .spring_properties import Property

FORM, NEW_TOPICS = "Spring Cloud Stream", "new topics of Spring Cloud Stream"
CLOUD = ("spring", "cloud", "stream")
KAFKA = (*CLOUD, "kafka")
BINDER, BINDINGS, SHARED = (*KAFKA, "binder"), (*KAFKA, "bindings"), (*CLOUD, "bindings")
WHERE = ((SHARED, len(SHARED)), (BINDINGS, len(BINDINGS)))
"""Where bindings stand, and at which depth their names."""
DEFAULTS = {SHARED: (*CLOUD, "default"), BINDINGS: (*KAFKA, "default")}
"""Where what all bindings have by default stands, by where bindings stand."""
ROLES = ("producer", "consumer")
OF_BINDER = {
    "producer": ("configuration", "producerproperties"),
    "consumer": ("configuration", "consumerproperties"),
}
"""What the binder hands to the clients of all bindings; the last counts first."""
TRANSACTIONS = (*BINDER, "transaction", "transactionidprefix")
COMMIT_MODES = ("ackmode", "autocommitoffset", "ackeachrecord")
BY_THE_PROGRAM = ("manual", "manual_immediate", "false")
"""Values of a consumer's ack-mode and auto-commit-offset with which the program says when a record is processed."""
DEAD_LETTERS = ("enabledlq", "enable-dlq")
"""A property as it is looked for, and as it is shown."""
AT_MOST_ONCE = ("reactiveatmostonce", "reactiveAtMostOnce")
TO_THE_END = ("resetoffsets", "resetOffsets")
START, RESET = "startoffset", "auto.offset.reset"
ASSIGNED = "replicasassignment"
SHARED_BY_PRODUCERS = "producer-properties"
NEUTRAL = frozenset(COMMIT_MODES) | {"autocommitonerror"}
OUT, IN = re.compile(r".*-out-\d+|output|.*output"), re.compile(r".*-in-\d+|input|.*input")
OF_BROKERS, BEFORE_3_1 = "-1", "1"


def cloud_decides(one: Property) -> bool:
    """Does it set something that is read here?"""
    return one.path[-1] in ("requiredacks", "replicationfactor", START) or any(
        ".".join(one.written[depth:]) in all_keys_that_matter() for depth in range(4, len(one.written))
    )


def of_bindings(
    source: SourceText, properties: Sequence[Property], boot: Sequence[ConfigurationFile]
) -> list[ConfigurationFile]:
    """The clients of the bindings, over those of Spring Boot, and the topics. Raises ConfigurationError for what is not understood."""
    problems = list(_unclear(source, properties))
    if problems:
        raise ConfigurationError(problems)
    files: list[ConfigurationFile] = []
    doubts = []
    if boot:
        what = "what the program sends and reads beside the binder, with Spring Boot's own clients, is not audited."
        advice = "Audit a copy without spring.cloud.stream too, if there is such a client."
        doubts.append(_doubt(source, what, advice))
    for role in ROLES:
        names = [name for name in _names(properties) if role in _roles(properties, name)]
        below = [entry for file in boot if file.role == role for entry in file.entries]
        warnings = [warning for file in boot if file.role == role for warning in file.warnings]
        doubts_of_role = list(_about_other_bindings(source, properties, names, below)) if role == "producer" else []
        together: dict[tuple[tuple[ConfigEntry, ...], ConfigEntry | None, ConfigEntry | None, str], list[str]] = {}
        for name in names:
            own = tuple(_entries(properties, role, name, below).values())
            keeps, before = (_switched_on(properties, role, name, *one) for one in (DEAD_LETTERS, AT_MOST_ONCE))
            anew = _begins_anew(properties, name) if role == "consumer" else ""
            together.setdefault((own, keeps, before, anew), []).append(name)
        files += [
            ConfigurationFile(
                path=source.path,
                form=FORM,
                role=role,
                name=", ".join(bindings),
                entries=entries,
                warnings=(*warnings, *_about_commits(properties, role), *doubts, *doubts_of_role),
                client=SPRING_CLOUD,
                creates=tuple(topic for name in bindings for topic in _new_topics(source, properties, name)),
                keeps_failed=keeps,
                commits_before=before,
                begins_anew=anew,
            )
            for (entries, keeps, before, anew), bindings in together.items()
        ]
    return files


def _about_other_bindings(
    source: SourceText, properties: Sequence[Property], names: Sequence[str], boot: Sequence[ConfigEntry]
) -> Iterator[Notice]:
    """The doubt about a binding that the program has and the file does not, if none of the file has what it gets."""

    def gets(name: str) -> object:
        own = _entries(properties, "producer", name, boot).values()
        topics = [{(e.key, e.value) for e in topic.entries} for topic in _new_topics(source, properties, name)]
        return {(e.key, e.value) for e in own if e.key in deciding_keys("producer")}, topics

    if gets("") not in [gets(name) for name in names]:
        what = "a binding that is not in the file has what the binder gives to all, which is not audited."
        why = "A function may send, and StreamBridge, without a binding in the file."
        advice = f"Write it for all bindings, below spring.cloud.stream.kafka.binder.{SHARED_BY_PRODUCERS}."
        yield replace(_doubt(source, what, advice), why=why)


def _doubt(source: SourceText, what: str, advice: str) -> Notice:
    return Notice(what=what, advice=advice, file=source.path, decides=True)


def _names(properties: Sequence[Property]) -> list[str]:
    """The bindings, as they are written."""
    found = [
        one.written[depth]
        for path, depth in WHERE
        for one in properties
        if one.below(*path) and len(one.path) > depth + 1
    ]
    return list(dict.fromkeys(found))


@dataclass(frozen=True, kw_only=True)
class _Part:
    """A property of a binding: the paths below the binding, and whether it stands below the binder's own part of it, `kafka`."""

    one: Property
    path: tuple[str, ...]
    written: tuple[str, ...]
    kafka: bool
    by_default: bool

    @classmethod
    def below(cls, one: Property, depth: int, where: tuple[str, ...], *, by_default: bool) -> _Part:
        """The part of a property below a depth."""
        kafka = where == BINDINGS
        return cls(one=one, path=one.path[depth:], written=one.written[depth:], kafka=kafka, by_default=by_default)


def _of_binding(properties: Sequence[Property], name: str) -> list[_Part]:
    """The properties of a binding, its own in place of those that all have by default."""
    found: dict[tuple[bool, tuple[str, ...]], _Part] = {}
    for where, depth in WHERE:
        default = DEFAULTS[where]
        all_have = [_Part.below(one, len(default), where, by_default=True) for one in properties if one.below(*default)]
        own = [
            _Part.below(one, depth + 1, where, by_default=False)
            for one in properties
            if one.below(*where) and one.written[depth : depth + 1] == (name,)
        ]
        found |= {(part.kafka, part.path): part for part in (*all_have, *own)}
    return list(found.values())


def _roles(properties: Sequence[Property], name: str) -> tuple[str, ...]:
    """Whether a binding sends or reads, as its name or its parts say: both, if they do not."""
    parts = {part.path[0] for part in _of_binding(properties, name) if part.path and not part.by_default}
    given = tuple(role for role in ROLES if role in parts or (role == "consumer" and "group" in parts))
    if given:
        return given
    return ("producer",) if OUT.fullmatch(name) else ("consumer",) if IN.fullmatch(name) else ROLES


def _entries(
    properties: Sequence[Property], role: str, name: str, boot: Sequence[ConfigEntry]
) -> Mapping[str, ConfigEntry]:
    """What a binding's client takes."""
    found: dict[str, ConfigEntry] = {}
    for one in properties:
        if role == "producer" and one.path == (*BINDER, "requiredacks"):
            found["acks"] = _entry("acks", one)
        elif role == "producer" and one.path == TRANSACTIONS:
            found["transactional.id"] = _entry("transactional.id", one)
    found |= {entry.key: entry for entry in boot}
    for part in OF_BINDER[role]:
        found |= {key: entry for key, entry in _handed(properties, (*BINDER, part)) if _is_for(role, part, key)}
    if role == "consumer" and found.get("enable.auto.commit") is not None:
        found.pop("enable.auto.commit")
    own = [given for given in _of_binding(properties, name) if given.kafka and given.path[:1] == (role,)]
    for given in own:
        if given.path[1:2] == ("configuration",):
            key = ".".join(given.written[2:])
            found[key] = _entry(key, given.one)
    for one in (given.one for given in own if given.path == ("consumer", START)):
        found[RESET] = replace(_entry(RESET, one), value=(one.value or "").strip().lower())
    return found


def _switched_on(properties: Sequence[Property], role: str, name: str, path: str, key: str) -> ConfigEntry | None:
    """What switches a property of a binding on, under a name."""
    for part in _of_binding(properties, name):
        if part.kafka and part.path == (role, path):
            return _entry(key, part.one) if (part.one.value or "").strip().lower() == "true" else None
    return None


def _has_group(properties: Sequence[Property], name: str) -> bool:
    """Has a binding the name of its group, or all bindings have one? Without, each start of the program is a group of its own."""
    return any(part.path == ("group",) and (part.one.value or "").strip() for part in _of_binding(properties, name))


def _begins_anew(properties: Sequence[Property], name: str) -> str:
    """Why a binding's consumer does not begin where it has ended (KafkaMessageChannelBinder), if it does not."""
    to_end = _switched_on(properties, "consumer", name, *TO_THE_END)
    if to_end is not None:
        return f"{to_end.key}={to_end.value} at {to_end.place} has the binder seek at each start, which is not modelled"
    alone = "a binding without a group is a new group at each start, which is not modelled"
    return "" if _has_group(properties, name) else alone


def _is_for(role: str, part: str, key: str) -> bool:
    return part != "configuration" or key in catalogue().keys[role]


def _handed(properties: Sequence[Property], path: tuple[str, ...]) -> Iterator[tuple[str, ConfigEntry]]:
    for one in properties:
        if one.below(*path) and len(one.path) > len(path):
            key = ".".join(one.written[len(path) :])
            yield key, _entry(key, one)


def _entry(key: str, one: Property) -> ConfigEntry:
    return ConfigEntry(key=key, value=one.value or "", file=one.file, line=one.line, separator=":")


def _new_topics(source: SourceText, properties: Sequence[Property], name: str) -> Iterator[ConfigurationFile]:
    """The topic of a binding, which the binder creates unless `auto-create-topics` is false."""
    given = {one.path: one for one in properties}
    creates = given.get((*BINDER, "autocreatetopics"))
    if creates is not None and (creates.value or "").strip().lower() == "false":
        return
    replicas = given.get((*BINDER, "replicationfactor"))
    own: list[ConfigEntry] = []
    for part in _of_binding(properties, name):
        if part.kafka and part.path[1:] == ("topic", "replicationfactor"):
            replicas = part.one
        elif part.kafka and part.path[1:3] == ("topic", "properties"):
            own.append(_entry(".".join(part.written[3:]), part.one))
    warnings = []
    if replicas is None:
        at = properties[0]
        own.append(ConfigEntry(key="replication.factor", value=BEFORE_3_1, file=at.file, line=at.line, separator=":"))
        what = "replication-factor is not set: before 3.1 Spring Cloud Stream creates topics with one replica."
        why = "From 3.1 on they have the brokers' default. Which release reads this is not in the file."
        advice = "Write spring.cloud.stream.kafka.binder.replication-factor: 3, or -1 for the brokers' default."
        warnings.append(Notice(what=what, why=why, advice=advice, file=source.path, decides=True))
    elif (replicas.value or "").strip() != OF_BROKERS:
        own.append(_entry("replication.factor", replicas))
    yield ConfigurationFile(
        path=source.path,
        form=NEW_TOPICS,
        role="topic",
        name=f"new topic of {name}",
        entries=tuple(own),
        warnings=tuple(warnings),
        client=SPRING_CLOUD,
    )


def _about_commits(properties: Sequence[Property], role: str) -> Iterator[Notice]:
    for one in properties if role == "consumer" else ():
        mode = (one.value or "").strip().lower().replace("-", "_")
        if one.below(*KAFKA) and one.path[-1] in COMMIT_MODES[:2] and mode in BY_THE_PROGRAM:
            what, why = "the program says when a record is processed.", "It is taken to say so after processing."
            yield one.notice(what, why, "Call acknowledge() last.", decides=True)
        elif one.below(*KAFKA) and one.path[-1] == DEAD_LETTERS[0] and mode == "true":
            what = "what the binder sends to a topic of dead letters is not audited."
            yield one.notice(
                what, "Its producer has the binder's settings.", "Audit a binding that sends, too.", decides=True
            )


def _unclear(source: SourceText, properties: Sequence[Property]) -> Iterator[Notice]:
    """What shows another binder, and what ends as one that decides and is handed to no client."""
    kafka = [one for one in properties if one.below(*KAFKA)]
    if not kafka:
        what, advice = (
            "which binder Spring Cloud Stream uses is not in the file.",
            "Audit what it sets as a .properties file.",
        )
        yield properties[0].notice(what, WHY, advice)
    elif not _names(properties):
        what = "Spring Cloud Stream has no binding in this file."
        yield source.notice(
            what, "What it sends and reads is not in the file.", "Name its bindings, with their destinations."
        )
    for one in properties:
        if one.below(*KAFKA, "streams"):
            what, advice = (
                "this is the binder of Kafka Streams.",
                "Audit what it gets as a .properties file of Kafka Streams.",
            )
            yield one.notice(what, WHY, advice)
            return
        if one.below(*CLOUD, "binders") and "environment" in one.path:
            what, advice = (
                "this binder has an environment of its own.",
                "Audit a copy with what is in force for one binder.",
            )
            yield one.notice(what, WHY, advice)
            return
        if one.below(*KAFKA) and any(part.startswith(ASSIGNED) for part in one.path):
            what, advice = (
                "it says on which brokers a new topic has its replicas.",
                "Describe the topic with Kafka's tools.",
            )
            yield one.notice(what, WHY, advice)
        meant = None if _is_understood(one) else decides_elsewhere(one.name)
        if meant is not None:
            what = f"it ends as one that decides: {meant}; and the binder hands it on to no client."
            yield one.notice(
                what, WHY, "Write it below producer.configuration of the binding, or leave it out of a copy."
            )


def _is_understood(one: Property) -> bool:
    """Is it read here, or does it decide nothing?"""
    if one.path == TRANSACTIONS or one.path in ((*BINDER, "requiredacks"), (*BINDER, "replicationfactor")):
        return True
    if one.below(*BINDER):
        return one.path[len(BINDER) : len(BINDER) + 1] in (
            ("configuration",),
            ("producerproperties",),
            ("consumerproperties",),
        )
    depth = len(DEFAULTS[BINDINGS]) if one.below(*DEFAULTS[BINDINGS]) else len(BINDINGS) + 1
    inner = one.path[depth + 1 :] if one.below(*BINDINGS) or one.below(*DEFAULTS[BINDINGS]) else ()
    return bool(inner) and (inner[0] in ("configuration", "topic") or inner[-1] in NEUTRAL)
