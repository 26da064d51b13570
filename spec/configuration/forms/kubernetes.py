"""Resources of Kubernetes, as `helm template` and `kubectl get -o json` print them: Strimzi's, workloads, and what stands beside them.

Strimzi's are read by `strimzi`, containers with an image of Kafka by `workloads`, and a file of Kafka's in a ConfigMap as that file.
All else is looked through for what could run a broker or a client, or set what decides, and is skipped otherwise, with one note that
names the kinds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .containers import NEEDS_ITS_LOG
from .foreign import is_known
from .foreign_keys import decides_elsewhere, sets_elsewhere
from .images import BESIDE, CLIENTS, IMAGES, KAFKAS, REFUSED, STARTS, image_name, names
from .pods import WorkloadsRead
from .properties_file import parse_properties
from .spring_elsewhere import may_be_application, set_by_container, unseen
from .spring_properties import UNFILLED, is_in_force_with, is_spring, profile_of
from .strimzi import is_of_strimzi, is_strimzi, read_resources
from .variables import Variable, names_a_broker
from .workloads import ONCE, PODS, read_workloads
from .yaml_documents import Listing, Mapping, Node, Scalar, is_template, read_documents, scalars_in, template_notice

MAP = re.compile(r"""^[ \t]*(?:- )?['"]?kind['"]?\s*:\s*['"]?ConfigMap\b""", re.MULTILINE)
MAP_IN_JSON = re.compile(r'(?<!\\)"kind"\s*:\s*"ConfigMap"')
WITH_FILE = re.compile(r"""['"\s][\w.-]+\.(?:properties|ya?ml)['"]?\s*:""")

RUNNING = "|".join((*PODS, *ONCE))
WORKLOAD = re.compile(rf"""^[ \t]*(?:- )?['"]?kind['"]?\s*:\s*['"]?(?:{RUNNING})\b""", re.MULTILINE)
WORKLOAD_IN_JSON = re.compile(rf'(?<!\\)"kind"\s*:\s*"(?:{RUNNING})"')
WITH_IMAGE = re.compile(r"""['"]?image['"]?\s*:\s*['"]?[\w./:-]*(?:kafka|cp-server)[\w./:@-]*""")
"""An image that may be Kafka's."""

RELATED = re.compile(r"kafka|confluent|redpanda|strimzi|\bmsk\b|event-?hub", re.IGNORECASE)
"""What shows that a kind, or its group, has to do with Kafka."""
NEUTRAL = names(
    "APIService ClusterRole ClusterRoleBinding CustomResourceDefinition Endpoints EndpointSlice Event "
    "HorizontalPodAutoscaler Ingress IngressClass Issuer ClusterIssuer Certificate Lease LimitRange "
    "MutatingWebhookConfiguration Namespace NetworkPolicy PersistentVolume PersistentVolumeClaim PodDisruptionBudget "
    "PodMonitor PriorityClass PrometheusRule ResourceQuota Role RoleBinding Route Service ServiceAccount ServiceMonitor "
    "StorageClass ValidatingWebhookConfiguration"
)
"""Kinds that run nothing and hand nothing to a program."""
DEPLOYING = frozenset(("Application", "ApplicationSet", "HelmChart", "HelmChartConfig", "HelmRelease"))
"""Kinds that may install anything, Kafka too: of Argo CD, Flux and K3s."""
OF_THE_OPERATOR = re.compile(r"(?:quay\.io/)?strimzi/(?:operator|drain-cleaner|kafka-access-operator)")
"""Images of Strimzi that are no brokers: its resources say what they start."""
OF_KUBERNETES = ("replicas", "replication")
"""Words that a file in a ConfigMap may well have for pods."""
LEAVE_OUT = "Write what it sets into a file of its own, and leave it out of a copy."
FILE_OF_JAVA = re.compile(r".*\.properties")


def is_kubernetes(source: SourceText) -> bool:
    """Is some document a resource of Strimzi, a workload with an image that may be Kafka's, or a ConfigMap that may hold its file?"""
    in_json = source.text.lstrip().startswith("{")
    marks = (
        (MAP_IN_JSON if in_json else MAP, WITH_FILE),
        (WORKLOAD_IN_JSON if in_json else WORKLOAD, WITH_IMAGE),
    )
    if not is_strimzi(source) and not any(all(mark.search(source.text) for mark in both) for both in marks):
        return False
    return not in_json or _is_resource_in_json(source.text)


