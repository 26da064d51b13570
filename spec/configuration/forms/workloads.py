"""Workloads of Kubernetes that run brokers in an image of Kafka: StatefulSets, Deployments and pods; and jobs that create topics."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from ..configuration_file import ConfigurationFile, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import Notice
from .containers import NEEDS_ITS_LOG, Broker, Container, about_mounts, broker_of, differences, image_of, together
from .images import Image, names
from .pod_placement import machine_of, most_on_one_machine
from .pod_variables import expanded, variables_of
from .pod_volumes import about_logs, mounts_of, volumes_of
from .pods import Pod, WorkloadsRead
from .references import Filled
from .scripts import CommandNotRead
from .start_commands import starts_broker, with_variables_set
from .topic_commands import topics_created
from .yaml_documents import Listing, Mapping, Node, Scalar, is_template, scalars_in, template_notice, whole_number

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
SELECTING = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
ONCE = {"CronJob": ("spec", "jobTemplate", *TEMPLATE), "Job": TEMPLATE}
"""Kinds whose containers end: they may create topics, and run no broker."""
GROUPS = ("v1", "apps/", "batch/", "extensions/")

NEUTRAL = names(
    "env envFrom image imagePullPolicy livenessProbe name ports readinessProbe resizePolicy resources restartPolicy "
    "securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices "
    "volumeMounts command args lifecycle"
)
"""What a container may have that is read, or sets nothing of Kafka's."""
REMOVES = re.compile(r"(?<![\w-])(?:rm|mkfs[.\w]*|wipefs)\s(?![^;&|\n]*lost\+found)|\s-delete\b")
"""What shows that a command removes files; `lost+found` is no log."""
TWICE = "Kubernetes takes the last one."
TAKES = "Which of them counts is not certain."
LEAVE_OUT = "Write a topic's settings into a file of its own, and leave it out of a copy."


def read_workloads(documents: Sequence[Node], path: str, problems: list[Notice]) -> WorkloadsRead:
    """The brokers that workloads run, as one file, and the topics that their commands create. What is wrong goes to `problems`."""
    found = WorkloadsRead()
    brokers: list[Broker] = []
    topics: list[ConfigurationFile] = []
    placed: list[tuple[Hashable | None, Broker]] = []
    mappings = [one for one in documents if isinstance(one, Mapping)]
    for pod in _pods(mappings, path):
        listed = pod.parts.at("containers")
        before, started = len(found.containers), len(brokers)
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
        if len(found.containers) > before:
            problems += _that_is_a_part(pod)
            placed += [(machine_of(pod), broker) for broker in brokers[started:]]
    problems += differences(brokers)
    topics += [topic for broker in brokers for topic in broker.topics]
    topics = list(dict.fromkeys(topics))
    problems += [problem for topic in topics for problem in duplicates(topic.entries, TAKES)]
    if brokers:
        found.files.append(replace(together(brokers, (), path, FORM), on_one_machine=most_on_one_machine(placed)))
    found.files += topics
    return found


def _that_is_a_part(pod: Pod) -> Iterator[Notice]:
    """That a workload has no selector: Kubernetes takes none without, so it lies over another file, which may set more."""
    if (
        pod.kind in SELECTING
        and pod.document.text("apiVersion") == "apps/v1"
        and pod.document.at("spec", "selector") is None
    ):
        what, why = (
            "it has no selector: it may be a part that lies over another file.",
            "What that file sets is not seen here.",
        )
        yield pod.notice(what, why, "Audit what kustomize build prints.")


def _pods(documents: Sequence[Mapping], path: str) -> Iterator[Pod]:
    holders = [one for one in documents if one.text("kind") in ("ConfigMap", "Secret")]
    for document in documents:
        kind, group = document.text("kind") or "", document.text("apiVersion") or ""
        where = PODS.get(kind) or ONCE.get(kind)
        parts = document.at(*where) if where and group.startswith(GROUPS) else None
        if isinstance(parts, Mapping):
            name = document.text("metadata", "name") or ""
            yield Pod(kind=kind, name=name, path=path, document=document, parts=parts, holders=holders)


