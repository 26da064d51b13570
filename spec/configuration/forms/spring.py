"""Spring Boot's configuration of an application: what stands below `spring.kafka`, as Spring Boot hands it to Kafka's Java client.

KafkaProperties of Spring Boot says which name sets which key: what is below `producer` and `consumer` goes before `properties`, and
`producer.properties` goes before both. Names may be written in every way that Spring binds: `ackMode`, `ack-mode`, `ACK_MODE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..catalogue import catalogue, slip_of
from ..clients import SPRING
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText
from ..defaults import all_keys_that_matter
from ..notices import ConfigurationError, Notice
from .foreign_keys import decides_elsewhere, program_of
from .spring_cloud import CLOUD, cloud_decides, of_bindings
from .spring_properties import (
    APPLICATION,
    UNFILLED,
    Property,
    is_conditional,
    layers_of,
    parts_of,
    profile_of,
    unclear_paths,
    with_defaults,
)

FORM = "Spring"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYS: Mapping[str, Mapping[str, str]] = {
    "producer": {"acks": "acks", "retries": "retries", "transactionidprefix": "transactional.id"},
    "consumer": {
        "enableautocommit": "enable.auto.commit",
        "autooffsetreset": "auto.offset.reset",
        "isolationlevel": "isolation.level",
    },
}
"""The names below spring.kafka.ROLE that set a key which is read here, without their dashes."""
NEUTRAL: Mapping[str, frozenset[str]] = {
    "producer": _names(
        "batchsize bootstrapservers buffermemory clientid compressiontype keyserializer valueserializer ssl security"
    ),
    "consumer": _names(
        "autocommitinterval bootstrapservers clientid fetchmaxwait fetchminsize groupid heartbeatinterval keydeserializer"
        " maxpollinterval maxpollrecords valuedeserializer ssl security"
    ),
    "": _names("bootstrapservers clientid ssl security jaas admin template retry"),
}
"""Other names below spring.kafka, and below each role, which set nothing that is read here."""
AFTER_PROCESSING = ("record", "batch", "time", "count", "count_time")
BY_THE_PROGRAM = ("manual", "manual_immediate")
"""Modes of spring.kafka.listener.ack-mode, by who says that a record is processed."""
RETRY_TOPIC = ("spring", "kafka", "retry", "topic", "enabled")
"""What has the records that fail sent to retry topics, and in the end to one of dead letters."""
LISTENERS = ("spring", "kafka", "listener", "type")
IGNORED = "It has no effect."
"""Why a name that Spring Boot does not have matters: it binds KafkaProperties without what it does not know."""


def read_spring(source: SourceText) -> list[ConfigurationFile]:
    """The producer and the consumer of an application. Raises ConfigurationError with everything that is not understood.

    Other files of the application may be in force too: "Profile Specific Files" and "External Application Properties" in Spring Boot's
    documentation of external configuration. What is read of them all is said to be of the first one that has something of Kafka's.
    """
    profile = profile_of(source.path)
    read = [(layer, parts_of(layer)) for layer in layers_of(source)]
    parts = [found for _, of_layer in read for found in of_layer]
    problems = [problem for _, of_layer in read for problem in _elsewhere(of_layer)]
    properties = _over_each_other(of_layer for _, of_layer in read)
    alike = [(layer, of_layer) for layer, of_layer in read if profile_of(layer.path) == profile]
    touching = [layer for layer, of_layer in alike if any(_is_of_kafka(one) for found in of_layer for one in found)]
    source = touching[0] if touching else alike[0][0]
    warnings: list[Notice] = []
    if profile is not None:
        what = f"this is the file of profile {profile}, which goes over {APPLICATION} beside it."
        why, advice = "It is in force only with this profile; others may go over it.", "Audit each profile by itself."
        warnings.append(replace(source.notice(what, why, advice), decides=True))
    if len(touching) > 1:
        what = f"it goes over {Path(touching[1].path).name} beside it."
        warnings.append(source.notice(what, "Both are in force in an application of Spring Boot."))
    properties, defaults = with_defaults(properties, unclear_paths(parts), _is_of_kafka, _decides)
    problems += _not_understood(properties)
    if problems:
        raise ConfigurationError(problems)
    warnings += _ignored(properties)
    found = [file for role in KEYS for file in _of_role(source, role, properties, profile, problems)]
    cloud = [one for one in properties if one.below(*CLOUD)]
    if cloud and not problems:
        found = of_bindings(source, cloud, found)
    files = [replace(file, warnings=(*warnings, *defaults, *file.warnings)) for file in found]
    if not files and not problems:
        what = "it has nothing of spring.kafka that a producer or a consumer takes."
        problems.append(source.notice(what, "Every value would be a default.", "Name the file that has."))
    if problems:
        raise ConfigurationError(problems)
    return files


def _over_each_other(layers: Iterable[Sequence[Sequence[Property]]]) -> list[Property]:
    """The properties that are in force, of files of which each goes over those behind it."""
    found: list[Property] = []
    for parts in layers:
        over = {one.path for one in found}
        found += [one for part in parts for one in part if one.path not in over]
    return found


def _decides(one: Property) -> bool:
    """Does it set something that is read here?"""
    if one.below(*CLOUD):
        return cloud_decides(one)
    role, below = one.path[2:3], one.path[3:4]
    if role and role[0] in KEYS:
        return set(below) <= set(KEYS[role[0]]) or ".".join(one.written[4:]) in all_keys_that_matter()
    return one.path[2:] == ("listener", "ackmode") or ".".join(one.written[3:]) in all_keys_that_matter()


def _is_of_kafka(one: Property) -> bool:
    return one.below("spring", "kafka") or one.below(*CLOUD)


def _elsewhere(parts: Sequence[Sequence[Property]]) -> Iterator[Notice]:
    """What shows that other parts or other files may set other values."""
    kafkas = [[one for one in found if _is_of_kafka(one)] for found in parts]
    touched = [found for found in kafkas if found]
    if len(touched) > 1:
        what, advice = (
            "spring.kafka is set in several parts of this file.",
            "Audit a copy with the part that is in force.",
        )
        yield touched[1][0].notice(what, "Which of them are in force is not in the file.", advice)
    for found, own in zip(parts, kafkas, strict=True):
        for one in found:
            if one.below("spring", "config", "import"):
                what, advice = "other files are imported.", "Audit a copy in which their values are written."
                yield one.notice(what, "They may set other values.", advice)
            if own and is_conditional([one]):
                what = "this part is in force only under a condition."
                yield one.notice(what, "It is not in the file whether it is met.", "Audit a copy without it.")


def _not_understood(properties: Sequence[Property]) -> Iterator[Notice]:
    for one in properties:
        if one.below("spring", "kafka"):
            yield from _unknown(one)


def _unknown(one: Property) -> Iterator[Notice]:
    """That a name below spring.kafka is not one of Spring Boot's, or is another kind of program's."""
    top, below = one.path[2:3], one.path[3:4]
    role = top[0] if top else ""
    if role == "streams":
        what = "Kafka Streams has producers and consumers of its own."
        yield one.notice(what, advice="Leave it out of a copy, and audit what it starts apart.")
    elif role in KEYS:
        if not _is_name_of(role, below):
            meant = slip_of(below[0], KEYS[role]) if below else None
            if below and below[0] and meant is None and decides_elsewhere(one.name) is None:
                return
            advice = f"Did you mean {meant}? Else leave" if meant else "Leave"
            what = f"Spring Boot has no such name below spring.kafka.{role}."
            yield one.notice(what, IGNORED, f"{advice} it out, or write it below {role}.properties.")
        elif below[0] in KEYS[role] and (not one.value or len(one.path) > 4):
            yield one.notice("it has no value, or one with parts.", advice="Write a plain value.")
    elif role == "listener" and below != ("asyncacks",) and decides_elsewhere(one.name) is not None:
        what = "Spring Boot has no such name below spring.kafka.listener."
        yield one.notice(what, IGNORED, "Leave it out, or write it below spring.kafka.consumer or .producer.")
    elif role not in ("properties", "listener") and role not in NEUTRAL[""]:
        yield one.notice("Spring Boot has no such name below spring.kafka.", advice="Leave it out.")


def _is_name_of(role: str, below: Sequence[str]) -> bool:
    """Does Spring Boot have the name below spring.kafka.ROLE?"""
    return bool(below) and (below[0] in KEYS[role] or below[0] in NEUTRAL[role] or below[0] == "properties")


def _ignored(properties: Sequence[Property]) -> Iterator[Notice]:
    """The names below a role that Spring Boot does not have and ignores, and that do not look like one that decides."""
    for one in properties:
        role = one.path[2] if one.below("spring", "kafka") and len(one.path) > 3 else ""
        if role in KEYS and not _is_name_of(role, one.path[3:4]):
            what = f"Spring Boot has no such name below spring.kafka.{role}."
            advice = f"Leave it out, or write Kafka's key below {role}.properties."
            yield one.notice(what, IGNORED, advice, decides=True)


def _of_role(
    source: SourceText, role: str, properties: Sequence[Property], profile: str | None, problems: list[Notice]
) -> Iterator[ConfigurationFile]:
    """The producer or the consumer, if the file has something of it."""
    common = [one for one in properties if one.below("spring", "kafka", "properties")]
    own = [one for one in properties if one.below("spring", "kafka", role)]
    listener = [one for one in properties if one.below("spring", "kafka", "listener")] if role == "consumer" else []
    if not own and not listener and not (common and role == "producer"):
        return
    named = [one for one in own if one.path[3] in KEYS[role]]
    handed = [one for one in own if one.path[3] == "properties"]
    entries = {entry.key: entry for entry in _named(role, named)}
    for one in named:
        again = [other for other in named if other.path == one.path and other is not one]
        problems += [one.notice(f"it is set again in line {again[0].line}.", advice="Keep one.")] if again else []
    shared = {key: entry for key, entry in _handed(common, 3).items() if _is_for(role, key)}
    taken = {**shared, **entries, **_handed(handed, 4)}
    problems += _twice(common, 3) if role == "producer" else ()
    problems += _twice(handed, 4)
    yield ConfigurationFile(
        path=source.path,
        form=FORM,
        role=role,
        entries=tuple(taken.values()),
        warnings=tuple(_warnings(properties, listener, profile)),
        client=SPRING,
        keeps_failed=_retry_topic(properties) if role == "consumer" else None,
    )


def _retry_topic(properties: Sequence[Property]) -> ConfigEntry | None:
    """What has records that fail sent to retry topics, which listeners that take batches do not have."""
    for one in properties:
        if _is_on(one, RETRY_TOPIC) and not any(map(_takes_batches, properties)):
            return ConfigEntry(key=one.name, value="true", file=one.file, line=one.line, separator=":")
    return None


def _is_on(one: Property, path: tuple[str, ...]) -> bool:
    return one.path == path and (one.value or "").strip().lower() == "true"


def _takes_batches(one: Property) -> bool:
    return one.path == LISTENERS and (one.value or "").strip().lower() == "batch"


def _is_for(role: str, key: str) -> bool:
    """Could a client of this role take the key, which is handed to all clients?"""
    return not catalogue().roles_of(key) or role in catalogue().roles_of(key)


def _named(role: str, named: Sequence[Property]) -> Iterator[ConfigEntry]:
    for one in named:
        key, value = KEYS[role][one.path[3]], one.value or ""
        value = value.lower().replace("-", "_") if key == "isolation.level" else value
        yield ConfigEntry(key=key, value=value, file=one.file, line=one.line, separator=":")


def _handed(properties: Sequence[Property], depth: int) -> dict[str, ConfigEntry]:
    """What is handed on to the client under Kafka's own keys; what begins with `spring.` is for serializers of Spring."""
    found = {}
    for one in properties:
        key = ".".join(one.written[depth:])
        if key.startswith("spring."):
            continue
        found[key] = ConfigEntry(key=key, value=one.value or "", file=one.file, line=one.line, separator=":")
    return found


