"""Of several values of one key that is in force which Kafka takes: what was set at run time goes before a broker's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment

SERVER = (
    "process.roles=broker\ndefault.replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
)
TOPIC = "Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
ALL_BROKERS = "Default configs for brokers in the cluster are:\n  {0} sensitive=false synonyms={{DYNAMIC_DEFAULT_BROKER_CONFIG:{0}}}\n"
OLD_ALL_BROKERS = "Default config for brokers in the cluster are:\n  {0} sensitive=false synonyms={{}}\n"
ONE_BROKER = "Dynamic configs for broker {1} are:\n  {0} sensitive=false synonyms={{DYNAMIC_BROKER_CONFIG:{0}}}\n"
OLD_ONE_BROKER = "Configs for broker {1} are:\n  {0} sensitive=false synonyms={{}}\n"
ELR_ON = "Feature: eligible.leader.replicas.version\tFinalizedVersionLevel: 1\tEpoch: 9\n"


def made(folder: Path, *texts: str, version: str = "4.0.1") -> Deployment:
    """The deployment of a broker's file, a topic that sets nothing, and these texts of tools."""
    (folder / "server.properties").write_text(SERVER, encoding="utf-8")
    paths = [str(folder / "server.properties")]
    for number, text in enumerate((TOPIC, *texts)):
        (folder / f"tool{number}.txt").write_text(text, encoding="utf-8")
        paths.append(str(folder / f"tool{number}.txt"))
    return read_deployment(paths, kafka_version=version)


@pytest.mark.parametrize("tool", [ALL_BROKERS, OLD_ALL_BROKERS])
@pytest.mark.parametrize("version", ["3.9.1", "4.1.0"])
def test_what_was_set_at_run_time_for_all_brokers_goes_before_their_file(
    tool: str, version: str, tmp_path: Path
) -> None:
    found = made(tmp_path, tool.format("min.insync.replicas=1"), version=version)
    assert (found.settings["min_isr"], found.sources["min.insync.replicas"].layer) == (1, "cluster")
    assert "'2' has no effect: '1' was set at run time." in [warning.what for warning in found.warnings]


def test_unclean_elections_that_were_turned_on_at_run_time_are_on(tmp_path: Path) -> None:
    found = made(tmp_path, ALL_BROKERS.format("unclean.leader.election.enable=true"))
    assert found.settings["unclean"] is True


def test_the_order_of_the_files_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(ALL_BROKERS.format("min.insync.replicas=1"), encoding="utf-8")
    (tmp_path / "server.properties").write_text(SERVER, encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("a", "server.properties")]
    for order in (paths, paths[::-1]):
        assert read_deployment(order, kafka_version="3.9.1").settings["min_isr"] == 1


@pytest.mark.parametrize("tool", [ONE_BROKER, OLD_ONE_BROKER])
def test_what_was_set_for_one_broker_goes_before_what_was_set_for_all_and_is_in_doubt(
    tool: str, tmp_path: Path
) -> None:
    found = made(tmp_path, tool.format("min.insync.replicas=1", 1), ALL_BROKERS.format("min.insync.replicas=2"))
    assert (found.settings["min_isr"], found.sources["min.insync.replicas"].layer) == (1, "one broker")
    assert "this was set for one broker at run time." in [doubt.what for doubt in found.doubts]


def test_what_was_set_for_every_broker_apart_is_in_doubt_only_if_something_else_is_there_for_others(
    tmp_path: Path,
) -> None:
    given = "".join(ONE_BROKER.format("unclean.leader.election.enable=false", broker) for broker in (1, 2, 3))
    found = made(tmp_path, given)
    assert not [doubt for doubt in found.doubts if "at run time" in doubt.what]
    found = made(tmp_path, given, ALL_BROKERS.format("unclean.leader.election.enable=true"))
    (doubt,) = (doubt for doubt in found.doubts if "at run time" in doubt.what)
    assert (doubt.what, "such as 'true'" in doubt.why) == ("this was set for 3 brokers at run time.", True)


