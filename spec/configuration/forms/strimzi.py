"""Strimzi's resources: what they say of brokers, of topics, and of the clients of Kafka Connect.

What the operators apply, and what not, stands in Strimzi's source: TopicOperatorUtil.isManaged, ModelUtils.defaultResourceLabels (the
topics that an operator looks at have the label of its cluster), Annotations.isReconciliationPausedWithAnnotation, AbstractOperator,
EntityTopicOperator.fromCrd (which topics a cluster's own operator looks at), AbstractConnectOperator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText
from ..layers import CLUSTER as AT_RUN_TIME
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from ..storage import LOG_DIRS
from .connect import CONNECTOR as OF_CONNECTOR
from .connect import WORKER, of_connector, of_worker
from .mirrors import Direction, of_directions
from .other_brokers import of_service, service_at
from .yaml_documents import Listing, Mapping, Node, Scalar, whole_number

FORM = "Strimzi"
RESOURCE = re.compile(r"^[ \t]*(?:- )?['\"]?apiVersion['\"]?\s*:\s*['\"]?(?:kafka|core)\.strimzi\.io/", re.MULTILINE)
IN_JSON = re.compile(r'(?<!\\)"apiVersion"\s*:\s*"(?:kafka|core)\.strimzi\.io/')
CLUSTER = "strimzi.io/cluster"
KRAFT = "strimzi.io/kraft"
POOLS = "strimzi.io/node-pools"
MANAGED = "strimzi.io/managed"
PAUSED = "strimzi.io/pause-reconciliation"
OF_OPERATOR = ("broker.", "log.dir", "metadata.log.dir", "node.id", "process.roles")
"""Keys that begin so are the operator's own: what is written for them is not applied (KafkaClusterSpec.FORBIDDEN_PREFIXES)."""
IGNORED = "the operator sets this itself: it ignores what is written here."
BROKER, CONTROLLER = "broker", "controller"
TOPIC_OPERATOR = ("spec", "entityOperator", "topicOperator")
USES_CONNECTORS = "strimzi.io/use-connector-resources"
"""The annotation of a KafkaConnect whose connectors are resources; without it they are given by REST."""
ELSE = {
    "KafkaTopic": "Describe the topic with Kafka's tools.",
    "KafkaConnector": "Audit what runs: ask the workers.",
}
"""Resources that the operator applies only with the label of a cluster, of brokers or of the workers of Connect; what to do without."""

NEUTRAL = ("KafkaUser", "KafkaRebalance", "StrimziPodSet")
"""Resources that set nothing of what is read here: credentials, quotas, reassignments, pods."""
TOPIC_KEYS = frozenset(("topicName", "partitions", "replicas", "config"))


def is_strimzi(source: SourceText) -> bool:
    """Is some document of the text a resource of Strimzi?"""
    mark = IN_JSON if source.text.lstrip().startswith("{") else RESOURCE
    return mark.search(source.text) is not None


def is_of_strimzi(document: Node) -> TypeGuard[Mapping]:
    """Is this document a resource of Strimzi?"""
    return isinstance(document, Mapping) and RESOURCE.match(f"apiVersion: {document.text('apiVersion')}") is not None


def read_resources(documents: Sequence[Mapping], path: str) -> list[ConfigurationFile]:
    """What resources of Strimzi say. Raises ConfigurationError with everything that is not understood."""
    problems: list[Notice] = []
    found: list[ConfigurationFile] = []
    seen: dict[tuple[str, ...], int] = {}
    for document in documents:
        kind = document.text("kind")
        if kind == "KafkaNodePool":
            problems += () if _is_of_controllers(document) else _ephemeral(document, path, "spec", "storage")
        elif kind in _READERS:
            whose = (kind,) if kind == "Kafka" else (kind, topic_name(document) or "", cluster_of(document) or "")
            if whose in seen:
                name = document.text("metadata", "name")
                what = f"{kind} {name}, and another {kind} of it in line {seen[whose]}."
                why, advice = "It is not clear which is in force.", "Put each into a file of its own, and audit one."
                problems.append(Notice(what=what, why=why, advice=advice, file=path, line=document.line))
            seen.setdefault(whose, document.line)
            problems += _not_applied(document, kind, path)
            try:
                doubts = tuple(_not_ready(document, kind, path))
                namespace = document.text("metadata", "namespace")
                read = _READERS[kind](document, path)
                found += [replace(one, namespace=namespace, warnings=(*one.warnings, *doubts)) for one in read]
            except ConfigurationError as error:
                problems += error.problems
        elif kind not in NEUTRAL:
            what = f"a {kind} is not read." if kind else "this resource has no kind."
            advice = "Leave it out of a copy, and audit what it starts apart."
            problems.append(Notice(what=what, why=WHY, advice=advice, file=path, line=document.line))
    if problems:
        raise ConfigurationError(problems)
    found = [_with_nodes(file, documents, path) if file.role == "broker" else file for file in found]
    return [*found, *_controllers(documents, path)]


