"""Spring Cloud Stream: what its Kafka binder hands to the clients of its bindings, and the topics that it creates."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import (
    ConfigurationError,
    ConfigurationFile,
    Deployment,
    read_configuration,
    read_deployment,
)

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
BROKER = "process.roles=broker\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
STREAM = "spring.cloud.stream."
OUT = f"{STREAM}bindings.orders-out-0.destination=orders\n"
IN = f"{STREAM}bindings.orders-in-0.destination=orders\n{STREAM}bindings.orders-in-0.group=shop\n"
KAFKA = f"{STREAM}kafka.binder.brokers=a:9092\n"
ALL = f"{STREAM}kafka.binder.required-acks=all\n"
OF_OUT = f"{STREAM}kafka.bindings.orders-out-0.producer."
OF_IN = f"{STREAM}kafka.bindings.orders-in-0.consumer."
YAML = """\
spring:
  cloud:
    stream:
      bindings:
        orders-out-0:
          destination: orders
      kafka.binder:
        requiredAcks: -1
        producer-properties:
          enable:
            idempotence: true
"""


def deployment(folder: Path, text: str, *, described: bool = True) -> Deployment:
    """What an application amounts to, beside its topic, or beside the brokers on which it creates topics."""
    name = "application.yml" if text.startswith("spring:") else "application.properties"
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "orders").write_text(TOPIC if described else BROKER, encoding="utf-8")
    paths = [str(folder / name), f"{'topic' if described else 'broker'}:{folder / 'orders'}"]
    return read_deployment(paths, kafka_version="4.1.1", assume="client=java")


READ: dict[str, tuple[str, dict[str, object]]] = {
    "a producer, which waits for the leader alone": (
        f"{KAFKA}{OUT}",
        {"acks": "1", "retries": 1, "idempotence": False, "commit": "none"},
    ),
    "acks of the binder": (f"{KAFKA}{OUT}{ALL}", {"acks": "all", "idempotence": True}),
    "YAML in other spellings": (YAML, {"acks": "all", "idempotence": True}),
    "Spring Boot's acks over the binder's": (f"{KAFKA}{OUT}{ALL}spring.kafka.producer.acks=1\n", {"acks": "1"}),
    "the binder's configuration over Spring Boot's": (
        f"{KAFKA}{OUT}spring.kafka.producer.acks=1\n{STREAM}kafka.binder.configuration.acks=all\n",
        {"acks": "all"},
    ),
    "the producers' properties over the configuration": (
        f"{KAFKA}{OUT}{STREAM}kafka.binder.producer-properties.acks=1\n{STREAM}kafka.binder.configuration.acks=all\n",
        {"acks": "1"},
    ),
    "a binding over all others": (
        f"{KAFKA}{OUT}{OF_OUT}configuration.acks=0\n{STREAM}kafka.binder.producer-properties.acks=1\n{ALL}",
        {"acks": "0"},
    ),
    "a default of all bindings over the binder": (
        f"{KAFKA}{OUT}{STREAM}kafka.binder.configuration.acks=1\n{STREAM}kafka.default.producer.configuration.acks=all\n",
        {"acks": "all"},
    ),
    "a binding over the default of all": (
        f"{KAFKA}{OUT}{OF_OUT}configuration.acks=1\n{STREAM}kafka.default.producer.configuration.acks=all\n",
        {"acks": "1"},
    ),
    "a default of those that read": (
        f"{KAFKA}{OUT}{ALL}{STREAM}kafka.default.consumer.configuration.enable.auto.commit=true\n",
        {"acks": "all", "commit": "none"},
    ),
    "a transactional binder": (
        f"{KAFKA}{OUT}{ALL}{STREAM}kafka.binder.transaction.transaction-id-prefix=tx-\n",
        {"acks": "all", "idempotence": True},
    ),
    "a consumer": (f"{KAFKA}{IN}", {"commit": "after"}),
    "a consumer whose binder is to commit by itself": (
        f"{KAFKA}{IN}{STREAM}kafka.binder.consumer-properties.enable.auto.commit=true\n",
        {"commit": "after"},
    ),
    "a consumer whose binding is to commit by itself": (
        f"{KAFKA}{IN}{OF_IN}configuration.enable.auto.commit=true\n",
        {"commit": "auto"},
    ),
    "names that say nothing": (
        f"{KAFKA}{STREAM}bindings.orders.destination=orders\n",
        {"acks": "1", "commit": "after"},
    ),
    "only names below the binder": (f"{OF_OUT}sync=true\n", {"acks": "1", "commit": "none"}),
}


@pytest.mark.parametrize("name", READ)
def test_what_the_binder_makes_of_it(name: str, tmp_path: Path) -> None:
    text, wanted = READ[name]
    found = deployment(tmp_path, text)
    assert {key: found.settings[key] for key in wanted} == wanted


CREATED: dict[str, tuple[str, int, object]] = {
    "the binder's replicas": (f"{KAFKA}{OUT}{STREAM}kafka.binder.replication-factor=2\n", 2, 2),
    "the brokers' default": (f"{KAFKA}{OUT}{STREAM}kafka.binder.replicationFactor=-1\n", 3, 2),
    "a binding's replicas": (
        f"{KAFKA}{OUT}{STREAM}kafka.binder.replication-factor=1\n{OF_OUT}topic.replication-factor=3\n",
        3,
        2,
    ),
    "a binding's setting of the topic": (
        f"{KAFKA}{OUT}{STREAM}kafka.binder.replication-factor=3\n{OF_OUT}topic.properties.min.insync.replicas=1\n",
        3,
        1,
    ),
    "no replicas": (f"{KAFKA}{OUT}", 1, 1),
    "no topics": (f"{KAFKA}{OUT}{STREAM}kafka.binder.auto-create-topics=false\n", 3, 2),
}


@pytest.mark.parametrize("name", CREATED)
def test_the_topics_that_the_binder_creates(name: str, tmp_path: Path) -> None:
    text, replicas, min_isr = CREATED[name]
    found = deployment(tmp_path, text, described=False)
    assert (found.replication_factor, found.settings["min_isr"]) == (replicas, min_isr)


WRONG = {
    "no binder that is known": (
        f"{OUT}",
        "application.properties:1: spring.cloud.stream.bindings.orders-out-0.destination: which binder Spring Cloud",
    ),
    "the binder of Streams": (
        f"{KAFKA}{OUT}{STREAM}kafka.streams.binder.replication-factor=3\n",
        "spring.cloud.stream.kafka.streams.binder.replication-factor: this is the binder of Kafka Streams.",
    ),
    "binders with environments": (
        f"{KAFKA}{OUT}{STREAM}binders.one.environment.spring.kafka.producer.acks=1\n",
        "this binder has an environment of its own.",
    ),
    "acks in the wrong place below the defaults": (
        f"{KAFKA}{OUT}{STREAM}kafka.default.producer.acks=all\n",
        "it ends as one that decides: acks; and the binder hands it on to no client.",
    ),
    "acks in the wrong place": (
        f"{KAFKA}{OUT}{STREAM}bindings.orders-out-0.producer.required-acks=all\n",
        "it ends as one that decides:",
    ),
    "transactions with the binder's own acks": (
        f"{KAFKA}{OUT}{STREAM}kafka.binder.transaction.transaction-id-prefix=tx-\n",
        "acks: by default the producer does not start with this.",
    ),
    "a misspelt name of the producer's": (
        f"{KAFKA}{OUT}{OF_OUT}configuration.enable.idempotance=true\n",
        "Did you mean enable.idempotence?",
    ),
    "acks that Kafka refuses": (f"{KAFKA}{OUT}{STREAM}kafka.binder.required-acks=2\n", "'2' is no value of acks."),
    "a reference to the binder's acks": (
        f"{KAFKA}{OUT}{STREAM}kafka.binder.required-acks=${{ACKS}}\n",
        "'${ACKS}' is a reference.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, text)
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


OF_ALL = f"{STREAM}kafka.default.consumer."


@pytest.mark.parametrize("below", [OF_ALL, OF_IN])
def test_what_all_bindings_have_by_default_counts_as_a_bindings_own(below: str, tmp_path: Path) -> None:
    lines = ("reset-offsets=true", "reactive-at-most-once=true", "enable-dlq=true")
    file = reads(tmp_path, "".join(f"{below}{line}\n" for line in lines))
    assert "resetOffsets=true" in file.begins_anew
    assert file.commits_before is not None
    assert file.keeps_failed is not None


def test_a_bindings_own_value_goes_over_what_all_have(tmp_path: Path) -> None:
    file = reads(tmp_path, f"{OF_IN}reset-offsets=false\n{OF_ALL}reset-offsets=true\n{OF_ALL}enable-dlq=false\n")
    assert (file.begins_anew, file.keeps_failed) == ("", None)


@pytest.mark.parametrize(
    ("lines", "reset"),
    [
        (f"{OF_IN}start-offset=LATEST\n{OF_IN}configuration.auto.offset.reset=earliest\n", "latest"),
        (f"{OF_ALL}startOffset=latest\n{OF_IN}configuration.auto.offset.reset=earliest\n", "latest"),
        (f"{OF_ALL}start-offset=latest\n{OF_IN}start-offset=earliest\n", "earliest"),
        (f"{OF_IN}configuration.auto.offset.reset=earliest\n", "earliest"),
    ],
)
def test_the_start_offset_goes_over_the_configuration(lines: str, reset: str, tmp_path: Path) -> None:
    entries = {entry.key: entry.value for entry in reads(tmp_path, lines).entries}
    assert entries["auto.offset.reset"] == reset


def reads(folder: Path, lines: str) -> ConfigurationFile:
    """The consumer of a binding that reads."""
    path = folder / "application.properties"
    path.write_text(f"{KAFKA}{IN}{lines}", encoding="utf-8")
    return next(file for file in read_configuration(str(path)) if file.role == "consumer")


def test_a_reference_with_a_default_has_it_and_is_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{KAFKA}{OUT}{STREAM}kafka.binder.required-acks=${{ACKS:all}}\n")
    assert found.settings["acks"] == "all"
    assert any("ACKS" in doubt.what for doubt in found.doubts)


def test_dead_letters_are_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{KAFKA}{IN}{OF_IN}enable-dlq=true\n")
    assert any("dead letters" in doubt.what for doubt in found.doubts)


@pytest.mark.parametrize("line", ["ack-mode=MANUAL", "auto-commit-offset=false"])
def test_a_program_that_commits_itself_is_a_doubt(line: str, tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{KAFKA}{IN}{OF_IN}{line}\n")
    assert "the program says when a record is processed." in {doubt.what for doubt in found.doubts}


def test_clients_of_spring_boot_beside_the_binder_are_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{KAFKA}{OUT}{ALL}spring.kafka.producer.retries=5\n")
    assert any(doubt.what.startswith("what the program sends and reads beside the binder") for doubt in found.doubts)


def test_a_binding_that_is_not_in_the_file_is_a_doubt_if_it_gets_other_values(tmp_path: Path) -> None:
    what = "a binding that is not in the file has what the binder gives to all, which is not audited."
    of_binding = deployment(tmp_path, f"{KAFKA}{OUT}{OF_OUT}configuration.acks=all\n")
    of_its_topic = deployment(tmp_path, f"{KAFKA}{OUT}{ALL}{OF_OUT}topic.replication-factor=3\n", described=False)
    of_all = deployment(tmp_path, f"{KAFKA}{OUT}{ALL}{STREAM}kafka.binder.replication-factor=3\n", described=False)
    assert [what in {doubt.what for doubt in one.doubts} for one in (of_binding, of_its_topic, of_all)] == [
        True,
        True,
        False,
    ]


def test_a_topic_whose_replicas_are_assigned_is_refused(tmp_path: Path) -> None:
    text = f"{KAFKA}{OUT}{ALL}{STREAM}kafka.binder.replication-factor=3\n{OF_OUT}topic.replicas-assignments[0][0]=1\n"
    with pytest.raises(ConfigurationError, match="it says on which brokers a new topic has its replicas"):
        deployment(tmp_path, text, described=False)
