"""Compose files: the brokers that their services run, and the topics that these create, from images, variables and mounts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, duplicates
from ..defaults import deciding_keys, keys_that_matter
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from ..unasked import HAZARDS
from .foreign_keys import decides_elsewhere, sets_elsewhere
from .images import BESIDE, CLIENTS, HARMLESS, IMAGES, KAFKAS, REFUSED, Image, name_and_tag, names
from .references import Filled, filled_by_compose
from .topic_commands import CommandNotRead, topics_created
from .variables import Variable, entries_of, names_a_broker
from .yaml_documents import Listing, Mapping, Node, Scalar, read_documents

FORM = "compose"
SERVICES = re.compile(r"^services\s*:\s*(?:#.*)?$", re.MULTILINE)
OF_A_SERVICE = re.compile(r"^\s+(?:image|build|environment|env_file|extends)\s*:", re.MULTILINE)

TOP = frozenset(("name", "version", "services", "volumes", "networks", "secrets", "configs"))
NEUTRAL = names(
    "annotations blkio_config cap_add cap_drop cgroup cgroup_parent container_name cpu_count cpu_percent "
    "cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset depends_on deploy develop "
    "device_cgroup_rules devices dns dns_opt dns_search domainname expose external_links extra_hosts group_add "
    "healthcheck hostname init ipc isolation labels links logging mac_address mem_limit mem_reservation "
    "mem_swappiness memswap_limit network_mode networks oom_kill_disable oom_score_adj pid pids_limit platform "
    "ports privileged profiles pull_policy read_only restart runtime scale security_opt shm_size stdin_open "
    "stop_grace_period stop_signal sysctls tty ulimits user userns_mode uts working_dir"
)
"""What a service may have besides, which sets nothing of Kafka's."""
OF_CLIENTS = "Its producers and consumers have defaults of their own."
REASONS = {
    "build": "What the image is built from is not in the file.",
    "configs": "They may hold a configuration.",
    "env_file": "The variables in it are not in this file.",
    "extends": "What it takes from another service is not seen here.",
    "tmpfs": "What is in memory is lost with the container.",
    "volumes_from": "What it mounts is not seen here.",
}
ENTRY = ("entrypoint", "command")
"""With one of these a service starts something else than a broker: if that creates topics, they are read."""
TAKES = "Which of them counts is not certain."
REFERENCES = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)")
IN_ENV = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*[=:]", re.MULTILINE)
TELLING = (
    keys_that_matter("broker")
    | frozenset(key for hazard in HAZARDS for key in hazard.keys)
    | names(
        "process.roles controller.quorum.voters controller.quorum.bootstrap.servers zookeeper.connect metadata.version "
        "inter.broker.protocol.version log.dir log.dirs"
    )
)
"""Keys of a broker that tell how it behaves, in which mode it runs, and which protocol it speaks."""
CREATED = re.compile(r"([\w.-]+):(\d+):(\d+)(?::(\w+(?:,\w+)*))?")
"""A topic that wurstmeister's image creates: name, partitions, replicas, cleanup.policy (create-topics.sh of kafka-docker)."""


@dataclass(frozen=True, kw_only=True)
class _Service:
    """A service with its variables."""

    name: str
    parts: Mapping
    path: str
    variables: Sequence[Variable]
    named: Filled
    """The image, with defaults where it has references."""

    def notice(self, what: str, why: str = WHY, advice: str = "", line: int | None = None) -> Notice:
        at = self.parts.line if line is None else line
        return Notice(what=f"service {self.name}: {what}", why=why, advice=advice, file=self.path, line=at)


@dataclass(frozen=True, kw_only=True)
class _Broker:
    """A broker or a controller that a service runs."""

    service: _Service
    image: Image
    release: ConfigEntry | None
    entries: tuple[ConfigEntry, ...]
    line: int
    warnings: tuple[Notice, ...] = ()
    topics: tuple[ConfigurationFile, ...] = field(default=())

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(entry.key for entry in self.entries)


