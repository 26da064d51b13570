"""Kafka Streams: what its producer, its consumer and the topics that it creates have."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    read_configuration,
    read_deployment,
    read_deployments,
)

STREAMS = "application.id=shop\nbootstrap.servers=a:9092\n"
BROKER = "process.roles=broker\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
NEWEST = "client=java"


def deployment(folder: Path, text: str, assume: str = NEWEST) -> Deployment:
    (folder / "streams.properties").write_text(text, encoding="utf-8")
    (folder / "server.properties").write_text(BROKER, encoding="utf-8")
    paths = [str(folder / "streams.properties"), str(folder / "server.properties")]
    return read_deployment(paths, kafka_version="4.1.1", assume=assume)


READ: dict[str, tuple[str, str, dict[str, object]]] = {
    "its defaults, with topics of one replica": (
        STREAMS,
        NEWEST,
        {"acks": "all", "retries": 1, "idempotence": True, "commit": "after", "replicas": 1},
    ),
    "its defaults before 3.0": (
        STREAMS,
        "client=java-2.8",
        {"acks": "1", "retries": 1, "idempotence": False, "pipelined": True, "commit": "after", "replicas": 1},
    ),
    "topics with replicas": (f"{STREAMS}replication.factor=3\n", NEWEST, {"replicas": 3, "min_isr": 2}),
    "topics with the brokers' default": (f"{STREAMS}replication.factor=-1\n", NEWEST, {"replicas": 3}),
    "topics with a setting": (f"{STREAMS}replication.factor=3\ntopic.min.insync.replicas=1\n", NEWEST, {"min_isr": 1}),
    "a producer's key as it stands": (f"{STREAMS}acks=1\n", NEWEST, {"acks": "1", "idempotence": False}),
    "a producer's key with its prefix": (f"{STREAMS}acks=1\nproducer.acks=all\n", NEWEST, {"acks": "all"}),
    "no retries": (f"{STREAMS}producer.retries=0\n", NEWEST, {"retries": 0, "idempotence": False}),
    "exactly-once": (
        f"{STREAMS}processing.guarantee=exactly_once\nproducer.enable.idempotence=false\n",
        "client=java-2.8",
        {"acks": "all", "idempotence": True, "replicas": 1},
    ),
    "exactly-once that only 3.0 has": (
        f"{STREAMS}processing.guarantee=exactly_once_v2\n",
        NEWEST,
        {"acks": "all", "idempotence": True, "replicas": 3},
    ),
    "at-least-once": (f"{STREAMS}processing.guarantee=at_least_once\n", NEWEST, {"idempotence": True}),
    "a consumer that is to commit by itself": (
        f"{STREAMS}consumer.enable.auto.commit=true\n",
        NEWEST,
        {"commit": "after"},
    ),
    "standby replicas and its own keys": (
        f"{STREAMS}num.standby.replicas=1\nstate.dir=/data\ninput.topic.name=a\nrestore.consumer.max.poll.records=5\n",
        NEWEST,
        {"acks": "all"},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_streams_makes_of_it(name: str, tmp_path: Path) -> None:
    text, assume, wanted = READ[name]
    found = deployment(tmp_path, text, assume)
    settings = {**found.settings, "replicas": found.replication_factor}
    assert {key: settings[key] for key in wanted} == wanted


WRONG = {
    "a key that is handed on to nobody": (
        f"{STREAMS}kafka.acks=1\n",
        "streams.properties:3: kafka.acks: it ends as one that decides: acks; and Kafka Streams hands it on to no client.",
    ),
    "replicas of topics that the program creates": (
        f"{STREAMS}input.topic.replication.factor=1\n",
        "streams.properties:3: input.topic.replication.factor: it ends as one that decides: replication.factor;",
    ),
    "a guarantee that is not known": (
        f"{STREAMS}processing.guarantee=exactly_twice\n",
        "streams.properties:3: processing.guarantee: 'exactly_twice' is no guarantee of Kafka Streams.",
    ),
    "exactly-once with acks=1": (
        f"{STREAMS}processing.guarantee=exactly_once_v2\nproducer.acks=1\n",
        "streams.properties:4: acks: the producer does not start with this.",
    ),
    "a misspelt key": (f"{STREAMS}producer.enable.idempotance=true\n", "Did you mean enable.idempotence?"),
    "replicas that are no number": (f"{STREAMS}replication.factor=three\n", "'three' is no value of it."),
    "a reference to acks": (f"{STREAMS}producer.acks=${{ACKS}}\n", "is a reference."),
    "nested below another key": ("streams:\n  application.id: a\n", "is nested below 'streams'"),
    "a key twice in a file": (f"{STREAMS}acks=1\nacks=all\n", "streams.properties:4: acks: set again"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, text)
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


EXTRACTORS = {
    "LogAndSkipOnInvalidTimestamp": (True, False),
    "FailOnInvalidTimestamp": (False, False),
    "UsePartitionTimeOnInvalidTimestamp": (False, False),
    "WallclockTimestampExtractor": (False, False),
    "EventTime": (False, True),
}


@pytest.mark.parametrize("key", ["default.timestamp.extractor", "timestamp.extractor"])
@pytest.mark.parametrize("name", EXTRACTORS)
def test_a_record_without_a_time_is_skipped_by_some_extractors(name: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "s").write_text(f"{STREAMS}{key}=org.apache.kafka.streams.processor.{name}\n", encoding="utf-8")
    _, consumer = read_configuration(str(tmp_path / "s"))
    doubted = any("which time a record has" in warning.what for warning in consumer.warnings if warning.decides)
    assert (consumer.passes_failed is not None, doubted) == EXTRACTORS[name]


def test_exactly_once_is_not_checked(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{STREAMS}processing.guarantee=exactly_once_v2\n")
    assert {notice.unchecked for notice in found.unchecked} == {
        "transactions",
        "exactly-once of Kafka Streams",
    }


def test_replicas_that_are_not_set_are_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, STREAMS)
    doubt = "replication.factor is not set: before 3.0 Kafka Streams creates its topics with one replica."
    assert doubt in {one.what for one in found.doubts}


def test_a_client_of_streams_may_be_of_each_age_but_is_java_s(tmp_path: Path) -> None:
    (tmp_path / "streams.properties").write_text(f"{STREAMS}replication.factor=3\n", encoding="utf-8")
    found = read_deployment([str(tmp_path / "streams.properties")], kafka_version="3.9.1", assume="mode=kraft")
    clients = {reading.open.get("client") for one in (found, *found.others) for reading in one.alike}
    assert clients == {"java", "java-2.8", "java-2.0"}


def beside(folder: Path, **texts: str) -> dict[tuple[str, ...], int]:
    """The replicas of each class of topics that an application and other files amount to."""
    for name, text in {"streams": STREAMS, **texts}.items():
        (folder / f"{name}.properties").write_text(text, encoding="utf-8")
    paths = [str(folder / f"{name}.properties") for name in ("streams", *texts)]
    found = read_deployments(paths, kafka_version="4.1.1", assume=NEWEST)
    return {tuple(topic.replace(f"{folder}/", "") for topic in one.topics): one.replication_factor for one in found}


def test_topics_of_its_own_are_audited_beside_those_that_are_described(tmp_path: Path) -> None:
    topic = "replication.factor=3\nmin.insync.replicas=2\n"
    found = beside(tmp_path, topic=topic)
    assert found == {("the topic of topic.properties",): 3, ("new topics of shop",): 1}


def test_topics_of_its_own_that_are_described_are_not_new(tmp_path: Path) -> None:
    line = "Topic: shop-store-changelog\tTopicId: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    found = beside(
        tmp_path, topics=f"{line}\tTopic: shop-store-changelog\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    assert found == {("shop-store-changelog",): 3}
