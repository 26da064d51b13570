"""What many searches cost together: the matrix, and an audit that asks about orderly restarts, each with nothing kept from before.

    python benchmarks/bench_studies.py

Prints the seconds that passed, those of the processor, compilation included, and the load at the end. On a busy machine the
seconds that passed say nothing, and those of the processor are more than on an idle one.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOOD = Path(__file__).parent.parent / "examples" / "audit" / "good"
STUDIES = {
    "matrix": ["matrix"],
    "audit --survive rolling-restart": ["audit", "--survive", "rolling-restart", *map(str, sorted(GOOD.iterdir()))],
}


def processor_seconds() -> float:
    """What the processes that have ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


for name, arguments in STUDIES.items():
    with tempfile.TemporaryDirectory() as folder:
        began, used = time.perf_counter(), processor_seconds()
        command = [sys.executable, "-m", "neverlost", *arguments, "--store", f"{folder}/answers"]
        ended = subprocess.run(command, env={**os.environ, "NEVERLOST_CACHE": folder}, capture_output=True, check=False)
        if ended.returncode not in (0, 1):
            raise SystemExit(ended.stderr.decode())
        passed, used = time.perf_counter() - began, processor_seconds() - used
    print(f"{name}: {passed:.1f} s, {used:.1f} s of the processor; load {os.getloadavg()[0]:.1f}", flush=True)
