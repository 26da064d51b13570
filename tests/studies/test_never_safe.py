"""Files that were once called SAFE and are not: each kind of them, and why it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Run, running

FAULTS = Path(__file__).with_name("faults")
NOT_SAFE, REFUSED, UNDECIDED = 1, 2, 3
JUDGED = {
    "dynamic-default-ignored": ((".",), "4.1.0", NOT_SAFE, "min.insync.replicas=1"),
    "connect-topic-creation": ((".",), "4.1.0", NOT_SAFE, "1 replica,"),
    "elr-metadata-version": ((".",), None, NOT_SAFE, "Kafka 4.1.0, the Java client"),
    "strimzi-label-pause/no-label": (("no-label.yaml",), None, REFUSED, "has no label strimzi.io/cluster"),
    "strimzi-label-pause/paused": (("paused.yaml",), None, REFUSED, "pause-reconciliation"),
    "strimzi-topic-operator/none": (("none.yaml",), None, REFUSED, "has no spec.entityOperator.topicOperator"),
    "strimzi-topic-operator/namespace": (("namespace.yaml",), None, REFUSED, "lies in namespace shop"),
    "no-version-assumes-the-safe-one": ((".",), None, NOT_SAFE, "NOT SAFE in every case"),
    "image-default-tag/compose": (("compose.yml",), None, NOT_SAFE, "Kafka 3.6"),
    "image-default-tag/bitnamilegacy-latest": (("bitnamilegacy-latest.yml",), None, NOT_SAFE, "Kafka 4.0"),
    "client-older-than-brokers": ((".",), "4.1.0", NOT_SAFE, "a Java client of 2.1 to 3.1"),
    "spring-profile-file": ((".",), "4.1.0", REFUSED, "the file of profile prod"),
    "log-dirs-tmp": ((".",), "4.1.0", REFUSED, "/tmp, which is emptied"),
    "sink-of-a-worker": (
        (".",),
        "4.1.1",
        NOT_SAFE,
        "consumer group of sink-of-a-worker/connector.properties: NOT SAFE",
    ),
    "connect-auto-commit": ((".",), "4.1.1", NOT_SAFE, "also what the sink has yet to write"),
    "compose-override": (("docker-compose.yml",), None, REFUSED, "docker-compose.override.yml lies beside it"),
    "broker-in-own-image": ((".",), "4.1.1", REFUSED, "the command of StatefulSet kafka starts a broker"),
    "streams-skips-by-time": (
        (".",),
        "4.1.1",
        NOT_SAFE,
        "goes on behind a record that fails (default.timestamp.extractor=",
    ),
    "sink-of-mongodb": ((".",), "4.1.1", NOT_SAFE, "goes on behind a record that fails (mongo.errors.tolerance=all"),
    "consumer-of-2.2": ((".",), "4.1.1", NOT_SAFE, "consumer group of consumer-of-2.2/consumer.log: NOT SAFE"),
    "consumer-in-scala": ((".",), "0.10.2.2", NOT_SAFE, "the consumer in Scala is not modelled"),
    "reactive-at-most-once": (
        (".",),
        "4.1.1",
        NOT_SAFE,
        "commits a record before it processes it (reactiveAtMostOnce=true",
    ),
    "reset-offsets": ((".",), "4.1.1", UNDECIDED, "resetOffsets=true at"),
    "defaults-of-bindings": ((".",), "4.1.1", UNDECIDED, "resetOffsets=true at"),
    "start-offset": ((".",), "4.1.1", NOT_SAFE, "has auto.offset.reset=latest"),
    "variables-of-spring": ((".",), "4.1.1", REFUSED, "SPRING_KAFKA_CONSUMER_ENABLEAUTOCOMMIT"),
    "two-files-of-spring": (("application.yml", "topic.properties"), "4.1.1", NOT_SAFE, "a record is written twice"),
    "binding-without-group": ((".",), "4.1.1", UNDECIDED, "a binding without a group is a new group at each start"),
    "brokers-on-one-machine": ((".",), None, NOT_SAFE, "NOT SAFE with node-loss"),
    "brokers-on-one-host": ((".",), "4.1.1", NOT_SAFE, "NOT SAFE with node-loss"),
    "connect-of-an-earlier-release": (
        (".",),
        "4.4.0",
        NOT_SAFE,
        "exactly-once of connect-of-an-earlier-release/worker.properties: NOT SAFE",
    ),
}
"""The files, the release that is said, the exit code, and what is said of them."""

SAFE_CONTROLLERS = ("--assume", "kraft-version=1,formats=no-initial-controllers")
KILLED = ("--survive", "pod-kill", "--assume")
JAVA = "elr=on,client=java"
WITHOUT_OTHER_REASONS = {
    "connect-topic-creation": SAFE_CONTROLLERS,
    "image-default-tag/bitnamilegacy-latest": SAFE_CONTROLLERS,
    "sink-of-a-worker": (*KILLED, JAVA),
    "connect-auto-commit": (*KILLED, JAVA),
    "streams-skips-by-time": (*KILLED, JAVA),
    "sink-of-mongodb": (*KILLED, JAVA),
    "consumer-of-2.2": (*KILLED, f"{JAVA},commit=sync"),
    "consumer-in-scala": (*KILLED, "client=java,commit=sync"),
    "reactive-at-most-once": (*KILLED, f"{JAVA},failed=keeps"),
    "reset-offsets": (*KILLED, f"{JAVA},failed=keeps"),
    "defaults-of-bindings": (*KILLED, f"{JAVA},failed=keeps"),
    "start-offset": ("--survive", "node-loss,disk-loss", "--assume", f"{JAVA},failed=keeps"),
    "two-files-of-spring": (*KILLED, JAVA),
    "binding-without-group": (*KILLED, f"{JAVA},failed=keeps"),
    "brokers-on-one-machine": ("--survive", "node-loss", "--assume", JAVA),
    "brokers-on-one-host": ("--survive", "node-loss", "--assume", JAVA),
    "connect-of-an-earlier-release": (*KILLED, "elr=on,transaction-version=2,unanswered=sends-again"),
}
"""What leaves only the reason for which it is not safe: the exit code is then of what was called SAFE."""

LONG = "dynamic-default-ignored"
"""Searched for longest, because its files leave the most open."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.thorough] * (name == LONG)) for name in JUDGED])
def test_what_was_falsely_safe_is_not(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Run = running(capsys, "audit")
    monkeypatch.setenv("COLUMNS", "100")
    files, release, expected, said = JUDGED[name]
    monkeypatch.chdir(FAULTS)
    folder = Path(name.partition("/")[0])
    version = () if release is None else ("--kafka-version", release)
    paths = [str(folder if file == "." else folder / file) for file in files]
    code, out, err = run(*paths, *version, *WITHOUT_OTHER_REASONS.get(name, ()), "--quiet")
    assert code == expected
    assert said in " ".join((out + err).split())


def test_every_folder_of_files_is_judged() -> None:
    assert {folder.name for folder in FAULTS.iterdir()} == {name.partition("/")[0] for name in JUDGED}


TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
BROKER = "process.roles=broker\nnode.id=1\nlog.dirs=/data\nmin.insync.replicas=2\noffsets.topic.replication.factor=3\n"
STREAMS = "application.id=app\nbootstrap.servers=a:9092\nreplication.factor=3\n"
WORKER = "bootstrap.servers=a:9092\ngroup.id=connect\noffset.storage.topic=o\nconfig.storage.topic=c\nstatus.storage.topic=s\n"
SINK = "name=sink\nconnector.class=org.acme.Sink\ntopics=orders\nerrors.tolerance=all\nerrors.deadletterqueue.topic.name=dlq\n"
COMPOSE = "services:\n" + "".join(
    f"  k{n}:\n    image: apache/kafka:4.1.1\n    environment:\n      KAFKA_PROCESS_ROLES: broker\n      KAFKA_NODE_ID: {n}\n"
    "      KAFKA_LOG_DIRS: /data\n      KAFKA_MIN_INSYNC_REPLICAS: 2\n"
    for n in (1, 2, 3)
)
PODS = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  replicas: 3
  serviceName: kafka
  selector: {matchLabels: {app: kafka}}
  template:
    metadata: {labels: {app: kafka}}
    spec:
      nodeSelector: {kubernetes.io/hostname: node-1}
      containers:
      - name: kafka
        image: apache/kafka:4.1.1
        env:
        - {name: KAFKA_PROCESS_ROLES, value: broker}
        - {name: KAFKA_MIN_INSYNC_REPLICAS, value: "2"}
        - {name: KAFKA_LOG_DIRS, value: /data}
        volumeMounts: [{name: d, mountPath: /data}]
  volumeClaimTemplates:
  - metadata: {name: d}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
APPLICATION = "spring:\n  kafka:\n    consumer:\n      auto-offset-reset: earliest\n    producer:\n      acks: all\n"


def beside(service: str) -> str:
    """A compose file with brokers, and a service of a program's own."""
    return f"{COMPOSE}  app:\n    image: acme/shop:1\n    {service}\n"


DOUBTED = {
    "a profile that a variable names": (
        {
            "compose.yaml": beside("environment: {SPRING_PROFILES_ACTIVE: prod}"),
            "application.yml": APPLICATION,
            "topic": TOPIC,
        },
        "SPRING_PROFILES_ACTIVE: profile prod has files of its own",
    ),
    "a profile that an argument names": (
        {
            "compose.yaml": beside("command: [--spring.profiles.active=prod]"),
            "application.yml": APPLICATION,
            "topic": TOPIC,
        },
        "spring.profiles.active: profile prod has files of its own",
    ),
    "another folder of an application": (
        {
            "compose.yaml": beside("environment: {SPRING_CONFIG_ADDITIONALLOCATION: /etc/app/}"),
            "application.yml": APPLICATION,
            "topic": TOPIC,
        },
        "SPRING_CONFIG_ADDITIONALLOCATION: it names other files of an application",
    ),
    "variables of an application that are not here": (
        {"compose.yaml": beside("env_file: app.env"), "application.yml": APPLICATION, "topic": TOPIC},
        "service app takes variables from app.env, which is not here",
    ),
    "retry topics": (
        {"topic": TOPIC, "server": BROKER, "application.yml": f"{APPLICATION}    retry.topic.enabled: true\n"},
        "what is sent to retry topics and to dead letters is not audited",
    ),
    "a result that is not sent": (
        {"topic": TOPIC, "server": BROKER, "app": f"{STREAMS}production.exception.handler=com.acme.Continue\n"},
        "what becomes of a result that cannot be sent",
    ),
    "offsets that are kept for a minute": (
        {
            "topic": TOPIC,
            "server": f"{BROKER}offsets.retention.minutes=1\n",
            "consumer": "group.id=g\nkey.deserializer=a.B\nenable.auto.commit=false\n",
        },
        "a group that is empty for so long loses what it has committed",
    ),
    "dead letters of a sink": (
        {"topic": TOPIC, "server": BROKER, "worker": WORKER, "sink": SINK},
        "what a sink sends to its topic of dead letters is not audited",
    ),
    "records that a source leaves out": (
        {
            "topic": TOPIC,
            "server": BROKER,
            "worker": f"{WORKER}producer.enable.idempotence=true\n",
            "source": "name=s\nconnector.class=org.acme.Source\nerrors.tolerance=all\n",
        },
        "the source goes on behind a record that it cannot read, convert or send",
    ),
    "records that MirrorMaker leaves out": (
        {
            "topic": TOPIC,
            "server": BROKER,
            "mirror": "clusters=a, b\na.bootstrap.servers=a:1\nb.bootstrap.servers=b:1\na->b.enabled=true\nerrors.tolerance=all\n",
        },
        "the source goes on behind a record that it cannot read, convert or send",
    ),
    "old records of a connector": (
        {"topic": TOPIC, "server": BROKER, "worker": f"{WORKER}producer.enable.idempotence=true\n"},
        "records have the time of those that they are made of",
    ),
    "one ID of two programs": (
        {
            "topic": TOPIC,
            "server": f"{BROKER}transaction.state.log.replication.factor=3\ntransaction.state.log.min.isr=2\n",
            "a": "key.serializer=a.B\ntransactional.id=pay\nclient.id=a\n",
            "b": "key.serializer=a.B\ntransactional.id=pay\nclient.id=b\n",
        },
        "b.properties:2 has the same: two programs with one ID fence each other",
    ),
    "a container's own disk": (
        {"compose.yaml": COMPOSE, "topic": TOPIC, "producer": "key.serializer=a.B\nacks=all\n"},
        "its logs lie in /data, where it mounts no volume",
    ),
}
"""Files with what may lose records though no file says that it does, and the doubt."""


@pytest.mark.parametrize("name", DOUBTED)
def test_what_may_make_it_unsafe_is_a_doubt(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts, doubt = DOUBTED[name]
    files = []
    for file, text in texts.items():
        path = Path(file if "." in file else f"{file}.properties")
        path.write_text(text, encoding="utf-8")
        files.append(str(path))
    version = () if "compose.yaml" in files else ("--kafka-version", "4.1.1")
    _, out, err = run("audit", *files, *version, "--survive", "pod-kill", "--assume", "elr=on,client=java", "--quiet")
    assert doubt in " ".join(out.partition("The verdict may be different, because")[2].split()), out + err


def test_pods_that_are_bound_to_one_node_lose_all_replicas_with_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("kafka.yaml", PODS), ("topic.properties", TOPIC), ("producer.properties", "acks=all\n")):
        Path(name).write_text(text, encoding="utf-8")
    asked = ("topic.properties", "producer.properties", "--survive", "node-loss", "--quiet")
    code, out, err = run("audit", "kafka.yaml", *asked, "--assume", "elr=on,client=java")
    assert (code, "node-loss is 3 power losses" in " ".join(out.split())) == (NOT_SAFE, True), err


def test_services_that_a_swarm_places_are_not_on_one_machine(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, *others = COMPOSE.split("    environment:")
    placed = first + "".join(
        f"    deploy: {{placement: {{constraints: [node.hostname == n{number}]}}}}\n    environment:{rest}"
        for number, rest in enumerate(others)
    )
    for name, text in (("compose.yaml", placed), ("topic.properties", TOPIC), ("producer.properties", "acks=all\n")):
        Path(name).write_text(text, encoding="utf-8")
    asked = ("audit", "compose.yaml", "topic.properties", "producer.properties", "--survive", "node-loss", "--quiet")
    _, out, err = run(*asked, "--assume", "elr=on,client=java")
    assert "SAFE with node-loss" in " ".join(out.split()), err
    assert "one machine" not in out


def test_one_machine_for_all_brokers_is_a_doubt_of_any_single_fault(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = []
    for number in (1, 2, 3):
        path = Path(f"server-{number}.properties")
        path.write_text(f"{BROKER}listeners=PLAINTEXT://localhost:909{number}\n", encoding="utf-8")
        files.append(str(path))
    Path("topic.properties").write_text(TOPIC, encoding="utf-8")
    Path("producer.properties").write_text("key.serializer=a.B\nacks=all\n", encoding="utf-8")
    files += ["topic.properties", "producer.properties"]
    asked = ("--kafka-version", "4.1.1", "--assume", "elr=on,client=java", "--quiet")
    _, out, _ = run("audit", *files, *asked)
    assert "the files have several brokers run on one machine" in " ".join(out.split())
    code, out, _ = run("audit", *files, *asked, "--survive", "node-loss")
    assert (code, "node-loss is 3 power losses" in " ".join(out.split())) == (NOT_SAFE, True)


@pytest.mark.parametrize(
    ("assumed", "doubted"), [((), True), (("--assume", "client=java"), False)], ids=["any", "java"]
)
def test_a_client_that_may_be_newer_than_brokers_before_2_5_is_a_doubt(
    assumed: tuple[str, ...], doubted: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    producer = "key.serializer=a.B\nacks=all\nenable.idempotence=true\n"
    for name, text in (("topic.properties", TOPIC), ("producer.properties", producer)):
        Path(name).write_text(text, encoding="utf-8")
    asked = ("topic.properties", "producer.properties", "--kafka-version", "2.4", "--survive", "pod-kill", "--quiet")
    _, out, err = run("audit", *asked, *assumed)
    assert ("a Java client from 2.5 on may write a record twice" in " ".join(out.split())) == doubted, err
