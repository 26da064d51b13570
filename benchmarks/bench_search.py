"""How fast the compiled engine searches, as ratios of figures of one run: machines differ, and the same machine from hour to hour.

Prints a table of figures, targets and what each figure was computed from. Takes about three minutes on two cores.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from neverlost.explorer.compile.cache import load_kernel
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.compile.slot_format import last_bits
from neverlost.explorer.engines.successors import out_arrays
from neverlost.explorer.engines.visited_set import Hands, VisitedSet
from neverlost.explorer.process.memory import peak_bytes, resident_bytes
from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import Symmetry
from neverlost.model.core import Model
from neverlost.spec.published.profiles import KIP_320

ROUNDS = 5
PROPERTIES = ("weak_isr", "strong_isr")
SMALL = {"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 3}
MIDDLE = {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 3}
LARGE = {"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 4}
WIDER = (
    {"replicas": 3, "log_size": 4, "records": 4, "leader_epochs": 3},
    {"replicas": 4, "log_size": 4, "records": 2, "leader_epochs": 2},
    {"replicas": 5, "log_size": 4, "records": 2, "leader_epochs": 2},
    {"replicas": 5, "log_size": 7, "records": 2, "leader_epochs": 2},
)
WIDER_STATES = 3_000_000


def search_seconds(model: Model, workers: int = 1) -> float:
    """The seconds of one search, both ISR properties evaluated on every state."""
    result = explore(model, workers=workers, properties=PROPERTIES)
    assert result.complete
    return result.seconds


def successors_of_every_state(model: Model) -> tuple[list[np.ndarray], int]:
    """Every successor that the search generates, in the order and the batches in which it does; and how many states there are."""
    kernel, _ = load_kernel(kernel_source(model, Symmetry(model)))
    visited, hands = empty_set(model), Hands()
    batches = [np.array(model.initial_states(), np.int64)]
    level = inserted(visited, batches[0], hands)
    out, sources = out_arrays(kernel)
    generated = np.zeros(len(model.profile.actions), np.int64)
    spare = (np.zeros(1, np.int64), np.zeros((1, kernel.WORDS), np.int64), np.zeros(1, np.int64))
    while len(level):
        begin, found = 0, []
        while begin < len(level):
            begin, count = kernel.expand(
                level, begin, len(level), out, sources, generated, *spare, *model.layout.pack_settings(), 0
            )
            batches.append(out[:count].copy())
            found.append(inserted(visited, batches[-1], hands))
        level = np.concatenate(found)
    return batches, visited.count


def empty_set(model: Model) -> VisitedSet:
    """The visited set as a search begins with it."""
    return VisitedSet(model.layout.words, last_bits(model), 1)


def inserted(visited: VisitedSet, rows: np.ndarray, hands: Hands) -> np.ndarray:
    """The rows that are new; the set grows as it must."""
    fresh, begin, used = np.empty_like(rows), 0, 0
    while begin < len(rows):
        before = used
        begin, used, _, full = visited.insert(rows, begin, len(rows), fresh, used, used + visited.room, hands)
        visited.count += used - before
        if full or not visited.room:
            visited.grow([hands])
    return fresh[:used].copy()


def insertion_seconds(model: Model, batches: list[np.ndarray]) -> float:
    """The seconds that inserting precomputed successors into an empty visited set takes."""
    visited, hands = empty_set(model), Hands()
    started = time.perf_counter()
    for rows in batches:
        inserted(visited, rows, hands)
    return time.perf_counter() - started


def in_turn(*measures: Callable[[], float]) -> list[list[float]]:
    """Each measure once a round, in turn, so that a drift of the machine falls on all; the first round warms up."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS + 1)]
    return [list(column) for column in zip(*rounds[1:], strict=True)]


def ratio(over: list[float], under: list[float]) -> float:
    """The median of the ratios, round by round."""
    return median(a / b for a, b in zip(over, under, strict=True))


def report(what: str, figure: str, target: str, detail: str) -> None:
    """One row of the table."""
    print(f"{what:<52}{figure:>8}  {target:<14}{detail}", flush=True)


def against_insertion() -> None:
    model = KIP_320.bounded(**MIDDLE)
    batches, states = successors_of_every_state(model)
    search, insertion = in_turn(lambda: search_seconds(model), lambda: insertion_seconds(model, batches))
    speed = states / median(search) / 1e6
    detail = f"{states:,} states, {median(search):.2f} s and {median(insertion):.2f} s; {speed:.1f} million states/s"
    report("search / inserting its successors alone", f"{ratio(search, insertion):.2f}", "at most 1.4", detail)


