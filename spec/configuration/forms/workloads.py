"""Workloads of Kubernetes that run brokers in an image of Kafka: StatefulSets, Deployments, pods, with their variables and volumes.

How Kubernetes puts variables together, and fills `$(NAME)` in: "Define Environment Variables for a Container", "Define Dependent
Environment Variables" and EnvFromSource in its documentation; which volumes outlive a pod: "Volumes" there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..configuration_file import ConfigEntry, ConfigurationFile, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import Notice
from .containers import (
    NEEDS_ITS_LOG,
    TELLING,
    Broker,
    Container,
    Mount,
    about_mounts,
    broker_of,
    differences,
    image_of,
    together,
)
from .foreign_keys import decides_elsewhere
from .images import Image, names
from .references import Filled
from .scripts import CommandNotRead
from .start_commands import starts_broker, with_variables_set
from .topic_commands import topics_created
from .variables import Variable
from .yaml_documents import Listing, Mapping, Node, Scalar, is_template, scalars_in, template_notice

FORM = "Kubernetes"
TEMPLATE = ("spec", "template", "spec")
PODS = {
    "DaemonSet": TEMPLATE,
    "Deployment": TEMPLATE,
    "Pod": ("spec",),
    "ReplicaSet": TEMPLATE,
    "ReplicationController": TEMPLATE,
    "StatefulSet": TEMPLATE,
}
"""Where a kind that keeps a container running says what is in its pods."""
ONCE = {"CronJob": ("spec", "jobTemplate", *TEMPLATE), "Job": TEMPLATE}
"""Kinds whose containers end: they may create topics, and run no broker."""
GROUPS = ("v1", "apps/", "batch/", "extensions/")

NEUTRAL = names(
    "env envFrom image imagePullPolicy livenessProbe name ports readinessProbe resizePolicy resources restartPolicy "
    "securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices "
    "volumeMounts command args lifecycle"
)
"""What a container may have that is read, or sets nothing of Kafka's."""
DURABLE = names(
    "awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk glusterfs iscsi nfs "
    "persistentVolumeClaim photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume"
)
"""Volumes that outlive a pod, wherever it starts again."""
LOST = {
    "emptyDir": "an emptyDir is lost with its pod",
    "ephemeral": "an ephemeral volume is lost with its pod",
}
CLAIMED = "persistentVolumeClaim"
TWICE = "Kubernetes takes the last one."
TAKES = "Which of them counts is not certain."
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.\-][A-Za-z0-9_.\-]*)\)")
OF_LOGS = ("log.dirs", "log.dir")
LEAVE_OUT = "Write a topic's settings into a file of its own, and leave it out of a copy."
TOGETHER = "Put it into the same file, with a line --- between."


@dataclass(kw_only=True)
class WorkloadsRead:
    """What was read of a file's workloads. `containers` and `read` are the containers and the documents, by identity.

    `taken` are the keys of ConfigMaps that brokers take variables from, with the identity of the ConfigMap.
    """

    files: list[ConfigurationFile] = field(default_factory=list)
    containers: set[int] = field(default_factory=set)
    taken: set[tuple[int, str]] = field(default_factory=set)
    read: set[int] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True)
class _Pod:
    """The pods of a workload: their parts, where the workload stands, and what holds variables beside it."""

    kind: str
    name: str
    path: str
    document: Mapping
    parts: Mapping
    holders: Sequence[Mapping]

    def notice(self, what: str, why: str = WHY, advice: str = "", line: int | None = None) -> Notice:
        at = self.document.line if line is None else line
        return Notice(what=f"{self.kind} {self.name}: {what}", why=why, advice=advice, file=self.path, line=at)

    def holder(self, kind: str, name: str) -> list[Mapping]:
        """The ConfigMaps or Secrets of this name, in the namespace of the workload."""
        where = self.document.text("metadata", "namespace")
        return [
            one
            for one in self.holders
            if (one.text("kind"), one.text("metadata", "name")) == (kind, name)
            and (where is None or one.text("metadata", "namespace") in (None, where))
        ]