def _twice(properties: Sequence[Property], depth: int) -> Iterator[Notice]:
    """Every key that is handed on twice, written in two ways."""
    first: dict[str, Property] = {}
    for one in properties:
        key = ".".join(one.written[depth:])
        before = first.setdefault(key, one)
        if (before.file, before.line) != (one.file, one.line):
            where = f"line {before.line}" if before.file == one.file else f"{before.file}:{before.line}"
            yield one.notice(f"{key} is set in {where} too.", advice="Keep one of them.")


def about_profile(profile: str) -> Notice:
    """The doubt about a profile that is in force."""
    name = "a profile" if profile == UNFILLED else f"profile {profile}"
    what, why = f"{name} has files of its own.", "They may set other values."
    return Notice(what=what, why=why, advice="Audit a copy with their values.", decides=True)


def _warnings(properties: Sequence[Property], listener: Sequence[Property], profile: str | None) -> Iterator[Notice]:
    for one in properties:
        if one.below("spring", "profiles") and one.value and one.value != profile:
            yield replace(about_profile(one.value), key=one.name, file=one.file, line=one.line)
    for one in properties:
        meant = None if one.below("spring") else decides_elsewhere(one.name) or program_of(one.name)
        if meant is not None:
            what = f"another client may read this: {meant}."
            why = "Only what stands below spring.kafka is read here."
            yield one.notice(what, why, "Audit that client by itself.", decides=True)
    for one in properties:
        if _is_on(one, RETRY_TOPIC):
            batches = any(map(_takes_batches, properties))
            what = "what is sent to retry topics and to dead letters is not audited."
            why = "Its producer has the settings below spring.kafka.producer; the topics have settings of their own."
            if batches:
                what, why = (
                    "listeners that take batches have no retry topics.",
                    "Spring for Apache Kafka does not support both.",
                )
            advice = "Take one of them." if batches else "Audit these topics, too."
            yield one.notice(what, why, advice, decides=True)
    for one in listener:
        mode = (one.value or "").lower().replace("-", "_")
        if one.path[3:] != ("ackmode",) and "".join(one.path[3:]) == "ackmode":
            yield one.notice("Spring Boot has no such name.", IGNORED, "Write ack-mode.", decides=True)
        if one.path[3:] == ("ackmode",) and mode not in AFTER_PROCESSING:
            what = (
                "the program says when a record is processed."
                if mode in BY_THE_PROGRAM
                else f"{one.value!r} is no mode."
            )
            why = "It is taken to say so after processing."
            yield one.notice(what, why, "Call acknowledge() last.", decides=True)
