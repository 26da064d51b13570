"""Makes and maintains spec/golden.json: figures of TLC, and the same figures as our own engines reach them.

    python tools/golden_table.py --oracle ../shared/oracle             rows that TLC computed, engines not asked yet
    python tools/golden_table.py --engine compiled --below 200000      run an engine on rows, and note its agreement

An engine that disagrees with the table stops the run: nothing is written then.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ledgers.golden_rows import BY_NAME, TABLE, key, read_table, rows_of_oracle

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore


def confirmed(row: dict[str, Any], result: Result) -> dict[str, Any]:
    """The row with what an engine found. Raises ValueError if the two contradict each other."""
    findings = dict(row["findings"])
    for name, finding in result.findings.items():
        found = {
            "verdict": finding.verdict,
            "violating_states": finding.violating_states,
            "trace_length": len(finding.trace) if finding.trace else None,
        }
        known = findings.setdefault(name, {**found, "tlc": False})
        _agree(f"{key(row)}, {name}", known, found)
        findings[name] = {**found, "tlc": known["tlc"]}
    figures = {
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "levels": list(result.levels),
        "digest": result.digest,
    }
    _agree(key(row), row, figures)
    engines = dict.fromkeys([*row["confirmed_by"], result.engine])
    return {**row, **figures, "findings": findings, "confirmed_by": list(engines)}


def _agree(where: str, known: dict[str, Any], found: dict[str, Any]) -> None:
    """What the table knows must be what was found; what it does not know yet is None."""
    for name, value in found.items():
        if known[name] is not None and known[name] != value:
            raise ValueError(f"{where}: {name} is {known[name]} in the table, {value} for the engine")


def write_table(rows: list[dict[str, Any]]) -> None:
    """Write the table, a row a line."""
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    TABLE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> None:
    """Add rows, run the engine on them, and write the table at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", type=Path, help="add the rows of this folder that the table lacks")
    parser.add_argument("--engine", help="run this engine on the rows, and note its agreement")
    parser.add_argument("--below", type=int, default=200_000, help="only on rows with fewer states")
    parser.add_argument("--from", dest="least", type=int, default=0, help="only on rows with at least so many states")
    options = parser.parse_args()
    rows = read_table()
    if options.oracle:
        known = {key(row) for row in rows}
        rows += [row for row in rows_of_oracle(options.oracle) if key(row) not in known]
    for number, row in enumerate(rows):
        known = options.engine in row["confirmed_by"] and row["digest"] is not None
        if not options.engine or not options.least <= row["distinct"] < options.below or known:
            continue
        model = BY_NAME[row["profile"]].bounded(**row["bounds"])
        result = explore(model, engine=options.engine, until="all", symmetry=row["symmetry"])
        rows[number] = confirmed(row, result)
        print(key(row), f"{result.seconds:.1f} s", flush=True)
    write_table(rows)


if __name__ == "__main__":
    main()
