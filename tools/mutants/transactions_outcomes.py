"""What refuses each mistake of the in-process transactions: the case of a suite from mutants at which it fails, kept in a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mutants.inprocess_mutation import CodeMutant, planted
from mutants.refusals import described, replayed
from mutants.transactions_mutants import TRANSACTIONS
from neverlost.conformance.suite.cases import Suite
from neverlost.conformance.suite.from_mutants import kills_of, suite_from
from neverlost.conformance.suite.run import conform
from neverlost.conformance.transactions.adapter import TransactionsAdapter
from neverlost.spec import profiles

TABLE = Path(__file__).parents[2] / "tests" / "conformance" / "transactions" / "mistakes.json"


@cache
def suite(version: str) -> Suite:
    """The suite from mutants of a version, as `neverlost suite --from-mutants --adapter transactions` makes it."""
    profile = profiles()[f"kafka-transactions-{version}"]
    return suite_from(profile, kills_of(profile, TransactionsAdapter, {}))


def refused_by(mutant: CodeMutant) -> dict[str, Any] | None:
    """How the suite of its version refuses a mistake: bounds and settings, steps, and what differs after them; None if it does not."""
    made = suite(mutant.bench)
    with planted(mutant):
        outcome = conform(made.model, made.cases, TransactionsAdapter)
    return described(outcome.failures[0]) if outcome.failures else None


def seen_in(mutant: CodeMutant, row: Mapping[str, Any]) -> str | None:
    """What differs if the steps of a row are done; None if nothing does."""
    return replayed(f"kafka-transactions-{mutant.bench}", TransactionsAdapter, row)


def search() -> dict[str, dict[str, Any] | None]:
    """What refuses each mistake, anew."""
    return {mutant.name: refused_by(mutant) for mutant in TRANSACTIONS}


def table() -> dict[str, dict[str, Any]]:
    """What was found last."""
    found: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def write(found: Mapping[str, Any]) -> None:
    """Keep what was found."""
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
