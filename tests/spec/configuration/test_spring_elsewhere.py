"""What containers set over the file of an application of Spring's is refused or in doubt, and what decides nothing is neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment
from neverlost.spec.configuration.forms.spring_elsewhere import goes_over

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
APPLICATION = "spring:\n  kafka:\n    producer:\n      acks: all\n"
COMPOSE = """services:
  kafka:
    image: apache/kafka:4.1.1
    environment: {KAFKA_PROCESS_ROLES: broker}
  app:
    image: acme/shop:1
"""
PODS = """apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data:
  application.yml: |
    spring:
      kafka:
        producer:
          acks: all
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    spec:
      containers:
      - image: acme/shop:1
"""
OF_A_PROFILE, OF_FILES, NOT_HERE = (
    "profile prod has files of its own.",
    "it names other files of an",
    "which is not here.",
)


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("SPRING_KAFKA_CONSUMER_ENABLEAUTOCOMMIT", True),
        ("SPRING_KAFKA_CONSUMER_ENABLE_AUTO_COMMIT", True),
        ("SPRING_KAFKA_CONSUMER_AUTOOFFSETRESET", True),
        ("SPRING_KAFKA_LISTENER_ACK_MODE", True),
        ("SPRING_KAFKA_PRODUCER_PROPERTIES_MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION", True),
        ("SPRING_CLOUD_STREAM_KAFKA_BINDER_REQUIREDACKS", True),
        ("spring.cloud.stream.kafka.default.consumer.resetOffsets", True),
        ("SPRING_KAFKA_BOOTSTRAPSERVERS", False),
        ("SPRING_KAFKA_CONSUMER_GROUPID", False),
        ("SPRING_KAFKA_LISTENER_CONCURRENCY", False),
        ("SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG", False),
        ("SPRING_DATASOURCE_HIKARI_AUTOCOMMIT", False),
        ("SPRING_PROFILES_ACTIVE", False),
        ("spring.kafka.producer.properties[acks]", True),
        ("spring.kafka.producer.properties[linger.ms]", False),
    ],
)
def test_which_names_of_springs_decide(name: str, does: bool) -> None:
    assert goes_over(name) == does


def deployment(folder: Path, **files: str) -> Deployment:
    """What files amount to; `_` in their names stands for a dot."""
    paths = []
    for name, text in {**files, "topic_properties": TOPIC}.items():
        path = folder / name.replace("_", ".")
        path.write_text(text, encoding="utf-8")
        paths += [str(path)] if path.suffix != ".env" else []
    version = None if "compose_yaml" in files else "4.1.1"
    return read_deployment(paths, kafka_version=version, assume="client=java")


DOUBTED = {
    "a profile": ("environment: {SPRING_PROFILES_ACTIVE: prod}", OF_A_PROFILE),
    "a profile in a list": ("environment: [SPRING_PROFILES_INCLUDE=prod]", OF_A_PROFILE),
    "an argument": ("command: java -jar a.jar --spring.profiles.active=prod", OF_A_PROFILE),
    "an option of Java's": ("environment: {JAVA_OPTS: -Dspring.profiles.active=prod -Xmx1G}", OF_A_PROFILE),
    "a folder": ("environment: {SPRING_CONFIG_ADDITIONAL_LOCATION: /etc/app/}", OF_FILES),
    "an import": ("environment: {SPRING_CONFIG_IMPORT: 'configserver:'}", OF_FILES),
    "a file that is not here": ("env_file: [app.env]", NOT_HERE),
    "a file that may be there": ("env_file: [{path: app.env, required: false}]", NOT_HERE),
    "a profile in a file": ("env_file: here.env", OF_A_PROFILE),
}
HERE = "# of the application\nexport SPRING_PROFILES_ACTIVE='prod'\nDB_PASSWORD=a\n"


@pytest.mark.parametrize("name", DOUBTED)
def test_what_a_service_may_set_otherwise_is_a_doubt_of_an_application(name: str, tmp_path: Path) -> None:
    service, said = DOUBTED[name]
    compose = f"{COMPOSE}    {service}\n"
    found = deployment(tmp_path, here_env=HERE, compose_yaml=compose, application_yml=APPLICATION)
    assert [said in doubt.text for doubt in found.doubts].count(True) == 1
    without = deployment(tmp_path, compose_yaml=compose, producer_properties="acks=all\nkey.serializer=a.B\n")
    assert not any(said in doubt.text for doubt in without.doubts)


ORDINARY = (
    "environment: {SPRING_KAFKA_BOOTSTRAP_SERVERS: 'a:9092', SPRING_DATASOURCE_URL: a, SPRING_PROFILES_ACTIVE: ''}",
    "environment: {JAVA_OPTS: -Xmx1G -Dspring.kafka.bootstrap-servers=a}",
    "command: --spring.kafka.consumer.group-id=shop --server.port=80",
    """environment: {SPRING_APPLICATION_JSON: '{"spring": {"datasource": {"url": "a"}}}'}""",
    "env_file: here.env",
)


@pytest.mark.parametrize("service", ORDINARY)
def test_what_decides_nothing_is_no_doubt(service: str, tmp_path: Path) -> None:
    files = {"here_env": "SPRING_KAFKA_BOOTSTRAPSERVERS=a\nKAFKA_BROKER_ID=1\n", "application_yml": APPLICATION}
    plain = deployment(tmp_path, compose_yaml=COMPOSE, **files).doubts
    assert deployment(tmp_path, compose_yaml=f"{COMPOSE}    {service}\n", **files).doubts == plain


@pytest.mark.parametrize(
    "service",
    [
        "environment: {SPRING_KAFKA_LISTENER_ACKMODE: manual}",
        """environment: {SPRING_APPLICATION_JSON: '{"spring": {"kafka": {"listener": {"ack-mode": "manual"}}}}'}""",
        "environment: {JAVA_OPTS: '-Dspring.kafka.consumer.autoOffsetReset=latest'}",
        "command: [--spring.kafka.consumer.auto-offset-reset, latest]",
        "command: ['--spring.kafka.consumer.properties[enable.auto.commit]=true']",
        "env_file: here.env",
    ],
)
def test_what_decides_is_refused_beside_an_application(service: str, tmp_path: Path) -> None:
    files = {"here_env": "SPRING_KAFKA_PRODUCER_ACKS=1\n", "compose_yaml": f"{COMPOSE}    {service}\n"}
    with pytest.raises(ConfigurationError, match="it goes over the file of an application of Spring Boot"):
        deployment(tmp_path, application_yml=APPLICATION, **files)
    deployment(tmp_path, producer_properties="acks=all\nkey.serializer=a.B\n", **files)


def test_the_variables_of_a_known_service_are_no_applications(tmp_path: Path) -> None:
    compose = COMPOSE.replace("acme/shop:1", "postgres:16") + "    env_file: postgres.env\n"
    found = deployment(tmp_path, compose_yaml=compose, application_yml=APPLICATION)
    assert not any(NOT_HERE in doubt.text for doubt in found.doubts)


def test_the_profile_whose_file_is_read_is_no_doubt_of_it(tmp_path: Path) -> None:
    compose = f"{COMPOSE}    {DOUBTED['a profile'][0]}\n"
    files = {"application.yml": APPLICATION, "application-prod.yml": APPLICATION, "compose.yaml": compose, "t": TOPIC}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / "application-prod.yml"), str(tmp_path / "compose.yaml"), f"topic:{tmp_path / 't'}"]
    assert OF_A_PROFILE not in {doubt.what for doubt in read_deployment(paths, assume="client=java").doubts}


@pytest.mark.parametrize("empty", ["", "\n", "# nothing\n", "server.port=80\n"])
@pytest.mark.parametrize("profile", ["", "-prod"])
def test_a_file_beside_an_application_that_sets_nothing_is_no_error(profile: str, empty: str, tmp_path: Path) -> None:
    (tmp_path / "application.properties").write_text(empty, encoding="utf-8")
    found = deployment(tmp_path, **{f"application{profile}_yml": APPLICATION})
    assert {Path(entry.file).name for file in found.files for entry in file.entries if file.form == "Spring"} == {
        f"application{profile}.yml"
    }


FROM_MAP, FROM_SECRET = "envFrom: [{configMapRef: {name: a}}]", "envFrom: [{secretRef: {name: a}}]"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
IN_PODS = {
    "a profile": ("env: [{name: SPRING_PROFILES_ACTIVE, value: prod}]", OF_A_PROFILE),
    "a profile from elsewhere": (
        "env: [{name: SPRING_PROFILES_ACTIVE, valueFrom: {configMapKeyRef: {name: a, key: b}}}]",
        "a profile has files of its own.",
    ),
    "JSON from elsewhere": (
        "env: [{name: SPRING_APPLICATION_JSON, valueFrom: {secretKeyRef: {name: a, key: b}}}]",
        "what it has for an application of Spring Boot is not here.",
    ),
    "arguments": ("args: [--spring.config.location=/etc/app/]", OF_FILES),
    "a ConfigMap that is not here": (FROM_MAP, NOT_HERE),
    "a Secret that is not here": (FROM_SECRET, NOT_HERE),
    "a Secret": (
        f"{FROM_SECRET}\n---\n{MAP.replace('ConfigMap', 'Secret')}data: {{SPRING_PROFILES_ACTIVE: cHJvZA==}}",
        "a profile has files of its own.",
    ),
    "a script": (
        f"{FROM_MAP}\n---\n{MAP}data:\n  run.sh: |\n    java -Dspring.profiles.active=prod -jar a.jar",
        OF_A_PROFILE,
    ),
    "a ConfigMap": (
        f"{FROM_MAP}\n---\n{MAP}data: {{SPRING_PROFILES_ACTIVE: prod}}",
        OF_A_PROFILE,
    ),
}


@pytest.mark.parametrize("name", IN_PODS)
def test_what_a_pod_may_set_otherwise_is_a_doubt(name: str, tmp_path: Path) -> None:
    parts, said = IN_PODS[name]
    found = deployment(tmp_path, all_yaml=f"{PODS}        {parts}\n")
    assert [said in doubt.text for doubt in found.doubts].count(True) == 1


def test_ordinary_pods_are_no_doubt(tmp_path: Path) -> None:
    parts = "env: [{name: SPRING_KAFKA_BOOTSTRAPSERVERS, value: a}, {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}]"
    plain = deployment(tmp_path, all_yaml=PODS).doubts
    assert deployment(tmp_path, all_yaml=f"{PODS}        {parts}\n").doubts == plain


def test_what_decides_in_a_pod_is_refused(tmp_path: Path) -> None:
    parts = "env: [{name: SPRING_KAFKA_CONSUMER_AUTOOFFSETRESET, value: latest}]"
    with pytest.raises(ConfigurationError, match="it goes over the file of an application of Spring Boot"):
        deployment(tmp_path, all_yaml=f"{PODS}        {parts}\n")


def test_properties_in_a_config_map_go_over_the_yaml_beside_them(tmp_path: Path) -> None:
    both = PODS.replace("data:\n", "data:\n  application.properties: |\n    spring.kafka.producer.acks=1\n")
    found = deployment(tmp_path, all_yaml=both)
    source = found.sources["acks"]
    assert (found.settings["acks"], source.line, found.programs) == ("1", 6, ())
