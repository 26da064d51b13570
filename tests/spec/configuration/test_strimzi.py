"""Strimzi's resources are read as the operator takes them, and what is not understood in them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_configuration, read_deployment

CLUSTER = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata:
  name: payments
  annotations:
    strimzi.io/kraft: enabled
spec:
  kafka:
    version: 4.1.0
    metadataVersion: 4.1-IV1
    config:
      default.replication.factor: 3
      min.insync.replicas: 2
      unclean.leader.election.enable: false
    listeners:
      - name: tls
        port: 9093
  entityOperator:
    topicOperator: {}
"""
TOPIC = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: orders
  labels:
    strimzi.io/cluster: payments
spec:
  partitions: 12
  replicas: 3
  config:
    retention.ms: 604800000
    "min.insync.replicas": "2"
"""
POOL = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata:
  name: brokers
spec:
  storage:
    type: jbod
    volumes:
      - id: 0
        type: persistent-claim
        size: 100Gi
"""
USER = "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaUser\nmetadata:\n  name: app\n"


def file(folder: Path, text: str, name: str = "kafka.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def deployment(folder: Path, text: str, *more: str) -> Deployment:
    return read_deployment([file(folder, text), *more])


def problems(folder: Path, text: str, **options: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([file(folder, text)], **options)
    return [problem.text.removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_a_cluster_and_its_topic_in_one_file_are_a_deployment(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{CLUSTER}---\n{POOL}---\n{USER}---\n{TOPIC}")
    assert (found.release, found.mode, found.replication_factor) == ("4.1.0", "KRaft", 3)
    assert (found.settings["min_isr"], found.settings["unclean"]) == (2, False)
    source = found.sources["min.insync.replicas"]
    assert (source.layer, source.line) == ("topic", 49)


def test_every_entry_knows_its_line(tmp_path: Path) -> None:
    (broker,) = read_configuration(file(tmp_path, CLUSTER))
    assert [(entry.key, entry.value, entry.line) for entry in broker.entries] == [
        ("default.replication.factor", "3", 12),
        ("min.insync.replicas", "2", 13),
        ("unclean.leader.election.enable", "false", 14),
        ("process.roles", "broker", 9),
        ("metadata.version", "4.1-IV1", 10),
    ]


OWN_REPLICAS = CLUSTER.replace("    version:", "    replicas: 3\n    version:")


def pool(replicas: str, roles: str = "[broker]", cluster: str = "payments") -> str:
    labels = f"  labels:\n    strimzi.io/cluster: {cluster}\n"
    return POOL.replace("spec:\n", f"{labels}spec:\n  replicas: {replicas}\n  roles: {roles}\n", 1)


def test_volumes_of_a_pool_are_several_log_directories(tmp_path: Path) -> None:
    """A directory that is lost alone, or left by a replica, is not modelled by default: a SAFE must say so."""
    second = POOL + "      - id: 1\n        type: persistent-claim\n        size: 100Gi\n"
    two = pool("3").replace(POOL[POOL.index("  storage") :], second[second.index("  storage") :])
    one, several = (deployment(tmp_path, f"{CLUSTER}---\n{nodes}---\n{TOPIC}") for nodes in (pool("3"), two))
    assert "several log directories" not in {notice.unchecked for notice in one.unchecked}
    assert "several log directories" in {notice.unchecked for notice in several.unchecked}


def test_what_the_operator_sets_itself_is_not_taken_from_the_file(tmp_path: Path) -> None:
    """It drops broker.rack (KafkaClusterSpec.FORBIDDEN_PREFIXES): the brokers would otherwise seem to be in known zones."""
    key = "broker.rack"
    found = deployment(
        tmp_path, CLUSTER.replace("    config:\n", f"    config:\n      {key}: a\n", 1) + f"---\n{TOPIC}"
    )
    assert [notice.what for notice in found.warnings if notice.key == key] == [
        "the operator sets this itself: it ignores what is written here."
    ]
    assert found.zones == 0


@pytest.mark.parametrize(
    ("documents", "brokers"),
    [
        ([OWN_REPLICAS], 3),
        ([CLUSTER], None),
        ([CLUSTER, pool("2"), pool("3", "[broker, controller]"), pool("5", "[controller]")], 5),
        ([CLUSTER, pool("2"), pool("3", cluster="other")], 2),
        ([CLUSTER, pool("${BROKERS}")], None),
        ([OWN_REPLICAS, pool("2")], None),
        ([OWN_REPLICAS.replace("kraft: enabled", "node-pools: enabled"), pool("2")], 2),
    ],
)
def test_the_brokers_of_a_cluster_are_counted(documents: list[str], brokers: int | None, tmp_path: Path) -> None:
    broker, *_ = read_configuration(file(tmp_path, "---\n".join(documents)))
    assert broker.brokers == brokers


def test_a_topic_alone_takes_its_replicas_from_spec(tmp_path: Path) -> None:
    found = deployment(tmp_path, TOPIC.replace("replicas: 3", "replicas: 5"))
    assert found.replication_factor == 5
    assert found.sources["replication.factor"].line == 9


def test_a_cluster_with_zookeeper_runs_with_it(tmp_path: Path) -> None:
    text = CLUSTER.replace("    strimzi.io/kraft: enabled", "    owner: us").replace("4.1.0", "3.7.0")
    text = text.replace("    metadataVersion: 4.1-IV1\n", "").replace(
        "  entityOperator:", "  zookeeper:\n    replicas: 3\n  entityOperator:"
    )
    assert deployment(tmp_path, text).mode == "ZooKeeper"


def test_the_version_that_is_named_goes_before_and_must_fit(tmp_path: Path) -> None:
    path = file(tmp_path, CLUSTER)
    assert read_deployment([path], kafka_version="4.1.1").release == "4.1.1"
    (problem,) = problems(tmp_path, CLUSTER, kafka_version="3.7")
    assert "brokers of Kafka 3.7 do not speak the protocol of 4.1" in problem


def test_a_cluster_that_sets_nothing_that_decides_tells_the_version(tmp_path: Path) -> None:
    bare = CLUSTER[: CLUSTER.index("    config:")]
    found = deployment(tmp_path, bare)
    assert found.release == "4.1.0"
    assert "min.insync.replicas" in found.assumed_defaults


ANNOTATED = "  annotations:\n    {0}: {1}\nspec:"


def annotated(text: str, name: str, value: str) -> str:
    return text.replace("spec:", ANNOTATED.format(name, value), 1)


def paused(text: str, value: str = '"true"') -> str:
    return annotated(text, "strimzi.io/pause-reconciliation", value)


CONNECTOR = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata:
  name: source
  labels:
    strimzi.io/cluster: connect
spec:
  class: a.SomeSource
  config:
    producer.override.acks: all
"""
CONNECT = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnect
metadata:
  name: connect
spec:
  config:
    producer.acks: all
"""
WITHOUT_LABEL = TOPIC.replace("  labels:\n    strimzi.io/cluster: payments\n", "")

WRONG = {
    "a-topic-without-its-cluster": (
        WITHOUT_LABEL,
        "kafka.yaml:1: this KafkaTopic has no label strimzi.io/cluster: the operator does not apply it.",
    ),
    "a-topic-without-its-cluster-beside-one": (
        f"{CLUSTER}---\n{WITHOUT_LABEL}",
        "kafka.yaml:21: this KafkaTopic has no label strimzi.io/cluster",
    ),
    "a-topic-with-an-empty-label": (TOPIC.replace(": payments", ':   ""'), "this KafkaTopic has no label"),
    "a-topic-with-another-label": (TOPIC.replace("strimzi.io/cluster", "cluster"), "this KafkaTopic has no label"),
    "a-topic-with-the-label-among-annotations": (
        TOPIC.replace("labels:", "annotations:"),
        "this KafkaTopic has no label",
    ),
    "a-paused-topic": (
        paused(TOPIC),
        "kafka.yaml:8: strimzi.io/pause-reconciliation is true: the operator does not apply this.",
    ),
    "a-paused-topic-in-capitals": (paused(TOPIC, "'TRUE'"), "pause-reconciliation is TRUE: the operator does not"),
    "a-paused-topic-without-quotes": (paused(TOPIC, "true"), "pause-reconciliation is true: the operator does not"),
    "a-topic-paused-with-yes": (
        paused(TOPIC, '"yes"'),
        "pause-reconciliation is 'yes': the operator may not apply this, for it is neither true nor false.",
    ),
    "a-topic-paused-with-nothing": (paused(TOPIC, ""), "pause-reconciliation is None: the operator may not apply this"),
    "a-topic-paused-with-a-1": (paused(TOPIC, '"1"'), "pause-reconciliation is '1': the operator may not apply this"),
    "a-paused-cluster": (
        CLUSTER.replace("kraft: enabled", 'kraft: enabled\n    strimzi.io/pause-reconciliation: "true"'),
        "kafka.yaml:7: strimzi.io/pause-reconciliation is true: the operator does not apply this.",
    ),
    "a-paused-connector": (f"{CONNECT}---\n{paused(CONNECTOR)}", "pause-reconciliation is true: the operator does not"),
    "a-paused-connect": (paused(CONNECT), "pause-reconciliation is true: the operator does not"),
    "a-connector-without-its-workers": (
        f"{CONNECT}---\n{CONNECTOR}".replace("  labels:\n    strimzi.io/cluster: connect\n", ""),
        "kafka.yaml:9: this KafkaConnector has no label strimzi.io/cluster",
    ),
    "an-unmanaged-topic": (
        annotated(TOPIC, "strimzi.io/managed", '"false"'),
        "strimzi.io/managed is false: the operator does not apply this.",
    ),
    "an-unmanaged-topic-in-capitals": (
        annotated(TOPIC, "strimzi.io/managed", '"False"'),
        "strimzi.io/managed is False: the operator does not apply this.",
    ),
    "a-topic-managed-with-no": (
        annotated(TOPIC, "strimzi.io/managed", '"no"'),
        "strimzi.io/managed is 'no': the operator may not apply this",
    ),
    "connect": (
        CLUSTER.replace("kind: Kafka\n", "kind: KafkaConnect\n"),
        "kafka.yaml:1: the resource has no spec.config.",
    ),
    "no-kind": (CLUSTER.replace("kind: Kafka\n", ""), "kafka.yaml:1: this resource has no kind."),
    "a-topic-twice": (
        f"{TOPIC}---\n{TOPIC}",
        "kafka.yaml:14: KafkaTopic orders, and another KafkaTopic of it in line 1.",
    ),
    "another-document": (
        f"{TOPIC}---\nreplicas: 1\n",
        "kafka.yaml:14: this document is no resource of Kubernetes.",
    ),
    "another-cluster": (
        f"{CLUSTER}---\n{TOPIC.replace('cluster: payments', 'cluster: orders')}",
        "this is of cluster orders, and",
    ),
    "key-twice": (
        TOPIC + "    min.insync.replicas: 1\n",
        "kafka.yaml:13: min.insync.replicas is there again; it is in line 12 already.",
    ),
    "misspelt-field": (TOPIC.replace("  replicas: 3", "  replicaz: 3"), "kafka.yaml:9: replicaz: a KafkaTopic has no"),
    "misspelt-key": (
        CLUSTER.replace("min.insync.replicas: 2", "min.insync.replica: 2"),
        "kafka.yaml:13: min.insync.replica: there is no such key.",
    ),
    "producers-key": (TOPIC.replace('"min.insync.replicas": "2"', "acks: all"), "kafka.yaml:12: acks: this is no key"),
    "nested": (
        TOPIC.replace('"min.insync.replicas": "2"', "min:\n      insync:\n        replicas: 2"),
        "kafka.yaml:12: min: its value has parts, or is empty.",
    ),
    "empty": (TOPIC.replace('"min.insync.replicas": "2"', "min.insync.replicas:"), "its value has parts, or is empty."),
    "octal": (TOPIC.replace('"2"', "0o2"), "'0o2' is no value of it."),
    "yes": (
        CLUSTER.replace("enable: false", "enable: yes"),
        "kafka.yaml:14: 'yes' is a truth value in YAML 1.1, and a text in YAML 1.2.",
    ),
    "template": (TOPIC.replace('"2"', "{{ .Values.minIsr }}"), "kafka.yaml:12: this is a template."),
    "variable": (TOPIC.replace('"2"', "${MIN_ISR}"), "'${MIN_ISR}' is a reference."),
    "merged": (f"{TOPIC}    <<: {{min.insync.replicas: 1}}\n", "kafka.yaml:13: keys are merged in here (<<)."),
    "tag": (TOPIC.replace('"2"', "!secret isr"), "the tag !secret is not understood."),
    "broken": (TOPIC.replace("spec:", "spec: [", 1), "this is no valid YAML"),
    "truncated": (TOPIC[: TOPIC.index("spec:")], "the resource has no spec"),
    "ephemeral": (
        CLUSTER.replace("    listeners:", "    storage:\n      type: ephemeral\n    listeners:"),
        "kafka.yaml:16: storage: the storage is ephemeral: whatever restarts a pod loses its disk.",
    ),
    "ephemeral-pool": (
        f"{TOPIC}---\n{POOL.replace('persistent-claim', 'ephemeral')}",
        "the storage is ephemeral: whatever restarts a pod loses its disk.",
    ),
    "version-with-parts": (
        CLUSTER.replace("version: 4.1.0", "version: [4.1.0]"),
        "kafka.yaml:9: version: its value has",
    ),
    "no-version": (
        CLUSTER.replace("version: 4.1.0", "version:"),
        "kafka.yaml:9: version: its value has parts, or is empty.",
    ),
    "no-mode": (CLUSTER.replace("kraft: enabled", "kraft:"), "kafka.yaml:6: strimzi.io/kraft: its value has parts"),
    "migration": (CLUSTER.replace("kraft: enabled", "kraft: migration"), "the cluster is between two modes."),
    "unknown-version": (
        CLUSTER.replace("4.1.0", "9.9.0").replace("    metadataVersion: 4.1-IV1\n", ""),
        "kafka.yaml:9: version: '9.9.0' is not a version that can be audited.",
    ),
    "part-of-itself": (f"{TOPIC}    here: &a\n      there: *a\n", "kafka.yaml:13: this value is a part of itself."),
    "deep": (f"{TOPIC}    deep: {'[' * 5000}", "kafka.yaml: it is nested too deeply."),
    "many-aliases": (
        f"{TOPIC}    x0: &x0 [1]\n" + "".join(f"    x{k}: &x{k} [*x{k - 1}, *x{k - 1}]\n" for k in range(1, 40)),
        "kafka.yaml:32: it has more than 1,000,000 values, with all that its aliases stand for.",
    ),
    "only-users": (USER, "none of these files sets anything that is read here."),
    "not-utf-8": (TOPIC.replace("orders", "orders\0"), "it holds a NUL byte."),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    assert any(said in problem for problem in problems(tmp_path, text)), problems(tmp_path, text)


@pytest.mark.parametrize(
    "text", [paused(TOPIC, '"false"'), paused(TOPIC, "false"), annotated(TOPIC, "strimzi.io/managed", '"true"')]
)
def test_an_annotation_that_pauses_nothing_changes_nothing(text: str, tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{CLUSTER}---\n{text}")
    assert (found.replication_factor, found.settings["min_isr"]) == (3, 2)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ('conditions:\n  - {type: Ready, status: "False", reason: NotSupported}', "Ready is False"),
        ('conditions:\n  - {type: ReconciliationPaused, status: "True"}', "ReconciliationPaused is True"),
        ("observedGeneration: 1", "has seen generation 1 of this KafkaTopic, and this is generation 2"),
        ('conditions:\n  - {type: Ready, status: "True"}\n  observedGeneration: 2', None),
    ],
)
def test_a_status_that_says_not_applied_is_a_doubt(status: str, said: str | None, tmp_path: Path) -> None:
    text = TOPIC.replace("  name: orders", "  name: orders\n  generation: 2") + f"status:\n  {status}\n"
    doubts = [doubt.text for doubt in deployment(tmp_path, f"{CLUSTER}---\n{text}").doubts]
    of_status = [doubt for doubt in doubts if "operator" in doubt]
    assert any(said in doubt for doubt in of_status) if said else not of_status


def test_a_role_before_the_path_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, TOPIC)
    with pytest.raises(ConfigurationError, match="these are Strimzi's resources, which show their roles"):
        read_configuration(f"topic:{path}")


def test_the_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    renamed = file(tmp_path, TOPIC, "topic.properties")
    assert read_deployment([renamed]).replication_factor == 3


def test_yaml_of_others_is_refused_as_before(tmp_path: Path) -> None:
    (problem, *_) = problems(tmp_path, "quarkus:\n  kafka:\n    producer:\n      acks: all\n")
    assert "by its name this is YAML" in problem


IN_KAFKA = CLUSTER.replace("  name: payments\n", "  name: payments\n  namespace: kafka\n")
TOPICS_OF_SHOP = IN_KAFKA.replace("topicOperator: {}", "topicOperator: {watchedNamespace: shop}")
IN_SHOP = TOPIC.replace("  name: orders\n", "  name: orders\n  namespace: shop\n")
CONNECT = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnect
metadata: {name: payments, namespace: kafka, annotations: {strimzi.io/use-connector-resources: "true"}}
spec: {version: 4.1.0, bootstrapServers: "a:9092", config: {group.id: c, offset.storage.topic: o, producer.acks: all}}
"""
CONNECTOR = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata: {name: source, namespace: kafka, labels: {strimzi.io/cluster: payments}}
spec: {class: a.Source, config: {producer.override.acks: all}}
"""
NOT_LOOKED_AT = {
    "no operator of topics": (
        (CLUSTER.replace("topicOperator", "userOperator"), TOPIC),
        "Kafka payments has no spec.entityOperator.topicOperator.",
    ),
    "no operator of topics or users": (
        (CLUSTER[: CLUSTER.index("  entityOperator")], TOPIC),
        "Kafka payments has no spec.entityOperator.topicOperator.",
    ),
    "another namespace": ((IN_KAFKA, IN_SHOP), "it lies in namespace shop, and the operator looks at namespace kafka."),
    "the namespace of the cluster, and topics of another": (
        (TOPICS_OF_SHOP, TOPIC.replace("  name: orders\n", "  name: orders\n  namespace: kafka\n")),
        "it lies in namespace kafka, and the operator looks at namespace shop.",
    ),
    "no namespace, and topics of another": (
        (TOPICS_OF_SHOP, TOPIC),
        "it names no namespace, and the operator looks at namespace shop.",
    ),
    "connectors that are given by REST": (
        (CLUSTER, CONNECT.replace('"true"', '"false"'), CONNECTOR),
        'KafkaConnect payments has no annotation strimzi.io/use-connector-resources: "true".',
    ),
    "a connector in another namespace": (
        (CLUSTER, CONNECT, CONNECTOR.replace("namespace: kafka", "namespace: shop")),
        "the operator does not apply this KafkaConnector: it lies in namespace shop",
    ),
    "a connector that is paused": (
        (CLUSTER, CONNECT, CONNECTOR.replace("{class", "{state: paused, class")),
        "this connector is paused or stopped",
    ),
}


@pytest.mark.parametrize("name", NOT_LOOKED_AT)
def test_what_no_operator_looks_at_is_refused(name: str, tmp_path: Path) -> None:
    texts, said = NOT_LOOKED_AT[name]
    assert any(said in problem for problem in problems(tmp_path, "---\n".join(texts)))
    files = [file(tmp_path, text, f"{number}.yaml") for number, text in enumerate(texts)]
    with pytest.raises(ConfigurationError, match=r"\d\.yaml:\d+: .*(?:does not apply this|paused or stopped)"):
        read_deployment(files)


LOOKED_AT = {
    "the namespace of the cluster": (
        IN_KAFKA,
        TOPIC.replace("  name: orders\n", "  name: orders\n  namespace: kafka\n"),
    ),
    "a namespace that kubectl says": (IN_KAFKA, TOPIC),
    "a namespace that kubectl says of the cluster": (CLUSTER, IN_SHOP),
    "the namespace that is watched": (TOPICS_OF_SHOP, IN_SHOP),
    "a connector of its workers": (CLUSTER, TOPIC, CONNECT, CONNECTOR),
    "a topic without its cluster": (TOPIC,),
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_what_an_operator_looks_at_is_read(name: str, tmp_path: Path) -> None:
    texts = "---\n".join(LOOKED_AT[name])
    version = None if "kind: Kafka\n" in texts else "4.1.0"
    assert read_deployment([file(tmp_path, texts)], kafka_version=version).replication_factor == 3
