"""What the checks that people ask for first cost in another checkout and in this one: states, seconds, and how many times fewer.

    git worktree add --detach ../before COMMIT
    python benchmarks/bench_two_checkouts.py ../before

Each search runs in both, one after the other, in processes that stay. Seconds are those of the processor, the least of five; kernels
are compiled before, and optimised. A line is left out if the other checkout does not know its version.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CHECKS = {"1 crash": {"crashes": 1}, "3 leader moves": {"leader_moves": 3}}
DURABLE = {"acks": 2, "min_isr": 2}
HERE = Path(__file__).parents[1]
SEARCHES = """
import inspect, json, sys, time
from neverlost.explorer.search import explore
try:
    from neverlost.spec.families import profiles
except ImportError:
    from neverlost.spec import profiles
try:
    from neverlost.explorer.engines import compiled
    compiled.first_text = lambda text: text
except ImportError:
    pass
cut = {"without_harmless": True} if "without_harmless" in inspect.signature(explore).parameters else {}
for line in sys.stdin:
    name, settings = json.loads(line)
    found = profiles()
    if name not in found:
        print("null", flush=True)
        continue
    model, seconds = found[name].bounded(**settings), []
    for _ in range(6):
        began = time.process_time()
        result = explore(model, symmetry=True, properties=["acked_never_lost"], **cut)
        seconds.append(time.process_time() - began)
    trace = result.findings["acked_never_lost"].trace
    print(json.dumps([result.distinct, len(trace) - 1 if trace else None, min(seconds[1:])]), flush=True)
"""


def searching(checkout: Path) -> subprocess.Popen[str]:
    """A process that searches what it is asked with the packages of a checkout: those of its current folder come first."""
    return subprocess.Popen(
        [sys.executable, "-c", SEARCHES], cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def asked(process: subprocess.Popen[str], name: str, settings: dict[str, int]) -> tuple[int, int | None, float] | None:
    """States, the steps of a loss, seconds; None if the checkout has no such version."""
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps([name, settings]), file=process.stdin, flush=True)
    answer = json.loads(process.stdout.readline())
    return tuple(answer) if answer else None


def main() -> None:
    from neverlost.spec.kafka.replication.versions import VERSIONS

    before, now = searching(Path(sys.argv[1])), searching(HERE)
    print("| version | check | loss in | states before | now | times | s before | now | times |\n" + "|---" * 9 + "|")
    for version in VERSIONS:
        for check, settings in CHECKS.items():
            old, new = (asked(process, version.name, {**DURABLE, **settings}) for process in (before, now))
            if old is None or new is None:
                continue
            assert old[1] == new[1], f"{version.name}, {check}: a loss in {old[1]} and {new[1]} steps"
            states = f"{old[0]:,} | {new[0]:,} | {old[0] / new[0]:.2f}"
            seconds = f"{old[2]:.3f} | {new[2]:.3f} | {old[2] / new[2]:.2f}"
            print(f"| `{version.name}` | {check} | {new[1] or 'none'} | {states} | {seconds} |", flush=True)
    for process in (before, now):
        process.communicate()


if __name__ == "__main__":
    main()
