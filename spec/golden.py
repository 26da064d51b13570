"""The golden table: what every engine must answer for a profile within bounds, and who confirmed it.

The rows lie in golden.json, one a line. A row is never edited by hand: an engine that disagrees with it is wrong, or the model
has changed on purpose and the table is made anew (see CONTRIBUTING.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.model.core import ModelError


@dataclass(frozen=True, kw_only=True)
class GoldenFinding:
    """What a search must decide about one property; `trace_length` counts states. `tlc` says that TLC decided the same."""

    verdict: str
    violating_states: int | None
    trace_length: int | None
    tlc: bool


@dataclass(frozen=True, kw_only=True)
class GoldenRow:
    """One complete search. `confirmed_by` names those that reached these figures: "tlc", "interpreted", "compiled".

    `generated` counts one per initial state and one per enabled step. It, `levels` and `digest`
    are None while no engine has counted them.
    TLC counts a successor once for each way in which it finds it: `tlc_generated`, and per action where it was recorded.
    """

    profile: str
    bounds: Mapping[str, int]
    symmetry: tuple[str, ...]
    distinct: int
    generated: int | None
    depth: int
    levels: tuple[int, ...] | None
    digest: str | None
    findings: Mapping[str, GoldenFinding]
    confirmed_by: tuple[str, ...]
    tlc_generated: int | None
    tlc_actions: Mapping[str, int]

    def __post_init__(self) -> None:
        if self.levels is not None and (sum(self.levels), len(self.levels)) != (self.distinct, self.depth):
            raise ModelError(
                f"golden row {self.label}: the levels do not add up to {self.distinct} states, {self.depth} deep"
            )

    @property
    def label(self) -> str:
        """The row as test names show it: `kip-320 replicas=2 log_size=1 by replica`."""
        shown = [self.profile.removeprefix("published/")]
        shown += [f"{name}={value}" for name, value in self.bounds.items()]
        shown += [f"by {name}" for name in self.symmetry]
        return " ".join(shown)


@cache
def golden_rows() -> tuple[GoldenRow, ...]:
    """Every row, in the order of the table. Raises ModelError if the table contradicts itself."""
    text = files("neverlost.spec").joinpath("golden.json").read_text(encoding="utf-8")
    return tuple(_row(line) for line in json.loads(text))


def _row(line: Mapping[str, Any]) -> GoldenRow:
    findings = {name: GoldenFinding(**finding) for name, finding in line["findings"].items()}
    return GoldenRow(
        **{
            **line,
            "symmetry": tuple(line["symmetry"]),
            "levels": tuple(line["levels"]) if line["levels"] else None,
            "confirmed_by": tuple(line["confirmed_by"]),
            "findings": findings,
        }
    )
