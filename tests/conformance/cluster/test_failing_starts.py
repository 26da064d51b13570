"""What is said, and what is left, where a cluster does not start. Java is a program here that says something and ends."""

from __future__ import annotations

import fcntl
import socket
import tempfile
from pathlib import Path

import pytest
from fake_programs import fake_java

from neverlost.conformance.cluster import cluster as clusters
from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.folders import IN_USE, PREFIX
from neverlost.conformance.cluster.gates import Gates
from neverlost.conformance.cluster.processes import PortTakenError, free_ports
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease, release_named
from neverlost.explorer.process.watch import Watch

RELEASES = [release_named("0.10.2.2"), release_named("4.1.1")]
ON_ZOOKEEPER, IN_KRAFT = RELEASES


@pytest.fixture(autouse=True)
def places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(clusters, "class_path", lambda release, progress: "some.jar")


def refusal(release: RunnableRelease, folder: Path | None = None) -> tuple[str, list[str]]:
    """Why the cluster does not start, and what was said before."""
    said: list[str] = []
    with pytest.raises(ClusterError) as caught, Cluster(release, folder=folder, watch=Watch(progress=said.append)):
        pass
    return str(caught.value), said


def left(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{PREFIX}*"))


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_last_lines_of_a_node_that_ends_are_shown_and_its_folder_is_kept(
    release: RunnableRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path, monkeypatch, says="FATAL no such luck")
    why, _ = refusal(release)
    assert why.endswith("FATAL no such luck")
    (kept,) = left(tmp_path)
    assert not (kept / IN_USE).exists()
    Cluster(release)
    assert kept.is_dir()


def test_a_port_that_is_taken_is_tried_again_once_with_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, monkeypatch, says="java.net.BindException: Address already in use")
    why, said = refusal(ON_ZOOKEEPER)
    taken = "node zookeeper found its port on 127.0.0.1 taken by another program"
    assert why == taken
    starts = "Kafka 0.10.2.2 with ZooKeeper: zookeeper starts"
    assert said == [starts, f"{taken}; starting again with other ports", starts]


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_a_full_disk_is_named(release: RunnableRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, monkeypatch, says="java.io.IOException: No space left on device")
    why, _ = refusal(release)
    (kept,) = left(tmp_path)
    assert why == f"the disk is full that the brokers write to, in {kept}; make room, or name another folder"


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, monkeypatch, says="")
    why, _ = refusal(ON_ZOOKEEPER, tmp_path)
    assert why == f"{tmp_path} is not empty; name a folder that is empty or not there yet"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, monkeypatch, says="")
    (tmp_path / "file").touch()
    why, _ = refusal(ON_ZOOKEEPER, tmp_path / "file")
    assert why == f"{tmp_path / 'file'} cannot be used: File exists"


def test_the_next_start_removes_what_a_killed_run_left_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path, monkeypatch, says="FATAL")
    folders = {name: tmp_path / f"{PREFIX}{name}" for name in ("killed", "running", "kept")}
    for name, folder in folders.items():
        (folder / "data1").mkdir(parents=True)
        if name != "kept":
            (folder / IN_USE).touch()
    with (folders["running"] / IN_USE).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _, said = refusal(IN_KRAFT)
    assert f"removed {folders['killed']}, which a run that was killed left behind" in said
    assert {name for name, folder in folders.items() if folder.exists()} == {"running", "kept"}


def test_an_interrupted_start_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, monkeypatch, says="")
    with pytest.raises(KeyboardInterrupt), Cluster(ON_ZOOKEEPER, watch=Watch(interrupted=lambda: True)):
        pass
    assert left(tmp_path) == []


def test_closed_gates_free_their_ports_at_once() -> None:
    gates = Gates()
    ports = free_ports(3)
    for port in ports:
        gates.listen(1, port, 1)
    gates.close()
    for port in ports:
        socket.create_server(("127.0.0.1", port)).close()


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(
            PortTakenError, match=f"port {port} of 127.0.0.1 cannot be listened on: Address already in use"
        ):
            Gates().listen(1, port, 1)
