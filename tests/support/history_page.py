"""The page about mistakes after Kafka's own history, from the mistakes and the table of the cases that tell them."""

from __future__ import annotations

from history_mutants import HISTORY, MISSED, UNTOLD
from history_outcomes import MOST_STATES, VERSIONS, table


def page() -> str:
    """The page as it should be now."""
    found = table()
    told = {name: case for name, case in found["told"].items() if case is not None}
    reasons = {mutant.name: UNTOLD[mutant.name.partition(":")[0]] for mutant in HISTORY if mutant.name not in told}
    tellable = len(told) + sum(kind == MISSED for kind, _ in reasons.values())
    suites = [f"`{version}`: {cases} cases of {steps} steps" for version, (cases, steps) in found["suites"].items()]
    lines = [
        "# Mistakes that Kafka made, and the suites",
        "",
        "<!-- Made by machine: NEVERLOST_REWRITE=1 pytest tests/conformance/test_history_mutants.py -k page -->",
        "",
        f"{len(HISTORY)} mistakes of the in-process brokers, each after a fault that Apache Kafka had and mended. They were",
        "written before it was seen what the suites tell of them. The suites are made",
        "[from mutants](../how-to/conformance.md#cases-from-mistakes) of",
        f"{' and '.join(VERSIONS)}, with at most {MOST_STATES:,} states of each search: {'; '.join(suites)}.",
        "`make mutants` makes them and the table.",
        "",
        f"Of the {len(HISTORY)}, observation can tell {tellable} in these versions; the suites refuse {len(told)} of them",
        f"({len(told) / tellable:.0%}).",
        "",
        "| ticket and mistake | rule | refused by | seen |",
        "|---|---|---|---|",
    ]
    for mutant in HISTORY:
        if mutant.name in told:
            case = told[mutant.name]
            where = f"`{case['case']}` of `{case['version']}`, {len(case['steps'])} steps"
            lines.append(f"| {mutant.name} | {mutant.rule} | {where} | {case['seen']} |")
    lines += ["", "## Not refused", "", "| ticket and mistake | | why |", "|---|---|---|"]
    lines += [f"| {name} | {kind} | {why} |" for name, (kind, why) in reasons.items()]
    return "\n".join(lines) + "\n"