def _with_nodes(file: ConfigurationFile, documents: Sequence[Mapping], path: str) -> ConfigurationFile:
    """A cluster with what its nodes have: how many brokers there are, and on how many volumes each has its logs."""
    (kafka,) = (one for one in documents if one.text("kind") == "Kafka")
    pools = [one for one in documents if one.text("kind") == "KafkaNodePool" and cluster_of(one) == file.cluster]
    volumes = [kafka.at("spec", "kafka", "storage", "volumes")]
    volumes += [pool.at("spec", "storage", "volumes") for pool in pools if BROKER in _roles(pool)]
    several = [one for one in volumes if isinstance(one, Listing) and len(one.values) > 1]
    directories = [
        ConfigEntry(key=LOG_DIRS, value=",".join(_directories(one)), file=path, line=one.line, separator=":")
        for one in several[:1]
    ]
    return replace(file, brokers=_brokers(kafka, pools), entries=(*file.entries, *directories))


def _directories(volumes: Listing) -> Iterator[str]:
    """Where each volume of a node is mounted (VolumeUtils of Strimzi)."""
    for number, volume in enumerate(volumes.values):
        named = volume.text("id") if isinstance(volume, Mapping) else None
        yield f"/var/lib/kafka/data-{number if named is None else named}"


def _brokers(kafka: Mapping, pools: Sequence[Mapping]) -> int | None:
    """How many brokers a cluster has: those of its node pools, or of the resource itself if it has none; None if both may count."""
    own = kafka.text("spec", "kafka", "replicas")
    has_pools = own is None or kafka.text("metadata", "annotations", POOLS) == "enabled"
    if not has_pools and pools:
        return None
    counts = [_replicas(one) for one in pools if BROKER in _roles(one)] if has_pools else [whole_number(own)]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _replicas(pool: Mapping) -> int | None:
    """How many nodes a pool has; None if it does not say."""
    return whole_number(pool.text("spec", "replicas"))


def _roles(pool: Mapping) -> list[str]:
    """What the nodes of a pool are; brokers, if it does not say."""
    roles = pool.at("spec", "roles")
    named = [one.text or "" for one in roles.values if isinstance(one, Scalar)] if isinstance(roles, Listing) else []
    return named or [BROKER]


def _is_of_controllers(pool: Mapping) -> bool:
    """Does a pool have controllers that are no brokers, and say how many? What they lose is asked about in a section of its own."""
    return BROKER not in _roles(pool) and _replicas(pool) is not None


