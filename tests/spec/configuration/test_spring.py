"""Spring Boot's configuration is read as Spring Boot hands it to the client, and what could be otherwise in force is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration import ConfigurationError, Deployment, read_configuration, read_deployment

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"


def deployment(folder: Path, text: str, name: str = "application.yml", version: str = "4.1") -> Deployment:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "orders").write_text(TOPIC, encoding="utf-8")
    return read_deployment([str(folder / name), f"topic:{folder / 'orders'}"], kafka_version=version)


READ = {
    "a producer": ("spring:\n  kafka:\n    producer:\n      acks: 1\n", {"acks": "1", "idempotence": False}),
    "a producer that sets nothing that decides": (
        "spring:\n  kafka:\n    producer:\n      key-serializer: a.B\n",
        {"acks": "all", "idempotence": True},
    ),
    "a consumer commits after processing": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n    consumer:\n      group-id: a\n",
        {"commit": "after"},
    ),
    "a listener alone": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n    listener:\n      ack-mode: record\n",
        {"commit": "after"},
    ),
    "a consumer that is told to commit by itself": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n    consumer:\n      enableAutoCommit: true\n",
        {"commit": "auto"},
    ),
    "properties of the producer": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n      properties:\n        enable.idempotence: false\n",
        {"acks": "all", "idempotence": False},
    ),
    "properties in brackets": (
        'spring:\n  kafka:\n    producer:\n      properties:\n        "[max.in.flight.requests.per.connection]": 1\n',
        {"pipelined": False},
    ),
    "properties that are nested": (
        "spring:\n  kafka:\n    producer:\n      properties:\n        enable:\n          idempotence: false\n",
        {"idempotence": False},
    ),
    "what is common, below what is the producer's": (
        "spring:\n  kafka:\n    properties:\n      acks: 0\n    producer:\n      acks: 1\n",
        {"acks": "1"},
    ),
    "the producer's properties before its names": (
        "spring:\n  kafka:\n    producer:\n      properties:\n        acks: 1\n      acks: all\n",
        {"acks": "1"},
    ),
    "what is common alone": (
        "spring.kafka:\n  properties:\n    acks: 1\n  consumer:\n    group-id: a\n",
        {"acks": "1", "commit": "after"},
    ),
    "names on one line": ("spring.kafka.producer.acks: 1\nserver.port: 80\n", {"acks": "1"}),
    "a prefix for transactions": (
        "spring:\n  kafka:\n    producer:\n      transaction-id-prefix: tx-\n",
        {"acks": "all", "idempotence": True},
    ),
    "an anchor": (
        "x: &common\n  acks: 1\nspring:\n  kafka:\n    producer:\n      <<: *common\n      retries: 0\n",
        {"acks": "1", "retries": 0},
    ),
    "properties": (
        "server.port=80\nspring.kafka.producer.acks=1\nspring.kafka.consumer.enable-auto-commit=true\n",
        {"acks": "1", "commit": "auto"},
    ),
    "properties of Kafka's in properties": (
        "spring.kafka.producer.properties.enable.idempotence=false\nspring.kafka.producer.properties[acks]=all\n",
        {"acks": "all", "idempotence": False},
    ),
    "other documents without Kafka": (
        "spring.kafka.producer.acks: 1\n---\nspring:\n  config:\n    activate:\n      on-profile: dev\n  datasource:\n    url: a\n",
        {"acks": "1"},
    ),
    "keys of Spring's serializers": (
        'spring:\n  kafka:\n    producer:\n      acks: 1\n      properties:\n        "[spring.json.trusted.packages]": "*"\n',
        {"acks": "1"},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_spring_hands_to_its_client(name: str, tmp_path: Path) -> None:
    text, settings = READ[name]
    found = deployment(tmp_path, text, "application.properties" if name.startswith("properties") else "application.yml")
    assert {key: found.settings[key] for key in settings} == settings


WRONG = {
    "a misspelt name": (
        "spring:\n  kafka:\n    producer:\n      ack: 1\n",
        "application.yml:4: spring.kafka.producer.ack: Spring Boot has no such name below spring.kafka.producer.",
    ),
    "a name that is not Spring's": (
        "spring:\n  kafka:\n    producer:\n      linger: 5\n",
        "Spring Boot has no such name",
    ),
    "a misspelt part": (
        "spring:\n  kafka:\n    producr:\n      acks: 1\n",
        "Spring Boot has no such name below spring.kafka.",
    ),
    "a misspelt key of Kafka's": (
        "spring:\n  kafka:\n    producer:\n      properties:\n        enable.idempotance: true\n",
        "Did you mean enable.idempotence?",
    ),
    "a reference": ("spring:\n  kafka:\n    producer:\n      acks: ${ACKS:all}\n", "'${ACKS:all}' is a reference."),
    "another profile": (
        "spring.kafka.producer.acks: all\n---\nspring:\n  config:\n    activate.on-profile: dev\n  kafka.producer.acks: 1\n",
        "spring.kafka is set in several parts of this file.",
    ),
    "a profile alone": (
        "spring:\n  config:\n    activate:\n      on-profile: prod\n  kafka:\n    producer:\n      acks: all\n",
        "this part is in force only under a condition.",
    ),
    "an old profile": (
        "spring:\n  profiles: prod\n  kafka:\n    producer:\n      acks: all\n",
        "this part is in force only under a condition.",
    ),
    "parts of properties": (
        "spring.kafka.producer.acks=all\n#---\nspring.kafka.producer.acks=1\n",
        "application.properties:3: spring.kafka.producer.acks: spring.kafka is set in several parts",
    ),
    "an import": (
        "spring:\n  config:\n    import: 'optional:configserver:'\n  kafka:\n    producer:\n      acks: all\n",
        "other files are imported.",
    ),
    "streams": (
        "spring:\n  kafka:\n    streams:\n      application-id: a\n    producer:\n      acks: all\n",
        "Kafka Streams has",
    ),
    "a binder": (
        "spring:\n  cloud.stream.kafka.binder:\n    brokers: a\n  kafka:\n    producer:\n      acks: all\n",
        "Spring Cloud Stream's binder has producers of its own.",
    ),
    "a binding": (
        "spring:\n  cloud:\n    stream:\n      kafka:\n        bindings:\n          out.producer.sync: true\n",
        "Spring Cloud Stream's binder has producers of its own.",
    ),
    "nothing of Kafka's": ("spring:\n  datasource:\n    url: a\n", "it has nothing of spring.kafka"),
    "only where the brokers are": (
        "spring:\n  kafka:\n    bootstrap-servers: a:9092\n",
        "it has nothing of spring.kafka",
    ),
    "no value": ("spring:\n  kafka:\n    producer:\n      acks:\n", "it has no value, or one with parts."),
    "a list": (
        "spring:\n  kafka:\n    producer:\n      acks:\n        - all\n",
        "application.yml:5: spring.kafka.producer.acks.0: it has no value, or one with parts.",
    ),
    "twice": ("spring:\n  kafka:\n    producer:\n      acks: 1\n      acks: all\n", "acks is there again"),
    "twice in two spellings": (
        "spring:\n  kafka:\n    consumer:\n      enable-auto-commit: true\n      enableAutoCommit: false\n",
        "it is set again in line 5.",
    ),
    "yes": ("spring:\n  kafka:\n    consumer:\n      enable-auto-commit: yes\n", "'yes' is neither true nor false."),
    "cut off": ("spring:\n  kafka:\n    producer:\n      acks: 'al", "this is no valid YAML"),
    "a template": ("spring:\n  kafka:\n    producer:\n      acks: {{ acks }}\n", "this is a template."),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, text, "application.properties" if "properties" in name else "application.yml")
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


def test_who_says_that_a_record_is_processed_may_be_in_doubt(tmp_path: Path) -> None:
    text = "spring:\n  profiles:\n    active: prod\n  kafka:\n    producer:\n      acks: all\n    listener:\n      ack-mode: {0}\n"
    doubts = [doubt.what for doubt in deployment(tmp_path, text.format("manual")).doubts]
    assert {"the program says when a record is processed.", "profile prod has files of its own."} <= set(doubts)
    doubts = [doubt.what for doubt in deployment(tmp_path, text.format("batch")).doubts]
    assert "the program says when a record is processed." not in doubts


def test_the_name_of_the_file_does_not_matter_and_a_role_is_refused(tmp_path: Path) -> None:
    text = READ["a producer"][0]
    assert deployment(tmp_path, text, "producer.properties").settings["acks"] == "1"
    with pytest.raises(ConfigurationError, match="these are an application of Spring Boot, which tell their roles"):
        read_configuration(f"producer:{tmp_path / 'producer.properties'}")


WAYS = st.sampled_from(
    ["enable-auto-commit", "enableAutoCommit", "enable_auto_commit", "ENABLE_AUTO_COMMIT", "EnableAutocommit"]
)


@given(way=WAYS, value=st.booleans(), flat=st.booleans(), yaml=st.booleans())
def test_a_name_means_the_same_in_every_way_that_spring_binds(
    way: str, value: bool, flat: bool, yaml: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("spring")
    written = str(value).lower()
    if not flat:
        text = f"spring:\n  kafka:\n    consumer:\n      {way}: {written}\n"
    else:
        text = f"spring.kafka.consumer.{way}{': ' if yaml else '='}{written}\n"
    name = "application.yml" if yaml or not flat else "application.properties"
    assert deployment(folder, text, name).settings["commit"] == ("auto" if value else "after")