def test_the_topic_goes_before_all_brokers(tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text("replication.factor=3\nmin.insync.replicas=2\n", encoding="utf-8")
    (tmp_path / "brokers").write_text(ALL_BROKERS.format("min.insync.replicas=1"), encoding="utf-8")
    found = read_deployment([str(tmp_path / "topic.properties"), str(tmp_path / "brokers")], kafka_version="3.9.1")
    assert (found.settings["min_isr"], found.sources["min.insync.replicas"].layer) == (2, "topic")


def test_with_eligible_leader_replicas_on_no_value_of_one_broker_is_used(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        ONE_BROKER.format("min.insync.replicas=3", 1),
        ALL_BROKERS.format("min.insync.replicas=1"),
        ELR_ON,
        version="4.1.0",
    )
    assert (found.settings["min_isr"], found.sources["min.insync.replicas"].layer) == (1, "cluster")
    assert "with eligible leader replicas on this is not used." in [doubt.what for doubt in found.doubts]


IN_FORCE = "All configs for broker {2} are:\n  {0} sensitive=false synonyms={{{1}:{0}}}\n"
CONTRADICTIONS = {
    "two brokers, of which one was changed at run time": (
        IN_FORCE.format("min.insync.replicas=2", "DYNAMIC_BROKER_CONFIG", 1),
        IN_FORCE.format("min.insync.replicas=1", "STATIC_BROKER_CONFIG", 2),
    ),
    "two brokers, of which one has the default": (
        IN_FORCE.format("min.insync.replicas=2", "STATIC_BROKER_CONFIG", 1),
        IN_FORCE.format("min.insync.replicas=1", "DEFAULT_CONFIG", 2),
    ),
    "two brokers with other files": (
        IN_FORCE.format("min.insync.replicas=2", "STATIC_BROKER_CONFIG", 1),
        IN_FORCE.format("min.insync.replicas=1", "STATIC_BROKER_CONFIG", 2),
    ),
    "a broker that runs with the default though its file is there": (
        IN_FORCE.format("unclean.leader.election.enable=true", "DEFAULT_CONFIG", 1),
    ),
    "a topic that was described before the value for all brokers was set": (
        IN_FORCE.replace("broker {2}", "topic orders").format("min.insync.replicas=2", "STATIC_BROKER_CONFIG"),
        ALL_BROKERS.format("min.insync.replicas=1"),
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_cannot_be_in_force_together_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        made(tmp_path, *CONTRADICTIONS[name])
    assert {problem.key for problem in caught.value.problems} <= {
        "min.insync.replicas",
        "unclean.leader.election.enable",
    }


EVERY = "All configs for broker {0} are:\n  min.insync.replicas=2 sensitive=false synonyms={{}}\n"
"""What the tool prints of a broker."""
DEFAULTS = "Default configs for brokers in the cluster are:\n"
"""What the tool prints last, if no broker is named: then it has described all."""


def in_sight(folder: Path, brokers: int, rest: str, *, topic: bool) -> Deployment:
    (folder / "brokers").write_text("".join(EVERY.format(n) for n in range(1, brokers + 1)) + rest, encoding="utf-8")
    (folder / "topics").write_text(TOPIC, encoding="utf-8")
    (folder / "server.properties").write_text("default.replication.factor=3\n", encoding="utf-8")
    names = ("brokers", "topics") if topic else ("brokers", "server.properties")
    return read_deployment([str(folder / name) for name in names], kafka_version="3.9.1")


@pytest.mark.parametrize(
    ("brokers", "rest", "said"),
    [
        (1, DEFAULTS, "3 replicas, and the cluster has 1 broker."),
        (2, DEFAULTS, "3 replicas, and the cluster has 2 brokers."),
        (2, "", "3 replicas, and only 2 brokers are described."),
        (3, DEFAULTS, None),
        (4, "", None),
        (1, "", None),
    ],
)
def test_more_replicas_than_brokers_are_a_doubt_about_a_topic_and_no_default_for_one(
    brokers: int, rest: str, said: str | None, tmp_path: Path
) -> None:
    found = in_sight(tmp_path, brokers, rest, topic=True)
    assert [doubt.what for doubt in found.doubts if "replicas, and " in doubt.what] == ([said] if said else [])
    if said is None or not rest:
        found = in_sight(tmp_path, brokers, rest, topic=False)
        assert found.replication_factor == 3
        assert [doubt.what for doubt in found.doubts if "replicas, and " in doubt.what] == ([said] if said else [])
    else:
        with pytest.raises(ConfigurationError, match="No topic is created with more replicas than there are brokers"):
            in_sight(tmp_path, brokers, rest, topic=False)