def _is_resource_in_json(text: str) -> bool:
    """Is the text JSON of a resource, or of a list of them? Terraform's plans have resources of Kubernetes within."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "apiVersion" in found and "kind" in found


def read_kubernetes(
    source: SourceText, read: Callable[[SourceText], list[ConfigurationFile]]
) -> list[ConfigurationFile]:
    """What the resources of a file say; `read` reads a file in a ConfigMap. Raises ConfigurationError with all that is wrong."""
    problems: list[Notice] = []
    documents = list(_one_by_one(read_documents(source.text, source.path, forgives=_is_neutral, braces=True)))
    own = [one for one in documents if is_of_strimzi(one)]
    found = _of_strimzi(own, source.path, problems)
    workloads = read_workloads([one for one in documents if not is_of_strimzi(one)], source.path, problems)
    found += workloads.files
    skipped = Counter[str]()
    over_spring: list[Notice] = []
    of_brokers: set[str] = set()
    for document in documents:
        if is_of_strimzi(document):
            continue
        kind = document.text("kind") if isinstance(document, Mapping) else None
        if not isinstance(document, Mapping) or not kind or not document.text("apiVersion"):
            what, advice = "this document is no resource of Kubernetes.", "Put it into a file of its own."
            problems.append(Notice(what=what, advice=advice, file=source.path, line=document.line))
            continue
        files: list[ConfigurationFile] = []
        wrong = list(_wrong(document, kind, source.path, workloads))
        if kind == "ConfigMap":
            files = _files_in(document, source, read, wrong, workloads)
            of_brokers |= {document.text("metadata", "name") or "" for file in files if file.role == "broker"}
        problems += wrong
        over_spring += _over_spring(document, _name(document), documents, source.path, workloads)
        found += files
        skipped.update(() if files or id(document) in workloads.read else (kind,))
    unread = [one for one in documents if id(one) not in workloads.read]
    problems += _that_run_brokers(unread, of_brokers, source.path)
    if problems:
        raise ConfigurationError(dict.fromkeys(problems))
    if not found and not own:
        what, why = "none of its resources sets anything of Kafka's that is read.", "Every value would be a default."
        raise ConfigurationError([source.notice(what, why, "Leave the file out.")])
    if found:
        found[0] = replace(found[0], over_spring=tuple(over_spring))
    return _with_note(found, skipped, source)


def _of_strimzi(own: Sequence[Mapping], path: str, problems: list[Notice]) -> list[ConfigurationFile]:
    """What resources of Strimzi say. What is wrong goes to `problems`."""
    templates = (one for document in own for one in scalars_in(document) if is_template(one.text or ""))
    problems += [template_notice(path, one.line) for one in templates]
    try:
        return read_resources(own, path)
    except ConfigurationError as error:
        problems += error.problems
        return []


def _with_note(found: list[ConfigurationFile], skipped: Counter[str], source: SourceText) -> list[ConfigurationFile]:
    """The files, of which one says what was skipped."""
    if not skipped or not found:
        return found
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(skipped.items()))
    note = source.notice(f"these resources are skipped: {kinds}.", "Nothing in them sets what is read here.")
    at = next((number for number, file in enumerate(found) if file.role == "broker"), 0)
    found[at] = replace(found[at], warnings=(*found[at].warnings, note))
    return found


def _one_by_one(documents: Sequence[Node]) -> Iterator[Node]:
    """The documents, without empty ones, and what stands in a list of kubectl's one by one."""
    for document in documents:
        if isinstance(document, Scalar) and document.text is None:
            continue
        kind = document.text("kind") if isinstance(document, Mapping) else None
        items = document.at("items") if isinstance(document, Mapping) and (kind or "").endswith("List") else None
        yield from items.values if isinstance(items, Listing) else (document,)


def _is_neutral(document: Node) -> bool:
    """Is it of a kind that sets nothing, whatever is written in it? Of a list every item must be."""
    if not isinstance(document, Mapping):
        return False
    items = document.at("items")
    if isinstance(items, Listing):
        return all(_is_neutral(one) for one in items.values)
    group, kind = document.text("apiVersion") or "", document.text("kind")
    return kind in NEUTRAL and not RELATED.search(group) and (kind != "Service" or group == "v1")