def _controllers(documents: Sequence[Mapping], path: str) -> Iterator[ConfigurationFile]:
    """What the operator writes for the controllers of each cluster, where all pools of controllers say how many they are.

    They are static voters (KafkaBrokerConfigurationBuilder.withKRaft), and a node formats its disk when it starts (kafka_run.sh).
    """
    pools: dict[str, list[Mapping]] = {}
    for pool in documents:
        if pool.text("kind") == "KafkaNodePool" and CONTROLLER in _roles(pool):
            pools.setdefault(cluster_of(pool) or "", []).append(pool)
    for cluster, of_cluster in pools.items():
        counts = [count for pool in of_cluster if (count := _replicas(pool)) is not None]
        if len(counts) < len(of_cluster):
            continue
        voters = ",".join(f"{number}@{cluster}" for number in range(sum(counts)))
        place = next(one.line for pool in of_cluster if (one := pool.at("spec", "replicas")) is not None)
        entries = [
            ConfigEntry(key=key, value=value, file=path, line=place, separator=":")
            for key, value in (("process.roles", CONTROLLER), ("controller.quorum.voters", voters))
        ]
        lost = next((notice for pool in of_cluster for notice in _ephemeral(pool, path, "spec", "storage")), None)
        yield ConfigurationFile(
            path=path,
            form=FORM,
            role="broker",
            cluster=cluster or None,
            entries=tuple(entries),
            forgets=None if lost is None else replace(entries[0], key="storage", value="ephemeral", line=lost.line),
        )


def _not_applied(document: Mapping, kind: str, path: str) -> Iterator[Notice]:
    """That the operator does not apply a resource, or may not: what is in it then says nothing of what runs."""
    advice = ELSE.get(kind, "Audit what runs: ask the brokers.")
    if kind in ELSE and not cluster_of(document):
        what = f"this {kind} has no label {CLUSTER}: the operator does not apply it."
        advice_of_label = f"Add the label with the name of the cluster, if it is applied. Else: {advice}"
        yield Notice(what=what, why=WHY, advice=advice_of_label, file=path, line=document.line)
    annotations = document.at("metadata", "annotations")
    if not isinstance(annotations, Mapping):
        return
    for name, applied, not_applied in ((PAUSED, "false", "true"), (MANAGED, "true", "false")):
        if name not in annotations.values or (name == MANAGED and kind != "KafkaTopic"):
            continue
        value = annotations.text(name)
        if value != applied:
            plainly = value is not None and value.lower() == not_applied
            what = f"{name} is {value if plainly else repr(value)}: the operator " + (
                "does not apply this." if plainly else "may not apply this, for it is neither true nor false."
            )
            yield Notice(what=what, why=WHY, advice=advice, file=path, line=annotations.lines[name])


