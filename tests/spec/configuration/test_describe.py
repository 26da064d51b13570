"""What Kafka's tools print is recognised and read, in the forms that they have had."""

from __future__ import annotations

from pathlib import Path

import pytest
from finalized_features import finalized

from neverlost.spec.configuration import ConfigurationError, configuration_file, read_configuration, read_deployment
from neverlost.spec.configuration.catalogue import Catalogue, catalogue
from neverlost.spec.configuration.configuration_file import ConfigurationFile, SourceText
from neverlost.spec.configuration.forms.describe import form_of, read_descriptions

CONFIGS = """All configs for topic orders are:
  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, DEFAULT_CONFIG:min.insync.replicas=1}
  cleanup.policy=compact,delete sensitive=false synonyms={DEFAULT_CONFIG:log.cleanup.policy=delete}
  unclean.leader.election.enable=true sensitive=false synonyms={STATIC_BROKER_CONFIG:unclean.leader.election.enable=true}
  some.secret=null sensitive=true synonyms={}
  flush.ms=9223372036854775807 sensitive=false synonyms={}
"""
TOPICS = """Topic: orders\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: cleanup.policy=compact,delete,min.insync.replicas=2
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 3,1,2
\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 1,2,3,4\tIsr: \tElr: 1,2\tLastKnownElr: 3
"""


def described(text: str) -> ConfigurationFile:
    (found,) = read_descriptions(SourceText(path="p", text=text))
    return found


def rows(found: ConfigurationFile) -> list[tuple[str, str, int, str | None]]:
    return [(entry.key, entry.value, entry.line, entry.layer) for entry in found.entries]


def test_the_configs_of_a_topic_tell_the_layer_of_each_value() -> None:
    found = described(CONFIGS)
    assert (found.form, found.role, found.name) == ("kafka-configs", "topic", "orders")
    assert rows(found) == [
        ("min.insync.replicas", "2", 2, "topic"),
        ("cleanup.policy", "compact,delete", 3, "default"),
        ("unclean.leader.election.enable", "true", 4, "broker"),
        ("flush.ms", "9223372036854775807", 6, None),
    ]


@pytest.mark.parametrize(
    ("heading", "role", "name"),
    [
        ("Dynamic configs for topic orders are:", "topic", "orders"),
        ("All configs for broker 1 are:", "broker", "1"),
        ("Default configs for brokers in the cluster are:", "broker", None),
        ("Configs for topic 'orders' are", "topic", "orders"),
    ],
)
def test_every_heading_is_known(heading: str, role: str, name: str | None) -> None:
    found = described(f"\n{heading}\n  min.insync.replicas=2 sensitive=false synonyms={{}}\n")
    assert (found.role, found.name, found.entries[0].value) == (role, name, "2")


def test_the_old_form_on_one_line_is_read() -> None:
    found = described("Configs for topic 'orders' are retention.ms=5,min.insync.replicas=2\n")
    assert rows(found) == [("retention.ms", "5", 1, "topic"), ("min.insync.replicas", "2", 1, "topic")]


def test_a_topic_tells_its_replicas_and_what_is_out_of_order() -> None:
    found = described(TOPICS)
    assert rows(found) == [
        ("partitions", "2", 1, "topic"),
        ("replication.factor", "3", 1, "topic"),
        ("cleanup.policy", "compact,delete", 1, None),
        ("min.insync.replicas", "2", 1, None),
    ]
    assert [(warning.line, warning.what) for warning in found.warnings] == [
        (3, "this partition has 4 replicas, and the topic's replication factor is 3."),
        (3, "only 0 of 4 replicas were in sync."),
    ]


