"""Brokers that StatefulSets and other workloads of Kubernetes run are read as their images take variables; the rest is refused."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration import ConfigurationError, Deployment, read_configuration, read_deployment
from neverlost.spec.configuration.configuration_file import ConfigurationFile

KAFKA = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: kafka
spec:
  replicas: 3
  selector: {matchLabels: {app: kafka}}
  template:
    spec:
      containers:
      - name: kafka
        image: apache/kafka:4.1.0
        ports: [{containerPort: 9092}]
        env:
        - name: KAFKA_PROCESS_ROLES
          value: broker,controller
        - name: KAFKA_DEFAULT_REPLICATION_FACTOR
          value: "3"
        - name: KAFKA_MIN_INSYNC_REPLICAS
          value: "2"
        - name: KAFKA_LOG_DIRS
          value: /var/lib/kafka/data
        - name: POD_IP
          valueFrom: {fieldRef: {fieldPath: status.podIP}}
        volumeMounts:
        - {name: data, mountPath: /var/lib/kafka}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {resources: {requests: {storage: 1Gi}}}
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config
data:
  KAFKA_MIN_INSYNC_REPLICAS: "2"
  KAFKA_HEAP_OPTS: -Xmx1G
"""
ENTRY = '        - name: KAFKA_MIN_INSYNC_REPLICAS\n          value: "2"\n'
FROM = "        envFrom: [{configMapRef: {name: config}}]\n        env:\n"


def file(folder: Path, text: str, name: str = "kafka.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def deployment(folder: Path, text: str, name: str = "kafka.yaml") -> Deployment:
    return read_deployment([file(folder, text, name)])


def broker(folder: Path, text: str) -> ConfigurationFile:
    (found,) = read_configuration(file(folder, text))
    assert found.role == "broker"
    return found


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([file(folder, text)])
    assert all(problem.file for problem in caught.value.problems)
    return [problem.text.replace(f"{folder}/", "") for problem in caught.value.problems]


def min_isr(value: str) -> str:
    """The StatefulSet with another entry for min.insync.replicas."""
    return KAFKA.replace(ENTRY, f"        - name: KAFKA_MIN_INSYNC_REPLICAS\n          {value}\n")


def started(command: str) -> str:
    """The StatefulSet of Confluent's image with a command."""
    return KAFKA.replace("apache/kafka:4.1.0\n", f"confluentinc/cp-kafka:7.6.1\n        {command}\n")


def in_deployment(text: str) -> str:
    """The StatefulSet as a Deployment, with a claim of its own."""
    volumes = "      volumes: [{name: data, persistentVolumeClaim: {claimName: a}}]\n      containers:\n"
    return text.replace("StatefulSet", "Deployment").replace("      containers:\n", volumes)


OF_WURSTMEISTER = (
    KAFKA.replace("apache/kafka:4.1.0", "wurstmeister/kafka:2.13-2.8.1")
    .replace("        - name: KAFKA_LOG_DIRS\n          value: /var/lib/kafka/data\n", "")
    .replace("mountPath: /var/lib/kafka", "mountPath: /kafka")
    .replace(
        "KAFKA_PROCESS_ROLES\n          value: broker,controller", "KAFKA_ZOOKEEPER_CONNECT\n          value: a:2181"
    )
)


def test_a_stateful_set_is_a_broker_with_the_variables_of_its_image(tmp_path: Path) -> None:
    found = deployment(tmp_path, KAFKA)
    assert (found.release, found.mode, found.replication_factor, found.settings["min_isr"]) == ("4.1.0", "KRaft", 3, 2)
    source = found.sources["min.insync.replicas"]
    assert (source.layer, source.line) == ("broker", 20)
    assert not any("described" in doubt.what for doubt in found.doubts)


def test_fewer_brokers_than_replicas_are_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, KAFKA.replace("replicas: 3", "replicas: 1"))
    assert any("3 replicas, and only 1 broker is described." in doubt.what for doubt in found.doubts)
    found = deployment(tmp_path, KAFKA.replace("replicas: 3", "replicas: 0"))
    assert any("3 replicas, and only 0 brokers are described." in doubt.what for doubt in found.doubts)
    controllers = KAFKA.replace("name: kafka\nspec", "name: other\nspec").replace("broker,controller", "controller")
    both = f"{KAFKA.replace('broker,controller', 'broker')}---\n{controllers}"
    (read, *_) = read_configuration(file(tmp_path, both))
    assert read.brokers == 3


