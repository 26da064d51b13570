"""Searches for what catches each mutant of the in-process brokers, and writes the table; `make mutants` runs it over all.

python tools/inprocess_mutant_search.py               every mutant
python tools/inprocess_mutant_search.py --only NAME   those whose names begin so; the others stay as they are
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from mutants.inprocess_mutant_outcomes import TABLE, by_chance, by_known_traces, by_suite, table
from mutants.inprocess_mutants import MUTANTS
from mutants.inprocess_mutation import CodeMutant


def entry(mutant: CodeMutant) -> dict[str, Any]:
    """What the table says of a mutant."""
    return {"suite": by_suite(mutant), "chance": by_chance(mutant), "known_traces": by_known_traces(mutant)}


def _write(found: dict[str, Any], mutants: Iterable[CodeMutant]) -> None:
    ordered = {mutant.name: found[mutant.name] for mutant in mutants if mutant.name in found}
    TABLE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Search, print what is found, and write the table after every mutant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help="search for these, keep all others")
    given = parser.parse_args()
    found = table()
    for mutant in MUTANTS:
        if mutant.name.startswith(tuple(given.only)):
            found[mutant.name] = entry(mutant)
            _write(found, MUTANTS)
            print(f"{mutant.bench}: {mutant.name}: {found[mutant.name]}", flush=True)


if __name__ == "__main__":
    main()
