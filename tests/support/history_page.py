"""The page about mistakes after Kafka's own history, from the mistakes and the table of the cases that tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from history_mutants import HISTORY, MISSED, UNTOLD
from history_outcomes import MOST_STATES, RANDOM_STEPS, VERSIONS, table
from inprocess_mutation import Mutant
from surviving_mutants import SURVIVORS
from surviving_mutants import UNTOLD as UNTOLD_SURVIVORS


def page() -> str:
    """The page as it should be now."""
    found = table()
    told = found["told"]
    tellable = sum(told[m.name] is not None or UNTOLD[_ticket(m)][0] == MISSED for m in HISTORY)
    refused = sum(told[m.name] is not None for m in HISTORY)
    suites = [
        f"`{version}`: {cases} cases of {steps:,} steps"
        for version, (cases, steps) in found["suites"].items()
        if version in VERSIONS
    ]
    lines = [
        "# Mistakes that Kafka made, and the suites",
        "",
        "<!-- Made by machine: NEVERLOST_REWRITE=1 pytest tests/conformance/test_history_mutants.py -k page -->",
        "",
        f"{len(HISTORY)} mistakes of the in-process brokers, each after a fault that Apache Kafka had and mended. They were",
        "written before it was seen what the suites tell of them. The suites are made",
        "[from mutants](../how-to/conformance.md#cases-from-mistakes) of",
        f"{' and '.join(VERSIONS)}, with at most {MOST_STATES:,} states of each search: {'; '.join(suites)}.",
        "`make mutants` makes them and the tables. What no case refuses is tried at random too: so many steps from the ends of the",
        f"cases, of at most {RANDOM_STEPS:,}.",
        "",
        f"Of the {len(HISTORY)}, observation can tell {tellable} in these versions; the suites refuse {refused} of them",
        f"({refused / tellable:.0%}). The first suites refused 14, and those after them 18; then it was looked at what they missed,",
        "so this is no estimate for mistakes that nobody has thought of.",
        "",
        *_rows("ticket and mistake", HISTORY, told),
        "",
        "## Not refused",
        "",
        *_not_refused("ticket and mistake", HISTORY, found, {m.name: UNTOLD.get(_ticket(m)) for m in HISTORY}),
        "",
        "## What small graphs let pass",
        "",
        "Kinds of mistakes that suites of small graphs, random walks and logs did not show, because several faults have to meet.",
        "",
        *_rows("mistake", SURVIVORS, told),
        "",
        *_not_refused("not refused", SURVIVORS, found, UNTOLD_SURVIVORS),
    ]
    return "\n".join(lines) + "\n"


def _ticket(mutant: Mutant) -> str:
    return mutant.name.partition(":")[0]


def _rows(head: str, mutants: Sequence[Mutant], told: Mapping[str, Any]) -> list[str]:
    lines = [f"| {head} | rule | refused by | seen |", "|---|---|---|---|"]
    for mutant in mutants:
        case = told[mutant.name]
        if case is not None:
            where = f"`{case['case']}` of `{case['version']}`, {len(case['steps'])} steps"
            lines.append(f"| {mutant.name} | {mutant.rule} | {where} | {case['seen']} |")
    return lines


def _not_refused(
    head: str, mutants: Sequence[Mutant], found: Mapping[str, Any], reasons: Mapping[str, tuple[str, str] | None]
) -> list[str]:
    lines = [f"| {head} | | why | at random |", "|---|---|---|---|"]
    for mutant in mutants:
        if found["told"][mutant.name] is None:
            kind, why = reasons[mutant.name] or ("", "")
            steps = found["at_random"][mutant.name]
            lines.append(f"| {mutant.name} | {kind} | {why} | {'no' if steps is None else f'{steps:,} steps'} |")
    return lines
