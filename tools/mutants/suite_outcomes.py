"""What refuses each mistake of an in-process family: the case of a suite from mutants at which it fails, kept in a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from mutants.groups_mutants import GROUPS
from mutants.inprocess_mutation import CodeMutant, planted
from mutants.transactions_mutants import TRANSACTIONS
from neverlost.conformance.adapter import MakeAdapter
from neverlost.conformance.divergence import Divergence, drive
from neverlost.conformance.groups.adapter import GroupsAdapter
from neverlost.conformance.random_walk import walk
from neverlost.conformance.suite.cases import Suite, with_chosen
from neverlost.conformance.suite.from_mutants import kills_of, suite_from
from neverlost.conformance.suite.run import Failure, conform
from neverlost.conformance.transactions.adapter import TransactionsAdapter
from neverlost.model.core import Model
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
                return _refused(outcome.failures[0])
            return next(self._met(mutant, made), None)

    def _met(self, mutant: CodeMutant, made: Suite) -> Iterator[dict[str, Any]]:
        """What walks find that is found again without what they tried on the way."""
        for chosen in dict.fromkeys(tuple(case.chosen.items()) for case in made.cases):
            model = self._model(mutant.bench, dict(chosen))
            for seed in range(SEEDS):
                found = walk(model, lambda of=model: self.adapter(of), seed=seed, steps=STEPS).divergence  # type: ignore[misc]
                if found is None:
                    continue
                tried = () if found.attempted is None else (len(found.trace.steps),)
                row = _described(dict(chosen), "a walk", replace(found, attempts_after=tried))
                if self.replayed(mutant, row) is not None:
                    yield row

    def replayed(self, mutant: CodeMutant, row: Mapping[str, Any]) -> Divergence | None:
        """What differs if the steps of a row are done, with refused steps tried as they were; None if nothing does."""
        model = self._model(mutant.bench, row["chosen"])
        steps = [model.parse_step(step) for step in row["steps"]]
        return drive(self.adapter(model), model, steps, attempts_after=row["tried_after"])

    def _model(self, version: str, chosen: Mapping[str, int]) -> Model:
        return with_chosen(profiles()[f"kafka-{self.family}-{version}"].bounded(), chosen)

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


def _refused(failure: Failure) -> dict[str, Any]:
    assert failure.divergence is not None, failure.fault
    return _described(dict(failure.case.chosen), failure.kind, failure.divergence)


def _described(chosen: Mapping[str, int], differs: str, divergence: Divergence) -> dict[str, Any]:
    bounds = divergence.trace.model.bounds
    return {
        "chosen": chosen,
        "differs": differs,
        "steps": [step.show(bounds) for step in divergence.trace.steps],
        "tried_after": list(divergence.attempts_after),
    }


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
