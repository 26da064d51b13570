"""Several topics: those that are alike are one class, brokers' own topics have no producer, and no topic is taken for another's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neverlost.spec.configuration import ConfigurationError, Deployment, RefusedTopics, read_deployments

PRODUCER = "key.serializer=a.B\nacks=1\n"
SERVER = "process.roles=broker\nmin.insync.replicas=2\ndefault.replication.factor=3\n"
FULL = "replication.factor=3\nmin.insync.replicas=2\n"


def line(name: str, replicas: int = 3, configs: str = "min.insync.replicas=2", in_sync: int | None = None) -> str:
    members = ",".join(str(number) for number in range(1, replicas + 1))
    alive = ",".join(str(number) for number in range(1, (in_sync or replicas) + 1))
    return (
        f"Topic: {name}\tPartitionCount: 1\tReplicationFactor: {replicas}\tConfigs: {configs}\n"
        f"\tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: {members}\tIsr: {alive}\n"
    )


def deployments(
    folder: Path, refused: list[RefusedTopics] | None = None, version: str = "4.1", **texts: str
) -> list[Deployment]:
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}.properties"
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    return read_deployments(paths, kafka_version=version, refused=refused)


def names(found: Sequence[Deployment]) -> list[tuple[str, ...]]:
    return [one.topics for one in found]


def test_topics_that_are_alike_in_what_decides_are_one_class(tmp_path: Path) -> None:
    topics = (
        line("a")
        + line("b", configs="segment.bytes=5,min.insync.replicas=2")
        + line("c", configs="min.insync.replicas=1")
    )
    found = deployments(tmp_path, producer=PRODUCER, topics=topics)
    assert names(found) == [("a", "b"), ("c",)]
    assert [one.settings["min_isr"] for one in found] == [2, 1]


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ("remote.storage.enable=true", "tiered storage"),
        ("cleanup.policy=compact", "compaction"),
        ("retention.ms=5", "early deletion"),
    ],
)
def test_a_topic_with_what_is_not_checked_is_a_class_of_its_own(tmp_path: Path, config: str, name: str) -> None:
    topics = line("a") + line("b", configs=f"{config},min.insync.replicas=2")
    found = deployments(tmp_path, producer=PRODUCER, topics=topics)
    assert names(found) == [("a",), ("b",)]
    assert [[notice.unchecked for notice in one.unchecked] for one in found] == [[], [name]]


def test_a_topic_that_takes_the_brokers_value_is_like_one_that_sets_it_but_for_what_is_in_doubt(tmp_path: Path) -> None:
    found = deployments(tmp_path, producer=PRODUCER, server=SERVER, topics=line("a") + line("b", configs=""))
    assert [one.settings["min_isr"] for one in found] == [2, 2]
    assert len(found[1].doubts) == len(found[0].doubts) + 1


def test_a_topic_with_a_replica_out_of_sync_is_a_class_of_its_own(tmp_path: Path) -> None:
    found = deployments(tmp_path, topics=line("a") + line("b", in_sync=2) + line("c") + line("d", in_sync=2))
    assert names(found) == [("a", "c"), ("b", "d")]
    assert any(
        "only 2 of 3 replicas were in sync. The same holds for 1 more topic." in doubt.what for doubt in found[1].doubts
    )


def test_the_topics_of_brokers_have_no_producer_and_their_writes_wait_for_all(tmp_path: Path) -> None:
    found = deployments(tmp_path, producer=PRODUCER, server=SERVER, topics=line("a") + line("__consumer_offsets"))
    assert [(one.internal, one.settings["acks"]) for one in found] == [(False, "1"), (True, "all")]
    assert not {"acks", "retries", "enable.auto.commit"} & set(found[1].sources)
    assert not any(warning.key == "acks" for warning in found[1].warnings)


def test_a_broker_may_say_that_offsets_do_not_wait(tmp_path: Path) -> None:
    server = SERVER.replace("process.roles=broker", "zookeeper.connect=a") + "offsets.commit.required.acks=1\n"
    path = tmp_path / "server.properties"
    path.write_text(server, encoding="utf-8")
    (tmp_path / "topics").write_text(line("__consumer_offsets"), encoding="utf-8")
    (found,) = read_deployments([str(path), str(tmp_path / "topics")], kafka_version="3.9")
    assert found.settings["acks"] == "1"
    path.write_text(SERVER + "offsets.commit.required.acks=1\n", encoding="utf-8")
    (found,) = read_deployments([str(path), str(tmp_path / "topics")], kafka_version="4.0")
    assert found.settings["acks"] == "all"


def test_two_tools_may_tell_of_the_same_topics(tmp_path: Path) -> None:
    configs = "".join(
        f"All configs for topic {name} are:\n  min.insync.replicas={number} sensitive=false"
        f" synonyms={{DYNAMIC_TOPIC_CONFIG:min.insync.replicas={number}}}\n"
        for name, number in (("a", 2), ("b", 1))
    )
    found = deployments(tmp_path, topics=line("b", configs="") + line("a", configs=""), configs=configs)
    assert [(one.topics, one.settings["min_isr"]) for one in found] == [(("b",), 1), (("a",), 2)]


def test_several_resources_of_strimzi_are_several_topics(tmp_path: Path) -> None:
    topic = (
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: {0}\n"
        "  labels: {{strimzi.io/cluster: c}}\nspec:\n  replicas: 3\n"
        "  config:\n    min.insync.replicas: {1}\n"
    )
    found = deployments(
        tmp_path, topics="---\n".join([topic.format("a", 2), topic.format("b", 1), topic.format("c", 2)])
    )
    assert names(found) == [("a", "c"), ("b",)]


def test_a_file_that_does_not_name_its_topic_is_refused_beside_several(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="this file does not say to which of the 2 topics it belongs"):
        deployments(tmp_path, topic=FULL, topics=line("a") + line("b"))


def test_a_file_that_does_not_name_its_topic_is_of_the_only_one(tmp_path: Path) -> None:
    (found,) = deployments(tmp_path, topic="flush.messages=1\n", topics=line("a"))
    assert (found.topics, found.settings["flush"]) == (("a",), True)


def test_topics_that_cannot_be_audited_stand_beside_the_others(tmp_path: Path) -> None:
    refused = list[RefusedTopics]()
    topics = line("a") + line("one", replicas=1) + line("b")
    found = deployments(tmp_path, refused, "3.6", topics=topics)
    assert names(found) == [("a", "b")]
    (wrong,) = refused
    assert wrong.topics == ("one",)
    assert "2 replicas must be in sync, and the topic has 1" in wrong.problems[0].what
    with pytest.raises(ConfigurationError, match="2 replicas must be in sync"):
        deployments(tmp_path, version="3.6", topics=topics)


def test_from_3_7_on_no_more_replicas_are_asked_for_than_there_are(tmp_path: Path) -> None:
    found = deployments(tmp_path, version="3.7", topics=line("a") + line("one", replicas=1))
    assert [(one.replication_factor, one.settings["min_isr"]) for one in found] == [(3, 2), (1, 1)]
    assert any(
        warning.what == "min.insync.replicas=2 counts as 1, the number of replicas." for warning in found[1].warnings
    )


def test_if_no_topic_can_be_audited_nothing_is(tmp_path: Path) -> None:
    refused = list[RefusedTopics]()
    with pytest.raises(ConfigurationError):
        deployments(
            tmp_path,
            refused,
            "3.6",
            topics=line("a", replicas=1) + line("b", replicas=1, configs="min.insync.replicas=3"),
        )


def test_what_is_wrong_with_the_producer_is_wrong_with_every_topic(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        deployments(tmp_path, [], producer="key.serializer=a\nacks=7\n", topics=line("a") + line("b", replicas=2))
    assert len([problem for problem in caught.value.problems if problem.key == "acks"]) == 1


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("no configuration", encoding="utf-8")
    (tmp_path / "topics.txt").write_text(line("a"), encoding="utf-8")
    (found,) = read_deployments([str(tmp_path)], kafka_version="4.1")
    assert found.topics == ("a",)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="this folder is empty"):
        read_deployments([str(tmp_path / "empty")])


SHAPES = st.tuples(
    st.integers(min_value=1, max_value=5), st.sampled_from(["", "1", "2", "3"]), st.booleans(), st.integers(0, 9)
)


@settings(max_examples=settings.default.max_examples // 2)
@given(shapes=st.lists(SHAPES, min_size=2, max_size=8))
def test_every_topic_is_in_one_class_and_has_the_settings_that_it_has_alone(
    shapes: list[tuple[int, str, bool, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("topics")
    texts = {}
    for number, (replicas, min_isr, unclean, retention) in enumerate(shapes):
        configs = [f"retention.ms={retention}", f"unclean.leader.election.enable={str(unclean).lower()}"]
        configs += [f"min.insync.replicas={min_isr}"] if min_isr else []
        texts[f"t{number}"] = line(f"t{number}", replicas, ",".join(configs))
    alone: dict[str, object] = {}
    for name, text in texts.items():
        try:
            alone[name] = deployments(folder, None, "3.6", producer=PRODUCER, topics=text)[0].behaviour
        except ConfigurationError:
            alone[name] = None
    refused = list[RefusedTopics]()
    try:
        found = deployments(folder, refused, "3.6", producer=PRODUCER, topics="".join(texts.values()))
    except ConfigurationError:
        assert set(alone.values()) == {None}
        return
    together: dict[str, object] = {name: one.behaviour for one in found for name in one.topics}
    assert {**together, **{name: None for one in refused for name in one.topics}} == alone
    assert sum(len(one.topics) for one in (*found, *refused)) == len(texts)
