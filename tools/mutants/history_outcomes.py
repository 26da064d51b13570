"""What suites from mutants kill of the mistakes after Kafka's own history: the first case that fails, of each of two versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from mutants.inprocess_mutation import CodeMutant, planted
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.cases import Mistake, Suite, SuiteCase
from neverlost.conformance.suite.run import SuiteOutcome, conform, go_beyond
from neverlost.spec import profiles

TABLE = Path(__file__).parents[2] / "tests" / "conformance" / "history_mutants.json"
VERSIONS = ("kafka-2.0", "kafka-4.1")
"""A version with ZooKeeper that asks where epochs end, and the newest."""
OTHERS = ("kafka-0.11", "kafka-3.7")
"""Versions of which it is only counted how many mistakes of the model are killed."""
MOST_STATES = 20_000
"""Of the searches by which the suites are made."""

RANDOM_STEPS = 20_000
"""From the ends of the cases of each suite, for the mistakes that no case kills."""


def killed_by(mutant: CodeMutant, suite: Suite) -> dict[str, Any] | None:
    """The first case that fails with the mistake in place, shortened to where it fails; None if all pass."""
    with planted(mutant):
        outcome = conform(suite.model, suite.cases, InProcessAdapter)
    if not outcome.failures:
        return None
    failure = outcome.failures[0]
    case, model = failure.case, suite.model_of(failure.case)
    return {
        "version": model.profile.name,
        "seen": failure.kind,
        "case": case.name,
        "rules": sorted({rule for mistake in case.mistakes for rule in mistake.rules.split(", ")}),
        "steps": [step.show(model.bounds) for step in case.steps],
        "attempts_after": list(case.attempts_after),
        "bounds": dict(model.bounds),
        "settings": model.plain_settings,
    }


def killed_at_random(mutant: CodeMutant, suite: Suite) -> int | None:
    """How many random steps from the ends of a suite's cases it takes to kill a mistake; None if that many do not."""
    before = SuiteOutcome(cases=0, steps=0, attempts=0, failures=(), complete=True)
    with planted(mutant):
        outcome = go_beyond(before, suite.model, suite.cases, InProcessAdapter, seed=1, steps=RANDOM_STEPS)
    return outcome.random_steps if outcome.failures else None


def seen_in(said: Mapping[str, Any], mutant: CodeMutant | None) -> str | None:
    """What is seen in the case that kills, with a mistake in place or without any; None if it passes."""
    version = profiles()[said["version"]]
    model = version.bounded(**version.read(said["bounds"], said["settings"]))
    case = SuiteCase(
        name=said["case"],
        steps=tuple(model.parse_step(text) for text in said["steps"]),
        adds=1,
        attempts_after=tuple(said["attempts_after"]),
        mistakes=(Mistake(after=len(said["steps"]), rules="", about="what the case is there for"),),
    )
    with nullcontext() if mutant is None else planted(mutant):
        outcome = conform(model, [case], InProcessAdapter)
    return outcome.failures[0].kind if outcome.failures else None


def table() -> Mapping[str, Any]:
    """The table as it was written last."""
    return dict(json.loads(TABLE.read_text(encoding="utf-8"))) if TABLE.exists() else {}
