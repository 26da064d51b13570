"""From a lost decision to a lost record: which mishap loses one, and how long the shortest loss is, are what searches find."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neverlost.explorer.search import explore
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec.families import profiles

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "quorum.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## From a lost decision to a lost record\n")[2].partition("\n## ")[0]

LOST, KEPT = "a decision may be lost", "no decision is lost"
MISHAPS = re.findall(rf"^\| (.+) \| ({LOST}|{KEPT}) \| ({LOST}|{KEPT}) \|$", SECTION, flags=re.MULTILINE)
ASKED = {
    "one directory lost, and formatted again with a new id": {"disk_losses": 1},
    "the file quorum-state deleted": {"quorum_state_losses": 1},
    "an older copy of the own directory": {"restored_copies": 1},
    "a copy of another controller's directory": {"borrowed_copies": 1},
    "one or two power losses, three controllers": {"power_losses": 2},
    "a process killed, and then a power loss, three controllers": {"crashes": 1, "power_losses": 1},
    "one power loss, [one controller](../questions/one-controller-or-three.md)": {"power_losses": 1, "controllers": 1},
}
LENGTHS = re.findall(
    r"^\| (`kafka-.+?`), `--min-isr (\d)((?: --[a-z-]+ \d)*)` \| (.+) \|$", SECTION, flags=re.MULTILINE
)


@pytest.mark.parametrize(("mishap", "by_id", "by_directory"), MISHAPS, ids=[row[0].split(",")[0] for row in MISHAPS])
def test_a_mishap_loses_a_decision_where_the_quorums_search_says_so(mishap: str, by_id: str, by_directory: str) -> None:
    for version, cell in enumerate((by_id, by_directory)):
        model = profiles()["kafka-quorum-3.9"].bounded(kraft_version=version, **ASKED[mishap])
        result = explore(model, properties=["committed_never_lost"], symmetry=True)
        trace = result.findings["committed_never_lost"].trace
        assert trace is not None or result.complete
        assert cell == (KEPT if trace is None else LOST), version


def test_the_page_has_every_mishap() -> None:
    assert [row[0] for row in MISHAPS] == list(ASKED)


def row(values: tuple[str, ...]) -> object:
    versions, min_isr, others, _ = values
    marks = [] if not others else [pytest.mark.thorough]
    return pytest.param(*values, id=f"{versions} {min_isr}{others}", marks=marks)


@pytest.mark.parametrize(("versions", "min_isr", "others", "said"), [row(values) for values in LENGTHS])
def test_a_lost_decision_loses_a_record_in_as_many_steps(versions: str, min_isr: str, others: str, said: str) -> None:
    more = {name.replace("-", "_"): int(count) for name, count in re.findall(r"--(\S+) (\d)", others)}
    for version in re.findall(r"kafka-[\d.]+", versions):
        model = profiles()[version].bounded(
            **{"acks": ACKS_ALL, "min_isr": int(min_isr), "unclean": 0, "lost_decisions": 1, **more}
        )
        result = explore(model, properties=["acked_never_lost"], symmetry=True)
        trace = result.findings["acked_never_lost"].trace
        if trace is None:
            assert (result.complete, result.ran_out) == (True, {}), version
        assert said == (f"holds in {result.distinct:,} states" if trace is None else f"{len(trace) - 1} steps"), version


def test_the_page_has_every_min_isr() -> None:
    assert {values[1] for values in LENGTHS} == {"1", "2", "3"}
