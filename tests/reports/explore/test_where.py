from __future__ import annotations

import pytest

from neverlost.reports.explore.where import WhereError, state_where
from neverlost.spec.kafka.replication.versions import VERSIONS

MODEL = VERSIONS[-1].model(acks="all", min_isr=2, leader_moves=1)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("log_end[r1] == 0 and controller_leader == r1", True),
        ("delivery[0] == 'acknowledged'", False),
        ("delivery[0] == unsent and r1 in controller_isr and not r2 not in controller_isr", True),
        ("controller_isr == {r1, r2}", False),
        ("isr[controller_leader] == {r1, r2, r3}", True),
        ("up[r1]", True),
        ("not up[r1] or leader[r2] == none", False),
        ("high_watermark[r1] <= log_end[r2]", True),
        ("acks == all", True),
        ("acked_never_lost", True),
    ],
)
def test_an_expression_means_what_it_says_of_the_start(text: str, holds: bool) -> None:
    assert MODEL.holds(state_where(MODEL, text), MODEL.initial_states()[0]) == holds


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write an expression over fields"),
        ("foo == 1", "is compared with no field"),
        ("__import__('os')", "is not a comparison of fields"),
        ("log_end[r9] == 0", "Did you mean 'r1'"),
        ("log_end == 0", "must be log_end"),
        ("log_end[r1]", "is not yes or no"),
        ("log_end[r1] == 7", "is outside 0..2"),
        ("log_end[r1] == -1", "neither a field nor a value"),
        ("delivery[0] == banana", "Known: unsent, waiting"),
        ("log_end[r1] == (lambda: 0)()", "neither a field nor a value"),
        ("log_end[__import__('os').getpid()] == 0", "neither a field nor a value"),
        ("s.x == 1", "is compared with no field"),
        ("r1 in log_end[r1]", "is not a set"),
        ("(" * 500, "is not an expression"),
        ("not " * 900, "write an expression"),
        ("log_end[r1] == 0\nimport os", "is not an expression"),
        ("exactly_one_response", "is not about single states"),
    ],
)
def test_what_is_not_about_fields_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(WhereError, match=why.replace("'", ".")):
        state_where(MODEL, text)
