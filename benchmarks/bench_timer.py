"""What an insert and a cancel cost in the timing wheel, from 1,000 to 1,000,000 tasks that wait; a heap beside it.

The heap's cancel takes the task out, as the wheel's does, so that no memory is kept for what will never be done: it has to look for it.
"""

from __future__ import annotations

import gc
import heapq
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from neverlost.conformance.inprocess.timer import Timer
from neverlost.conformance.inprocess.timing_wheel import TimerTask

PENDING = (1_000, 10_000, 100_000, 1_000_000)
LONGEST_MS = 600_000
OPERATIONS = 20_000
HEAP_CANCELS = 5
REPEATS = 7
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 320, 70, 40
LOWEST_EXPONENT, DECADES = 2, 6


def nothing() -> None:
    """What every task does."""


def nanoseconds(work: Callable[[], None], operations: int) -> float:
    """Processor time, which other work on the machine disturbs less than the clock on the wall."""
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / operations


def wheel_costs(pending: int, random: Random) -> tuple[float, float]:
    """Nanoseconds for one insert and for one cancel among so many tasks: the least of several repeats."""
    timer = Timer()
    for _ in range(pending):
        timer.add(random.randrange(1, LONGEST_MS), nothing)
    inserts, cancels = [], []
    for _ in range(REPEATS):
        deadlines = [random.randrange(1, LONGEST_MS) for _ in range(OPERATIONS)]
        tasks: list[TimerTask] = []

        def insert(deadlines: list[int] = deadlines, tasks: list[TimerTask] = tasks) -> None:
            add, keep = timer.add, tasks.append
            for deadline in deadlines:
                keep(add(deadline, nothing))

        def cancel(tasks: list[TimerTask] = tasks) -> None:
            for task in tasks:
                task.cancel()

        inserts.append(nanoseconds(insert, OPERATIONS))
        random.shuffle(tasks)
        cancels.append(nanoseconds(cancel, OPERATIONS))
    return min(inserts), min(cancels)


def heap_costs(pending: int, random: Random) -> tuple[float, float]:
    """The same of a heap."""
    heap = [(random.randrange(1, LONGEST_MS), number) for number in range(pending)]
    heapq.heapify(heap)
    inserts, cancels = [], []
    for _ in range(REPEATS):
        added = [(random.randrange(1, LONGEST_MS), pending + number) for number in range(OPERATIONS)]

        def insert(added: list[tuple[int, int]] = added) -> None:
            for task in added:
                heapq.heappush(heap, task)

        def cancel() -> None:
            for task in random.sample(heap, HEAP_CANCELS):
                position = heap.index(task)
                heap[position] = heap[-1]
                heap.pop()
                heapq.heapify(heap)

        inserts.append(nanoseconds(insert, OPERATIONS))
        del heap[pending + HEAP_CANCELS :]
        cancels.append(nanoseconds(cancel, HEAP_CANCELS))
    return min(inserts), min(cancels)


def place(pending: int, cost: float) -> tuple[float, float]:
    """Where a measurement lies in the plot, whose axes are both logarithmic."""
    from math import log10

    x = LEFT + (log10(pending) - 3) / 3 * (WIDTH - LEFT - 150)
    y = HEIGHT - BOTTOM - (log10(cost) - LOWEST_EXPONENT) / DECADES * (HEIGHT - BOTTOM - 20)
    return round(x, 1), round(y, 1)


def plot(costs: dict[str, list[float]]) -> str:
    """The measurements as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="14">nanoseconds for one operation, by how many tasks wait</text>',
    ]
    for exponent in range(LOWEST_EXPONENT, LOWEST_EXPONENT + DECADES + 1):
        _, y = place(1_000, 10**exponent)
        parts.append(
            f'<path d="M{LEFT} {y}H{WIDTH - 150}" stroke="#ddd"/><text x="8" y="{y + 4}">{10**exponent:,}</text>'
        )
    for pending in PENDING:
        x, _ = place(pending, 100)
        parts.append(f'<text x="{x}" y="{HEIGHT - 12}" text-anchor="middle">{pending:,}</text>')
    colours = ("#0a6", "#06c", "#999", "#c33")
    for (name, values), colour in zip(costs.items(), colours, strict=True):
        points = [place(pending, cost) for pending, cost in zip(PENDING, values, strict=True)]
        line = " ".join(f"{x},{y}" for x, y in points)
        x, y = points[-1]
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 6}" y="{y + 4}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    random = Random(1)
    costs: dict[str, list[float]] = {"wheel, insert": [], "wheel, cancel": [], "heap, insert": [], "heap, cancel": []}
    gc.disable()
    for pending in PENDING:
        measured = (*wheel_costs(pending, random), *heap_costs(pending, random))
        gc.collect()
        for values, cost in zip(costs.values(), measured, strict=True):
            values.append(cost)
        shown = "  ".join(f"{name} {cost:,.0f}" for name, cost in zip(costs, measured, strict=True))
        print(f"{pending:>9,} tasks wait, ns: {shown}", flush=True)
    for name, values in costs.items():
        print(f"{name}, 1,000,000 / 1,000: {values[-1] / values[0]:.1f}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(plot(costs), encoding="utf-8")


if __name__ == "__main__":
    main()
