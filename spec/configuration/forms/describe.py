"""What Kafka's tools print about a running cluster: kafka-configs.sh, kafka-topics.sh and kafka-features.sh with --describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText
from ..layers import CLUSTER, ONE_BROKER
from ..notices import ConfigurationError, Notice

CONFIGS = "kafka-configs.sh --describe"
FEATURES = "kafka-features"

CONFIGS_HEADING = re.compile(
    r"^\s*(?P<which>All|Dynamic|Default)?\s*[Cc]onfigs? for (?:the )?"
    r"(?P<kind>topic|broker|brokers|client-metrics|user-principal|client-id)(?:-logger)?"
    r"s?\s+(?:in the cluster|'?(?P<name>[^\s']+)'?)\s+are:?\s*(?P<rest>.*)$"
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
    "DYNAMIC_BROKER_CONFIG": ONE_BROKER,
    "DYNAMIC_DEFAULT_BROKER_CONFIG": CLUSTER,
    "STATIC_BROKER_CONFIG": "broker",
    "DEFAULT_CONFIG": "default",
}
"""Which layer Kafka's own names for the source of a value mean."""


def form_of(text: str) -> str | None:
    """Which tool printed the text: "kafka-topics", "kafka-configs" or FEATURES; None if none of them."""
    for line in text.splitlines():
        if CONFIGS_HEADING.match(line):
            return "kafka-configs"
        if TOPIC_LINE.match(line) or PARTITION_LINE.match(line):
            return "kafka-topics"
        if FEATURE_LINE.match(line):
            return FEATURES
    return None


def is_description(source: SourceText) -> bool:
    """Did one of Kafka's tools print this?"""
    return form_of(source.text) is not None


def read_descriptions(source: SourceText) -> list[ConfigurationFile]:
    """What a tool said of each topic and broker. Raises ConfigurationError."""
    found = _READERS[form_of(source.text) or ""](source.text, source.path)
    for one in found:
        if source.role not in (None, one.role):
            what, advice = (
                f"{one.form} describes a {one.role} here, not a {source.role}.",
                f"Name it without `{source.role}:`.",
            )
            raise ConfigurationError([source.notice(what, advice=advice)])
    return found


def _described_as(form: str, role: str, name: str | None, path: str, **found: Any) -> ConfigurationFile:
    return ConfigurationFile(form=form, role=role, name=name, path=path, printed=True, **found)


def _configs(text: str, path: str) -> list[ConfigurationFile]:
    entries: dict[tuple[str, str | None], list[ConfigEntry]] = {}
    at: dict[tuple[str, str | None], int] = {}
    problems: list[Notice] = []
    current: list[ConfigEntry] | None = None
    layer: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        heading = CONFIGS_HEADING.match(line)
        if heading:
            whose = (heading["kind"], heading["name"])
            at.setdefault(whose, number)
            current = entries.setdefault(whose, [])
            layer = _layer_of(heading)
            current += _listed(heading["rest"], path, number, layer)
        elif line.strip():
            found = _described(line, path, number, layer)
            if current is None or isinstance(found, Notice):
                problems.append(found if isinstance(found, Notice) else _no_line_of(CONFIGS, path, number))
            elif found is not None:
                current.append(found)
    for (kind, _), number in at.items():
        if kind not in ("topic", "broker", "brokers"):
            what, advice = f"these are settings of a {kind}.", "Describe a topic or a broker."
            problems.append(Notice(what=what, advice=advice, file=path, line=number))
    if not any(entries.values()) and not problems:
        what, why = (
            "no configuration is listed below this heading.",
            "Without --all only what was set at run time is shown.",
        )
        problems.append(Notice(what=what, why=why, advice="Describe with --all.", file=path, line=min(at.values())))
    if problems:
        raise ConfigurationError(problems)
    return [
        _described_as("kafka-configs", "topic" if kind == "topic" else "broker", name, path, entries=tuple(found))
        for (kind, name), found in entries.items()
        if found or kind == "topic"
    ]


def _layer_of(heading: re.Match[str]) -> str | None:
    """The layer of what is listed below a heading, where a line does not tell it: all but `--all` lists what was set at run time."""
    if heading["which"] == "All":
        return None
    if heading["kind"] == "topic":
        return "topic"
    return CLUSTER if heading["name"] is None else ONE_BROKER


def _described(line: str, path: str, number: int, layer: str | None) -> ConfigEntry | Notice | None:
    matched = CONFIG_LINE.match(line)
    if matched is None:
        what, why = (
            f"this is no line of {CONFIGS}.",
            "A line there is KEY=VALUE sensitive=... synonyms={...}.",
        )
        return Notice(what=what, why=why, advice="Write the output into the file unchanged.", file=path, line=number)
    if matched["sensitive"] == "true" or matched["value"].strip() == "null":
        return None
    source = (matched["synonyms"] or "").split(":", 1)[0]
    return ConfigEntry(
        key=matched["key"], value=matched["value"].strip(), file=path, line=number, layer=LAYERS.get(source, layer)
    )