def is_compose(source: SourceText) -> bool:
    """Are there `services:` at the left margin, and a service with what a container is made from?"""
    return SERVICES.search(source.text) is not None and OF_A_SERVICE.search(source.text) is not None


def read_compose(source: SourceText) -> list[ConfigurationFile]:
    """The brokers of a compose file as one, and the topics that it creates. Raises ConfigurationError with all that is wrong."""
    problems: list[Notice] = []
    brokers: list[_Broker] = []
    topics: list[ConfigurationFile] = []
    doubts: list[Notice] = []
    for service in _services(source, problems):
        named = service.parts.at("image")
        image = _image(service.named.text)
        if image is None or named is None:
            found = list(_beside(service))
            doubts += [one for one in found if one.decides]
            problems += [one for one in found if not one.decides]
            continue
        try:
            started = [service.parts.values[key] for key in ENTRY if key in service.parts.values]
            topics += topics_created(started, source.path, FORM) if started else []
            is_broker = not started
        except CommandNotRead as error:
            is_broker = False
            line = started[0].line
            advice = "Write a topic's settings into a file of its own, and leave the service out of a copy."
            problems.append(service.notice(f"its command is not read. {error.why}", advice=advice, line=line))
        if is_broker:
            brokers.append(_broker(service, image, named, problems))
    problems += _differences(brokers)
    if not brokers and not problems:
        what = "none of its services runs a broker in an image that is known."
        advice = f"Known are {', '.join(name for image in IMAGES for name in image.names)}."
        problems.append(source.notice(what, advice=advice))
    if problems:
        raise ConfigurationError(dict.fromkeys(problems))
    topics += [topic for broker in brokers for topic in broker.topics]
    problems = [problem for topic in dict.fromkeys(topics) for problem in duplicates(topic.entries, TAKES)]
    if problems:
        raise ConfigurationError(problems)
    return [_together(brokers, doubts, source.path), *dict.fromkeys(topics)]


def _services(source: SourceText, problems: list[Notice]) -> Iterator[_Service]:
    """The services of the one document, with their variables."""
    documents = read_documents(source.text, source.path, merges=True)
    top = documents[0]
    if len(documents) > 1 or not isinstance(top, Mapping):
        what = "a compose file is one document with keys."
        raise ConfigurationError([source.notice(what, advice="Put each document into a file of its own.", line=1)])
    for key, line in top.lines.items():
        if key not in TOP and not key.startswith("x-"):
            what, why = f"{key} is not read.", "What it takes from other files could change the verdict."
            problems.append(
                source.notice(what, why, "Write what it takes into the file: docker compose config.", line=line)
            )
    services, volumes = top.at("services"), top.at("volumes")
    elsewhere = _set_beside(source.path)
    for name, volume in volumes.values.items() if isinstance(volumes, Mapping) else ():
        if isinstance(volume, Mapping) and volume.text("driver_opts", "type") == "tmpfs":
            problems.append(_in_memory(source.path, volume.line, f"volume {name}"))
    for name, parts in services.values.items() if isinstance(services, Mapping) else ():
        if isinstance(parts, Mapping):
            variables = tuple(_variables(parts.at("environment"), elsewhere, source, problems))
            image = parts.text("image") or ""
            named = filled_by_compose(image, elsewhere)
            service = _Service(name=name, parts=parts, path=source.path, variables=variables, named=named)
            beside = sorted(elsewhere & set(REFERENCES.findall(image)))
            if beside:
                what, advice = (
                    f"a file .env beside it sets {beside[0]} of its image.",
                    "Audit what docker compose config prints.",
                )
                problems.append(service.notice(what, WHY, advice))
            yield service
        else:
            problems.append(source.notice(f"service {name} has no parts.", WHY, "Complete it.", line=parts.line))


def _set_beside(path: str) -> frozenset[str]:
    """The variables of the file .env beside a compose file, from which Compose takes them where the shell has none."""
    try:
        text = (Path(path).parent / ".env").read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return frozenset()
    return frozenset(matched[1] for matched in IN_ENV.finditer(text))


