"""What a running cluster says of its brokers, topics and features, as the configuration files of an audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from neverlost.model.arguments import argument
from neverlost.spec.configuration import ConfigurationFile, Notice
from neverlost.spec.configuration.configuration_file import ConfigEntry
from neverlost.spec.configuration.forms.describe import LAYERS, Partition, fewest, partition_doubts

from .admin_settings import read_admin_settings
from .asking import Asked, refused
from .features import RELEASE, UnknownFeaturesError, features_of

FORM = "a running cluster"


@dataclass(frozen=True, kw_only=True)
class ClusterAddress:
    """Where a cluster is, and what of it is audited: `bootstrap` is HOST:PORT, `command_config` a file with the way there.

    `topics` are the names of those to audit; all that the user may see if there are none.
    """

    bootstrap: str
    command_config: str | None = None
    topics: tuple[str, ...] = ()


def read_named_cluster(
    bootstrap: str | None,
    command_config: str | None,
    topics: Sequence[str],
    progress: Callable[[str], None] = lambda _: None,
) -> list[ConfigurationFile]:
    """What the cluster says, if one is named. Raises ConfigurationError, also for what goes only with a cluster."""
    if bootstrap is not None:
        address = ClusterAddress(bootstrap=bootstrap, command_config=command_config, topics=tuple(topics))
        return read_cluster(address, progress)
    for option, value in (
        (argument("command_config"), command_config),
        (argument("topics", options=("topic",)), topics),
    ):
        if value:
            raise refused(
                "this is for a running cluster.", advice=f"Name it with {argument('bootstrap_server')}.", key=option
            )
    return []


def read_cluster(address: ClusterAddress, progress: Callable[[str], None] = lambda _: None) -> list[ConfigurationFile]:
    """What a cluster says of its brokers, its features and its topics. It is asked, and never changed.

    Raises ConfigurationError if it cannot be reached, or does not give all of it; ModuleNotFoundError without confluent-kafka.
    """
    settings = read_admin_settings(address.command_config)
    asked = Asked(address.bootstrap, settings, progress)
    where = address.bootstrap.partition(",")[0]
    brokers = _brokers(asked, where)
    if any(entry.key == "process.roles" and entry.value for file in brokers for entry in file.entries):
        progress(f"asking {address.bootstrap} for its features")
        try:
            features = features_of(address.bootstrap, settings)
            brokers += [_features(features, where)] if features else []
        except UnknownFeaturesError as error:
            brokers[0] = replace(brokers[0], warnings=(_unknown_features(str(error), where),))
    return [*brokers, *_topics(asked, address, where)]


def entries_of(configs: Mapping[str, Any], file: str) -> Iterator[ConfigEntry]:
    """The settings that have a value which may be shown, with the layer that set each."""
    from confluent_kafka.admin import ConfigSource

    for key, config in configs.items():
        if config.value is not None and not config.is_sensitive:
            layer = LAYERS.get(ConfigSource(config.source).name)
            yield ConfigEntry(key=key, value=config.value.strip(), file=file, line=None, layer=layer)


def _brokers(asked: Asked, where: str) -> list[ConfigurationFile]:
    ids = [str(broker) for broker in asked.brokers()]
    if not ids:
        raise refused(f"{where} names no broker that lives.", advice="Ask again when brokers run.")
    return [
        replace(
            _file("broker", name, f"broker {name} of {where}", tuple(entries_of(configs, f"broker {name} of {where}"))),
            brokers=len(ids),
        )
        for name, configs in zip(ids, asked.configs("broker", ids), strict=True)
    ]


def _features(features: Mapping[str, str], where: str) -> ConfigurationFile:
    path = f"features of {where}"
    entries = {
        key: ConfigEntry(key=key, value=value, file=path, line=None, layer="broker") for key, value in features.items()
    }
    release = entries.pop(RELEASE, None)
    return replace(_file("broker", None, path, tuple(entries.values())), release=release)


def _unknown_features(reason: str, where: str) -> Notice:
    what = f"the cluster's features are not known: {reason}."
    why = "metadata.version shows its version, and eligible.leader.replicas.version what elections spare."
    advice = "Add a file with the output of kafka-features.sh describe."
    return Notice(what=what, why=why, advice=advice, file=f"features of {where}", decides=True)


def _topics(asked: Asked, address: ClusterAddress, where: str) -> Iterator[ConfigurationFile]:
    listed = asked.topics()
    names = list(dict.fromkeys(address.topics)) or sorted(listed)
    if not names:
        what = f"{where} names no topic: it has none, or this user may DESCRIBE none."
        raise refused(what, advice="Create a topic, or give the user the right, with kafka-acls.sh.")
    for name in names:
        if name not in listed:
            near = get_close_matches(name, listed, n=1)
            advice = f"Did you mean {near[0]}?" if near else "Kafka names only topics that the user may DESCRIBE."
            raise refused(
                f"{where} names no topic {name!r}.", advice=advice, key=argument("topics", options=("topic",))
            )
        if listed[name].error is not None:
            asked.refuse(listed[name].error)
    for name, of_topic in zip(names, asked.configs("topic", names), strict=True):
        yield _topic(name, listed[name].partitions, of_topic, where)


def _topic(name: str, partitions: Mapping[int, Any], configs: Mapping[str, Any], where: str) -> ConfigurationFile:
    """A topic, with the number of replicas that its smallest partition has; kafka-topics.sh shows that of its first."""
    path = f"topic {name} of {where}"
    ordered = [
        Partition(
            replicas=frozenset(map(str, partitions[number].replicas)),
            in_sync=frozenset(map(str, partitions[number].isrs)),
        )
        for number in sorted(partitions)
    ]
    smallest = fewest(ordered)
    said = {} if smallest is None else {"partitions": len(ordered), "replication.factor": smallest.counted}
    counts = (ConfigEntry(key=key, value=str(n), file=path, line=None, layer="topic") for key, n in said.items())
    doubts = tuple(partition_doubts(ordered, ordered[0].counted, path)) if ordered else ()
    return _file("topic", name, path, (*counts, *entries_of(configs, path)), doubts)


def _file(
    role: str, name: str | None, path: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice] = ()
) -> ConfigurationFile:
    return ConfigurationFile(
        path=path, form=FORM, role=role, name=name, entries=tuple(entries), warnings=tuple(warnings), printed=True
    )
