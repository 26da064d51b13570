"""What `terraform show -json` prints of a state or a plan: topics, and the clusters of Amazon MSK and Aiven."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .properties_file import parse_properties
from .services import (
    AIVEN,
    AIVEN_SOURCE,
    DEPLOYING,
    MSK_BY_ZONES,
    MSK_SOURCE,
    NEUTRAL,
    REFUSED,
    RELATED,
    TOPICS,
    TopicResource,
    msk_defaults,
)

FORM = "Terraform"
MARK = re.compile(r'^\s*\{(?=.*"format_version"\s*:)', re.DOTALL)
ADDRESS = re.compile(r'"address"\s*:')
DISKLESS = ("diskless.enable", "inkless.enable")
REPLICA_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


@dataclass(frozen=True, kw_only=True)
class _Resource:
    """A resource of a state or a plan, with where each of its attributes stands, as near as the text shows it."""

    address: str
    type: str
    values: Mapping[str, Any]
    unknown: Mapping[str, Any]
    is_data: bool
    path: str
    text: str
    start: int
    end: int

    def line(self, key: str | None = None) -> int:
        """The line of an attribute, or of the resource."""
        found = re.compile(rf'"{re.escape(key)}"\s*:').search(self.text, self.start, self.end) if key else None
        return self.text.count("\n", 0, found.start() if found else self.start) + 1

    def notice(
        self, what: str, why: str = WHY, advice: str = "", key: str | None = None, *, decides: bool = False
    ) -> Notice:
        where = f"{self.address}: {what}"
        return Notice(what=where, why=why, advice=advice, file=self.path, line=self.line(key), decides=decides)

    def entry(self, key: str, value: object, attribute: str) -> ConfigEntry:
        """An attribute as an entry of Kafka's."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return ConfigEntry(key=key, value=text, file=self.path, line=self.line(attribute), separator=":")


def is_terraform(source: SourceText) -> bool:
    """Is this JSON with a `format_version`, as Terraform and OpenTofu print it?"""
    return MARK.match(source.text) is not None


def read_terraform(source: SourceText) -> list[ConfigurationFile]:
    """The topics and clusters of a state or a plan. Raises ConfigurationError with everything that is not understood."""
    problems: list[Notice] = []
    found: list[ConfigurationFile] = []
    resources = [one for one in _resources(source, problems) if one.type not in NEUTRAL and _is_related(one)]
    for resource in resources:
        try:
            found += _read(resource, resources)
        except ConfigurationError as error:
            problems += error.problems
    if not found and not problems:
        what = "it holds no topic and no cluster of Kafka's that is read here."
        advice = f"Read are {', '.join((*TOPICS, 'aiven_kafka', 'aws_msk_cluster', 'aws_msk_configuration'))}."
        problems.append(source.notice(what, advice=advice))
    if problems:
        raise ConfigurationError(problems)
    return found


def _is_related(resource: _Resource) -> bool:
    """Has a resource to do with Kafka, by its type, or by what it deploys?"""
    deploys = resource.type in DEPLOYING and "kafka" in json.dumps(resource.values).lower()
    return deploys or re.fullmatch(RELATED, resource.type) is not None


def _read(resource: _Resource, resources: Sequence[_Resource]) -> Iterator[ConfigurationFile]:
    """What one of the resources says. Raises ConfigurationError if it is not read, or not understood."""
    configurations = [one for one in resources if one.type == "aws_msk_configuration"]
    if resource.is_data:
        what = "this is a data source, which shows a part of a cluster that is set up elsewhere."
        advice = "Audit the state that it is set up in, or what Kafka's tools print, and leave it out of a copy."
        raise ConfigurationError([resource.notice(what, advice=advice)])
    if resource.type in TOPICS:
        yield _topic(resource, TOPICS[resource.type])
    elif resource.type == "aiven_kafka":
        yield _aiven(resource)
    elif resource.type == "aws_msk_cluster":
        yield _msk(resource, configurations)
    elif resource not in configurations:
        reason = next((f": {why}" for pattern, why in REFUSED if re.fullmatch(pattern, resource.type)), "")
        advice = "Audit the configuration that it stands for, or leave the resource out of a copy."
        raise ConfigurationError([resource.notice(f"a {resource.type} is not read{reason}.", advice=advice)])
    elif not any(one.type == "aws_msk_cluster" for one in resources):
        yield _msk_configuration(resource)


