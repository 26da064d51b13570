"""What refuses the mistakes that were held out: a case of a suite from mutants, random steps from its cases, or a part's suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mutants.inprocess_mutation import CodeMutant, planted
from mutants.refusals import described, replayed
from neverlost.conformance.adapter import MakeAdapter, Part
from neverlost.conformance.mutants.mutant import EXEMPT, LOOP, OTHER
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.cases import Suite, suite_of
from neverlost.conformance.suite.from_mutants import all_mutants, kills_seen_by, suite_from
from neverlost.conformance.suite.parts import COVER
from neverlost.conformance.suite.run import conform, go_beyond
from neverlost.spec import profiles
from neverlost.spec.mutant_configurations import configurations_of

TABLE = Path(__file__).parents[2] / "tests" / "conformance" / "held_out_mutants.json"
MOST_STATES, MORE_STATES = 20_000, {"kafka-2.0": 40_000}
"""Of the searches by which the suites are made, for some versions more: fewer than `neverlost suite` takes if nothing is said."""
RANDOM_STEPS = 1_000
SECONDS = 60.0
"""So long a case may take."""
WHOLE = "kafka-4.1"
"""Its suite is made as a whole. That of another version has only the cases for some kinds of mistakes, as it takes less time."""
KINDS = (EXEMPT, LOOP, OTHER)
"""The kinds of mistakes in lines that these cases are for; there are also those for what steps must leave, and for what follows."""
CASE, RANDOM, PART = "case", "random", "part"
PARTS: Mapping[str, Part] = {part.profile: part for part in InProcessAdapter.parts}


def adapter_of(mutant: CodeMutant) -> MakeAdapter:
    """What drives the brokers of a mistake, or the part of them in which it is."""
    return PARTS[mutant.bench].make if mutant.bench in PARTS else InProcessAdapter


@cache
def suite(profile: str) -> Suite:
    """The suite that is to refuse the mistakes of a version or of a part."""
    version = profiles()[profile]
    if profile in PARTS:
        return suite_of(version.bounded(**PARTS[profile].bounds), COVER)
    mutants = [one for one in all_mutants(version) if profile == WHOLE or one.kind in KINDS]
    most = MORE_STATES.get(profile, MOST_STATES)
    kills = kills_seen_by(version, InProcessAdapter, mutants, configurations_of(version), most_states=most)
    return suite_from(version, kills)


def refused_by(mutant: CodeMutant) -> dict[str, Any] | None:
    """How a mistake is refused, and by what; None if it is not."""
    made, make = suite(mutant.bench), adapter_of(mutant)
    with planted(mutant):
        outcome, by = conform(made.model, made.cases, make, seconds=SECONDS), PART if mutant.bench in PARTS else CASE
        if not outcome.failures and mutant.bench not in PARTS:
            by, cases = RANDOM, made.cases
            outcome = go_beyond(outcome, made.model, cases, make, seed=1, steps=RANDOM_STEPS, seconds=SECONDS)
    if not outcome.failures:
        return None
    (failure,) = outcome.failures
    took = {"random_steps": outcome.random_steps} if by == RANDOM else {}
    return {
        "by": by,
        "case": failure.case.name.partition(" ")[2] or failure.case.name,
        **took,
        **_within_bounds(mutant, described(failure)),
    }


def _within_bounds(mutant: CodeMutant, row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "chosen": {**(PARTS[mutant.bench].bounds if mutant.bench in PARTS else {}), **row["chosen"]}}


def seen_in(mutant: CodeMutant, row: Mapping[str, Any]) -> str | None:
    """What differs if the steps of a row are done; None if nothing does."""
    return replayed(mutant.bench, adapter_of(mutant), row)


def table() -> dict[str, Any]:
    """The table as it was written last."""
    return dict(json.loads(TABLE.read_text(encoding="utf-8"))) if TABLE.exists() else {}


def write(found: Mapping[str, Any]) -> None:
    """Keep what was found: a line for each mistake."""
    lines = ",\n".join(
        f" {json.dumps(key)}: {{\n"
        + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in rows.items())
        + "\n }"
        for key, rows in found.items()
    )
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
