"""Variables of images, in compose files and in files of their own, are read as the images take them; the rest is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    read_configuration,
    read_deployment,
    read_deployments,
)
from neverlost.spec.configuration.catalogue import catalogue
from neverlost.spec.configuration.forms.images import BITNAMI, COMMON, CONFLUENT, IMAGES, WURSTMEISTER
from neverlost.spec.configuration.forms.yaml_documents import Mapping, read_documents

ONE = """\
services:
  kafka:
    image: apache/kafka:4.1.0
    restart: no
    ports: ["9092:9092"]
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
      KAFKA_MIN_INSYNC_REPLICAS: 2
      KAFKA_HEAP_OPTS: -Xmx1G
      CLUSTER_ID: a
    volumes:
      - data:/var/lib/kafka/data
volumes:
  data:
"""
TWO = """\
x-kafka: &kafka
  image: confluentinc/cp-kafka:7.6.1
  environment: &common
    KAFKA_PROCESS_ROLES: broker,controller
    KAFKA_MIN_INSYNC_REPLICAS: 2
services:
  one:
    <<: *kafka
    environment:
      <<: *common
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
  two:
    <<: *kafka
    environment:
      <<: [*common, {KAFKA_MIN_INSYNC_REPLICAS: 1}]
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
"""
BITNAMIS = """\
services:
  kafka:
    image: docker.io/bitnami/kafka:3.7.0-debian-12-r2
    environment:
      - KAFKA_CFG_PROCESS_ROLES=broker,controller
      - KAFKA_CFG_DEFAULT_REPLICATION_FACTOR=3
      - KAFKA_CFG_MIN_INSYNC_REPLICAS=2
      - KAFKA_CLIENT_USERS=app
      - ALLOW_PLAINTEXT_LISTENER=yes
    volumes:
      - data:/bitnami/kafka
"""
WURSTMEISTERS = """\
services:
  zookeeper:
    image: wurstmeister/zookeeper
  kafka:
    image: wurstmeister/kafka:2.13-2.8.1
    environment:
      KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
      KAFKA_MIN_INSYNC_REPLICAS: 2
      KAFKA_CREATE_TOPICS: "orders:3:3,audit:1:3:compact"
    volumes:
      - /var/run/docker.sock:/var/run/docker.sock