def _resources(source: SourceText, problems: list[Notice]) -> Iterator[_Resource]:
    """Every resource, also of the modules within modules. Raises ConfigurationError for what is no output of Terraform's."""
    document = _document(source)
    planned = document.get("planned_values")
    values = planned if planned is not None else document.get("values")
    if document.get("errored") is True or document.get("complete") is False:
        what = "this plan is not complete."
        problems.append(source.notice(what, WHY, "Plan again, until terraform reports no error and defers nothing."))
    if not isinstance(values, dict) or not isinstance(values.get("root_module"), dict):
        what = "it has no values of resources, neither planned nor of a state."
        raise ConfigurationError(
            [source.notice(what, advice="Write what `terraform show -json` prints of a state or a plan.")]
        )
    unknown = {
        change.get("address"): change["change"].get("after_unknown") or {}
        for change in _listed(document, "resource_changes")
        if isinstance(change.get("change"), dict)
    }
    for one in _of_module(values["root_module"]):
        address, kind, attributes = one.get("address"), one.get("type"), one.get("values")
        if not isinstance(address, str) or not isinstance(kind, str) or not isinstance(attributes, dict | None):
            what = "a resource has no address, no type, or no values."
            problems.append(source.notice(what, WHY, "Write the output of Terraform into the file, unchanged."))
            continue
        start = _start(source.text, address)
        after = ADDRESS.search(source.text, start + len('"address"'))
        missing = unknown.get(address) if planned is not None else {}
        yield _Resource(
            address=address,
            type=kind,
            values=attributes or {},
            unknown=missing if isinstance(missing, dict) else {},
            is_data=one.get("mode") == "data",
            path=source.path,
            text=source.text,
            start=start,
            end=after.start() if after else len(source.text),
        )


def _start(text: str, address: str) -> int:
    """Where the first resource of an address begins in the text."""
    written = re.escape(json.dumps(address, ensure_ascii=False))
    found = re.search(rf'"address"\s*:\s*{written}', text)
    return found.start() if found else 0


