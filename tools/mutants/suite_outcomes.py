"""What refuses each mistake of an in-process family: the case of a suite from mutants at which it fails, kept in a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from mutants.groups_mutants import GROUPS
from mutants.inprocess_mutation import CodeMutant, planted
from mutants.refusals import described, described_as, model_of, replayed
from mutants.transactions_mutants import TRANSACTIONS
from neverlost.conformance.adapter import MakeAdapter
from neverlost.conformance.groups.adapter import GroupsAdapter
from neverlost.conformance.random_walk import walk
from neverlost.conformance.suite.cases import Suite
from neverlost.conformance.suite.from_mutants import kills_of, suite_from
from neverlost.conformance.suite.run import conform
from neverlost.conformance.transactions.adapter import TransactionsAdapter
from neverlost.spec import profiles

SEEDS, STEPS = 3, 300
"""How many walks are tried in each configuration, and how long they are."""

TABLES = Path(__file__).parents[2] / "tests" / "conformance"


@dataclass(frozen=True, kw_only=True)
class Mistakes:
    """The mistakes of a family. The bench of each is a version, in whose suite it is looked for."""

    family: str
    adapter: MakeAdapter
    mutants: Sequence[CodeMutant]

    def refused_by(self, mutant: CodeMutant) -> dict[str, Any] | None:
        """How the suite of its version refuses a mistake: bounds and settings, steps, what differs after them.

        If it does not, how a random walk does in a configuration of the suite; None if none does.
        """
        made = suite(self.family, mutant.bench)
        with planted(mutant):
            outcome = conform(made.model, made.cases, self.adapter)
            if outcome.failures:
                return described(outcome.failures[0])
            return next(self._met(mutant, made), None)

    def _met(self, mutant: CodeMutant, made: Suite) -> Iterator[dict[str, Any]]:
        """What walks find that is seen again without what they tried on the way."""
        for chosen in dict.fromkeys(tuple(case.chosen.items()) for case in made.cases):
            model = model_of(self._profile(mutant.bench), dict(chosen))
            for seed in range(SEEDS):
                found = walk(model, partial(self.adapter, model), seed=seed, steps=STEPS).divergence
                if found is None:
                    continue
                row = described_as(dict(chosen), found)
                if self.seen_in(mutant, row) is not None:
                    yield row

    def seen_in(self, mutant: CodeMutant, row: Mapping[str, Any]) -> str | None:
        """What differs if the steps of a row are done; None if nothing does."""
        return replayed(self._profile(mutant.bench), self.adapter, row)

    def _profile(self, version: str) -> str:
        return f"kafka-{self.family}-{version}"

    @property
    def _table(self) -> Path:
        return TABLES / self.family / "mistakes.json"

    def search(self) -> None:
        """Find out anew what refuses each mistake, and keep it."""
        found = {mutant.name: self.refused_by(mutant) for mutant in self.mutants}
        lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
        self._table.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")

    def table(self) -> dict[str, dict[str, Any]]:
        """What was found last."""
        found: dict[str, dict[str, Any]] = json.loads(self._table.read_text(encoding="utf-8"))
        return found


FAMILIES = {
    one.family: one
    for one in (
        Mistakes(family="transactions", adapter=TransactionsAdapter, mutants=TRANSACTIONS),
        Mistakes(family="groups", adapter=GroupsAdapter, mutants=GROUPS),
    )
}
"""By the name of the family."""


@cache
def suite(family: str, version: str) -> Suite:
    """The suite from mutants of a version, as `neverlost suite --from-mutants --adapter FAMILY` makes it."""
    profile = profiles()[f"kafka-{family}-{version}"]
    return suite_from(profile, kills_of(profile, FAMILIES[family].adapter, {}))
