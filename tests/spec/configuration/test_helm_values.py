"""Values of Helm charts are read with what the charts set by themselves, always with a doubt; what depends on a version is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_configuration, read_deployment

CONFLUENT = """\
brokers: 3
image: confluentinc/cp-enterprise-kafka
imageTag: 6.1.0
persistence:
  enabled: true
configurationOverrides:
  "default.replication.factor": "3"
  min.insync.replicas: 2
  unclean.leader.election.enable: false
customEnv:
  KAFKA_OPTS: -Da=b
"""
UMBRELLA = "cp-zookeeper:\n  enabled: true\ncp-kafka:\n" + "".join(f"  {line}\n" for line in CONFLUENT.splitlines())
OLD = """\
replicaCount: 3
image:
  repository: bitnami/kafka
  tag: 3.4.0-debian-11-r1
defaultReplicationFactor: 3
offsetsTopicReplicationFactor: 3
autoCreateTopicsEnable: false
extraEnvVars:
  - name: KAFKA_CFG_MIN_INSYNC_REPLICAS
    value: "2"
zookeeper:
  enabled: true
persistence:
  size: 8Gi
"""
NEW = """\
image:
  tag: 3.9.0-debian-12-r1
extraConfig: |
  # of all
  default.replication.factor=3
  min.insync.replicas=2
controller:
  replicaCount: 3
listeners:
  client:
    protocol: PLAINTEXT
"""
NEWEST = """\
image:
  repository: bitnami/kafka
  tag: 4.0.0
overrideConfiguration:
  default.replication.factor: 3
  min.insync.replicas: 2
controller:
  controllerOnly: true
broker:
  replicaCount: 3
"""
TOPICS = """\
provisioning:
  enabled: true
  replicationFactor: 3
  topics:
    - name: orders
      partitions: 12
      config:
        min.insync.replicas: 2
    - name: audit
      replicationFactor: 1