def read_workloads(documents: Sequence[Node], path: str, problems: list[Notice]) -> WorkloadsRead:
    """The brokers that workloads run, as one file, and the topics that their commands create. What is wrong goes to `problems`."""
    found = WorkloadsRead()
    brokers: list[Broker] = []
    topics: list[ConfigurationFile] = []
    mappings = [one for one in documents if isinstance(one, Mapping)]
    for pod in _pods(mappings, path):
        listed = pod.parts.at("containers")
        for parts in listed.values if isinstance(listed, Listing) else ():
            image = image_of(parts.text("image") or "") if isinstance(parts, Mapping) else None
            if not isinstance(parts, Mapping) or image is None:
                continue
            command = _command(parts)
            if pod.kind in ONCE and command is None:
                continue
            found.containers.add(id(parts))
            found.read.add(id(pod.document))
            _read_container(pod, parts, image, command, brokers, topics, found, problems)
    problems += differences(brokers)
    topics += [topic for broker in brokers for topic in broker.topics]
    topics = list(dict.fromkeys(topics))
    problems += [problem for topic in topics for problem in duplicates(topic.entries, TAKES)]
    if brokers:
        found.files.append(together(brokers, (), path, FORM))
    found.files += topics
    return found


def _pods(documents: Sequence[Mapping], path: str) -> Iterator[_Pod]:
    holders = [one for one in documents if one.text("kind") in ("ConfigMap", "Secret")]
    for document in documents:
        kind, group = document.text("kind") or "", document.text("apiVersion") or ""
        where = PODS.get(kind) or ONCE.get(kind)
        parts = document.at(*where) if where and group.startswith(GROUPS) else None
        if isinstance(parts, Mapping):
            name = document.text("metadata", "name") or ""
            yield _Pod(kind=kind, name=name, path=path, document=document, parts=parts, holders=holders)


def _read_container(
    pod: _Pod,
    parts: Mapping,
    image: Image,
    command: Listing | None,
    brokers: list[Broker],
    topics: list[ConfigurationFile],
    found: WorkloadsRead,
    problems: list[Notice],
) -> None:
    templates = [one for one in scalars_in(parts) if is_template(one.text or "")]
    problems += [template_notice(pod.path, one.line) for one in templates]
    variables = _variables(pod, parts, image, found, problems)
    at = parts.at("image")
    container = Container(
        kind=pod.kind,
        name=_name(pod, parts),
        path=pod.path,
        line=parts.line,
        variables=variables,
        named=Filled(parts.text("image") or ""),
        image_line=parts.line if at is None else at.line,
    )
    known = {one.name: one.value for one in variables}
    try:
        if command is not None and not starts_broker([command], image):
            topics += topics_created([command], lambda text: _expanded(text, known), pod.path, FORM)
            return
        if command is not None:
            container = with_variables_set(container, [command], image, lambda text: _expanded(text, known))
    except CommandNotRead as error:
        line = None if command is None else command.line
        problems.append(container.notice(f"its command is not read. {error.why}", advice=LEAVE_OUT, line=line))
        return
    brokers.append(_broker(pod, parts, container, image, problems))


def _name(pod: _Pod, parts: Mapping) -> str:
    """What a container is called: as its workload, if it is the only one there with an image of Kafka."""
    listed = pod.parts.at("containers")
    alike = [
        one
        for one in (listed.values if isinstance(listed, Listing) else ())
        if isinstance(one, Mapping) and image_of(one.text("image") or "") is not None
    ]
    return pod.name if len(alike) < 2 else f"{pod.name} ({parts.text('name') or ''})"