def _read_container(
    pod: Pod,
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
    variables = variables_of(pod, parts, image, found, problems)
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
            topics += topics_created([command], lambda text: expanded(text, known), pod.path, FORM)
            return
        if command is not None:
            container = with_variables_set(container, [command], image, lambda text: expanded(text, known))
    except CommandNotRead as error:
        line = None if command is None else command.line
        problems.append(container.notice(f"its command is not read. {error.why}", advice=LEAVE_OUT, line=line))
        return
    brokers.append(_broker(pod, parts, container, image, problems))


def _name(pod: Pod, parts: Mapping) -> str:
    """What a container is called: as its workload, if it is the only one there with an image of Kafka."""
    listed = pod.parts.at("containers")
    alike = [
        one
        for one in (listed.values if isinstance(listed, Listing) else ())
        if isinstance(one, Mapping) and image_of(one.text("image") or "") is not None
    ]
    return pod.name if len(alike) < 2 else f"{pod.name} ({parts.text('name') or ''})"


def _broker(pod: Pod, parts: Mapping, container: Container, image: Image, problems: list[Notice]) -> Broker:
    """What the variables of a container set, with all else that could set something."""
    for key, line in parts.lines.items():
        if key not in NEUTRAL:
            problems.append(container.notice(f"{key} is not read.", WHY, "Leave it out of a copy.", line))
    started = parts.at("lifecycle", "postStart")
    if started is not None:
        what, why = "what runs after its start (postStart) is not read.", "It may change what the broker sets."
        problems.append(container.notice(what, why, "Leave it out of a copy, if it does not.", started.line))
    volumes = volumes_of(pod, problems)
    mounts = list(mounts_of(parts, volumes))
    said = list(about_mounts(container, image, [one for one, _ in mounts], "Write it into env."))
    problems += [one for one in said if not one.decides]
    broker = broker_of(container, image, problems, form=FORM, takes=TWICE, doubts=[one for one in said if one.decides])
    stored = list(about_logs(pod, broker, mounts))
    problems += [one for one in stored if not one.decides]
    doubts = [*(one for one in stored if one.decides), *_that_remove(pod, parts)]
    count = _count(pod, problems)
    return replace(broker, warnings=(*broker.warnings, *doubts), count=count)


def _that_remove(pod: Pod, parts: Mapping) -> Iterator[Notice]:
    """The doubt about commands that run before a broker on one of its volumes, or when it stops, and remove files."""
    own = _volumes_in(parts)
    listed = pod.parts.at("initContainers")
    before = [one for one in (listed.values if isinstance(listed, Listing) else ()) if isinstance(one, Mapping)]
    commands = [at for one in before if own & _volumes_in(one) for key in ("command", "args") if (at := one.at(key))]
    stopping = parts.at("lifecycle", "preStop")
    for command in (*commands, *([stopping] if stopping is not None else [])):
        if REMOVES.search(" ".join(one.text or "" for one in scalars_in(command))):
            what = "a command before it, or at its end, removes files: they may be its log."
            notice = pod.notice(what, NEEDS_ITS_LOG, "Make sure that it leaves the log.", command.line)
            yield replace(notice, decides=True)


def _volumes_in(parts: Mapping) -> set[str]:
    """The names of the volumes that a container mounts."""
    listed = parts.at("volumeMounts")
    mounts = listed.values if isinstance(listed, Listing) else ()
    return {name for one in mounts if isinstance(one, Mapping) and (name := one.text("name"))}


def _count(pod: Pod, problems: list[Notice]) -> int | None:
    """How many pods a workload has; None if that is not known."""
    if pod.kind == "DaemonSet":
        return None
    replicas = pod.document.at("spec", "replicas") if pod.kind != "Pod" else None
    if replicas is None:
        return 1
    found = whole_number(replicas.text if isinstance(replicas, Scalar) else None)
    if found is None:
        advice = "Write how many brokers it runs."
        problems.append(pod.notice("its replicas are no number.", WHY, advice, replicas.line))
    return found


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
