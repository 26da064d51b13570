"""The page that says by what each rule is tested: nothing is left without a test."""

from __future__ import annotations

import pytest
from golden_text import EXPLANATION, expect_golden
from mutants.history_outcomes import VERSIONS, table
from mutants.inprocess_mutants import MUTANTS
from rules_page import OF_NO_BROKER_HERE, RULES, page, rules_in, unit_tests_of

from neverlost.spec import profiles


def test_the_page_says_what_the_tables_and_the_tests_say() -> None:
    expect_golden("rules-tested.md", page(), EXPLANATION)


BEYOND_THE_MODEL = ("R-PROD-5", "R-DF-1", "R-CLIENT-1", "R-CLIENT-2")
"""Internal topics and storage errors, delayed fetches, routing to partitions, a client of 0.8.2: unit tests alone speak of them."""


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != OF_NO_BROKER_HERE])
def test_every_rule_is_tested_by_its_own_tests_and_but_for_a_few_by_a_mistake_that_is_refused(rule: str) -> None:
    assert unit_tests_of()[rule]
    said = any(table()["rules"][version].get(rule, (0, 0))[0] for version in VERSIONS)
    assert (said or any(mutant.rules == rule for mutant in MUTANTS)) is (rule not in BEYOND_THE_MODEL)


def test_every_rule_that_an_action_names_is_on_the_page() -> None:
    actions = [a for profile in profiles().values() if profile.family != "transactions" for a in profile.actions]
    assert {rule for action in actions for rule in rules_in(action.source)} <= set(RULES)


def test_a_range_of_rules_names_each() -> None:
    assert rules_in("R-META-1, R-TRUNC-1..4, KIP-101") == [
        "R-META-1",
        *("R-TRUNC-1", "R-TRUNC-2", "R-TRUNC-3", "R-TRUNC-4"),
    ]
