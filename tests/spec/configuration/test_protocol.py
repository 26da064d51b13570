"""Brokers that are held to an older protocol: what depends on it is audited by it, and the rest is a doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import Deployment, deployment_after, read_deployment
from neverlost.spec.configuration.protocol import GATES
from neverlost.spec.kafka.releases import KRAFT, ZOOKEEPER
from neverlost.spec.kafka.replication.differences import TIME_LINE

ZK, RAFT = "zookeeper.connect=a:1\ninter.broker.protocol.version=", "process.roles=broker\nmetadata.version="


def read(folder: Path, version: str | None, protocol: str) -> Deployment:
    broker = f"{protocol}\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
    (folder / "server.properties").write_text(broker, encoding="utf-8")
    return read_deployment([str(folder / "server.properties")], kafka_version=version, assume="client=java")


HELD: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("3.5.1", f"{ZK}2.6-IV0", {"truncation": "kip-279"}),
    ("3.5.1", f"{ZK}2.7-IV0", {"truncation": "kip-279"}),
    ("3.5.1", f"{ZK}2.7-IV1", {}),
    ("3.5.1", f"{ZK}2.7", {}),
    ("3.5.1", f"{ZK}2.1-IV1", {"truncation": "kip-279", "fencing": False}),
    ("2.8.1", f"{ZK}1.1", {"truncation": "kip-101", "fencing": False}),
    ("2.8.1", f"{ZK}0.11.0-IV1", {"truncation": "high-watermark", "fencing": False}),
    ("2.6.3", f"{ZK}2.5", {}),
    ("1.1.1", f"{ZK}0.10.2", {"truncation": "high-watermark"}),
    ("4.1.1", f"{RAFT}3.4", {"broker_epochs": False, "epoch_per_shrink": "every"}),
    ("4.1.1", f"{RAFT}3.5-IV2", {"epoch_per_shrink": "every"}),
    ("4.1.1", f"{RAFT}3.9", {}),
    ("3.5.1", f"{RAFT}3.3-IV3", {"broker_epochs": False}),
    ("4.1.1", f"{RAFT}4.1-IV1", {}),
    ("3.9.1", "process.roles=broker\ninter.broker.protocol.version=2.6", {}),
)
GATED = ("truncation", "fencing", "broker_epochs", "epoch_per_shrink")


@pytest.mark.parametrize(("version", "protocol", "held"), HELD)
def test_what_depends_on_the_protocol_is_that_of_the_protocol(
    version: str, protocol: str, held: dict[str, object], tmp_path: Path
) -> None:
    settings = read(tmp_path, version, protocol).settings
    assert {name: settings[name] for name in GATED if name in settings} == held


def test_every_release_that_may_be_meant_is_held_to_the_protocol(tmp_path: Path) -> None:
    found = read(tmp_path, None, f"{ZK}2.6")
    held = {one.release: one.settings.get("truncation") for one in (found, *found.others)}
    assert held["3.9.1"] == held["2.8.1"] == "kip-279"
    assert held["2.6.0"] is None


def test_what_else_may_depend_on_it_is_a_doubt(tmp_path: Path) -> None:
    (doubt,) = (one for one in read(tmp_path, "3.5.1", f"{ZK}2.6").doubts if "protocol" in one.what)
    assert doubt.what == "brokers of Kafka 3.5 are held to the protocol of 2.6."
    assert "truncation=kip-279" in doubt.why


def test_the_newest_release_has_itself_what_came_with_each_protocol() -> None:
    newest = {**TIME_LINE.settings_of("3.9.1", ZOOKEEPER), **TIME_LINE.settings_of("3.9.1", KRAFT)}
    assert all(newest.get(gate.setting, 0) != gate.before for gate in GATES)


def test_an_upgrade_is_finished_with_the_protocol(tmp_path: Path) -> None:
    held = read(tmp_path, "3.5.1", f"{ZK}2.6")
    assert "truncation" not in deployment_after(held, {}, "3.7.0").settings
    assert deployment_after(held, {"min.insync.replicas": "3"}, "3.5.1").settings["truncation"] == "kip-279"