def _document(source: SourceText) -> dict[str, Any]:
    """The one object of a JSON text, in which no key is there twice. Numbers stay texts."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            what, why = f"{twice!r} is there twice in one object.", "Programs take the one or the other."
            raise ConfigurationError(
                [source.notice(what, why, "Write the output of Terraform into the file, unchanged.")]
            )
        return dict(pairs)

    try:
        found = json.loads(source.text, object_pairs_hook=unique, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        what = f"this is no valid JSON: {error.msg}."
        raise ConfigurationError([source.notice(what, advice="Print it again.", line=error.lineno)]) from None
    except RecursionError:
        what, why = "it is nested too deeply.", "A configuration is not."
        raise ConfigurationError([source.notice(what, why, "Check the path.")]) from None
    return dict(found)


def _listed(parent: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = parent.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _of_module(module: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _listed(module, "resources")
    for child in _listed(module, "child_modules"):
        yield from _of_module(child)


def _topic(resource: _Resource, read: TopicResource) -> ConfigurationFile:
    """A topic with its keys. Raises ConfigurationError with what is not understood in it."""
    problems = list(_unknown(resource, (read.name, read.config, *read.keys)))
    for key, value in resource.values.items():
        if key not in read.attributes and value not in (None, "", [], {}, False):
            advice = "Leave it out of a copy, if it sets nothing of Kafka's."
            problems.append(resource.notice(f"{key} is not known in a {resource.type}.", advice=advice, key=key))
    name = resource.values.get(read.name)
    if not isinstance(name, str) or not name:
        problems.append(resource.notice(f"it has no {read.name}.", advice="Complete it."))
    entries: list[ConfigEntry] = []
    for attribute, key in read.keys.items():
        value = resource.values.get(attribute)
        if value not in (None, ""):
            entries += _plain(resource, key, value, attribute, problems)
    entries += _config(resource, read.config, resource.values.get(read.config), problems, dotted=read.block)
    problems += duplicates(entries, "Which of them is in force is not known.")
    if problems:
        raise ConfigurationError(problems)
    cluster = resource.values.get(read.cluster) if read.cluster else None
    missing = [key for key in read.unset if key not in {entry.key for entry in entries}]
    what = f"it does not set {' and '.join(missing)}, and what the brokers of the service take is not known."
    doubts = (resource.notice(what, WHY, f"Write them into {read.config}.", decides=True),) if missing else ()
    return ConfigurationFile(
        path=resource.path,
        form=FORM,
        role="topic",
        name=name,
        cluster=cluster if isinstance(cluster, str) else None,
        entries=tuple(entries),
        warnings=doubts,
    )


def _plain(
    resource: _Resource, key: str, value: object, attribute: str, problems: list[Notice]
) -> Iterator[ConfigEntry]:
    if isinstance(value, str | bool):
        entry = resource.entry(key, value, attribute)
        if key in DISKLESS and entry.value != "false":
            what = f"{key} is {entry.value}: the brokers do not replicate this topic themselves."
            problems.append(resource.notice(what, "That is not modelled.", "It cannot be audited.", attribute))
        yield entry
    else:
        problems.append(
            resource.notice(f"{attribute} has no plain value.", advice="Write a plain value.", key=attribute)
        )


def _config(
    resource: _Resource, attribute: str, value: object, problems: list[Notice], *, dotted: bool
) -> Iterator[ConfigEntry]:
    """The keys in an attribute: an object, or a block, which is a list of one object."""
    blocks: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
    if len(blocks) > 1 or not all(isinstance(one, dict) for one in blocks):
        problems.append(resource.notice(f"{attribute} is no block of keys.", advice="Write one block.", key=attribute))
        return
    for key, found in blocks[0].items() if blocks else ():
        if found is None or (dotted and found in ("", [])):
            continue
        yield from _plain(resource, key.replace("_", ".") if dotted else key, found, key, problems)


def _unknown(resource: _Resource, attributes: Sequence[str]) -> Iterator[Notice]:
    """The attributes that are read and of which a plan does not know the values yet."""
    for attribute in attributes:
        if _any_true(resource.unknown.get(attribute)):
            what = f"{attribute} is known only after the plan is applied."
            yield resource.notice(what, "It decides.", "Apply it, and audit the state: terraform show -json.")


def _any_true(value: object) -> bool:
    """Is there a true in it, at any depth?"""
    if isinstance(value, dict):
        return any(_any_true(one) for one in value.values())
    return any(_any_true(one) for one in value) if isinstance(value, list) else value is True


def _block(resource: _Resource, values: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A block, which is an object or a list of one; empty if there is none. Raises ConfigurationError for anything else."""
    found = values.get(key)
    one = found[0] if isinstance(found, list) and len(found) == 1 else found
    if one not in (None, []) and not isinstance(one, dict):
        raise ConfigurationError([resource.notice(f"{key} is no block of keys.", advice="Write one block.", key=key)])
    return dict(one or {})


def _aiven(resource: _Resource) -> ConfigurationFile:
    """A service of Aiven's: its broker's keys, its version, and Aiven's defaults."""
    problems = list(_unknown(resource, ("kafka_user_config",)))
    user = _block(resource, resource.values, "kafka_user_config")
    if _block(resource, user, "kafka_diskless").get("enabled") is True:
        what = "kafka_diskless is enabled: topics may be replicated by no broker."
        problems.append(resource.notice(what, "That is not modelled.", "It cannot be audited.", "kafka_diskless"))
    entries = list(_config(resource, "kafka", user.get("kafka"), problems, dotted=True))
    if _block(resource, user, "follower_fetching").get("enabled") is True:
        entries.append(resource.entry("replica.selector.class", REPLICA_SELECTOR, "follower_fetching"))
    entries, warnings = _with_defaults(resource, entries, AIVEN, AIVEN_SOURCE)
    version = user.get("kafka_version")
    if problems:
        raise ConfigurationError(problems)
    return _brokers(resource, "service_name", entries, warnings, version)


