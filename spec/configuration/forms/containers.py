"""A container that runs a broker or a controller, whoever starts it: what its image makes of its variables, and brokers as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..configuration_file import ConfigEntry, ConfigurationFile, duplicates
from ..defaults import deciding_keys, keys_that_matter
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import Notice
from ..unasked import HAZARDS
from .images import HARMLESS, IMAGES, Image, name_and_tag, names
from .references import Filled
from .variables import Variable, entries_of

TELLING = (
    keys_that_matter("broker")
    | frozenset(key for hazard in HAZARDS for key in hazard.keys)
    | names(
        "process.roles controller.quorum.voters controller.quorum.bootstrap.servers zookeeper.connect metadata.version "
        "inter.broker.protocol.version log.dir log.dirs"
    )
)
"""Keys of a broker that show how it behaves, in which mode it runs, and which protocol it speaks."""
CREATED = re.compile(r"([\w.-]+):(\d+):(\d+)(?::(\w+(?:,\w+)*))?")
"""A topic that wurstmeister's image creates: name, partitions, replicas, cleanup.policy (create-topics.sh of kafka-docker)."""
CREATES = "KAFKA_CREATE_TOPICS"
ROLES, BROKER = "process.roles", "broker"
IN_MEMORY = "what is in memory is lost with the container."
NEEDS_ITS_LOG = "An audit assumes that a broker which restarts has its log."


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container with its variables. `kind` and `name` are those of what starts it: a service, a StatefulSet."""

    kind: str
    name: str
    path: str
    line: int
    variables: Sequence[Variable]
    named: Filled
    """The image, with defaults where it has references."""
    image_line: int

    @property
    def whose(self) -> str:
        """What starts it, as a notice names it."""
        return f"{self.kind} {self.name}"

    def notice(self, what: str, why: str = WHY, advice: str = "", line: int | None = None) -> Notice:
        """A notice about this container."""
        at = self.line if line is None else line
        return Notice(what=f"{self.whose}: {what}", why=why, advice=advice, file=self.path, line=at)


@dataclass(frozen=True, kw_only=True)
class Mount:
    """What is mounted at a place of a container: a "volume", a folder or a file of elsewhere ("bind"), or "memory".

    The place is empty if it is not understood.
    """

    kind: str
    target: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Broker:
    """A broker or a controller that a container runs; `count` says how many are like it, None if that is not known."""

    container: Container
    image: Image
    release: ConfigEntry | None
    entries: tuple[ConfigEntry, ...]
    warnings: tuple[Notice, ...] = ()
    topics: tuple[ConfigurationFile, ...] = field(default=())
    count: int | None = 1

    @property
    def keys(self) -> frozenset[str]:
        """The keys that its variables set."""
        return frozenset(entry.key for entry in self.entries)

    @property
    def holds_records(self) -> bool:
        """Is it a broker, and no controller alone?"""
        roles = next((entry.value for entry in self.entries if entry.key == ROLES), BROKER)
        return BROKER in roles


def image_of(text: str) -> Image | None:
    """The image of a broker with this name; None if it is none that is known."""
    name, _ = name_and_tag(text)
    return next((image for image in IMAGES if name in image.names), None)


def broker_of(
    container: Container, image: Image, problems: list[Notice], *, form: str, takes: str, doubts: Sequence[Notice] = ()
) -> Broker:
    """What the variables of a container set. `takes` says what starts it makes of a variable that is there twice."""
    entries = tuple(entries_of(container.variables, image, problems))
    problems += duplicates(entries, takes)
    warnings = list(doubts)
    release = release_of(container, image, problems, warnings)
    return Broker(
        container=container,
        image=image,
        release=release,
        entries=entries,
        warnings=tuple(warnings),
        topics=tuple(_created(container.variables, form, problems)) if image.creates_topics else (),
    )


def about_mounts(container: Container, image: Image, mounts: Sequence[Mount], advice: str) -> Iterator[Notice]:
    """What is mounted where the image reads its configuration, or lies in memory."""
    for mount in mounts:
        target = mount.target
        inside = [folder for folder in image.folders if target == folder or target.startswith(f"{folder}/")]
        below = [folder for folder in image.folders if folder.startswith(f"{target.rstrip('/')}/")]
        if mount.kind == "memory":
            yield in_memory(container.path, mount.line, container.whose)
        elif not target or (inside and not HARMLESS.fullmatch(target)):
            what = (
                f"it mounts {target}, from where the image takes configuration."
                if target
                else "a mount is not understood."
            )
            yield container.notice(what, "What is in it is not seen here.", advice, mount.line)
        elif below and mount.kind == "bind":
            what = f"what lies in {below[0]} of the container is not seen: it may be a configuration."
            yield Notice(what=what, why=WHY, file=container.path, line=mount.line, decides=True)


def in_memory(path: str, line: int, whose: str) -> Notice:
    """That something is lost when a broker starts again."""
    return Notice(
        what=f"{whose}: {IN_MEMORY}", why=NEEDS_ITS_LOG, advice="Use a volume on a disk.", file=path, line=line
    )


def release_of(container: Container, image: Image, problems: list[Notice], doubts: list[Notice]) -> ConfigEntry | None:
    """The release of Kafka that the tag of an image names, or that it cannot be newer than; None if nothing shows it."""
    name, tag = name_and_tag(container.named.text)
    path, line = container.path, container.image_line
    try:
        version = image.release(tag)
    except LookupError:
        what, advice = (
            f"which Kafka is in {name}:{tag} is not known.",
            "Say the release: an image with a tag that is known.",
        )
        problems.append(container.notice(what, advice=advice, line=line))
        return None
    if version is None and name in image.newest:
        version = image.newest[name]
        what = f"the tag of {name} names no release: the newest that this image has is taken, {version}."
        why, advice = f"An older one is worse. {image.source}.", "Write the tag of the release that runs."
        doubts.append(Notice(what=what, why=why, advice=advice, key="image", file=path, line=line, decides=True))
    return None if version is None else ConfigEntry(key="image", value=version, file=path, line=line)


def defaults_taken(container: Container, image: Image, why: str, advice: str) -> Iterator[Notice]:
    """The doubt about each reference that became its default: the environment may set something else."""
    if container.named.defaulted:
        what = f"{container.named.defaulted}: the image is {container.named.text}."
        line = container.image_line
        yield Notice(what=what, why=why, advice=advice, key="image", file=container.path, line=line, decides=True)
    for variable in container.variables:
        if variable.defaulted and (image.key(variable.name) in TELLING or variable.name.startswith(CREATES)):
            yield replace(variable.notice(f"{variable.defaulted}.", why, advice), decides=True)


def _created(variables: Sequence[Variable], form: str, problems: list[Notice]) -> Iterator[ConfigurationFile]:
    """The topics of KAFKA_CREATE_TOPICS."""
    for variable in variables:
        if not variable.name.startswith(CREATES):
            continue
        for text in variable.value.split(",") if variable.name == CREATES else (None,):
            matched = CREATED.fullmatch(text.strip()) if text is not None else None
            if matched is None:
                what = "this is no list of NAME:PARTITIONS:REPLICAS, with commas between."
                problems.append(variable.notice(what, WHY, "Write a file of the topic's with replication.factor."))
                break
            keys = ("partitions", "replication.factor", "cleanup.policy")
            entries = tuple(
                ConfigEntry(key=key, value=value, file=variable.file, line=variable.line, separator=":")
                for key, value in zip(keys, matched.groups()[1:], strict=True)
                if value is not None
            )
            yield ConfigurationFile(path=variable.file, form=form, role="topic", name=matched[1], entries=entries)


def differences(brokers: Sequence[Broker]) -> Iterator[Notice]:
    """That brokers, or controllers, do not all set what decides, run different releases, or in different modes.

    In KRaft mode the controllers choose leaders, and the number of replicas of a new topic. Values that differ are found later.
    """
    if not brokers:
        return
    first = brokers[0]
    for other in brokers[1:]:
        both = _both(first.container, other.container)
        why, advice = "Which of them is in force depends on the broker.", "Let both say the same."
        for key in sorted((deciding_keys("broker") | {ROLES}) & (first.keys ^ other.keys)):
            having = first if key in first.keys else other
            entry = next(entry for entry in having.entries if entry.key == key)
            yield entry.notice(f"of {both} only {having.container.name} sets it.", why, advice)
        releases = [one.release.value if one.release else "one that is not given" for one in (first, other)]
        if releases[0] != releases[1]:
            what = f"{both} run releases of Kafka that differ: {releases[0]}, and {releases[1]}."
            line = other.container.image_line
            yield Notice(
                what=what, why=why, advice="Audit each release by itself.", file=other.container.path, line=line
            )


def _both(first: Container, other: Container) -> str:
    if first.kind == other.kind:
        return f"{first.kind}s {first.name} and {other.name}"
    return f"{first.whose} and {other.whose}"


def together(brokers: Sequence[Broker], doubts: Sequence[Notice], path: str, form: str) -> ConfigurationFile:
    """The brokers of a file as one; what several take from one line is there once."""
    counts = [broker.count for broker in brokers if broker.holds_records]
    entries = dict.fromkeys(entry for broker in brokers for entry in broker.entries)
    keys = {entry.key for entry in entries}
    warnings = [*doubts, *(warning for broker in brokers for warning in broker.warnings)]
    for broker in brokers:
        for key, value in _shipped(broker).items():
            if key not in keys:
                keys.add(key)
                entry = ConfigEntry(key=key, value=value, file=path, line=broker.container.image_line)
                entries[entry] = None
                if key in keys_that_matter("broker"):
                    warnings.append(
                        entry.notice(f"no variable sets it: the image sets it to {value}.", broker.image.source + ".")
                    )
    return ConfigurationFile(
        path=path,
        form=form,
        role="broker",
        entries=tuple(entries),
        warnings=tuple(dict.fromkeys(warnings)),
        release=brokers[0].release,
        brokers=sum(count or 0 for count in counts) if None not in counts else None,
    )


def _shipped(broker: Broker) -> Mapping[str, str]:
    """What the image sets by itself, where the variables leave it to it."""
    return {} if broker.image.alone and broker.entries else broker.image.ships
