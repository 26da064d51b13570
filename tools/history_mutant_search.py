"""Which mistakes of Kafka's own history, and which that small graphs let pass, do suites from mutants tell? `make mutants` runs it.

Makes the suites and the table.

python tools/history_mutant_search.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from history_mutants import HISTORY
from history_outcomes import MOST_STATES, TABLE, VERSIONS, told_at_random, told_by
from rules_page import rules_in
from surviving_mutants import SURVIVORS

from neverlost.cli.main import main as neverlost
from neverlost.conformance.inprocess_adapter import SEEN
from neverlost.conformance.mutants.kept import kept_by
from neverlost.conformance.suite.cases import Suite
from neverlost.conformance.suite.files import SuiteFiles
from neverlost.conformance.suite.from_mutants import all_mutants
from neverlost.spec import profiles


def suite_from_mutants(version: str, folder: Path) -> Suite:
    """The suite that the command makes, for in-process brokers."""
    neverlost(["suite", version, "--from-mutants", "--max-states", str(MOST_STATES), "--out", str(folder)])
    files = SuiteFiles(folder, lambda name: profiles()[name])
    return Suite(model=files.model, cover="mutants", goals=0, covered=0, cases=tuple(files.cases()))


def told_of_rules(suite: Suite) -> dict[str, list[int]]:
    """For each rule how many mistakes in its actions the suite tells, and how many there are."""
    profile = suite.model.profile
    told = {mistake.about.split(": ")[0] for case in suite.cases for mistake in case.mistakes}
    found: dict[str, list[int]] = {}
    for mutant in (*all_mutants(profile), *(kept.mutant for kept in kept_by(profile, SEEN))):
        for rule in rules_in(mutant.rules):
            counts = found.setdefault(rule, [0, 0])
            counts[0] += mutant.name in told
            counts[1] += 1
    return dict(sorted(found.items()))


def main() -> None:
    """Make the suites, try every mistake, and write the table."""
    with tempfile.TemporaryDirectory() as folder:
        suites = [suite_from_mutants(version, Path(folder) / version) for version in VERSIONS]
    found = {
        mutant.name: next((told for suite in suites if (told := told_by(mutant, suite)) is not None), None)
        for mutant in (*HISTORY, *SURVIVORS)
    }
    at_random = {
        mutant.name: next((steps for suite in suites if (steps := told_at_random(mutant, suite)) is not None), None)
        for mutant in (*HISTORY, *SURVIVORS)
        if found[mutant.name] is None
    }
    about = {version: [len(suite.cases), suite.steps] for version, suite in zip(VERSIONS, suites, strict=True)}
    TABLE.write_text(
        json.dumps({"suites": about, "told": found, "at_random": at_random}, indent=1) + "\n", encoding="utf-8"
    )
    for name, told in found.items():
        print(f"{name}: {'no' if told is None else told['case']}")


if __name__ == "__main__":
    main()
