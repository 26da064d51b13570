"""What stands beside Strimzi's resources is skipped, read or refused, and each is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from neverlost.spec.configuration import ConfigurationError, Deployment, read_configuration, read_deployment

CLUSTER = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: payments}
spec:
  kafka:
    version: 4.1.0
    config:
      default.replication.factor: 3
      min.insync.replicas: 2
  entityOperator: {topicOperator: {}}
"""
TOPIC = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: orders
  labels:
    strimzi.io/cluster: payments
spec:
  partitions: 12
  replicas: 3
  config:
    min.insync.replicas: 2
"""
BOTH = f"{CLUSTER}---\n{TOPIC}"


def document(kind: str, rest: str, version: str = "v1") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: shop\n{rest}"


def workload(container: str, kind: str = "Deployment") -> str:
    return document(kind, f"spec:\n  template:\n    spec:\n      containers:\n      - {container}\n", "apps/v1")


def config_map(data: str) -> str:
    return document("ConfigMap", f"data:\n{data}")


BROKER = (
    "  server.properties: |\n    process.roles=broker\n    default.replication.factor=3\n    min.insync.replicas=1\n"
)
PRODUCER = "  producer.properties: |\n    # of the shop\n    bootstrap.servers=a:9092\n    acks=1\n"


def file(folder: Path, text: str, name: str = "all.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def deployment(folder: Path, text: str, name: str = "all.yaml", version: str | None = None) -> Deployment:
    return read_deployment([file(folder, text, name)], kafka_version=version)


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([file(folder, text)])
    assert all(problem.file for problem in caught.value.problems)
    return [problem.text.replace(f"{folder}/", "") for problem in caught.value.problems]


MOUNTING = f"{workload('image: shop')}      volumes:\n"
SKIPPED = {
    "a Deployment": workload("image: registry.example/shop:1"),
    "a Deployment that reaches the brokers": workload(
        "{image: shop, env: [{name: KAFKA_BOOTSTRAP_SERVERS, value: 'a:9092'}], args: [--port, '80']}"
    ),
    "Strimzi's own operator": workload("image: quay.io/strimzi/operator:0.49.0"),
    "a console": workload("image: provectuslabs/kafka-ui:latest"),
    "a Service": document("Service", "spec:\n  ports: [{port: 80}]\n"),
    "a ConfigMap": config_map("  a.txt: b\n  port: '80'\n"),
    "a ConfigMap without data": document("ConfigMap", ""),
    "a ConfigMap of log files": config_map("  log4j.properties: |\n    log4j.rootLogger=INFO\n    log4j.a=b\n"),
    "a ConfigMap of another program": config_map("  messages.properties: |\n    title=Shop\n    hello=a\n"),
    "a ConfigMap of dashboards": config_map('  a.json: \'{"legend": "{{topic}}"}\'\n'),
    "a ConfigMap of an application without Kafka": config_map("  application.yml: |\n    spring:\n      port: 1\n"),
    "a Secret": document("Secret", "data:\n  password: aGlkZGVu\n"),
    "a ServiceAccount": document("ServiceAccount", ""),
    "a NetworkPolicy": document("NetworkPolicy", "spec: {podSelector: {}}\n", "networking.k8s.io/v1"),
    "a definition with all that YAML has": document(
        "CustomResourceDefinition",
        "spec:\n  names: [no, yes]\n  a: &a {b: c}\n  d:\n    <<: *a\n  e: !t f\n  g: '{{ h }}'\n",
        "apiextensions.k8s.io/v1",
    ),
    "rules with templates": document(
        "PrometheusRule", "spec:\n  a: 'at {{ $labels.pod }}'\n", "monitoring.coreos.com/v1"
    ),
    "a resource of others": document("Widget", "spec: {replicas: 1}\n", "widgets.example/v1"),
    "nothing": "# Source: shop/templates/empty.yaml\n",
}


@pytest.mark.parametrize("name", SKIPPED)
@pytest.mark.parametrize("first", [True, False])
def test_what_sets_nothing_is_skipped_and_named(name: str, first: bool, tmp_path: Path) -> None:
    parts = [SKIPPED[name], BOTH] if first else [BOTH, SKIPPED[name]]
    found = deployment(tmp_path, "---\n" + "---\n".join(parts))
    assert (found.release, found.replication_factor, found.settings["min_isr"]) == ("4.1.0", 3, 2)
    notes = [note for note in found.warnings if "these resources are skipped" in note.what]
    if name == "nothing":
        assert not notes
    else:
        (note,) = notes
        assert f"1 {SKIPPED[name].partition('kind: ')[2].splitlines()[0]}" in note.what
        assert not note.decides


def test_what_is_skipped_is_one_note(tmp_path: Path) -> None:
    text = "---\n".join([BOTH, *SKIPPED.values(), SKIPPED["a Service"]])
    (note,) = [note for note in deployment(tmp_path, text).warnings if "skipped" in note.what]
    assert note.what == (
        "these resources are skipped: 6 ConfigMap, 1 CustomResourceDefinition, 4 Deployment, 1 NetworkPolicy, "
        "1 PrometheusRule, 1 Secret, 2 Service, 1 ServiceAccount, 1 Widget."
    )


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("kind", ["List", "KafkaTopicList"])
def test_a_list_that_kubectl_prints_as_json_is_read_as_its_documents(
    indent: int | None, kind: str, tmp_path: Path
) -> None:
    parts = [BOTH, *(text for text in SKIPPED.values() if "!t" not in text)]
    items = [one for one in yaml.safe_load_all("---\n".join(parts)) if one]
    items[1]["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(items[1])}
    text = json.dumps({"apiVersion": "v1", "kind": kind, "items": items}, indent=indent)
    found = deployment(tmp_path, text, "all.json")
    assert (found.release, found.topics, found.settings["min_isr"]) == ("4.1.0", ("orders",), 2)


def test_json_keeps_the_rules_of_strimzi(tmp_path: Path) -> None:
    topic = yaml.safe_load(TOPIC)
    topic["metadata"]["annotations"] = {"strimzi.io/pause-reconciliation": "true"}
    (problem,) = problems(tmp_path, json.dumps(topic, indent=2))
    assert "strimzi.io/pause-reconciliation is true: the operator does not apply this." in problem


def test_the_files_of_a_config_map_are_read_with_the_lines_where_they_stand(tmp_path: Path) -> None:
    text = f"{config_map(BROKER)}---\n{config_map(PRODUCER)}"
    files = read_configuration(file(tmp_path, text))
    assert [(one.role, entry.key, entry.value, entry.line) for one in files for entry in one.entries] == [
        ("broker", "process.roles", "broker", 7),
        ("broker", "default.replication.factor", "3", 8),
        ("broker", "min.insync.replicas", "1", 9),
        ("producer", "bootstrap.servers", "a:9092", 18),
        ("producer", "acks", "1", 19),
    ]
    lines = text.splitlines()
    assert all(
        lines[entry.line - 1].strip() == f"{entry.key}={entry.value}"
        for f in files
        for entry in f.entries
        if entry.line
    )
    assert all(entry.written is None for one in files for entry in one.entries)


def test_a_producers_file_may_be_mounted(tmp_path: Path) -> None:
    mounting = f"{MOUNTING}      - {{name: a, configMap: {{name: shop}}}}\n"
    found = deployment(tmp_path, f"{BOTH}---\n{config_map(PRODUCER)}---\n{mounting}")
    assert found.settings["acks"] == "1"


def test_a_file_in_a_config_map_counts_beside_the_resources(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{BOTH}---\n{config_map(PRODUCER)}")
    assert (found.settings["acks"], found.settings["min_isr"]) == ("1", 2)
    assert (found.sources["acks"].file, found.sources["acks"].line) == (str(tmp_path / "all.yaml"), 32)


IN_MAPS = {
    "an application of Spring": (
        "  application.yml: |\n    spring:\n      kafka:\n        producer:\n          acks: 1\n",
        {"acks": "1", "idempotence": False},
    ),
    "an application's properties": ("  application.properties: |\n    spring.kafka.producer.acks=1\n", {"acks": "1"}),
    "a text on one line": ('  producer.properties: "acks=1\\nbootstrap.servers=a:1\\n"\n', {"acks": "1"}),
    "a file whose name says nothing": ("  kafka.properties: |\n    acks=1\n    key.serializer=a.B\n", {"acks": "1"}),
    "librdkafka's": (
        "  producer.properties: |\n    acks=1\n    queue.buffering.max.ms=5\n    message.timeout.ms=5\n",
        {"acks": "1", "idempotence": False},
    ),
}


@pytest.mark.parametrize("name", IN_MAPS)
def test_a_file_in_a_config_map_is_read_as_that_file(name: str, tmp_path: Path) -> None:
    text, settings = IN_MAPS[name]
    found = deployment(tmp_path, f"{BOTH}---\n{config_map(text)}")
    assert {key: found.settings[key] for key in settings} == settings


WRONG = {
    "a broker without a disk": (
        workload("image: apache/kafka:4.1.0", "StatefulSet"),
        "all.yaml:32: StatefulSet shop: its logs lie in /tmp/kraft-combined-logs, where no volume is mounted",
    ),
    "a container of Kafka that starts first": (
        document("StatefulSet", "spec:\n  a:\n    initContainers:\n    - image: bitnami/kafka:3.7.0\n", "apps/v1"),
        "StatefulSet shop runs bitnami/kafka: its broker is not read from here.",
    ),
    "Kafka Connect": (
        workload("image: confluentinc/cp-kafka-connect:7.6.0"),
        "it runs Kafka Connect, which has clients",
    ),
    "Redpanda": (
        workload("image: docker.redpanda.com/redpandadata/redpanda:v24"),
        "runs docker.redpanda.com/redpandadata",
    ),
    "an image that may be a client": (
        workload("image: registry.example/kafka-consumer"),
        "it may be a broker or a client",
    ),
    "an application with acks": (
        workload("{image: shop, env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}]}"),
        "SPRING_KAFKA_PRODUCER_ACKS: this variable of Deployment shop decides: acks.",
    ),
    "an application whose acks come from elsewhere": (
        workload("{image: shop, env: [{name: ACKS, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}"),
        "ACKS: this variable of Deployment shop decides: acks.",
    ),
    "a variable with options": (
        workload("{image: shop, env: [{name: JAVA_OPTS, value: '-Dspring.kafka.producer.acks=1'}]}"),
        "JAVA_OPTS: this variable of Deployment shop decides: acks.",
    ),
    "a Job that creates topics": (
        workload("{image: shop, command: [sh, -c, kafka-topics.sh --create --replication-factor 1]}", "Job"),
        "the command of Job shop sets replication.factor.",
    ),
    "a container that starts first": (
        document("CronJob", "spec:\n  a:\n    initContainers:\n    - args: [--acks, '1']\n", "batch/v1"),
        "the args of CronJob shop sets acks.",
    ),
    "a broker of an image of one's own": (
        workload("{image: shop, command: [/opt/kafka/bin/kafka-server-start.sh, /cfg/a]}", "StatefulSet"),
        "the command of StatefulSet shop starts a broker, which is not read from here.",
    ),
    "a broker whose file is mounted": (
        f"{config_map(BROKER)}---\n{MOUNTING}      - {{name: a, configMap: {{name: shop}}}}\n",
        "Deployment shop mounts ConfigMap shop, which has a broker's file: where that broker has its log is not read.",
    ),
    "a broker whose file is mounted with others": (
        f"{MOUNTING}      - name: a\n        projected: {{sources: [{{configMap: {{name: shop}}}}]}}\n---\n{config_map(BROKER)}",
        "Deployment shop mounts ConfigMap shop, which has a broker's file",
    ),
    "a workload of Argo": (workload("image: apache/kafka:4.1.0", "Rollout"), "Rollout shop runs apache/kafka"),
    "a service of Knative": (
        document("Service", "spec:\n  containers:\n  - image: apache/kafka\n", "serving.knative.dev/v1"),
        "Service shop runs apache/kafka",
    ),
    "a topic of another operator": (
        document("KafkaTopic", "spec: {replicas: 1}\n", "platform.confluent.io/v1beta1"),
        "a KafkaTopic of platform.confluent.io is not read.",
    ),
    "a cluster of another operator": (
        document("Redpanda", "spec: {}\n", "cluster.redpanda.com/v1alpha2"),
        "a Redpanda of cluster.redpanda.com is not read.",
    ),
    "a source of Knative": (
        document("KafkaSource", "spec: {}\n", "sources.knative.dev/v1"),
        "a KafkaSource of sources.",
    ),
    "a release of Flux": (
        document("HelmRelease", "spec: {chart: {spec: {chart: kafka}}}\n", "helm.toolkit.fluxcd.io/v2"),
        "HelmRelease shop installs something of Kafka's, which is not in the file.",
    ),
    "an application of Argo": (
        document("Application", "spec: {source: {chart: strimzi-kafka}}\n", "argoproj.io/v1alpha1"),
        "Application shop installs something of Kafka's",
    ),
    "a Secret with a producer": (
        document("Secret", "stringData:\n  producer.properties: acks=1\n"),
        "all.yaml:29: Secret shop has producer.properties, which is not read.",
    ),
    "a Secret with acks": (
        document("Secret", "data:\n  KAFKA_ACKS: MQ==\n"),
        "Secret shop has KAFKA_ACKS, which is not",
    ),
    "a ConfigMap with a variable": (
        config_map("  KAFKA_ACKS: '1'\n"),
        "all.yaml:29: KAFKA_ACKS: this key of ConfigMap shop may set acks.",
    ),
    "a ConfigMap with a variable of a broker": (
        config_map("  KAFKA_MIN_INSYNC_REPLICAS: '1'\n"),
        "KAFKA_MIN_INSYNC_REPLICAS: this key of ConfigMap shop may set min.insync.replicas.",
    ),
    "a ConfigMap with a script": (
        config_map("  run.sh: |\n    producer --acks 1\n"),
        "run.sh: this key of ConfigMap shop may set acks.",
    ),
    "a ConfigMap with another program's YAML": (
        config_map("  app.yaml: |\n    quarkus:\n      kafka:\n        acks: 1\n"),
        "app.yaml: this key of ConfigMap shop may set acks.",
    ),
    "a ConfigMap with a misspelt key": (
        config_map("  producer.properties: |\n    linger.ms=1\n    enable.idempotance=true\n    acks=all\n"),
        "all.yaml:31: enable.idempotance: there is no such key.",
    ),
    "a ConfigMap with a template": (
        config_map("  producer.properties: |\n    linger.ms=1\n    acks={{ .Values.acks }}\n"),
        "all.yaml:31: acks: '{{ .Values.acks }}' is no value of acks.",
    ),
    "a ConfigMap with a key twice": (
        config_map("  producer.properties: |\n    acks=1\n    acks=all\n"),
        "all.yaml:31: acks: set again to 'all'; line 30 has '1'",
    ),
    "a ConfigMap with the file of a profile": (
        config_map("  application-prod.yml: |\n    spring:\n      kafka:\n        producer:\n          acks: all\n"),
        "all.yaml:29: this is the file of profile prod, and it goes over another one.",
    ),
    "a ConfigMap with binary data": (
        document("ConfigMap", "binaryData:\n  server.properties: YQ==\n"),
        "ConfigMap shop has server.properties as binary data, which is not read.",
    ),
    "a ConfigMap with what is merged in": (
        document("ConfigMap", "a: &a {KAFKA_ACKS: '1'}\ndata:\n  <<: *a\n"),
        "keys are merged in here (<<).",
    ),
    "brokers in two places": (config_map(BROKER), "'1' here, and '2' at"),
    "no kind": ("apiVersion: v1\nmetadata:\n  name: a\n", "this document is no resource of Kubernetes."),
    "a template in a resource": (TOPIC.replace("orders", "'{{ name }}'"), "this is a template."),
    "a template without quotes": (TOPIC.replace("orders", "{{ .Values.name }}"), "this is a template."),
    "a template around a resource": (
        f"{{{{- if .Values.kafka }}}}\n{TOPIC.replace('orders', 'a')}",
        "this is a template.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_could_set_something_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    found = problems(tmp_path, f"{BOTH}---\n{text}")
    assert any(said in problem for problem in found), found


def test_a_file_in_which_nothing_is_kafkas_is_refused(tmp_path: Path) -> None:
    text = config_map("  messages.properties: |\n    title=Shop\n")
    (problem,) = problems(tmp_path, text)
    assert "none of its resources sets anything of Kafka's that is read." in problem