READ = {
    "a StatefulSet": KAFKA,
    "a Deployment with a claim": in_deployment(KAFKA),
    "what kubectl prints as JSON": json.dumps(yaml.safe_load(KAFKA), indent=1),
    "a list": json.dumps({"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(KAFKA)]}),
    "a Service beside": f"{KAFKA}---\napiVersion: v1\nkind: Service\nmetadata: {{name: kafka}}\n",
    "a variable from a ConfigMap": (
        min_isr("valueFrom: {configMapKeyRef: {name: config, key: KAFKA_MIN_INSYNC_REPLICAS}}") + f"---\n{CONFIG}"
    ),
    "all variables of a ConfigMap": KAFKA.replace(ENTRY, "").replace("        env:\n", FROM) + f"---\n{CONFIG}",
    "a prefix": (
        KAFKA.replace(ENTRY, "").replace("        env:\n", FROM.replace("[{", "[{prefix: KAFKA_, "))
        + f"---\n{CONFIG.replace('KAFKA_', '')}"
    ),
    "env before envFrom": (
        KAFKA.replace("        env:\n", FROM) + "---\n" + CONFIG.replace('REPLICAS: "2"', 'REPLICAS: "1"')
    ),
    "the last of two ConfigMaps": (
        KAFKA.replace(ENTRY, "").replace("        env:\n", FROM.replace("[{", "[{configMapRef: {name: first}}, {"))
        + "---\n"
        + CONFIG.replace("name: config", "name: first").replace('REPLICAS: "2"', 'REPLICAS: "1"')
        + f"---\n{CONFIG}"
    ),
    "a reference to a variable": KAFKA.replace(
        ENTRY, f"        - {{name: ISR, value: '2'}}\n{ENTRY.replace('2', '$(ISR)')}"
    ),
    "a Secret of passwords": (
        KAFKA.replace("        env:\n", "        envFrom: [{secretRef: {name: users}}]\n        env:\n")
        + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: users}\ndata: {PASSWORD: YQ==}\n"
    ),
    "a command that starts the image's broker": started('command: ["/etc/confluent/docker/run"]'),
    "a script that sets what the pod knows": started(
        "command:\n        - sh\n        - -exc\n        - |\n"
        "          # the number of the pod\n"
        "          unset KAFKA_PORT && \\\n"
        "          export KAFKA_BROKER_ID=${HOSTNAME##*-} && \\\n"
        "          export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://${POD_IP}:9092 && \\\n"
        "          exec /etc/confluent/docker/run"
    ),
    "a script that sets what decides": KAFKA.replace(
        "apache/kafka:4.1.0\n",
        "confluentinc/cp-kafka:7.6.1\n        command: [bash, -c]\n"
        "        args: ['export KAFKA_MIN_INSYNC_REPLICAS=2; /etc/confluent/docker/run']\n",
    ).replace(ENTRY, ENTRY.replace("2", "1")),
}


@pytest.mark.parametrize("name", READ)
def test_what_a_workload_sets_is_read(name: str, tmp_path: Path) -> None:
    found = deployment(tmp_path, READ[name])
    assert (found.replication_factor, found.settings["min_isr"], found.settings["unclean"]) == (3, 2, False)
    assert broker(tmp_path, READ[name]).brokers == 3


def test_a_value_of_a_config_map_keeps_the_line_where_it_stands(tmp_path: Path) -> None:
    text = READ["a variable from a ConfigMap"]
    entry = next(one for one in broker(tmp_path, text).entries if one.key == "min.insync.replicas")
    assert entry.line is not None
    assert text.splitlines()[entry.line - 1] == '  KAFKA_MIN_INSYNC_REPLICAS: "2"'


def test_the_default_folder_of_an_image_must_be_mounted(tmp_path: Path) -> None:
    own = KAFKA.replace("        - name: KAFKA_LOG_DIRS\n          value: /var/lib/kafka/data\n", "")
    assert any("its logs lie in /tmp/kafka-logs, where no volume" in problem for problem in problems(tmp_path, own))
    confluent = own.replace("apache/kafka:4.1.0", "confluentinc/cp-kafka:8.0.0")
    assert deployment(tmp_path, confluent).settings["min_isr"] == 2


def test_a_disk_of_the_machine_is_a_doubt(tmp_path: Path) -> None:
    text = KAFKA.replace("StatefulSet", "Deployment").replace(
        "      containers:\n", "      volumes: [{name: data, hostPath: {path: /a}}]\n      containers:\n"
    )
    assert any("on a disk of the machine (hostPath)" in doubt.what for doubt in deployment(tmp_path, text).doubts)


REMOVING = {
    "before the broker": ("rm -rf /d/*", "initContainers", True),
    "before the broker, as words": ("find /d -delete", "initContainers", True),
    "what is no log": ("rm -rf /d/lost+found", "initContainers", False),
    "no files": ("chown -R 1000 /d", "initContainers", False),
    "when it stops": ("rm -r /var/lib/kafka/data", "preStop", True),
    "when it stops, but nothing": ("kafka-server-stop.sh", "preStop", False),
}


@pytest.mark.parametrize("name", REMOVING)
def test_a_command_that_removes_files_of_the_log_is_a_doubt(name: str, tmp_path: Path) -> None:
    command, where, is_doubt = REMOVING[name]
    part = f"lifecycle: {{preStop: {{exec: {{command: [sh, -c, '{command}']}}}}}}\n        ports:"
    before = (
        f"[{{name: a, image: busybox, command: [sh, -c, '{command}'], volumeMounts: [{{name: data, mountPath: /d}}]}}]"
    )
    text = (
        KAFKA.replace("ports:", part)
        if where == "preStop"
        else KAFKA.replace("      containers:\n", f"      initContainers: {before}\n      containers:\n")
    )
    found = deployment(tmp_path, text)
    assert any("removes files: they may be its log." in doubt.what for doubt in found.doubts) == is_doubt


def test_a_job_that_creates_topics_beside_the_brokers_gives_these(tmp_path: Path) -> None:
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {name: topics}
spec:
  template:
    spec:
      containers:
      - image: apache/kafka:4.1.0
        command: [sh, -c]
        args:
        - |
          kafka-topics.sh --bootstrap-server kafka:9092 --create --topic orders --partitions 3 \\
            --replication-factor 3 --config min.insync.replicas=2
"""
    _, topic = read_configuration(file(tmp_path, f"{KAFKA}---\n{job}"))
    assert (topic.name, {entry.key: entry.value for entry in topic.entries}) == (
        "orders",
        {"partitions": "3", "replication.factor": "3", "min.insync.replicas": "2"},
    )


VARIABLES = st.dictionaries(
    st.sampled_from(
        ["MIN_INSYNC_REPLICAS", "UNCLEAN_LEADER_ELECTION_ENABLE", "LOG_FLUSH_INTERVAL_MESSAGES", "NODE_ID"]
    ),
    st.sampled_from(["1", "2", "true", "false", "a b", "x=y"]),
    min_size=1,
)


@given(VARIABLES, st.sampled_from(["apache/kafka:3.9.1", "confluentinc/cp-kafka:7.6.1", "bitnami/kafka:3.7.0"]))
def test_variables_mean_the_same_in_a_compose_file_and_in_a_pod(variables: dict[str, str], image: str) -> None:
    prefix = "KAFKA_CFG_" if "bitnami" in image else "KAFKA_"
    named = {f"{prefix}{name}": value for name, value in {**variables, "LOG_DIRS": "/data"}.items()}
    service = {"services": {"kafka": {"image": image, "environment": named}}}
    container = {
        "image": image,
        "env": [{"name": name, "value": value} for name, value in named.items()],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "kafka"},
        "spec": {"containers": [container], "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "a"}}]},
    }
    with TemporaryDirectory() as folder:
        found = [
            read_configuration(file(Path(folder), yaml.safe_dump(one), name))[0]
            for one, name in ((service, "compose.yaml"), (pod, "pod.yaml"))
        ]
    first, second = ({entry.key: entry.value for entry in one.entries} for one in found)
    assert first == second
    assert [one.release and one.release.value for one in found] == [found[0].release and found[0].release.value] * 2
    assert {key: value for key, value in first.items() if key == "min.insync.replicas"} == (
        {"min.insync.replicas": variables["MIN_INSYNC_REPLICAS"]} if "MIN_INSYNC_REPLICAS" in variables else {}
    )


def test_brokers_beside_a_file_that_sets_less_are_refused(tmp_path: Path) -> None:
    more = file(tmp_path, "process.roles=broker\ndefault.replication.factor=3\n", "server.properties")
    with pytest.raises(ConfigurationError, match=r"it does not set min\.insync\.replicas"):
        read_deployment([file(tmp_path, KAFKA), more])


def without_disk(volume: str) -> str:
    """The StatefulSet with another volume in place of the claim."""
    return KAFKA[: KAFKA.index("  volumeClaimTemplates")].replace(
        "      containers:\n", f"      volumes: [{{name: data, {volume}}}]\n      containers:\n"
    )


def with_part(text: str) -> str:
    return KAFKA.replace("        env:\n", f"        {text}\n        env:\n")


SECOND = KAFKA.replace("name: kafka\nspec", "name: other\nspec")
WRONG = {
    "min.insync.replicas of 4": (min_isr("value: four"), "'four' is no value of it."),
    "a variable from a ConfigMap that is elsewhere": (
        min_isr("valueFrom: {configMapKeyRef: {name: config, key: isr}}"),
        "StatefulSet kafka: it takes KAFKA_MIN_INSYNC_REPLICAS, from isr of ConfigMap config, which is not in this file.",
    ),
    "a key that the ConfigMap does not have": (
        min_isr("valueFrom: {configMapKeyRef: {name: config, key: isr}}") + f"---\n{CONFIG}",
        "from isr of ConfigMap config, which is not there, or not readable.",
    ),
    "a ConfigMap of another namespace": (
        READ["a variable from a ConfigMap"]
        .replace("  name: kafka\nspec", "  name: kafka\n  namespace: a\nspec")
        .replace("  name: config\ndata", "  name: config\n  namespace: b\ndata"),
        "ConfigMap config, which is not in this file.",
    ),
    "a ConfigMap that is there twice": (
        f"{READ['a variable from a ConfigMap']}---\n{CONFIG}",
        "and ConfigMap config is in the file more than once.",
    ),
    "all variables of a ConfigMap that is elsewhere": (
        KAFKA.replace("        env:\n", FROM),
        "could change the verdict. Put it into the same file, with a line --- between.",
    ),
    "all variables of a Secret that is elsewhere": (
        with_part("envFrom: [{secretRef: {name: users}}]"),
        "it takes all variables of Secret users, which is not in this file.",
    ),
    "a variable that decides from a Secret": (
        min_isr("valueFrom: {secretKeyRef: {name: a, key: b}}"),
        "it takes KAFKA_MIN_INSYNC_REPLICAS, from b of Secret a, which is not in this file.",
    ),
    "a Secret with what decides": (
        KAFKA.replace(ENTRY, "").replace("        env:\n", "        envFrom: [{secretRef: {name: a}}]\n        env:\n")
        + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {KAFKA_MIN_INSYNC_REPLICAS: Mg==}\n",
        "Secret a has KAFKA_MIN_INSYNC_REPLICAS, which is not read.",
    ),
    "a variable that the pod alone knows": (
        min_isr("valueFrom: {fieldRef: {fieldPath: metadata.labels.isr}}"),
        "KAFKA_MIN_INSYNC_REPLICAS: its value is known only when the pod runs.",
    ),
    "a reference that is not set before": (min_isr('value: "$(ISR)"'), "'$(ISR)' is no value of it."),
    "a variable twice": (KAFKA.replace(ENTRY, ENTRY + ENTRY.replace("2", "1")), "set again to '1'; line 20 has '2'."),
    "a variable with parts": (min_isr("value: [2]"), "this is no variable with a plain value."),
    "a misspelt variable": (KAFKA.replace("MIN_INSYNC_REPLICAS", "MIN_INSYNC_REPLICA"), "there is no such key."),
    "a variable without its prefix": (
        KAFKA.replace("KAFKA_MIN_INSYNC", "MIN_INSYNC"),
        "MIN_INSYNC_REPLICAS: the image does not take this for a key of Kafka's",
    ),
    "another image's prefix": (
        KAFKA.replace("apache/kafka", "bitnami/kafka"),
        "KAFKA_MIN_INSYNC_REPLICAS: this image is not known to have such a variable.",
    ),
    "a list that is none": (KAFKA.replace("        env:\n", "        env: {}\n        old:\n"), "its env is no list."),
    "a template": (min_isr("value: '{{ .Values.isr }}'"), "this is a template."),
    "a template without quotes": (min_isr("value: {{ .Values.isr }}"), "this is a template."),
    "an emptyDir": (without_disk("emptyDir: {}"), "and an emptyDir is lost with its pod."),
    "an emptyDir in memory": (without_disk("emptyDir: {medium: Memory}"), "and an emptyDir is lost with its pod."),
    "a volume without a kind": (without_disk("a: b, c: d"), "a volume is not understood."),
    "an ephemeral volume": (without_disk("ephemeral: {}"), "and an ephemeral volume is lost with its pod."),
    "a volume that is not there": (without_disk("nfs: {}").replace("name: data, nfs", "name: other, nfs"), "no disk"),
    "a volume elsewhere": (
        KAFKA.replace("mountPath: /var/lib/kafka", "mountPath: /data"),
        "its logs lie in /var/lib/kafka/data, where no volume is mounted: they are lost with the container.",
    ),
    "one of two folders without a volume": (
        KAFKA.replace("/var/lib/kafka/data", "/var/lib/kafka/data,/more"),
        "its logs lie in /more, where no volume is mounted",
    ),
    "an emptyDir below a claim": (
        KAFKA.replace(
            "        volumeMounts:\n", "        volumeMounts:\n        - {name: tmp, mountPath: /var/lib/kafka/data}\n"
        ).replace("      containers:\n", "      volumes: [{name: tmp, emptyDir: {}}]\n      containers:\n"),
        "and an emptyDir is lost with its pod.",
    ),
    "a folder that is not known": (
        KAFKA.replace("value: /var/lib/kafka/data", 'value: "$(FOLDER)"'),
        "where its logs lie, '$(FOLDER)', is not known.",
    ),
    "a mounted configuration": (
        KAFKA.replace(
            "        volumeMounts:\n", "        volumeMounts:\n        - {name: a, mountPath: /mnt/shared/config}\n"
        ),
        "it mounts /mnt/shared/config, from where the image takes configuration.",
    ),
    "another command": (with_part("command: [/run.sh]"), "its command is not read. What '/run.sh' does is not known."),
    "a command that needs a variable": (
        started("command: [sh, -c, 'export KAFKA_MIN_INSYNC_REPLICAS=$ISR && /etc/confluent/docker/run']"),
        "'${ISR}' is a reference.",
    ),
    "a command with a condition": (
        started("command: [sh, -c, 'if true; then export A=b; fi; /etc/confluent/docker/run']"),
        "Which of its parts run before the broker is not certain.",
    ),
    "a command that may fail": (
        started("command: [sh, -c, 'false || export KAFKA_MIN_INSYNC_REPLICAS=2; /etc/confluent/docker/run']"),
        "Which of its parts run before the broker is not certain.",
    ),
    "a part of a StatefulSet": (
        KAFKA.replace("  selector: {matchLabels: {app: kafka}}\n", ""),
        "kafka.yaml:1: StatefulSet kafka: it has no selector: it may be a part that lies over another file.",
    ),
    "a command that takes variables from elsewhere": (
        started("command: [sh, -c, 'export $(cat /config/env); /etc/confluent/docker/run']"),
        "Which variables '${output}' sets is not known.",
    ),
    "a command that takes a value from elsewhere": (
        started("command: [sh, -c, 'export KAFKA_MIN_INSYNC_REPLICAS=$(cat /isr); /etc/confluent/docker/run']"),
        "'${output}' is a reference.",
    ),
    "a variable that the shell keeps": (
        started("command: [sh, -c, 'KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE=false; exec /etc/confluent/docker/run']"),
        "It sets KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE without export, so the broker does not get it.",
    ),
    "a variable that is no longer handed on": (
        started("command: [sh, -c, 'export -n KAFKA_MIN_INSYNC_REPLICAS; exec /etc/confluent/docker/run']"),
        "Which variables '-n' sets is not known.",
    ),
    "a shell that hands on all": (
        started("command: [sh, -c, 'set -ea; KAFKA_LOG_DIR=/a; exec /etc/confluent/docker/run']"),
        "Which variables it hands on is not certain.",
    ),
    "a log.dir that the image goes over": (
        started("").replace("KAFKA_LOG_DIRS", "KAFKA_LOG_DIR").replace("/var/lib/kafka", "/logs"),
        "its logs lie in /var/lib/kafka/data, where no volume is mounted: they are lost with the container.",
    ),
    "a folder with the name of the host in a Deployment": (
        in_deployment(OF_WURSTMEISTER),
        "its logs lie in /kafka/kafka-logs-$HOSTNAME, and a pod of a Deployment has another name when it starts again.",
    ),
    "a folder with a name of the pod in a Deployment": (
        in_deployment(KAFKA.replace("value: /var/lib/kafka/data", "value: /var/lib/kafka/$(POD_IP)")),
        "and a pod of a Deployment has another name when it starts again.",
    ),
    "a command in the background": (
        started("command: [sh, -c, 'sleep 9 & /etc/confluent/docker/run']"),
        "Which of its parts run before the broker is not certain.",
    ),
    "a command that reads a file": (
        started("command: [sh, -c, '. /a; /etc/confluent/docker/run']"),
        "What '.' does is not known.",
    ),
    "a program before a script": (
        started("command: [/evil, 'export A=b; /etc/confluent/docker/run']"),
        "What '/evil' does is not known.",
    ),
    "what runs after its start": (
        with_part("lifecycle: {postStart: {exec: {command: [kafka-configs.sh]}}}"),
        "what runs after its start (postStart) is not read.",
    ),
    "an unknown part": (with_part("ebv: []"), "StatefulSet kafka: ebv is not read."),
    "replicas that are no number": (KAFKA.replace("replicas: 3", "replicas: a"), "its replicas are no number."),
    "StatefulSets that differ": (
        f"{KAFKA}---\n{SECOND.replace(ENTRY, ENTRY.replace('2', '1'))}",
        "'1' here, and '2' at",
    ),
    "a StatefulSet without a value": (
        f"{KAFKA}---\n{SECOND.replace(ENTRY, '')}",
        "kafka.yaml:20: min.insync.replicas: of StatefulSets kafka and other only kafka sets it.",
    ),
    "releases that differ": (
        f"{KAFKA}---\n{SECOND.replace('4.1.0', '4.0.0')}",
        "StatefulSets kafka and other run releases of Kafka that differ: 4.1.0, and 4.0.0.",
    ),
    "containers of one pod that differ": (
        KAFKA.replace(
            "        volumeMounts",
            "      - {name: b, image: apache/kafka:4.1.0}\n      - name: c\n        volumeMounts",
        ),
        "of StatefulSets kafka (kafka) and kafka (b) only kafka (kafka) sets it.",
    ),
    "a workload that is not nested rightly": (
        KAFKA.replace("  template:\n    spec:\n", "  template: {}\n  spec:\n    a:\n"),
        "StatefulSet kafka runs apache/kafka: its broker is not read from here.",
    ),
    "an image that is not known": (
        KAFKA.replace("apache/kafka", "registry.example/kafka"),
        "StatefulSet kafka runs registry.example/kafka: it may be a broker or a client.",
    ),
    "a Job that may change the topics": (
        KAFKA.replace("StatefulSet", "Job")
        .replace("apps/v1", "batch/v1")
        .replace("        env:", "        args: [a]\n        env:"),
        "its command is not read. What 'a' does is not known.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    found = problems(tmp_path, text)
    assert any(said in problem for problem in found), found
