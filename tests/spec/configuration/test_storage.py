"""Logs that do not outlive a restart of the machine are refused, or in doubt where a disk may be mounted."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment

SERVER = "process.roles=broker\ndefault.replication.factor=3\nmin.insync.replicas=2\n"


def made(folder: Path, name: str, text: str) -> Deployment:
    (folder / name).write_text(text, encoding="utf-8")
    return read_deployment([str(folder / name)], kafka_version="3.9.1")


@pytest.mark.parametrize(
    "line",
    [
        "log.dirs=/tmp/kraft-combined-logs",
        "log.dir=/tmp",
        "log.dirs=/data/1, /var/tmp/kafka",
        "log.dirs=/dev/shm/kafka",
        "log.dirs=/run/kafka",
        "log.dirs=/srv/../tmp//kafka",
        "log.dirs=/data\nmetadata.log.dir=/tmp/metadata",
    ],
)
def test_logs_in_a_folder_that_is_emptied_are_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"log\.dirs?: this lies in /\S+, which is emptied"):
        made(tmp_path, "server.properties", f"{SERVER}{line}\n")


@pytest.mark.parametrize(
    "line", ["log.dirs=/var/lib/kafka", "log.dirs=/tmpfs/kafka", "log.dir=/tmp/a\nlog.dirs=/data", "log.dirs=/data/tmp"]
)
def test_logs_elsewhere_are_not_spoken_of(line: str, tmp_path: Path) -> None:
    found = made(tmp_path, "server.properties", f"{SERVER}{line}\n")
    assert not [warning for warning in found.warnings if warning.key in ("log.dirs", "log.dir")]


@pytest.mark.parametrize("mark", ["process.roles=broker", "zookeeper.connect=z:2181"])
def test_a_broker_that_names_no_folder_is_in_doubt(mark: str, tmp_path: Path) -> None:
    found = made(tmp_path, "server.properties", SERVER.replace("process.roles=broker", mark))
    (doubt,) = (doubt for doubt in found.doubts if doubt.key == "log.dirs")
    assert doubt.what == "it does not set log.dirs, and Kafka's default is /tmp/kafka-logs."


@pytest.mark.parametrize("mark", ["process.roles=broker", "zookeeper.connect=z:2181"])
def test_a_broker_s_whole_file_has_the_defaults_for_what_it_does_not_set(mark: str, tmp_path: Path) -> None:
    found = made(tmp_path, "server.properties", f"{mark}\nlog.dirs=/data\n")
    assert (found.replication_factor, found.settings["min_isr"]) == (1, 1)
    assert any("min.insync.replicas" in value for value in found.deciding_defaults)


def test_a_part_of_a_broker_s_file_that_decides_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="it sets none of the keys that decide for a broker"):
        made(tmp_path, "server.properties", "broker.id=1\nlog.dirs=/data\nprocess.roles=\n")


def test_keys_of_a_broker_that_are_not_a_whole_file_are_not_asked_for_a_folder(tmp_path: Path) -> None:
    found = made(tmp_path, "server.properties", SERVER.replace("process.roles=broker\n", ""))
    assert not [doubt for doubt in found.doubts if doubt.key == "log.dirs"]


BY_TOOL = """All configs for broker 1 are:
  log.dirs=/tmp/a sensitive=false synonyms={}
  min.insync.replicas=1 sensitive=false synonyms={}
"""
BY_VARIABLES = "KAFKA_PROCESS_ROLES=broker\nKAFKA_LOG_DIRS=/tmp/a\nKAFKA_MIN_INSYNC_REPLICAS=1\n"


@pytest.mark.parametrize("text", [BY_TOOL, BY_VARIABLES])
def test_where_a_disk_may_be_mounted_it_is_a_doubt(text: str, tmp_path: Path) -> None:
    found = made(tmp_path, "broker", text)
    (doubt,) = (doubt for doubt in found.doubts if doubt.key in ("log.dirs", "KAFKA_LOG_DIRS"))
    assert doubt.what.startswith("this lies in /tmp")