def against_hand_written() -> None:
    """Against hand_written/kip_320.c, which must find as many states; left out where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("by hand in C: there is no C compiler")
        return
    model = KIP_320.bounded(**MIDDLE)
    with tempfile.TemporaryDirectory(prefix="neverlost-bench-") as folder:
        program = Path(folder) / "kip_320"
        source = Path(__file__).parent / "hand_written" / "kip_320.c"
        subprocess.run([compiler, "-O3", "-march=native", "-o", str(program), str(source)], check=True)

        def by_hand() -> float:
            found = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split()
            result = explore(model, properties=PROPERTIES) if not counted else counted[0]
            counted.append(result)
            violating = [result.findings[name].violating_states for name in PROPERTIES]
            known = [result.distinct, result.generated, result.depth, *violating]
            assert [int(number) for number in found[:5]] == known, (found, known)
            return float(found[5])

        counted: list[Result] = []
        hand, search = in_turn(by_hand, lambda: search_seconds(model))
    detail = f"{counted[0].distinct:,} states, {median(hand):.2f} s by hand and {median(search):.2f} s"
    report("speed / that of a kernel by hand in C, one thread", f"{ratio(hand, search):.2f}", "at least 1.0", detail)


def size_and_threads() -> None:
    small, middle, large = (KIP_320.bounded(**bounds) for bounds in (SMALL, MIDDLE, LARGE))
    states = [explore(m, properties=PROPERTIES).distinct for m in (small, middle, large)]
    columns = in_turn(
        lambda: search_seconds(small),
        lambda: search_seconds(large),
        lambda: search_seconds(middle),
        lambda: search_seconds(middle, workers=2),
        lambda: search_seconds(large, workers=2),
    )
    cost = [[seconds / states[k] for seconds in column] for k, column in ((0, columns[0]), (2, columns[1]))]
    detail = f"{median(cost[1]) * 1e9:.0f} ns at {states[2]:,}, {median(cost[0]) * 1e9:.0f} ns at {states[0]:,}"
    report("cost per state, large / small", f"{ratio(cost[1], cost[0]):.2f}", "at most 1.4", detail)
    for count, one, two in ((states[1], columns[2], columns[3]), (states[2], columns[1], columns[4])):
        detail = f"{count:,} states, {median(one):.2f} s and {median(two):.2f} s"
        report("speed, two threads / one", f"{ratio(one, two):.2f}", "at least 1.6", detail)


def beside_other_work() -> None:
    """With a process that keeps the second processor busy."""
    if not hasattr(os, "sched_setaffinity"):
        print("beside other work: a process cannot be kept on one processor here")
        return
    model = KIP_320.bounded(**MIDDLE)
    states = explore(model, properties=PROPERTIES).distinct
    busy = "import os\nos.sched_setaffinity(0, {max(os.sched_getaffinity(0))})\nwhile True:\n    pass"
    with subprocess.Popen([sys.executable, "-c", busy]) as process:
        try:
            one, two = in_turn(lambda: search_seconds(model), lambda: search_seconds(model, workers=2))
        finally:
            process.terminate()
    detail = f"{states:,} states, {median(one):.2f} s and {median(two):.2f} s"
    report("speed, two threads / one, one processor kept busy", f"{ratio(one, two):.2f}", "at least 0.95", detail)


def memory_of(bounds: dict[str, int], max_states: int | None = None) -> None:
    """Print, as JSON, what a search in this process takes: run in a process of its own."""
    from neverlost.explorer.engines import compiled
    from neverlost.explorer.search import Limits

    model = KIP_320.bounded(**bounds)
    begin = compiled.CompiledEngine.start
    baseline = 0

    def start(engine: compiled.CompiledEngine, initial: list[tuple[int, ...]]) -> int:
        nonlocal baseline
        baseline = resident_bytes()
        return begin(engine, initial)

    compiled.CompiledEngine.start = start
    result = explore(model, properties=PROPERTIES, limits=Limits(states=max_states))
    figures = {
        "states": result.distinct,
        "words": model.layout.words,
        "bytes": (peak_bytes() - baseline) / result.distinct,
        "nanoseconds": result.seconds / result.distinct * 1e9,
    }
    print(json.dumps(figures))


def in_a_process(bounds: dict[str, int], max_states: int | None = None) -> dict[str, float]:
    """The figures of `memory_of`, from a second run: the first may compile, which takes memory of its own."""
    command = [sys.executable, __file__, "memory", json.dumps(bounds), json.dumps(max_states)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def memory() -> None:
    for bounds in (MIDDLE, LARGE):
        found = in_a_process(bounds)
        detail = f"{found['states']:,} states of {found['words']} words; peak of the process less its memory before"
        report("bytes per distinct state", f"{found['bytes']:.1f}", "at most 28", detail)


def width() -> None:
    for bounds in (MIDDLE, *WIDER):
        found = in_a_process(bounds, WIDER_STATES)
        detail = f"{found['nanoseconds']:.0f} ns a state over {found['states']:,} states; {bounds}"
        report(f"bytes per distinct state of {found['words']} words", f"{found['bytes']:.1f}", "", detail)


def start_up() -> None:
    command = [str(Path(sys.executable).parent / "neverlost"), "check", "published/kip-320"]
    command += [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    folder = tempfile.mkdtemp(prefix="neverlost-bench-")
    seconds = []
    try:
        for _ in range(ROUNDS + 1):
            started = time.perf_counter()
            subprocess.run(
                command,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "NEVERLOST_CACHE": folder},
            )
            seconds.append(time.perf_counter() - started)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    detail = f"neverlost check published/kip-320 at {SMALL}, process start included"
    report("seconds, kernel compiled on the way", f"{seconds[0]:.1f}", "at most 10", detail)
    report("seconds, kernel on disk", f"{median(seconds[1:]):.2f}", "at most 1.5", detail)


def main() -> None:
    """Run every benchmark, or one by name."""
    if sys.argv[1:2] == ["memory"]:
        memory_of(json.loads(sys.argv[2]), json.loads(sys.argv[3]))
        return
    print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}; published/kip-320")
    for benchmark in (
        against_insertion,
        against_hand_written,
        size_and_threads,
        beside_other_work,
        memory,
        width,
        start_up,
    ):
        benchmark()


if __name__ == "__main__":
    main()