"""


def file(folder: Path, text: str, name: str = "values.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def deployment(folder: Path, text: str) -> Deployment:
    return read_deployment([file(folder, text)])


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([file(folder, text)])
    assert all(problem.file for problem in caught.value.problems)
    return [problem.text.replace(f"{folder}/", "") for problem in caught.value.problems]


READ = {
    "Confluent's chart": (CONFLUENT, ("2.7", "ZooKeeper", 3)),
    "Confluent's charts together": (UMBRELLA, ("2.7", "ZooKeeper", 3)),
    "Confluent's chart without a number of brokers": (CONFLUENT.replace("brokers: 3\n", ""), ("2.7", "ZooKeeper", 3)),
    "a variable of Confluent's chart": (
        CONFLUENT.replace("  min.insync.replicas: 2\n", "").replace("OPTS: -Da=b", "MIN_INSYNC_REPLICAS: 2"),
        ("2.7", "ZooKeeper", 3),
    ),
    "Bitnami's chart up to 23": (OLD, ("3.4.0", "ZooKeeper", 3)),
    "Bitnami's chart up to 23 below kafka": (
        "kafka:\n" + "".join(f"  {line}\n" for line in OLD.splitlines()),
        ("3.4.0", "ZooKeeper", 3),
    ),
    "the command of Bitnami's chart up to 23": (OLD + "command:\n  - /scripts/setup.sh\nargs: []\n", ("3.4.0", "ZooKeeper", 3)),
    "Bitnami's chart up to 23 in KRaft mode": (
        OLD.replace("zookeeper:\n  enabled: true", "kraft:\n  enabled: true"),
        ("3.4.0", "KRaft", 3),
    ),
    "Bitnami's chart from 24 on": (NEW, ("3.9.0", "KRaft", 3)),
    "keys of the controllers": (
        NEW.replace("  min.insync.replicas=2\n", "").replace("replicaCount: 3", "extraConfig: min.insync.replicas=2"),
        ("3.9.0", "KRaft", 3),
    ),
    "keys of the controllers over those of all": (
        NEW.replace("replicas=2", "replicas=1").replace("replicaCount: 3", "extraConfig: min.insync.replicas=2"),
        ("3.9.0", "KRaft", 3),
    ),
    "keys as YAML": (
        NEW.replace("extraConfig: |\n  # of all\n", "extraConfigYaml:\n").replace("=", ": "),
        ("3.9.0", "KRaft", 3),
    ),
    "the whole configuration": (
        NEW.replace("extraConfig", "config").replace("# of all\n", "process.roles=broker,controller\n  log.dir=/bitnami/kafka/a\n")
        + "extraConfig: ''\n",
        ("3.9.0", "KRaft", 3),
    ),
    "the protocol of the brokers": (
        NEW.replace("replicaCount: 3", "replicaCount: 0")
        + "interBrokerProtocolVersion: '3.9'\nkraft:\n  enabled: false\nbroker:\n  replicaCount: 3\n",
        ("3.9.0", "ZooKeeper", 3),
    ),
    "Bitnami's chart with ZooKeeper": (
        NEW + "kraft:\n  enabled: false\nzookeeper:\n  enabled: true\nbroker:\n  replicaCount: 3\n",
        ("3.9.0", "ZooKeeper", 3),
    ),
    "a template of what is not read": (NEW + "commonLabels:\n  a: '{{ .Release.Name }}'\n", ("3.9.0", "KRaft", 3)),
    "Bitnami's chart from 32 on": (NEWEST, ("4.0.0", "KRaft", 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_values_are_read_with_what_their_chart_sets(name: str, tmp_path: Path) -> None:
    text, (release, mode, brokers) = READ[name]
    found = deployment(tmp_path, text)
    assert (found.mode, found.replication_factor, found.settings["min_isr"]) == (mode, 3, 2)
    assert found.release.startswith(release)
    (broker,) = read_configuration(file(tmp_path, text))
    assert broker.brokers == brokers
    assert any("these are taken to be values of" in doubt.what for doubt in found.doubts)


def test_a_value_keeps_the_line_where_it_stands(tmp_path: Path) -> None:
    for text, written in (
        (CONFLUENT, "  min.insync.replicas: 2"),
        (NEW, "  min.insync.replicas=2"),
        (OLD, '    value: "2"'),
    ):
        source = deployment(tmp_path, text).sources["min.insync.replicas"]
        assert source.line is not None
        assert text.splitlines()[source.line - 1] == written


def test_what_a_chart_sets_by_itself_is_said(tmp_path: Path) -> None:
    found = deployment(tmp_path, CONFLUENT)
    assert found.sources["offsets.topic.replication.factor"].value == "3"
    assert any("no value sets it: the chart sets it to 3." in warning.what for warning in found.warnings)
    old = deployment(tmp_path, OLD.replace("offsetsTopicReplicationFactor: 3\n", "numPartitions: 3\n"))
    assert old.sources["offsets.topic.replication.factor"].value == "1"
    assert any("no value sets it: the chart sets it to 1." in warning.what for warning in old.warnings)


def test_without_a_tag_the_release_is_open(tmp_path: Path) -> None:
    for text in (
        CONFLUENT.replace("imageTag: 6.1.0\n", ""),
        NEW.replace("  tag: 3.9.0-debian-12-r1\n", "  debug: true\n"),
    ):
        found = deployment(tmp_path, text)
        assert len({one.release for one in (found, *found.others)}) > 1


def test_the_clients_of_confluents_other_charts_are_a_doubt(tmp_path: Path) -> None:
    def is_doubted(text: str) -> bool:
        return any("beside it start clients" in doubt.what for doubt in deployment(tmp_path, text).doubts)

    off = "".join(
        f"{name}:\n  enabled: false\n"
        for name in ("cp-kafka-connect", "cp-kafka-rest", "cp-ksql-server", "cp-control-center")
    )
    assert is_doubted(UMBRELLA)
    assert not is_doubted(UMBRELLA + off)


def test_the_topics_of_provisioning_are_read(tmp_path: Path) -> None:
    _, *topics = read_configuration(file(tmp_path, NEW + TOPICS))
    assert [(topic.name, {entry.key: entry.value for entry in topic.entries}) for topic in topics] == [
        ("orders", {"partitions": "12", "replication.factor": "3", "min.insync.replicas": "2"}),
        ("audit", {"partitions": "1", "replication.factor": "1"}),
    ]
    (broker,) = read_configuration(file(tmp_path, NEW + TOPICS.replace("enabled: true", "enabled: false")))
    assert broker.role == "broker"


WRONG = {
    "Strimzi's operator": (
        "watchNamespaces: []\nwatchAnyNamespace: false\ndefaultImageTag: 0.45.0\n",
        "these are values of Strimzi's chart, which installs the operator and no broker.",
    ),
    "Bitnami's image alone": (
        "image:\n  repository: bitnami/kafka\n  tag: 3.4.0\n",
        "these are values of Bitnami's chart kafka, and they do not show of which version.",
    ),
    "keys of both kinds of Bitnami's chart": (
        NEW + "defaultReplicationFactor: 3\n",
        "these are values of Bitnami's chart kafka, and they do not show of which version.",
    ),
    "charts of both": (
        f"kafka:\n{''.join(f'  {line}' for line in OLD.splitlines(keepends=True))}{UMBRELLA}",
        "this has values of several charts: Bitnami's kafka up to 23, Confluent's cp-kafka.",
    ),
    "keys of two versions of Bitnami's chart": (
        NEW + "overrideConfiguration:\n  min.insync.replicas: 2\n",
        "values.yaml:13: this is of another version of the chart than what is set above or below it, and each ignores",
    ),
    "a release whose chart ignores the keys": (
        NEW.replace("3.9.0-debian-12-r1", "4.0.0"),
        "values.yaml:2: image: the chart that has Kafka 4.0.0 ignores extraConfig: from 32 on it has overrideConfiguration.",
    ),
    "between two modes": (NEW + "zookeeper:\n  enabled: true\n", "the cluster is between two modes."),
    "a mode that is none": (NEW + "kraft:\n  enabled: maybe\n", "'maybe' is neither true nor false."),
    "no broker": (NEW.replace("replicaCount: 3", "replicaCount: 0"), "these values start no broker."),
    "another image": (OLD.replace("bitnami/kafka", "apache/kafka"), "apache/kafka is no image of Bitnami's."),
    "another image for Confluent's chart": (
        CONFLUENT.replace("confluentinc/cp-enterprise-kafka", "registry/kafka"),
        "values.yaml:2: registry/kafka is no image of Confluent's.",
    ),
    "a release of Confluent's that is not known": (CONFLUENT.replace("6.1.0", "99.1.0"), "99.1.0 is not known."),
    "no disk": (CONFLUENT.replace("enabled: true", "enabled: false"), "persistence is turned off: whatever restarts a pod"),
    "no disk up to 23": (OLD.replace("size: 8Gi", "enabled: false"), "persistence is turned off"),
    "no disk of the controllers": (
        NEW.replace("replicaCount: 3", "replicaCount: 3\n  persistence: {enabled: false}"),
        "values.yaml:9: persistence is turned off",
    ),
    "a log beside the disk": (
        CONFLUENT.replace("min.insync.replicas: 2", "log.dirs: /var/lib/kafka"),
        "values.yaml:8: log.dirs: this is not below /opt/kafka/data-0, where the chart mounts its disk.",
    ),
    "a log beside the disk up to 23": (OLD + "logsDirs: /tmp/a\n", "log.dirs: this is not below /bitnami/kafka"),
    "a log beside the disk from 24 on": (
        NEW.replace("# of all", "log.dirs=/bitnami/kafka/a,/bitnami/kafka/../b"),
        "values.yaml:4: log.dirs: this is not below /bitnami/kafka",
    ),
    "the whole configuration without a place for the log": (
        NEW.replace("extraConfig", "config") + "extraConfig: ''\n",
        "config sets no log.dirs, and Kafka's default is /tmp/kafka-logs, where no disk is.",
    ),
    "a whole configuration of one version with a key of another": (
        NEWEST + "config: |\n  log.dirs=/bitnami/kafka/a\n",
        "this is of another version of the chart than what is set above or below it",
    ),
    "cp-kafka that is turned off": (
        UMBRELLA.replace("cp-kafka:\n", "cp-kafka:\n  enabled: false\n"),
        "the chart is turned off: it starts no broker.",
    ),
    "a value that is taken away": (
        CONFLUENT.replace("min.insync.replicas: 2", "offsets.topic.replication.factor: null"),
        "values.yaml:8: offsets.topic.replication.factor: its value has parts, or is empty.",
    ),
    "a key twice": (CONFLUENT.replace("OPTS: -Da=b", "MIN_INSYNC_REPLICAS: 1"), "set again to '1'; line 8 has '2'."),
    "a misspelt key": (CONFLUENT.replace("insync.replicas", "insync.replica"), "there is no such key."),
    "a misspelt key in a text": (NEW.replace("insync.replicas", "insync.replica"), "values.yaml:6: min.insync.replica: there"),
    "a key twice in a text": (NEW.replace("  # of all", "  min.insync.replicas=1"), "set again to '2'; line 4 has '1'."),
    "YAML in a text": (NEW.replace("# of all", "- a"), "values.yaml:4: '-' is no key of a .properties file"),
    "a configuration that is a list": (NEWEST + "  overrideConfiguration: [a]\n", "this is no configuration."),
    "a value that is none": (NEW.replace("replicas=2", "replicas=two"), "'two' is no value of it."),
    "a template": (NEW.replace("replicas=2", "replicas={{ .Values.isr }}"), "this is a template."),
    "the whole configuration up to 23": (OLD + "config: |\n  min.insync.replicas=2\n", "config is not read."),
    "another command": (OLD + "command: [/run.sh]\n", "command: what is in it is not read."),
    "a ConfigMap that is elsewhere": (NEW + "existingConfigmap: mine\n", "existingConfigmap: what is in it is not read."),
    "variables from 24 on": (NEW + "extraEnvVars: [{name: A, value: b}]\n", "extraEnvVars: what is in it is not read."),
    "variables of elsewhere": (OLD + "extraEnvVarsCM: mine\n", "extraEnvVarsCM: what is in it is not read."),
    "a variable from elsewhere": (OLD.replace('value: "2"', "valueFrom: {}"), "this is no variable with a plain value."),
    "a variable that is none of the image's": (OLD.replace("KAFKA_CFG_", "KAFKA_"), "is not known to have such a variable"),
    "a value that the chart does not have": (
        NEW + "minInsyncReplicas: 2\n",
        "minInsyncReplicas: the chart is not known to have minInsyncReplicas here, and it ends as one that decides: min.insync",
    ),
    "keys at a place of another chart": (
        NEW + "configurationOverrides:\n  min.insync.replicas: 2\npersistence:\n  size: 8Gi\n",
        "values.yaml:13: configurationOverrides: the chart is not known to have min.insync.replicas here",
    ),
    "a number that is none": (OLD.replace("replicaCount: 3", "replicaCount: many"), "this is no number of pods."),
    "a value with parts": (OLD.replace("Factor: 3", "Factor: [3]", 1), "defaultReplicationFactor: its value has parts"),
    "brokers and controllers that differ": (
        NEWEST + "  overrideConfiguration:\n    min.insync.replicas: 1\n",
        "'1' here, and '2' at",
    ),
    "brokers that have more than controllers": (
        NEWEST + "  overrideConfiguration:\n    unclean.leader.election.enable: true\n",
        "of StatefulSets controller and broker only broker sets it.",
    ),
    "diagnostics": (NEW + "diagnosticMode:\n  enabled: true\n", "diagnosticMode is turned on: no broker is started."),
    "a script of provisioning": (NEW + TOPICS + "  postScript: kafka-configs.sh\n", "postScript: what is in it is not read."),
    "a topic without a name": (NEW + TOPICS.replace("name: audit", "nam: audit"), "this topic has no name."),
    "a part that topics do not have": (NEW + TOPICS.replace("replicationFactor: 1", "replication: 1"), "has no such part."),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    found = problems(tmp_path, text)
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    "text",
    [
        "replicaCount: 3\nimage:\n  repository: shop\n",
        "controller:\n  replicaCount: 3\n",
        CONFLUENT.replace("brokers", "replicas"),
        CONFLUENT.replace("image: confluentinc/cp-enterprise-kafka", "image: {repository: a}"),
        "image: confluentinc/cp-kafka-rest\nconfigurationOverrides: {}\nreplicaCount: 1\ncp-kafka:\n  bootstrapServers: ''\n",
        CONFLUENT + "zookeeper:\n  enabled: true\n",
    ],
)
def test_values_of_a_chart_that_is_not_known_stay_refused(text: str, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, text)
    assert "by its name this has the values of a Helm chart" in problem


def test_what_helm_template_prints_of_confluents_chart_is_read(tmp_path: Path) -> None:
    printed = """\
