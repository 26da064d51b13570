"""Every rule that the in-process broker is written from has a test that carries its id."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent

REQUIRED = (
    *("R-PROD-1", "R-PROD-2", "R-PROD-3", "R-PROD-4", "R-PROD-5", "R-DP-1", "R-DP-2", "R-DP-3", "R-DF-1"),
    *("R-TIMER-1", "R-TIMER-2", "R-TIMER-3", "R-FETCH-1", "R-FETCH-2", "R-HW-1", "R-HW-2", "R-ISR-1", "R-ISR-2"),
    *("R-ELECT-1", "R-ELECT-2", "R-ELECT-3", "R-META-1", "R-TRUNC-1", "R-TRUNC-2", "R-TRUNC-3", "R-TRUNC-4"),
    *("R-STOP-1", "R-STOP-2", "R-CRASH-1", "R-CLIENT-1", "R-CLIENT-2", "R-CLIENT-3", "R-CONS-1", "R-CONS-2"),
)


def marked() -> dict[str, list[str]]:
    """The test files by the ids that their tests carry."""
    found: dict[str, list[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for rule in re.findall(r'^@pytest\.mark\.rule\("([^"]+)"\)$', path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(rule, []).append(path.name)
    return found


def test_every_rule_has_a_test() -> None:
    assert [rule for rule in REQUIRED if rule not in marked()] == []


def test_no_test_carries_an_id_that_is_no_rule() -> None:
    assert sorted(set(marked()) - set(REQUIRED)) == []


def test_the_rules_are_those_of_the_description_if_it_is_at_hand() -> None:
    description = HERE.parents[3] / "shared" / "kafka-semantics.md"
    if description.exists():
        text = description.read_text(encoding="utf-8")
        listed = set(re.findall(r"^- (R-[A-Z]+-\d)\b(?!\.)", text, re.MULTILINE))
        assert listed <= set(REQUIRED)
