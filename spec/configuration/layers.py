"""Which of several values of a setting is in force: a topic's, one that was set at run time, one of a broker's file, or the default.

KafkaConfigSchema.resolveEffectiveTopicConfig decides so for the controller, and ConfigHelper.configSynonyms for a broker:
DYNAMIC_TOPIC_CONFIG, DYNAMIC_BROKER_CONFIG, DYNAMIC_DEFAULT_BROKER_CONFIG, STATIC_BROKER_CONFIG, DEFAULT_CONFIG (1.1 to 4.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .catalogue import OLD_NAMES
from .configuration_file import ConfigEntry, ConfigurationFile
from .defaults import ConfigurationKey
from .notices import Notice

ONE_BROKER = "one broker"
"""The layer of what was set at run time for one broker alone."""
CLUSTER = "cluster"
"""The layer of what was set at run time for all brokers."""
PRECEDENCE = ("topic", "producer", "consumer", ONE_BROKER, CLUSTER, "broker", "default")
BROKERS = (ONE_BROKER, CLUSTER, "broker")
"""The layers that brokers take a value from."""


@dataclass(frozen=True, kw_only=True)
class LayeredEntry:
    """An entry that sets a key, with its layer. `broker` is the broker that it is of, if it is one broker's; `printed`: by a tool."""

    entry: ConfigEntry
    layer: str
    role: str
    broker: str | None = None
    printed: bool = False

    @property
    def value(self) -> str:
        """The value without blanks at its ends."""
        return self.entry.value.strip()

    @property
    def rank(self) -> int:
        """The lower it is, the more it counts."""
        return PRECEDENCE.index(self.layer)


def set_by(setting: ConfigurationKey, files: Sequence[ConfigurationFile]) -> list[LayeredEntry]:
    """Every entry that sets it, what counts first: before all those of its own role, as a cluster that describes a topic is right.

    Where a tool does not say which layer set a value of a topic, another tool's output may.
    """
    given = {
        (file.name, entry.key): entry.layer
        for file in files
        if file.printed and file.role == setting.role
        for entry in file.entries
        if entry.layer
    }
    found = [
        LayeredEntry(
            entry=entry,
            layer=entry.layer or given.get((file.name, entry.key)) or file.role,
            role=file.role,
            broker=file.name if file.role == "broker" else None,
            printed=file.printed,
        )
        for file in files
        for names in (_names(setting, file),)
        for entry in file.entries
        if entry.key in names
    ]
    return sorted(found, key=lambda one: (one.role != setting.role, one.rank))


def _names(setting: ConfigurationKey, file: ConfigurationFile) -> set[str]:
    """What the file may call the setting."""
    names = {setting.key} if file.role == setting.role else set()
    if file.role == "broker" and setting.broker_key:
        names.add(setting.broker_key)
    if file.role == setting.role:
        aliases = OLD_NAMES[file.role] if file.is_old_client else file.client.aliases if file.client else {}
        names |= {alias for alias, key in aliases.items() if key == setting.key}
    return names


def removed_by_elr(found: Sequence[LayeredEntry]) -> tuple[list[LayeredEntry], list[Notice]]:
    """What is left of the values of min.insync.replicas if eligible leader replicas are on, and a doubt about what is not.

    ConfigurationControlManager.maybeGenerateElrSafetyRecords (4.0) removes what was set for one broker, and gives the cluster a value.
    """
    left, removed = [one for one in found if one.layer != ONE_BROKER], [one for one in found if one.layer == ONE_BROKER]
    why = "Kafka removes such a value when they are turned on, and takes none after: they may be off."
    what, advice = "with eligible leader replicas on this is not used.", "Add the output of kafka-features.sh."
    return left, [one.entry.notice(what, why, advice, decides=True) for one in removed]


def contradictions(found: Sequence[LayeredEntry]) -> Iterator[Notice]:
    """That two files say different things of one layer, or that brokers have different values, if the topic does not have its own."""
    first: dict[str, LayeredEntry] = {}
    for one in found:
        before = first.setdefault(one.layer, one)
        if before.value != one.value:
            what = f"{one.value!r} here, and {before.value!r} at {before.entry.place}."
            why = f"Both are settings of {'one broker at run time' if one.layer == ONE_BROKER else f'the {one.layer}'}."
            yield one.entry.notice(what, why, "Keep the one that is in force.")
    if found and found[0].layer != "topic":
        yield from _out_of_date(found)
        yield from _brokers_that_differ(found)