def that_no_operator_applies(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """That a topic or a connector is a resource at which the operator of its cluster does not look, as the cluster's resource says."""
    owners = [one for one in files if one.form in (FORM, WORKER) and one.role != "topic"]
    for file in files:
        if file.role == "topic" and file.form == FORM:
            kind, own = "KafkaTopic", [one for one in owners if one.role == "broker" and one.cluster == file.cluster]
        elif file.form == OF_CONNECTOR and file.name is not None:
            kind, own = "KafkaConnector", [one for one in owners if (one.role, one.name) == (file.role, file.name)]
        else:
            continue
        for one in own:
            reason, advice = one.applies_none, "Add it, if this is applied."
            if not reason and one.applies_of is not None and (file.namespace or one.namespace) != one.applies_of:
                where = "names no namespace" if file.namespace is None else f"lies in namespace {file.namespace}"
                reason = f"it {where}, and the operator looks at namespace {one.applies_of}"
                advice = "Write that namespace, if it lies there."
            if reason:
                what = f"the operator does not apply this {kind}: {reason}."
                line = file.entries[0].line if file.entries else None
                yield Notice(what=what, why=WHY, advice=f"{advice} Else: {ELSE[kind]}", file=file.path, line=line)


def _not_ready(document: Mapping, kind: str, path: str) -> Iterator[Notice]:
    """The doubt about a resource whose status says that the operator has not applied it, or not yet."""
    why, advice = "What runs may differ from what is written here.", "Audit what the brokers themselves say."
    conditions = document.at("status", "conditions")
    for one in conditions.values if isinstance(conditions, Listing) else ():
        given = (one.text("type"), one.text("status")) if isinstance(one, Mapping) else ("", "")
        if given in (("Ready", "False"), ("NotReady", "True"), ("ReconciliationPaused", "True")):
            what = f"the status of this {kind} says that the operator has not applied it: {given[0]} is {given[1]}."
            yield Notice(what=what, why=why, advice=advice, file=path, line=one.line, decides=True)
    wanted, seen = document.text("metadata", "generation"), document.text("status", "observedGeneration")
    if wanted is not None and seen is not None and wanted != seen:
        what = f"the operator has seen generation {seen} of this {kind}, and this is generation {wanted}."
        yield Notice(what=what, why=why, advice=advice, file=path, line=document.line, decides=True)


def _kafka(document: Mapping, path: str) -> list[ConfigurationFile]:
    """A Kafka resource: `spec.kafka.config`, the version, and whether there is a ZooKeeper."""
    problems: list[Notice] = []
    kafka = document.at("spec", "kafka")
    if not isinstance(kafka, Mapping):
        what = "the resource has no spec.kafka."
        raise ConfigurationError([Notice(what=what, advice="Complete it.", file=path, line=document.line)])
    written = list(_config(kafka, path, problems))
    entries = [entry for entry in written if not entry.key.startswith(OF_OPERATOR)]
    warnings = [entry.notice(IGNORED, advice="Leave it out.") for entry in written if entry not in entries]
    entries += _mode(document, kafka, path, problems)
    problems += _ephemeral(document, path, "spec", "kafka", "storage")
    metadata = _plain(kafka, "metadataVersion", path, problems)
    if metadata is not None:
        entries.append(replace(_entry("metadata.version", metadata, path), layer=AT_RUN_TIME))
    version = _plain(kafka, "version", path, problems)
    release = None if version is None else _entry("version", version, path)
    if problems:
        raise ConfigurationError(problems)
    cluster = document.text("metadata", "name")
    return [
        ConfigurationFile(
            path=path,
            form=FORM,
            role="broker",
            cluster=cluster,
            entries=tuple(entries),
            release=release,
            warnings=tuple(warnings),
            applies_of=document.text(*TOPIC_OPERATOR, "watchedNamespace") or document.text("metadata", "namespace"),
            applies_none=""
            if isinstance(document.at(*TOPIC_OPERATOR), Mapping)
            else _lacking(document, ".".join(TOPIC_OPERATOR)),
        )
    ]


def _lacking(document: Mapping, what: str) -> str:
    return f"{document.text('kind')} {document.text('metadata', 'name') or ''} has no {what}"


def _mode(document: Mapping, kafka: Mapping, path: str, problems: list[Notice]) -> Iterator[ConfigEntry]:
    """Kafka's own key that shows with what the brokers run: ZooKeeper, or KRaft."""
    annotations = document.at("metadata", "annotations")
    given = _plain(annotations, KRAFT, path, problems) if isinstance(annotations, Mapping) else None
    said = None if given is None else given.text
    zookeeper = document.at("spec", "zookeeper")
    if said not in (None, "enabled", "disabled"):
        what, advice = f"{KRAFT} is {said!r}: the cluster is between two modes.", "Audit what it is before, and after."
        problems.append(Notice(what=what, why=WHY, advice=advice, file=path, line=document.line))
    if zookeeper is not None and said != "enabled":
        yield ConfigEntry(key="zookeeper.connect", value="Strimzi's", file=path, line=zookeeper.line, separator=":")
    else:
        yield ConfigEntry(key="process.roles", value="broker", file=path, line=kafka.line, separator=":")


def _topic(document: Mapping, path: str) -> list[ConfigurationFile]:
    """A KafkaTopic: its partitions, its replicas, and its configuration."""
    problems: list[Notice] = []
    spec = document.at("spec")
    if not isinstance(spec, Mapping):
        what = "the resource has no spec: every value would be a default."
        raise ConfigurationError([Notice(what=what, advice="Complete it.", file=path, line=document.line)])
    for key in spec.values:
        if key not in TOPIC_KEYS:
            what, advice = f"a KafkaTopic has no {key}.", f"It has {', '.join(sorted(TOPIC_KEYS))}."
            problems.append(Notice(what=what, why=WHY, advice=advice, key=key, file=path, line=spec.lines[key]))
    entries = []
    for key, kafka_key in (("partitions", "partitions"), ("replicas", "replication.factor")):
        value = spec.at(key)
        if isinstance(value, Scalar) and value.text is not None:
            entries.append(_entry(kafka_key, value, path))
        elif value is not None:
            problems.append(_no_value(key, path, spec.lines[key]))
    entries += _config(spec, path, problems)
    if problems:
        raise ConfigurationError(problems)
    name, cluster = topic_name(document), cluster_of(document)
    return [ConfigurationFile(path=path, form=FORM, role="topic", name=name, cluster=cluster, entries=tuple(entries))]


def _worker(document: Mapping, path: str) -> list[ConfigurationFile]:
    """A KafkaConnect: the workers' configuration stands in `spec.config`."""
    address = document.at("spec", "bootstrapServers")
    service = service_at(address.text or "") if isinstance(address, Scalar) else None
    if service is not None and address is not None:
        raise ConfigurationError([of_service(service, path, address.line)])
    uses = (document.text("metadata", "annotations", USES_CONNECTORS) or "").lower() == "true"
    none = "" if uses else _lacking(document, f'annotation {USES_CONNECTORS}: "true"')
    files = of_worker(path, _entries_of_connect(document, path), (), document.text("metadata", "name"))
    return [replace(file, applies_of=document.text("metadata", "namespace"), applies_none=none) for file in files]


def _connector(document: Mapping, path: str) -> list[ConfigurationFile]:
    """A KafkaConnector: the connector's configuration stands in `spec.config`."""
    entries, named = _entries_of_connect(document, path), document.at("spec", "class")
    if isinstance(named, Scalar) and named.text:
        entries.append(_entry("connector.class", named, path))
    problems = list(_not_running(document.at("spec"), path))
    if problems:
        raise ConfigurationError(problems)
    return of_connector(path, entries, (), cluster_of(document))


def _mirrors(document: Mapping, path: str) -> list[ConfigurationFile]:
    """A KafkaMirrorMaker2: its workers are those of the cluster that it copies into, its connectors stand in `spec.mirrors`.

    KafkaMirrorMaker2Connectors of Strimzi; `spec.target` and `source` of a mirror are the names of kafka.strimzi.io/v1.
    """
    problems: list[Notice] = []
    clusters = {name: one for one in _listed(document, "spec", "clusters") if (name := one.text("alias"))}
    target = document.at("spec", "target")
    into = target.text("alias") if isinstance(target, Mapping) else document.text("spec", "connectCluster")
    workers = target if isinstance(target, Mapping) else clusters.get(into or "")
    mirrors = _listed(document, "spec", "mirrors")
    if into is None or workers is None or not mirrors:
        what = "it does not say which cluster it copies from and into."
        raise ConfigurationError([Notice(what=what, why=WHY, advice="Complete it.", file=path, line=document.line)])
    service = service_at(workers.text("bootstrapServers") or "")
    if service is not None:
        raise ConfigurationError([of_service(service, path, workers.line)])
    worker = list(_config(workers, path, problems))
    directions = (_direction(one, into, worker, path, problems) for one in mirrors)
    found = [direction for direction in directions if direction is not None]
    if not found and not problems:
        what = "no mirror has a sourceConnector: nothing is copied."
        problems.append(Notice(what=what, advice="Leave it out of a copy.", file=path, line=document.line))
    if problems:
        raise ConfigurationError(problems)
    return of_directions(found, path)


def _direction(
    mirror: Mapping, into: str, worker: list[ConfigEntry], path: str, problems: list[Notice]
) -> Direction | None:
    """What a mirror copies into a cluster; None if it has no connector, or there is a problem with it."""
    source, connector = mirror.text("sourceCluster") or mirror.text("source", "alias"), mirror.at("sourceConnector")
    if source is None or mirror.text("targetCluster") not in (None, into):
        what = f"a mirror has no source, or copies into another cluster than {into}."
        problems.append(Notice(what=what, why=WHY, advice="Audit what runs.", file=path, line=mirror.line))
        return None
    if not isinstance(connector, Mapping):
        return None
    stopped = list(_not_running(connector, path))
    if stopped:
        problems += stopped
        return None
    at = ConfigEntry(key="sourceConnector", value="true", file=path, line=connector.line, separator=":")
    own = list(_config(connector, path, problems))
    return Direction(source=source, target=into, worker=worker, connector=own, at=at)


def _not_running(connector: Node | None, path: str) -> Iterator[Notice]:
    """That a connector is paused or stopped, if it is."""
    if not isinstance(connector, Mapping):
        return
    if connector.text("pause") == "true" or connector.text("state") not in (None, "running"):
        what = "this connector is paused or stopped: it copies nothing."
        yield Notice(what=what, why=WHY, advice="Leave it out of a copy.", file=path, line=connector.line)


def _listed(document: Mapping, *where: str) -> list[Mapping]:
    listed = document.at(*where)
    return [one for one in (listed.values if isinstance(listed, Listing) else ()) if isinstance(one, Mapping)]


ALWAYS_OF_CONNECT = ("bootstrapServers", "class")
"""What a KafkaConnect, or a KafkaConnector, has in any case; its config it may leave out."""


def _entries_of_connect(document: Mapping, path: str) -> list[ConfigEntry]:
    problems: list[Notice] = []
    spec = document.at("spec")
    if isinstance(spec, Mapping) and spec.at("config") is None and any(map(spec.at, ALWAYS_OF_CONNECT)):
        return []
    if not isinstance(spec, Mapping) or not isinstance(spec.at("config"), Mapping):
        what = "the resource has no spec.config."
        raise ConfigurationError([Notice(what=what, why=WHY, advice="Complete it.", file=path, line=document.line)])
    entries = list(_config(spec, path, problems))
    if problems:
        raise ConfigurationError(problems)
    return entries


def topic_name(document: Mapping) -> str | None:
    """How the brokers call the topic of a resource."""
    return document.text("spec", "topicName") or document.text("metadata", "name")


def cluster_of(document: Mapping) -> str | None:
    """The cluster that the label of a resource names."""
    labels = document.at("metadata", "labels")
    return labels.text(CLUSTER) if isinstance(labels, Mapping) else None


def _config(parent: Mapping, path: str, problems: list[Notice]) -> Iterator[ConfigEntry]:
    """Kafka's own keys, as they stand in `config`."""
    config = parent.at("config")
    if config is None or (isinstance(config, Scalar) and config.text is None):
        return
    if not isinstance(config, Mapping):
        problems.append(_no_value("config", path, config.line))
        return
    for key, value in config.values.items():
        if isinstance(value, Scalar) and value.text is not None:
            yield _entry(key, value, path, config.lines[key])
        else:
            problems.append(_no_value(key, path, config.lines[key]))


def _plain(parent: Mapping, key: str, path: str, problems: list[Notice]) -> Scalar | None:
    """The value of a key, if it is there; one with parts, or an empty one, goes to `problems`."""
    value = parent.at(key)
    if value is None or (isinstance(value, Scalar) and value.text):
        return value
    problems.append(_no_value(key, path, parent.lines[key]))
    return None


def _ephemeral(document: Mapping, path: str, *where: str) -> Iterator[Notice]:
    """That a pod that restarts comes back with an empty disk, if it is so."""
    storage, listed = document.at(*where), document.at(*where, "volumes")
    for volume in (storage, *(listed.values if isinstance(listed, Listing) else ())):
        if isinstance(volume, Mapping) and volume.text("type") == "ephemeral":
            what = "the storage is ephemeral: whatever restarts a pod loses its disk."
            why = "An audit assumes that a broker which restarts has its log."
            yield Notice(what=what, why=why, advice="Use persistent-claim.", key="storage", file=path, line=volume.line)


def _entry(key: str, value: Scalar, path: str, line: int | None = None) -> ConfigEntry:
    return ConfigEntry(key=key, value=value.text or "", file=path, line=line or value.line, separator=":")


def _no_value(key: str, path: str, line: int) -> Notice:
    what = "its value has parts, or is empty."
    return Notice(what=what, why=WHY, advice="Write a plain value.", key=key, file=path, line=line)


_READERS = {
    "Kafka": _kafka,
    "KafkaTopic": _topic,
    "KafkaConnect": _worker,
    "KafkaConnector": _connector,
    "KafkaMirrorMaker2": _mirrors,
}
