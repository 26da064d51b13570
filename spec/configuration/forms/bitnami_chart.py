"""Values of Bitnami's chart kafka: up to version 23 they become variables of the image, from 24 on files server.properties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..configuration_file import ConfigEntry, ConfigurationFile, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from ..versions import at_least, version_line
from .chart_values import (
    FORM,
    SERVER_PROPERTIES,
    TEMPLATE,
    TWICE,
    Values,
    assumed,
    container_of,
    count_of,
    ephemeral,
    finished,
    is_empty,
    outside_of,
    plain_keys,
    that_may_set,
    with_defaults,
)
from .charts import (
    BITNAMI_DISK,
    BITNAMI_SOURCE,
    FROM_32,
    MAY_SET,
    NEW_CHART,
    NEW_COUNTS,
    OF_BITNAMI,
    OF_NUMBERS,
    OF_SCRIPTS,
    OF_TOPICS,
    OLD_COUNT,
    OLD_DEFAULTS,
    OLD_KEYS,
    TO_31,
)
from .containers import NEEDS_ITS_LOG, ROLES, Broker, broker_of, release_of
from .foreign import refuse_foreign
from .images import BITNAMI
from .properties_file import parse_properties
from .variables import Variable
from .yaml_documents import Listing, Mapping, Node, Scalar

SERVER_FILE = "server.properties"
PROTOCOL = "inter.broker.protocol.version"


def read_old_bitnami(values: Values) -> list[ConfigurationFile]:
    """Bitnami's kafka up to 23: values that become variables of the image, and `extraEnvVars` after them."""
    problems: list[Notice] = []
    parts, path = values.parts, values.path
    variables = []
    for key, kafka_key in OLD_KEYS.items():
        value = parts.at(key)
        if value is None:
            continue
        if isinstance(value, Scalar) and value.text:
            name = f"{BITNAMI.prefix}{kafka_key.upper().replace('.', '_')}"
            text = value.text.replace("_", "") if key in OF_NUMBERS else value.text
            variables.append(Variable(name=name, value=text, file=path, line=parts.lines[key]))
        else:
            problems.append(values.notice("its value has parts, or is empty.", line=parts.lines[key], key=key))
    more = list(_extra_variables(parts.at("extraEnvVars"), values, problems))
    replaced = {one.name for one in more}
    variables = [*(one for one in variables if one.name not in replaced), *more]
    if not is_empty(parts.at("config")):
        what, why = "config is not read.", "Whether the variables go before it depends on the image."
        problems.append(values.notice(what, why, f"{TEMPLATE}.", parts.lines["config"]))
    problems += that_may_set(parts, values, MAY_SET - {"extraEnvVars"})
    problems += ephemeral(parts, values, "persistence")
    container = container_of(values, "kafka", variables, *_named(values, problems))
    doubts = [assumed(values, "Bitnami's chart kafka up to 23", BITNAMI_SOURCE, "")]
    broker = broker_of(container, replace(BITNAMI, ships={}), problems, form=FORM, takes=TWICE, doubts=doubts)
    problems += outside_of(parts.text("persistence", "mountPath") or BITNAMI_DISK, broker)
    broker = with_defaults(
        broker, {OLD_KEYS[key]: value for key, value in OLD_DEFAULTS.items()}, values, BITNAMI_SOURCE
    )
    mode = _mode(values, problems)
    if mode is not None:
        broker = replace(broker, entries=(*broker.entries, mode))
    broker = replace(broker, count=count_of(parts, "replicaCount", OLD_COUNT, values, problems))
    return finished([broker], list(_topics(values, problems)), values, problems)


def _extra_variables(node: Node | None, values: Values, problems: list[Notice]) -> Iterator[Variable]:
    """The variables that are added to a container, as Kubernetes writes them."""
    if is_empty(node) or node is None:
        return
    for one in node.values if isinstance(node, Listing) else (node,):
        name = one.text("name") if isinstance(one, Mapping) else None
        value = one.at("value") if isinstance(one, Mapping) else None
        if not isinstance(one, Mapping) or not name or not isinstance(value, Scalar):
            problems.append(
                values.notice("this is no variable with a plain value.", WHY, "Write name and value.", one.line)
            )
        else:
            yield Variable(name=name, value=value.text or "", file=values.path, line=value.line)