def _out_of_date(found: Sequence[LayeredEntry]) -> Iterator[Notice]:
    """That a tool shows a value in force although another file has one that goes before it: they are of different times or clusters."""
    for shown in found:
        if not shown.printed or shown.layer not in (CLUSTER, "broker", "default"):
            continue
        before = next((other for other in found if other.value != shown.value and _hides(other, shown)), None)
        if before is not None:
            what = f"{shown.value!r} was in force here, and {before.value!r} at {before.entry.place} goes before it."
            why = "The files are of different times, or of different clusters."
            yield shown.entry.notice(what, why, "Keep what is in force.")


def _hides(other: LayeredEntry, shown: LayeredEntry) -> bool:
    """Would the one be in force instead of the other? A broker's file is not that of the brokers that describe a topic, perhaps."""
    if other.layer not in BROKERS or other.rank >= shown.rank:
        return False
    if shown.role == "topic":
        return other.layer != "broker"
    return other.broker in (None, shown.broker)


def _brokers_that_differ(found: Sequence[LayeredEntry]) -> Iterator[Notice]:
    """That what one broker has in force differs from what another has, in another layer."""
    in_force: dict[str, LayeredEntry] = {}
    for name in dict.fromkeys(one.broker for one in found if one.broker is not None):
        own = min(
            (one for one in found if one.role == "broker" and one.broker in (name, None)), key=lambda one: one.rank
        )
        in_force[name] = own
    first = next(iter(in_force.items()), None)
    for name, own in in_force.items():
        if first is not None and own.value != first[1].value and own.layer != first[1].layer:
            what = f"broker {name} has {own.value!r}, and broker {first[0]} has {first[1].value!r} ({first[1].entry.place})."
            why = "Which of them counts depends on which broker leads, or controls."
            yield own.entry.notice(what, why, "Give all brokers the same value.")
            return


def remarks(found: Sequence[LayeredEntry]) -> Iterator[Notice]:
    """What has no effect because another value goes before it, and the doubt about what was set for one broker alone."""
    top, rest = found[0], found[1:]
    for other in rest:
        if other.layer not in BROKERS or other.value == top.value:
            continue
        if top.layer in (ONE_BROKER, CLUSTER) and top.role == "broker":
            what = f"{other.value!r} has no effect: {top.value!r} was set at run time."
            yield other.entry.notice(what, f"{top.entry.place} goes before it.", "Mind which of them you change.")
        elif top.layer not in BROKERS:
            what = f"{other.value!r} has no effect on this topic, which has {top.value!r}."
            why = f"{top.entry.place} goes before it."
            yield other.entry.notice(what, why, "Mind that other topics may take the broker's.")
    if top.layer == ONE_BROKER and top.role == "broker":
        holders = {one.broker for one in found if one.layer == ONE_BROKER}
        differing = [one for one in rest if one.layer != ONE_BROKER and one.value != top.value]
        if len(holders) == 1 or differing:
            what = f"this was set for {'one broker' if len(holders) == 1 else f'{len(holders)} brokers'} at run time."
            why = f"Another broker takes what is set for all, or its own file's{_such_as(differing)}."
            advice = "Set it for all brokers (--entity-default), or for the topic."
            yield top.entry.notice(what, why, advice, decides=True)


def brokers_in_sight(files: Sequence[ConfigurationFile]) -> tuple[int | None, bool]:
    """How many brokers the files name, and whether these are all; None if they name none, or one that may stand for others.

    A running cluster knows all of its brokers. What starts brokers may be one file of several that do.
    """
    of_brokers = [file for file in files if file.role == "broker"]
    given = [file.brokers for file in of_brokers if file.printed and file.brokers is not None]
    if given:
        return max(given), True
    started = [file.brokers for file in of_brokers if not file.printed]
    if started and None not in started:
        return sum(count for count in started if count is not None), False
    described = {file.name for file in of_brokers if file.printed and file.name is not None}
    return (len(described) if len(described) > 1 else None), False


def _such_as(differing: Sequence[LayeredEntry]) -> str:
    return f", such as {differing[0].value!r} at {differing[0].entry.place}" if differing else ""
