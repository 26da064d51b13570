"""Spring Boot's configuration of an application: what stands below `spring.kafka`, as Spring Boot hands it to Kafka's Java client.

KafkaProperties of Spring Boot says which name sets which key: what is below `producer` and `consumer` goes before `properties`, and
`producer.properties` goes before both. Names may be written in every way that Spring binds: `ackMode`, `ack-mode`, `ACK_MODE`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..catalogue import catalogue, slip_of
from ..clients import SPRING
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, duplicates
from ..defaults import all_keys_that_matter
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .foreign import refuse_other_syntax
from .foreign_keys import decides_elsewhere, program_of
from .properties_file import parse_properties, read_text
from .references import filled_by_spring
from .yaml_documents import Listing, Node, Scalar, read_documents
from .yaml_documents import Mapping as YamlMapping

FORM = "Spring"
IN_YAML = re.compile(r"^['\"]?spring['\"]?\s*:\s*(?:[#&].*)?$|^['\"]?spring\.[\w.\[\]-]+['\"]?\s*:", re.MULTILINE)
IN_PROPERTIES = re.compile(r"^[ \t]*spring[._][\w.\[\]/-]+[ \t]*=", re.MULTILINE)
PART = re.compile(r"^[#!]---[ \t]*$", re.MULTILINE)
"""What divides a .properties file of Spring into several."""
APPLICATION = "application.yml or application.properties"
OF_AN_APPLICATION = re.compile(r"application\.(?:ya?ml|properties)", re.IGNORECASE)
OF_A_PROFILE = re.compile(r"application-(.+)\.(?:ya?ml|properties)", re.IGNORECASE)
PLAIN_KEY = re.compile(r"[A-Za-z0-9_][\w.\-\[\]/]*")
UNFILLED = "${}"
CANONICAL = re.compile(r"[a-z0-9.\-\[\]]+")
"""How Spring looks a property up in every spelling; a reference that is written otherwise is taken as it stands."""
TOKEN = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")


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
CLOUD = ("spring", "cloud", "stream")
IGNORED = "It has no effect."
"""Why a name that Spring Boot does not have matters: it binds KafkaProperties without what it does not know."""


@dataclass(frozen=True)
class Property:
    """A property of an application: its path as Spring compares it, the path as it was written, and its value; None if it has none."""

    path: tuple[str, ...]
    written: tuple[str, ...]
    value: str | None
    file: str
    line: int

    def below(self, *path: str) -> bool:
        """Is it below this path?"""
        return self.path[: len(path)] == path

    @property
    def name(self) -> str:
        """How people write it."""
        return ".".join(self.written)

    def notice(self, what: str, why: str = WHY, advice: str = "", *, decides: bool = False) -> Notice:
        """A notice about it."""
        return Notice(what=what, why=why, advice=advice, key=self.name, file=self.file, line=self.line, decides=decides)


def is_spring(source: SourceText) -> bool:
    """Is there a key `spring` at the left margin, or keys that begin with `spring.`? A file with both is refused later."""
    return IN_PROPERTIES.search(source.text) is not None or IN_YAML.search(source.text) is not None


def read_spring(source: SourceText) -> list[ConfigurationFile]:
    """The producer and the consumer of an application. Raises ConfigurationError with everything that is not understood.

    The file of a profile goes over the application's own, which must be beside it: "Profile Specific Files" in Spring Boot's
    documentation of external configuration.
    """
    parts = _parts_of(source)
    problems = list(_elsewhere(parts))
    properties = [one for found in parts for one in found]
    warnings: list[Notice] = []
    profile = profile_of(source.path)
    if profile is not None:
        below = _parts_of(_application_of(source, profile))
        problems += _elsewhere(below)
        parts = [*parts, *below]
        own = {one.path for one in properties}
        properties += [one for found in below for one in found if one.path not in own]
        what = f"this is the file of profile {profile}, which goes over {APPLICATION} beside it."
        why, advice = "It is in force only with this profile; others may go over it.", "Audit each profile by itself."
        warnings.append(replace(source.notice(what, why, advice), decides=True))
    properties, defaults = _with_defaults(properties, _unclear(parts))
    problems += _not_understood(properties)
    if problems:
        raise ConfigurationError(problems)
    warnings += _ignored(properties)
    found = [file for role in KEYS for file in _of_role(source, role, properties, profile, problems)]
    files = [replace(file, warnings=(*warnings, *defaults, *file.warnings)) for file in found]
    if not files and not problems:
        what = "it has nothing of spring.kafka that a producer or a consumer takes."
        problems.append(source.notice(what, "Every value would be a default.", "Name the file that has."))
    if problems:
        raise ConfigurationError(problems)
    return files


def profile_of(path: str) -> str | None:
    """The profile that the name of a file tells, as `prod` of application-prod.yml; None for other names."""
    matched = OF_A_PROFILE.fullmatch(Path(path).name)
    return matched[1] if matched else None


def applications_beside(path: str) -> list[Path]:
    """The files of an application itself that lie beside the file of a profile."""
    try:
        return sorted(file for file in Path(path).parent.iterdir() if OF_AN_APPLICATION.fullmatch(file.name))
    except OSError:
        return []


def _application_of(source: SourceText, profile: str) -> SourceText:
    """The application's own file, over which that of a profile goes. Raises ConfigurationError unless there is one."""
    found = applications_beside(source.path)
    if len(found) == 1:
        text = read_text(str(found[0]))
        return SourceText(path=str(found[0]), text=text)
    what = f"this is the file of profile {profile}, and {APPLICATION}, over which it goes, is not beside it."
    advice = f"Put {APPLICATION} into its folder, or audit a copy with all that is in force, under another name."
    if found:
        what = f"this is the file of profile {profile}, and it goes over {found[0].name} and {found[1].name}."
        advice = "Audit a copy with all that is in force, under another name."
    raise ConfigurationError([source.notice(what, "What that file sets could change the verdict.", advice)])


