"""Searches what spec/kafka/facts.json and bugs.json tell of, and fills in what both engines found.

    python tools/facts_table.py              every search that has no figures yet
    python tools/facts_table.py NAME...      every search of these facts and bugs, anew
    python tools/facts_table.py all          every search, anew

A verdict that differs from the one in the file, or a search that holds without anything having happened, stops the run: nothing is
written to that file then.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from fact_searches import engines_for, figures, run, unwitnessed

from neverlost.explorer.files.json_text import json_text
from neverlost.spec.kafka.facts import RecordedSearch

FOLDER = Path(__file__).parents[1] / "spec" / "kafka"


def searched(values: dict[str, Any]) -> dict[str, Any]:
    """The search with its figures. Raises ValueError if they contradict what it says, or each other."""
    search = RecordedSearch(**values)
    result = run(search, "compiled")
    found = figures(search, result)
    if found["verdict"] != search.verdict:
        raise ValueError(f"{search.label}: {found['verdict']}, not {search.verdict}")
    if unwitnessed(search, result):
        raise ValueError(f"{search.label}: never seen: {', '.join(unwitnessed(search, result))}")
    engines = engines_for(result.distinct)
    for engine in engines[1:]:
        if figures(search, run(search, engine)) != found:
            raise ValueError(f"{search.label}: the {engine} engine disagrees")
    return {**values, **found, "confirmed_by": engines}


def fill(values: dict[str, Any], name: str, wanted: list[str]) -> dict[str, Any]:
    """The search with its figures, if it is to be made anew, or has none yet."""
    if not ({name, "all"} & set(wanted) or (not wanted and values["distinct"] is None)):
        return values
    found = searched(values)
    length = None if found["steps"] is None else len(found["steps"])
    print(f"{name:28} {RecordedSearch(**found).label}: {found['verdict']}, {found['distinct']:,}, {length}", flush=True)
    return found


def main() -> None:
    """Search, and write each file when all its searches are done."""
    wanted = sys.argv[1:]
    facts = json.loads((FOLDER / "facts.json").read_text(encoding="utf-8"))
    for fact in facts:
        fact["searches"] = [fill(values, fact["name"], wanted) for values in fact["searches"]]
    (FOLDER / "facts.json").write_text(json_text(facts), encoding="utf-8")
    bugs = json.loads((FOLDER / "bugs.json").read_text(encoding="utf-8"))
    for bug in bugs:
        for role in ("lost", "kept"):
            bug[role] = bug[role] and fill(bug[role], bug["jira"][0], wanted)
    (FOLDER / "bugs.json").write_text(json_text(bugs), encoding="utf-8")


if __name__ == "__main__":
    main()