def _wrong(document: Mapping, kind: str, path: str, workloads: WorkloadsRead) -> Iterator[Notice]:
    """That a resource may run a broker or a client whose settings are not read, unless it certainly does not."""
    if _is_neutral(document):
        return
    name = _name(document)
    group = document.text("apiVersion") or ""
    if RELATED.search(f"{group} {kind}"):
        what = f"a {kind} of {group.partition('/')[0]} is not read."
        yield Notice(what=what, why=WHY, advice=LEAVE_OUT, file=path, line=document.line)
        return
    if kind in DEPLOYING and any(RELATED.search(one.text or "") for one in scalars_in(document)):
        what = f"{name} installs something of Kafka's, which is not in the file."
        yield Notice(what=what, why=WHY, advice="Audit what it installs: helm template.", file=path, line=document.line)
    if kind == "Secret":
        yield from _secret(document, name, path)
    for container in _containers(document):
        if id(container) not in workloads.containers:
            yield from _container(container, name, path)


def _name(document: Mapping) -> str:
    """The kind and the name of a resource."""
    return f"{document.text('kind') or ''} {document.text('metadata', 'name') or ''}".strip()


def _secret(document: Mapping, name: str, path: str) -> Iterator[Notice]:
    """That a Secret has a file or a variable of Kafka's: what is in it may be unreadable here, and is not shown."""
    for part in ("data", "stringData"):
        held = document.at(part)
        for key in held.values if isinstance(held, Mapping) else ():
            meant = decides_elsewhere(key)
            if FILE_OF_JAVA.fullmatch(key) or meant is not None:
                what = f"{name} has {key}, which is not read."
                line = held.lines[key] if isinstance(held, Mapping) else document.line
                yield Notice(what=what, why=WHY, advice=LEAVE_OUT, file=path, line=line)


def _containers(node: Node) -> Iterator[Mapping]:
    """Every container that is described somewhere in a resource."""
    if isinstance(node, Mapping):
        for key, value in node.values.items():
            if key in ("containers", "initContainers", "ephemeralContainers") and isinstance(value, Listing):
                yield from (one for one in value.values if isinstance(one, Mapping))
            else:
                yield from _containers(value)
    elif isinstance(node, Listing):
        for one in node.values:
            yield from _containers(one)


def _container(container: Mapping, whose: str, path: str) -> Iterator[Notice]:
    """That a container runs something of Kafka's, or has a variable or a command that decides."""
    image = image_name(container.text("image") or "")
    known = any(image in one.names for one in IMAGES)
    if not any(re.fullmatch(pattern, image) for pattern in BESIDE) and not OF_THE_OPERATOR.fullmatch(image):
        known_as = (
            *REFUSED,
            *((pattern, f"it runs {client}, which has clients of its own") for pattern, client in CLIENTS),
        )
        reason = next((reason for pattern, reason in known_as if re.fullmatch(pattern, image)), None)
        if known or reason is not None or KAFKAS.search(image):
            of_image = reason or ("its broker is not read from here" if known else "it may be a broker or a client")
            what = f"{whose} runs {image}: {of_image}."
            yield Notice(what=what, why=WHY, advice=LEAVE_OUT, file=path, line=container.line)
            return
    variables = container.at("env")
    for one in variables.values if isinstance(variables, Listing) else ():
        if not isinstance(one, Mapping):
            continue
        variable = Variable(name=one.text("name") or "", value=one.text("value") or "", file=path, line=one.line)
        meant = decides_elsewhere(variable.name) or sets_elsewhere(variable.value)
        if meant is not None or names_a_broker(variable):
            of_variable = "is one of a broker's" if meant is None else f"decides: {meant}"
            yield variable.notice(f"this variable of {whose} {of_variable}.", WHY, LEAVE_OUT)
    for key in ("command", "args"):
        started = container.at(key)
        words = "" if started is None else f"{' '.join(one.text or '' for one in scalars_in(started))} "
        meant = sets_elsewhere(words)
        if started is not None and (meant is not None or STARTS.search(words)):
            does = "starts a broker, which is not read from here" if meant is None else f"sets {meant}"
            what = f"the {key} of {whose} {does}."
            yield Notice(what=what, why=WHY, advice=LEAVE_OUT, file=path, line=started.line)


