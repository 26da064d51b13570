"""What a baseline kernel saves: the first check of a model, and its repetition, with and without one, in turns.

    python benchmarks/bench_baseline.py            a line for each check

Wall-clock seconds of the whole search within one process, the least of three; each first check begins with an empty cache.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable

from neverlost.explorer.compile import cache
from neverlost.explorer.engines import compiled
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetric_domains
from neverlost.model.core import Model
from neverlost.spec import profiles

ALL = {"acks": 2, "min_isr": 2}
CHECKS = {
    "kafka-routing": {},
    "published/kip-320": {},
    "kafka-purgatory": {},
    "kafka-2.1": {**ALL, "crashes": 1},
    "kafka-4.1": {**ALL, "leader_moves": 1},
    "kafka-4.3": {**ALL, "leader_moves": 1, "delays": 1},
    "kafka-3.7": {**ALL, "leader_moves": 1, "crashes": 1, "retries": 1},
}
ROUNDS = 3
WITHOUT, WITH = (lambda text: text), cache.first_text


def timed(model: Model) -> tuple[float, int]:
    """The seconds of a search in a process that has loaded no kernel, and its states."""
    cache._LOADED.clear()
    cache._SEARCHED.clear()
    began = time.perf_counter()
    result = explore(model, symmetry=bool(symmetric_domains(model)))
    return time.perf_counter() - began, result.distinct


def first_and_again(model: Model, first_text: Callable[[str], str]) -> tuple[float, float, int]:
    """The seconds of the first search and of its repetition, and how many states there are."""
    compiled.first_text = first_text  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NEVERLOST_CACHE"] = folder
        first, states = timed(model)
        return first, timed(model)[0], states


def main() -> None:
    print(f"{'':20}{'states':>12}  {'first check':>20}  {'repeated':>20}")
    print(f"{'seconds':20}{'':12}  {'without':>8}{'with':>6}{'times':>6}  {'without':>8}{'with':>6}{'times':>6}")
    for name, settings in CHECKS.items():
        model = profiles()[name].bounded(**settings)
        rounds = [[first_and_again(model, first_text) for first_text in (WITHOUT, WITH)] for _ in range(ROUNDS)]
        firsts, again = ([min(pair[kind][part] for pair in rounds) for kind in (0, 1)] for part in (0, 1))
        cells = "  ".join(f"{without:>8.2f}{with_:>6.2f}{without / with_:>6.2f}" for without, with_ in (firsts, again))
        print(f"{name:20}{rounds[0][0][2]:>12,}  {cells}", flush=True)


if __name__ == "__main__":
    main()
