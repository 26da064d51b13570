"""What Kafka's tools print about a running cluster: kafka-configs.sh, kafka-topics.sh and kafka-features.sh with --describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText
from ..features import ELR_KEY, KRAFT_KEY, METADATA_KEY, impossible_levels
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
READ_FEATURES = (METADATA_KEY, ELR_KEY, "transaction.version", KRAFT_KEY)
FEATURE_LINE = re.compile(r"^\s*Feature:\s*(?P<key>\S+)\s.*?FinalizedVersionLevel:\s*(?P<value>\S+)")
NEXT_CONFIG = re.compile(r",(?=[a-z][a-z0-9]*(?:\.[a-z0-9-]+)+=)")

REPLICAS = "replication.factor"
NUMBER = re.compile(r"[0-9]{1,9}")

LAYERS: Mapping[str, str] = {
    "DYNAMIC_TOPIC_CONFIG": "topic",
    "DYNAMIC_BROKER_CONFIG": ONE_BROKER,
    "DYNAMIC_DEFAULT_BROKER_CONFIG": CLUSTER,
    "STATIC_BROKER_CONFIG": "broker",
    "DEFAULT_CONFIG": "default",
}
"""Which layer Kafka's own names for the source of a value mean."""


@dataclass(frozen=True, kw_only=True)
class Partition:
    """A partition as it was described: the brokers that have a replica, and of these what a reassignment adds and removes."""

    replicas: frozenset[str]
    in_sync: frozenset[str]
    adding: frozenset[str] = frozenset()
    removing: frozenset[str] = frozenset()
    line: int | None = None

    @property
    def counted(self) -> int:
        """How many replicas it has before a reassignment or after it, whichever is less (TopicCommand.getReplicationFactor)."""
        return min(len(self.replicas - self.adding), len(self.replicas - self.removing))

    @property
    def numbers(self) -> tuple[int, ...]:
        """What a tool may say that the topic's replication factor is because of it, each tool in its way."""
        return (self.counted, len(self.replicas), len(self.replicas - self.adding))


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
    brokers = _all_brokers(entries)
    return [
        _described_as("kafka-configs", "topic", name, path, entries=tuple(found))
        if kind == "topic"
        else _described_as("kafka-configs", "broker", name, path, entries=tuple(found), brokers=brokers)
        for (kind, name), found in entries.items()
        if found or kind == "topic"
    ]


def _all_brokers(described: Collection[tuple[str, str | None]]) -> int | None:
    """How many brokers there are: without --entity-name the tool describes each, and then the default of all."""
    names = {name for kind, name in described if kind in ("broker", "brokers")}
    return len(names) - 1 if None in names and len(names) > 1 else None


def _layer_of(heading: re.Match[str]) -> str | None:
    """The layer of what is listed below a heading, where a line does not say it: all but `--all` lists what was set at run time."""
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
    partitions: dict[str, list[Partition]] = {}
    problems: list[Notice] = []
    for number, line in enumerate(text.splitlines(), start=1):
        topic, partition = TOPIC_LINE.match(line), PARTITION_LINE.match(line)
        if topic:
            entries.setdefault(topic["name"], []).extend(_of_topic(line, path, number))
        elif partition:
            name = partition["name"]
            if name not in entries:
                what, why = (
                    f"the line with ReplicationFactor and Configs of {name} is missing.",
                    "Only partitions are listed.",
                )
                advice = "Describe the whole topic, without options that leave lines out."
                problems.append(Notice(what=what, why=why, advice=advice, file=path, line=number))
                break
            partitions.setdefault(name, []).append(_partition(line, number))
        elif line.strip():
            problems.append(_no_line_of("kafka-topics.sh --describe", path, number))
    if problems:
        raise ConfigurationError(problems)
    return [_topic(name, path, found, partitions.get(name, [])) for name, found in entries.items()]


def _topic(name: str, path: str, entries: Sequence[ConfigEntry], partitions: Sequence[Partition]) -> ConfigurationFile:
    """A topic, with the number of replicas that its smallest partition has."""
    given = next((entry for entry in entries if entry.key == REPLICAS and NUMBER.fullmatch(entry.value)), None)
    doubts = () if given is None else tuple(partition_doubts(partitions, int(given.value), path))
    smallest = fewest(partitions)
    if given is not None and smallest is not None and smallest.counted < int(given.value):
        less = replace(given, value=str(smallest.counted), line=smallest.line)
        entries = [less if entry is given else entry for entry in entries]
    return _described_as("kafka-topics", "topic", name, path, entries=tuple(entries), warnings=doubts)


