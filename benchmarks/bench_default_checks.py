"""What the checks cost that people ask for first: every version of Kafka as it is, with one fault, and with three moves of the leader.

    python benchmarks/bench_default_checks.py            a line for each version
    python benchmarks/bench_default_checks.py 1          the same with one delay
    python benchmarks/bench_default_checks.py quorum     the controllers' quorum, which has other faults
    python benchmarks/bench_default_checks.py groups     consumer groups, each protocol of a version

Seconds are those of the processor, so that a busy machine counts for little; the kernel is compiled before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence

from neverlost.explorer.search import explore
from neverlost.model.core import Profile
from neverlost.model.kafka.groups.state import Protocol
from neverlost.spec.kafka.groups.versions import VERSIONS as GROUPS
from neverlost.spec.kafka.quorum.versions import VERSIONS as QUORUMS
from neverlost.spec.kafka.replication.versions import VERSIONS

DURABLE = {"acks": 2, "min_isr": 2}
CHECKS = {
    "no fault": {},
    "1 crash": {"crashes": 1},
    "1 power loss": {"power_losses": 1},
    "3 leader moves": {"leader_moves": 3},
}
QUORUM_CHECKS = {
    "no fault": {},
    "1 lost directory": {"disk_losses": 1},
    "the same, kraft.version 1": {"disk_losses": 1, "kraft_version": 1},
}
GROUP_CHECKS = {
    "no fault": {},
    "1 later member": {"joins": 1},
    "1 crash": {"crashes": 1},
    "1 timeout": {"timeouts": 1},
    "1 crash, 1 timeout": {"crashes": 1, "timeouts": 1},
}


def compare(
    versions: Sequence[Profile],
    checks: Mapping[str, Mapping[str, int]],
    asked: Mapping[str, int],
    *,
    symmetry: bool = True,
) -> None:
    """Print a line for each version, and a cell for each check."""
    explore(versions[0].bounded(**asked), symmetry=symmetry)
    print(f"{'version':18}" + "".join(f"{name:>30}" for name in checks))
    for version in versions:
        cells = []
        for chosen in checks.values():
            model = version.bounded(**asked, **chosen)
            began = time.process_time()
            result = explore(model, symmetry=symmetry)
            cells.append(f"{result.verdict}, {result.distinct:,}, {time.process_time() - began:.2f} s")
        print(f"{version.name:18}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


def main() -> None:
    if sys.argv[1:] == ["quorum"]:
        compare(QUORUMS, QUORUM_CHECKS, {})
    elif sys.argv[1:] == ["groups"]:
        for protocol, name in enumerate(Protocol.names):
            print(name)
            having = [version for version in GROUPS if protocol not in version.lacks["protocol"]]
            compare(having, GROUP_CHECKS, {"protocol": protocol}, symmetry=False)
    else:
        delays = {"delays": int(sys.argv[1])} if len(sys.argv) > 1 else {}
        compare(VERSIONS, CHECKS, {**DURABLE, **delays})


if __name__ == "__main__":
    main()
