"""A space that the compiled engine cannot hold under a limit of memory, and that Spark explores under the same limit.

    python benchmarks/bench_beyond_memory.py [--leader-epochs N] [--limit MIB] [--shards N]

Three commands, one after the other: the compiled engine without a limit, for what the result has to be; the compiled engine with the
limit; Spark with the limit. All processes of a command are ended if together they hold more than it. The compiled engine gets it as
`--memory`, so it ends by itself. For each process of Spark the system enforces it as well (RLIMIT_DATA); not for the compiled engine,
which reserves addresses that it does not use, and would end much earlier. The limit does not count files that the system keeps in free
memory, because it can drop them: for Spark the store, for the compiled engine the blocks of the levels.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench_spark import MASTER, processes_below, processor_seconds

UNDECIDED = 3
SAMPLE_SECONDS = 0.2


@dataclass(kw_only=True)
class Ran:
    """A command that has ended: its result, and what it took."""

    code: int
    result: dict[str, Any] | None
    seconds: float
    on_processors: float
    peaks: dict[str, int] = field(default_factory=dict)

    @property
    def said(self) -> str:
        found = self.result
        states = "no result"
        if found is not None:
            states = f"{found['distinct']:,} states at depth {found['depth']}, digest {found['digest']}"
        peaks = ", ".join(f"{name} {size / 2**20:,.0f} MiB" for name, size in self.peaks.items())
        cost = f"{self.seconds:.0f} s, {self.on_processors:.0f} s of processors"
        return f"exit code {self.code}; {states}; {cost}; peaks: {peaks}; load {os.getloadavg()[0]:.1f}"


def held(root: int) -> dict[str, int]:
    """The memory that a process and all below it hold, without files, in bytes: of the driver, of Java, and of the other processes.

    Memory that a worker shares with the process that it was forked from counts for both, so this is an upper limit.
    """
    found: dict[str, int] = {}
    for process, line in processes_below(root).items():
        name = "driver" if process == root else "Java" if "(java)" in line else "workers"
        found[name] = found.get(name, 0) + _without_files(process)
    return {**found, "all together": sum(found.values())}


def _without_files(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon", "RssShmem")))


def run(arguments: Sequence[str], limit: int | None, each: int = resource.RLIM_INFINITY) -> Ran:
    """Run `neverlost check`; its processes are ended if together they hold more than `limit`, and none gets more than `each`."""
    began, on_processors, peaks = time.perf_counter(), 0.0, dict[str, int]()
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "result.json"
        command = [sys.executable, "-m", "neverlost", "check", *arguments, "--json", str(answer)]
        with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as started:
            # Spark's processes inherit it.
            resource.prlimit(started.pid, resource.RLIMIT_DATA, (each, each))
            while started.poll() is None:
                on_processors = max(on_processors, processor_seconds(started.pid))
                for name, size in held(started.pid).items():
                    peaks[name] = max(size, peaks.get(name, 0))
                if limit is not None and peaks["all together"] > limit:
                    os.killpg(started.pid, signal.SIGKILL)
                time.sleep(SAMPLE_SECONDS)
        result = json.loads(answer.read_text()) if answer.exists() else None
    return Ran(
        code=started.returncode,
        result=result,
        seconds=time.perf_counter() - began,
        on_processors=on_processors,
        peaks=peaks,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leader-epochs", type=int, default=5)
    parser.add_argument("--limit", type=int, default=1536)
    parser.add_argument("--shards", type=int, default=32)
    chosen = parser.parse_args()
    limit = chosen.limit << 20
    question = ["published/kip-320", "--leader-epochs", str(chosen.leader_epochs), "--until", "all"]
    folder = Path(tempfile.mkdtemp(prefix="neverlost-bench-"))
    try:
        print(f"limit {chosen.limit:,} MiB; {' '.join(question)}", flush=True)
        whole = run([*question, "--workers", "2"], None)
        print(f"compiled, without the limit: {whole.said}", flush=True)
        cut = run([*question, "--workers", "2", "--memory", f"{chosen.limit}MiB"], limit)
        print(f"compiled, with it: {cut.said}", flush=True)
        on_spark = ["--engine", "spark", "--master", MASTER, "--shards", str(chosen.shards)]
        spark = run([*question, *on_spark, "--store", str(folder / "store")], limit, limit)
        print(f"Spark, with it: {spark.said}", flush=True)
        stored = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if whole.result is None or cut.result is None or spark.result is None or cut.code != UNDECIDED:
        raise SystemExit("the limit is not one that the compiled engine misses and Spark keeps")
    alike = {name: (whole.result[name], spark.result[name]) for name in ("distinct", "depth", "digest")}
    assert all(one == other for one, other in alike.values()), alike
    reached = cut.result["distinct"] / whole.result["distinct"]
    print(f"states in the complete levels of the compiled engine with the limit / all states: {reached:.2f}")
    print(f"memory of the compiled engine without the limit / limit: {whole.peaks['all together'] / limit:.2f}")
    print(f"memory of all Spark's processes / limit: {spark.peaks['all together'] / limit:.2f}")
    print(f"processor time, Spark / compiled without the limit: {spark.on_processors / whole.on_processors:.1f}")
    print(f"store: {stored / 2**30:.1f} GiB, {stored / spark.result['distinct']:.0f} bytes a state")


if __name__ == "__main__":
    main()