LINE = "Topic: orders\tPartitionCount: {}\tReplicationFactor: {}\tConfigs: min.insync.replicas=2\n"
MOVING = (
    "\tTopic: orders\tPartition: {}\tLeader: 1\tReplicas: {}\tIsr: {}\tAdding Replicas: {}\tRemoving Replicas: {}\n"
)
STILL = "\tTopic: orders\tPartition: {}\tLeader: 1\tReplicas: {}\tIsr: {}\tElr: \tLastKnownElr: \n"
REPLICAS = {
    "one is added and one removed, and the tool counts both": (
        LINE.format(1, 4) + MOVING.format(0, "4,1,2,3", "1,2,3", "4", "1"),
        ("3", 2),
    ),
    "one is added, and the tool does not count it": (
        LINE.format(1, 1) + MOVING.format(0, "1,2", "1", "2", ""),
        ("1", 1),
    ),
    "one of three is removed": (LINE.format(1, 3) + MOVING.format(0, "1,2,3", "1,2,3", "", "3"), ("2", 2)),
    "two more are added, without tabs": (
        (LINE.format(1, 5) + MOVING.format(0, "1,2,3,4,5", "1,2,3", "4,5", "")).replace("\t", " "),
        ("3", 2),
    ),
    "a later partition has fewer": (
        LINE.format(2, 3) + STILL.format(0, "1,2,3", "1,2,3") + STILL.format(1, "1", "1"),
        ("1", 3),
    ),
    "a later partition has more": (
        LINE.format(2, 1) + STILL.format(0, "1", "1") + STILL.format(1, "1,2,3", "1,2,3"),
        ("1", 1),
    ),
    "all partitions have fewer than the tool says": (LINE.format(1, 3) + STILL.format(0, "1,2", "1,2"), ("2", 2)),
}


@pytest.mark.parametrize("name", REPLICAS)
def test_the_fewest_replicas_of_a_partition_count_and_none_that_a_reassignment_adds_or_removes(name: str) -> None:
    text, counted = REPLICAS[name]
    found = described(text)
    (entry,) = (entry for entry in found.entries if entry.key == "replication.factor")
    assert (entry.value, entry.line) == counted
    whats = [warning.what for warning in found.warnings]
    assert any("reassignment is under way" in what for what in whats) is ("Adding" in text)
    assert not [what for what in whats if "in sync" in what]


def test_the_replicas_that_a_reassignment_adds_need_not_be_in_sync_and_the_others_must() -> None:
    found = described(LINE.format(1, 3) + MOVING.format(0, "4,1,2,3", "1,2,4", "4", "1"))
    assert [warning.what for warning in found.warnings] == [
        "a reassignment is under way: 3 of 4 replicas count.",
        "only 2 of 3 replicas were in sync.",
    ]


def test_the_topics_of_old_tools_have_no_blanks_after_colons() -> None:
    found = described("Topic:orders\tPartitionCount:1\tReplicationFactor:2\tConfigs:min.insync.replicas=2\n")
    assert [row[:2] for row in rows(found)][1:] == [("replication.factor", "2"), ("min.insync.replicas", "2")]


def test_features_tell_the_version_and_eligible_leader_replicas() -> None:
    text = "Feature: metadata.version\tSupportedMinVersion: 3.0-IV1\tFinalizedVersionLevel: 4.1-IV1\tEpoch: 9\n"
    found = described(text)
    assert (found.form, rows(found)) == ("kafka-features", [("metadata.version", "4.1-IV1", 1, "broker")])


@pytest.mark.parametrize("last", ["3.9-IV0", "4.0-IV0"])
def test_levels_that_no_cluster_has_together_are_refused(
    last: str,
) -> None:  # EligibleLeaderReplicasVersion.dependencies
    lines = [finalized("metadata.version", last), finalized("eligible.leader.replicas.version", "1")]
    with pytest.raises(
        ConfigurationError, match=f"no cluster has level 1 with metadata.version {last}. It needs 4.0-IV1"
    ):
        described("".join(lines))
    off = described("".join([lines[0], finalized("eligible.leader.replicas.version", "0")]))
    assert [row[:2] for row in rows(off)] == [("metadata.version", last), ("eligible.leader.replicas.version", "0")]
    described("".join([finalized("metadata.version", "4.0-IV1"), lines[1]]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Dynamic configs for topic orders are:\n", "Describe with --all"),
        ("Dynamic configs for topic orders are:\nError: no\n", "p:2: this is no line of kafka-configs.sh"),
        (TOPICS.split("\n")[1], "ReplicationFactor and Configs of orders is missing"),
    ],
)
def test_what_leaves_out_what_decides_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        described(text)
    assert said in str(caught.value)


def test_a_properties_file_is_no_description() -> None:
    assert form_of("# All configs for topic orders are:\nTopic=orders\nacks=all\n") is None


def test_a_described_layer_is_the_layer_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(CONFIGS, encoding="utf-8")
    (tmp_path / "b").write_text(TOPICS, encoding="utf-8")
    found = read_deployment([str(tmp_path / "a"), str(tmp_path / "b")], kafka_version="3.9")
    assert (found.replication_factor, found.settings["min_isr"], found.settings["unclean"]) == (3, 2, True)
    assert found.sources["unclean.leader.election.enable"].layer == "broker"


