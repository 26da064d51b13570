"""A harness that is killed leaves no process and no port, and its folder is removed by the next start."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import pytest
from fake_programs import program

from neverlost.conformance.cluster.class_path import cache_folder
from neverlost.conformance.cluster.folders import remove_left_behind
from neverlost.conformance.cluster.releases import RunnableRelease

pytestmark = [
    pytest.mark.xdist_group("brokers"),
    pytest.mark.skipif(
        sys.platform != "linux", reason="only Linux ends processes together with the one that started them"
    ),
]
HARNESS = Path(__file__).parents[2] / "support" / "cluster_harness.py"
SECONDS = 60
MOMENTS = {
    "0.10.2.2": (
        "zookeeper starts",
        "node100 starts",
        "node1 starts",
        "node3 starts",
        "runs, with 3 brokers",
        "a topic is there",
        "a gate is shut",
        "broker 1 is dead",
        "broker 1 comes back",
        "broker 3 ends",
    ),
    "4.1.1": ("format starts", "node100 starts", "node2 starts", "runs, with 3 brokers", "broker 1 comes back"),
}


def killed_at(moment: str, release: tuple[str, ...], environment: dict[str, str]) -> list[str]:
    """Run the harness, kill it as soon as it says this, and return all that it has said."""
    said: list[str] = []
    with subprocess.Popen(
        [sys.executable, str(HARNESS), *release],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as harness:
        assert harness.stdout is not None
        for line in harness.stdout:
            said.append(line.rstrip())
            if said[-1].endswith(moment):
                harness.send_signal(signal.SIGKILL)
                break
        harness.wait()
    assert said[-1].endswith(moment), "\n".join(said)
    return said


def processes_of(folder: Path) -> list[int]:
    """The processes that were started with a path in this folder, or work in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            where = os.readlink(process / "cwd")
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in command or where.startswith(str(folder)):
            found.append(int(process.name))
    return found


def eventually_empty(left: Callable[[], Collection[int]]) -> None:
    end = time.monotonic() + SECONDS
    while found := left():
        assert time.monotonic() < end, found
        time.sleep(0.05)


def taken(ports: Iterable[int]) -> list[int]:
    """Which of the ports somebody listens on. A process that ends closes its ports a little after its command line is gone."""
    found = []
    for port in ports:
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            found.append(port)
    return found


def ports_of(folder: Path) -> set[int]:
    """The ports that the properties in a folder name."""
    found = [re.findall(r"127\.0\.0\.1:(\d+)", file.read_text()) for file in folder.rglob("node*.properties")]
    return {int(port) for ports in found for port in ports}


def nothing_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    eventually_empty(lambda: processes_of(folder))
    eventually_empty(lambda: taken(ports_of(folder)))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    (left,) = folder.iterdir()
    said: list[str] = []
    remove_left_behind(said.append)
    assert said == [f"removed {left}, which a run that was killed left behind"]
    assert list(folder.iterdir()) == []


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder


@pytest.mark.brokers
@pytest.mark.parametrize(("version", "moment"), [(v, moment) for v, moments in MOMENTS.items() for moment in moments])
def test_nothing_is_left_of_a_harness_that_is_killed(
    version: str,
    moment: str,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    runnable: Callable[..., RunnableRelease],
) -> None:
    runnable(version)
    killed_at(moment, (version,), {"TMPDIR": str(temporary)})
    nothing_is_left(temporary, monkeypatch)


@pytest.mark.brokers
def test_nothing_is_left_of_a_harness_that_is_killed_while_class_data_is_kept(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, runnable: Callable[..., RunnableRelease]
) -> None:
    runnable("0.10.2.2")
    cache = tmp_path / "cache" / "neverlost" / "brokers"
    cache.mkdir(parents=True)
    for file in cache_folder().glob("0.10.2.2-*.classpath"):
        shutil.copy(file, cache)
    moment = "class data is kept, so that the next start is shorter"
    killed_at(moment, ("0.10.2.2",), {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    nothing_is_left(temporary, monkeypatch)
    assert not list(cache.glob("*.jsa"))


def test_nothing_is_left_of_a_harness_that_is_killed_while_maven_downloads(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "java" / "bin" / "java", """echo 'openjdk version "17.0.15"' >&2""")
    program(tmp_path / "maven" / "mvn", "echo Downloaded from a mirror: kafka.jar\nexec sleep 600")
    killed_at(
        "Maven downloads Kafka 0.10.2.2, jar 1",
        ("0.10.2.2",),
        {
            "JAVA_HOME": str(tmp_path / "java"),
            "PATH": f"{tmp_path / 'maven'}{os.pathsep}{os.environ['PATH']}",
            "TMPDIR": str(temporary),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
    )
    nothing_is_left(temporary, monkeypatch)
