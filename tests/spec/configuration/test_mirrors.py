"""MirrorMaker 2: the producer that copies into a cluster, and the topics that it creates there."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment

MIRROR = "clusters = a, b\na.bootstrap.servers = a:9092\nb.bootstrap.servers = b:9092\na->b.enabled = true\n"
STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker2
metadata:
  name: mirror
spec:
  version: 4.1.0
  connectCluster: b
  clusters:
  - alias: a
    bootstrapServers: a:9092
  - alias: b
    bootstrapServers: b:9092
    config:
      producer.acks: 1
      config.storage.replication.factor: 3
  mirrors:
  - sourceCluster: a
    targetCluster: b
    sourceConnector:
      config:
        replication.factor: 3
        offset-syncs.topic.replication.factor: 1
    topicsPattern: .*
"""
STRIMZI_V1 = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaMirrorMaker2
metadata:
  name: mirror
spec:
  target:
    alias: b
    bootstrapServers: b:9092
    config:
      producer.acks: all
  mirrors:
  - source:
      alias: a
      bootstrapServers: a:9092
    sourceConnector:
      config:
        replication.factor: -1
"""
BROKER = "process.roles=broker\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"


def deployment(folder: Path, text: str, version: str = "4.1") -> Deployment:
    """What the file of MirrorMaker amounts to, beside a broker of the cluster that it copies into."""
    (folder / "mm2").write_text(text, encoding="utf-8")
    (folder / "server.properties").write_text(BROKER, encoding="utf-8")
    return read_deployment([str(folder / "mm2"), str(folder / "server.properties")], kafka_version=version)


OWN_TOPICS = ("offset-syncs.topic", "checkpoints.topic", "heartbeats.topic", "b.offset.storage", "offset.storage")
READ: dict[str, tuple[str, dict[str, object]]] = {
    "Connect's own values, and two replicas": (
        MIRROR,
        {"acks": "all", "retries": 1, "idempotence": False, "pipelined": False, "commit": "none", "replicas": 2},
    ),
    "the producer of the target": (
        f"{MIRROR}b.producer.acks = 1\nreplication.factor=3\n",
        {"acks": "1", "replicas": 3},
    ),
    "the producer of the source": (f"{MIRROR}a.producer.acks = 1\n", {"acks": "all"}),
    "an override of the direction": (
        f"{MIRROR}b.producer.acks = 1\na->b.producer.override.acks = all\na->b.producer.override.enable.idempotence=true\n",
        {"acks": "all", "idempotence": True},
    ),
    "the direction's own replicas": (f"{MIRROR}replication.factor=1\na->b.replication.factor = 3\n", {"replicas": 3}),
    "the brokers' default of replicas": (f"{MIRROR}replication.factor = -1\n", {"replicas": 3, "min_isr": 2}),
    "every direction": (
        "clusters=a,b\nenabled=true\na->b.topics=.*\nb->a.topics=.*\nreplication.factor=3\n",
        {"acks": "all", "replicas": 3},
    ),
    "one of two directions": (
        f"{MIRROR}b->a.enabled = false\na.producer.acks=0\nb->a.replication.factor=1\nreplication.factor=3\n",
        {"acks": "all", "replicas": 3},
    ),
    "replicas of its own topics": (
        MIRROR + "\n".join(f"{topic}.replication.factor=1" for topic in OWN_TOPICS),
        {"replicas": 2},
    ),
    "exactly-once": (f"{MIRROR}b.exactly.once.source.support=enabled\n", {"acks": "all", "idempotence": True}),
    "Strimzi's KafkaMirrorMaker2": (STRIMZI, {"acks": "1", "pipelined": False, "replicas": 3}),
    "Strimzi's KafkaMirrorMaker2 of v1": (STRIMZI_V1, {"acks": "all", "pipelined": False, "replicas": 3}),
}


@pytest.mark.parametrize("name", READ)
def test_what_mirrormaker_makes_of_it(name: str, tmp_path: Path) -> None:
    text, wanted = READ[name]
    found = deployment(tmp_path, text)
    settings = {**found.settings, "replicas": found.replication_factor}
    assert {key: settings[key] for key in wanted} == wanted
    assert "copies between clusters" in {notice.unchecked for notice in found.unchecked}


WRONG = {
    "a producer's key of a direction": (
        f"{MIRROR}a->b.producer.acks = 1\n",
        "mm2:5: producer.acks: it ends as one that decides: acks; and MirrorMaker's producer does not take it from here.",
    ),
    "a producer's key of no cluster": (
        f"{MIRROR}producer.acks = 1\n",
        "mm2:5: producer.acks: it ends as one that decides: acks; and it is of no cluster.",
    ),
    "replicas of a cluster": (f"{MIRROR}b.replication.factor = 1\n", "it ends as one that decides: replication.factor"),
    "no direction": ("clusters=a,b\na->b.enabled=false\n", "mm2: no direction is enabled: MirrorMaker copies nothing."),
    "no clusters": ("a->b.enabled=true\n", "mm2: clusters does not name the clusters."),
    "a cluster that is not named": (
        f"{MIRROR}a->c.enabled=true\n",
        "mm2:5: a->c.enabled: clusters does not name both clusters of this direction.",
    ),
    "a misspelt key of a producer": (
        f"{MIRROR}b.producer.enable.idempotance=true\n",
        "Did you mean enable.idempotence?",
    ),
    "a value that Kafka refuses": (f"{MIRROR}b.producer.acks=2\n", "mm2:5: acks: '2' is no value of acks."),
    "a reference": (f"{MIRROR}b.producer.acks=${{env:ACKS}}\n", "is a reference."),
    "a template": (f"{MIRROR}{{{{ range }}}}\n", "is no key of a .properties file of Kafka's."),
    "a key twice": (f"{MIRROR}b.producer.acks=1\nb.producer.acks=all\n", "mm2:6: b.producer.acks: set again"),
    "Strimzi's without its clusters": (
        STRIMZI.replace("connectCluster: b", "connectCluster: c"),
        "mm2:1: it does not say which cluster it copies from and into.",
    ),
    "Strimzi's into another cluster": (
        STRIMZI.replace("targetCluster: b", "targetCluster: c"),
        "mm2:17: a mirror has no source, or copies into another cluster than b.",
    ),
    "Strimzi's without a source connector": (
        STRIMZI.replace("sourceConnector", "checkpointConnector"),
        "no mirror has a sourceConnector: nothing is copied.",
    ),
    "Strimzi's that is paused": (
        STRIMZI.replace("      config:\n        rep", "      state: paused\n      config:\n        rep"),
        "this connector is paused or stopped: it copies nothing.",
    ),
    "Strimzi's with a producer's key": (
        STRIMZI.replace("        replication.factor: 3", "        producer.acks: 1"),
        "mm2:21: producer.acks: it ends as one that decides: acks;",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, text)
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


DOUBTS = {
    "two targets": (
        f"{MIRROR}b->a.enabled=true\nreplication.factor=3\n",
        "this copies into the clusters a, b, and one cluster is audited.",
    ),
    "settings that are copied": (
        f"{MIRROR}config.properties.exclude=retention.ms\n",
        "this changes which settings new topics take from those of the source.",
    ),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_what_could_change_the_verdict_is_a_doubt(name: str, tmp_path: Path) -> None:
    text, said = DOUBTS[name]
    assert said in {doubt.what for doubt in deployment(tmp_path, text).doubts}


def test_topics_that_are_described_go_before_new_ones(tmp_path: Path) -> None:
    (tmp_path / "mm2").write_text(MIRROR, encoding="utf-8")
    (tmp_path / "topic.properties").write_text("replication.factor=3\nmin.insync.replicas=2\n", encoding="utf-8")
    found = read_deployment([str(tmp_path / "mm2"), str(tmp_path / "topic.properties")], kafka_version="4.1")
    assert found.replication_factor == 3
    assert "new topics of MirrorMaker have '2', and are not audited beside others." in {d.what for d in found.doubts}
