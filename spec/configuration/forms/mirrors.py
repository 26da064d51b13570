"""MirrorMaker 2: the producer that copies records into a cluster, and the topics that it creates there.

MirrorMakerConfig of Kafka: a direction `a->b` runs as source connectors on a worker that has what follows `b.`; what follows `a->b.`
is the connectors'. So Connect's own values count first, then `b.producer.*`, then `a->b.producer.override.*`. `a->b.producer.*` is for
MirrorMaker's record of offsets alone. MirrorSourceConfig: new topics have `replication.factor`, which is 2 if nothing sets it, and
all settings of the source's topic but those that `config.properties.exclude` names, of which min.insync.replicas is one by default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..clients import CONNECT
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, below, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .connect import SINCE_ALLOWED, SINCE_OVERRIDES, TOLERANCE, of_worker, that_leave_out
from .foreign import refuse_other_syntax
from .foreign_keys import decides_elsewhere
from .other_brokers import of_service, service_at
from .properties_file import parse_properties

FORM, NEW_TOPICS = "MirrorMaker", "new topics of MirrorMaker"
COPIES = "copies between clusters"
MARK = re.compile(r"^[ \t]*[\w.\-]+->[\w.\-]+\.[\w.\-]+[ \t]*[=:]", re.MULTILINE)
PLAIN_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*(?:->[A-Za-z0-9_][A-Za-z0-9_.\-]*)?")
ARROW = re.compile(r"(?P<source>[\w.\-]+)->(?P<rest>[\w.\-]+)")
CLUSTERS, ENABLED, REPLICAS = "clusters", "enabled", "replication.factor"
REPLICAS_BY_DEFAULT, OF_BROKERS = "2", "-1"
OVERRIDE = "producer.override."
OF_CLIENTS = ("producer.override.", "consumer.override.", "admin.override.", "consumer.", "admin.")
"""How keys of a connector begin that are handed on to clients; its consumer decides nothing in the cluster that it writes to."""
OWN_TOPIC = re.compile(r"(?:offset-syncs|heartbeats|checkpoints)\.topic\.replication\.factor")
COPIED_SETTINGS = (
    *("config.properties.exclude", "config.properties.blacklist", "config.property.filter.class"),
    "use.defaults.from",
)
"""Keys that say which settings of a topic are copied."""
FOR_ALL = (REPLICAS, ENABLED, TOLERANCE, *COPIED_SETTINGS)
"""Keys of a connector that may stand without a direction before them."""


@dataclass(frozen=True, kw_only=True)
class Direction:
    """Records go from one cluster to another, with what the worker and the connector have; `at` is where it is enabled."""

    source: str
    target: str
    worker: Sequence[ConfigEntry]
    connector: Sequence[ConfigEntry]
    at: ConfigEntry

    @property
    def name(self) -> str:
        """How MirrorMaker's file calls it."""
        return f"{self.source}->{self.target}"


def is_mirror(source: SourceText) -> bool:
    """Has it a key that is for one direction?"""
    return not source.text.lstrip().startswith("{") and MARK.search(source.text) is not None


def read_mirror(source: SourceText) -> list[ConfigurationFile]:
    """The producers of the directions that are enabled, with the topics that they create. Raises ConfigurationError."""
    entries, warnings = parse_properties(source.text, source.path)
    refuse_other_syntax(source.text, entries, source.path, lambda key: True, PLAIN_KEY)
    problems = duplicates(entries)
    given = {entry.key: entry for entry in entries}
    clusters = [name.strip() for name in given[CLUSTERS].value.split(",")] if CLUSTERS in given else []
    if len(clusters) < 2:
        what = f"{CLUSTERS} does not name the clusters."
        problems.append(source.notice(what, "MirrorMaker copies nothing.", f"Write {CLUSTERS}=a, b."))
    problems += _of_no_cluster(entries, clusters)
    directions = list(_enabled(entries, clusters))
    for target in dict.fromkeys(one.target for one in directions):
        address = given.get(f"{target}.bootstrap.servers")
        service = None if address is None else service_at(address.value)
        if address is not None and service is not None:
            problems.append(of_service(service, source.path, address.line or 1))
    if not directions and not problems:
        what, advice = (
            "no direction is enabled: MirrorMaker copies nothing.",
            "Write a->b.enabled=true, or leave it out.",
        )
        problems.append(source.notice(what, advice=advice))
    if problems:
        raise ConfigurationError(problems)
    return of_directions(directions, source.path, warnings)


def of_directions(
    directions: Sequence[Direction], path: str, warnings: Sequence[Notice] = ()
) -> list[ConfigurationFile]:
    """The producer of each direction, with the topics that it creates. Raises ConfigurationError."""
    files: list[ConfigurationFile] = []
    problems: list[Notice] = []
    for one in directions:
        try:
            files.append(_producer(one, path, warnings))
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(dict.fromkeys(problems))
    targets = sorted({one.target for one in directions})
    if len(targets) > 1:
        what = f"this copies into the clusters {', '.join(targets)}, and one cluster is audited."
        advice = "Audit each cluster with a copy in which only its own directions are enabled."
        doubt = replace(directions[0].at.notice(what, "Their brokers may differ.", advice), decides=True)
        files = [replace(file, warnings=(*file.warnings, doubt)) for file in files]
    return files


