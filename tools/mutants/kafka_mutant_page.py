"""The page about mutants of the Kafka model, from their table and the reasons for survivors."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from mutants.kafka_mutant_table import TABLE, table

SURVIVORS = TABLE.with_name("kafka_survivors.json")

KINDS = {
    "equivalent": "the same states are reachable in every campaign: other guards, or how the model keeps its state, imply it",
    "restricts": "the mutant can do less than the model and nothing else, so no property can fail",
    "economy": "it only prunes states and steps that make no difference to anybody",
    "availability": "without it, something good does not happen, or happens later; nothing bad does",
    "tolerated": "without it the system behaves otherwise, yet within what was promised",
    "unwatched": "it breaks a rule that no property states; the reason names the property that is missing",
    "beyond": "its damage takes faults that the campaigns do not have, or that do the same damage without it",
    "open": "nothing catches it, and it is not known why: campaigns with delays have at most two leader moves, losses up to three",
}
"""Why a mutant may survive."""

COLUMNS = ("guard", "part", "effect")
HISTORY = re.compile(r"^(KAFKA|KIP)-\d+")


def survivors() -> dict[str, dict[str, str]]:
    """The reason for every survivor: its kind, and why."""
    return dict(json.loads(SURVIVORS.read_text(encoding="utf-8")))


def page() -> str:
    """The page as it should be now."""
    found, reasons = table(), survivors()
    caught = {name: values for name, values in found.items() if not values["survives"]}
    return (
        "\n".join([*_head(found, caught), *_by_property(caught), *_history(found), *_survivors(found, reasons)]) + "\n"
    )


def _head(found: Mapping[str, Any], caught: Mapping[str, Any]) -> list[str]:
    kinds = Counter(values["kind"] for values in found.values())
    return [
        "# Mutants of the Kafka model",
        "",
        "<!-- Made by machine: NEVERLOST_REWRITE=1 pytest tests/spec/test_kafka_mutants.py -k page -->",
        "",
        "A property that holds says little if it would hold of a wrong model too. So the model of Kafka is made wrong in every way",
        "that can be listed, and each of these mutants must be caught, or its survival explained.",
        "",
        "* A *guard* mutant leaves out one `require`: the step may then happen at any time.",
        "* A *part* mutant leaves out one part of an `and` or an `or`.",
        "* An *effect* mutant changes or leaves out a statement, or reads a condition wrongly: bugs that Kafka had, and mistakes",
        "  that a change could bring in. [kafka_effects.py](../../tools/mutants/kafka_effects.py) lists them.",
        "",
        "All of them live in one copy of the model, in which a setting chooses the mutant, so that one kernel serves all. Each is",
        "looked for in campaigns: a version of Kafka with settings and faults, the cheapest first. It is caught by a property that",
        "holds in the model itself in the same campaign, with the shortest trace; or by an action that leaves a domain; or, failing",
        "that, by a witness that it has lost: something good that can happen in the model, and cannot in the mutant. The table,",
        "[kafka_mutants.json](../../tests/spec/kafka_mutants.json), has the steps; a test takes them, in the mutant and in the",
        "model. `make mutants` searches anew: needed when a guard is added or changed.",
        "",
        f"There are {len(found)} mutants: {kinds['guard']} guards, {kinds['part']} parts, {kinds['effect']} effects.",
        f"{len(caught)} are caught, {len(found) - len(caught)} survive.",
        "",
    ]


def _by_property(caught: Mapping[str, Any]) -> list[str]:
    counts = Counter((values["by"], values["how"], values["kind"]) for values in caught.values())
    totals = Counter((values["by"], values["how"]) for values in caught.values())
    lines = ["## Caught by", "", "| caught by | guards | parts | effects |", "|---|---|---|---|"]
    names = {"violated": "`{}`", "lost": "witness lost: `{}`", "error": "an action leaves {}"}
    for by, how in sorted(totals, key=lambda key: (-totals[key], key)):
        cells = " | ".join(str(counts[by, how, kind]) for kind in COLUMNS)
        lines.append(f"| {names[how].format(by)} | {cells} |")
    return [*lines, "", "Only the property that is violated first counts; most mutants violate several.", ""]


def _history(found: Mapping[str, Any]) -> list[str]:
    lines = [
        "## Bugs that Kafka had, and rules that a KIP brought",
        "",
        "| mutant | stands for | caught by | in | steps |",
    ]
    lines.append("|---|---|---|---|---|")
    for name, values in found.items():
        history = values.get("history", "")
        if HISTORY.match(history):
            outcome = "survives | | |" if values["survives"] else _outcome(values)
            lines.append(f"| `{name}` | {history} | {outcome}")
    return [*lines, ""]


def _outcome(values: Mapping[str, Any]) -> str:
    steps = "" if values["how"] == "lost" else str(len(values["steps"]))
    lost = "witness lost: " if values["how"] == "lost" else ""
    return f"{lost}`{values['by']}` | `{values['campaign']}` | {steps} |"


def _survivors(found: Mapping[str, Any], reasons: Mapping[str, Mapping[str, str]]) -> list[str]:
    lines = ["## Survivors", ""]
    for kind, meaning in KINDS.items():
        names = [
            name for name, values in found.items() if values["survives"] and reasons.get(name, {}).get("kind") == kind
        ]
        if names:
            lines += [
                f"**{kind.capitalize()}**: {meaning}.",
                "",
                "| mutant | left out or changed | why |",
                "|---|---|---|",
            ]
            lines += [f"| `{name}` | {_changed(found[name])} | {reasons[name]['why']} |" for name in names]
            lines.append("")
    return lines[:-1]


def _changed(values: Mapping[str, Any]) -> str:
    if values["kind"] != "effect":
        return f"`{values['written']}`"
    return str(values["history"])
