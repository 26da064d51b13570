"""Compose files: the brokers that their services run, and the topics that these create, from images, variables and mounts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..configuration_file import ConfigurationFile, SourceText, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .containers import (
    NEEDS_ITS_LOG,
    Broker,
    Container,
    Mount,
    about_mounts,
    broker_of,
    defaults_taken,
    differences,
    image_of,
    in_memory,
    together,
)
from .foreign_keys import decides_elsewhere, sets_elsewhere
from .images import BESIDE, CLIENTS, IMAGES, KAFKAS, REFUSED, STARTS, Image, name_and_tag, names
from .pod_placement import most_on_one_machine
from .pod_volumes import folders_of_logs, is_in
from .properties_file import read_text
from .references import filled_by_compose
from .scripts import CommandNotRead
from .spring_elsewhere import may_be_application, set_by_container, unseen
from .start_commands import starts_broker, with_variables_set
from .topic_commands import topics_created
from .variables import Variable, names_a_broker
from .yaml_documents import Listing, Mapping, Node, Scalar, read_documents, whole_number

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
BASES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
OVERRIDES = tuple(name.replace(".y", ".override.y") for name in BASES)
OF_PLACES = frozenset(("deploy", "scale"))
"""What says on how many machines a service runs."""
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
"""With one of these a service may start something else than a broker: if that creates topics, they are read."""
TAKES = "Which of them counts is not certain."
TWICE = "Compose takes the last one and says nothing."
REFERENCES = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)")
IN_ENV = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*[=:]", re.MULTILINE)
ADVICE = (
    "Write what it sets into environment, or leave it out of a copy; write a topic's settings into a file of its own."
)
OF_ONE_NODE = ("node.hostname==", "node.id==")
"""What binds the containers of a service to one node of Docker Swarm, without blanks."""


@dataclass(frozen=True, kw_only=True)
class _Service:
    """A service, with its container."""

    container: Container
    parts: Mapping


def is_compose(source: SourceText) -> bool:
    """Are there `services:` at the left margin, and a service with what a container is made from?"""
    return SERVICES.search(source.text) is not None and OF_A_SERVICE.search(source.text) is not None


def read_compose(source: SourceText) -> list[ConfigurationFile]:
    """The brokers of a compose file as one, and the topics that it creates. Raises ConfigurationError with all that is wrong."""
    problems: list[Notice] = []
    brokers: list[Broker] = []
    topics: list[ConfigurationFile] = []
    doubts: list[Notice] = []
    over_spring: list[Notice] = []
    own: list[str] = []
    placed: list[tuple[Hashable | None, Broker]] = []
    for service in _services(source, problems):
        container = service.container
        image = image_of(container.named.text)
        if image is None:
            found = list(_beside(service))
            doubts += [one for one in found if one.decides]
            problems += [one for one in found if not one.decides]
            over_spring += _over_spring(service)
            continue
        own.append(container.name)
        command = [service.parts.values[key] for key in ENTRY if key in service.parts.values]
        try:
            if command and not starts_broker(command, image):
                topics += topics_created(command, _filled, source.path, FORM)
                continue
            container = with_variables_set(container, command, image, _filled)
        except CommandNotRead as error:
            advice = "Write a topic's settings into a file of its own, and leave the service out of a copy."
            what = f"its command is not read. {error.why}"
            problems.append(container.notice(what, advice=advice, line=command[0].line))
            continue
        brokers.append(_broker(replace(service, container=container), image, problems))
        placed.append(_placed(service.parts, brokers[-1]))
    problems += [*differences(brokers), *_overridden(source, own)]
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
    whole = together(brokers, doubts, source.path, FORM)
    whole = replace(whole, on_one_machine=most_on_one_machine(placed), over_spring=tuple(over_spring))
    return [whole, *dict.fromkeys(topics)]


def _placed(parts: Mapping, broker: Broker) -> tuple[Hashable, Broker]:
    """What is equal for services that may run on one machine, with as many containers of this one as may.

    Docker Swarm, which takes compose files too, spreads the containers of a service over nodes, or limits how many a node has
    ("placement" in Docker's Compose Deploy Specification). Containers of several services are on different nodes only where their
    constraints differ.
    """
    constraints = parts.at("deploy", "placement", "constraints")
    wanted = frozenset("".join(one.split()) for one in _texts(constraints)) if constraints is not None else frozenset()
    is_pinned = any(one.startswith(OF_ONE_NODE) for one in wanted)
    is_spread = parts.at("deploy", "placement", "preferences") is not None and not is_pinned
    is_spread = is_spread or parts.text("deploy", "mode") == "global"
    most = 1 if is_spread else whole_number(parts.text("deploy", "placement", "max_replicas_per_node"))
    count = broker.count or 1
    return wanted, replace(broker, count=min(most or count, count))


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
            problems.append(in_memory(source.path, volume.line, f"volume {name}"))
    for name, parts in services.values.items() if isinstance(services, Mapping) else ():
        if isinstance(parts, Mapping):
            yield _service(name, parts, elsewhere, source, problems)
        else:
            problems.append(source.notice(f"service {name} has no parts.", WHY, "Complete it.", line=parts.line))


def _service(
    name: str, parts: Mapping, elsewhere: frozenset[str], source: SourceText, problems: list[Notice]
) -> _Service:
    """A service with its variables, some of which are set `elsewhere`."""
    image, at = parts.text("image") or "", parts.at("image")
    container = Container(
        kind="service",
        name=name,
        path=source.path,
        line=parts.line,
        variables=tuple(_variables(parts.at("environment"), elsewhere, source, problems)),
        named=filled_by_compose(image, elsewhere),
        image_line=parts.line if at is None else at.line,
    )
    beside = sorted(elsewhere & set(REFERENCES.findall(image)))
    if beside:
        what, advice = (
            f"a file .env beside it sets {beside[0]} of its image.",
            "Audit what docker compose config prints.",
        )
        problems.append(container.notice(what, WHY, advice))
    return _Service(container=container, parts=parts)


def _set_beside(path: str) -> frozenset[str]:
    """The variables of the file .env beside a compose file, from which Compose takes them where the shell has none."""
    try:
        text = (Path(path).parent / ".env").read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return frozenset()
    return frozenset(matched[1] for matched in IN_ENV.finditer(text))


def _overridden(source: SourceText, own: Sequence[str]) -> Iterator[Notice]:
    """That the file beside it which Compose lays over it by default ("Merge Compose files" of Docker) changes a service of Kafka's."""
    path = Path(source.path)
    overrides = OVERRIDES if path.name in BASES else ()
    beside = next((one for name in overrides if (one := path.with_name(name)).is_file()), None)
    if beside is None:
        return
    advice = "Audit what docker compose config prints."
    laid = f"{beside.name} lies beside it, and Compose lays that over it by default"
    try:
        documents = read_documents(read_text(str(beside)), str(beside), merges=True)
    except ConfigurationError:
        yield source.notice(f"{laid}: it is not understood.", WHY, advice)
        return
    services = documents[0].at("services") if documents and isinstance(documents[0], Mapping) else None
    for name, parts in services.values.items() if isinstance(services, Mapping) else ():
        keys = {key for key in parts.lines if not key.startswith("x-")} if isinstance(parts, Mapping) else set()
        image = name_and_tag(parts.text("image") or "")[0] if isinstance(parts, Mapping) else ""
        is_kafka = KAFKAS.search(image) and not any(re.fullmatch(pattern, image) for pattern in BESIDE)
        if (name in own and keys - NEUTRAL | keys & OF_PLACES) or is_kafka:
            yield source.notice(f"{laid}: it changes service {name}.", WHY, advice)


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
            yield Variable(name=name, value=filled.text, file=source.path, line=line, defaulted=filled.defaulted)
        else:
            what, advice = "this is no variable with a plain value.", "Write NAME: VALUE."
            problems.append(source.notice(what, WHY, advice, line=found.line))


def _beside(service: _Service) -> Iterator[Notice]:
    """That a service may be a broker or a client of Kafka's whose settings are not read, unless it certainly is neither."""
    container = service.container
    name, _ = name_and_tag(container.named.text)
    leave_out = (
        "Write what it sets for a broker or a client into a file of its own, and leave the service out of a copy."
    )
    reason = next((reason for pattern, reason in REFUSED if re.fullmatch(pattern, name)), None)
    client = next((client for pattern, client in CLIENTS if re.fullmatch(pattern, name)), None)
    if client is not None:
        what = f"service {container.name} runs {client}: what it writes and reads is not audited."
        advice = "Audit its configuration by itself."
        line = service.parts.line
        yield Notice(what=what, why=OF_CLIENTS, advice=advice, file=container.path, line=line, decides=True)
    elif reason is not None:
        yield container.notice(f"{name} is not read: {reason}.", advice=leave_out)
    elif any(re.fullmatch(pattern, name) for pattern in BESIDE):
        return
    elif KAFKAS.search(name):
        yield container.notice(f"it is not known whether {name} is a broker.", advice=leave_out)
    else:
        yield from _extending(service)
        given = [(one, decides_elsewhere(one.name) or sets_elsewhere(one.value)) for one in container.variables]
        telling = [(one, meant) for one, meant in given if meant is not None or names_a_broker(one)]
        if telling:
            variable, meant = telling[0]
            what = f"it is not known what service {container.name} is, and this variable"
            what += " is one of a broker's" if meant is None else f" ends as one that decides: {meant}"
            what += f", as {len(telling) - 1} more." if len(telling) > 1 else "."
            yield variable.notice(what, WHY, leave_out)
        for key in ("command", "entrypoint"):
            started = service.parts.at(key)
            words = "" if started is None else " ".join(_texts(started))
            meant = sets_elsewhere(words)
            if started is not None and (meant is not None or STARTS.search(words)):
                does = "starts a broker, which is not read" if meant is None else f"sets {meant}"
                yield container.notice(f"its {key} {does}.", advice=leave_out, line=started.line)


def _over_spring(service: _Service) -> Iterator[Notice]:
    """What a service of a program's own sets over the file of an application of Spring's."""
    container = service.container
    name, _ = name_and_tag(container.named.text)
    if not may_be_application(name):
        return
    variables = list(container.variables)
    given = service.parts.at("env_file")
    for one in given.values if isinstance(given, Listing) else (given,) if given is not None else ():
        named = one.text("path") if isinstance(one, Mapping) else one.text if isinstance(one, Scalar) else None
        path = named or "env_file"
        found = _of_env_file(Path(container.path).parent / path)
        variables += found or ()
        if found is None:
            yield unseen(f"service {container.name}", path, container.path, one.line)
    started = [node for key in ENTRY if (node := service.parts.at(key)) is not None]
    words = " ".join(text for node in started for text in _texts(node))
    at = Variable(name="", value="", file=container.path, line=started[0].line if started else container.line)
    yield from set_by_container(variables, f"{words} ", at)


def _of_env_file(path: Path) -> list[Variable] | None:
    """The variables of a file that a service takes them from; None if it is not there."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else None
    except (OSError, ValueError):
        return None
    if lines is None:
        return None
    found = ((number, IN_ENV.match(line), line) for number, line in enumerate(lines, start=1))
    return [
        Variable(name=seen[1], value=line[seen.end() :].strip().strip("'\""), file=str(path), line=number)
        for number, seen, line in found
        if seen is not None
    ]


def _extending(service: _Service) -> Iterator[Notice]:
    """That a service takes its image from another one: it is refused if a name has to do with Kafka's, else in doubt."""
    extended = service.parts.at("extends")
    if extended is None or service.parts.at("image") is not None:
        return
    container = service.container
    words = [container.name, *_texts(extended)]
    if isinstance(extended, Mapping):
        words += [extended.text("service") or "", extended.text("file") or ""]
    what, advice = "it takes its image from another service, by extends.", "Audit what docker compose config prints."
    notice = container.notice(what, "It may be a broker.", advice, service.parts.lines["extends"])
    yield replace(notice, decides=not any(KAFKAS.search(word) for word in words))


def _filled(text: str) -> str:
    """A part of a command, as Compose fills it in. Raises CommandNotRead if that depends on variables."""
    filled = filled_by_compose(text)
    if filled.is_open or filled.defaults:
        raise CommandNotRead("It has references to variables that are not in the file.")
    return filled.text


def _texts(node: Node) -> Iterator[str]:
    """The words of a command, which is a text or a list of texts."""
    for one in node.values if isinstance(node, Listing) else (node,):
        yield (one.text or "") if isinstance(one, Scalar) else ""


def _broker(service: _Service, image: Image, problems: list[Notice]) -> Broker:
    """What the variables of a service set, with all else that could set something."""
    container = service.container
    for key, line in service.parts.lines.items():
        if key not in NEUTRAL | {*ENTRY, "image", "environment", "volumes", "secrets"} and not key.startswith("x-"):
            problems.append(container.notice(f"{key} is not read.", REASONS.get(key, WHY), ADVICE, line))
    mounts = list(_mounts(service))
    about = list(about_mounts(container, image, mounts, "Write it into environment."))
    problems += [notice for notice in about if not notice.decides]
    why, advice = "What the environment or a file .env sets goes before it.", "Audit what docker compose config prints."
    doubts = [*(notice for notice in about if notice.decides), *defaults_taken(container, image, why, advice)]
    broker = broker_of(container, image, problems, form=FORM, takes=TWICE, doubts=doubts)
    return replace(broker, count=_count(service), warnings=(*broker.warnings, *_unkept(broker, mounts)))


def _unkept(broker: Broker, mounts: Sequence[Mount]) -> Iterator[Notice]:
    """The doubt about logs that lie in the container itself."""
    for folder, line in folders_of_logs(broker.entries, broker.image, broker.container.image_line):
        if broker.holds_records and not any(mount.target and is_in(folder, mount.target) for mount in mounts):
            what = (
                f"its logs lie in {folder}, where it mounts no volume: a container that is created again may have none."
            )
            advice = f"Mount a volume at {folder}, and set the folder if the image has another one."
            yield replace(broker.container.notice(what, NEEDS_ITS_LOG, advice, line), decides=True)


def _count(service: _Service) -> int | None:
    """How many containers of a service Compose starts; None if the command that starts them says it."""
    return whole_number(service.parts.text("scale") or service.parts.text("deploy", "replicas") or "1")


def _mounts(service: _Service) -> Iterator[Mount]:
    """What a service mounts."""
    for key in ("volumes", "secrets"):
        listed = service.parts.at(key)
        for one in listed.values if isinstance(listed, Listing) else ():
            kind, target = _mount(one, key)
            yield Mount(kind="memory" if kind == "tmpfs" else kind, target=target, line=one.line)


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