def _mode(values: Values, problems: list[Notice]) -> ConfigEntry | None:
    """The key that shows with what the brokers run: with ZooKeeper, or in KRaft mode, which is the default from 22 on."""
    parts = values.parts
    kraft, zookeeper = parts.text("kraft", "enabled"), parts.text("zookeeper", "enabled")
    outside = not is_empty(parts.at("externalZookeeper", "servers"))
    has_zookeeper = zookeeper == "true" or outside
    if values.chart == NEW_CHART:
        kraft = kraft or "true"
    problems += [
        values.notice(f"{given!r} is neither true nor false.", advice="Write true or false.")
        for given in (kraft, zookeeper)
        if given not in (None, "true", "false")
    ]
    if kraft == "true" and has_zookeeper:
        what = "both kraft and a ZooKeeper are turned on: the cluster is between two modes."
        problems.append(values.notice(what, WHY, "Audit what it is before, and after."))
    if kraft == "true":
        return ConfigEntry(key="process.roles", value="broker", file=values.path, line=parts.line, separator=":")
    if kraft == "false" or has_zookeeper:
        return ConfigEntry(
            key="zookeeper.connect", value="the chart's", file=values.path, line=parts.line, separator=":"
        )
    return None


def read_new_bitnami(values: Values) -> list[ConfigurationFile]:
    """Bitnami's kafka from 24 on: it writes a server.properties for the controllers and one for the brokers."""
    problems: list[Notice] = []
    parts = values.parts
    mode = _mode(values, problems)
    release_at: list[Notice] = []
    name, at = _named(values, problems)
    release = release_of(container_of(values, "kafka", (), name, at), BITNAMI, problems, release_at)
    problems += _of_another_version(values, release)
    problems += that_may_set(parts, values, MAY_SET)
    doubts = [assumed(values, _versions_of(values), BITNAMI_SOURCE, SERVER_PROPERTIES), *release_at]
    brokers = []
    for role, default in NEW_COUNTS.items():
        own = parts.at(role)
        own = own if isinstance(own, Mapping) else Mapping(parts.line)
        count = count_of(own, "replicaCount", default, values, problems)
        in_kraft = mode is not None and mode.key == ROLES
        if count == 0 or (role == "controller" and not in_kraft):
            continue
        broker = Broker(
            container=container_of(values, role, (), name, at),
            image=replace(BITNAMI, ships={}),
            release=release,
            entries=_configured(role, own, mode, values, problems),
            warnings=tuple(doubts),
            count=count,
        )
        problems += that_may_set(own, values, MAY_SET)
        problems += ephemeral(own, values, "persistence")
        problems += outside_of(own.text("persistence", "mountPath") or BITNAMI_DISK, broker)
        brokers.append(broker)
    if not brokers and not problems:
        problems.append(
            values.notice("these values start no broker.", WHY, "Set replicaCount of broker or of controller.")
        )
    return finished(brokers, list(_topics(values, problems)), values, problems)


def _versions_of(values: Values) -> str:
    """The chart, with its versions as far as the keys show them."""
    to_31, from_32 = _marks(values)
    if to_31:
        return "Bitnami's chart kafka 24 to 31 (from 32 on it ignores extraConfig)"
    if from_32:
        return "Bitnami's chart kafka from 32 on (before it ignores overrideConfiguration)"
    return "Bitnami's chart kafka from 24 on"


def _marks(values: Values) -> tuple[list[Node], list[Node]]:
    """The values of 24 to 31, and those from 32 on: there `config` has keys, before it is a text."""
    places = [values.parts, *(one for role in NEW_COUNTS if isinstance(one := values.parts.at(role), Mapping))]
    to_31 = [one.values[key] for one in places for key in sorted(TO_31) if not is_empty(one.at(key))]
    from_32 = [one.values[FROM_32] for one in places if not is_empty(one.at(FROM_32))]
    whole = [one.values["config"] for one in places if not is_empty(one.at("config"))]
    to_31 += [one for one in whole if not isinstance(one, Mapping)]
    return to_31, [*from_32, *(one for one in whole if isinstance(one, Mapping))]


def _of_another_version(values: Values, release: ConfigEntry | None) -> Iterator[Notice]:
    """That keys of several versions of the chart are there, or those of one that has not this release of Kafka."""
    to_31, from_32 = _marks(values)
    if to_31 and from_32:
        what = "this is of another version of the chart than what is set above or below it, and each ignores the other."
        yield values.notice(what, WHY, SERVER_PROPERTIES, from_32[0].line)
    line = None if release is None else version_line(release.value)
    if to_31 and release is not None and line is not None and at_least(line, "4.0"):
        what = f"the chart that has Kafka {release.value} ignores extraConfig: from 32 on it has overrideConfiguration."
        yield release.notice(what, WHY, SERVER_PROPERTIES)