"""
ENV = """\
# a broker
KAFKA_PROCESS_ROLES=broker,controller
KAFKA_DEFAULT_REPLICATION_FACTOR=3
KAFKA_MIN_INSYNC_REPLICAS=2
KAFKA_OPTS=-Dfoo=bar
CLUSTER_ID=a
"""


def file(folder: Path, text: str, name: str = "compose.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def deployment(folder: Path, text: str, name: str = "compose.yaml") -> Deployment:
    return read_deployment([file(folder, text, name)])


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([file(folder, text)])
    assert all(problem.advice and problem.file for problem in caught.value.problems)
    return [problem.text.replace(f"{folder}/", "") for problem in caught.value.problems]


def test_a_service_with_an_image_of_kafka_is_a_broker_of_its_release(tmp_path: Path) -> None:
    found = deployment(tmp_path, ONE)
    assert (found.release, found.mode, found.replication_factor) == ("4.1.0", "KRaft", 3)
    source = found.sources["min.insync.replicas"]
    assert (source.value, source.layer, source.line) == ("2", "broker", 9)


@pytest.mark.parametrize(
    ("text", "brokers"),
    [
        (ONE, 1),
        (TWO, 2),
        (ONE.replace("restart: no", "scale: 3"), 3),
        (ONE.replace("restart: no", "deploy: {replicas: 5}"), 5),
        (ONE.replace("restart: no", "deploy: {replicas: '${BROKERS}'}"), None),
        (ONE.replace("broker,controller", "controller"), 0),
    ],
)
def test_the_brokers_of_a_compose_file_are_counted(text: str, brokers: int | None, tmp_path: Path) -> None:
    assert read_configuration(file(tmp_path, text))[0].brokers == brokers


def test_what_is_merged_in_keeps_the_line_where_it_stands(tmp_path: Path) -> None:
    (broker,) = read_configuration(file(tmp_path, TWO))
    assert [(entry.key, entry.value, entry.line) for entry in broker.entries] == [
        ("default.replication.factor", "3", 11),
        ("process.roles", "broker,controller", 4),
        ("min.insync.replicas", "2", 5),
        ("default.replication.factor", "3", 16),
    ]
    assert broker.release is not None
    assert (broker.release.value, broker.release.line) == ("3.6", 2)


def test_a_key_beside_a_merge_goes_before_what_is_merged_in(tmp_path: Path) -> None:
    own = TWO.replace(
        "<<: [*common, {KAFKA_MIN_INSYNC_REPLICAS: 1}]", "KAFKA_MIN_INSYNC_REPLICAS: 1\n      <<: *common"
    )
    assert any("'1' here, and '2' at" in problem for problem in problems(tmp_path, own))


def test_bitnamis_keys_begin_with_cfg(tmp_path: Path) -> None:
    found = deployment(tmp_path, BITNAMIS)
    assert (found.release, found.replication_factor, found.settings["min_isr"]) == ("3.7.0", 3, 2)
    assert found.sources["offsets.topic.replication.factor"].value == "1"
    assert any("the image sets it to 1" in warning.text for warning in found.warnings)
    (broker,) = read_configuration(file(tmp_path, BITNAMIS))
    log = {entry.key: entry.value for entry in broker.entries if entry.key.startswith("transaction.state.log.")}
    assert log == {"transaction.state.log.replication.factor": "1", "transaction.state.log.min.isr": "1"}


def test_wurstmeisters_image_creates_topics(tmp_path: Path) -> None:
    broker, *topics = read_configuration(file(tmp_path, WURSTMEISTERS))
    assert broker.release is not None
    assert broker.release.value == "2.8.1"
    assert [(topic.name, {entry.key: entry.value for entry in topic.entries}) for topic in topics] == [
        ("orders", {"partitions": "3", "replication.factor": "3"}),
        ("audit", {"partitions": "1", "replication.factor": "3", "cleanup.policy": "compact"}),
    ]


@pytest.mark.parametrize("name", ["kafka.env", "server.properties", "env.yaml"])
def test_a_file_of_variables_is_a_brokers_whatever_its_name(name: str, tmp_path: Path) -> None:
    found = deployment(tmp_path, ENV, name)
    assert (found.replication_factor, found.settings["min_isr"], found.mode) == (3, 2, "KRaft")
    assert len({one.release for one in (found, *found.others)}) > 5
    assert found.sources["min.insync.replicas"].line == 4


def test_a_file_of_bitnamis_variables_is_read_by_bitnamis_rule(tmp_path: Path) -> None:
    text = "KAFKA_CFG_MIN_INSYNC_REPLICAS=2\nKAFKA_CFG_DEFAULT_REPLICATION_FACTOR=3\nKAFKA_ENABLE_KRAFT=yes\n"
    assert deployment(tmp_path, text, "env").settings["min_isr"] == 2


def test_an_image_that_nothing_configures_has_its_own_configuration(tmp_path: Path) -> None:
    found = deployment(tmp_path, "services:\n  kafka:\n    image: apache/kafka:3.9.1\n")
    assert (found.release, found.mode, found.replication_factor) == ("3.9.1", "KRaft", 1)
    assert found.sources["offsets.topic.replication.factor"].value == "1"


def test_the_name_of_a_compose_file_does_not_matter(tmp_path: Path) -> None:
    assert deployment(tmp_path, ONE, "server.properties").replication_factor == 3


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("apache/kafka:4.1.0", "4.1.0"),
        ("apache/kafka-native:3.9.1", "3.9.1"),
        ("confluentinc/cp-server:7.6.1-1-ubi8", "3.6"),
        ("confluentinc/cp-kafka:5.5.15", "2.5"),
        ("confluentinc/cp-kafka:6.2.0", "2.8"),
        ("confluentinc/cp-kafka:8.0.0", "4.0"),
        ("bitnamilegacy/kafka:3.7", "3.7"),
        ("bitnami/kafka:3.7.1@sha256:0123", "3.7.1"),
        ("wurstmeister/kafka:2.12-2.5.0", "2.5.0"),
        ("apache/kafka:latest", None),
        ("apache/kafka", None),
        ("apache/kafka@sha256:0123", None),
        ("apache/kafka:${KAFKA:-4.1.0}", "4.1.0"),
        ("apache/kafka:${KAFKA-4.1.0}", "4.1.0"),
        ("confluentinc/cp-kafka:${CP_VERSION:-7.6.0}", "3.6"),
        ("confluentinc/cp-kafka:${CP_VERSION:-${OLD:-7.5.1}}", "3.5"),
        ("confluentinc/cp-kafka:${A:-7}.${B:-4}.0", "3.4"),
        ("${REGISTRY:-docker.io/}confluentinc/cp-kafka:7.6.0", "3.6"),
        ("${IMAGE:-apache/kafka:3.9.1}", "3.9.1"),
        ("${IMAGE:-apache/kafka}:${TAG:-3.9.1}", "3.9.1"),
        ("apache/kafka:${KAFKA}", None),
        ("apache/kafka:$KAFKA", None),
        ("apache/kafka:${KAFKA:+4.1.0}", None),
        ("apache/kafka:${KAFKA+4.1.0}", None),
        ("apache/kafka:${KAFKA:?say it}", None),
        ("apache/kafka:${KAFKA:-${OTHER}}", None),
        ("apache/kafka:${KAFKA:-}", None),
        ("apache/kafka:${KAFKA:-latest}", None),
        ("confluentinc/cp-kafka:latest", None),
        ("bitnami/kafka:latest", None),
        ("bitnamilegacy/kafka:latest", "4.0.0"),
        ("bitnamilegacy/kafka", "4.0.0"),
        ("docker.io/bitnamilegacy/kafka:${TAG}", "4.0.0"),
        ("wurstmeister/kafka:latest", "2.8.1"),
        ("wurstmeister/kafka", "2.8.1"),
        ("bitnami/kafka:3", None),
    ],
)
def test_the_tag_of_an_image_tells_the_release(image: str, release: str | None, tmp_path: Path) -> None:
    (broker, *_) = read_configuration(file(tmp_path, f"services:\n  kafka:\n    image: {image}\n"))
    assert (broker.release.value if broker.release else None) == release


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            ONE.replace("4.1.0", "${V:-4.0.1}"),
            "image: V is taken to be its default '4.0.1': the image is apache/kafka:4.0",
        ),
        (ONE.replace("apache/kafka:4.1.0", "bitnamilegacy/kafka").replace("KAFKA_", "KAFKA_CFG_"), "is taken, 4.0.0."),
        (
            ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR:-2}"),
            "compose.yaml:9: KAFKA_MIN_INSYNC_REPLICAS: MIN_ISR is taken to be its default '2'.",
        ),
        (ONE.replace("REPLICAS: 2", 'REPLICAS: "${MIN_ISR-2}"'), "MIN_ISR is taken to be its default '2'."),
        (
            ONE.replace("REPLICAS: 2", "REPLICAS: ${A:-${B:-2}}"),
            "A is taken to be its default '2' and B is taken to be its default '2'.",
        ),
        (ONE.replace("broker,controller", "${ROLES:-broker}"), "ROLES is taken to be its default 'broker'."),
        (BITNAMIS.replace("REPLICAS=2", "REPLICAS=${MIN_ISR:-2}"), "MIN_ISR is taken to be its default '2'."),
    ],
)
def test_a_default_that_is_taken_is_a_doubt(text: str, said: str, tmp_path: Path) -> None:
    text = text.replace("KAFKA_CFG_HEAP_OPTS", "KAFKA_HEAP_OPTS")
    found = deployment(tmp_path, text)
    assert found.settings["min_isr"] == 2
    assert any(said in doubt.text.replace(f"{tmp_path}/", "") for doubt in found.doubts), found.doubts


def test_a_default_of_what_decides_nothing_is_no_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, ONE.replace("-Xmx1G", "${OPTS:--Xmx1G}").replace("ID: a", "ID: ${ID:-a}"))
    assert not any("default '" in doubt.text for doubt in found.doubts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("4.1.0", "${V:-4.1.0}"), "service kafka: a file .env beside it sets V of its image."),
        (ONE.replace("4.1.0", "$V"), "service kafka: a file .env beside it sets V of its image."),
        (ONE.replace("REPLICAS: 2", "REPLICAS: ${V:-2}"), "'${V:-2}' is a reference."),
    ],
)
def test_a_file_of_variables_beside_it_goes_before_a_default(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# versions\nexport V=1\n", encoding="utf-8")
    assert any(said in problem for problem in problems(tmp_path, text))


IGNORED = {
    "an app": "  app:\n    build: .\n    environment:\n      KAFKA_BOOTSTRAP_SERVERS: kafka:9092\n    env_file: .env\n",
    "a database": "  db:\n    image: postgres:16\n    command: postgres -c max_connections=9\n",
    "ZooKeeper": "  zoo:\n    image: confluentinc/cp-zookeeper:7.6.1\n    command: x\n",
    "a user interface": "  ui:\n    image: provectuslabs/kafka-ui:latest\n    environment: {KAFKA_CLUSTERS_0_NAME: a}\n",
    "a command line": "  cli:\n    image: confluentinc/cp-ksqldb-cli:7.6.1\n    entrypoint: /bin/sh\n",
    "an image of Kafka that waits": "  cli:\n    image: apache/kafka:3.9.1\n    command: sleep infinity\n",
    "an image of Kafka that waits in a shell": (
        "  cli:\n    image: apache/kafka:3.9.1\n    entrypoint: [sh, -c, 'exec tail -f /dev/null']\n"
    ),
    "an image of Kafka that waits to be ended": (
        "  cli:\n    image: apache/kafka:3.9.1\n    command: [sh, -c, 'trap : TERM INT; sleep infinity & wait']\n"
    ),
    "a user interface of Connect": "  ui:\n    image: landoop/kafka-connect-ui\n",
    "a registry": "  registry:\n    image: confluentinc/cp-schema-registry:7.6.1\n",
}


@pytest.mark.parametrize("name", IGNORED)
def test_what_is_certainly_no_broker_is_ignored(name: str, tmp_path: Path) -> None:
    text = ONE.replace("services:\n", f"services:\n{IGNORED[name]}")
    assert deployment(tmp_path, text).settings["min_isr"] == 2


@pytest.mark.parametrize(
    "text",
    [
        "  kafka2:\n    extends: {file: other.yml, service: b}\n",
        "  two:\n    extends: {file: other.yml, service: kafka}\n",
        "  two:\n    extends: {file: kafka.yml, service: b}\n",
        "  two:\n    extends: kafka\n",
    ],
)
def test_a_service_that_may_be_a_broker_of_another_file_is_refused(text: str, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, ONE.replace("services:\n", f"services:\n{text}"))
    assert "it takes its image from another service, by extends. It may be a broker." in problem


def test_a_service_of_another_file_without_kafka_in_its_names_is_a_doubt(tmp_path: Path) -> None:
    text = "  db:\n    extends: {file: other.yml, service: db}\n"
    found = deployment(tmp_path, ONE.replace("services:\n", f"services:\n{text}"))
    assert [doubt.line for doubt in found.doubts if "service db: it takes its image" in doubt.what] == [3]


CLIENTS = {
    "Connect": (
        "confluentinc/cp-kafka-connect:7.6.1",
        "service other runs Kafka Connect: what it writes and reads is not",
    ),
    "Connect with a connector": ("cnfldemos/cp-server-connect-datagen:0.6.4-7.6.0", "service other runs Kafka Connect"),
    "Connect with someone's connector": (
        "streamthoughts/kafka-connect-file-pulse:latest",
        "service other runs Kafka Connect",
    ),
    "Debezium": ("debezium/connect:2.7", "service other runs Kafka Connect"),
    "the REST proxy": ("confluentinc/cp-kafka-rest:7.6.1", "service other runs the REST proxy"),
    "ksqlDB": ("confluentinc/cp-ksqldb-server:7.6.1", "service other runs ksqlDB"),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_known_client_beside_the_brokers_is_a_doubt(name: str, tmp_path: Path) -> None:
    image, said = CLIENTS[name]
    text = beside(f"    image: {image}\n    environment: {{CONNECT_PRODUCER_ACKS: 1}}\n    command: run\n")
    found = deployment(tmp_path, text)
    assert found.settings["min_isr"] == 2
    assert any(said in doubt.what for doubt in found.doubts)


@pytest.mark.parametrize("image", ["apache/kafka", "confluentinc/cp-kafka:latest", "bitnami/kafka:latest"])
def test_an_image_whose_variables_decide_nothing_has_its_own_defaults(image: str, tmp_path: Path) -> None:
    prefix = "KAFKA_CFG_" if "bitnami" in image else "KAFKA_"
    text = f"services:\n  kafka:\n    image: {image}\n    environment:\n      {prefix}LISTENERS: PLAINTEXT://:9092\n"
    found = deployment(tmp_path, text)
    assert (found.replication_factor, found.settings["min_isr"]) == (1, 1)
    assert len({one.release for one in (found, *found.others)}) > 5


def created(command: str, entrypoint: str = "") -> str:
    """A service that is started for its command alone, beside a broker."""
    first = f"    entrypoint: {entrypoint}\n" if entrypoint else ""
    return beside(f"    image: apache/kafka:4.1.0\n{first}    command: {command}\n")


ORDERS = {"partitions": "12", "replication.factor": "3", "min.insync.replicas": "2"}
CREATE = "kafka-topics --bootstrap-server kafka:9092 --create --if-not-exists --topic orders --partitions 12"
OPTIONS = "--replication-factor 3 --config min.insync.replicas=2"
STARTS = "/etc/confluent/docker/run"
STARTING = {
    "the image's own": STARTS,
    "a list": json.dumps([STARTS]),
    "a shell": json.dumps(["bash", "-c", f"sleep 5 && export KAFKA_MIN_INSYNC_REPLICAS=2 && exec {STARTS}"]),
    "words of a shell": f"sh -c {STARTS}",
    "a dollar of Compose's": json.dumps(["sh", "-c", f"export KAFKA_BROKER_ID=$${{HOSTNAME##*-}}; {STARTS}"]),
    "output of a command": json.dumps(["sh", "-c", f"export KAFKA_BROKER_ID=$$(hostname | tail -c 2); {STARTS}"]),
}


@pytest.mark.parametrize("name", STARTING)
def test_a_command_that_starts_the_images_broker_is_a_broker(name: str, tmp_path: Path) -> None:
    text = ONE.replace("apache/kafka:4.1.0\n", f"confluentinc/cp-kafka:7.6.1\n    command: {STARTING[name]}\n")
    found = deployment(tmp_path, text)
    assert (found.release, found.settings["min_isr"]) == ("3.6.0", 2)


def test_a_hash_within_a_word_is_no_comment(tmp_path: Path) -> None:
    found = problems(tmp_path, created(json.dumps(["sh", "-c", f"{CREATE} {OPTIONS} --config a=b#c; /more.sh"])))
    assert any("What '/more.sh' does is not known." in problem for problem in found), found


COMMANDS = {
    "a command": f"{CREATE} {OPTIONS}",
    "a path": f"/opt/kafka/bin/{CREATE.replace('topics', 'topics.sh')} {OPTIONS}",
    "a list": json.dumps(f"{CREATE} {OPTIONS}".split()),
    "a shell": json.dumps(["bash", "-c", f"sleep 5; {CREATE} {OPTIONS} > /dev/null 2>&1 || true"]),
    "a shell in a text": f""""bash -c 'echo Waiting... && cub kafka-ready -b kafka:9092 1 40 && {CREATE} {OPTIONS} && exit 0'\"""",
    "a block": (
        f"\n      - bash\n      - -c\n      - |\n        # topics\n        {CREATE} \\\n          {OPTIONS}\n        echo done\n"
    ),
    "a loop": f"""["sh", "-c", "for t in orders; do {CREATE.replace("orders", "$$t")} {OPTIONS}; done"]""",
    "equals signs": f"{CREATE.replace('--topic orders', '--topic=orders')} {OPTIONS.replace('factor 3', 'factor=3')}",
    "waiting": json.dumps(
        ["sh", "-c", f"until kafka-topics --bootstrap-server kafka:9092 --list; do sleep 1; done; {CREATE} {OPTIONS}"]
    ),
    "a list afterwards": json.dumps(["sh", "-c", f"{CREATE} {OPTIONS}; kafka-topics --list --bootstrap-server a:1"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_topics_that_a_command_creates_are_read(name: str, tmp_path: Path) -> None:
    broker, topic = read_configuration(file(tmp_path, created(COMMANDS[name])))
    assert broker.role == "broker"
    assert (topic.name, {entry.key: entry.value for entry in topic.entries}) == ("orders", ORDERS)


def test_the_topics_of_a_loop_and_of_two_commands_are_several(tmp_path: Path) -> None:
    script = (
        "for t in a b; do kafka-topics --create --topic $${t} --replication-factor 3; done;"
        " kafka-topics --create --topic c --replication-factor 1 --config min.insync.replicas=1"
    )
    text = created(f'"{script}"', '["/bin/sh", "-c"]')
    deployments = read_deployments([file(tmp_path, text)])
    assert [(one.topics, one.replication_factor, one.settings["min_isr"]) for one in deployments] == [
        (("a", "b"), 3, 2),
        (("c",), 1, 1),
    ]


def test_a_topic_that_is_created_knows_its_line(tmp_path: Path) -> None:
    _, topic = read_configuration(file(tmp_path, created(COMMANDS["a block"])))
    text = created(COMMANDS["a block"]).splitlines()
    assert all("kafka-topics" in text[entry.line - 1] for entry in topic.entries if entry.line)


NOT_READ = {
    "a reference": (f"{CREATE} --replication-factor $$RF", "The value of --replication-factor is a reference."),
    "a reference of Compose": (f"{CREATE} --replication-factor ${{RF:-3}}", "It has references to variables"),
    "a reference without braces": (f"{CREATE} --replication-factor $RF", "It has references to variables"),
    "an option that is not known": (
        f"{CREATE} --replica-assignment 1:2:3",
        "'--replica-assignment' of kafka-topics is not",
    ),
    "an option without its value": (f"{CREATE} --replication-factor", "'--replication-factor' of kafka-topics is not"),
    "no topic": ("kafka-topics --create --partitions 1", "kafka-topics has no --topic."),
    "topics that are changed": (
        json.dumps(["sh", "-c", f"{CREATE}; kafka-topics --alter --topic orders --config min.insync.replicas=1"]),
        "What 'kafka-topics' does is not known.",
    ),
    "keys that are changed": (
        json.dumps(["sh", "-c", f"{CREATE}; kafka-configs --alter --add-config min.insync.replicas=1"]),
        "What 'kafka-configs' does is not known.",
    ),
    "a broker": (
        json.dumps(["sh", "-c", f"{CREATE}; /etc/confluent/docker/run"]),
        "What '/etc/confluent/docker/run' does",
    ),
    "a script": ("bash /create.sh", "What 'bash' does is not known."),
    "a script beside": (json.dumps(["sh", "-c", f"/more.sh && {CREATE}"]), "What '/more.sh' does is not known."),
    "nothing of Kafka's": ("echo done", "It creates no topic."),
    "quotation marks": (f"""'{CREATE} "a'""", "Its quotation marks do not end."),
    "a producer": (
        json.dumps(["sh", "-c", f"{CREATE}; kafka-console-producer --producer-property acks=1"]),
        "What 'kafka-console-producer' does is not known.",
    ),
    "a reassignment": (
        json.dumps(["sh", "-c", f"{CREATE}; kafka-reassign-partitions --execute"]),
        "What 'kafka-reassign-partitions' does",
    ),
}


@pytest.mark.parametrize("name", NOT_READ)
def test_a_command_that_may_do_something_else_is_refused(name: str, tmp_path: Path) -> None:
    command, said = NOT_READ[name]
    found = problems(tmp_path, created(command))
    assert any(f"service other: its command is not read. {said}" in problem for problem in found), found


def test_a_key_twice_in_a_command_is_refused(tmp_path: Path) -> None:
    found = problems(tmp_path, created(f"{CREATE} {OPTIONS} --config min.insync.replicas=1"))
    assert any("set again to '1'" in problem for problem in found), found


def test_an_image_that_is_not_known_is_one_line(tmp_path: Path) -> None:
    text = beside(
        "    image: shop\n    environment:\n      KAFKA_MIN_INSYNC_REPLICAS: 1\n      KAFKA_ACKS: 1\n      KAFKA_PROCESS_ROLES: a\n"
    )
    (problem,) = problems(tmp_path, text)
    assert "this variable ends as one that decides: min.insync.replicas, as 2 more." in problem


def beside(text: str) -> str:
    return ONE.replace("services:\n", f"services:\n  other:\n{text}")


def with_variable(text: str) -> str:
    return ONE.replace("      CLUSTER_ID: a\n", f"      {text}\n")


def with_part(text: str) -> str:
    return ONE.replace("    restart: no\n", f"    {text}\n")


WRONG = {
    "Strimzi's image": (
        beside("    image: quay.io/strimzi/kafka:0.45.0-kafka-3.9.0\n"),
        "audit the resources of Strimzi",
    ),
    "Redpanda": (
        beside("    image: docker.redpanda.com/redpandadata/redpanda:v24\n"),
        "its brokers are not those of Apache Kafka",
    ),
    "WarpStream": (
        beside("    image: public.ecr.aws/warpstream-labs/warpstream_agent:latest\n"),
        "its brokers are not those of Apache Kafka, though they speak its protocol.",
    ),
    "Confluent's local image": (beside("    image: confluentinc/confluent-local:7.6.1\n"), "values of its own"),
    "a mirror of the image": (
        beside("    image: registry.example/apache/kafka:4.1.0\n"),
        "it is not known whether registry.example/apache/kafka is a broker.",
    ),
    "an app with acks": (
        beside("    image: shop\n    environment:\n      KAFKA_ACKS: 1\n"),
        "compose.yaml:5: KAFKA_ACKS: it is not known what service other is, and this variable ends as one that decides: acks.",
    ),
    "a broker that is built": (
        beside("    build: .\n    environment: [KAFKA_ADVERTISED_LISTENERS=a]\n"),
        "compose.yaml:4: KAFKA_ADVERTISED_LISTENERS: it is not known what service other is, and this variable is one of a broker's.",
    ),
    "a broker of an image of one's own": (
        beside("    image: shop\n    command: [bin/kafka-server-start.sh, server.properties]\n"),
        "its command starts a broker, which is not read",
    ),
    "a command of an app": (beside("    image: shop\n    command: run --acks 1\n"), "its command sets acks"),
    "no broker": ("services:\n  db:\n    image: postgres\n", "none of its services runs a broker"),
    "a service without parts": (ONE.replace("services:\n", "services:\n  other:\n"), "service other has no parts"),
    "include": (f"include: [more.yaml]\n{ONE}", "compose.yaml:1: include is not read."),
    "env_file": (with_part("env_file: .env"), "compose.yaml:4: service kafka: env_file is not read."),
    "extends": (with_part("extends: {file: a.yaml, service: b}"), "extends is not read."),
    "command": (
        with_part("command: kafka-topics --create"),
        "kafka: its command is not read. kafka-topics has no --topic.",
    ),
    "build": (with_part("build: ."), "build is not read."),
    "tmpfs": (with_part("tmpfs: /var/lib/kafka/data"), "What is in memory is lost with the container."),
    "an unknown part": (with_part("post_start: [a]"), "post_start is not read."),
    "a volume in memory": (
        ONE.replace("  data:\n", "  data:\n    driver_opts: {type: tmpfs}\n"),
        "volume data: what is in memory",
    ),
    "a mount in memory": (
        ONE.replace("- data:/var/lib/kafka/data", "- {type: tmpfs, target: /var/lib/kafka/data}"),
        "service kafka: what is in memory is lost",
    ),
    "a mounted configuration": (
        ONE.replace("- data:/var/lib/kafka/data", "- ./config:/mnt/shared/config:ro"),
        "compose.yaml:13: service kafka: it mounts /mnt/shared/config, from where the image takes configuration.",
    ),
    "a mount without a place": (
        ONE.replace("- data:/var/lib/kafka/data", "- {type: bind}"),
        "a mount is not understood.",
    ),
    "a reference": (ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR}"), "'${MIN_ISR}' is a reference."),
    "a reference without braces": (ONE.replace("REPLICAS: 2", "REPLICAS: $MIN_ISR"), "'$MIN_ISR' is no value of it."),
    "a reference for when it is set": (
        ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR:+2}"),
        "'${MIN_ISR:+2}' is a reference.",
    ),
    "a reference that must be set": (
        ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR:?2}"),
        "'${MIN_ISR:?2}' is a reference.",
    ),
    "a default that is a reference": (
        ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR:-${ISR}}"),
        "'${MIN_ISR:-${ISR}}' is a reference.",
    ),
    "a default that is empty": (ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR:-}"), "'' is no value of it."),
    "a default that is wrong": (ONE.replace("REPLICAS: 2", "REPLICAS: ${MIN_ISR:-two}"), "'two' is no value of it."),
    "a sign of money": (ONE.replace("REPLICAS: 2", "REPLICAS: $$2"), "'$2' is no value of it."),
    "an image that is a reference": (
        beside("    image: ${KAFKA_IMAGE}\n"),
        "it is not known whether ${KAFKA_IMAGE} is a broker.",
    ),
    "a release of Confluent's that is not known": (
        TWO.replace("7.6.1", "1.0.0"),
        "service one: which Kafka is in confluentinc/cp-kafka:1.0.0 is not known.",
    ),
    "a value from outside": (ONE.replace("REPLICAS: 2", "REPLICAS:"), "'${KAFKA_MIN_INSYNC_REPLICAS}' is a reference."),
    "a value with parts": (ONE.replace("REPLICAS: 2", "REPLICAS: [2]"), "this is no variable with a plain value."),
    "variables that are a text": (
        "services:\n  a:\n    image: apache/kafka:4.1.0\n    environment: b\n",
        "no variable with a plain value",
    ),
    "yes": (with_variable("KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE: yes"), "'yes' is neither true nor false."),
    "misspelt": (ONE.replace("MIN_INSYNC_REPLICAS", "MIN_INSYNC_REPLICA"), "there is no such key."),
    "a topic's key": (with_variable("KAFKA_REPLICATION_FACTOR: 3"), "this is no key of a broker."),
    "a producer's key": (with_variable("KAFKA_ACKS: all"), "acks: this is no key of a broker."),
    "a key that ends as one that decides": (
        with_variable("KAFKA_MY_MIN_ISR: 1"),
        "KAFKA_MY_MIN_ISR: Kafka has no key my.min.isr",
    ),
    "without its prefix": (
        with_variable("MIN_INSYNC_REPLICAS: 1"),
        "compose.yaml:11: MIN_INSYNC_REPLICAS: the image does not take this for a key of Kafka's",
    ),
    "another image's prefix": (
        BITNAMIS.replace("KAFKA_CFG_MIN", "KAFKA_MIN"),
        "compose.yaml:7: KAFKA_MIN_INSYNC_REPLICAS: this image is not known to have such a variable. What",
    ),
    "bitnami's flags": (
        BITNAMIS.replace("KAFKA_CLIENT_USERS=app", "KAFKA_EXTRA_FLAGS=--override a=b"),
        "KAFKA_EXTRA_FLAGS: this image is not known to have such a variable.",
    ),
    "twice in a list": (
        BITNAMIS.replace("KAFKA_CLIENT_USERS=app", "KAFKA_CFG_MIN_INSYNC_REPLICAS=1"),
        "set again to '1'; line 7 has '2'. Compose takes the last one",
    ),
    "a script": (
        WURSTMEISTERS.replace("KAFKA_MIN_INSYNC_REPLICAS: 2", "CUSTOM_INIT_SCRIPT: a"),
        "this command may change the",
    ),
    "topics of another form": (
        WURSTMEISTERS.replace("orders:3:3", "orders:3"),
        "this is no list of NAME:PARTITIONS:REPLICAS",
    ),
    "topics with another sign between": (
        WURSTMEISTERS.replace("KAFKA_MIN_INSYNC_REPLICAS: 2", "KAFKA_CREATE_TOPICS_SEPARATOR: ;"),
        "KAFKA_CREATE_TOPICS_SEPARATOR: this is no list",
    ),
    "brokers that differ": (
        TWO.replace("[*common, {KAFKA_MIN_INSYNC_REPLICAS: 1}]", "[{KAFKA_MIN_INSYNC_REPLICAS: 1}, *common]"),
        "'1' here",
    ),
    "a broker without a value": (
        TWO.replace("      <<: [*common, {KAFKA_MIN_INSYNC_REPLICAS: 1}]\n", "      KAFKA_PROCESS_ROLES: broker\n"),
        "compose.yaml:5: min.insync.replicas: of services one and two only one sets it.",
    ),
    "releases that differ": (
        TWO.replace("  two:\n    <<: *kafka\n", "  two:\n    image: confluentinc/cp-kafka:7.5.0\n"),
        "services one and two run releases of Kafka that differ: 3.6, and 3.5.",
    ),
    "a release that is not known": (ONE.replace("4.1.0", "9.9.9"), "compose.yaml:3: image: '9.9.9' is not a version"),
    "two merges": (
        TWO.replace("    <<: *kafka\n", "    <<: *kafka\n    <<: *kafka\n", 1),
        "keys are merged in here again (<<).",
    ),
    "a merge of a text": (TWO.replace("<<: *kafka", "<<: kafka"), "what is merged in (<<) has no keys."),
    "a merge of itself": (TWO.replace("x-kafka: &kafka\n", "x-kafka: &kafka\n  <<: *kafka\n"), "a part of itself."),
    "an alias of nothing": (TWO.replace("<<: *kafka", "<<: *kafkas"), "this is no valid YAML"),
    "truncated in a text": (ONE[: ONE.index("-Xmx")] + '"-Xmx', "this is no valid YAML"),
    "two documents": (f"{ONE}---\n{ONE}", "a compose file is one document with keys."),
    "a tag": (ONE.replace("REPLICAS: 2", "REPLICAS: !reset 2"), "the tag !reset is not understood."),
    "a template": (ONE.replace("REPLICAS: 2", "REPLICAS: {{ isr }}"), "this is a template."),
    "key twice": (
        with_variable("KAFKA_MIN_INSYNC_REPLICAS: 1"),
        "KAFKA_MIN_INSYNC_REPLICAS is there again; it is in line 9",
    ),
    "variables with a key of Java's": (f"{ENV}acks=all\n", "compose.yaml:7: this is no line of a file of variables"),
    "variables of a shell": (f"{ENV}export A=b\n", "compose.yaml:7: this is no line of a file of variables"),
    "variables of two images": (
        f"{ENV}KAFKA_CFG_NUM_PARTITIONS=1\n",
        "KAFKA_MIN_INSYNC_REPLICAS: this image is not known to",
    ),
    "variables of Connect": (
        f"{ENV}CONNECT_PRODUCER_ACKS=1\n",
        "CONNECT_PRODUCER_ACKS: this is a variable of Kafka Connect.",
    ),
    "variables that create topics": (
        f"{ENV}KAFKA_CREATE_TOPICS=a:1:1\n",
        "this is a variable of wurstmeister/kafka, and this file does not name the image",
    ),
    "a variable twice": (f"{ENV}KAFKA_MIN_INSYNC_REPLICAS=1\n", "set again to '1'; line 4 has '2'."),
    "a variable in quotation marks": (ENV.replace("REPLICAS=2", 'REPLICAS="2"'), "'\"2\"' is no value of it."),
    "a variable from outside": (
        ENV.replace("REPLICAS=2", "REPLICAS"),
        "'${KAFKA_MIN_INSYNC_REPLICAS}' is a reference.",
    ),
    "a policy from outside": (f"{ENV}KAFKA_LOG_CLEANUP_POLICY=${{POLICY}}\n", "'${POLICY}' is a reference."),
    "a client's variables": ("KAFKA_BOOTSTRAP_SERVERS=a:9092\n", "it sets none of the keys that decide for a broker"),
    "a client's acks": ("KAFKA_ACKS=1\nKAFKA_RETRIES=0\n", "compose.yaml:1: acks: this is no key of a broker."),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    found = problems(tmp_path, text)
    assert any(said in problem for problem in found), found


