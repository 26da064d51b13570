"""How far a search reaches: a billion states one by one, and more than ten billion under symmetry. Takes half an hour or more.

    python benchmarks/bench_reach.py               all, each in a process of its own
    python benchmarks/bench_reach.py billion       one of them
    python benchmarks/bench_reach.py --chart FILE  also writes the course of the searches, as JSON, for a chart

Each row is a search to its end, with every state exact. Counts are known by other means too. Logs that know nothing of each other are
independent: with n records, n**0 + n**1 + ... + n**l logs of at most l records for each replica. For KIP-320, the sizes of the classes
that a search under symmetry finds must add up to the states of the search without it, level by level.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neverlost.explorer.engines.compiled import CompiledEngine
from neverlost.explorer.files.folders import cache_folder
from neverlost.explorer.process.memory import peak_bytes, resident_bytes
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Limits, Progress, explore
from neverlost.explorer.stores import explore as explore_in_folder
from neverlost.model.core import Profile
from neverlost.spec.published.profiles import KIP_320, REPLICATED_LOG


@dataclass(frozen=True, kw_only=True)
class Space:
    """A model and how it is searched."""

    profile: Profile
    bounds: dict[str, int]
    symmetry: bool | tuple[str, ...]
    known: int | None = None
    """The number of states by a formula."""
    cut_after: float | None = None
    """The search is kept in a folder, ended after so many seconds, and resumed."""


LOGS = {"replicas": 2, "log_size": 2, "records": 180}
PARTITION = {"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 6}

SPACES = {
    "billion": Space(profile=REPLICATED_LOG, bounds=LOGS, symmetry=False, known=(1 + 180 + 180**2) ** 2),
    "billion of KIP-320": Space(profile=KIP_320, bounds=PARTITION, symmetry=False),
    "billion of KIP-320, by classes": Space(profile=KIP_320, bounds=PARTITION, symmetry=True),
    "ten billion": Space(
        profile=REPLICATED_LOG,
        bounds={"replicas": 4, "log_size": 2, "records": 18},
        symmetry=("replica",),
        known=(1 + 18 + 18**2) ** 4,
        cut_after=60,
    ),
    "billions of KIP-320": Space(
        profile=KIP_320, bounds={**PARTITION, "replicas": 5, "leader_epochs": 3}, symmetry=True
    ),
}


def search(name: str) -> dict[str, Any]:
    """Search a space in this process. Returns what it took, and its course."""
    space = SPACES[name]
    model = space.profile.bounded(**space.bounds)
    course: list[tuple[int, float, int]] = []
    engines: list[CompiledEngine] = []
    make = CompiledEngine.__init__

    def made(engine: CompiledEngine, *arguments: Any) -> None:
        engines[:] = [engine]
        make(engine, *arguments)

    def note(progress: Progress) -> None:
        if not course or progress.seconds - course[-1][1] >= 1:
            course.append((progress.distinct, round(progress.seconds, 1), progress.memory_bytes))
            print(f"\r{progress.distinct:,} states, {progress.seconds:.0f} s", end="", file=sys.stderr, flush=True)

    CompiledEngine.__init__ = made
    asked: dict[str, Any] = {
        "symmetry": space.symmetry,
        "workers": os.cpu_count() or 1,
        "watch": Watch(progress=note),
    }
    before, started = resident_bytes(), time.perf_counter()
    cut = None
    if space.cut_after is None:
        result = explore(model, **asked)
    else:
        with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
            first = explore_in_folder(model, Path(folder), limits=Limits(seconds=space.cut_after), **asked)
            cut = {"levels": first.depth, "distinct": first.distinct, "seconds": round(first.seconds, 1)}
            engines.clear()
            course.clear()
            result = explore_in_folder(model, Path(folder), **asked)
    (engine,) = engines
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "name": name,
        "profile": space.profile.name,
        "bits": model.layout.bits,
        "known": space.known,
        "cut": cut,
        "bounds": space.bounds,
        "complete": result.complete,
        "distinct": result.distinct,
        "whole": result.distinct_without_symmetry,
        "whole_levels": list(result.whole_levels),
        "depth": result.depth,
        "digest": result.digest,
        "verdicts": {found.property.name: found.verdict.value for found in result.findings.values()},
        "seconds": round(time.perf_counter() - started, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_memory_bytes": peak_bytes(),
        "bytes_per_state": round((peak_bytes() - before) / result.distinct, 2),
        "table_bytes": engine.visited.span * engine.visited.line_words * 8,
        "disk_bytes": engine.blocks.in_file,
        "course": course,
    }


def in_a_process(name: str) -> dict[str, Any]:
    """The figures of `search`, from a process of its own, so that no peak of memory is another search's."""
    ran = subprocess.run([sys.executable, __file__, name, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def report(found: dict[str, Any]) -> None:
    """The figures of a search, a line each."""
    shown = " ".join(f"{name.replace('_', ' ')} {value}" for name, value in found["bounds"].items())
    print(f"\n{found['name']}: {found['profile']}, {shown}; a state of {found['bits']} bits")
    print(
        f"  {'complete' if found['complete'] else 'NOT complete'}, {found['distinct']:,} states at depth {found['depth']}"
    )
    known = "" if found["known"] is None else f"; by the formula {found['known']:,}"
    print(f"  {found['whole']:,} without symmetry{known}; digest {found['digest']}; {found['verdicts']}")
    speed = found["distinct"] / found["seconds"] / 1e6
    print(
        f"  {found['seconds']:.0f} s ({speed:.2f} million states/s), {found['processor_seconds']:.0f} s of processors"
    )
    print(f"  {found['peak_memory_bytes'] / 2**30:.2f} GiB at its peak, {found['bytes_per_state']} bytes a state")
    if found["cut"] is not None:
        levels, distinct, after = (f"{found['cut'][name]:,}" for name in ("levels", "distinct", "seconds"))
        print(f"  ended after {after} s, with {levels} levels of {distinct} states in its folder, then resumed")
    print(
        f"  {found['table_bytes'] / 2**30:.2f} GiB of table, {found['disk_bytes'] / 2**30:.2f} GiB of disk", flush=True
    )


def main() -> None:
    """Run what is asked for."""
    arguments = sys.argv[1:]
    if "--json" in arguments:
        print(json.dumps(search(arguments[0])))
        return
    chart = Path(arguments[arguments.index("--chart") + 1]) if "--chart" in arguments else None
    names = [name for name in SPACES if name in arguments] or list(SPACES)
    print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    found = []
    for name in names:
        found.append(in_a_process(name))
        report(found[-1])
    by_name = {each["name"]: each for each in found}
    both = [by_name[name]["whole_levels"] for name in by_name if name.startswith("billion of KIP-320")]
    if len(both) > 1:
        print(f"\nBoth searches of KIP-320 agree on every level: {'yes' if both[0] == both[1] else 'NO'}")
    if chart is not None:
        chart.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
