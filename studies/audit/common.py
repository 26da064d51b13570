"""The most common configurations: what their audits ask ships with neverlost. `tools/shipped_answers.py` searches for the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment
from neverlost.spec.configuration.defaults import configuration_key
from neverlost.spec.configuration.events import EVENTS
from neverlost.spec.configuration.versions import differing_releases, known_versions
from neverlost.spec.kafka.releases import KRAFT, MODES, ZOOKEEPER

Keys = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Usual:
    """What many files of one role set. The less usual it is, the higher is its rank."""

    rank: int
    keys: Keys


def _topic(rank: int, replicas: int, min_isr: int, *, unclean: bool = False) -> Usual:
    keys = {
        "replication.factor": str(replicas),
        "min.insync.replicas": str(min_isr),
        "unclean.leader.election.enable": str(unclean).lower(),
    }
    return Usual(rank=rank, keys=keys)


TOPICS = (
    _topic(0, 3, 2),
    _topic(1, 3, 1),
    _topic(2, 1, 1),
    _topic(3, 2, 1),
    _topic(3, 3, 2, unclean=True),
    _topic(4, 3, 1, unclean=True),
)
PRODUCERS = (
    Usual(rank=0, keys={}),
    Usual(rank=0, keys={"acks": "all", "enable.idempotence": "true"}),
    Usual(rank=1, keys={"acks": "1"}),
    Usual(rank=1, keys={"acks": "all"}),
    Usual(rank=2, keys={"acks": "all", "enable.idempotence": "false"}),
    Usual(rank=2, keys={"acks": "all", "retries": "3"}),
    Usual(rank=3, keys={"acks": "all", "retries": "3", "max.in.flight.requests.per.connection": "1"}),
    Usual(rank=3, keys={"acks": "0"}),
)
"""Without any key there is no file: then the defaults of Java's producer hold."""

CONSUMERS: Sequence[Keys] = ({"enable.auto.commit": "false"}, {"enable.auto.commit": "true"}, {})
OF_MODE: Mapping[str, Keys] = {KRAFT: {"process.roles": "broker"}, ZOOKEEPER: {"zookeeper.connect": "localhost"}}
FEATURE = "Feature: {}\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\tFinalizedVersionLevel: {}\tEpoch: 1\n"
LEVELS: Sequence[int | None] = (None, 0, 1)
"""Of eligible leader replicas, where a version has them; None if no file says it."""

TOO_LARGE = "rolling-restart"
"""An event whose models take minutes each where the producer is asked about, because nothing is lost by it."""

SURVIVED: Mapping[str | None, int] = {None: 0, ",".join(e.name for e in EVENTS if e.name != TOO_LARGE): 3}
"""What a deployment should survive, as `--survive` takes it, with a rank."""

MOST_RANK = 3
"""What is less usual is not common."""

LINES_OF_AN_AGE = 8
"""So many version lines older adds one to the rank."""


@dataclass(frozen=True, kw_only=True)
class CommonConfiguration:
    """What the files of a producer, a consumer, a topic and a broker set, and what they should survive. `age` is the version's."""

    release: str
    mode: str
    age: int
    topic: Usual
    producer: Usual
    consumer: Keys
    elr: int | None
    survive: str | None

    @property
    def rank(self) -> int:
        """The lower, the more common."""
        return self.topic.rank + self.producer.rank + self.age + SURVIVED[self.survive]

    def __str__(self) -> str:
        """Release, mode and all keys, on one line."""
        keys = {**self.topic.keys, **self.producer.keys, **self.consumer}
        words = [self.release, self.mode, *(f"{key}={value}" for key, value in keys.items())]
        words += [] if self.elr is None else [f"elr={self.elr}"]
        return " ".join([*words, *([] if self.survive is None else [f"survive={self.survive}"])])

    def written(self, folder: Path) -> list[str]:
        """The paths of its files, newly written into a folder."""
        texts = {
            "topic.properties": _properties(self.topic.keys),
            "producer.properties": _properties(self.producer.keys),
            "consumer.properties": _properties(self.consumer),
            "server.properties": _properties({**OF_MODE[self.mode], "min.insync.replicas": "1", "broker.rack": "a"}),
            "features.txt": "" if self.elr is None else FEATURE.format("eligible.leader.replicas.version", self.elr),
        }
        folder.mkdir()
        for name, text in texts.items():
            if text:
                (folder / name).write_text(text, encoding="utf-8")
        return sorted(str(path) for path in folder.iterdir())


def _properties(keys: Keys) -> str:
    marks = "key.serializer=a.B\n" if "acks" in keys else ""
    return marks + "".join(f"{key}={value}\n" for key, value in keys.items())


def common_configurations() -> list[CommonConfiguration]:
    """Every common configuration of every version, the most common and newer first."""
    of_elr = configuration_key("broker", "eligible.leader.replicas.version")
    releases = [
        (release, mode, number // LINES_OF_AN_AGE, level)
        for number, version in enumerate(reversed(known_versions()))
        for mode in reversed(MODES)
        for release in differing_releases(version, mode)
        for level in (LEVELS if of_elr.default(version) is not None else [None])
    ]
    usual = product(releases, TOPICS, PRODUCERS, SURVIVED, CONSUMERS)
    found = [
        CommonConfiguration(
            release=release,
            mode=mode,
            age=age,
            topic=topic,
            producer=producer,
            consumer=consumer,
            elr=elr,
            survive=survive,
        )
        for (release, mode, age, elr), topic, producer, survive, consumer in usual
    ]
    common = (configuration for configuration in found if configuration.rank <= MOST_RANK)
    return sorted(common, key=lambda configuration: configuration.rank)


def common_deployments(folder: Path) -> Iterator[tuple[CommonConfiguration, Deployment]]:
    """Each reading of a common configuration that is possible and behaves in a way of its own, with what it amounts to."""
    seen = set()
    for number, configuration in enumerate(common_configurations()):
        paths = configuration.written(folder / str(number))
        try:
            found = read_deployment(paths, kafka_version=configuration.release)
        except ConfigurationError:
            continue
        said = (tuple(configuration.producer.keys), configuration.survive)
        for one in (found, *found.others):
            behaviour = (one.profile, one.replication_factor, tuple(sorted(one.settings.items())), said)
            if behaviour not in seen:
                seen.add(behaviour)
                yield configuration, replace(one, others=())