def _variables(
    node: Node | None, elsewhere: frozenset[str], source: SourceText, problems: list[Notice]
) -> Iterator[Variable]:
    """The variables of a service, as keys with values or as a list. One without a value is taken from where the command runs."""
    listed: list[tuple[str, Node]] = []
    lines: dict[str, int] = {}
    if isinstance(node, Mapping):
        listed, lines = list(node.values.items()), node.lines
    elif isinstance(node, Listing):
        for one in node.values:
            name, equals, value = (one.text or "").partition("=") if isinstance(one, Scalar) else ("", "", "")
            listed.append((name, Scalar(value if equals else None, one.line)))
    elif node is not None and not (isinstance(node, Scalar) and node.text is None):
        listed.append(("", node))
    for name, found in listed:
        if isinstance(found, Scalar) and name:
            filled = filled_by_compose(f"${{{name}}}" if found.text is None else found.text, elsewhere)
            line = lines.get(name, found.line)
            yield Variable(name=name, value=filled.text, file=source.path, line=line, told=filled.told)
        else:
            what, advice = "this is no variable with a plain value.", "Write NAME: VALUE."
            problems.append(source.notice(what, WHY, advice, line=found.line))


def _image(text: str) -> Image | None:
    name, _ = name_and_tag(text)
    return next((image for image in IMAGES if name in image.names), None)


def _beside(service: _Service) -> Iterator[Notice]:
    """That a service may be a broker or a client of Kafka's whose settings are not read, unless it certainly is neither."""
    name, _ = name_and_tag(service.named.text)
    leave_out = (
        "Write what it sets for a broker or a client into a file of its own, and leave the service out of a copy."
    )
    reason = next((reason for pattern, reason in REFUSED if re.fullmatch(pattern, name)), None)
    client = next((client for pattern, client in CLIENTS if re.fullmatch(pattern, name)), None)
    if client is not None:
        what = f"service {service.name} runs {client}: what it writes and reads is not audited."
        advice = "Audit its configuration by itself."
        line = service.parts.line
        yield Notice(what=what, why=OF_CLIENTS, advice=advice, file=service.path, line=line, decides=True)
    elif reason is not None:
        yield service.notice(f"{name} is not read: {reason}.", advice=leave_out)
    elif any(re.fullmatch(pattern, name) for pattern in BESIDE):
        return
    elif KAFKAS.search(name):
        yield service.notice(f"it is not known whether {name} is a broker.", advice=leave_out)
    else:
        yield from _extending(service)
        told = [(one, decides_elsewhere(one.name) or sets_elsewhere(one.value)) for one in service.variables]
        telling = [(one, meant) for one, meant in told if meant is not None or names_a_broker(one)]
        if telling:
            variable, meant = telling[0]
            what = f"it is not known what service {service.name} is, and this variable"
            what += " is one of a broker's" if meant is None else f" ends as one that decides: {meant}"
            what += f", as {len(telling) - 1} more." if len(telling) > 1 else "."
            yield variable.notice(what, WHY, leave_out)
        for key in ("command", "entrypoint"):
            started = service.parts.at(key)
            meant = None if started is None else sets_elsewhere(" ".join(_texts(started)))
            if started is not None and meant is not None:
                yield service.notice(f"its {key} sets {meant}.", advice=leave_out, line=started.line)


def _extending(service: _Service) -> Iterator[Notice]:
    """That a service takes its image from another one: it is refused if a name has to do with Kafka's, else in doubt."""
    extended = service.parts.at("extends")
    if extended is None or service.parts.at("image") is not None:
        return
    words = [service.name, *_texts(extended)]
    if isinstance(extended, Mapping):
        words += [extended.text("service") or "", extended.text("file") or ""]
    what, advice = "it takes its image from another service, by extends.", "Audit what docker compose config prints."
    notice = service.notice(what, "It may be a broker.", advice, service.parts.lines["extends"])
    yield replace(notice, decides=not any(KAFKAS.search(word) for word in words))


