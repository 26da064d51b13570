"""The page about mistakes after Kafka's own history, from the mistakes and the table of the cases that kill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mutants.history_mutants import HISTORY, MISSED, SURVIVE
from mutants.history_outcomes import MOST_STATES, RANDOM_STEPS, VERSIONS, table
from mutants.inprocess_mutation import CodeMutant
from mutants.surviving_mutants import SURVIVE as SURVIVORS_THAT_SURVIVE
from mutants.surviving_mutants import SURVIVORS


def page() -> str:
    """The page as it should be now."""
    found = table()
    said = found["killed"]
    killable = sum(said[m.name] is not None or SURVIVE[_ticket(m)][0] == MISSED for m in HISTORY)
    refused = sum(said[m.name] is not None for m in HISTORY)
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
        f"{len(HISTORY)} mistakes of the in-process brokers, each after a fault that Apache Kafka had and fixed. They were",
        "written before it was seen what the suites kill. The suites are made",
        "[from mutants](../how-to/conformance.md#cases-from-mistakes) of",
        f"{' and '.join(VERSIONS)}, with at most {MOST_STATES:,} states of each search: {'; '.join(suites)}.",
        "`make mutants` makes them and the tables. What no case refuses is tried at random too: so many steps from the ends of the",
        f"cases, of at most {RANDOM_STEPS:,}.",
        "",
        f"Of the {len(HISTORY)}, observation can kill {killable} in these versions; the suites refuse {refused} of them",
        f"({refused / killable:.0%}). The first suites refused 14, and those after them 18; then it was looked at what they missed,",
        "so this is no estimate for mistakes that nobody has thought of.",
        "",
        *_rows("ticket and mistake", HISTORY, said),
        "",
        "## Not refused",
        "",
        *_not_refused("ticket and mistake", HISTORY, found, {m.name: SURVIVE.get(_ticket(m)) for m in HISTORY}),
        "",
        "## What small graphs let pass",
        "",
        "Kinds of mistakes that suites of small graphs, random walks and logs did not show, because several faults have to meet.",
        "",
        *_rows("mistake", SURVIVORS, said),
        "",
        *_not_refused("not refused", SURVIVORS, found, SURVIVORS_THAT_SURVIVE),
    ]
    return "\n".join(lines) + "\n"


def _ticket(mutant: CodeMutant) -> str:
    return mutant.name.partition(":")[0]


def _rows(head: str, mutants: Sequence[CodeMutant], said: Mapping[str, Any]) -> list[str]:
    lines = [f"| {head} | rule | refused by | seen |", "|---|---|---|---|"]
    for mutant in mutants:
        case = said[mutant.name]
        if case is not None:
            where = f"`{case['case']}` of `{case['version']}`, {len(case['steps'])} steps"
            lines.append(f"| {mutant.name} | {mutant.rules} | {where} | {case['seen']} |")
    return lines


def _not_refused(
    head: str, mutants: Sequence[CodeMutant], found: Mapping[str, Any], reasons: Mapping[str, tuple[str, str] | None]
) -> list[str]:
    lines = [f"| {head} | | why | at random |", "|---|---|---|---|"]
    for mutant in mutants:
        if found["killed"][mutant.name] is None:
            kind, why = reasons[mutant.name] or ("", "")
            steps = found["at_random"][mutant.name]
            lines.append(f"| {mutant.name} | {kind} | {why} | {'no' if steps is None else f'{steps:,} steps'} |")
    return lines
