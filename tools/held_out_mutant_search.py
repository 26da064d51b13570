"""Finds out what refuses the mistakes that were held out, and writes the table; `make mutants` runs it.

Makes the suite of each version.

python tools/held_out_mutant_search.py [VERSION ...]
"""

from __future__ import annotations

import sys

from mutants.held_out_mutants import HELD_OUT
from mutants.held_out_outcomes import refused_by, suite, table, write
from mutants.missed_mutants import MISSED

from neverlost.conformance.suite.cases import Suite


def main(versions: list[str]) -> None:
    """Make the suites, try every mistake, and write the table; only for some versions if these are named."""
    before = table()
    found = {"suites": dict(before.get("suites", {})), "refused": dict(before.get("refused", {}))}
    for bench in dict.fromkeys(mutant.bench for mutant in (*MISSED, *HELD_OUT)):
        if versions and bench not in versions:
            continue
        found["suites"][bench] = _size(suite(bench))
        for mutant in (*MISSED, *HELD_OUT):
            if mutant.bench == bench:
                row = found["refused"][mutant.name] = refused_by(mutant)
                print(f"{bench}: {mutant.name}: {'NOT REFUSED' if row is None else row['by']}", flush=True)
        _write(found)


def _size(made: Suite) -> list[int]:
    return [len(made.cases), made.steps]


def _write(found: dict[str, dict[str, object]]) -> None:
    names = [mutant.name for mutant in (*MISSED, *HELD_OUT)]
    ordered = {name: found["refused"][name] for name in names if name in found["refused"]}
    write({"suites": found["suites"], "refused": ordered})


if __name__ == "__main__":
    main(sys.argv[1:])
