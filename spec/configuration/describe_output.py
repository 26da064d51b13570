"""What Kafka's tools print about a running cluster: kafka-configs.sh, kafka-topics.sh and kafka-features.sh with --describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .notices import ConfigurationError, Notice
from .properties_file import ConfigEntry

CONFIGS_HEADING = re.compile(
    r"^\s*(?:All|Dynamic|Default)?\s*[Cc]onfigs for (?:the )?(?P<kind>topic|broker|brokers|client-metrics|user-principal|client-id)"
    r"(?:-logger)?s?\s+(?:in the cluster|'?(?P<name>[^\s']+)'?)\s+are:?\s*(?P<rest>.*)$"
)
CONFIG_LINE = re.compile(
    r"^\s*(?P<key>[^\s=]+)=(?P<value>.*?)(?: sensitive=(?P<sensitive>true|false) synonyms=\{(?P<synonyms>.*)\})?\s*$"
)
TOPIC_LINE = re.compile(r"^\s*Topic:\s*(?P<name>\S+)\s.*?PartitionCount:\s*(?P<partitions>\d+)")
PARTITION_LINE = re.compile(r"^\s*Topic:\s*(?P<name>\S+)\s+Partition:\s*(?P<partition>\d+)\s")
FEATURE_LINE = re.compile(r"^\s*Feature:\s*(?P<key>\S+)\s.*?FinalizedVersionLevel:\s*(?P<value>\S+)")
NEXT_CONFIG = re.compile(r",(?=[a-z][a-z0-9]*(?:\.[a-z0-9-]+)+=)")

LAYERS: Mapping[str, str] = {
    "DYNAMIC_TOPIC_CONFIG": "topic",
    "DYNAMIC_BROKER_CONFIG": "broker",
    "DYNAMIC_DEFAULT_BROKER_CONFIG": "broker",
    "STATIC_BROKER_CONFIG": "broker",
    "DEFAULT_CONFIG": "default",
}
"""Which layer Kafka's own names for the source of a value mean."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a tool printed about one topic or broker. `form` is the tool's name."""

    form: str
    role: str
    name: str | None
    entries: tuple[ConfigEntry, ...]
    warnings: tuple[Notice, ...] = ()


def form_of(text: str) -> str | None:
    """Which tool printed the text: "kafka-topics", "kafka-configs" or "kafka-features"; None if none of them."""
    for line in text.splitlines():
        if CONFIGS_HEADING.match(line):
            return "kafka-configs"
        if TOPIC_LINE.match(line) or PARTITION_LINE.match(line):
            return "kafka-topics"
        if FEATURE_LINE.match(line):
            return "kafka-features"
    return None


def parse_description(text: str, path: str) -> Description:
    """What a tool said about one topic or broker. Raises ConfigurationError, also if it tells of several."""
    form = form_of(text)
    if form == "kafka-topics":
        return _topics(text, path)
    if form == "kafka-features":
        return _features(text, path)
    return _configs(text, path)


def _configs(text: str, path: str) -> Description:
    entries: list[ConfigEntry] = []
    headings: list[tuple[int, str, str | None]] = []
    problems: list[Notice] = []
    for number, line in enumerate(text.splitlines(), start=1):
        heading = CONFIGS_HEADING.match(line)
        if heading:
            headings.append((number, heading["kind"], heading["name"]))
            entries += _listed(heading["rest"], path, number, "topic" if heading["kind"] == "topic" else None)
        elif line.strip():
            found = _described(line, path, number)
            problems += [found] if isinstance(found, Notice) else []
            entries += [found] if isinstance(found, ConfigEntry) else []
    number, kind, name = headings[0]
    for other, other_kind, other_name in headings[1:]:
        if (other_kind, other_name) != (kind, name):
            what = f"this tells of {other_kind} {other_name}, and line {number} of {kind} {name}."
            why, advice = "An audit is of one topic on one kind of broker.", "Describe one with --entity-name."
            problems.append(Notice(what=what, why=why, advice=advice, file=path, line=other))
    if kind not in ("topic", "broker", "brokers"):
        what, advice = f"these are settings of a {kind}.", "Describe a topic or a broker."
        problems.append(Notice(what=what, advice=advice, file=path, line=number))
    if not entries and not problems:
        what, why = (
            "no configuration is listed below this heading.",
            "Without --all only what was set at run time is shown.",
        )
        problems.append(Notice(what=what, why=why, advice="Describe with --all.", file=path, line=number))
    if problems:
        raise ConfigurationError(problems)
    role = "topic" if kind == "topic" else "broker"
    return Description(form="kafka-configs", role=role, name=name, entries=tuple(entries))


def _described(line: str, path: str, number: int) -> ConfigEntry | Notice | None:
    matched = CONFIG_LINE.match(line)
    if matched is None:
        what, why = (
            "this is no line of kafka-configs.sh --describe.",
            "A line there is KEY=VALUE sensitive=... synonyms={...}.",
        )
        return Notice(what=what, why=why, advice="Write the output into the file unchanged.", file=path, line=number)
    if matched["sensitive"] == "true" or matched["value"].strip() == "null":
        return None
    source = (matched["synonyms"] or "").split(":", 1)[0]
    return ConfigEntry(
        key=matched["key"], value=matched["value"].strip(), file=path, line=number, layer=LAYERS.get(source)
    )


def _listed(configs: str, path: str, number: int, layer: str | None) -> Iterator[ConfigEntry]:
    """The entries of `key=value,key=value`, where a value may hold commas itself."""
    for part in NEXT_CONFIG.split(configs.strip()):
        key, equals, value = part.partition("=")
        if equals:
            yield ConfigEntry(key=key.strip(), value=value.strip(), file=path, line=number, layer=layer)


def _topics(text: str, path: str) -> Description:
    entries: list[ConfigEntry] = []
    warnings: list[Notice] = []
    problems: list[Notice] = []
    names: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        topic, partition = TOPIC_LINE.match(line), PARTITION_LINE.match(line)
        if topic:
            names.setdefault(topic["name"], number)
            entries += _of_topic(line, path, number)
        elif partition:
            names.setdefault(partition["name"], number)
            warnings += _of_partition(line, path, number, entries)
        elif line.strip():
            problems.append(_no_line_of("kafka-topics.sh --describe", path, number))
    if problems:
        raise ConfigurationError(problems)
    if len(names) > 1:
        (first, at), (second, number) = list(names.items())[:2]
        what = f"this tells of topic {second}, and line {at} of topic {first}."
        advice = f"Describe one topic: --topic {first}."
        raise ConfigurationError(
            [Notice(what=what, why="An audit is of one topic.", advice=advice, file=path, line=number)]
        )
    if not entries:
        what, why = "the line that tells ReplicationFactor and Configs is missing.", "Only partitions are listed."
        advice = "Describe the whole topic, without options that leave lines out."
        raise ConfigurationError([Notice(what=what, why=why, advice=advice, file=path, line=1)])
    return Description(
        form="kafka-topics", role="topic", name=next(iter(names)), entries=tuple(entries), warnings=tuple(warnings)
    )


def _of_topic(line: str, path: str, number: int) -> Iterator[ConfigEntry]:
    for label, key in (("PartitionCount", "partitions"), ("ReplicationFactor", "replication.factor")):
        matched = re.search(rf"\b{label}:\s*(\S+)", line)
        if matched:
            yield ConfigEntry(key=key, value=matched[1], file=path, line=number, layer="topic")
    configs = re.search(r"\bConfigs:\s*(.*)$", line)
    if configs:
        yield from _listed(configs[1], path, number, "topic")


def _of_partition(line: str, path: str, number: int, entries: list[ConfigEntry]) -> Iterator[Notice]:
    """What is out of order with a partition as it was when it was described."""

    def members(label: str) -> list[str]:
        matched = re.search(rf"\b{label}:\s*([\d,]+)", line)
        return [member for member in matched[1].split(",") if member] if matched else []

    replicas, in_sync = members("Replicas"), members("Isr")
    told = next((entry.value for entry in entries if entry.key == "replication.factor"), None)
    is_number = told is not None and re.fullmatch(r"[0-9]{1,9}", told) is not None
    if told is not None and is_number and replicas and len(replicas) != int(told):
        what = f"this partition has {len(replicas)} replicas, and the topic's replication factor is {told}."
        why, advice = "A reassignment may be under way; the audit takes the topic's.", "Describe it again later."
        yield Notice(what=what, why=why, advice=advice, key="replication.factor", file=path, line=number, decides=True)
    if replicas and len(in_sync) < len(replicas):
        what = f"only {len(in_sync)} of {len(replicas)} replicas were in sync."
        why = "The audit begins with all in sync: this partition has used up some of its faults already."
        yield Notice(what=what, why=why, advice="Find out why.", key="Isr", file=path, line=number, decides=True)


def _features(text: str, path: str) -> Description:
    entries = []
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        matched = FEATURE_LINE.match(line)
        if matched is None and line.strip():
            problems.append(_no_line_of("kafka-features.sh describe", path, number))
        if matched and matched["key"] in ("metadata.version", "eligible.leader.replicas.version"):
            entries.append(
                ConfigEntry(key=matched["key"], value=matched["value"], file=path, line=number, layer="broker")
            )
    if problems:
        raise ConfigurationError(problems)
    return Description(form="kafka-features", role="broker", name=None, entries=tuple(entries))


def _no_line_of(tool: str, path: str, number: int) -> Notice:
    why = "What it says would be missed: another tool's output belongs into a file of its own."
    advice = "Write the output of one tool into the file, unchanged."
    return Notice(what=f"this is no line of {tool}.", why=why, advice=advice, file=path, line=number)
