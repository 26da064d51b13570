"""The page about mutants of the in-process brokers, from the mutants and the table of what caught them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutants.inprocess_benches import BENCHES
from mutants.inprocess_mutant_outcomes import table
from mutants.inprocess_mutants import MUTANTS, PARTS
from mutants.inprocess_mutation import CodeMutant


def page() -> str:
    """The page as it should be now."""
    found = table()
    return "\n".join([*_head(found), *_parts(found), *_missed(found), *_benches()]) + "\n"


def _head(found: Mapping[str, Any]) -> list[str]:
    count = {way: sum(bool(found[m.name][way]) for m in MUTANTS) for way in ("suite", "chance", "known_traces")}
    share = count["chance"] / len(MUTANTS)
    rules = len({mutant.rules for mutant in MUTANTS})
    return [
        "# Mutants of the implementation",
        "",
        "<!-- Made by machine: NEVERLOST_REWRITE=1 pytest tests/conformance/test_inprocess_mutants.py -k page -->",
        "",
        "A suite that an implementation passes says little if a broken one would pass it too. So the in-process brokers and their",
        "clients are broken on purpose, one mistake at a time, each of a kind that a programmer could make: one text in one function",
        "stands as another. The brokers without a mistake pass every suite here.",
        "",
        f"There are {len(MUTANTS)} mutants, which break {rules} rules. Of these",
        "",
        f"* the generated suites catch {count['suite']}: every transition of a small model, and what it refuses in every state;",
        f"* Hypothesis catches {count['chance']} ({share:.0%}) at random, with its default budget: 100 runs of up to 50 rules;",
        "* the traces that the model itself tells of, the shortest to each of its witnesses and counterexamples, catch",
        f"  {count['known_traces']}: a state machine's `TestCase` goes along them before it does anything at random.",
        "",
        "*Cases* and *runs* are how many it took, the failing one included; *steps* are those of all of them. A suite ends after the",
        "same case every time, and tests run all of them again. Hypothesis draws other runs when the code around it changes, so its",
        "column is that of one search: `make mutants`, which writes",
        "[inprocess_mutants.json](../../tests/conformance/inprocess_mutants.json).",
        "",
    ]


def _parts(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for part, mutants in PARTS.items():
        lines += [
            f"## {part}",
            "",
            "| mutant | rule | bench | suite: cases, steps | seen | at random: runs, steps | known traces |",
            "|---|---|---|---|---|---|---|",
            *(_row(mutant, found[mutant.name]) for mutant in mutants),
            "",
        ]
    return lines


def _row(mutant: CodeMutant, found: Mapping[str, Any]) -> str:
    suite, chance = found["suite"], found["chance"]
    by_suite = f"{suite['cases']:,}, {suite['steps']:,} | {suite['seen']}" if suite else "**no** |"
    by_chance = f"{chance['runs']:,}, {chance['steps']:,}" if chance else "no"
    known = "yes" if found["known_traces"] else "no"
    return f"| {mutant.name} | {mutant.rules} | {mutant.bench} | {by_suite} | {by_chance} | {known} |"


def _missed(found: Mapping[str, Any]) -> list[str]:
    """What chance does not come to, with what is changed in the code."""
    missed = [mutant for mutant in MUTANTS if not found[mutant.name]["chance"]]
    if not missed:
        return []
    return [
        "## Not caught at random",
        "",
        "| mutant | in | written | instead |",
        "|---|---|---|---|",
        *(f"| {m.name} | `{m.place}` | {_code(m.written)} | {_code(m.instead)} |" for m in missed),
        "",
    ]


def _code(text: str) -> str:
    """A text of the code in a cell: on one line, and with no bar that would end the cell."""
    return f"`{' '.join(text.split())}`".replace("|", "\\|") if text else "nothing"


def _benches() -> list[str]:
    lines = ["## Benches", "", "| bench | model | about | bounds and settings |", "|---|---|---|---|"]
    for name, bench in BENCHES.items():
        chosen = " ".join(f"{key}={int(value)}" for key, value in bench.settings.items())
        lines.append(f"| {name} | `{bench.profile}` | {bench.about} | `{chosen}` |")
    return lines
