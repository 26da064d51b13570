"""Which of the mistakes after Kafka's own history do suites from mutants tell? Makes the suites and the table; `make mutants` runs it.

python tools/history_mutant_search.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from history_mutants import HISTORY
from history_outcomes import MOST_STATES, TABLE, VERSIONS, told_by

from neverlost.cli.main import main as neverlost
from neverlost.conformance.suite.cases import Suite
from neverlost.conformance.suite.files import SuiteFiles
from neverlost.spec import profiles


def suite_from_mutants(version: str, folder: Path) -> Suite:
    """The suite that the command makes, for in-process brokers."""
    neverlost(["suite", version, "--from-mutants", "--max-states", str(MOST_STATES), "--out", str(folder)])
    files = SuiteFiles(folder, lambda name: profiles()[name])
    return Suite(model=files.model, cover="mutants", goals=0, covered=0, cases=tuple(files.cases()))


def main() -> None:
    """Make the suites, try every mistake, and write the table."""
    with tempfile.TemporaryDirectory() as folder:
        suites = [suite_from_mutants(version, Path(folder) / version) for version in VERSIONS]
    found = {
        mutant.name: next((told for suite in suites if (told := told_by(mutant, suite)) is not None), None)
        for mutant in HISTORY
    }
    about = {version: [len(suite.cases), suite.steps] for version, suite in zip(VERSIONS, suites, strict=True)}
    TABLE.write_text(json.dumps({"suites": about, "told": found}, indent=1) + "\n", encoding="utf-8")
    for name, told in found.items():
        print(f"{name}: {'no' if told is None else told['case']}")


if __name__ == "__main__":
    main()