def _listed(configs: str, path: str, number: int, layer: str | None) -> Iterator[ConfigEntry]:
    """The entries of `key=value,key=value`, where a value may hold commas itself."""
    for part in NEXT_CONFIG.split(configs.strip()):
        key, equals, value = part.partition("=")
        if equals:
            yield ConfigEntry(key=key.strip(), value=value.strip(), file=path, line=number, layer=layer)


def _topics(text: str, path: str) -> list[ConfigurationFile]:
    entries: dict[str, list[ConfigEntry]] = {}
    warnings: dict[str, list[Notice]] = {}
    problems: list[Notice] = []
    for number, line in enumerate(text.splitlines(), start=1):
        topic, partition = TOPIC_LINE.match(line), PARTITION_LINE.match(line)
        if topic:
            entries.setdefault(topic["name"], []).extend(_of_topic(line, path, number))
        elif partition:
            name = partition["name"]
            if name not in entries:
                what, why = (
                    f"the line that tells ReplicationFactor and Configs of {name} is missing.",
                    "Only partitions are listed.",
                )
                advice = "Describe the whole topic, without options that leave lines out."
                problems.append(Notice(what=what, why=why, advice=advice, file=path, line=number))
                break
            warnings.setdefault(name, []).extend(_of_partition(line, path, number, entries[name]))
        elif line.strip():
            problems.append(_no_line_of("kafka-topics.sh --describe", path, number))
    if problems:
        raise ConfigurationError(problems)
    return [
        _described_as("kafka-topics", "topic", name, path, entries=tuple(found), warnings=tuple(warnings.get(name, ())))
        for name, found in entries.items()
    ]


def _of_topic(line: str, path: str, number: int) -> Iterator[ConfigEntry]:
    for label, key in (("PartitionCount", "partitions"), ("ReplicationFactor", "replication.factor")):
        matched = re.search(rf"\b{label}:\s*(\S+)", line)
        if matched:
            yield ConfigEntry(key=key, value=matched[1], file=path, line=number, layer="topic")
    configs = re.search(r"\bConfigs:\s*(.*)$", line)
    if configs:
        # The tool lists whatever is no default, whether it was set for the topic or for its brokers.
        yield from _listed(configs[1], path, number, None)


def _of_partition(line: str, path: str, number: int, entries: list[ConfigEntry]) -> Iterator[Notice]:
    """What is out of order with a partition as it was when it was described."""

    def members(label: str) -> list[str]:
        matched = re.search(rf"\b{label}:\s*([\d,]+)", line)
        return [member for member in matched[1].split(",") if member] if matched else []

    told = next((entry.value for entry in entries if entry.key == "replication.factor"), None)
    is_number = told is not None and re.fullmatch(r"[0-9]{1,9}", told) is not None
    factor = int(told) if told is not None and is_number else None
    yield from partition_doubts(len(members("Replicas")), len(members("Isr")), factor, path, number)


def partition_doubts(replicas: int, in_sync: int, factor: int | None, file: str, line: int | None) -> Iterator[Notice]:
    """What is out of order with a partition of a topic that has this replication factor, by the counts of its replicas."""
    if factor is not None and replicas and replicas != factor:
        what = f"this partition has {replicas} replicas, and the topic's replication factor is {factor}."
        why, advice = "A reassignment may be under way; the audit takes the topic's.", "Describe it again later."
        yield Notice(what=what, why=why, advice=advice, key="replication.factor", file=file, line=line, decides=True)
    if replicas and in_sync < replicas:
        what = f"only {in_sync} of {replicas} replicas were in sync."
        why = "The audit begins with all in sync: this partition has used up some of its faults already."
        yield Notice(what=what, why=why, advice="Find out why.", key="Isr", file=file, line=line, decides=True)


def _features(text: str, path: str) -> list[ConfigurationFile]:
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
    return [_described_as(FEATURES, "broker", None, path, entries=tuple(entries))]


def _no_line_of(tool: str, path: str, number: int) -> Notice:
    why = "What it says would be missed: another tool's output belongs into a file of its own."
    advice = "Write the output of one tool into the file, unchanged."
    return Notice(what=f"this is no line of {tool}.", why=why, advice=advice, file=path, line=number)


_READERS: Mapping[str, Callable[[str, str], list[ConfigurationFile]]] = {
    "kafka-topics": _topics,
    "kafka-configs": _configs,
    FEATURES: _features,
}
