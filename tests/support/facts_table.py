"""Searches what spec/kafka/facts.json and bugs.json tell of, and fills in what both engines found.

    python tests/support/facts_table.py              every search that has no figures yet
    python tests/support/facts_table.py NAME...      every search of these facts and bugs, anew
    python tests/support/facts_table.py all          every search, anew

A verdict that differs from the one in the file, or a search that holds without anything having happened, stops the run: nothing is
written to that file then.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from neverlost.explorer.json_text import json_text
from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.verdict import Verdict
from neverlost.spec.kafka.facts import WITNESSES, RecordedSearch

FOLDER = Path(__file__).parents[2] / "spec" / "kafka"
QUICK_FOR_THE_INTERPRETER = 3_000
"""The interpreted engine runs searches of fewer states than this."""

LARGE = 2_000_000
"""Searches of more states than this are left to `make golden`."""


def run(search: RecordedSearch, engine: str) -> Result:
    """Search until the property is decided, and what must be seen to happen beside it."""
    return explore(search.model(), engine=engine, properties=[search.property], report_only=WITNESSES, symmetry=True)


def figures(search: RecordedSearch, result: Result) -> dict[str, Any]:
    """What the file records of a search."""
    finding = result.findings[search.property]
    trace = finding.trace
    return {
        "verdict": finding.verdict,
        "distinct": result.distinct,
        "depth": result.depth,
        "steps": None if trace is None else [step.show(trace.model.bounds) for step in trace.steps],
    }


def recorded(search: RecordedSearch) -> dict[str, Any]:
    """The same as the file has it."""
    steps = None if search.steps is None else list(search.steps)
    return {"verdict": search.verdict, "distinct": search.distinct, "depth": search.depth, "steps": steps}


def unwitnessed(search: RecordedSearch, result: Result) -> list[str]:
    """What never happened although the search went through every state; nothing if a trace decides it."""
    if result.findings[search.property].trace is not None:
        return []
    return [name for name in WITNESSES if result.findings[name].verdict != Verdict.HOLDS]


def engines_for(distinct: int) -> list[str]:
    """The engines that are to confirm a search of so many states."""
    return ["compiled", "interpreted"] if distinct < QUICK_FOR_THE_INTERPRETER else ["compiled"]


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
