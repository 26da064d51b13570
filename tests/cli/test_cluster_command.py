"""`neverlost cluster` without a cluster: what it refuses, and how it talks to the process that holds one."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from fake_programs import program

from neverlost.cli.commands.cluster import UpStatus, outcome_of
from neverlost.conformance.cluster import cluster as clusters
from neverlost.conformance.cluster.releases import ClusterError
from neverlost.conformance.cluster.serving import ABOUT, RunningCluster, Served, folders_in_use

STATUS = {
    "schema": 1,
    "release": "4.1.1",
    "mode": "KRaft",
    "topic": "events",
    "folder": "/tmp/cluster",
    "clients": {"1": 9001, "2": 9002},
    "leader": 2,
    "leader_epoch": 1,
    "isr": [2],
    "eligible": [3],
    "brokers": [
        {
            "broker": 1,
            "process": "dead",
            "session": "ended",
            "log_end": 3,
            "high_watermark": 1,
            "leads": None,
            "leader_epoch": None,
        },
        {
            "broker": 2,
            "process": "runs",
            "session": "live",
            "log_end": 1,
            "high_watermark": 1,
            "leads": True,
            "leader_epoch": 1,
        },
    ],
    "held": [{"kind": "fetch", "gate": "r3->r2", "waiting": 1}],
}
JAVA_THAT_WAITS = """[ "$1" = -version ] && { echo 'openjdk version "17.0.15"' >&2; exit 0; }\nexec sleep 600"""
SHOWN = """\
Kafka 4.1.1 with KRaft, topic events
  broker  process  session  log end  high watermark  takes itself for  epoch
  r1      dead     ended          3               1
  r2      runs     live           1               1  leader                1
The controller knows: r2 leads, epoch 1, ISR r2, ELR r3
Held
  fetch r3->r2, 1 waiting