def _broker(pod: _Pod, parts: Mapping, container: Container, image: Image, problems: list[Notice]) -> Broker:
    """What the variables of a container set, with all else that could set something."""
    for key, line in parts.lines.items():
        if key not in NEUTRAL:
            problems.append(container.notice(f"{key} is not read.", WHY, "Leave it out of a copy.", line))
    started = parts.at("lifecycle", "postStart")
    if started is not None:
        what, why = "what runs after its start (postStart) is not read.", "It may change what the broker sets."
        problems.append(container.notice(what, why, "Leave it out of a copy, if it does not.", started.line))
    volumes = _volumes(pod, problems)
    mounts = list(_mounts(parts, volumes))
    said = list(about_mounts(container, image, [one for one, _ in mounts], "Write it into env."))
    problems += [one for one in said if not one.decides]
    broker = broker_of(container, image, problems, form=FORM, takes=TWICE, doubts=[one for one in said if one.decides])
    stored = list(_storage(broker, mounts))
    problems += [one for one in stored if not one.decides]
    doubts = (one for one in stored if one.decides)
    count = _count(pod, problems)
    return replace(broker, warnings=(*broker.warnings, *doubts), count=count)


def _count(pod: _Pod, problems: list[Notice]) -> int | None:
    """How many pods a workload has; None if that is not known."""
    if pod.kind == "DaemonSet":
        return None
    replicas = pod.document.at("spec", "replicas") if pod.kind != "Pod" else None
    if replicas is None:
        return 1
    text = replicas.text or "" if isinstance(replicas, Scalar) else ""
    if re.fullmatch(r"\d+", text):
        return int(text)
    problems.append(pod.notice("its replicas are no number.", WHY, "Write how many brokers it runs.", replicas.line))
    return None


def _command(parts: Mapping) -> Listing | None:
    """The words that a container is started with; None if the image says it."""
    words: list[Node] = []
    lines: list[int] = []
    for key in ("command", "args"):
        listed = parts.at(key)
        if listed is not None:
            words += listed.values if isinstance(listed, Listing) else [listed]
            lines.append(listed.line)
    return Listing(lines[0], tuple(words)) if words else None


def _variables(
    pod: _Pod, parts: Mapping, image: Image, found: WorkloadsRead, problems: list[Notice]
) -> tuple[Variable, ...]:
    """The variables of a container. Those in `env` go before those of `envFrom`, whose last source goes before the others."""
    whole: dict[str, Variable] = {}
    sources = parts.at("envFrom")
    for source in sources.values if isinstance(sources, Listing) else ():
        whole |= {one.name: one for one in _of_source(pod, source, found, problems)}
    known = {name: one.value for name, one in whole.items()}
    own: list[Variable] = []
    listed = parts.at("env")
    for one in listed.values if isinstance(listed, Listing) else ():
        variable = _of_entry(pod, one, image, known, found, problems)
        if variable is not None:
            known[variable.name] = variable.value
            own.append(variable)
    for key in ("env", "envFrom"):
        node = parts.at(key)
        if node is not None and not isinstance(node, Listing) and not (isinstance(node, Scalar) and node.text is None):
            problems.append(pod.notice(f"its {key} is no list.", WHY, "Write a list.", node.line))
    named = {one.name for one in own}
    return (*(one for name, one in whole.items() if name not in named), *own)


def _of_source(pod: _Pod, source: Node, found: WorkloadsRead, problems: list[Notice]) -> Iterator[Variable]:
    """The variables that `envFrom` takes from a ConfigMap or a Secret."""
    prefix = (source.text("prefix") or "") if isinstance(source, Mapping) else ""
    for part, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        name = source.text(part, "name") if isinstance(source, Mapping) else None
        if name is None:
            continue
        holders = pod.holder(kind, name)
        if len(holders) != 1:
            problems.append(_not_there(pod, f"all variables of {kind} {name}", kind, name, holders, source.line))
            return
        for key, value, line in _held(holders[0]):
            if NAME.fullmatch(prefix + key):
                found.taken.add((id(holders[0]), key))
                found.read.add(id(holders[0]))
                text = value if value is not None else f"${{{kind} {name}}}"
                yield Variable(name=prefix + key, value=text, file=pod.path, line=line)
        return
    problems.append(pod.notice("one of its envFrom is not understood.", line=source.line, advice="Write env."))


