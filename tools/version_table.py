"""The tables of versions on the page about real brokers, from the files of soaks: one for each kind of runs.

python tools/version_table.py soak.ndjson [more.ndjson ...]
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from neverlost.conformance.cluster.releases import release_named, runnable_releases
from neverlost.conformance.cluster.soaking import Kind
from neverlost.reports.soak.as_json import kind_of
from neverlost.spec.kafka.replication.differences import TIME_LINE

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "real-brokers.md"


def rows(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each release and mode: its version of the model, the runs and steps, and the first difference."""
    by_release: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for run in runs:
        by_release.setdefault((run["release"], run["mode"]), []).append(run)
    lines = ["| release | version of the model | random runs | steps | outcome |", "|---|---|---|---|---|"]
    for release, modes in runnable_releases().items():
        for mode in reversed(modes):
            own = by_release.get((release, mode), [])
            if not own:
                continue
            steps = sum(run["steps"] for run in own)
            version = TIME_LINE.version_name(release, release_named(release, mode).mode)
            lines.append(f"| {release} with {mode} | `{version}` | {len(own)} | {steps:,} | {outcome(own)} |")
    runs_in_all = sum(map(len, by_release.values()))
    steps_in_all = sum(run["steps"] for own in by_release.values() for run in own)
    return [*lines, f"| all | | {runs_in_all:,} | {steps_in_all:,} | |"]


def outcome(runs: list[Mapping[str, Any]]) -> str:
    """Whether every step was one of the model's; else the numbers of the runs that differ."""
    bad = [run for run in runs if run["difference"] is not None or run["trouble"]]
    return "conforms" if not bad else "differs in run " + ", ".join(str(run["number"]) for run in bad)


def by_action(runs: Iterable[Mapping[str, Any]]) -> str:
    """How many steps of each action there were, the most frequent first; empty if the lines do not say so."""
    counts = sum((Counter[str](run.get("actions", {})) for run in runs), Counter[str]())
    return ", ".join(f"`{action}` {count:,}" for action, count in counts.most_common())


def with_table(text: str, kind: Kind, runs: list[Mapping[str, Any]]) -> str:
    """The page with the table of the runs of a kind. Raises ValueError if it has no place for it."""
    of_the_kind = kind.in_words.replace(" steps", "").replace(", ", "-").replace(" ", "-")
    name = "-".join(filter(None, ("versions", of_the_kind)))
    kinds = by_action(runs)
    table = "\n".join([*rows(runs), *(["", f"Steps by action: {kinds}."] if kinds else [])])
    place = re.compile(rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->\n)", re.DOTALL)
    if not place.search(text):
        raise ValueError(f"the page has no place for {name}")
    return place.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", text)


def main() -> None:
    """Write the tables into the page; those of kinds that no file has stay."""
    runs = [json.loads(line) for name in sys.argv[1:] for line in Path(name).read_text(encoding="utf-8").splitlines()]
    text = PAGE.read_text(encoding="utf-8")
    for kind in dict.fromkeys(map(kind_of, runs)):
        text = with_table(text, kind, [run for run in runs if kind_of(run) == kind])
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
