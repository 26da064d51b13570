"""What catches a mutant of the in-process brokers: the suite of its bench, and random runs. `make mutants` writes the table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import HypothesisException
from hypothesis.stateful import run_state_machine_as_test

from mutants.inprocess_benches import BENCHES, suite
from mutants.inprocess_mutation import CodeMutant, planted
from neverlost.conformance import state_machine
from neverlost.conformance.suite.run import conform

TABLE = Path(__file__).parents[2] / "tests" / "conformance" / "inprocess_mutants.json"

BUDGET = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    stateful_step_count=50,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
"""So many runs, and rules in each, as Hypothesis does by default; the same ones every time, and what fails is not made smaller."""


@dataclass
class Tally:
    """How many runs there were, and steps in them, up to the first that failed."""

    runs: int = 0
    steps: int = 0
    caught: bool = False


@cache
def machine(bench: str) -> Any:
    """The state machine of a bench, made once: the model is explored for it."""
    return state_machine(BENCHES[bench].model(), BENCHES[bench].make)


def by_suite(mutant: CodeMutant) -> dict[str, Any] | None:
    """How many cases and steps of the suite it takes, and what is seen then; None if it survives."""
    cases = suite(mutant.bench)
    with planted(mutant):
        outcome = conform(cases.model, cases.cases, BENCHES[mutant.bench].make)
    if not outcome.failures:
        return None
    return {"cases": outcome.cases, "steps": outcome.steps, "seen": outcome.failures[0].kind}


def by_chance(mutant: CodeMutant) -> dict[str, int] | None:
    """How many random runs and steps it takes; None if it survives."""
    tally = Tally()

    class Watched(machine(mutant.bench)):  # type: ignore[misc]
        def __init__(self) -> None:
            tally.runs += not tally.caught
            super().__init__()

        def teardown(self) -> None:
            tally.steps += 0 if tally.caught else self.steps_taken
            tally.caught |= _is_failure(sys.exc_info()[1])

    with planted(mutant):
        failed = _fails(lambda: run_state_machine_as_test(Watched, settings=BUDGET))
    return {"runs": tally.runs, "steps": tally.steps} if failed else None


def by_known_traces(mutant: CodeMutant) -> bool:
    """Do the model's witnesses and counterexamples catch it, which the machine goes along before it runs at random?"""
    with planted(mutant):
        return _fails(machine(mutant.bench).TestCase("runTest").setUp)


def _is_failure(error: BaseException | None) -> bool:
    """Is it more than Hypothesis's own way to end a run?"""
    return isinstance(error, Exception) and not isinstance(error, HypothesisException)


def _fails(run: Callable[[], object]) -> bool:
    """Does it raise anything? A broken broker may raise what it likes."""
    with suppress(Exception):
        run()
        return False
    return True


def table() -> dict[str, Any]:
    """The table as it was written last."""
    return dict(json.loads(TABLE.read_text(encoding="utf-8"))) if TABLE.exists() else {}