def _texts(node: Node) -> Iterator[str]:
    """The words of a command, which is a text or a list of texts."""
    for one in node.values if isinstance(node, Listing) else (node,):
        yield (one.text or "") if isinstance(one, Scalar) else ""


def _broker(service: _Service, image: Image, named: Node, problems: list[Notice]) -> _Broker:
    """What the variables of a service set, with all else that could set something."""
    for key, line in service.parts.lines.items():
        if key not in NEUTRAL | {"image", "environment", "volumes", "secrets"} and not key.startswith("x-"):
            why = REASONS.get(key, WHY)
            advice = "Write what it sets into environment, or leave it out of a copy; write a topic's settings into a file of its own."
            problems.append(service.notice(f"{key} is not read.", why, advice, line))
    entries = tuple(entries_of(service.variables, image, problems))
    problems += duplicates(entries, "Compose takes the last one and says nothing.")
    mounts = list(_mounts(service, image))
    problems += [mount for mount in mounts if not mount.decides]
    doubts = list(_defaults_taken(service, image, named.line))
    release = _release(service, image, named.line, problems, doubts)
    return _Broker(
        service=service,
        image=image,
        release=release,
        entries=entries,
        line=named.line,
        warnings=(*(mount for mount in mounts if mount.decides), *doubts),
        topics=tuple(_created(service.variables, problems)) if image.creates_topics else (),
    )


def _release(
    service: _Service, image: Image, line: int, problems: list[Notice], doubts: list[Notice]
) -> ConfigEntry | None:
    """The release of Kafka that the tag of an image names, or that it cannot be newer than; None if nothing tells."""
    name, tag = name_and_tag(service.named.text)
    try:
        version = image.release(tag)
    except LookupError:
        what, advice = (
            f"which Kafka is in {name}:{tag} is not known.",
            "Say the release: an image with a tag that is known.",
        )
        problems.append(service.notice(what, advice=advice, line=line))
        return None
    if version is None and name in image.newest:
        version = image.newest[name]
        what = f"the tag of {name} names no release: the newest that this image has is taken, {version}."
        why, advice = f"An older one is worse. {image.source}.", "Write the tag of the release that runs."
        doubts.append(
            Notice(what=what, why=why, advice=advice, key="image", file=service.path, line=line, decides=True)
        )
    return None if version is None else ConfigEntry(key="image", value=version, file=service.path, line=line)


def _defaults_taken(service: _Service, image: Image, line: int) -> Iterator[Notice]:
    """The doubt about each reference that became its default: the environment may set something else."""
    why, advice = "What the environment or a file .env sets goes before it.", "Audit what docker compose config prints."
    if service.named.told:
        what = f"{service.named.told}: the image is {service.named.text}."
        yield Notice(what=what, why=why, advice=advice, key="image", file=service.path, line=line, decides=True)
    for variable in service.variables:
        if variable.told and (image.key(variable.name) in TELLING or variable.name.startswith("KAFKA_CREATE_TOPICS")):
            yield replace(variable.notice(f"{variable.told}.", why, advice), decides=True)


def _mounts(service: _Service, image: Image) -> Iterator[Notice]:
    """What is mounted where the image reads its configuration, or lies in memory."""
    for key in ("volumes", "secrets"):
        listed = service.parts.at(key)
        for one in listed.values if isinstance(listed, Listing) else ():
            kind, target = _mount(one, key)
            inside = [folder for folder in image.folders if target == folder or target.startswith(f"{folder}/")]
            below = [folder for folder in image.folders if folder.startswith(f"{target.rstrip('/')}/")]
            if kind == "tmpfs":
                yield _in_memory(service.path, one.line, f"service {service.name}")
            elif not target or (inside and not HARMLESS.fullmatch(target)):
                what = (
                    f"it mounts {target}, from where the image takes configuration."
                    if target
                    else "a mount is not understood."
                )
                yield service.notice(what, "What is in it is not seen here.", "Write it into environment.", one.line)
            elif below and kind == "bind":
                what = f"what lies in {below[0]} of the container is not seen: it may be a configuration."
                yield Notice(what=what, why=WHY, file=service.path, line=one.line, decides=True)


