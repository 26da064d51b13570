"""What came of schedules on the page about what real brokers do between two steps, from what `neverlost known --json` wrote.

python tools/schedules_page.py known.json [more.json ...]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from neverlost.conformance.cluster.schedules import schedules

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "real-steps-on-brokers.md"
BEGIN, END = "<!-- schedules: begin -->\n", "<!-- schedules: end -->\n"
SILENT = ("hold", "open")
"""Commands whose output is left out: how many requests waited."""
WIDTH = 42


def section(name: str, played: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What a schedule is about, what came of it on each release, and its steps on one: the last on which it shows something."""
    (schedule,) = schedules([name])
    yield f"### {name}\n\n{schedule.about[0].upper()}{schedule.about[1:]}.\n"
    yield f"    neverlost known {name} --steps\n"
    yield "| release | times | outcome |\n|---|---|---|"
    for one in played:
        otherwise = "" if one["as_known"] else " (**not as known**)"
        yield f"| {one['release']} | {len(one['runs'])} | {one['outcome']}{otherwise} |"
    if schedule.control_of is None:
        telling = [one for one in played if one["known"]["lost"] or one["known"]["diverged"]] or played
        yield f"\nOn Kafka {telling[-1]['release']}, the last of these runs:\n\n```text"
        yield from transcript(telling[-1]["runs"][-1])
        yield "```"
    yield ""


def transcript(run: Mapping[str, Any]) -> Iterator[str]:
    """Each step with what was seen, and the end."""
    for row in run["steps"]:
        seen = [] if row["step"].split()[0] in SILENT else row["seen"].split("; ")
        narrow = len(row["step"]) <= WIDTH
        yield f"{row['step'].ljust(WIDTH)}  {seen.pop(0) if seen and narrow else ''}".rstrip()
        yield from (f"{'':{WIDTH}}  {line}" for line in seen)
    outcome = run["outcome"]
    yield "in the end"
    yield from (f"  {row['value']} was {row['answer']}" for row in outcome["answers"])
    for partition, rows in groupby(outcome["logs"], key=lambda row: row["partition"]):
        yield f"  logs of {partition}: " + ", ".join(f"{row['broker']} [{' '.join(row['values'])}]" for row in rows)


def main() -> None:
    """Write what came of schedules into the page."""
    found: dict[str, list[Mapping[str, Any]]] = {schedule.name: [] for schedule in schedules()}
    for name in sys.argv[1:]:
        for one in json.loads(Path(name).read_text(encoding="utf-8"))["schedules"]:
            found[one["schedule"]].append(one)
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    lines = [line for name, played in found.items() if played for line in section(name, played)]
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
