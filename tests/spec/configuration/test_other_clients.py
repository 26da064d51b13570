"""Clients that are not Kafka's own, said by name: each has the defaults that its source has, and refuses what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment
from neverlost.spec.configuration.clients import CLIENTS, FAMILIES, ON_LIBRDKAFKA, OTHER_CLIENTS
from neverlost.spec.configuration.readings import parse_assumptions

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
JAVA_2_8 = {"acks": "1", "retries": 1, "idempotence": False, "pipelined": True}


def read(folder: Path, client: str, producer: str | None, version: str = "3.9.1") -> list[Deployment]:
    """Every reading of a topic and this producer, which such a client sends."""
    (folder / "topic.properties").write_text(TOPIC, encoding="utf-8")
    names = [str(folder / "topic.properties")]
    if producer is not None:
        (folder / "producer.properties").write_text(producer, encoding="utf-8")
        names.append(str(folder / "producer.properties"))
    found = read_deployment(names, kafka_version=version, assume=f"client={client},mode=kraft")
    return [found, *found.others]


class Taken(NamedTuple):
    """A client, what its program sets, and the settings of each reading."""

    client: str
    producer: str | None
    settings: tuple[dict[str, object], ...]


TAKEN = {
    "Sarama": Taken("sarama", "linger.ms=5\nmax.in.flight.requests.per.connection=5\n", (JAVA_2_8,)),
    "Sarama without a file": Taken("sarama", None, (JAVA_2_8,)),
    "Sarama with acks": Taken("sarama", "acks=all\n", ({**JAVA_2_8, "acks": "all"},)),
    "an idempotent Sarama": Taken(
        "sarama",
        "acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\n",
        ({"acks": "all", "retries": 1, "idempotence": True, "pipelined": False},),
    ),
    "KafkaJS": Taken("kafkajs", None, ({"acks": "all", "retries": 1, "idempotence": False, "pipelined": True},)),
    "KafkaJS without retries": Taken("kafkajs", "retries=0\n", ({"acks": "all", "retries": 0, "idempotence": False},)),
    "franz-go": Taken("franz-go", None, ({"acks": "all", "retries": 1, "idempotence": True, "pipelined": True},)),
    "franz-go without idempotence": Taken(
        "franz-go",
        "acks=1\nenable.idempotence=false\n",
        ({"acks": "1", "retries": 1, "idempotence": False, "pipelined": False},),
    ),
    "kafka-python of any version": Taken(
        "kafka-python",
        None,
        (
            {"acks": "all", "retries": 1, "idempotence": True},
            JAVA_2_8,
            {"acks": "1", "retries": 0, "idempotence": False, "pipelined": True},
        ),
    ),
    "kafka-python with a key that old ones lack": Taken(
        "kafka-python", "enable.idempotence=true\n", ({"acks": "all", "retries": 1, "idempotence": True},)
    ),
    "kafka-python 2.0": Taken("kafka-python-2.0", "acks=all\n", ({"acks": "all", "retries": 0, "idempotence": False},)),
    "kafka-python 2.2": Taken("kafka-python-2.2", None, (JAVA_2_8,)),
    "kafka-python 3.0 that switches idempotence off silently": Taken(
        "kafka-python-3.0", "acks=1\n", ({"acks": "1", "retries": 1, "idempotence": False},)
    ),
    "node-rdkafka": Taken(
        "node-rdkafka", None, ({"acks": "all", "retries": 1, "idempotence": False, "pipelined": True},)
    ),
    "librdkafka before 1.0": Taken("librdkafka-0.11", None, (JAVA_2_8,)),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_client_that_is_said_has_the_defaults_of_its_source(name: str, tmp_path: Path) -> None:
    one = TAKEN[name]
    found = read(tmp_path, one.client, one.producer)
    assert [
        {key: each.settings[key] for key in wanted} for each, wanted in zip(found, one.settings, strict=True)
    ] == list(one.settings)


class Wrong(NamedTuple):
    """A client, what its program sets, and what is said of it."""

    client: str
    producer: str
    said: str


WRONG = {
    "an idempotent KafkaJS": Wrong(
        "kafkajs",
        "acks=all\nenable.idempotence=true\n",
        "producer.properties:2: enable.idempotence: the model does not have this producer. When KafkaJS",
    ),
    "an idempotent Sarama with its own acks": Wrong(
        "sarama",
        "enable.idempotence=true\nmax.in.flight.requests.per.connection=1\n",
        "acks: by default the producer does not start with this. Idempotence needs acks=all, and it is 1.",
    ),
    "an idempotent Sarama with its own requests in flight": Wrong(
        "sarama", "acks=all\nenable.idempotence=true\n", "Idempotence allows at most 1, and it is 5."
    ),
    "franz-go with acks alone": Wrong("franz-go", "acks=1\n", "Idempotence needs acks=all, and it is 1."),
    "franz-go with requests in flight": Wrong(
        "franz-go", "max.in.flight.requests.per.connection=4\n", "Idempotence allows at most 1, and it is 4."
    ),
    "kafka-python 3.0 that is to be idempotent": Wrong(
        "kafka-python-3.0", "acks=1\nenable.idempotence=true\n", "Idempotence needs acks=all, and it is 1."
    ),
    "kafka-python that lacks the key": Wrong(
        "kafka-python-2.0", "enable.idempotence=true\n", "client=kafka-python-2.0, mode=KRaft goes with no reading"
    ),
    "Sarama with a key of Java's": Wrong(
        "sarama",
        "key.serializer=a\nacks=all\n",
        "key.serializer: this is a key of Kafka's Java client, and --assume client=sarama is said. sarama does not start",
    ),
    "Sarama with a key of librdkafka's": Wrong(
        "sarama", "sasl.username=a\nacks=all\n", "this is a key of librdkafka, which sarama does not have."
    ),
    "librdkafka before 1.0 with idempotence": Wrong(
        "librdkafka-0.11", "enable.idempotence=true\n", "client=librdkafka-0.11, mode=KRaft goes with no reading"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_client_refuses_or_the_model_lacks_is_refused(name: str, tmp_path: Path) -> None:
    one = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, one.client, one.producer)
    assert one.said in str(caught.value).replace(f"{tmp_path}/", "")


def test_librdkafka_of_a_version_that_is_not_shown_may_wait_for_the_leader_alone(tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "producer.properties").write_text("message.timeout.ms=9\nretries=0\n", encoding="utf-8")
    found = read_deployment(
        [str(tmp_path / "topic.properties"), str(tmp_path / "producer.properties")], kafka_version="4.1"
    )
    assert {one.settings["acks"] for one in (found, *found.others)} == {"all", "1"}


def test_every_client_has_a_source_and_a_name_that_may_be_said() -> None:
    assert all(client.source for client in CLIENTS.values())
    for name in (*OTHER_CLIENTS, *FAMILIES, *ON_LIBRDKAFKA):
        assert parse_assumptions(f"client={name}")["client"] in (name, "librdkafka")


RETRIES, IDEMPOTENCE = "retries", "enable.idempotence"
DOUBTED = {
    "librdkafka without retries": ("librdkafka", "acks=all\nretries=0\n", RETRIES),
    "librdkafka without retries, one by one": ("librdkafka", "acks=all\nretries=0\nmax.in.flight=1\n", None),
    "librdkafka": ("librdkafka", "acks=all\nretries=9\n", None),
    "an idempotent librdkafka": ("librdkafka", "acks=all\nenable.idempotence=true\n", IDEMPOTENCE),
    "an idempotent librdkafka, one by one": (
        "librdkafka",
        "acks=all\nenable.idempotence=true\nmax.in.flight=1\n",
        None,
    ),
    "a transactional librdkafka": ("librdkafka", "acks=all\ntransactional.id=a\n", None),
    "KafkaJS": ("kafkajs", "acks=all\n", RETRIES),
    "KafkaJS without retries": ("kafkajs", "acks=all\nretries=0\n", None),
    "franz-go": ("franz-go", "acks=all\n", None),
}
"""Clients, what their programs set, and the key that is in doubt because the client does otherwise than the model's producer."""