def _parts_of(source: SourceText) -> list[list[Property]]:
    if IN_PROPERTIES.search(source.text) and IN_YAML.search(source.text):
        what, advice = "it has lines of YAML and of .properties.", "Put each into a file of its own."
        raise ConfigurationError([source.notice(what, WHY, advice)])
    return [list(found) for found in _parts(source)]


def _is_conditional(part: Sequence[Property]) -> bool:
    """Is a part of a file in force only for some profiles or platforms?"""
    return any(one.below("spring", "config", "activate") or one.path == ("spring", "profiles") for one in part)


def _unclear(parts: Sequence[Sequence[Property]]) -> frozenset[tuple[str, ...]]:
    """The paths whose values are not certain: in a part under a condition, or in several parts of one file."""
    times = Counter(
        (one.file, one.path) for part in parts for one in {(one.file, one.path): one for one in part}.values()
    )
    twice = {path for (_, path), count in times.items() if count > 1}
    return frozenset(twice | {one.path for part in parts if _is_conditional(part) for one in part})


def _with_defaults(
    properties: Sequence[Property], unclear: frozenset[tuple[str, ...]]
) -> tuple[list[Property], list[Notice]]:
    """The properties, of which those of Kafka's have the values that stand for references, and the doubts about these."""
    values = {one.path: one for one in properties}

    def property_named(name: str) -> str | None:
        """What the application sets; a reference that nothing fills if that is not certain, or is written otherwise."""
        own = values.get(_path_of(name))
        if own is None or (own.path not in unclear and (CANONICAL.fullmatch(name) or own.name == name)):
            return None if own is None else own.value or ""
        return UNFILLED

    filled: list[Property] = []
    doubts: list[Notice] = []
    for one in properties:
        if not one.below("spring", "kafka") or "${" not in (one.value or ""):
            filled.append(one)
            continue
        found = filled_by_spring(one.value or "", property_named)
        filled.append(one if found.is_open else replace(one, value=found.text))
        if found.defaults and _decides(one):
            what, why = f"{found.told}.", "The environment may set something else."
            doubts.append(one.notice(what, why, "Write the value itself into a copy.", decides=True))
    return filled, doubts