---
# Source: cp-helm-charts/charts/cp-kafka/templates/statefulset.yaml
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: my-cp-kafka
spec:
  selector: {matchLabels: {app: cp-kafka}}
  serviceName: my-cp-kafka-headless
  replicas: 3
  template:
    spec:
      containers:
      - name: prometheus-jmx-exporter
        image: "solsson/kafka-prometheus-jmx-exporter@sha256:6f82e2b0464f50da8104acd7363fb9b995001ddff77d248379f8788e78946143"
        command: [java, -jar, jmx_prometheus_httpserver.jar]
        volumeMounts:
        - {name: jmx-config, mountPath: /etc/jmx-kafka}
      - name: cp-kafka-broker
        image: "confluentinc/cp-enterprise-kafka:6.1.0"
        env:
        - name: POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        - name: KAFKA_ZOOKEEPER_CONNECT
          value: "my-cp-zookeeper-headless:2181"
        - name: KAFKA_LOG_DIRS
          value: "/opt/kafka/data-0/logs"
        - name: "KAFKA_DEFAULT_REPLICATION_FACTOR"
          value: "3"
        - name: "KAFKA_MIN_INSYNC_REPLICAS"
          value: "2"
        command:
        - sh
        - -exc
        - |
          export KAFKA_BROKER_ID=${HOSTNAME##*-} && \\
          export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://${POD_NAME}.my-cp-kafka-headless:9092 && \\
          exec /etc/confluent/docker/run
        volumeMounts:
        - name: datadir-0
          mountPath: /opt/kafka/data-0
      volumes:
      - name: jmx-config
        configMap: {name: my-cp-kafka-jmx-configmap}
  volumeClaimTemplates:
  - metadata: {name: datadir-0}
    spec: {accessModes: [ReadWriteOnce]}
"""
    found = deployment(tmp_path, printed)
    assert (found.mode, found.replication_factor, found.settings["min_isr"]) == ("ZooKeeper", 3, 2)
    assert not any("taken to be values" in doubt.what for doubt in found.doubts)
