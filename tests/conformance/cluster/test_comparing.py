"""Two releases compared: what counts as a difference shown, and how a rule and its run are reported."""

from __future__ import annotations

import pytest

from neverlost.conformance.adapter import StateDifference
from neverlost.conformance.cluster.comparing import Compared, Played, TellingRule
from neverlost.conformance.cluster.releases import release_named
from neverlost.conformance.judging import JudgedStep
from neverlost.reports.compare.as_text import compared_text
from neverlost.spec import profiles

MODEL = profiles()["kafka-0.11"].bounded(leader_moves=1)
STEPS = tuple(MODEL.parse_step(text) for text in ("move_leader(successor=r2)", "become_leader(replica=r2, epoch=1)"))
RULE = TellingRule(own="truncation=kip-101", other="truncation=kip-279", version="kafka-0.11", model=MODEL, steps=STEPS)
FOLLOWED = Played(difference=None)


def left_at(number: int) -> Played:
    seen = StateDifference(place="log_end[r2]", expected="1", seen="0")
    return Played(difference=JudgedStep(number=number, step=STEPS[number - 1], differences=(seen,), as_the_run=False))


@pytest.mark.parametrize(
    ("there", "elsewhere", "shown"),
    [
        (FOLLOWED, left_at(2), True),
        (FOLLOWED, left_at(1), False),
        (FOLLOWED, FOLLOWED, False),
        (left_at(2), left_at(2), False),
        (FOLLOWED, None, False),
    ],
)
def test_a_difference_is_shown_if_one_release_follows_the_run_and_the_other_leaves_it_at_its_last_step(
    there: Played, elsewhere: Played | None, shown: bool
) -> None:
    assert Compared(rule=RULE, there=there, elsewhere=elsewhere).as_expected is shown


def test_a_rule_without_a_run_says_why_and_is_no_mistake() -> None:
    rule = TellingRule(own="a=yes", other="a=no", version="kafka-0.11", why="nothing shows it")
    assert Compared(rule=rule).as_expected
    assert compared_text([Compared(rule=rule)], played=True).split("\n") == [
        "",
        "a=yes in kafka-0.11; a=no in the other",
        "  no run: nothing shows it",
    ]


def test_a_run_is_reported_with_its_steps_and_what_became_of_it_on_both() -> None:
    assert compared_text([Compared(rule=RULE, there=FOLLOWED, elsewhere=left_at(2))], played=True).split("\n") == [
        "",
        "truncation=kip-101 in kafka-0.11; truncation=kip-279 in the other",
        "   1. move_leader(successor=r2)",
        "   2. become_leader(replica=r2, epoch=1)",
        "  here:  as the run",
        "  there: differs at step 2: log_end[r2] is 0; the model says 1",
    ]


def test_the_version_that_speaks_for_a_release_is_that_of_the_registry() -> None:
    assert release_named("0.11.0.3").profile.name == "kafka-0.11"
    assert release_named("3.9.1", "kraft").profile.name == "kafka-3.9"
