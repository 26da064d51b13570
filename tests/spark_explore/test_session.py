"""Spark in this process is nobody else's: it listens where only this machine is heard, whatever its name in the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import listening
import pytest

from neverlost.spark_explore.session import LOOPBACK, _settings, in_this_process

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(sys.platform != "linux", reason="Linux tells in /proc where a process listens"),
]


def addresses(master: str) -> list[str]:
    """Where Spark listens, in a process of its own: it can be started only once in one."""
    command = [sys.executable, str(Path(listening.__file__)), master]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.parametrize("master", ["local", pytest.param("local[2]", marks=pytest.mark.thorough)])
def test_a_spark_in_this_process_listens_on_the_loopback_address_only(master: str) -> None:
    assert addresses(master) == [LOOPBACK]


def test_a_process_that_listens_everywhere_is_found_out() -> None:
    """Else the test above would say nothing."""
    assert addresses("planted") == ["0.0.0.0"]


def test_workers_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "socket.py").write_text("open('imported', 'w')\nraise ImportError\n", encoding="utf-8")
    task = "spark_session('local').sparkContext.parallelize([1], 1).map(str).collect()"
    command = [sys.executable, "-P", "-c", f"from neverlost.spark_explore.session import spark_session; print({task})"]
    # The tests set it for all that they start.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert (ran.stdout, (tmp_path / "imported").exists()) == ("['1']\n", False), ran.stderr


@pytest.mark.parametrize("master", ["local", "local[*]", "local[2,3]", "local-cluster[1,1,2048]"])
def test_every_master_on_this_machine_is_told_to_stay_on_it(master: str) -> None:
    settings = _settings(master, alone=False)
    assert {settings["spark.driver.host"], settings["spark.driver.bindAddress"]} == {LOOPBACK}
    assert (settings.get("spark.authenticate") == "true") == in_this_process(master)


@pytest.mark.parametrize("master", ["spark://host:7077", "yarn", "k8s://host:443"])
def test_a_cluster_is_not_told_to_call_a_loopback_address(master: str) -> None:
    assert "spark.driver.host" not in _settings(master, alone=False)
    assert not in_this_process(master)
