"""What a file says and does not decide: features, which no file sets, and unclean elections, about which controllers decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment
from neverlost.spec.configuration.catalogue import FEATURES

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"
BROKER = "process.roles=broker\nlog.dirs=/data\n"
CONTROLLER = "process.roles=broker,controller\nlog.dirs=/data\ncontroller.quorum.voters=1@a:1,2@b:1,3@c:1\n"
UNCLEAN = "unclean.leader.election.enable=false\n"
STRIMZI = """apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: c}
spec: {kafka: {version: 4.1.0, metadataVersion: 4.1-IV1, config: {min.insync.replicas: 2, unclean.leader.election.enable: false}}}
"""


def made(
    folder: Path, broker: str, topic: str = TOPIC, version: str | None = "4.1.1", name: str = "server.properties"
) -> Deployment:
    (folder / "topic.properties").write_text(topic, encoding="utf-8")
    (folder / name).write_text(broker, encoding="utf-8")
    paths = [str(folder / "topic.properties"), str(folder / name)]
    return read_deployment(paths, kafka_version=version)


def doubted(found: Deployment, key: str) -> bool:
    return any(doubt.key == key for doubt in found.doubts)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_no_key_of_a_file(tmp_path: Path, feature: str) -> None:
    with pytest.raises(ConfigurationError, match="a feature of the cluster"):
        made(tmp_path, f"{BROKER}{feature}=1\n")


def test_a_metadata_version_in_a_file_is_a_doubt(tmp_path: Path) -> None:
    assert doubted(made(tmp_path, f"{BROKER}metadata.version=4.1-IV1\n"), "metadata.version")


def test_what_strimzi_applies_is_none(tmp_path: Path) -> None:
    found = made(tmp_path, STRIMZI, version=None, name="kafka.yaml")
    assert not doubted(found, "metadata.version")
    assert not doubted(found, "unclean.leader.election.enable")


@pytest.mark.parametrize(
    ("version", "broker", "topic", "doubt"),
    [
        ("4.1.1", f"{BROKER}{UNCLEAN}", TOPIC, True),
        ("3.9.1", f"{BROKER}{UNCLEAN}", TOPIC, True),
        ("3.8.1", f"{BROKER}{UNCLEAN}", TOPIC, False),  # no controller of these takes it from any file
        ("3.8.1", f"zookeeper.connect=a:1\nlog.dirs=/data\n{UNCLEAN}", TOPIC, False),
        ("4.1.1", BROKER, TOPIC, False),
        ("4.1.1", f"{CONTROLLER}{UNCLEAN}", TOPIC, False),
        ("4.1.1", f"{BROKER}{UNCLEAN}", f"{TOPIC}{UNCLEAN}", False),
    ],
)
def test_controllers_decide_about_unclean_elections(
    tmp_path: Path, version: str, broker: str, topic: str, doubt: bool
) -> None:
    assert doubted(made(tmp_path, broker, topic, version), "unclean.leader.election.enable") == doubt
