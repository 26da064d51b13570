"""What the search on Spark costs beside the compiled engine, in one run: throughput, overhead of a level, what that grows with, memory.

    python benchmarks/bench_spark.py [--log-size N] [--rounds N] [--alone]     with --alone, only Spark: for models beyond memory

Both engines take turns, so that what else the machine does weighs on both. Figures are medians.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import threading
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from neverlost.explorer import Result, explore
from neverlost.model.core import Model
from neverlost.spark_explore import SparkOptions
from neverlost.spark_explore import explore as explore_on_spark
from neverlost.spark_explore.manifest import LevelRecord, read_manifest
from neverlost.spec import profiles

MASTER = "local[2]"
SHARDS = 4


class Memory(threading.Thread):
    """Watches how much memory this process and all below it hold, by the name of their program."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peaks: dict[str, int] = {}
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.2):
            held = _held()
            held["all together"] = sum(held.values())
            for name, size in held.items():
                self.peaks[name] = max(size, self.peaks.get(name, 0))


def processes_below(root: int) -> dict[int, str]:
    """What the system's status line says of a process and of each below it."""
    lines = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                lines[int(folder.name)] = (folder / "stat").read_text()
            except OSError:
                continue
    parents = {process: int(line.rsplit(")", 1)[1].split()[1]) for process, line in lines.items()}

    def is_mine(process: int) -> bool:
        while process in parents and process != root:
            process = parents[process]
        return process == root

    return {process: line for process, line in lines.items() if is_mine(process)}


def _held() -> dict[str, int]:
    """Memory of this process (`driver`), of Java, and of all Python workers, in bytes."""
    held: dict[str, int] = {}
    for process, line in processes_below(os.getpid()).items():
        name = "driver" if process == os.getpid() else "Java" if "(java)" in line else "workers"
        held[name] = held.get(name, 0) + _proportional(process)
    return held


def processor_seconds(root: int = os.getpid()) -> float:
    """The processor time of a process, this one if not given, and of all that it started and that still run."""
    fields = [line.rsplit(")", 1)[1].split() for line in processes_below(root).values()]
    return sum(int(f[11]) + int(f[12]) for f in fields) / os.sysconf("SC_CLK_TCK")


def _proportional(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss_Anon")), 0)


def on_spark(model: Model, folder: Path, **options: int) -> tuple[Result, Sequence[LevelRecord]]:
    shutil.rmtree(folder, ignore_errors=True)
    result = explore_on_spark(
        model, SparkOptions(store=folder, master=MASTER, alone=True, **options), until="all", shards=SHARDS
    )
    return result, read_manifest(folder).levels


def fitted(levels: Sequence[LevelRecord]) -> tuple[float, float, float]:
    """Seconds of a level on Spark, as a constant, per state of the frontier, and per known state that is read."""
    known = np.cumsum([level.new for level in levels])
    on = [n for n, level in enumerate(levels) if level.ran == "spark"]
    facts = np.array([[1.0, levels[n].frontier, known[n - 1]] for n in on])
    seconds = np.array([levels[n].seconds for n in on])
    weights = 1 / np.maximum(seconds, 0.05)
    constant, frontier, read = not_negative(facts * weights[:, None], seconds * weights)
    return constant, frontier, read


def not_negative(facts: np.ndarray, wanted: np.ndarray) -> list[float]:
    """The least squares solution without negative parts: the best of those that leave some columns out."""
    fits = []
    for left in product([True, False], repeat=facts.shape[1]):
        found = np.zeros(facts.shape[1])
        found[list(left)] = np.linalg.lstsq(facts[:, list(left)], wanted)[0]
        if (found >= 0).all():
            fits.append((float(np.sum((facts @ found - wanted) ** 2)), [float(part) for part in found]))
    return min(fits)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log-size", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    chosen = parser.parse_args()
    size = chosen.log_size
    model = profiles()["published/kip-320"].bounded(replicas=3, log_size=size, records=size, leader_epochs=3)
    tiny = profiles()["published/kip-320"].bounded(replicas=2, log_size=1, records=1, leader_epochs=3)
    folder = Path(tempfile.mkdtemp(prefix="neverlost-bench-"))
    try:
        on_spark(tiny, folder / "warm", local_work=0)
        _, levels = on_spark(tiny, folder / "tiny", local_work=0)
        overhead = statistics.median(level.seconds for level in levels[1:])
        print(f"a level of a few states on Spark: {overhead:.2f} s (median of {len(levels) - 1})", flush=True)
        memory = Memory()
        memory.start()
        ratios, processor_ratios = [], []
        for _ in range(chosen.rounds):
            begun = processor_seconds()
            result, levels = on_spark(model, folder / "store")
            on_processors = processor_seconds() - begun
            said = [f"{result.distinct:,} states, depth {result.depth}"]
            said.append(f"Spark {result.seconds:.1f} s ({on_processors:.1f} s of processors)")
            if not chosen.alone:
                begun = processor_seconds()
                compiled = explore(model, workers=2, until="all")
                compiled_processors = processor_seconds() - begun
                assert compiled.digest == result.digest
                ratios.append(compiled.seconds / result.seconds)
                processor_ratios.append(compiled_processors / on_processors)
                said.append(
                    f"compiled, two threads {compiled.seconds:.1f} s ({compiled_processors:.1f} s of processors)"
                )
                said.append(f"throughput ratio {ratios[-1]:.2f}; of processor time {processor_ratios[-1]:.2f}")
            expanded = sum(level.frontier for level in levels if level.ran == "spark") / result.distinct
            said.append(f"{expanded:.0%} of the states expanded on Spark; load {os.getloadavg()[0]:.1f}")
            print("; ".join(said), flush=True)
        memory.over.set()
        constant, frontier, read = fitted(levels)
        if ratios:
            print(
                f"throughput, Spark on {MASTER} / compiled with two threads: {statistics.median(ratios):.2f} (median)"
            )
            print(
                f"states for a second of processor time, likewise: {statistics.median(processor_ratios):.2f} (median)"
            )
        print(
            f"seconds of a level = {constant:.2f} + {frontier * 1e9:.0f} ns x frontier + {read * 1e9:.1f} ns x known states"
        )
        print("; ".join(f"{name} {size / 2**20:,.0f} MiB" for name, size in memory.peaks.items()), "at their peaks")
        print(f"{read_manifest(folder / 'store').bytes / result.distinct:.0f} bytes a state on disk")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
