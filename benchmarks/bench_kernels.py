"""What kernels cost: compiling, loading, running and keeping them; and how soon a command answers.

    python benchmarks/bench_kernels.py                              figures of this installation
    python benchmarks/bench_kernels.py --before OTHER/bin/python    the same of another one too, and ratios
    python benchmarks/bench_kernels.py --levels                     kernels at each of LLVM's levels of optimisation, by turns

Both take turns, so that a drift of the machine falls on both; figures are the least of the rounds. The other installation may be of
any version since there are kernels; those of Numba take minutes to compile, so `--kernels-before` has fewer of them loaded there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROUNDS = 3
LEVELS = (1, 2, 3)
KIP_320 = {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 3}
KAFKA = {"crashes": 2, "leader_moves": 1}
STATES = 400_000
GOOD = sorted(str(path) for path in (ROOT / "examples" / "audit" / "good").iterdir())


def models() -> dict[str, tuple[Any, tuple[str, ...], bool]]:
    """The models that are measured, each with properties and whether by symmetry."""
    from neverlost.spec import profiles

    kip_320, kafka = profiles()["published/kip-320"], profiles()["kafka-3.5"]
    return {
        "kip-320": (kip_320.bounded(**KIP_320), ("weak_isr", "strong_isr"), False),
        "kafka-3.5, symmetric": (kafka.bounded(**KAFKA), ("acked_never_lost",), True),
    }


def kernel_figures(name: str) -> dict[str, float]:
    """Processor seconds to compile a kernel and to load it, and nanoseconds a state: in this process."""
    import numpy as np

    from neverlost.explorer.compile.cache import load_kernel
    from neverlost.explorer.compile.generate import kernel_source
    from neverlost.explorer.engines.compiled import CompiledEngine
    from neverlost.explorer.engines.successors import out_arrays
    from neverlost.explorer.symmetry import symmetry_of

    model, names, wanted = models()[name]
    properties = [model.profile.property_named(n) for n in names]
    symmetry = symmetry_of(model, wanted, properties)
    text = kernel_source(model, symmetry)
    started = time.process_time()
    load_kernel(text)
    compiling = time.process_time() - started
    started = time.process_time()
    kernel, _ = load_kernel(text)
    loading = time.process_time() - started
    engine = CompiledEngine(model, properties, symmetry, 1)
    engine.start([symmetry.representative(words) for words in model.initial_states()])
    while engine.expand(lambda *_: None) and engine.visited.count < STATES:
        pass
    states = np.concatenate(engine.states())[:STATES]
    count, settings = len(states), model.layout.pack_settings()
    out, sources = out_arrays(kernel)
    generated, flaw = np.zeros(len(model.profile.actions), np.int64), np.zeros(1, np.int64)
    counts, least = np.zeros(64, np.int64), np.zeros((64, kernel.WORDS), np.int64)
    wanted_bits = sum(1 << number for number in engine.state_numbers)
    expanding, evaluating = [], []
    for _ in range(ROUNDS):
        started, begin = time.process_time(), 0
        while begin < count:
            begin, _ = kernel.expand(states, begin, count, out, sources, generated, counts, least, flaw, *settings, 0)
        expanding.append(time.process_time() - started)
        started = time.process_time()
        kernel.evaluate(states, 0, count, counts, least, flaw, *settings, wanted_bits)
        evaluating.append(time.process_time() - started)
    return {
        f"compile {name}, processor s": compiling,
        f"load {name}, processor s": loading,
        f"successors of {name}, ns a state": min(expanding) / count * 1e9,
        f"properties of {name}, ns a state": min(evaluating) / count * 1e9,
    }


def memory_figures(kernels: int) -> dict[str, float]:
    """Bytes a state, and the memory of a process per loaded kernel: in this process."""
    from neverlost.explorer.compile.cache import load_kernel
    from neverlost.explorer.compile.generate import kernel_source
    from neverlost.explorer.process.memory import peak_bytes, resident_bytes
    from neverlost.explorer.search import explore
    from neverlost.explorer.symmetry import Symmetry

    kip_320, _, _ = models()["kip-320"]
    bounds = [
        {"replicas": r, "log_size": size, "records": records, "leader_epochs": epochs}
        for r in (2, 3, 4) for size in (1, 2, 3) for records in (1, 2, 3) for epochs in (1, 2, 3, 4)
    ]  # fmt: skip
    load_kernel(kernel_source(kip_320, Symmetry(kip_320)))
    texts = [kernel_source(m, Symmetry(m)) for m in (kip_320.profile.bounded(**b) for b in bounds[:kernels])]
    compiling = "import sys; from neverlost.explorer.compile.cache import load_kernel; load_kernel(sys.stdin.read())"
    for text in texts:  # in another process, so that what compiling leaves behind is not counted
        subprocess.run([sys.executable, "-c", compiling], input=text, text=True, check=True)
    before = resident_bytes()
    kept = [load_kernel(text) for text in texts]
    each = (resident_bytes() - before) / len(kept)
    before = resident_bytes()
    found = explore(kip_320, properties=("weak_isr", "strong_isr"))
    return {
        "memory per loaded kernel, KiB": each / 1024,
        "bytes a state, kip-320": (peak_bytes() - before) / found.distinct,
    }


def seconds_of(command: list[str], **environment: str) -> float:
    """The seconds of a command, whatever it decides."""
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    return time.perf_counter() - started


def command_figures(python: str) -> dict[str, float]:
    """How soon commands of an installation answer, with an empty cache and with a full one."""
    neverlost = str(Path(python).parent / "neverlost")
    folder = tempfile.mkdtemp(prefix="neverlost-bench-")
    try:
        cold = {"neverlost audit, cold, s": seconds_of([neverlost, "audit", *GOOD], NEVERLOST_CACHE=folder)}
        warm = {
            f"neverlost {words[0]}{said}, s": min(
                seconds_of([neverlost, *words], NEVERLOST_CACHE=folder) for _ in range(ROUNDS)
            )
            for words, said in ((["--help"], ""), (["list"], ""), (["audit", *GOOD], ", kept answers"))
        }
        return {**cold, **warm}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def installed_megabytes() -> float:
    """The size of all that is installed beside this neverlost."""
    files = (file for folder in site.getsitepackages() for file in Path(folder).rglob("*"))
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def in_process(python: str, *arguments: str) -> dict[str, float]:
    """The figures that this script prints for some arguments, by another Python, with an empty cache."""
    folder = tempfile.mkdtemp(prefix="neverlost-bench-")
    try:
        ran = subprocess.run(
            [python, __file__, *arguments],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "NEVERLOST_CACHE": folder},
        )
        figures: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
        return figures
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def all_figures(pythons: list[str], kernels: list[int]) -> list[dict[str, float]]:
    """Every figure of every installation, by turns."""
    found: list[dict[str, float]] = [{} for _ in pythons]

    def note(measure: Callable[[int], dict[str, float]], rounds: int) -> None:
        for _ in range(rounds):
            for number in range(len(pythons)):
                for name, figure in measure(number).items():
                    found[number][name] = min(figure, found[number].get(name, figure))
            print(".", end="", file=sys.stderr, flush=True)

    for name in ("kip-320", "kafka-3.5, symmetric"):
        note(lambda number, name=name: in_process(pythons[number], "--kernel", name), ROUNDS)
    note(lambda number: in_process(pythons[number], "--memory", str(kernels[number])), 1)
    note(lambda number: command_figures(pythons[number]), 1)
    note(lambda number: in_process(pythons[number], "--size"), 1)
    print(file=sys.stderr)
    return found


def show_levels() -> None:
    """Print what a kernel costs at each level, and beside it how many times that of the highest level it is."""
    print(f"{'':48}" + "".join(f"{f'level {level}':>18}" for level in LEVELS))
    for name in ("kip-320", "kafka-3.5, symmetric"):
        found: list[dict[str, float]] = [{} for _ in LEVELS]
        for _ in range(ROUNDS):
            for best, level in zip(found, LEVELS, strict=True):
                for figure, value in in_process(sys.executable, "--kernel", name, "--level", str(level)).items():
                    best[figure] = min(value, best.get(figure, value))
        for figure, highest in found[-1].items():
            print(f"{figure:48}" + "".join(f"{best[figure]:>10.3f} {best[figure] / highest:>6.2f}x" for best in found))


def main() -> None:
    """Print the table, or the figures of one measure as JSON, which the table is made of."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before")
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--kernels-before", type=int, default=5)
    for name in ("--kernel", "--memory"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--levels", action="store_true")
    parser.add_argument("--level", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--size", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.level is not None:
        from neverlost.explorer.compile.emitter import machine

        machine.SPEED = machine.SPEED_OF_LARGE = chosen.level
    if chosen.levels:
        show_levels()
    elif chosen.kernel:
        print(json.dumps(kernel_figures(chosen.kernel)))
    elif chosen.memory:
        print(json.dumps(memory_figures(int(chosen.memory))))
    elif chosen.size:
        print(json.dumps({"installed, MB": installed_megabytes()}))
    else:
        pythons = [*([chosen.before] if chosen.before else []), sys.executable]
        found = all_figures(pythons, [chosen.kernels_before, chosen.kernels][-len(pythons) :])
        print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}")
        for name, figure in found[-1].items():
            before = f"{found[0][name]:>12.3f}  {found[0][name] / figure:>8.1f}x" if chosen.before else ""
            print(f"{name:<48}{figure:>12.3f}{before}")


if __name__ == "__main__":
    main()
