"""Every rule that the in-process broker is written from has a test that carries its id."""

from __future__ import annotations

import re
from pathlib import Path

from rules_page import OF_NO_BROKER_HERE, RULES, unit_tests_of

HERE = Path(__file__).parent

REQUIRED = tuple(rule for rule in RULES if rule != OF_NO_BROKER_HERE)


def test_every_rule_has_a_test() -> None:
    assert [rule for rule in REQUIRED if rule not in unit_tests_of()] == []


def test_no_test_carries_an_id_that_is_no_rule() -> None:
    assert sorted(set(unit_tests_of()) - set(REQUIRED)) == []


def test_the_rules_are_those_of_the_description_if_it_is_at_hand() -> None:
    description = HERE.parents[3] / "shared" / "kafka-semantics.md"
    if description.exists():
        text = description.read_text(encoding="utf-8")
        listed = set(re.findall(r"^- (R-[A-Z]+-\d)\b(?!\.)", text, re.MULTILINE))
        assert listed <= set(REQUIRED)