def _of_entry(
    pod: _Pod,
    one: Node,
    image: Image,
    known: dict[str, str],
    found: WorkloadsRead,
    problems: list[Notice],
) -> Variable | None:
    """A variable of `env`: its value, or what it is taken from."""
    name = one.text("name") if isinstance(one, Mapping) else None
    if not isinstance(one, Mapping) or not name:
        problems.append(pod.notice("one of its env is no variable.", advice="Write name and value.", line=one.line))
        return None
    value, source = one.at("value"), one.at("valueFrom")
    line = one.line if value is None else value.line
    if value is not None and not isinstance(value, Scalar):
        variable = Variable(name=name, value="", file=pod.path, line=line)
        problems.append(variable.notice("this is no variable with a plain value.", WHY, "Write name and value."))
        return None
    if source is None:
        text = "" if value is None else value.text or ""
        return Variable(name=name, value=_expanded(text, known), file=pod.path, line=line)
    for part, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        holder, key = (source.text(part, "name"), source.text(part, "key")) if isinstance(source, Mapping) else ("", "")
        if not holder or not key:
            continue
        holders = pod.holder(kind, holder)
        told = next(((text, at) for held, text, at in _held(holders[0]) if held == key), None) if holders else None
        if len(holders) == 1 and told is not None and told[0] is not None:
            found.taken.add((id(holders[0]), key))
            found.read.add(id(holders[0]))
            return Variable(name=name, value=told[0], file=pod.path, line=told[1])
        unknown = Variable(name=name, value=f"${{{key} of {kind} {holder}}}", file=pod.path, line=one.line)
        if _may_decide(unknown, image):
            problems.append(_not_there(pod, f"{name}, from {key} of {kind} {holder}", kind, holder, holders, one.line))
        return unknown
    unknown = Variable(name=name, value="${known when the pod runs}", file=pod.path, line=one.line)
    if _may_decide(unknown, image):
        what, advice = "its value is known only when the pod runs.", "Write the value itself into a copy."
        problems.append(unknown.notice(what, WHY, advice))
    return unknown


def _may_decide(variable: Variable, image: Image) -> bool:
    return image.key(variable.name) in TELLING or decides_elsewhere(variable.name) is not None


def _not_there(pod: _Pod, what: str, kind: str, name: str, holders: Sequence[Mapping], line: int) -> Notice:
    """That variables are taken from what is not in the file, or there more than once, or cannot be read."""
    if len(holders) > 1:
        said, advice = f"and {kind} {name} is in the file more than once.", "Keep the one that is in force."
    elif holders:
        said, advice = "which is not there, or not readable.", "Write the value itself into env of a copy."
    else:
        said = "which is not in this file."
        advice = TOGETHER if kind == "ConfigMap" else "Write what is no password of it into env of a copy."
    return pod.notice(f"it takes {what}, {said}", WHY, advice, line)


def _held(holder: Mapping) -> Iterator[tuple[str, str | None, int]]:
    """The keys of a ConfigMap or a Secret, with their texts where these are plain, and their lines."""
    for part in ("data", "stringData"):
        held = holder.at(part)
        for key, value in held.values.items() if isinstance(held, Mapping) else ():
            plain = isinstance(value, Scalar) and (holder.text("kind") == "ConfigMap" or part == "stringData")
            text = value.text or "" if plain and isinstance(value, Scalar) else None
            yield key, text, held.lines[key] if isinstance(held, Mapping) else value.line


def _expanded(text: str, known: dict[str, str]) -> str:
    """A text as Kubernetes fills it in: `$(NAME)` is a variable that is set before, `$$` is a plain dollar; others stay."""
    return REFERENCE.sub(lambda seen: "$" if seen[0] == "$$" else known.get(seen[1], seen[0]), text)


