"""A debugger stops one thread, with a program in place of jdb that answers as jdb does; `late-count` has the real one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster import debugging
from neverlost.conformance.cluster.debugging import Debugger, debugger_port
from neverlost.conformance.cluster.releases import ClusterError, MissingError

METHOD = "kafka.cluster.Partition.updateFollowerFetchState"
SECONDS = 30.0
JDB = """\
import sys
print("Initializing jdb ...")
print("> ", end="", flush=True)
for line in sys.stdin:
    with open(sys.argv[0] + ".asked", "a") as asked:
        asked.write(" ".join(sys.argv[1:]) + ": " + line)
    if line.startswith("stop thread in "):
        print("Set breakpoint " + line.split()[-1])
        print('> \\nBreakpoint hit: "thread=request-handler-3", line=463 bci=0')
    elif line.startswith("clear"):
        print("Removed: breakpoint " + line.split()[-1])
    elif line.startswith("resume"):
        print("All threads resumed.")
    print("> ", end="", flush=True)
"""


def until(look: Callable[[], object], seconds: float, what: str) -> object:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.01)
    raise ClusterError(f"{what} did not come")


@pytest.fixture
def debugger(tmp_path: Path) -> Iterator[Debugger]:
    (tmp_path / "program.py").write_text(JDB, encoding="utf-8")
    jdb = tmp_path / "jdb"
    jdb.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path}/program.py "$@"\n', encoding="utf-8")
    jdb.chmod(0o755)
    found = Debugger(str(tmp_path / "java"), 5005, until, SECONDS)
    yield found
    found.end()


def test_one_thread_is_stopped_at_a_method_and_goes_on(debugger: Debugger, tmp_path: Path) -> None:
    debugger.stop_in(METHOD)
    assert debugger.stopped(METHOD) == "request-handler-3"
    debugger.go_on()
    asked = (tmp_path / "program.py.asked").read_text(encoding="utf-8").splitlines()
    where = "-connect com.sun.jdi.SocketAttach:hostname=127.0.0.1,port=5005: "
    assert asked == [where + command for command in (f"stop thread in {METHOD}", f"clear {METHOD}", "resume")]


def test_where_a_broker_takes_a_debugger_is_in_its_output() -> None:
    said = "Listening for transport dt_socket at address: 35001\nstarted\n"
    process: Any = SimpleNamespace(output=lambda: said)
    assert debugger_port(process) == 35001
    silent: Any = SimpleNamespace(output=lambda: "started\n")
    with pytest.raises(ClusterError, match="was not started for a debugger"):
        debugger_port(silent)


def test_without_jdb_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugging.shutil, "which", lambda *_, **__: None)
    with pytest.raises(MissingError, match="install a JDK"):
        Debugger(str(tmp_path / "java"), 5005, until, SECONDS)
