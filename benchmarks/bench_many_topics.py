"""Audits a description of a thousand topics, twice with one store: how long, in how many classes, with how much memory.

python benchmarks/bench_many_topics.py [TOPICS]
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "audit" / "good"
PARTITIONS, BROKERS = 12, range(1, 7)


def description(topics: int) -> str:
    """What kafka-topics.sh --describe prints of topics that differ as those of a company do."""
    chance, lines = random.Random(topics), []
    for number in range(topics):
        replicas = 1 if number % 50 == 0 else 3
        configs = [f"retention.ms={3_600_000 * (1 + number % 240)}"]
        configs += ["min.insync.replicas=2"] if replicas == 3 and number % 3 else []
        configs += ["min.insync.replicas=1"] if replicas == 1 else []
        configs += ["unclean.leader.election.enable=true"] if number % 97 == 0 else []
        head = f"PartitionCount: {PARTITIONS}\tReplicationFactor: {replicas}\tConfigs: {','.join(configs)}"
        lines.append(f"Topic: team-{number % 40}.topic-{number}\tTopicId: id{number}\t{head}")
        for partition in range(PARTITIONS):
            members = chance.sample(BROKERS, replicas)
            whole = ",".join(map(str, members))
            said = f"Leader: {members[0]}\tReplicas: {whole}\tIsr: {whole}"
            lines.append(f"\tTopic: team-{number % 40}.topic-{number}\tPartition: {partition}\t{said}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print a row for the first audit and one for the second."""
    topics = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as folder:
        path, store, out = Path(folder) / "topics.txt", Path(folder) / "store", Path(folder) / "audit.json"
        path.write_text(description(topics), encoding="utf-8")
        files = [
            str(path),
            *(str(EXAMPLE / name) for name in ("producer.properties", "server.properties", "cluster.features.txt")),
        ]
        command = [
            sys.executable,
            "-m",
            "neverlost",
            "audit",
            *files,
            "--store",
            str(store),
            "--json",
            str(out),
            "--quiet",
        ]
        for name in ("first", "second"):
            begun = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            seconds = time.perf_counter() - begun
            found = json.loads(out.read_text(encoding="utf-8"))
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(
                f"{name}: {topics:,} topics in {len(found['classes'])} classes, {path.stat().st_size / 1e6:.1f} MB,"
                f" exit {done.returncode}, {seconds:.1f} s, at most {peak:,.0f} MiB so far"
            )


if __name__ == "__main__":
    main()