@pytest.mark.parametrize("first", ["topics", "configs"])
def test_what_does_not_tell_its_layer_has_that_which_another_tool_tells(first: str, tmp_path: Path) -> None:
    texts = {"topics": "Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"}
    texts["configs"] = (
        "All configs for topic orders are:\n  min.insync.replicas=2 sensitive=false synonyms={SOURCE:x=2}\n"
    )
    paths = [tmp_path / name for name in sorted(texts, key=lambda name: name != first)]
    for source, layer in (
        ("STATIC_BROKER_CONFIG", "broker"),
        ("DYNAMIC_DEFAULT_BROKER_CONFIG", "cluster"),
        ("DYNAMIC_TOPIC_CONFIG", "topic"),
    ):
        for path in paths:
            path.write_text(texts[path.name].replace("SOURCE", source), encoding="utf-8")
        found = read_deployment([str(path) for path in paths], kafka_version="4.1")
        assert found.sources["min.insync.replicas"].layer == layer
        doubted = any("a broker's own min.insync.replicas is not used" in doubt.what for doubt in found.doubts)
        assert doubted is (layer == "broker")


def test_what_one_tool_says_and_another_contradicts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(CONFIGS, encoding="utf-8")
    (tmp_path / "b").write_text(TOPICS.replace("replicas=2", "replicas=1"), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"min\.insync\.replicas: '1' here, and '2' at"):
        read_deployment([str(tmp_path / "a"), str(tmp_path / "b")], kafka_version="3.9")


@pytest.mark.parametrize(("roles", "mode"), [("", "ZooKeeper"), ("broker,controller", "KRaft")])
def test_brokers_on_zookeeper_describe_roles_that_are_empty(roles: str, mode: str, tmp_path: Path) -> None:
    text = f"""All configs for broker 1 are:
  process.roles={roles} sensitive=false synonyms={{DEFAULT_CONFIG:process.roles=}}
  min.insync.replicas=1 sensitive=false synonyms={{DEFAULT_CONFIG:min.insync.replicas=1}}
  inter.broker.protocol.version=3.9-IV0 sensitive=false synonyms={{DEFAULT_CONFIG:inter.broker.protocol.version=3.9-IV0}}
"""
    (tmp_path / "brokers").write_text(text, encoding="utf-8")
    assert read_deployment([str(tmp_path / "brokers")]).mode == mode


@pytest.mark.parametrize(
    ("name", "text", "role"),
    [
        ("x", "acks=all\n", "producer"),
        ("x", "group.id=a\nclient.id=b\n", "consumer"),
        ("x", "retention.ms=5\n", "topic"),
        ("x", "log.dirs=/a\n", "broker"),
        ("x", "request.required.acks=1\nproducer.type=sync\n", "producer"),
        ("x", "zookeeper.session.timeout.ms=5\nconsumer.id=1\n", "consumer"),
        ("consumer.properties", "group.id=a\nacks=all\n", "consumer"),
        ("my-producer.conf", "ack=all\n", "producer"),
        ("server.properties", "min.insync.replicas=2\n", "broker"),
        ("topic.properties", "min.insync.replicas=2\n", "topic"),
    ],
)
def test_the_role_of_a_file_is_recognised_by_its_keys_and_else_by_its_name(
    tmp_path: Path, name: str, text: str, role: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_configuration(str(tmp_path / name))[0].role == role


def test_a_wrong_role_for_a_description_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(CONFIGS, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="describes a topic here, not a producer"):
        read_configuration(f"producer:{tmp_path / 'a'}")


@pytest.mark.parametrize(
    "number", ["\u00b2", "\u0663", "3.0", "9" * 5_000], ids=["a power", "another script", "a fraction", "long"]
)
def test_a_replication_factor_that_is_no_number_is_refused(number: str, tmp_path: Path) -> None:
    path = tmp_path / "orders.topics.txt"
    path.write_text(TOPICS.replace("ReplicationFactor: 3", f"ReplicationFactor: {number}"), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"orders.topics.txt:1: replication.factor: .* is no value of it"):
        read_deployment([str(path)])


def test_all_lines_of_a_description_are_not_looked_at_again_for_each_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[None]()

    def counted() -> Catalogue:
        asked.append(None)
        return catalogue()

    monkeypatch.setattr(configuration_file, "catalogue", counted)
    path = tmp_path / "orders.topics.txt"
    path.write_text(TOPICS * 150, encoding="utf-8")
    read_deployment([str(path)])
    assert 0 < len(asked) < 150
