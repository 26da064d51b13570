"""A running cluster is audited as what Kafka's own tools print of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")
pytest.importorskip("confluent_kafka", reason="confluent-kafka is not there: pip install 'neverlost[clients]'")

import confluent_kafka
from command_line import Run
from described_clusters import bootstrap_of, descriptions, set_for_all_brokers, with_tools
from secured_brokers import SECRETS, TOPIC, secured_broker

from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.releases import RunnableRelease
from neverlost.spec.configuration import Deployment, Notice, read_deployments
from neverlost.studies.cluster_reading import ClusterAddress, read_cluster

SETTINGS = {"min.insync.replicas": "2", "offsets.topic.replication.factor": "3"}
STRICT = {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
TOPICS = {
    "orders": ([1, 2, 3], STRICT),
    "orders-eu": ([2, 1, 100], STRICT),
    "loose": ([2, 3, 1], {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}),
    "plain": ([1, 2], {}),
    "latest": ([1, 2, 100], {"cleanup.policy": "compact"}),
}
SECONDS = 90.0
on_brokers = [pytest.mark.brokers, pytest.mark.xdist_group("brokers")]


def make_topics(cluster: Cluster) -> None:
    """Topics, one of them the brokers' own, and one broker that is dead."""
    for name, (replicas, settings) in TOPICS.items():
        cluster.control.create_topic(name, [replicas], settings)
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": bootstrap_of(cluster), "group.id": "readers", "log_level": 0}
    )
    position = [confluent_kafka.TopicPartition("orders", 0, 0)]

    def commits() -> bool:
        try:
            consumer.commit(offsets=position, asynchronous=False)
        except confluent_kafka.KafkaException:
            return False
        return True

    cluster.until(commits, SECONDS, "a committed position")
    consumer.close()
    set_for_all_brokers(cluster, "log.flush.interval.messages=10000")
    cluster.kill(3)
    cluster.control.end_session(3)
    cluster.until(lambda: cluster.control.partition("orders").isr == (1, 2), SECONDS, "an ISR without broker 3")


def without_place(notice: Notice) -> tuple[object, ...]:
    why = re.sub(r".* goes before it", "... goes before it", notice.why)
    return notice.key, notice.what, why, notice.advice, notice.decides


def without_places(deployments: list[Deployment]) -> Iterator[tuple[frozenset[str], dict[str, object]]]:
    """All that deployments say, but not where they have it from; two outputs may say the same."""
    for one in deployments:
        yield (
            frozenset(one.topics),
            {
                "release": (one.version, one.release, one.mode, one.profile),
                "behaviour": one.behaviour,
                "settings": dict(one.settings),
                "sources": {key: (source.value, source.layer, source.key) for key, source in one.sources.items()},
                "assumed": one.assumed_defaults,
                "deciding defaults": one.deciding_defaults,
                "warnings": {without_place(warning) for warning in one.warnings},
                "doubts": {without_place(doubt) for doubt in one.doubts},
            },
        )


@pytest.mark.parametrize(
    ("version", "mode"), [("2.7.2", "ZooKeeper"), ("3.9.1", "ZooKeeper"), ("3.9.1", "KRaft"), ("4.1.1", "KRaft")]
)
class TestRunningClusters:
    pytestmark = on_brokers

    def test_a_cluster_is_audited_as_what_the_tools_say_of_it(
        self, version: str, mode: str, runnable: Callable[..., RunnableRelease], tmp_path: Path
    ) -> None:
        producer = tmp_path / "producer.properties"
        producer.write_text("acks=all\nenable.idempotence=true\n")
        with Cluster(with_tools(runnable(version, mode)), settings=SETTINGS) as cluster:
            make_topics(cluster)
            files = descriptions(cluster, tmp_path)
            # Topics that are alike are shown by the first of them.
            order = re.findall(r"^Topic: (\S+)", (tmp_path / "topics.txt").read_text(), flags=re.MULTILINE)
            read = read_cluster(ClusterAddress(bootstrap=bootstrap_of(cluster), topics=tuple(order)))
            names = {
                file.name
                for file in read_cluster(ClusterAddress(bootstrap=bootstrap_of(cluster)))
                if file.role == "topic"
            }
        described = dict(without_places(read_deployments([*files, str(producer)])))
        asked = dict(without_places(read_deployments([str(producer)], cluster=read)))
        assert asked == described
        assert frozenset[str]().union(*asked) == names == {*TOPICS, "__consumer_offsets"}
        assert frozenset({"orders", "orders-eu"}) not in asked, "a replica of one of them is not in sync"
        found = asked[frozenset({"orders"})]
        assert found["release"][0::2] == (version.rpartition(".")[0], mode)
        # The folder of a test may lie in /tmp.
        assert {doubt[0] for doubt in found["doubts"]} - {"log.dirs"} == {"Isr"}
        layers = {frozenset(topics): about["sources"]["min.insync.replicas"][1] for topics, about in asked.items()}
        # Where eligible leader replicas are on, the value for all brokers is the one that counts, and Kafka sets it.
        assert layers[frozenset({"plain"})] == ("cluster" if version == "4.1.1" else "broker")
        assert layers[frozenset({"loose"})] == "topic"
        assert found["sources"]["flush.messages"] == ("10000", "cluster", "flush.messages")


def admin_settings(user: str, secret: str, certificate: Path) -> str:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return (
        "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nrequest.timeout.ms=20000\n"
        f'sasl.jaas.config={module} required username="{user}" password="{secret}";\n'
        f"ssl.truststore.type=PEM\nssl.truststore.location={certificate}\n"
    )


class TestSecuredClusters:
    pytestmark = on_brokers

    def test_who_may_describe_is_answered_and_others_hear_why_not(
        self, runnable: Callable[..., RunnableRelease], tmp_path: Path, run: Run
    ) -> None:
        config = tmp_path / "admin.properties"

        def asked(text: str, bootstrap: str) -> str:
            """What is said of a cluster that is not read; no secret is in it."""
            config.write_text(text, encoding="utf-8")
            code, out, err = run("audit", "--bootstrap-server", bootstrap, "--command-config", str(config))
            assert (code, out) == (2, "")
            assert "planted" not in err
            return err

        with secured_broker(runnable("4.1.1"), tmp_path) as broker:
            config.write_text(admin_settings("reader", SECRETS["reader"], broker.certificate), encoding="utf-8")
            read = read_cluster(ClusterAddress(bootstrap=broker.secured, command_config=str(config)))
            assert [(file.role, file.name) for file in read] == [("broker", "1"), ("broker", None), ("topic", TOPIC)]
            assert {entry.key: entry.value for entry in read[1].entries} == {
                "metadata.version": "4.1-IV1",
                "eligible.leader.replicas.version": "1",
            }
            assert "planted" not in repr(read)
            stranger = admin_settings("stranger", SECRETS["stranger"], broker.certificate)
            assert "Cluster authorization failed. It needs DESCRIBE_CONFIGS on the cluster" in asked(
                stranger, broker.secured
            )
            wrong = admin_settings("reader", "planted-but-wrong", broker.certificate)
            assert "does not let this user in" in asked(wrong, broker.secured)
            of_nobody = wrong.replace("ssl.truststore", "#")
            assert "cannot be reached: SSL handshake failed" in asked(of_nobody, broker.secured)
            assert "cannot be reached: SSL handshake failed" in asked(wrong, broker.open)
