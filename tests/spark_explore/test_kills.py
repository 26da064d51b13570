"""Whatever is killed, and whenever: the search goes on, and ends in the same digest."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from command_line import Run
from java_killer import MOMENTS
from same_results import differing
from spark_searches import IN_THE_DRIVER, MASTER, ON_SPARK, kip_320, searched

from neverlost.explorer import Result, explore
from neverlost.explorer.stores.manifest import MANIFEST
from neverlost.spark_explore import runners
from neverlost.spark_explore.manifest import read_manifest
from neverlost.spark_explore.session import SparkError, needing_java, spark_session

KILLS, KILLS_BY_DEFAULT = 10, 3
SCRIPT = Path(__file__).parents[1] / "support" / "spark_searches.py"
KILLER = SCRIPT.with_name("java_killer.py")
MODEL = kip_320(log_size=2)
SHARDS = 4

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def kills(pytestconfig: pytest.Config) -> int:
    """Ten with `--thorough`."""
    return KILLS if pytestconfig.getoption("--thorough") else KILLS_BY_DEFAULT


@pytest.fixture(scope="module")
def reference() -> Result:
    return explore(MODEL, until="all")


def killed_at(store: Path, local_work: int, moment: float) -> None:
    """Search in a process of its own, and kill it with all that it started some time after its store is there."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(store), str(local_work)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    before = committed(store)
    while process.poll() is None and committed(store) == before:
        time.sleep(0.01)
    time.sleep(moment)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def committed(store: Path) -> float:
    """When the manifest was last written; nothing before there is one."""
    try:
        return (store / MANIFEST).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


@pytest.mark.thorough
def test_a_driver_killed_at_random_moments_ends_in_the_same_result(
    reference: Result, tmp_path: Path, kills: int
) -> None:
    moments, store, seen = random.Random(6), tmp_path / "store", []
    for _ in range(kills):
        killed_at(store, IN_THE_DRIVER, moments.uniform(0, 0.15))
        seen.append(len(read_manifest(store).levels))
    assert seen == sorted(seen)
    assert differing(searched(MODEL, store, until="all", shards=SHARDS), reference) == []


@pytest.mark.thorough
def test_a_driver_killed_with_java_and_all_ends_in_the_same_result(
    reference: Result, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    moments, store = random.Random(66), tmp_path / "store"
    for _ in range(KILLS if pytestconfig.getoption("--thorough") else 1):
        killed_at(store, ON_SPARK, moments.uniform(3, 15))
    assert differing(searched(MODEL, store, until="all", shards=SHARDS), reference) == []


def python_workers() -> list[int]:
    """The processes in which Spark runs our tasks: below Java, below the daemon that forks them."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                commands[int(folder.name)] = (folder / "cmdline").read_text()
            except OSError:
                continue

    def is_mine(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    daemons = {p for p, command in commands.items() if "pyspark.daemon" in command and is_mine(p)}
    return sorted(p for p in daemons if parents[p] in daemons)


MOST_STARTS = 40
"""A search that Spark gave up is resumed, but not forever."""


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the workers in /proc")
def test_workers_killed_at_random_moments_end_in_the_same_result(reference: Result, tmp_path: Path, kills: int) -> None:
    store, killed, over = tmp_path / "store", list[int](), threading.Event()
    moments = random.Random(666)

    def kill_some() -> None:
        while not over.wait(moments.uniform(0.1, 0.6)) and len(killed) < kills:
            workers = python_workers()
            if workers:
                killed.append(moments.choice(workers))
                os.kill(killed[-1], signal.SIGKILL)

    result, ended = None, None
    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        for _ in range(MOST_STARTS):
            try:
                result = searched(MODEL, store, local_work=ON_SPARK, until="all", shards=SHARDS)
                break
            except SparkError as error:
                ended = error
    finally:
        over.set()
        killer.join()
    assert result is not None, ended
    assert len(killed) >= kills / 2
    assert differing(result, reference) == []


BOUNDS = ("--replicas", "3", "--log-size", "2", "--records", "1", "--leader-epochs", "3")


@pytest.mark.thorough
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_search_whose_java_is_killed_says_how_to_resume_and_resumes_to_the_same_digest(
    moment: str, reference: Result, run: Run, tmp_path: Path
) -> None:
    store = tmp_path / "the store"
    options = ("--until", "all", "--store", str(store), "--master", MASTER, "--shards", str(SHARDS))
    killed = subprocess.run(
        [sys.executable, str(KILLER), moment, "check", "published/kip-320", *BOUNDS, "--engine", "spark", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (killed.returncode, killed.stdout) == (2, "")
    assert "Traceback" not in killed.stderr
    done = [level.ran for level in read_manifest(store).levels]
    assert killed.stderr.splitlines()[-1] == (
        f"error: Spark's Java ended: it was killed, or there was no memory for it; {len(done)} complete levels are kept;"
        f" resume with `neverlost resume '{store}'`"
    )
    assert done.count("spark") == (1 if moment == "between two levels" else 0)
    code, out, _ = run("resume", str(store), "--json", "-")
    assert code == reference.exit_code
    assert (json.loads(out)["digest"], json.loads(out)["complete"]) == (reference.digest, True)


def test_what_fails_for_another_reason_is_not_blamed_on_java() -> None:
    spark_session(MASTER)
    with pytest.raises(ZeroDivisionError), needing_java():
        raise ZeroDivisionError


def test_what_a_task_writes_whom_nobody_waits_for_any_more_replaces_nothing(tmp_path: Path) -> None:
    small = kip_320(replicas=2)
    searched(small, tmp_path / "store", until="all")
    before = {file.path for file in read_manifest(tmp_path / "store").files}
    levels = read_manifest(tmp_path / "store").levels
    work = runners_work(tmp_path / "store", small)
    runners.DriverRunner().run(work, lambda share: None)
    after = {p.relative_to(tmp_path / "store").as_posix() for p in (tmp_path / "store").rglob("*.parquet")}
    assert before < after
    assert differing(searched(small, tmp_path / "store", until="all"), explore(small, until="all")) == []
    assert read_manifest(tmp_path / "store").levels == levels


def runners_work(folder: Path, model: object) -> runners.LevelWork:
    """The work of the third level of a store, once more."""
    from neverlost.explorer.symmetry import Symmetry
    from neverlost.model.core import Model
    from neverlost.spark_explore.engine import SparkEngine, SparkOptions
    from neverlost.spark_explore.store import Store

    assert isinstance(model, Model)
    store = Store.opened(folder)
    return SparkEngine(model, [], Symmetry(model), store, SparkOptions(store=folder, master="local[1]")).work(3)
