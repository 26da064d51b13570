"""Spark in this process is nobody else's: it listens where only this machine is heard, whatever its name in the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import listening
import pytest
from spark_searches import MASTER

from neverlost.spark_explore.session import LOOPBACK, _settings, in_this_process, spark_session

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(sys.platform != "linux", reason="Linux tells in /proc where a process listens"),
]


def addresses(master: str, folder: Path) -> list[str]:
    """Where Spark listens, in a process of its own, in a folder that has a module: it can be started only once in one."""
    (folder / "socket.py").write_text("open('imported', 'w')\nraise ImportError\n", encoding="utf-8")
    command = [sys.executable, "-P", str(Path(listening.__file__)), master]
    # The tests set it for all that they start.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_the_spark_of_these_tests_listens_on_the_loopback_address_only() -> None:
    session = spark_session(MASTER)
    assert listening.listening(session.sparkContext._gateway.proc.pid) == {LOOPBACK}


@pytest.mark.thorough
@pytest.mark.parametrize("master", ["local", "local[2]"])
def test_a_spark_in_this_process_listens_on_the_loopback_address_only_and_its_workers_import_nothing_from_the_folder(
    master: str, tmp_path: Path
) -> None:
    assert (addresses(master, tmp_path), (tmp_path / "imported").exists()) == ([LOOPBACK], False)


def test_a_process_that_listens_everywhere_is_found_out(tmp_path: Path) -> None:
    """Else the test above would say nothing."""
    assert addresses("planted", tmp_path) == ["0.0.0.0"]


@pytest.mark.parametrize("master", ["local", "local[*]", "local[2,3]", "local-cluster[1,1,2048]"])
def test_every_master_on_this_machine_has_to_stay_on_it(master: str) -> None:
    settings = _settings(master, alone=False)
    assert {settings["spark.driver.host"], settings["spark.driver.bindAddress"]} == {LOOPBACK}
    assert (settings.get("spark.authenticate") == "true") == in_this_process(master)


@pytest.mark.parametrize("master", ["spark://host:7077", "yarn", "k8s://host:443"])
def test_a_cluster_is_not_asked_to_call_a_loopback_address(master: str) -> None:
    assert "spark.driver.host" not in _settings(master, alone=False)
    assert not in_this_process(master)
