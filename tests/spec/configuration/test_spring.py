"""Spring Boot's configuration is read as Spring Boot hands it to the client, and what could be otherwise in force is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    read_configuration,
    read_deployment,
    read_deployments,
)

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
    "a name that is not Spring's": (
        "spring:\n  kafka:\n    producer:\n      acks: 1\n      linger: 5\n",
        {"acks": "1", "idempotence": False},
    ),
    "an application's own name below the consumer": (
        "spring:\n  kafka:\n    producer:\n      acks: 1\n    consumer:\n      topic: orders\n",
        {"acks": "1", "commit": "after"},
    ),
    "a consumer commits after processing": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n    consumer:\n      group-id: a\n",
        {"commit": "after"},
    ),
    "a listener alone": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n    listener:\n      ack-mode: record\n",
        {"commit": "after"},
    ),
    "a listener that acknowledges in any order": (
        "spring:\n  kafka:\n    producer:\n      acks: all\n    listener:\n      async-acks: true\n",
        {"commit": "after"},
    ),
    "a consumer that is set to commit by itself": (
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


ACKS = "spring:\n  kafka:\n    producer:\n"

WRONG = {
    "a misspelt name": (
        "spring:\n  kafka:\n    producer:\n      ack: 1\n",
        "application.yml:4: spring.kafka.producer.ack: Spring Boot has no such name below spring.kafka.producer.",
    ),
    "a name that is not Spring's and ends as one that decides": (
        "spring:\n  kafka:\n    producer:\n      enable-idempotence: false\n",
        "Spring Boot has no such name",
    ),
    "a consumer below the listener": (
        "spring:\n  kafka:\n    listener:\n      consumer:\n        enable-auto-commit: true\n",
        "application.yml:5: spring.kafka.listener.consumer.enable-auto-commit: Spring Boot has no such name",
    ),
    "a misspelt part": (
        "spring:\n  kafka:\n    producr:\n      acks: 1\n",
        "Spring Boot has no such name below spring.kafka.",
    ),
    "a misspelt key of Kafka's": (
        "spring:\n  kafka:\n    producer:\n      properties:\n        enable.idempotance: true\n",
        "Did you mean enable.idempotence?",
    ),
    "a reference": ("spring:\n  kafka:\n    producer:\n      acks: ${ACKS}\n", "'${ACKS}' is a reference."),
    "a reference in a default": (
        "spring:\n  kafka:\n    producer:\n      acks: ${ACKS:${OTHER}}\n",
        "'${ACKS:${OTHER}}' is a reference.",
    ),
    "a property that a profile sets too": (
        f"app.acks: all\n{ACKS}      acks: ${{app.acks}}\n---\nspring.config.activate.on-profile: prod\napp.acks: 1\n",
        "'${app.acks}' is a reference.",
    ),
    "a property that is set in two parts": (
        f"app.acks: 1\n---\n{ACKS}      acks: ${{app.acks:1}}\n---\napp.acks: all\n",
        "'${app.acks:1}' is a reference.",
    ),
    "a property of a profile alone": (
        f"{ACKS}      acks: ${{app.acks:all}}\n---\nspring.config.activate.on-profile: prod\napp.acks: 1\n",
        "'${app.acks:all}' is a reference.",
    ),
    "a variable that is spelt as a property is": (
        f"acks: 1\n{ACKS}      acks: ${{ACKS:all}}\n",
        "'${ACKS:all}' is a reference.",
    ),
    "a default of a shell": (
        "spring:\n  kafka:\n    producer:\n      acks: ${ACKS:-all}\n",
        "'-all' is no value of acks.",
    ),
    "a default that is wrong": (
        "spring:\n  kafka:\n    producer:\n      acks: ${ACKS:two}\n",
        "'two' is no value of acks.",
    ),
    "a property that is itself": (
        "app.acks: ${app.acks}\nspring:\n  kafka:\n    producer:\n      acks: ${app.acks:1}\n",
        "'${app.acks:1}' is a reference.",
    ),
    "an empty default in properties": ("spring.kafka.producer.acks=${ACKS:}\n", "it has no value"),
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
        "Spring Cloud Stream has no binding in this file.",
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
    "a reference in place of everything": (
        "spring:\n  kafka: ${KAFKA:on}\n",
        "Spring Boot has no such name below spring.kafka.",
    ),
    "empty brackets": (
        "spring:\n  kafka:\n    producer[]: {acks: 1}\n",
        "Spring Boot has no such name below spring.kafka.producer.",
    ),
    "cut off": ("spring:\n  kafka:\n    producer:\n      acks: 'al", "this is no valid YAML"),
    "a template": ("spring:\n  kafka:\n    producer:\n      acks: {{ acks }}\n", "this is a template."),
}


def test_a_name_that_spring_ignores_is_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, "spring:\n  kafka:\n    consumer:\n      key-serializer: a.B\n      group-id: a\n")
    (doubt,) = [one for one in found.warnings if one.key == "spring.kafka.consumer.key-serializer"]
    assert doubt.decides
    assert doubt.line == 4
    assert "Spring Boot has no such name below spring.kafka.consumer." in str(doubt)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, text, "application.properties" if "properties" in name else "application.yml")
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


FILLED = {
    "a default": (
        "spring:\n  kafka:\n    producer:\n      acks: ${ACKS:1}\n",
        "1",
        "ACKS is taken to be its default '1'.",
    ),
    "a default of a default": (
        "spring:\n  kafka:\n    producer:\n      acks: ${ACKS:${OTHER:0}}\n",
        "0",
        "ACKS is taken to be its default '0' and OTHER is taken to be its default '0'.",
    ),
    "a property of the application": (
        "app:\n  kafka-acks: 1\nspring:\n  kafka:\n    producer:\n      acks: ${app.kafka-acks:all}\n",
        "1",
        None,
    ),
    "a key of Kafka's": (
        "spring:\n  kafka:\n    properties:\n      acks: ${KAFKA_ACKS:1}\n",
        "1",
        "KAFKA_ACKS is taken to be its default '1'.",
    ),
    "properties with a default": (
        "spring.kafka.producer.acks=${ACKS:1}\n",
        "1",
        "ACKS is taken to be its default '1'.",
    ),
}


@pytest.mark.parametrize("name", FILLED)
def test_a_default_that_is_taken_is_a_doubt(name: str, tmp_path: Path) -> None:
    text, acks, said = FILLED[name]
    found = deployment(tmp_path, text, "application.properties" if "properties" in name else "application.yml")
    assert found.settings["acks"] == acks
    stated = [doubt.what for doubt in found.doubts if "default '" in doubt.what]
    assert stated == ([said] if said else [])


def test_a_default_of_what_decides_nothing_is_no_doubt(tmp_path: Path) -> None:
    text = (
        "spring:\n  kafka:\n    bootstrap-servers: ${A:b:1}\n    producer:\n      acks: 1\n      batch-size: ${B:1}\n"
    )
    assert not any("default '" in doubt.what for doubt in deployment(tmp_path, text).doubts)


PRODUCER = "spring:\n  kafka:\n    producer:\n"
ACKS_1 = "spring.kafka.producer.acks=1\n"
COMPRESSED = f"{PRODUCER}      compression-type: lz4\n"
PROFILES = {
    "what the application has": ("application.yml", f"{PRODUCER}      acks: 1\n", COMPRESSED, "1"),
    "what the profile has": ("application.yml", f"{PRODUCER}      acks: 1\n", f"{PRODUCER}      acks: all\n", "all"),
    "the other format": ("application.properties", "spring.kafka.producer.acks=1\n", COMPRESSED, "1"),
    "another spelling": (
        "application.yaml",
        "spring:\n  kafka:\n    producer.ACKS: 1\n",
        f"{PRODUCER}      acks: all\n",
        "all",
    ),
    "a reference to the profile": (
        "application.yml",
        f"{PRODUCER}      acks: ${{app.acks:all}}\n",
        f"app.acks: 1\n{COMPRESSED}",
        "1",
    ),
    "an application that names the profile": (
        "application.yml",
        f"{PRODUCER}      acks: 1\n---\nspring.profiles.active: prod\n",
        COMPRESSED,
        "1",
    ),
}


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("as_folder", [True, False])
def test_the_file_of_a_profile_goes_over_the_application_beside_it(name: str, as_folder: bool, tmp_path: Path) -> None:
    below, text, own, acks = PROFILES[name]
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    (tmp_path / below).write_text(text, encoding="utf-8")
    (tmp_path / "application-prod.yml").write_text(own, encoding="utf-8")
    named = [tmp_path] if as_folder else [tmp_path / "application-prod.yml", tmp_path / "topic.properties"]
    found = read_deployment([str(path) for path in named], kafka_version="4.1")
    assert found.settings["acks"] == acks
    doubts = [doubt.what for doubt in found.doubts]
    assert (
        "this is the file of profile prod, which goes over application.yml or application.properties beside it."
        in doubts
    )
    assert not any("has files of its own" in doubt for doubt in doubts)


LONE = {
    "a profile alone": {"application-prod.yml": COMPRESSED},
    "a profile's properties alone": {"application-prod.properties": "spring.kafka.producer.acks=all\n"},
    "two profiles alone": {"application-prod.yaml": COMPRESSED, "application-eu.yaml": COMPRESSED},
    "a profile with the application under another name": {"application-prod.yml": COMPRESSED, "app.yml": COMPRESSED},
    "a profile over two": {
        "application-prod.yml": COMPRESSED,
        "application.yml": COMPRESSED,
        "application.yaml": COMPRESSED,
    },
}


@pytest.mark.parametrize("name", LONE)
def test_the_file_of_a_profile_is_refused_where_it_is_not_clear_over_what_it_goes(name: str, tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    for file, text in LONE[name].items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([str(tmp_path)], kafka_version="4.1")
    assert "profile" in str(caught.value) or "which goes first is not certain" in str(caught.value)


OF_ONE_APPLICATION = {
    "properties over YAML": {"application.yml": f"{PRODUCER}      acks: all\n", "application.properties": ACKS_1},
    "a profile's properties over its YAML": {
        "application.yml": f"{PRODUCER}      acks: all\n",
        "application-prod.yml": COMPRESSED,
        "application-prod.properties": ACKS_1,
    },
    "a profile over the application's properties": {
        "application.yml": f"{PRODUCER}      acks: all\n",
        "application.properties": ACKS_1,
        "application-prod.yml": COMPRESSED,
    },
    "what only the YAML has": {
        "application.yml": f"{PRODUCER}      acks: 1\n",
        "application.properties": "spring.application.name=shop\n",
    },
}


@pytest.mark.parametrize("name", OF_ONE_APPLICATION)
@pytest.mark.parametrize("as_folder", [True, False])
def test_files_of_one_application_are_one_program(name: str, as_folder: bool, tmp_path: Path) -> None:
    files = OF_ONE_APPLICATION[name]
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    own = max(file for file in files if "-" in file or "application-prod.yml" not in files)
    named = [tmp_path / own, tmp_path / "topic.properties"]
    (found,) = read_deployments([str(path) for path in ([tmp_path] if as_folder else named)], kafka_version="4.1")
    assert (found.settings["acks"], found.programs) == ("1", ())


def test_what_is_read_of_two_files_is_said_to_be_of_the_first_one_with_something_of_kafka(tmp_path: Path) -> None:
    (tmp_path / "application.properties").write_text("spring.application.name=shop\n", encoding="utf-8")
    (tmp_path / "application.yml").write_text(f"{PRODUCER}      acks: 1\n", encoding="utf-8")
    for name in ("application.properties", "application.yml"):
        (file,) = read_configuration(str(tmp_path / name))
        assert (Path(file.path).name, file.warnings) == ("application.yml", ())


def test_a_properties_file_that_is_not_springs_is_not_laid_over_the_application(tmp_path: Path) -> None:
    (tmp_path / "application.properties").write_text("acks=0\n", encoding="utf-8")
    assert deployment(tmp_path, f"{PRODUCER}      acks: 1\n").settings["acks"] == "1"


BESIDE = {
    "a profile that decides": ("application-prod.yml", f"{PRODUCER}      acks: 1\n", True),
    "a profile with other brokers": ("application-dev.yml", "spring.kafka.bootstrap-servers: a:9092\n", False),
    "a profile without Kafka": ("application-dev.properties", "server.port=80\n", False),
    "a profile that is not read": ("application-dev.yml", f"{PRODUCER}      acks: [\n", True),
    "a folder config": ("config/application.properties", "spring.kafka.listener.ack-mode=manual\n", True),
    "a folder config without Kafka": ("config/application.yml", "spring.datasource.url: a\n", False),
    "the folder above config": ("../application.yml", f"{PRODUCER}      acks: 1\n", True),
    "another file": ("other.yml", f"{PRODUCER}      acks: 1\n", False),
}


@pytest.mark.parametrize("name", BESIDE)
def test_another_file_of_an_application_that_decides_is_a_doubt(name: str, tmp_path: Path) -> None:
    other, text, doubted = BESIDE[name]
    folder = tmp_path / "config"
    (folder / "config").mkdir(parents=True)
    (folder / other).write_text(text, encoding="utf-8")
    doubts = [doubt.what for doubt in deployment(folder, f"{PRODUCER}      acks: all\n").doubts]
    assert [doubt.startswith(f"{other} may be in force") for doubt in doubts].count(True) == doubted, doubts


def test_the_file_of_a_profile_that_is_named_too_is_no_doubt(tmp_path: Path) -> None:
    (tmp_path / "application-prod.yml").write_text(f"{PRODUCER}      acks: all\n", encoding="utf-8")
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "application.yml").write_text(f"{PRODUCER}      acks: 1\n", encoding="utf-8")
    names = ("application-prod.yml", "application.yml", "topic.properties")
    found = read_deployments([str(tmp_path / name) for name in names], kafka_version="4.1")
    assert not any("is not read with it" in doubt.what for one in found for doubt in one.doubts)


@pytest.mark.parametrize(
    ("listener", "keeps", "said"), [("single", True, "retry topics and to dead letters"), ("batch", False, "no retry")]
)
def test_retry_topics_are_a_doubt(listener: str, keeps: bool, said: str, tmp_path: Path) -> None:
    text = f"spring:\n  kafka:\n    listener.type: {listener}\n    retry.topic.enabled: true\n    producer.acks: all\n"
    (tmp_path / "application.yml").write_text(text, encoding="utf-8")
    files = read_configuration(str(tmp_path / "application.yml"))
    assert [file.keeps_failed is not None for file in files if file.role == "consumer"] == [keeps]
    assert all(any(said in warning.what for warning in file.warnings) for file in files)


def test_another_programs_file_with_such_a_name_hides_no_application(tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "application.yml").write_text(f"{PRODUCER}      acks: 1\n", encoding="utf-8")
    own = "acks=all\nenable.idempotence=true\nkey.serializer=a.B\n"
    (tmp_path / "application-kafka.properties").write_text(own, encoding="utf-8")
    found = read_deployments([str(tmp_path)], kafka_version="4.1")
    assert {one.programs: one.settings["acks"] for one in found} == {
        ("application-kafka.properties",): "all",
        ("application.yml",): "1",
    }


def test_a_profile_beside_its_application_is_a_program_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "application.yml").write_text(f"{PRODUCER}      acks: all\n", encoding="utf-8")
    (tmp_path / "application-prod.yml").write_text(f"{PRODUCER}      acks: 1\n", encoding="utf-8")
    names = ("application.yml", "application-prod.yml", "topic.properties")
    found = read_deployments([str(tmp_path / name) for name in names], kafka_version="4.1")
    assert {one.programs: one.settings["acks"] for one in found} == {
        ("application.yml",): "all",
        ("application-prod.yml",): "1",
    }


def test_who_says_that_a_record_is_processed_may_be_in_doubt(tmp_path: Path) -> None:
    text = "spring:\n  profiles:\n    active: prod\n  kafka:\n    producer:\n      acks: all\n    listener:\n      ack-mode: {0}\n"
    doubts = [doubt.what for doubt in deployment(tmp_path, text.format("manual")).doubts]
    assert {"the program says when a record is processed.", "profile prod has files of its own."} <= set(doubts)
    doubts = [doubt.what for doubt in deployment(tmp_path, text.format("batch")).doubts]
    assert "the program says when a record is processed." not in doubts


def test_the_name_of_the_file_does_not_matter_and_a_role_is_refused(tmp_path: Path) -> None:
    text = READ["a producer"][0]
    assert deployment(tmp_path, text, "producer.properties").settings["acks"] == "1"
    with pytest.raises(ConfigurationError, match="these are an application of Spring Boot, which show their roles"):
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


def test_parts_are_seen_with_the_line_ends_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "application.properties"
    file.write_bytes(b"spring.kafka.producer.acks=all\r\n#---\r\nspring.kafka.producer.retries=0\r\n")
    with pytest.raises(ConfigurationError, match="is set in several parts of this file"):
        read_configuration(str(file))