def _over_spring(
    document: Mapping, whose: str, documents: Sequence[Node], path: str, workloads: WorkloadsRead
) -> Iterator[Notice]:
    """What a resource sets over the file of an application of Spring's: a program's own containers, and what has variables for them."""
    yield from _held_over_spring(document, path)
    there = {(one.text("kind"), one.text("metadata", "name")) for one in documents if isinstance(one, Mapping)}
    for container in _containers(document):
        if id(container) in workloads.containers or not may_be_application(image_name(container.text("image") or "")):
            continue
        yield from _set_over_spring(container, path)
        sources = container.at("envFrom")
        for one in sources.values if isinstance(sources, Listing) else ():
            for ref, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                name = one.text(ref, "name") if isinstance(one, Mapping) else None
                if name is not None and (kind, name) not in there:
                    yield unseen(whose, f"{kind} {name}", path, one.line)


def _held_over_spring(document: Mapping, path: str) -> Iterator[Notice]:
    """What the keys of a ConfigMap or a Secret set if they are variables."""
    nowhere = Variable(name="", value="", file=path, line=document.line)
    for part in ("data", "stringData") if document.text("kind") in ("ConfigMap", "Secret") else ():
        held = document.at(part)
        hidden = part == "data" and document.text("kind") == "Secret"
        for key, value in _values(held):
            line = held.lines[key] if isinstance(held, Mapping) else value.line
            variable = _variable(key, None if hidden else value, path, line)
            if not is_spring(SourceText(path=key, text=variable.value)):
                yield from set_by_container([variable], "", nowhere)


def _set_over_spring(container: Mapping, path: str) -> Iterator[Notice]:
    """What a container sets by its own variables and its command."""
    listed = container.at("env")
    env = [one for one in (listed.values if isinstance(listed, Listing) else ()) if isinstance(one, Mapping)]
    given = [_variable(one.text("name") or "", one.at("value"), path, one.line) for one in env]
    started = [node for key in ("command", "args") if (node := container.at(key)) is not None]
    words = " ".join(one.text or "" for node in started for one in scalars_in(node))
    at = Variable(name="", value="", file=path, line=started[0].line if started else container.line)
    yield from set_by_container(given, f"{words} ", at)


def _variable(name: str, value: Node | None, path: str, line: int) -> Variable:
    """A variable; a reference that nothing fills stands for a value that is elsewhere."""
    text = (value.text or "") if isinstance(value, Scalar) else UNFILLED
    return Variable(name=name, value=text, file=path, line=line)


def _that_run_brokers(documents: Sequence[Node], of_brokers: set[str], path: str) -> Iterator[Notice]:
    """That a workload mounts a ConfigMap with a broker's file: where that broker has its log, and what else it gets, is not read."""
    for document in documents:
        kind = document.text("kind") or "" if isinstance(document, Mapping) else ""
        if not isinstance(document, Mapping) or kind not in PODS:
            continue
        for name, line in _config_maps(document.at(*PODS[kind], "volumes")):
            if name in of_brokers:
                mounts = f"{_name(document)} mounts ConfigMap {name}, which has a broker's file"
                what = f"{mounts}: where that broker has its log is not read."
                yield Notice(what=what, why=NEEDS_ITS_LOG, advice=LEAVE_OUT, file=path, line=line)


def _config_maps(node: Node | None) -> Iterator[tuple[str, int]]:
    """The ConfigMaps that volumes name, with their lines."""
    if isinstance(node, Listing):
        for one in node.values:
            yield from _config_maps(one)
    elif isinstance(node, Mapping):
        for key, value in node.values.items():
            name = value.text("name") if key == "configMap" and isinstance(value, Mapping) else None
            yield from _config_maps(value) if name is None else ((name, value.line),)