"""


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@contextmanager
def serving(folder: Path, answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Iterator[None]:
    """A process that holds a cluster, as far as commands see; it answers one request."""
    about = RunningCluster(
        version="4.1.1",
        mode="KRaft",
        topic="events",
        replicas=(1, 2),
        controlling=100,
        client_ports={"1": 1, "2": 2, "100": 3},
        folder=str(folder),
    )
    with Served(about) as served:
        thread = threading.Thread(target=served.answer_next, args=(answer, 10))
        thread.start()
        yield
        thread.join()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["up", "4.1.11"], "no release of Kafka that can be run is named '4.1.11'. Did you mean '4.1.1'?"),
        (["up", "4.1.1", "--mode", "zookeeper"], "Kafka 4.1.1 runs with KRaft here, not with zookeeper"),
        (["up", "4.1.1", "--replicas", "1,4"], "--replicas '1,4' are not different brokers of 1 to 3"),
        (["up", "4.1.1", "--replicas", "1,1"], "--replicas '1,1' are not different brokers of 1 to 3"),
        (["up", "4.1.1", "--topic", "a b"], "--topic 'a b' is no name of a topic"),
        (["up", "4.1.1", "--brokers", "1", "--min-isr", "2"], "--min-isr 2 is more than the topic's 1 replicas"),
        (["up", "4.1.1", "--brokers", "10"], "10 is not in the range 1<=x<=9"),
        (["kill", "leader"], "'leader' is no broker; write 1, or r1"),
        (["up", "4.1.1", "--controllers", "6"], "6 is not in the range 1<=x<=5"),
        (["up", "2.7.2", "--controllers", "3"], "Kafka 2.7.2 with ZooKeeper has no quorum of controllers"),
        (["produce", "a", "--acks", "al"], "no way to acknowledge is named 'al'. Did you mean 'all'?"),
        (["produce", "a", "--wait", "soon"], "'soon' is not a time above 0"),
        (["statsu"], "No such command 'statsu'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_input_is_refused(arguments: list[str], complaint: str, run: Run) -> None:
    code, out, err = run("cluster", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.parametrize("arguments", [["status"], ["kill", "1"], ["hold", "r2->r1"], ["produce", "a"], ["down"]])
def test_without_a_cluster_every_command_says_how_to_start_one(arguments: list[str], run: Run) -> None:
    assert run("cluster", *arguments) == (
        2,
        "",
        "error: no cluster runs; neverlost cluster up starts one, and --folder names one\n",
    )


def test_a_cluster_whose_process_was_killed_does_not_run(tmp_path: Path, run: Run) -> None:
    with serving(tmp_path, lambda request: {}):
        about = (tmp_path / ABOUT).read_text()
        run("cluster", "down")
    (tmp_path / ABOUT).write_text(about)
    for folder in (tmp_path, tmp_path / "missing"):
        complaint = f"error: no cluster runs in {folder}; neverlost cluster up starts one\n"
        assert run("cluster", "status", "--folder", str(folder)) == (2, "", complaint)


def test_of_several_clusters_a_folder_has_to_say_which(tmp_path: Path, run: Run) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    with (
        serving(folders[0], lambda request: {"said": f"first: {request}"}),
        serving(folders[1], lambda request: {"said": f"second: {request}"}),
    ):
        guessed = run("cluster", "kill", "r1")
        named = [run("cluster", "kill", "r1", "--folder", str(folder))[1] for folder in folders]
    assert guessed == (2, "", f"error: 2 clusters run; --folder says which: {folders[0]}, {folders[1]}\n")
    assert named == ["first: {'do': 'kill', 'broker': 1}\n", "second: {'do': 'kill', 'broker': 1}\n"]
    assert folders_in_use() == []


def test_what_a_killed_process_left_is_no_cluster_that_runs(tmp_path: Path, run: Run) -> None:
    with serving(tmp_path, lambda request: {"said": "here"}):
        (left,) = (tmp_path / "cache").rglob("clusters/*")
        (left.parent / "killed.cluster").write_text("/tmp/killed", encoding="utf-8")
        assert run("cluster", "kill", "r1")[1] == "here\n"
        assert [path.name for path in left.parent.iterdir()] == [left.name]


def test_what_the_cluster_refuses_is_wrong_input(tmp_path: Path, run: Run) -> None:
    def refuse(request: Mapping[str, Any]) -> dict[str, Any]:
        raise ClusterError("r1 has ended already")

    with serving(tmp_path, refuse):
        assert run("cluster", "kill", "1") == (2, "", "error: r1 has ended already\n")


def test_the_status_is_a_table_and_json(tmp_path: Path, run: Run) -> None:
    with serving(tmp_path, lambda request: STATUS):
        assert run("cluster", "status") == (0, SHOWN, "")
    with serving(tmp_path, lambda request: STATUS):
        code, out, err = run("cluster", "status", "--json", "-")
    assert (code, json.loads(out), err) == (0, STATUS, SHOWN)


def test_the_status_has_the_controllers_that_are_nodes_of_their_own(tmp_path: Path, run: Run) -> None:
    leader = {"controller": 1, "process": "runs", "leads": True, "epoch": 5, "log_end": 26}
    dead = {"controller": 2, "process": "dead", "leads": False, "epoch": 3, "log_end": 19}
    with serving(tmp_path, lambda request: STATUS | {"controllers": [leader, dead]}):
        out = run("cluster", "status")[1]
    assert [line.split() for line in out.splitlines() if line.startswith("  c")] == [
        ["controller", "process", "takes", "itself", "for", "epoch", "log", "end"],
        ["c1", "runs", "leader", "5", "26"],
        ["c2", "dead", "3", "19"],
    ]


@pytest.mark.parametrize(("command", "node"), [("kill", "c2"), ("restart", "c2")])
def test_a_controller_is_named_beside_the_brokers(command: str, node: str, tmp_path: Path, run: Run) -> None:
    asked: list[Mapping[str, Any]] = []

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"said": "done"}

    with serving(tmp_path, answer):
        assert run("cluster", command, node) == (0, "done\n", "")
    assert asked == [{"do": command, "broker": 102}]


def test_a_line_that_is_no_request_harms_nobody(tmp_path: Path, run: Run) -> None:
    with serving(tmp_path, lambda request: {}), socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(tmp_path / "commands"))
        stranger.sendall(b"no JSON\n")
        assert stranger.recv(10) == b""


def test_a_folder_that_is_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    with (
        pytest.raises(ClusterError, match="too long for the path of a Unix socket; name a shorter folder"),
        serving(long, lambda request: {}),
    ):
        pass


@pytest.mark.parametrize("folder", ["named", None])
def test_a_start_that_is_interrupted_says_what_became_of_the_data(
    folder: str | None, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "java" / "bin" / "java", JAVA_THAT_WAITS)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setattr(clusters, "class_path", lambda release, progress: "some.jar")
    interrupt = partial(os.kill, os.getpid(), signal.SIGINT)
    monkeypatch.setattr(UpStatus, "say", lambda self, text: interrupt() if text.endswith("zookeeper starts") else None)
    named = ["--folder", str(tmp_path / folder)] if folder else []
    code, out, err = run("cluster", "up", "0.10.2.2", *named)
    where = f"in {tmp_path / folder}" if folder else "removed, unless up is given --keep"
    assert (code, out, err) == (130, f"The cluster has ended; its data and logs are {where}\n", "")


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (None, "sent, without an answer", 0),
        (0, "acknowledged", 0),
        (6, "REFUSED, error 6, NotLeaderForPartition", 1),
        (7, "UNKNOWN, error 7, RequestTimedOut: the record may be in the log", 3),
        (19, "REFUSED, error 19, NotEnoughReplicas", 1),
        (20, "UNKNOWN, error 20, NotEnoughReplicasAfterAppend: the record may be in the log", 3),
    ],
)
def test_an_error_code_says_what_is_known_of_the_record(error: int | None, said: str, code: int) -> None:
    assert outcome_of(error) == (said, code)