def _decides(one: Property) -> bool:
    """Does it set something that is read here?"""
    role, below = one.path[2:3], one.path[3:4]
    if role and role[0] in KEYS:
        return set(below) <= set(KEYS[role[0]]) or ".".join(one.written[4:]) in all_keys_that_matter()
    return one.path[2:] == ("listener", "ackmode") or ".".join(one.written[3:]) in all_keys_that_matter()


def _path_of(name: str) -> tuple[str, ...]:
    return tuple(_plain(token) for token in _tokens(name))


def _tokens(key: str) -> Iterator[str]:
    """The parts of a key: what stands in brackets is one, and may be empty."""
    for found in TOKEN.finditer(key):
        yield found[2] if found[1] is None else found[1]


def _parts(source: SourceText) -> Iterator[Iterator[Property]]:
    """The properties of each part of a file: of each document of YAML, or between the lines that divide .properties."""
    if IN_PROPERTIES.search(source.text):
        entries, _ = parse_properties(source.text, source.path)
        refuse_other_syntax(source.text, entries, source.path, lambda key: True, PLAIN_KEY)
        first = 1
        for text in PART.split(source.text):
            entries, _ = parse_properties(text, source.path)
            problems = duplicates(entries)
            if problems:
                raise ConfigurationError(problems)
            yield (
                _property((entry.key,), entry.value, source.path, (entry.line or 1) + first - 1) for entry in entries
            )
            first += text.count("\n")
        return
    for document in read_documents(source.text, source.path, merges=True):
        yield _flat(document, (), source.path)


def _flat(node: Node, above: tuple[str, ...], path: str) -> Iterator[Property]:
    if isinstance(node, YamlMapping):
        for key, value in node.values.items():
            line = node.lines[key]
            below = (*above, key)
            if isinstance(value, Scalar):
                yield _property(below, value.text, path, line)
            else:
                yield from _flat(value, below, path)
    elif isinstance(node, Listing):
        for number, value in enumerate(node.values):
            yield from _flat(value, (*above, f"[{number}]"), path)
    else:
        yield _property(above, node.text, path, node.line)


def _property(keys: Sequence[str], value: str | None, path: str, line: int) -> Property:
    written = tuple(token for key in keys for token in _tokens(key))
    return Property(tuple(_plain(token) for token in written), written, value, path, line)


def _plain(token: str) -> str:
    return re.sub("[-_]", "", token).lower()


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
            if own and _is_conditional([one]):
                what = "this part is in force only under a condition."
                yield one.notice(what, "It is not in the file whether it is met.", "Audit a copy without it.")


def _not_understood(properties: Sequence[Property]) -> Iterator[Notice]:
    for one in properties:
        if one.below(*CLOUD):
            what = "Spring Cloud Stream's binder has producers of its own."
            why = "They are set up from requiredAcks, which was 1 by default for long, and from more than one place."
            yield one.notice(what, why, "Audit what they get as a .properties file.")
        elif one.below("spring", "kafka"):
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
    )


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


def _warnings(properties: Sequence[Property], listener: Sequence[Property], profile: str | None) -> Iterator[Notice]:
    for one in properties:
        if one.below("spring", "profiles") and one.value and one.value != profile:
            what, why = f"profile {one.value} has files of its own.", "They may set other values."
            yield one.notice(what, why, "Audit a copy with their values.", decides=True)
    for one in properties:
        meant = None if one.below("spring") else decides_elsewhere(one.name) or program_of(one.name)
        if meant is not None:
            what = f"another client may read this: {meant}."
            why = "Only what stands below spring.kafka is read here."
            yield one.notice(what, why, "Audit that client by itself.", decides=True)
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
