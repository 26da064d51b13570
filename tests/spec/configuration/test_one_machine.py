"""How many replicas the files show on one machine: of brokers on one host, of a compose file's services, of pods."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import read_deployment

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"
BROKER = "process.roles=broker\nlog.dirs=/data\nmin.insync.replicas=2\n"


def machine(folder: Path, *brokers: str, ending: str = "properties", version: str | None = "4.1.1") -> int:
    (folder / "topic.properties").write_text(TOPIC, encoding="utf-8")
    files = [folder / f"server-{number}.{ending}" for number in range(len(brokers))]
    for file, text in zip(files, brokers, strict=True):
        file.write_text(text, encoding="utf-8")
    found = read_deployment([*map(str, files), str(folder / "topic.properties")], kafka_version=version)
    return found.replicas_on_one_machine


HOSTS = {
    "one host, and three ports": (
        *("PLAINTEXT://box1:9091", "PLAINTEXT://box1:9092", "PLAINTEXT://BOX1:9093"),
        3,
    ),
    "an address, and three ports": ("PLAINTEXT://10.0.0.1:1", "PLAINTEXT://10.0.0.1:2", "PLAINTEXT://10.0.0.1:3", 3),
    "two on one host": ("PLAINTEXT://box1:9091", "PLAINTEXT://box1:9092", "PLAINTEXT://box2:9091", 2),
    "two networks of one host": ("A://in:1,B-C://out:2", "A://in:3,B-C://out:4", "A://in:5,B-C://out:6", 3),
    "the machine itself": ("PLAINTEXT://localhost:9092", "PLAINTEXT://127.0.0.1:9092", "PLAINTEXT://[::1]:9092", 3),
    "hosts of their own": ("PLAINTEXT://box1:9092", "PLAINTEXT://box2:9092", "PLAINTEXT://box3:9092", 1),
    "a balancer before hosts of their own": ("A://k1:9092,B://lb:1", "A://k2:9092,B://lb:2", "A://k3:9092,B://lb:3", 1),
    "one port, so one text for all": ("PLAINTEXT://kafka:9092", "PLAINTEXT://kafka:9092", "PLAINTEXT://kafka:9092", 1),
    "no host": ("PLAINTEXT://:9091", "PLAINTEXT://:9092", "PLAINTEXT://:9093", 1),
    "every address": ("PLAINTEXT://0.0.0.0:9091", "PLAINTEXT://0.0.0.0:9092", "PLAINTEXT://0.0.0.0:9093", 1),
    "a host that is filled in": ("PLAINTEXT://${HOST}:9091", "PLAINTEXT://${HOST}:9092", "PLAINTEXT://${HOST}:9093", 1),
}


@pytest.mark.parametrize("key", ["advertised.listeners", "listeners"])
@pytest.mark.parametrize("name", HOSTS)
def test_brokers_at_one_host_are_on_one_machine(name: str, key: str, tmp_path: Path) -> None:
    *addresses, expected = HOSTS[name]
    assert machine(tmp_path, *(f"{BROKER}{key}={address}\n" for address in addresses)) == expected


def services(*deploys: str) -> str:
    return "services:\n" + "".join(
        f"  k{number}:\n    image: apache/kafka:4.1.1\n    deploy: {deploy}\n    environment: "
        "{KAFKA_PROCESS_ROLES: broker, KAFKA_LOG_DIRS: /data, KAFKA_MIN_INSYNC_REPLICAS: 2}\n"
        for number, deploy in enumerate(deploys)
    )


def node(*constraints: str) -> str:
    return f"{{placement: {{constraints: [{', '.join(repr(one) for one in constraints)}]}}}}"


PLACED = {
    "no placement": (("{}", "{}", "{}"), 3),
    "one node": ((node("node.hostname == n1"), node("node.hostname==n1"), node("node.hostname == n1")), 3),
    "the same nodes": ((node("node.role == worker"),) * 3, 3),
    "nodes of their own": (tuple(node(f"node.hostname == n{number}") for number in (1, 2, 3)), 1),
    "two nodes": ((node("node.labels.a == 1"), node("node.labels.a == 1"), node("node.labels.a == 2")), 2),
    "spread over nodes": (("{replicas: 3, placement: {preferences: [{spread: node.id}]}}",), 1),
    "each service spread by itself": (("{placement: {preferences: [{spread: node.id}]}}",) * 3, 3),
    "one replica on each node": (("{replicas: 3, placement: {max_replicas_per_node: 1}}",), 1),
    "two replicas on each node": (("{replicas: 3, placement: {max_replicas_per_node: 2}}",), 2),
    "no limit": (("{replicas: 3, placement: {max_replicas_per_node: 0}}",), 3),
    "one replica of each service on each node": (("{placement: {max_replicas_per_node: 1}}",) * 3, 3),
    "one on every node": (("{mode: global}",), 1),
    "one of each service on every node": (("{mode: global}",) * 3, 3),
    "spread over one node": (
        ("{replicas: 3, placement: {preferences: [{spread: node.id}], constraints: [node.hostname == n1]}}",),
        3,
    ),
}


@pytest.mark.parametrize("name", PLACED)
def test_services_are_on_one_machine_unless_a_swarm_must_spread_them(name: str, tmp_path: Path) -> None:
    deploys, expected = PLACED[name]
    assert machine(tmp_path, services(*deploys), ending="yaml", version=None) == expected


def test_a_number_that_no_cluster_has_is_refused_or_not_known(tmp_path: Path) -> None:
    assert machine(tmp_path, services(f"{{replicas: {'9' * 5000}}}"), ending="yaml", version=None) == 1


PODS = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: NAME}
spec:
  replicas: COUNT
  selector: {matchLabels: {app: kafka}}
  template:
    metadata: {labels: {app: kafka, tier: a}}
    spec:
      affinity: {AFFINITY}
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
"""
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def of_nodes(*terms: str) -> str:
    listed = ", ".join(f"{{matchExpressions: [{{{term}}}]}}" for term in terms)
    return f"nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{listed}]}}}}"


