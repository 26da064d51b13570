"""Searches what the ledgers of facts and of bugs ask, and writes what both engines found beside them: NAME.found.json.

    python tools/facts_table.py              every search of which nothing was found yet
    python tools/facts_table.py NAME...      every search of these facts and bugs, anew
    python tools/facts_table.py all          every search, anew

What nothing asks any more is left out. A verdict that differs from the expected one, or a search that holds without anything having
happened, stops the run: nothing is written to that file then.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ledgers.fact_searches import engines_for, figures, run, unwitnessed
from ledgers.known_facts import LEDGERS

from neverlost.explorer.files.json_text import json_text
from neverlost.spec.families import FAMILIES
from neverlost.spec.recorded_search import RecordedSearch

NOTHING = {"distinct": 0, "depth": 0, "steps": None, "confirmed_by": ()}


def searched(search: RecordedSearch) -> dict[str, Any]:
    """What the engines find. Raises ValueError if they contradict what is expected, or each other."""
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
    return {**found, "confirmed_by": engines}


def asked(file: Path) -> Iterator[tuple[str, RecordedSearch]]:
    """Every search of a ledger, with the name of the fact or bug that it is of."""
    for one in json.loads(file.read_text(encoding="utf-8")):
        of_bug = [one[role] for role in ("lost", "kept") if one.get(role)]
        for values in one.get("searches", of_bug):
            yield one.get("name") or one["jira"][0], RecordedSearch(**values, **NOTHING)


def fill(file: Path, wanted: list[str]) -> None:
    """Search what is wanted or missing, and write it beside the ledger."""
    beside = file.with_suffix(".found.json")
    before: Mapping[str, Any] = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
    found = {}
    for name, search in asked(file):
        if {name, "all"} & set(wanted) or search.key not in before:
            found[search.key] = figured = searched(search)
            length = None if figured["steps"] is None else len(figured["steps"])
            print(f"{name:28} {search.label}: {figured['verdict']}, {figured['distinct']:,}, {length}", flush=True)
        else:
            found[search.key] = before[search.key]
    beside.write_text(json_text(dict(sorted(found.items()))), encoding="utf-8")


def main() -> None:
    """Fill in the ledger of facts, and every family's ledger of bugs."""
    folders = [Path(str(files(type(family).__module__))) for family in FAMILIES]
    bugs = [folder / "bugs.json" for folder in folders if (folder / "bugs.json").exists()]
    for file in (LEDGERS / "facts.json", *bugs):
        fill(file, sys.argv[1:])


if __name__ == "__main__":
    main()
