"""The first audit, with an empty cache, of files that leave much open: how many readings, how long, and what is searched for.

python benchmarks/bench_readings.py
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples" / "audit"
CASES = {
    "everything said": ["good"],
    "release, mode and ELR open": ["good/producer.properties", "good/topic.properties"],
    "the client open too": ["good/topic.properties"],
    "Spring Boot": ["spring"],
    "Strimzi": ["strimzi"],
    "compose": ["compose"],
}


def main() -> None:
    """Print a row for each case."""
    print(f"{'files':28}{'readings':>9}{'verdict':>10}{'searched':>10}{'processor s':>12}{'s':>6}")
    for name, files in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "audit.json"
            command = [sys.executable, "-m", "neverlost", "audit", *(str(EXAMPLES / file) for file in files)]
            before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [*command, "--quiet", "--json", str(out)],
                env={**os.environ, "NEVERLOST_CACHE": str(Path(folder) / "cache")},
                stdout=subprocess.DEVNULL,
                check=False,
            )
            seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
            (only,) = json.loads(out.read_text(encoding="utf-8"))["classes"]
            readings = sum(len(one["open"]) for one in only["readings"])
            searched = sum(finding["from"] == "search" for finding in only["findings"])
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{name:28}{readings:9}{only['verdict']:>10}{searched:10}{used:12.1f}{seconds:6.1f}")


if __name__ == "__main__":
    main()
