"""Which mistakes of Kafka's own history, and which that small graphs let pass, do suites from mutants kill? `make mutants` runs it.

Makes the suites and the table.

python tools/history_mutant_search.py
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable

from mutants.history_mutants import HISTORY
from mutants.history_outcomes import MOST_STATES, OTHERS, TABLE, VERSIONS, killed_at_random, killed_by
from mutants.surviving_mutants import SURVIVORS
from rules_page import rules_in

from neverlost.conformance.mutants.killing import Kills
from neverlost.conformance.mutants.mutant import Mutant
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.from_mutants import kills_of, suite_from
from neverlost.spec import profiles


def kills_in(version: str) -> Kills:
    """What kills the mistakes of a version, for who tests in-process brokers."""
    began = time.monotonic()
    kills = kills_of(profiles()[version], InProcessAdapter, {}, most_states=MOST_STATES)
    print(
        f"{version}: {len(kills.runs)} of {len(kills.mutants)} mistakes in {time.monotonic() - began:.0f} s", flush=True
    )
    return kills


def killed_by_each(kills: Kills, keys: Callable[[Mutant], Iterable[str]]) -> dict[str, list[int]]:
    """For each key of the mistakes how many are killed, and how many there are."""
    found: dict[str, list[int]] = {}
    for mutant in kills.mutants:
        for key in keys(mutant):
            counts = found.setdefault(key, [0, 0])
            counts[0] += mutant.name in kills.runs
            counts[1] += 1
    return found


def main() -> None:
    """Make the suites, try every mistake, and write the table."""
    answers = {version: kills_in(version) for version in (*VERSIONS, *OTHERS)}
    made = {version: suite_from(profiles()[version], kills) for version, kills in answers.items()}
    suites = [made[version] for version in VERSIONS]
    found = {
        mutant.name: next((case for suite in suites if (case := killed_by(mutant, suite)) is not None), None)
        for mutant in (*HISTORY, *SURVIVORS)
    }
    at_random = {
        mutant.name: next((steps for suite in suites if (steps := killed_at_random(mutant, suite)) is not None), None)
        for mutant in (*HISTORY, *SURVIVORS)
        if found[mutant.name] is None
    }
    values = {
        "suites": {version: [len(suite.cases), suite.steps] for version, suite in made.items()},
        "kinds": {version: killed_by_each(kills, lambda one: [one.kind]) for version, kills in answers.items()},
        "reasons": {
            version: Counter(reason.value for reason in kills.survivals.values()) for version, kills in answers.items()
        },
        "rules": {
            version: dict(sorted(killed_by_each(answers[version], lambda one: rules_in(one.rules)).items()))
            for version in VERSIONS
        },
        "killed": found,
        "at_random": at_random,
    }
    TABLE.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    for name, case in found.items():
        print(f"{name}: {'no' if case is None else case['case']}")


if __name__ == "__main__":
    main()