@pytest.mark.parametrize("name", DOUBTED)
def test_what_a_client_is_known_to_do_otherwise_is_a_doubt(name: str, tmp_path: Path) -> None:
    client, producer, key = DOUBTED[name]
    one, *_ = read(tmp_path, client, producer)
    assert [doubt.key for doubt in one.client_doubts] == ([] if key is None else [key])
    assert set(one.client_doubts) <= set(one.doubts)


@pytest.mark.parametrize(
    ("producer", "key"), [("acks=all\nenable.idempotence=true\n", IDEMPOTENCE), ("acks=all\nretries=0\n", RETRIES)]
)
def test_the_doubt_about_a_client_that_may_read_the_file_too_is_kept(tmp_path: Path, producer: str, key: str) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "producer.properties").write_text(producer, encoding="utf-8")
    found = read_deployment([str(path) for path in sorted(tmp_path.iterdir())], kafka_version="4.1.1", assume="elr=on")
    assert key in {doubt.key for one in (found, *found.others) for doubt in one.doubts}


def test_sarama_may_reorder_whatever_is_in_flight_when_it_sends_again(tmp_path: Path) -> None:
    one_by_one = "acks=all\nmax.in.flight.requests.per.connection=1\n"
    assert read(tmp_path, "sarama", one_by_one)[0].settings["pipelined"] is True
    assert read(tmp_path, "sarama", f"{one_by_one}retries=0\n")[0].settings["pipelined"] is False


def test_librdkafka_before_1_0_sends_again_whatever_retries_is(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "librdkafka-0.11", "acks=all\nretries=0\n")
    assert found.settings["retries"] == 1
