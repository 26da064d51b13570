"""Several log directories of a broker: which has a partition, and what is left when one is lost. No broker runs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.control import CONTROLLING
from neverlost.conformance.cluster.kraft import KRaftControl


def cluster(folder: Path, directories: int) -> Any:
    """One that has folders, and nothing that runs."""
    found = Cluster.__new__(Cluster)
    found.folder, found.directories, found.lost, found.brokers = folder, directories, set(), (1, 2)
    found._write_properties = lambda node: (folder / f"node{node}").write_text(  # type: ignore[method-assign]
        ",".join(path.name for path in found.log_directories(node)), encoding="utf-8"
    )
    for node in found.brokers:
        for directory in found.log_directories(node):
            directory.mkdir()
    return found


def names(found: Any, node: int) -> list[str]:
    return [path.name for path in found.log_directories(node)]


def test_every_broker_has_as_many_log_directories_as_are_asked_for_and_node_100_has_one(tmp_path: Path) -> None:
    found = cluster(tmp_path, 2)
    assert names(found, 1) == ["data1", "data1-2"]
    assert names(found, CONTROLLING) == ["data100"]


def test_the_disk_of_a_partition_is_the_directory_that_has_it(tmp_path: Path) -> None:
    found = cluster(tmp_path, 2)
    (tmp_path / "data1-2" / "orders-3").mkdir()
    assert found.disk(1, "orders", 3).folder.name == "data1-2"
    assert found.disk(1, "orders", 0).folder.name == "data1"
    assert found.disk(1).folder.name == "data1"


def test_a_lost_directory_is_no_longer_configured_and_the_last_one_is_there_and_empty(tmp_path: Path) -> None:
    found = cluster(tmp_path, 2)
    (tmp_path / "data1-2" / "orders-0").mkdir()
    found.lose_directory(tmp_path / "data1")
    assert (tmp_path / "node1").read_text(encoding="utf-8") == "data1-2"
    assert not (tmp_path / "data1").exists()
    found.lose_directory(tmp_path / "data1-2")
    assert names(found, 1) == ["data1-2"]
    assert list((tmp_path / "data1-2").iterdir()) == []
    assert names(found, 2) == ["data2", "data2-2"]


def test_a_new_directory_says_its_cluster_and_an_old_one_keeps_what_it_says(tmp_path: Path) -> None:
    found = cluster(tmp_path, 2)
    control: Any = SimpleNamespace(cluster=found, cluster_id="abc")
    (tmp_path / "data1" / "meta.properties").write_text("directory.id=xyz\n", encoding="ascii")
    KRaftControl.format(control, 1)
    assert (tmp_path / "data1" / "meta.properties").read_text(encoding="ascii") == "directory.id=xyz\n"
    said = (tmp_path / "data1-2" / "meta.properties").read_text(encoding="ascii")
    assert said == "version=1\ncluster.id=abc\nnode.id=1\n"
