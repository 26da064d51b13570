"""What an audit tells to change: in which file, by which way to another release, what first, and at which price."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neverlost.reports.audit.wording import change_words, first_words, fix_words, settings_line
from neverlost.spec.configuration import Deployment, read_deployment
from neverlost.spec.exposure import VERSION, ConfigurationChange
from neverlost.spec.faults import Faults
from neverlost.studies.audit.fixes import Fix, with_same_changes

TOPIC = "replication.factor=3\nmin.insync.replicas=1\n"
STRIMZI = """apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata:
  name: payments
  annotations:
    strimzi.io/kraft: enabled
spec:
  kafka:
    version: 3.9.0
    config:
      default.replication.factor: 3
"""
UPGRADE = ConfigurationChange(key=VERSION, value="4.1.0", cost=16)
MIN_ISR = ConfigurationChange(key="min.insync.replicas", value="2", cost=4)
FLUSH = ConfigurationChange(key="flush.messages", value="1", cost=12)


def read(folder: Path, version: str | None, **texts: str) -> Deployment:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    paths = [str(folder / name.replace("_", ".")) for name in texts]
    return read_deployment(paths, kafka_version=version)


def test_with_zookeeper_an_upgrade_to_4_is_a_migration(tmp_path: Path) -> None:
    """4.0 has no ZooKeeper (KIP-896, KAFKA-17611): clusters migrate to KRaft in 3.9."""
    old = read(tmp_path, "2.8.2", topic_properties=TOPIC, server_properties="zookeeper.connect=a:2181\nbroker.id=1\n")
    words = change_words(old, UPGRADE)
    assert words.startswith(
        "upgrade Kafka from 2.8.2 to 3.9, migrate from ZooKeeper to KRaft, then upgrade Kafka to 4.1.0"
    )
    assert change_words(old, ConfigurationChange(key=VERSION, value="3.9.0", cost=16)).startswith(
        "upgrade Kafka from 2.8.2 to 3.9.0, brokers and clients"
    )


def test_a_release_is_named_whole_where_its_version_has_others(tmp_path: Path) -> None:
    """2.8.0 loses in an orderly restart, and 2.8.1 does not."""
    keys = {"topic_properties": TOPIC, "server_properties": "zookeeper.connect=a:2181\nbroker.id=1\n"}
    assert settings_line(read(tmp_path, "2.8.0", **keys)).startswith("Kafka 2.8.0, 3 replicas")
    assert settings_line(read(tmp_path, "4.1", topic_properties=TOPIC)).startswith("Kafka 4.1, 3 replicas")


def test_with_strimzi_an_upgrade_is_a_line_of_its_resource(tmp_path: Path) -> None:
    words = change_words(read(tmp_path, None, kafka_yaml=STRIMZI, topic_properties=TOPIC), UPGRADE)
    assert f"in {tmp_path / 'kafka.yaml'} line 9 spec.kafka.version, later spec.kafka.metadataVersion" in words
    assert words.endswith(
        "eligible.leader.replicas.version=1 in the pod of a broker, which turns eligible leader replicas on"
    )


def test_a_key_is_added_in_the_only_file_of_its_role(tmp_path: Path) -> None:
    words = change_words(read(tmp_path, "3.9", topic_properties=TOPIC), FLUSH)
    assert words.startswith(f"add flush.messages=1 to the topic's configuration in {tmp_path / 'topic.properties'}")


def test_what_helps_for_good_comes_first_and_everything_says_its_price(tmp_path: Path) -> None:
    before = read(tmp_path, "3.9", topic_properties=TOPIC)
    until = Fix(changes=(FLUSH,), deployment=before, faults=(), states=1)
    fix = Fix(changes=(UPGRADE, MIN_ISR), deployment=before, faults=(), states=1, until=until)
    words = first_words(before, fix)
    first, upgraded, flushed = (
        words.index(part) for part in ("min.insync.replicas=2", "pgrade Kafka", "flush.messages=1")
    )
    assert first < upgraded < flushed
    assert "Until then: add flush.messages=1" in words
    assert words.endswith("It costs: each write waits for the disk of every replica in sync.")


def test_what_helps_until_an_upgrade_is_verified_for_each_finding(tmp_path: Path) -> None:
    """Each finding has an interim fix of its own, with the same changes; the upgrade is verified once for all."""
    before = read(tmp_path, "3.9", topic_properties=TOPIC)
    crash, pause = Faults.of({"crashes": 1}), Faults.of({"pauses": 1})

    def fix(own: Faults) -> Fix:
        until = Fix(changes=(FLUSH,), deployment=before, faults=(own,), states=1)
        return Fix(changes=(UPGRADE,), deployment=before, faults=(crash, pause), states=1, until=until)

    found: list[Any] = [("crash", fix(crash)), ("pause", fix(pause))]
    ((findings, fixes),) = with_same_changes(found)
    words = fix_words(before, fixes)
    assert findings == ["crash", "pause"]
    assert words.count("it then never happens with 1 crash or 1 pause, in") == 2