def _volumes(pod: _Pod, problems: list[Notice]) -> dict[str, tuple[str, int]]:
    """What lies behind the names of a pod's volumes, and where they stand."""
    found: dict[str, tuple[str, int]] = {}
    listed = pod.parts.at("volumes")
    for one in listed.values if isinstance(listed, Listing) else ():
        name = one.text("name") if isinstance(one, Mapping) else None
        kinds = [key for key in one.values if key != "name"] if isinstance(one, Mapping) else []
        if not name or len(kinds) > 1:
            problems.append(pod.notice("a volume is not understood.", advice="Write its name and kind.", line=one.line))
        else:
            found[name] = (kinds[0] if kinds else "emptyDir", one.line)
    claimed = pod.document.at("spec", "volumeClaimTemplates") if pod.kind == "StatefulSet" else None
    for one in claimed.values if isinstance(claimed, Listing) else ():
        name = one.text("metadata", "name") if isinstance(one, Mapping) else None
        found |= {name: (CLAIMED, one.line)} if name else {}
    return found


def _mounts(parts: Mapping, volumes: dict[str, tuple[str, int]]) -> Iterator[tuple[Mount, str]]:
    """What a container mounts, with the kind of the volume; it is empty if there is no such volume."""
    listed = parts.at("volumeMounts")
    for one in listed.values if isinstance(listed, Listing) else ():
        name = one.text("name") if isinstance(one, Mapping) else None
        target = (one.text("mountPath") or "") if isinstance(one, Mapping) else ""
        kind = volumes.get(name or "", ("", 0))[0]
        fresh = kind in DURABLE or kind in LOST
        plain = (target.rstrip("/") or target) if target.startswith("/") and "$(" not in target else ""
        yield Mount(kind="volume" if fresh else "bind", target=plain, line=one.line), kind


def _storage(broker: Broker, mounts: Sequence[tuple[Mount, str]]) -> Iterator[Notice]:
    """That a broker's logs lie where they are lost with the container or the pod, or may be."""
    advice = "Use a volumeClaimTemplate, or another volume on a disk, and mount it where the logs lie."
    container, image = broker.container, broker.image
    for folder, line in _folders_of_logs(broker.entries, image, container.image_line):
        known = folder.partition("$")[0]
        inside = known if known == folder else known.rpartition("/")[0]
        covering = [(one, kind) for one, kind in mounts if one.target and _is_in(inside, one.target)]
        mount, kind = max(covering, key=lambda one: len(one[0].target), default=(None, ""))
        at = line if mount is None else mount.line
        if not inside.startswith("/"):
            what = f"where its logs lie, {folder!r}, is not known."
            yield container.notice(what, NEEDS_ITS_LOG, "Write the folder itself into a copy.", line)
        elif mount is None:
            what = f"its logs lie in {folder}, where no volume is mounted: they are lost with the container."
            yield container.notice(what, NEEDS_ITS_LOG, advice, at)
        elif kind == "hostPath":
            what = f"{container.whose}: its logs lie in {folder}, on a disk of the machine (hostPath)."
            why = "A pod that starts on another machine has no log."
            yield Notice(what=what, why=why, advice=advice, file=container.path, line=at, decides=True)
        elif kind not in DURABLE:
            lost = LOST.get(kind, f"{kind or 'what is mounted there'} is no disk that is known")
            yield container.notice(f"its logs lie in {folder}, and {lost}.", NEEDS_ITS_LOG, advice, at)


def _folders_of_logs(entries: Sequence[ConfigEntry], image: Image, line: int) -> Iterator[tuple[str, int]]:
    """The folders in which a broker's logs lie, as its variables set them or the image does."""
    told = {entry.key: entry for entry in entries if entry.value.strip()}
    named = next((told[key] for key in OF_LOGS if key in told), None)
    if named is None:
        yield (image.data_alone if image.data_alone and not entries else image.data), line
    for entry in (named, told.get("metadata.log.dir")):
        for folder in entry.value.split(",") if entry is not None else ():
            yield folder.strip(), (line if entry is None or entry.line is None else entry.line)


def _is_in(folder: str, target: str) -> bool:
    return folder == target or folder.startswith(f"{target.rstrip('/')}/")