def _msk(resource: _Resource, configurations: Sequence[_Resource]) -> ConfigurationFile:
    """A cluster of Amazon MSK: its version, the configuration that it takes, and Amazon's defaults."""
    problems = list(_unknown(resource, ("kafka_version", "configuration_info", "storage_mode")))
    nodes = _block(resource, resource.values, "broker_node_group_info")
    if str(nodes.get("instance_type", "")).startswith("express."):
        what, why = "its brokers are Express brokers.", "They store and copy records in a way of their own."
        problems.append(resource.notice(what, why, "They cannot be audited.", "instance_type"))
    subnets = nodes.get("client_subnets")
    unseen = _any_true(_block(resource, resource.unknown, "broker_node_group_info").get("client_subnets"))
    if unseen or not isinstance(subnets, list) or len(subnets) not in MSK_BY_ZONES:
        what = "how many zones it has is not given: client_subnets are not two or three subnets."
        problems.append(
            resource.notice(
                what, "Amazon's defaults depend on it.", "Apply the plan, and audit the state.", "client_subnets"
            )
        )
    entries: list[ConfigEntry] = []
    taken = _block(resource, resource.values, "configuration_info")
    if taken:
        arn, revision = taken.get("arn"), taken.get("revision")
        same = [
            one
            for one in configurations
            if one.values.get("arn") == arn and one.values.get("latest_revision") == revision
        ]
        if same:
            entries += _properties(same[0], problems)
        else:
            what = f"it takes its configuration from {arn}, revision {revision}, which is not in this file."
            problems.append(resource.notice(what, advice="Audit a state that has it.", key="configuration_info"))
    version = resource.values.get("kafka_version")
    if problems:
        raise ConfigurationError(problems)
    defaults = msk_defaults(len(subnets) if subnets else None, tiered=resource.values.get("storage_mode") == "TIERED")
    entries, warnings = _with_defaults(resource, entries, defaults, MSK_SOURCE)
    if isinstance(version, str) and not version.startswith(("4.", "5.")):
        mode = ("process.roles", "broker") if version.endswith(".kraft") else ("zookeeper.connect", "Amazon's")
        entries.append(resource.entry(*mode, "kafka_version"))
    return _brokers(resource, "cluster_name", entries, warnings, version)


def _msk_configuration(resource: _Resource) -> ConfigurationFile:
    """A configuration of Amazon MSK without the cluster that takes it: it must set what the number of zones decides."""
    problems = list(_unknown(resource, ("server_properties",)))
    entries = _properties(resource, problems)
    keys = {entry.key for entry in entries}
    for key in MSK_BY_ZONES[3]:
        if key not in keys:
            what = f"{key} is not set, and Amazon's default for it depends on how many zones the cluster has."
            problems.append(resource.notice(what, MSK_SOURCE, "Set it, or audit a state that has the cluster too."))
    if problems:
        raise ConfigurationError(problems)
    entries, warnings = _with_defaults(resource, entries, msk_defaults(None, tiered=False), MSK_SOURCE)
    versions = resource.values.get("kafka_versions")
    version = versions[0] if isinstance(versions, list) and len(versions) == 1 else None
    return _brokers(resource, "name", entries, warnings, version)


def _properties(resource: _Resource, problems: list[Notice]) -> list[ConfigEntry]:
    """The keys in `server_properties`, all of which stand in one line of JSON."""
    text = resource.values.get("server_properties")
    if not isinstance(text, str):
        problems.append(resource.notice("it has no server_properties.", advice="Complete it."))
        return []
    try:
        parsed, _ = parse_properties(text, resource.path)
    except ConfigurationError as error:
        problems += [resource.notice(one.what, one.why, one.advice, "server_properties") for one in error.problems]
        return []
    entries = [resource.entry(entry.key, entry.value, "server_properties") for entry in parsed]
    problems += duplicates(entries)
    return entries


def _with_defaults(
    resource: _Resource, entries: Sequence[ConfigEntry], defaults: Mapping[str, str], source: str
) -> tuple[list[ConfigEntry], list[Notice]]:
    """The entries with what a service takes for those that are not there, and what is to be said of it."""
    keys = {entry.key for entry in entries}
    added = [resource.entry(key, value, "address") for key, value in defaults.items() if key not in keys]
    warnings = [
        entry.notice(f"{resource.address} does not set it: the service takes {entry.value}.", source) for entry in added
    ]
    return [*entries, *added], warnings


def _brokers(
    resource: _Resource, name: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice], version: object
) -> ConfigurationFile:
    release = None
    if isinstance(version, str) and version:
        plain = re.match(r"\d+(?:\.\d+)*", version)
        release = resource.entry("kafka_version", plain[0] if plain else version, "kafka_version")
    cluster = resource.values.get(name)
    return ConfigurationFile(
        path=resource.path,
        form=FORM,
        role="broker",
        cluster=cluster if isinstance(cluster, str) else None,
        entries=tuple(entries),
        warnings=tuple(warnings),
        release=release,
    )
