"""The table of versions on the page about real brokers, from the files of soaks.

python tools/version_table.py soak.ndjson [more.ndjson ...]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from neverlost.conformance.cluster.releases import release_named, runnable_releases
from neverlost.spec.kafka.replication.differences import TIME_LINE

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "real-brokers.md"
BEGIN, END = "<!-- versions: begin -->\n", "<!-- versions: end -->\n"


def rows(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each release and mode: its version of the model, the runs and steps, and the first difference."""
    by_release: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for run in runs:
        by_release.setdefault((run["release"], run["mode"]), []).append(run)
    lines = ["| release | version of the model | random runs | steps | outcome |", "|---|---|---|---|---|"]
    for release, modes in runnable_releases().items():
        for mode in reversed(modes):
            own = by_release.get((release, mode), [])
            steps = sum(run["steps"] for run in own)
            version = TIME_LINE.version_name(release, release_named(release, mode).mode)
            lines.append(f"| {release} with {mode} | `{version}` | {len(own)} | {steps:,} | {outcome(own)} |")
    runs_in_all = sum(map(len, by_release.values()))
    steps_in_all = sum(run["steps"] for own in by_release.values() for run in own)
    return [*lines, f"| all | | {runs_in_all:,} | {steps_in_all:,} | |"]


def outcome(runs: list[Mapping[str, Any]]) -> str:
    """Whether every step was one of the model's; else the numbers of the runs that differ."""
    bad = [run for run in runs if run["difference"] is not None or run["trouble"]]
    if not runs:
        return "not run"
    return "conforms" if not bad else "differs in run " + ", ".join(str(run["number"]) for run in bad)


def main() -> None:
    """Write the table into the page."""
    runs = [json.loads(line) for name in sys.argv[1:] for line in Path(name).read_text(encoding="utf-8").splitlines()]
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(rows(runs)) + f"\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
