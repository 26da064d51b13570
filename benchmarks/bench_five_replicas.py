"""What it takes to decide Kafka's versions with five replicas: acks=all, min.insync.replicas=2, log 2, 2 values, few faults.

    python benchmarks/bench_five_replicas.py                        every version; takes about an hour
    python benchmarks/bench_five_replicas.py kafka-4.1 kafka-2.1    some of them

Each cell is a search under symmetry in a process of its own, on all processors: the verdict on whether an acknowledged record is lost,
in how many steps, the classes of states until then, seconds, and the peak of memory. `holds*`: leader epochs ran out in some state.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

from neverlost.explorer.process.memory import peak_bytes
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.versions import VERSIONS

ASKED = {"replicas": 5, "log_size": 2, "values": 2, "leader_epochs": 4, "acks": ACKS_ALL, "min_isr": 2}
FAULTS = {
    "1 leader move": {"leader_moves": 1},
    "1 shutdown": {"shutdowns": 1},
    "1 crash": {"crashes": 1},
    "2 crashes": {"crashes": 2},
    "1 power loss": {"power_losses": 1},
}
SECONDS = 600.0


def cell(version: str, faults: str) -> str:
    """Decide one question in this process."""
    model = profiles()[version].bounded(**ASKED, **FAULTS[faults])
    limits = Limits(seconds=SECONDS)
    result = explore(model, properties=["acked_never_lost"], symmetry=True, workers=os.cpu_count() or 1, limits=limits)
    finding = result.findings["acked_never_lost"]
    verdict = f"{finding.verdict}"
    if finding.trace is not None:
        verdict = f"lost in {len(finding.trace.steps)}"
    elif finding.verdict == Verdict.HOLDS and result.ran_out:
        verdict = "holds*"
    return f"{verdict}, {result.distinct:,}, {result.seconds:.1f} s, {peak_bytes() / 2**30:.1f} GiB"


def main() -> None:
    """Print a line for each version, and a cell for each choice of faults."""
    if sys.argv[1:2] == ["cell"]:
        print(cell(*sys.argv[2:]))
        return
    named = sys.argv[1:] or [version.name for version in VERSIONS]
    print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    for version in named:
        for faults in FAULTS:
            command = [sys.executable, __file__, "cell", version, faults]
            found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
            print(f"{version:18} {faults:16} {found}", flush=True)


if __name__ == "__main__":
    main()