def _files_in(
    document: Mapping,
    source: SourceText,
    read: Callable[[SourceText], list[ConfigurationFile]],
    wrong: list[Notice],
    workloads: WorkloadsRead,
) -> list[ConfigurationFile]:
    """The files of Kafka's in a ConfigMap. What may set something otherwise goes to `wrong`."""
    name = _name(document)
    found: list[ConfigurationFile] = []
    held = document.at("data")
    sources = {key: _source(key, value, held, source) for key, value in _values(held)}
    for key, value in _values(held):
        if (id(document), key) in workloads.taken:
            continue
        text = value.text or "" if isinstance(value, Scalar) else ""
        line = held.lines[key] if isinstance(held, Mapping) else value.line
        if _is_file_of_kafka(key, text):
            beside = tuple(one for other, one in sources.items() if is_in_force_with(key, other))
            try:
                inner = _read_inside(replace(sources[key], beside=beside), read)
                moved = (_moved(file, source.path, value, line) for file in inner)
                found += [file for file in moved if file not in found]
            except ConfigurationError as error:
                wrong += [_notice_moved(problem, source.path, value, line) for problem in error.problems]
            continue
        variable = Variable(name=key, value=text, file=source.path, line=line)
        meant = decides_elsewhere(key) or sets_elsewhere(text)
        if meant in OF_KUBERNETES and decides_elsewhere(key) is None:
            meant = None
        if meant is not None or names_a_broker(variable):
            of_key = "may be a variable of a broker" if meant is None else f"may set {meant}"
            wrong.append(variable.notice(f"this key of {name} {of_key}.", WHY, LEAVE_OUT))
    binary = document.at("binaryData")
    for key in binary.values if isinstance(binary, Mapping) else ():
        if FILE_OF_JAVA.fullmatch(key):
            what = f"{name} has {key} as binary data, which is not read."
            wrong.append(Notice(what=what, why=WHY, advice=LEAVE_OUT, file=source.path, line=document.line))
    return found


def _values(held: Node | None) -> Sequence[tuple[str, Node]]:
    """The keys of a ConfigMap or a Secret, with what they hold."""
    return list(held.values.items()) if isinstance(held, Mapping) else []


def _source(key: str, value: Node, held: Node | None, whole: SourceText) -> SourceText:
    """A file in a ConfigMap, whose lines are those of the file that the ConfigMap stands in, if it is a block."""
    text = value.text or "" if isinstance(value, Scalar) else ""
    is_block = isinstance(value, Scalar) and value.is_block
    above = "\n" * held.lines[key] if is_block and isinstance(held, Mapping) else ""
    return SourceText(path=key, text=above + text, client=whole.client)


def _read_inside(file: SourceText, read: Callable[[SourceText], list[ConfigurationFile]]) -> list[ConfigurationFile]:
    """A file in a ConfigMap. Raises ConfigurationError, also for one that goes over another."""
    if profile_of(file.path) is not None:
        what = f"this is the file of profile {profile_of(file.path)}, and it goes over another one."
        raise ConfigurationError([Notice(what=what, why=WHY, advice="Audit a copy with all that is in force.")])
    return read(file)


def _is_file_of_kafka(key: str, text: str) -> bool:
    """Is it a .properties file with a key of Kafka's, or the configuration of a Spring application with Kafka?"""
    if is_spring(SourceText(path=key, text=text)):
        return "kafka" in text
    if not FILE_OF_JAVA.fullmatch(key):
        return False
    try:
        entries, _ = parse_properties(text, key)
    except ConfigurationError:
        return True
    return any(is_known(entry.key) or decides_elsewhere(entry.key) or sets_elsewhere(entry.value) for entry in entries)


def _line(value: Node, line: int | None, first: int) -> int:
    """The line of the file: of a block, which is read with as many lines before it, that line; of another value its first."""
    is_block = isinstance(value, Scalar) and value.is_block
    return line if is_block and line is not None else first


def _notice_moved(notice: Notice, path: str, value: Node, first: int) -> Notice:
    return replace(notice, file=path, line=_line(value, notice.line, first))


def _moved(file: ConfigurationFile, path: str, value: Node, first: int) -> ConfigurationFile:
    """What was read of a file in a ConfigMap, with the places of the file that the ConfigMap stands in."""

    def at(entry: ConfigEntry) -> ConfigEntry:
        return replace(entry, file=path, line=_line(value, entry.line, first), written=None)

    return replace(
        file,
        path=path,
        entries=tuple(at(entry) for entry in file.entries),
        warnings=tuple(_notice_moved(warning, path, value, first) for warning in file.warnings),
        policy=None if file.policy is None else at(file.policy),
        needs=tuple((since, at(entry)) for since, entry in file.needs),
    )
