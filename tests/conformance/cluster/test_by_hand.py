"""A cluster of real brokers in the hands of an operator: `neverlost cluster`, in two terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import Run
from shell_blocks import ROOT, matches

from neverlost.conformance.cluster.folders import IN_USE
from neverlost.conformance.cluster.releases import RunnableRelease

pytestmark = pytest.mark.xdist_group("brokers")
PAGE = ROOT / "docs" / "how-to" / "real-brokers.md"
READY = "  neverlost cluster down      ends it, and so does Ctrl-C here"
MOST_LOOKS = 100
NEVERLOST = [sys.executable, "-m", "neverlost"]


@contextmanager
def up(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The first terminal, and what it shows as soon as the cluster runs."""
    command = [*NEVERLOST, "cluster", "up", "--quiet", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        try:
            assert first.stdout is not None
            shown: list[str] = []
            for line in first.stdout:
                shown.append(line.rstrip("\n"))
                if shown[-1] == READY:
                    break
            yield first, shown
        finally:
            first.send_signal(signal.SIGINT)
            rest, errors = first.communicate()
            shown += rest.splitlines()
            assert (first.returncode, errors) == (0, "")


@pytest.mark.brokers
def test_an_acknowledged_record_is_lost_by_hand(
    tmp_path: Path, run: Run, runnable: Callable[..., RunnableRelease]
) -> None:
    runnable("0.10.2.2")
    folder = tmp_path / "cluster"
    with up("0.10.2.2", "--folder", str(folder), "--brokers", "2") as (_, shown):

        def cluster(*arguments: str) -> tuple[int, str, str]:
            return run("cluster", *arguments, "--folder", str(folder))

        assert cluster("produce", "kept") == (0, "r1: acknowledged\n", "")
        assert cluster("hold", "r2->r1")[0] == 0
        assert cluster("produce", "lost", "--acks", "1") == (0, "r1: acknowledged\n", "")
        assert cluster("kill", "1")[0] == 0
        assert cluster("produce", "refused", "--to", "1") == (1, "r1: REFUSED, it does not run\n", "")
        assert cluster("fence", "1") == (0, "the session of r1 has ended; r2 leads, epoch 1, ISR r2\n", "")
        for _ in range(MOST_LOOKS):  # the controller has decided; the broker hears of it a little later
            code, out, _ = cluster("status", "--json", "-")
            status = json.loads(out)
            ends = [(row["process"], row["log_end"], row["leads"]) for row in status["brokers"]]
            if ends[-1][-1]:
                break
            time.sleep(0.2)
        assert (code, status["leader"], ends) == (0, 2, [("dead", 2, None), ("runs", 1, True)])
        assert cluster("consume") == (0, "r2 has for consumers\n  offset  epoch  value\n       0         kept\n", "")
    assert shown[0] == "Kafka 0.10.2.2 with ZooKeeper runs"
    assert shown[-1] == f"The cluster has ended; its data and logs are in {folder}"
    assert (folder / "node1.log").is_file()
    assert not any((folder / name).exists() for name in (IN_USE, "commands", "cluster.json"))


@pytest.mark.brokers
def test_down_ends_a_cluster_and_removes_its_folder(run: Run, runnable: Callable[..., RunnableRelease]) -> None:
    runnable("1.1.1")
    with up("1.1.1") as (first, shown):
        folder = Path(shown[3].split()[1])
        assert folder.is_dir()
        assert run("cluster", "down", "--folder", str(folder)) == (0, "the cluster ends\n", "")
        first.wait()
    assert shown[-1] == "The cluster has ended; its data and logs are removed, unless up is given --keep"
    assert not folder.exists()


@pytest.mark.brokers
@pytest.mark.parametrize(("version", "mode"), [("4.1.1", "kraft"), ("3.9.1", "zookeeper"), ("0.11.0.3", "zookeeper")])
def test_every_command_does_what_it_says(
    version: str, mode: str, tmp_path: Path, run: Run, runnable: Callable[..., RunnableRelease]
) -> None:
    runnable(version, mode)
    folder = tmp_path / "cluster"
    with up(version, "--mode", mode, "--folder", str(folder)):

        def cluster(*arguments: str) -> str:
            code, out, err = run("cluster", *arguments, "--folder", str(folder))
            assert (code, err) == (0, ""), arguments
            return out

        cluster("produce", "a")
        assert cluster("move", "3").startswith("r3 leads")
        assert cluster("hold", "r2->r3").startswith("fetch r2->r3 is held; 1 request waits there")
        assert cluster("cut", "r2->r3").startswith("fetch r2->r3: the connection is cut")
        assert cluster("open", "r2->r3").startswith("fetch r2->r3 passes again")
        assert cluster("fence", "3").startswith("the session of r3 has ended; r1 leads")
        assert cluster("unfence", "3").startswith("r3 has a session again; r1 leads")
        assert cluster("shutdown", "1").startswith("r1 has ended, with a controlled shutdown; r")
        assert cluster("restart", "1").startswith("r1 runs again; r")
        cluster("produce", "b", "--acks", "0")
        cluster("produce", "c")
        values = [line.split()[-1] for line in cluster("consume").splitlines()[2:]]
        assert values == ["a", "b", "c"]


@pytest.mark.brokers
def test_an_unclean_election_is_for_a_partition_without_a_leader(
    tmp_path: Path, run: Run, runnable: Callable[..., RunnableRelease]
) -> None:
    runnable("4.1.1")
    folder = tmp_path / "cluster"
    with up("4.1.1", "--folder", str(folder), "--brokers", "2", "--min-isr", "1", "--lag", "1.5s"):

        def cluster(*arguments: str) -> tuple[int, str, str]:
            return run("cluster", *arguments, "--folder", str(folder))

        refused = "error: r1 leads; an unclean election is for a partition without a leader\n"
        assert cluster("elect", "--unclean") == (2, "", refused)
        cluster("shutdown", "2")
        assert cluster("produce", "lost") == (0, "r1: acknowledged\n", "")
        cluster("kill", "1")
        assert "nobody leads" in cluster("fence", "1")[1]
        cluster("restart", "2")
        assert cluster("elect", "--unclean")[1].startswith("unclean election; r2 leads")
        assert cluster("consume")[1].splitlines()[2:] == []


@pytest.mark.brokers
def test_the_page_shows_what_happens(tmp_path: Path, runnable: Callable[..., RunnableRelease]) -> None:
    runnable("4.1.1")
    lines = [
        line.removeprefix("    ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("    ")
    ]
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    commands = [
        (lines[start][2:], tuple(lines[start + 1 : end]))
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]
    assert commands[0][0] == "neverlost cluster up 4.1.1"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with up("4.1.1", "--keep", "--folder", str(tmp_path / "cluster")):
        for command, shown in commands[1:]:
            ran = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True)
            printed = tuple((ran.stdout + ran.stderr).splitlines())
            assert matches(shown, printed), f"{command} printed\n{ran.stdout}{ran.stderr}"


@pytest.mark.thorough
def test_another_controller_leads_when_one_is_killed(
    tmp_path: Path, run: Run, runnable: Callable[..., RunnableRelease]
) -> None:
    runnable("3.9.1")
    folder = ("--folder", str(tmp_path / "cluster"))

    def leader() -> tuple[str, int]:
        for _ in range(MOST_LOOKS):
            status = json.loads(run("cluster", "status", "--json", "-", *folder)[1])
            leads = [row for row in status["controllers"] if row["leads"]]
            if leads:
                return f"c{leads[0]['controller']}", leads[0]["epoch"]
            time.sleep(0.2)
        raise AssertionError("no controller leads")

    with up("3.9.1", "--brokers", "2", "--controllers", "3", *folder):
        first, epoch = leader()
        assert run("cluster", "kill", first, *folder) == (0, f"{first} is killed\n", "")
        second, later = leader()
        assert second != first
        assert later > epoch
        assert run("cluster", "produce", "x", *folder)[1] == "r1: acknowledged\n"
        assert run("cluster", "restart", first, *folder) == (0, f"{first} runs again\n", "")
        code, _, err = run("cluster", "kill", "c4", *folder)
        assert (code, "no controller is named 'c4'" in err) == (2, True)