def _enabled(entries: Sequence[ConfigEntry], clusters: Sequence[str]) -> Iterator[Direction]:
    """The directions that are enabled: each by itself, or all of them."""
    given = {entry.key: entry for entry in entries}
    shared = [entry for entry in entries if entry.key in FOR_ALL]
    for source in clusters:
        for target in clusters:
            at = given.get(f"{source}->{target}.{ENABLED}") or given.get(ENABLED)
            if source == target or at is None or at.value.strip().lower() != "true":
                continue
            own = below(entries, f"{source}->{target}.")
            set_here = {entry.key for entry in own}
            connector = [*own, *(entry for entry in shared if entry.key not in set_here)]
            worker = below(entries, f"{target}.")
            yield Direction(source=source, target=target, worker=worker, connector=connector, at=at)


def _producer(one: Direction, path: str, warnings: Sequence[Notice]) -> ConfigurationFile:
    problems = list(_unclear(one))
    if problems:
        raise ConfigurationError(problems)
    worker = next(file for file in of_worker(path, one.worker, warnings) if file.role == "producer")
    own = below(one.connector, OVERRIDE)
    set_here = {entry.key for entry in own}
    since = SINCE_ALLOWED if worker.policy is None else SINCE_OVERRIDES
    return replace(
        worker,
        form=FORM,
        name=one.name,
        entries=(*own, *(entry for entry in worker.entries if entry.key not in set_here)),
        warnings=(*worker.warnings, *that_leave_out(one.connector)),
        needs=(*worker.needs, *((since, entry) for entry in own)),
        creates=(_new_topics(one, path),),
        beyond=((COPIES, one.at),),
        policy=None,
        creation=None,
    )


def _new_topics(one: Direction, path: str) -> ConfigurationFile:
    given = {entry.key: entry for entry in one.connector}
    replicas, warnings = given.get(REPLICAS), list(_about_copied_settings(one))
    if replicas is None:
        replicas = replace(one.at, key=REPLICAS, value=REPLICAS_BY_DEFAULT, written=None)
        what = f"{REPLICAS} is not set: new topics of {one.name} have {REPLICAS_BY_DEFAULT} replicas."
        warnings.append(one.at.notice(what, advice=f"Write {REPLICAS}=3."))
    return ConfigurationFile(
        path=path,
        form=NEW_TOPICS,
        role="topic",
        name=f"new topics of {one.name}",
        entries=() if replicas.value.strip() == OF_BROKERS else (replicas,),
        warnings=tuple(warnings),
        client=CONNECT,
    )


def _about_copied_settings(one: Direction) -> Iterator[Notice]:
    for entry in one.connector:
        if entry.key in COPIED_SETTINGS:
            what = "this changes which settings new topics take from those of the source."
            why = "Without it min.insync.replicas and unclean.leader.election.enable are those of the brokers."
            yield entry.notice(what, why, "Describe the topics of the target with Kafka's tools.", decides=True)


def _unclear(one: Direction) -> Iterator[Notice]:
    """The connector's keys that are not handed on to the producer, but end as one that decides."""
    for entry in one.connector:
        own = entry.key.startswith(OF_CLIENTS) or entry.key == REPLICAS or OWN_TOPIC.fullmatch(entry.key)
        meant = None if own else decides_elsewhere(entry.key)
        if meant is not None:
            what = f"it ends as one that decides: {meant}; and MirrorMaker's producer does not take it from here."
            advice = f"Write it as {one.target}.producer.*, or leave it out of a copy."
            yield entry.notice(what, WHY, advice)


def _of_no_cluster(entries: Sequence[ConfigEntry], clusters: Sequence[str]) -> Iterator[Notice]:
    """The keys of a direction between clusters that are not named, and other keys that could decide and are nobody's."""
    names = "|".join(map(re.escape, clusters))
    known = re.compile(rf"(?:{names})->(?:{names})\..+|(?:{names})\..+|(?:offset|config|status)\.storage\..+")
    for entry in entries:
        if (clusters and known.fullmatch(entry.key)) or entry.key in FOR_ALL or OWN_TOPIC.fullmatch(entry.key):
            continue
        if ARROW.match(entry.key):
            what = f"{CLUSTERS} does not name both clusters of this direction."
            yield entry.notice(what, "It has no effect.", f"Name them in {CLUSTERS}, or leave it out.")
        elif decides_elsewhere(entry.key) is not None:
            what = f"it ends as one that decides: {decides_elsewhere(entry.key)}; and it is of no cluster."
            why = "Of such keys each release hands on others."
            yield entry.notice(what, why, "Write the name of the cluster before it: b.producer.acks.")
