"""How long a history takes to be read and judged, by its form and size: `python benchmarks/bench_history.py 10000000`."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from neverlost.conformance.history import Judge, Recorder, forms_of

OPERATIONS = 200_000
PARTITIONS, PRODUCERS, CONSUMERS, POLLED = 20, 20, 4, 4


def operations(count: int, seed: int) -> Iterator[tuple[str, str, int, list[object]]]:
    """A history without an anomaly: (type, function, process, value). Each consumer polls partitions of its own, in order."""
    random = Random(seed)
    logs: list[list[int]] = [[] for _ in range(PARTITIONS)]
    positions = [0] * PARTITIONS
    value = 0
    for _ in range(count // 2):
        if random.random() < 0.7:
            process, partition = random.randrange(PRODUCERS), random.randrange(PARTITIONS)
            value += 1
            logs[partition].append(value)
            yield "invoke", "send", process, [["send", partition, value]]
            yield "ok", "send", process, [["send", partition, [len(logs[partition]) - 1, value]]]
        else:
            partition = random.randrange(PARTITIONS)
            process, start = PRODUCERS + partition % CONSUMERS, positions[partition]
            got = [[start + number, read] for number, read in enumerate(logs[partition][start : start + POLLED])]
            positions[partition] += len(got)
            yield "invoke", "poll", process, [["poll"]]
            yield "ok", "poll", process, [["poll", {partition: got}]]


def edn(value: object) -> str:
    if isinstance(value, list):
        return "[" + " ".join(map(edn, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{edn(key)} {edn(item)}" for key, item in value.items()) + "}"
    return f":{value}" if isinstance(value, str) else str(value)


def json_line(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(json_line, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {json_line(item)}' for key, item in value.items()) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)


def write(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for index, (kind, function, process, value) in enumerate(operations(count, seed=1)):
            if path.suffix == ".edn":
                said = f":process {process}, :type :{kind}, :f :{function}, :value {edn(value)}"
                file.write(f"{{{said}, :index {index}, :time {index * 1000}}}\n")
            else:
                said = f'"process": {process}, "type": "{kind}", "f": "{function}", "value": {json_line(value)}'
                file.write(f'{{{said}, "index": {index}, "time": {index * 1000}}}\n')


def measure(path: Path, count: int) -> None:
    began, busy = time.perf_counter(), time.process_time()
    recorder = Recorder()
    with path.open("rb") as file:
        recorder.take(forms_of(file, recorder.note))
    history = recorder.history(path.name)
    read = time.perf_counter() - began
    judge = Judge(history)
    judge.anomalies()
    judged = time.perf_counter() - began - read
    busy = time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{path.suffix[1:]:5}{count:>11,} operations: read in {read:.1f} s, judged in {judged:.1f} s, {busy:.1f} s of one core;"
        f" {path.stat().st_size / 1e6:,.0f} MB of text, at most {memory:,.0f} MiB so far; found {sum(judge.counts.values())}",
        flush=True,
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else OPERATIONS
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("json", "edn"):
            path = Path(folder) / f"history.{suffix}"
            write(path, count)
            measure(path, count)
            path.unlink()


if __name__ == "__main__":
    main()