def _of_topic(line: str, path: str, number: int) -> Iterator[ConfigEntry]:
    for label, key in (("PartitionCount", "partitions"), ("ReplicationFactor", REPLICAS)):
        matched = re.search(rf"\b{label}:\s*(\S+)", line)
        if matched:
            yield ConfigEntry(key=key, value=matched[1], file=path, line=number, layer="topic")
    configs = re.search(r"\bConfigs:\s*(.*)$", line)
    if configs:
        # The tool lists whatever is no default, whether it was set for the topic or for its brokers.
        yield from _listed(configs[1], path, number, None)


def _partition(line: str, number: int) -> Partition:
    def members(label: str) -> frozenset[str]:
        matched = re.search(rf"(?<!Adding )(?<!Removing )\b{label}:\s*([\d,]+)", line)
        return frozenset(member for member in matched[1].split(",") if member) if matched else frozenset()

    return Partition(
        replicas=members("Replicas"),
        in_sync=members("Isr"),
        adding=members("Adding Replicas"),
        removing=members("Removing Replicas"),
        line=number,
    )


def fewest(partitions: Sequence[Partition]) -> Partition | None:
    """The first of the partitions with the fewest replicas, if they are known."""
    return min((one for one in partitions if one.counted), key=lambda one: one.counted, default=None)


def partition_doubts(partitions: Sequence[Partition], factor: int, file: str) -> Iterator[Notice]:
    """What is out of order with the partitions of a topic of which a tool gives this replication factor."""
    differing = next((one for one in partitions if one.replicas and factor not in one.numbers), None)
    if differing is not None:
        smallest = fewest(partitions) or differing
        one = smallest if smallest.counted < factor else differing
        what = f"this partition has {one.counted} replicas, and the topic's replication factor is {factor}."
        why, advice = "The audit takes the fewest.", "Give all partitions as many replicas, or describe it again later."
        yield Notice(what=what, why=why, advice=advice, key=REPLICAS, file=file, line=one.line, decides=True)
    for partition in partitions:
        kept = partition.replicas - partition.adding
        if partition.adding or partition.removing:
            what = f"a reassignment is under way: {partition.counted} of {len(partition.replicas)} replicas count."
            why = "A replica that is added may have no record yet, and one that is removed will go."
            advice = "Describe it again when the reassignment has ended."
            yield Notice(
                what=what, why=why, advice=advice, key="Replicas", file=file, line=partition.line, decides=True
            )
        if partition.in_sync & kept != kept:
            what = f"only {len(partition.in_sync & kept)} of {len(kept)} replicas were in sync."
            why = "The audit begins with all in sync: this partition has used up some of its faults already."
            yield Notice(
                what=what, why=why, advice="Find out why.", key="Isr", file=file, line=partition.line, decides=True
            )


def _features(text: str, path: str) -> list[ConfigurationFile]:
    """The finalized features, and the release: its own metadata version is the highest that it supports; the level may be lower."""
    entries = []
    problems = []
    release = None
    for number, line in enumerate(text.splitlines(), start=1):
        matched = FEATURE_LINE.match(line)
        if matched is None and line.strip():
            problems.append(_no_line_of("kafka-features.sh describe", path, number))
        if matched and matched["key"] in READ_FEATURES:
            entries.append(
                ConfigEntry(key=matched["key"], value=matched["value"], file=path, line=number, layer="broker")
            )
            supported = re.search(r"SupportedMaxVersion:\s*(\d+\.\d+)-IV", line)
            if supported and matched["key"] == METADATA_KEY:
                release = ConfigEntry(key="SupportedMaxVersion", value=supported[1], file=path, line=number)
    problems += impossible_levels(entries)
    if problems:
        raise ConfigurationError(problems)
    described = _described_as(FEATURES, "broker", None, path, entries=tuple(entries))
    return [replace(described, release=release)]


def _no_line_of(tool: str, path: str, number: int) -> Notice:
    why = "What it says would be missed: another tool's output belongs into a file of its own."
    advice = "Write the output of one tool into the file, unchanged."
    return Notice(what=f"this is no line of {tool}.", why=why, advice=advice, file=path, line=number)


_READERS: Mapping[str, Callable[[str, str], list[ConfigurationFile]]] = {
    "kafka-topics": _topics,
    "kafka-configs": _configs,
    FEATURES: _features,
}