def _configured(
    role: str, own: Mapping, mode: ConfigEntry | None, values: Values, problems: list[Notice]
) -> tuple[ConfigEntry, ...]:
    """What is written for a role: the later goes before the earlier. A `config` takes the place of all that the chart writes."""
    parts = values.parts
    whole = next((one.at("config") for one in (own, parts) if not is_empty(one.at("config"))), None)
    layers = [one.at(key) for key in ("extraConfig", "extraConfigYaml", FROM_32) for one in (parts, own)]
    if whole is not None:
        layers = [whole, *(one.at(FROM_32) for one in (parts, own))]
    in_force: dict[str, ConfigEntry] = {}
    if mode is not None and whole is None:
        controls = "controller" if own.text("controllerOnly") == "true" else "controller,broker"
        roles = replace(mode, value="broker" if role == "broker" else controls)
        in_force = {mode.key: roles if mode.key == ROLES else mode}
        protocol = parts.at("interBrokerProtocolVersion")
        if mode.key != ROLES and isinstance(protocol, Scalar) and protocol.text:
            in_force[PROTOCOL] = replace(mode, key=PROTOCOL, value=protocol.text, line=protocol.line)
    for node in layers:
        in_force |= {entry.key: entry for entry in _keys_in(node, values, problems)}
    if whole is not None and not {"log.dir", "log.dirs"} & in_force.keys():
        what = "config sets no log.dirs, and Kafka's default is /tmp/kafka-logs, where no disk is."
        problems.append(values.notice(what, NEEDS_ITS_LOG, f"Set it below {BITNAMI_DISK}.", whole.line))
    return tuple(in_force.values())


def _keys_in(node: Node | None, values: Values, problems: list[Notice]) -> Iterator[ConfigEntry]:
    """Kafka's keys, in a text of .properties or as keys of YAML."""
    if is_empty(node) or node is None:
        return
    if isinstance(node, Mapping):
        for key, text, line in plain_keys(node, values, problems):
            yield ConfigEntry(key=key, value=text, file=values.path, line=line, separator=":")
        return
    if not isinstance(node, Scalar):
        problems.append(values.notice("this is no configuration.", advice="Write a text, or keys.", line=node.line))
        return
    try:
        entries, _ = parse_properties(node.text or "", SERVER_FILE)
        refuse_foreign(node.text or "", entries, SERVER_FILE)
    except ConfigurationError as error:
        problems += [replace(one, file=values.path, line=_line(node, one.line)) for one in error.problems]
        return
    moved = [replace(one, file=values.path, line=_line(node, one.line), written=None) for one in entries]
    problems += duplicates(moved)
    yield from moved


def _line(node: Scalar, within: int | None) -> int:
    """The line of a file on which a line of a text in it stands."""
    return node.line + (within or 0) if node.is_block else node.line


def _named(values: Values, problems: list[Notice]) -> tuple[str, int]:
    """The image with the tag that the values have, and where that stands; without one the chart's version decides."""
    parts = values.parts
    repository, tag = parts.text("image", "repository"), parts.text("image", "tag")
    at = parts.at("image", "tag") or parts
    if repository is not None and not OF_BITNAMI.fullmatch(repository):
        problems.append(values.notice(f"{repository} is no image of Bitnami's.", WHY, f"{TEMPLATE}.", at.line))
    if not is_empty(parts.at("image", "digest")):
        tag = None
    return ("bitnami/kafka" if not tag else f"bitnami/kafka:{tag}"), at.line


def _topics(values: Values, problems: list[Notice]) -> Iterator[ConfigurationFile]:
    """The topics that the chart creates: `provisioning.topics`."""
    parts = values.parts.at("provisioning")
    if not isinstance(parts, Mapping) or parts.text("enabled") != "true":
        return
    problems += that_may_set(parts, values, OF_SCRIPTS)
    listed = parts.at("topics")
    for topic in listed.values if isinstance(listed, Listing) else ():
        name = topic.text("name") if isinstance(topic, Mapping) else None
        if not isinstance(topic, Mapping) or not name:
            problems.append(values.notice("this topic has no name.", WHY, "Write its name.", topic.line))
            continue
        entries = []
        for key, kafka_key in OF_TOPICS.items():
            of_all = parts.text("numPartitions" if key == "partitions" else key) or "1"
            given = topic.text(key)
            line = topic.lines.get(key, topic.line)
            entries.append(
                ConfigEntry(key=kafka_key, value=given or of_all, file=values.path, line=line, separator=":")
            )
        entries += [
            ConfigEntry(key=key, value=text, file=values.path, line=line, separator=":")
            for key, text, line in plain_keys(topic.at("config"), values, problems)
        ]
        problems += duplicates(entries, TWICE)
        problems += [
            values.notice("a topic of provisioning has no such part.", WHY, "Leave it out.", topic.lines[key], key)
            for key in topic.values
            if key not in (*OF_TOPICS, "name", "config")
        ]
        yield ConfigurationFile(path=values.path, form=FORM, role="topic", name=name, entries=tuple(entries))
