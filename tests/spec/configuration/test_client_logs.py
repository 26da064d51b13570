"""What Java clients log of their values is read as what they use, and never as what the brokers are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    read_configuration,
    read_deployment,
    read_deployments,
)

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"
PRODUCER = {
    "acks": "-1",
    "batch.size": "16384",
    "client.id": "producer-1",
    "enable.idempotence": "true",
    "interceptor.classes": "[]",
    "key.serializer": "class a.B",
    "max.in.flight.requests.per.connection": "5",
    "retries": "2147483647",
    "ssl.keystore.password": "[hidden]",
    "transactional.id": "null",
    "value.serializer": "class a.B",
}
CONSUMER = {
    "auto.offset.reset": "earliest",
    "client.id": "consumer-1",
    "enable.auto.commit": "true",
    "group.id": "orders",
    "isolation.level": "read_uncommitted",
    "value.deserializer": "class a.B",
}
HEAD = "2024-05-01T10:00:00.000 INFO  [main] o.a.k.clients.producer.ProducerConfig : "
VERSION = "2024-05-01T10:00:00.100 INFO AppInfoParser : Kafka version: {0}\n2024-05-01 INFO : Kafka commitId: 1a\n"


def block(values: dict[str, str], name: str = "ProducerConfig", **changes: str | None) -> str:
    put = {**values, **{key.replace("_", "."): value for key, value in changes.items()}}
    lines = [f"\t{key} = {value}" for key, value in sorted(put.items()) if value is not None]
    return "\n".join([f"{HEAD}{name} values: ", *lines, "", ""])


LOG = block(PRODUCER) + VERSION.format("3.6.1")


def deployment(folder: Path, text: str, version: str = "4.1") -> Deployment:
    (folder / "app.log").write_text(text, encoding="utf-8")
    (folder / "topic.properties").write_text(TOPIC, encoding="utf-8")
    return read_deployment([str(folder / "app.log"), str(folder / "topic.properties")], kafka_version=version)


IDEMPOTENT = {"acks": "all", "retries": 1, "idempotence": True, "pipelined": True}
READ = {
    "a producer": (LOG, IDEMPOTENT),
    "a producer alone": (block(PRODUCER), IDEMPOTENT),
    "acks by its older word": (block(PRODUCER, acks="all"), IDEMPOTENT),
    "a producer with acks of 1": (
        block(PRODUCER, acks="1", enable_idempotence="false"),
        {"acks": "1", "idempotence": False},
    ),
    "a producer that is too old for idempotence": (
        block(PRODUCER, acks="1", enable_idempotence=None, transactional_id=None),
        {"acks": "1", "idempotence": False},
    ),
    "an old producer with acks of all": (
        block(PRODUCER, enable_idempotence=None),
        {"acks": "all", "idempotence": False},
    ),
    "a transactional producer": (block(PRODUCER, transactional_id="tx-1"), IDEMPOTENT),
    "a consumer beside": (block(PRODUCER) + block(CONSUMER, "ConsumerConfig"), {**IDEMPOTENT, "commit": "auto"}),
    "a consumer that does not commit by itself": (
        LOG + block(CONSUMER, "ConsumerConfig", enable_auto_commit="false"),
        {"commit": "after"},
    ),
    "other lines around": (f"starting\nKafka is fine: acks = 0\n{LOG}Topic created\n\tacks = 0\n", IDEMPOTENT),
    "other clients around": (
        block({"acks": "0", "retries": "1"}, "AdminClientConfig") + LOG + block({"acks": "0"}, "StreamsConfig"),
        IDEMPOTENT,
    ),
    "a producer twice": (LOG + block(PRODUCER, client_id="producer-2"), IDEMPOTENT),
    "two producers with transactions": (
        block(PRODUCER, transactional_id="tx-1") + block(PRODUCER, transactional_id="tx-2"),
        IDEMPOTENT,
    ),
    "lines of docker compose": ("".join(f"app-1  | {line}\n" for line in LOG.splitlines()), IDEMPOTENT),
    "lines of kubectl": ("".join(f"[pod/app-1/app] {line}\n" for line in LOG.splitlines()), IDEMPOTENT),
    "blanks in place of tabs": (LOG.replace("\t", "    "), IDEMPOTENT),
    "a log of JSON": (json.dumps({"level": "INFO", "message": block(PRODUCER), "logger": "a"}) + "\n", IDEMPOTENT),
    "another system's lines": (LOG.replace("\n", "\r\n"), IDEMPOTENT),
}


@pytest.mark.parametrize("name", READ)
def test_what_a_client_logs_is_what_it_uses(name: str, tmp_path: Path) -> None:
    text, settings = READ[name]
    found = deployment(tmp_path, text)
    assert {key: found.settings[key] for key in settings} == settings
    assert "acks" not in found.assumed_defaults
    assert "enable.idempotence" not in found.assumed_defaults


def test_the_version_of_the_client_is_not_the_brokers(tmp_path: Path) -> None:
    files = read_configuration(str(_written(tmp_path, LOG)))
    assert [file.release for file in files] == [None]
    found = deployment(tmp_path, LOG, "3.9")
    assert found.version == "3.9"
    assert "the client is of Kafka 3.6.1, which says nothing of the brokers." in [note.what for note in found.warnings]


def test_a_value_that_the_brokers_version_does_not_know_is_the_clients_own(tmp_path: Path) -> None:
    assert deployment(tmp_path, LOG, "0.10.2").settings["acks"] == "all"


def test_every_value_knows_its_line(tmp_path: Path) -> None:
    text = READ["other lines around"][0]
    (file,) = read_configuration(str(_written(tmp_path, text)))
    lines = text.splitlines()
    assert all(lines[entry.line - 1] == f"\t{entry.key} = {entry.value}" for entry in file.entries if entry.line)
    assert "transactional.id" not in {entry.key for entry in file.entries}


def _written(folder: Path, text: str) -> Path:
    (folder / "app.log").write_text(text, encoding="utf-8")
    return folder / "app.log"


WRONG = {
    "cut off at its end": (
        LOG[: LOG.index("\tretries")],
        "app.log:1: the producer logs no retries here: its values are cut",
    ),
    "cut off at its last line": (LOG[: LOG.index("\tvalue.s")], "logs no value.serializer here"),
    "cut off at its beginning": (LOG.replace("\tacks = -1\n", ""), "logs no acks here: its values are cut off."),
    "a line between": (
        LOG.replace("\tretries", "12:00 WARN something else\n\tretries"),
        "the producer logs no retries here: its values are cut off.",
    ),
    "a consumer that is cut off": (
        block(CONSUMER, "ConsumerConfig", enable_auto_commit=None),
        "the consumer logs no enable.auto.commit here",
    ),
    "nothing but the heading": (f"{HEAD}ProducerConfig values:\n", "the producer logs no acks here"),
    "two clients, mixed": (LOG.replace("\tretries", "\tacks = 1\n\tretries"), "app.log:9: acks: set again to '1'"),
    "a value that is none": (block(PRODUCER, acks="some"), "'some' is no value of acks."),
    "idempotence without all": (
        block(PRODUCER, acks="1"),
        "the producer does not start with this.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_whole_is_refused(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, text)
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_role_before_the_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="these are what Java clients log, which show their roles"):
        read_configuration(f"producer:{_written(tmp_path, LOG)}")


@pytest.mark.parametrize(
    ("second", "acks"),
    [
        (block(PRODUCER, acks="1", enable_idempotence="false"), ["all", "1"]),
        (block(PRODUCER, transactional_id="tx"), ["all", "all"]),
    ],
)
def test_two_producers_that_log_different_values_are_two_programs(second: str, acks: list[str], tmp_path: Path) -> None:
    found = read_deployments([str(_written(tmp_path, LOG + second))], kafka_version="4.1")
    assert [one.settings["acks"] for one in found] == acks
    assert [one.programs for one in found] == [("app.log:2",), ("app.log:17",)]


def test_a_file_that_differs_from_the_log_is_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "producer.properties").write_text("acks=1\nkey.serializer=a.B\n", encoding="utf-8")
    paths = [str(_written(tmp_path, LOG)), str(tmp_path / "producer.properties")]
    found = read_deployments(paths, kafka_version="4.1")
    assert {one.programs: one.settings["acks"] for one in found} == {("app.log",): "all", ("producer.properties",): "1"}


@pytest.mark.parametrize(
    ("version", "idempotent", "doubted"),
    [
        ("3.0.0", False, False),
        ("3.1.0", False, False),
        ("3.1.1", True, False),
        ("3.6.1", True, False),
        ("", True, True),
    ],
)
def test_clients_of_3_0_0_and_3_1_0_log_idempotence_that_they_may_not_have(
    version: str, idempotent: bool, doubted: bool, tmp_path: Path
) -> None:
    found = deployment(tmp_path, block(PRODUCER) + (VERSION.format(version) if version else ""))
    assert found.settings["idempotence"] is idempotent
    assert any("no version of the client is logged" in doubt.what for doubt in found.doubts) == doubted