def test_a_service_that_starts_something_else_is_not_compared_with_the_brokers(tmp_path: Path) -> None:
    text = beside("    image: apache/kafka:4.0.0\n    command: kafka-topics.sh --create\n")
    (problem,) = problems(tmp_path, text)
    assert "service other: its command is not read." in problem


@pytest.mark.parametrize("text", [ONE, ENV])
def test_a_role_before_the_path_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="which show their roles"):
        read_configuration(f"broker:{file(tmp_path, text)}")


def test_a_folder_of_the_host_that_may_hold_a_configuration_is_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, BITNAMIS.replace("data:/bitnami/kafka", "./data:/bitnami/kafka"))
    assert any(
        "what lies in /bitnami/kafka/config of the container is not seen" in doubt.text for doubt in found.doubts
    )
    assert not any("is not seen" in doubt.text for doubt in deployment(tmp_path, BITNAMIS).doubts)


@given(st.sampled_from(sorted(catalogue().keys["broker"])))
def test_the_variable_of_every_key_of_a_broker_is_that_key_again(key: str) -> None:
    written = key.upper().replace("_", "__").replace("-", "___").replace(".", "_")
    own = frozenset().union(*(image.own for image in IMAGES))
    for image in (COMMON, CONFLUENT):
        if f"KAFKA_{written}" not in own and key == key.lower():
            assert image.key(f"KAFKA_{written}") == key
    if "_" not in key and "-" not in key and "sasl.ssl" not in key and key == key.lower():
        assert BITNAMI.key(f"KAFKA_CFG_{written}") == key
        assert WURSTMEISTER.key(f"KAFKA_{written}") == key