def of_pods(selector: str, key: str = "kubernetes.io/hostname", kind: str = "podAffinity") -> str:
    return f"{kind}: {{{REQUIRED}: [{{topologyKey: {key}, labelSelector: {{{selector}}}}}]}}"


def host(*names: str) -> str:
    return f"key: kubernetes.io/hostname, operator: In, values: [{', '.join(names)}]"


BOUND = {
    "a node by its host": (of_nodes(host("n1")), 3),
    "a node by its host, twice": (of_nodes(host("n1"), host("n1")), 3),
    "a node by its name": (
        of_nodes(host("n1"))
        .replace("matchExpressions", "matchFields")
        .replace("kubernetes.io/hostname", "metadata.name"),
        3,
    ),
    "pods of their own kind": (of_pods("matchLabels: {app: kafka}"), 3),
    "one of two nodes": (of_nodes(host("n1", "n2")), 1),
    "a node, or a zone": (of_nodes(host("n1"), "key: topology.kubernetes.io/zone, operator: In, values: [z]"), 1),
    "any node but one": (of_nodes(host("n1").replace("In", "NotIn")), 1),
    "pods of another kind": (of_pods("matchLabels: {app: zookeeper}"), 1),
    "a zone": (of_pods("matchLabels: {app: kafka}", "topology.kubernetes.io/zone"), 1),
    "away from their own kind": (of_pods("matchLabels: {app: kafka}", kind="podAntiAffinity"), 1),
    "nothing": ("", 1),
}


@pytest.mark.parametrize("name", BOUND)
def test_pods_that_are_bound_to_one_node_are_on_one_machine(name: str, tmp_path: Path) -> None:
    affinity, expected = BOUND[name]
    own = PODS.replace("AFFINITY", affinity)
    assert machine(tmp_path, own.replace("COUNT", "3").replace("NAME", "k"), ending="yaml", version=None) == expected
    apart = "---\n".join(own.replace("COUNT", "1").replace("NAME", f"k{number}") for number in (1, 2, 3))
    assert machine(tmp_path, apart, ending="yaml", version=None) == expected


def test_two_of_three_workloads_on_one_node(tmp_path: Path) -> None:
    texts = [
        PODS.replace("AFFINITY", of_nodes(host(node))).replace("COUNT", "1").replace("NAME", f"k{number}")
        for number, node in enumerate(("n1", "n1", "n2"))
    ]
    assert machine(tmp_path, "---\n".join(texts), ending="yaml", version=None) == 2