def _mount(node: Node, key: str) -> tuple[str, str]:
    """How something is mounted, "volume", "bind" or "tmpfs", and where in the container; nowhere if it is not understood."""
    if isinstance(node, Mapping):
        target = node.text("target") or ("/run/secrets" if key == "secrets" else "")
        kind = node.text("type") or "bind"
        return ("volume" if kind == "volume" else kind), target.rstrip("/") or target
    if not isinstance(node, Scalar) or not node.text:
        return "", ""
    if key == "secrets":
        return "bind", f"/run/secrets/{node.text}"
    first, *rest = re.sub(r"\$\{[^}]*\}|\$\w+", ".", node.text).split(":")
    target = rest[0] if rest else first
    kind = "bind" if rest and first[:1] in (".", "/", "~") else "volume"
    return kind, (target.rstrip("/") or target) if target.startswith("/") else ""


def _created(variables: Sequence[Variable], problems: list[Notice]) -> Iterator[ConfigurationFile]:
    """The topics of KAFKA_CREATE_TOPICS."""
    for variable in variables:
        if not variable.name.startswith("KAFKA_CREATE_TOPICS"):
            continue
        for text in variable.value.split(",") if variable.name == "KAFKA_CREATE_TOPICS" else (None,):
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
            yield ConfigurationFile(path=variable.file, form=FORM, role="topic", name=matched[1], entries=entries)


def _differences(brokers: Sequence[_Broker]) -> Iterator[Notice]:
    """That brokers, or controllers, do not all set what decides, run different releases, or in different modes.

    In KRaft mode the controllers choose leaders, and the number of replicas of a new topic. Values that differ are found later.
    """
    if not brokers:
        return
    first = brokers[0]
    for other in brokers[1:]:
        both = f"services {first.service.name} and {other.service.name}"
        why, advice = "Which of them is in force depends on the broker.", "Let both say the same."
        for key in sorted((deciding_keys("broker") | {"process.roles"}) & (first.keys ^ other.keys)):
            having = first if key in first.keys else other
            entry = next(entry for entry in having.entries if entry.key == key)
            yield entry.notice(f"of {both} only {having.service.name} sets it.", why, advice)
        releases = [one.release.value if one.release else "one that is not told" for one in (first, other)]
        if releases[0] != releases[1]:
            what = f"{both} run releases of Kafka that differ: {releases[0]}, and {releases[1]}."
            yield Notice(
                what=what, why=why, advice="Audit each release by itself.", file=other.service.path, line=other.line
            )


def _together(brokers: Sequence[_Broker], doubts: Sequence[Notice], path: str) -> ConfigurationFile:
    """The brokers of a file as one; what several take from one line is there once."""
    entries = dict.fromkeys(entry for broker in brokers for entry in broker.entries)
    keys = {entry.key for entry in entries}
    warnings = [*doubts, *(warning for broker in brokers for warning in broker.warnings)]
    for broker in brokers:
        for key, value in broker.image.ships.items() if not (broker.image.alone and broker.entries) else ():
            if key not in keys:
                keys.add(key)
                entry = ConfigEntry(key=key, value=value, file=path, line=broker.line)
                entries[entry] = None
                if key in keys_that_matter("broker"):
                    warnings.append(
                        entry.notice(f"no variable sets it: the image sets it to {value}.", broker.image.source + ".")
                    )
    return ConfigurationFile(
        path=path,
        form=FORM,
        role="broker",
        entries=tuple(entries),
        warnings=tuple(dict.fromkeys(warnings)),
        release=brokers[0].release,
    )


def _in_memory(path: str, line: int, whose: str) -> Notice:
    what = f"{whose}: what is in memory is lost with the container."
    why = "An audit assumes that a broker which restarts has its log."
    return Notice(what=what, why=why, advice="Use a volume on a disk.", file=path, line=line)
