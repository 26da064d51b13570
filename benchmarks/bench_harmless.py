"""What it saves not to expand harmless states: searches for a loss, with and without them, in turns.

    python benchmarks/bench_harmless.py            a line for each version and check

Seconds are those of the processor, the least of five searches of each kind; the kernel is compiled before.
"""

from __future__ import annotations

import time

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.model.core import Model
from neverlost.spec.kafka.replication.versions import version_named

LOSS = "acked_never_lost"
ALL = {"acks": 2, "min_isr": 2}
VERSIONS = ("kafka-2.1", "kafka-3.5", "kafka-3.7", "kafka-4.1")
CHECKS = {
    "as it is": {},
    "1 crash": {**ALL, "crashes": 1},
    "1 crash, 1 pause": {**ALL, "crashes": 1, "pauses": 1},
    "1 crash, 2 leader moves": {**ALL, "crashes": 1, "leader_moves": 2},
    "1 value, 2 crashes, 3 moves": {**ALL, "values": 1, "crashes": 2, "leader_moves": 3},
}
ROUNDS = 5


def timed(model: Model, without_harmless: bool) -> tuple[float, Result]:
    """The processor's seconds for a search, and its result."""
    began = time.process_time()
    result = explore(model, properties=[LOSS], symmetry=True, without_harmless=without_harmless)
    return time.process_time() - began, result


def line(model: Model) -> str:
    """Verdict, states and seconds of both searches, and how many times fewer."""
    timed(model, True)
    rounds = [[timed(model, less) for less in (False, True)] for _ in range(ROUNDS)]
    before, after = (min(seconds for seconds, _ in kind) for kind in zip(*rounds, strict=True))
    whole, less = rounds[0][0][1], rounds[0][1][1]
    assert whole.verdict == less.verdict
    states = f"{whole.distinct:>10,} {less.distinct:>10,} {whole.distinct / less.distinct:>6.2f}"
    return f"{whole.verdict:>9}  {states}  {before:>6.2f} {after:>6.2f} {before / after:>6.2f}"


def main() -> None:
    print(f"{'version':11}{'check':28}{'':>8}  {'states':>10} {'':>10} {'times':>6}  {'s':>6} {'':>6} {'times':>6}")
    for name in VERSIONS:
        for check, settings in CHECKS.items():
            print(f"{name:11}{check:28}{line(version_named(name).bounded(**settings))}", flush=True)


if __name__ == "__main__":
    main()
