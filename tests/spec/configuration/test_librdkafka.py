"""The configuration of librdkafka and of the clients that are built on it: as properties, as JSON, as INI."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"


def deployment(folder: Path, argument: str, text: str, client: str | None = None) -> Deployment:
    role, _, name = argument.rpartition(":")
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "topic.properties").write_text(TOPIC, encoding="utf-8")
    path = f"{role}:{folder / name}" if role else str(folder / name)
    return read_deployment(
        [path, str(folder / "topic.properties")], kafka_version="4.1", assume=client and f"client={client}"
    )


class Read(NamedTuple):
    """A file, named as a user would, with the client that is said, and the settings that it amounts to."""

    argument: str
    text: str
    client: str | None
    settings: dict[str, object]


READ = {
    "its defaults": Read(
        "producer:kcat.conf",
        "bootstrap.servers=a\nacks=all\n",
        "librdkafka",
        {"acks": "all", "retries": 1, "idempotence": False, "pipelined": True},
    ),
    "a key of its own": Read(
        "producer.conf",
        "bootstrap.servers=a\nqueue.buffering.max.kbytes=9\nacks=all\n",
        None,
        {"acks": "all", "idempotence": False, "pipelined": True},
    ),
    "the Java client, said": Read(
        "producer.conf", "bootstrap.servers=a\nacks=all\n", "java", {"acks": "all", "idempotence": True}
    ),
    "its old names": Read(
        "producer.conf",
        "metadata.broker.list=a\nrequest.required.acks=1\nmessage.send.max.retries=0\nmax.in.flight=1\n",
        "librdkafka",
        {"acks": "1", "retries": 0, "idempotence": False, "pipelined": False},
    ),
    "idempotence": Read(
        "producer.conf",
        "bootstrap.servers=a\nstatistics.interval.ms=5\nenable.idempotence=true\n",
        None,
        {"acks": "all", "retries": 1, "idempotence": True, "pipelined": True},
    ),
    "a transactional producer": Read(
        "producer.conf", "sasl.username=a\ntransactional.id=b\n", None, {"acks": "all", "idempotence": True}
    ),
    "the client for Go": Read(
        "producer.conf", "go.delivery.reports=false\nacks=1\n", None, {"acks": "1", "idempotence": False}
    ),
    "a consumer": Read(
        "consumer.conf", "group.id=a\nsasl.username=b\nenable.auto.commit=true\n", None, {"commit": "auto"}
    ),
    "a consumer that stores what it has processed": Read(
        "consumer.conf",
        "group.id=a\nenable.auto.commit=true\nenable.auto.offset.store=false\n",
        None,
        {"commit": "after"},
    ),
    "a consumer that commits by itself": Read(
        "consumer.conf", "group.id=a\nenable.auto.commit=false\nenable.partition.eof=true\n", None, {"commit": "after"}
    ),
    "JSON": Read(
        "producer:config.json",
        '{\n  "bootstrap.servers": "a",\n  "acks": 1,\n  "enable.idempotence": false\n}\n',
        None,
        {"acks": "1", "idempotence": False},
    ),
    "JSON with a key of its own": Read(
        "config.json",
        '{"sasl.username": "a", "enable.idempotence": true, "message.timeout.ms": 5}',
        None,
        {"acks": "all", "idempotence": True},
    ),
    "INI": Read(
        "getting_started.ini",
        "[default]\nbootstrap.servers=a\nsasl.username=u\n\n[producer]\nacks=1\n[consumer]\ngroup.id=g\nenable.auto.commit=false\n",
        None,
        {"acks": "1", "idempotence": False, "commit": "after"},
    ),
    "INI of one client": Read(
        "producer:config.ini", "[default]\nbootstrap.servers=a\nacks=all\n", "librdkafka", {"idempotence": False}
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_such_a_client_takes(name: str, tmp_path: Path) -> None:
    one = READ[name]
    found = deployment(tmp_path, one.argument, one.text, one.client)
    assert {key: found.settings[key] for key in one.settings} == one.settings


WRONG = {
    "a misspelt key": Read("producer.conf", "sasl.username=a\nack=all\n", None, {}),
    "Java's key beside its own": Read("producer.conf", "sasl.username=a\nkey.serializer=b\nacks=all\n", None, {}),
    "Java's key, and librdkafka said": Read("producer.conf", "buffer.memory=5\nacks=all\n", "librdkafka", {}),
    "its key, and Java said": Read("producer.conf", "sasl.username=a\nacks=all\n", "java", {}),
    "idempotence with acks=1": Read("producer.conf", "sasl.username=a\nenable.idempotence=true\nacks=1\n", None, {}),
    "idempotence with too many in flight": Read(
        "producer.conf", "sasl.username=a\nenable.idempotence=true\nmax.in.flight=6\n", None, {}
    ),
    "transactions without idempotence": Read(
        "producer.conf", "sasl.username=a\ntransactional.id=b\nenable.idempotence=false\n", None, {}
    ),
    "acks that brokers refuse": Read("producer.conf", "sasl.username=a\nacks=2\n", None, {}),
    "both names of a key with two values": Read(
        "producer.conf", "sasl.username=a\nacks=all\nrequest.required.acks=1\n", None, {}
    ),
    "a broker": Read("broker:server.conf", "sasl.username=a\nmin.insync.replicas=2\n", None, {}),
    "keys of both roles": Read(
        "client.conf", "queued.min.messages=5\nlinger.ms=5\nsasl.username=a\nacks=all\n", None, {}
    ),
    "nothing that decides": Read("producer.conf", "sasl.username=a\nlinger.ms=5\n", None, {}),
    "JSON with parts": Read("producer:config.json", '{"acks": "all", "enable.idempotence": {"is": true}}', None, {}),
    "JSON with a key twice": Read(
        "producer:config.json", '{"acks": "all", "acks": "1", "enable.idempotence": true}', None, {}
    ),
    "JSON that is cut": Read("producer:config.json", '{"acks": "all", "enable.idempotence": true', None, {}),
    "JSON of code": Read("producer:config.json", '{"KafkaProducer": {"Acks": "All"}}', None, {}),
    "INI with another section": Read("producer:a.ini", "[default]\nacks=all\n[admin]\nx=y\n", "librdkafka", {}),
    "INI with a key twice": Read("producer:a.ini", "[default]\nacks=all\nacks=1\n", "librdkafka", {}),
    "nested YAML": Read("producer:a.conf", "sasl.username: a\nproducer:\n  acks: all\n", None, {}),
    "an unknown client": Read("producer.conf", "acks=all\n", "ruby-kafka", {}),
}
SAID = {
    "a misspelt key": "producer.conf:2: ack: librdkafka has no such key. It does not start with it. Did you mean acks?",
    "Java's key beside its own": "producer.conf:2: key.serializer: this is a key of Kafka's Java client, and line 1 has sasl.username",
    "Java's key, and librdkafka said": "producer.conf:1: buffer.memory: this is a key of Kafka's Java client, and --assume client=",
    "its key, and Java said": "producer.conf:1: sasl.username: this is a key of librdkafka, which the Java client does not have.",
    "idempotence with acks=1": "producer.conf:3: acks: the producer does not start with this.",
    "idempotence with too many in flight": "producer.conf:3: max.in.flight: the producer does not start with this.",
    "transactions without idempotence": "producer.conf:3: enable.idempotence: the producer does not start with this.",
    "acks that brokers refuse": "producer.conf:2: acks: '2' is no value of acks.",
    "both names of a key with two values": "producer.conf:3: request.required.acks: '1' here, and 'all' at",
    "a broker": "which is no broker.",
    "keys of both roles": "it is not clear whose configuration this is",
    "nothing that decides": "it sets none of the keys that decide for a producer",
    "JSON with parts": "config.json:1: enable.idempotence: its value has parts, or is null.",
    "JSON with a key twice": "config.json:1: acks: set again to '1'; line 1 has 'all'.",
    "JSON that is cut": "by its name this is JSON, but it is none of the kinds of JSON that are read.",
    "JSON of code": "by its name this is JSON, but it is none of the kinds of JSON that are read.",
    "INI with another section": "a.ini:3: what reads section [admin] is not known.",
    "INI with a key twice": "a.ini:3: this is no INI file",
    "nested YAML": "a.conf:3: 'acks' is nested below 'producer' in line 2.",
    "an unknown client": "--assume: 'client=ruby-kafka' is nothing that can be assumed.",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_such_a_client_does_not_take_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    one = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, one.argument, one.text, one.client)
    assert SAID[name] in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_file_of_librdkafka_whose_role_is_open_is_asked_for_a_client_alone(tmp_path: Path) -> None:
    (tmp_path / "kafka.config").write_text("bootstrap.servers=a:9092\nsasl.username=a\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"Say it: producer:\S+ or consumer:\S+\.$"):
        read_deployment([str(tmp_path / "kafka.config")])