KEYS = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 9), max_size=3)


def lines_of(keys: dict[str, int]) -> str:
    return "".join(f"  {key}: {value}\n" for key, value in keys.items())


@given(KEYS, KEYS, KEYS, st.permutations(["*one", "*two"]), st.booleans())
def test_keys_are_merged_in_as_yaml_does_it(
    one: dict[str, int], two: dict[str, int], own: dict[str, int], order: list[str], first: bool
) -> None:
    merge = f"  <<: [{', '.join(order)}]\n"
    last = merge + lines_of(own) if first else lines_of(own) + merge
    text = f"one: &one\n{lines_of(one) or '  {}'}\ntwo: &two\n{lines_of(two) or '  {}'}\nlast:\n{last}"
    (found,) = read_documents(text, "a", merges=True)
    assert isinstance(found, Mapping)
    read = found.at("last")
    assert isinstance(read, Mapping)
    assert {key: read.text(key) for key in read.values} == {
        key: str(value) for key, value in yaml.safe_load(text)["last"].items()
    }
    assert all(text.splitlines()[line - 1] == f"  {key}: {read.text(key)}" for key, line in read.lines.items())


LAID_OVER = {
    "a variable of a broker": ("    environment: {KAFKA_MIN_INSYNC_REPLICAS: 1}\n", "it changes service kafka."),
    "the image of a broker": ("    image: apache/kafka:3.0.0\n", "it changes service kafka."),
    "where a broker runs": ("    deploy: {replicas: 2}\n", "it changes service kafka."),
    "another broker": ("    ports: [a]\n  other:\n    image: apache/kafka:4.1.0\n", "it changes service other."),
    "what is no YAML": ("    a: [\n", "it is not understood."),
    "ports of a broker": ("    ports: [a]\n    x-a: b\n", ""),
    "another service of Kafka's that is no broker": (
        "    ports: [a]\n  ui:\n    image: provectuslabs/kafka-ui:v1\n",
        "",
    ),
    "another service": ("    ports: [a]\n  app:\n    image: shop\n    environment: {A: b}\n", ""),
}


@pytest.mark.parametrize("base", ["compose.yaml", "docker-compose.yml", "kafka.yaml"])
@pytest.mark.parametrize("name", LAID_OVER)
def test_the_file_that_compose_lays_over_it_is_looked_at(name: str, base: str, tmp_path: Path) -> None:
    text, said = LAID_OVER[name]
    (tmp_path / "docker-compose.override.yml").write_text(f"services:\n  kafka:\n{text}", encoding="utf-8")
    (tmp_path / base).write_text(ONE, encoding="utf-8")
    if not said or base == "kafka.yaml":
        assert read_deployment([str(tmp_path / base)]).settings["min_isr"] == 2
        return
    with pytest.raises(ConfigurationError, match=r"docker-compose\.override\.yml lies beside it") as caught:
        read_deployment([str(tmp_path / base)])
    assert said in str(caught.value)
