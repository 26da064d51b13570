"""What is of two programs, topics or brokers is never taken for one that has the better of both; what no reader checks is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployments

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
SERVER = "process.roles=broker\nmin.insync.replicas=2\ndefault.replication.factor=3\n"
JAVA = "key.serializer=a.B\nacks=all\nenable.idempotence=true\n"
WORKER = "bootstrap.servers=a\noffset.storage.topic=o\nconfig.storage.topic=c\nstatus.storage.topic=s\n"
SOURCE = '{{"connector.class": "a.Source"{0}}}'
OFFSETS = "Topic: __consumer_offsets\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
CONNECT = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnect
metadata:
  name: {0}
spec:
  config:
    producer.{1}
"""
CONNECTOR = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: source
  labels:
    strimzi.io/cluster: {0}
spec:
  class: {1}
  config:
    tasks.max: 1
"""


def read(folder: Path, version: str, files: dict[str, str]) -> list[Deployment]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_deployments([str(folder)], kafka_version=version)


REFUSED = {
    "two topics": (
        {"topic-a.properties": TOPIC, "topic-b.properties": "replication.factor=3\nretention.ms=5\n"},
        "topic-b.properties: it does not set min.insync.replicas, and topic-a.properties:2 does: these are two topics",
    ),
    "two brokers": (
        {"server-1.properties": SERVER, "server-2.properties": "process.roles=broker\ndefault.replication.factor=3\n"},
        "server-2.properties: it does not set min.insync.replicas",
    ),
    "two workers and a connector": (
        {"w1.properties": f"{WORKER}producer.acks=1\n", "w2.properties": WORKER, "a.json": SOURCE.format("")},
        "the worker of this connector is not the only one.",
    ),
    "a connector of other workers": (
        {"c.yaml": f"{CONNECT.format('two', 'acks: all')}---\n{CONNECTOR.format('one', 'a.Source')}"},
        "the workers one of this connector is not among the files.",
    ),
    "MirrorMaker as a connector": (
        {
            "w.properties": WORKER,
            "a.json": '{"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector", "topics": ".*"}',
        },
        "MirrorMaker's connectors set up clients of their own.",
    ),
    "MirrorMaker as Strimzi's connector": (
        {"c.yaml": CONNECTOR.format("one", "org.apache.kafka.connect.mirror.MirrorSourceConnector")},
        "MirrorMaker's connectors set up clients of their own.",
    ),
    "topics and a producer": (
        {"a.json": '{"connector.class": "a.Replicator", "topics": "t", "producer.override.acks": "0"}'},
        "a sink has no producer, and this has topics as a sink has.",
    ),
    "a connector with two configurations": (
        {
            "a.json": '{"name": "a", "config": {"connector.class": "a.Source", "producer.override.acks": "0"},'
            ' "config": {"connector.class": "a.Source"}}'
        },
        "a.json: by its name this is JSON",
    ),
    "exactly once in a standalone worker": (
        {"w.properties": "offset.storage.file.filename=/a\nexactly.once.source.support=enabled\n"},
        "a standalone worker has no exactly-once support.",
    ),
    "a topic beside one of the brokers": (
        {"topic.properties": TOPIC, "offsets.txt": OFFSETS},
        "this file does not say to which topic it belongs, and __consumer_offsets is a topic of the brokers.",
    ),
    "a patch of Spring's": (
        {"a": "-spring.kafka.producer.retries=5\n+spring.kafka.producer.acks=0\n spring.kafka.producer.acks=all\n"},
        "a:1: '-spring.kafka.producer.retries' is no key",
    ),
    "a script with Spring's lines": (
        {"run": "spring.kafka.producer.acks=all\njava -jar app.jar --spring.kafka.producer.acks=0\n"},
        "run:2: 'java' is followed by no = and no colon.",
    ),
    "a script with a worker's lines": (
        {"run": f"{WORKER}echo producer.acks=0\n"},
        "run:5: 'echo' is followed by no = and no colon.",
    ),
    "YAML with lines of properties in it": (
        {"a.yml": "spring:\n  kafka.producer.acks: 0\napp:\n  help: |\n    spring.kafka.producer.acks=all\n"},
        "it has lines of YAML and of .properties.",
    ),
    "a key of Spring's in two spellings": (
        {"a": "spring.kafka.producer.properties[acks]=0\nspring.kafka.producer.properties.acks=all\n"},
        "acks is set in line 1 too.",
    ),
    "bindings of Spring Cloud Stream": (
        {"a.yml": "spring:\n  cloud.stream.bindings.out.destination: a\n  kafka.producer.acks: all\n"},
        "which binder Spring Cloud Stream uses is not in the file.",
    ),
    "a value that goes on in INI": (
        {"a.ini": "[consumer]\ngroup.id=x\n  enable.auto.commit=true\n"},
        "the value of group.id goes on in another line.",
    ),
    "a blank that Java keeps": ({"producer.properties": "key.serializer=a\nacks=all\u2003\n"}, "is no value of acks"),
    "a folder in a folder": ({}, "which is not looked into."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_hide_a_setting_is_refused(name: str, tmp_path: Path) -> None:
    files, said = REFUSED[name]
    if not files:
        (tmp_path / "deeper").mkdir()
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, "4.1", files)
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("version", "files"),
    [
        ("2.8", {"w.properties": f"{WORKER}exactly.once.source.support=enabled\n"}),
        ("2.8", {"w.properties": WORKER, "a.json": SOURCE.format(', "producer.override.acks": "1"')}),
        (
            "2.2",
            {
                "w.properties": f"{WORKER}connector.client.config.override.policy=All\n",
                "a.json": SOURCE.format(', "producer.override.acks": "1"'),
            },
        ),
    ],
)
def test_what_connect_takes_only_later_is_refused(version: str, files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Kafka Connect takes this from"):
        read(tmp_path, version, files)


def test_connectors_that_are_alike_are_one(tmp_path: Path) -> None:
    text = SOURCE.format(', "producer.override.acks": "1"')
    (found,) = read(tmp_path, "4.1", {"w.properties": WORKER, "a.json": text, "b.json": text})
    assert found.settings["acks"] == "1"


def test_a_producer_that_nothing_audited_uses_is_a_doubt(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "4.1", {"offsets.txt": OFFSETS, "producer.properties": "key.serializer=a\nacks=0\n"})
    assert any("nothing that is audited here uses this" in doubt.what for doubt in found.doubts)


def test_a_topics_file_beside_one_named_topic_is_a_doubt(tmp_path: Path) -> None:
    described = OFFSETS.replace("__consumer_offsets", "orders")
    (found,) = read(tmp_path, "4.1", {"topic.properties": "flush.messages=1\n", "orders.txt": described})
    assert any("this file does not name its topic: it is taken for orders." in doubt.what for doubt in found.doubts)


def test_another_client_in_an_application_is_a_doubt(tmp_path: Path) -> None:
    text = "spring.kafka.producer.acks: all\norders:\n  kafka:\n    producer:\n      acks: 0\n"
    (found,) = read(tmp_path, "4.1", {"application.yml": text})
    assert any("another client may read this" in doubt.what for doubt in found.doubts)


def test_users_and_pools_in_files_of_their_own_set_nothing(tmp_path: Path) -> None:
    user = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaUser\nmetadata:\n  name: a\n"
    (found,) = read(tmp_path, "4.1", {"user.yaml": user, "topic.properties": TOPIC, "README.md": "# Ours\n"})
    assert found.replication_factor == 3


def test_a_list_of_kubectls_is_read_one_by_one(tmp_path: Path) -> None:
    item = (
        "- apiVersion: kafka.strimzi.io/v1\n  kind: KafkaTopic\n  metadata:\n    name: {0}\n"
        "    labels: {{strimzi.io/cluster: c}}\n"
        "  spec:\n    replicas: 3\n    config:\n      min.insync.replicas: 2\n"
    )
    text = f"apiVersion: v1\nkind: List\nitems:\n{item.format('a')}{item.format('b')}"
    (found,) = read(tmp_path, "4.1", {"topics.yaml": text})
    assert found.topics == ("a", "b")


def test_what_is_set_twice_and_may_be_secret_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(
            tmp_path, "4.1", {"producer.properties": "acks=all\nssl.key.password=hidden-1\nssl.key.password=hidden-2\n"}
        )
    assert "ssl.key.password: set again; line 2 has it already." in str(caught.value)
    assert "hidden" not in str(caught.value)
