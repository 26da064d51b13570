"""The page about mistakes that were held out, from the table of what refuses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mutants.held_out_mutants import HELD_OUT, UNSEEN
from mutants.held_out_outcomes import CASE, MORE_STATES, MOST_STATES, RANDOM, RANDOM_STEPS, WHOLE, table
from mutants.inprocess_mutation import CodeMutant
from mutants.missed_mutants import LEFT, MISSED


def page() -> str:
    """The page as it should be now."""
    found = table()
    refused = found["refused"]
    visible = [mutant for mutant in HELD_OUT if mutant.name not in UNSEEN]
    told = sum(refused[mutant.name] is not None for mutant in visible)
    lines = [
        "# Mistakes that were held out",
        "",
        "<!-- Made by machine: NEVERLOST_REWRITE=1 pytest tests/conformance/test_held_out_mutants.py -k page -->",
        "",
        "Mistakes of the in-process brokers and what refuses them, of what [the guide](../how-to/conformance.md) tells users to run:",
        f"the suite from mutants of the version, {RANDOM_STEPS:,} random steps from the ends of its cases, the suites of the parts.",
        f"The suites are made with at most {MOST_STATES:,} states of each search{_more()}; that of `{WHOLE}` as a whole, of other",
        "versions only the cases for kinds of mistakes that suites did not have before. `make mutants` makes them and the table.",
        "",
        "## Thirty that nobody had looked at",
        "",
        f"They were written down before it was seen what refuses them. Of {len(visible)} that can be seen {told} are refused",
        f"({told / len(visible):.0%}).",
        "",
        *_rows(HELD_OUT, refused),
        *_not_refused(HELD_OUT, refused, UNSEEN),
        "",
        "## Kinds that suites let pass before",
        "",
        "Of 103 mistakes that were held out before these, 74 are visible, and suites, random steps and state machines had let",
        "eleven of them pass. These are of their kinds: what follows from a log and is kept beside it, one of several that wait, a",
        "condition that is not always asked.",
        "",
        *_rows(MISSED, refused),
        *_not_refused(MISSED, refused, LEFT),
    ]
    return "\n".join(lines) + "\n"


def _more() -> str:
    """Which versions take more states, and how many."""
    return "".join(f" ({states:,} of `{version}`)" for version, states in MORE_STATES.items())


def _rows(mutants: Sequence[CodeMutant], refused: Mapping[str, Any]) -> list[str]:
    lines = ["| mistake | rule | of | refused by | seen |", "|---|---|---|---|---|"]
    for mutant in mutants:
        row = refused[mutant.name]
        if row is not None:
            lines.append(f"| {mutant.name} | {mutant.rules} | `{mutant.bench}` | {_how(row)} | {row['differs']} |")
    return lines


def _how(row: Mapping[str, Any]) -> str:
    if row["by"] == RANDOM:
        return f"{row['random_steps']:,} random steps"
    return f"{'case' if row['by'] == CASE else 'the part, case'} `{row['case']}`, {len(row['steps'])} steps"


def _not_refused(mutants: Sequence[CodeMutant], refused: Mapping[str, Any], reasons: Mapping[str, str]) -> list[str]:
    left = [mutant for mutant in mutants if refused[mutant.name] is None]
    if not left:
        return []
    rows = (f"| {mutant.name} | `{mutant.bench}` | {reasons.get(mutant.name, 'missed')} |" for mutant in left)
    return ["", "| not refused | of | why |", "|---|---|---|", *rows]
