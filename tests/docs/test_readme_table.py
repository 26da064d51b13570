"""What the README says is proven and refuted is what the golden table says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from neverlost.model.core import Profile
from neverlost.model.kafka.state import ACKS_ALL
from neverlost.spec.golden import GoldenFinding, golden_rows
from neverlost.spec.kafka.versions import REPLICATING, VERSIONS
from neverlost.studies.claims.judging import options_beside_bounds

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BOUNDS = {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 3}
ROWS = re.findall(r"^\| `(published/[\w-]+)` \| ([\d,]+) \| (.+?) \| (.+?) \|$", README, flags=re.MULTILINE)


def told(finding: GoldenFinding) -> str:
    if finding.trace_length is None:
        return finding.verdict
    return f"refuted in {finding.trace_length - 1} steps"


@pytest.mark.parametrize(("profile", "distinct", "weak", "strong"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_the_readme_is_a_golden_row(profile: str, distinct: str, weak: str, strong: str) -> None:
    (row,) = (r for r in golden_rows() if r.profile == profile and dict(r.bounds) == BOUNDS and not r.symmetry)
    assert int(distinct.replace(",", "")) == row.distinct
    assert (weak, strong) == (told(row.findings["weak_isr"]), told(row.findings["strong_isr"]))


def test_the_readme_tells_of_all_five_protocols() -> None:
    assert len(ROWS) == 5
    assert "all 4,093,531 states at 3 replicas, log size 3, 3 records, 3 leader epochs" in README
    largest = {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 3}
    (row,) = (r for r in golden_rows() if r.profile == "published/kip-320" and dict(r.bounds) == largest)
    assert row.distinct == 4_093_531
    assert {row.findings[name].verdict for name in ("weak_isr", "strong_isr")} == {"holds"}


CLAIMS = json.loads((Path(__file__).parents[2] / "spec" / "kafka" / "claims.json").read_text(encoding="utf-8"))
FAULTS_OF_COLUMNS = {
    "3 leader moves": {"leader_moves": 3},
    "2 shutdowns, 1 leader move": {"leader_moves": 1, "shutdowns": 2},
    "1 crash, 1 leader move": {"crashes": 1, "leader_moves": 1},
    "2 crashes": {"crashes": 2},
    "1 power loss": {"power_losses": 1},
    "2 power losses": {"power_losses": 2},
}
"""The columns of the table of versions."""

VERSION_ROWS = re.findall(r"^\| (`kafka-[^|]+) \| (.+) \|$", README, flags=re.MULTILINE)
NAMES = [version.name for version in VERSIONS]


def cells_of(version: Profile) -> dict[str, str]:
    """What the claims ledger has of a version, as the table writes it, by column."""
    answers = {(a["profile"], a["property"], a["options"]): a for a in CLAIMS["answers"]}
    found = {}
    for column, faults in FAULTS_OF_COLUMNS.items():
        options = " ".join(options_beside_bounds(version.bounded(acks=ACKS_ALL, min_isr=2, unclean=0, **faults)))
        answer = answers.get((version.name, "acked_never_lost", options))
        if answer is not None:
            holds = "holds*" if answer["hidden"] else "holds"
            found[column] = holds if answer["steps"] is None else str(len(answer["steps"]))
    return found


def versions_in(label: str) -> list[str]:
    """The versions that a row is about: one, several, or from one to another of the same mode."""
    named = re.findall(r"`(kafka-[^`]+)`", label)
    if " to " in label:
        first, last = (NAMES.index(name) for name in named)
        within = NAMES[first : last + 1]
        return [
            name for name in within if (name in named) or ("KRaft" in label) == ("kraft" in name or name >= "kafka-3.3")
        ]
    return named


@pytest.mark.parametrize(("label", "cells"), VERSION_ROWS, ids=[row[0] for row in VERSION_ROWS])
def test_a_row_of_versions_is_what_the_claims_ledger_found(label: str, cells: str) -> None:
    asked = [version for version in REPLICATING if version.name in versions_in(label)]
    assert asked
    written = dict(zip(FAULTS_OF_COLUMNS, cells.split(" | "), strict=True))
    known: dict[str, set[str]] = {}
    for version in asked:
        for column, cell in cells_of(version).items():
            known.setdefault(column, set()).add(cell)
    for column, cells_found in known.items():
        # "holds*" for a row says of some of its versions that leader epochs ran out.
        together = {"holds*"} if cells_found == {"holds", "holds*"} else cells_found
        assert together == {written[column]}, column
    assert len(known) >= 3


def test_the_table_has_a_row_for_every_version_that_replicates_in_its_own_way() -> None:
    told = {name for label, _ in VERSION_ROWS for name in versions_in(label)}
    assert {version.name for version in REPLICATING} <= told


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL):
        exec(compile(block, "README.md", "exec"), {})
    assert "11. become_leader" in capsys.readouterr().out
