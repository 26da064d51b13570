"""What the checks cost that people ask for first: every version of Kafka as it is, with one fault, and with three moves of the leader.

    python benchmarks/bench_default_checks.py            a line for each version
    python benchmarks/bench_default_checks.py 1          the same with one delay

Seconds are those of the processor, so that a busy machine counts for little; the kernel is compiled before.
"""

from __future__ import annotations

import sys
import time

from neverlost.explorer.search import explore
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.versions import VERSIONS

DURABLE = {"acks": 2, "min_isr": 2}
CHECKS = {
    "no fault": {},
    "1 crash": {"crashes": 1},
    "1 power loss": {"power_losses": 1},
    "3 leader moves": {"leader_moves": 3},
}


def main() -> None:
    delays = {"delays": int(sys.argv[1])} if len(sys.argv) > 1 else {}
    explore(profiles()["kafka-2.1"].bounded(**DURABLE, **delays), symmetry=True)
    print(f"{'version':18}" + "".join(f"{name:>30}" for name in CHECKS))
    for version in VERSIONS:
        cells = []
        for faults in CHECKS.values():
            model = version.bounded(**DURABLE, **faults, **delays)
            began = time.process_time()
            result = explore(model, symmetry=True)
            cells.append(f"{result.verdict}, {result.distinct:,}, {time.process_time() - began:.2f} s")
        print(f"{version.name:18}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
