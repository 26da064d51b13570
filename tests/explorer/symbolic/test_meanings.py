"""What is stated of a function's result is proven from the function, before anything is proven with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from neverlost.explorer.symbolic.any_bounds.instances import Instances
from neverlost.explorer.symbolic.any_bounds.obligations import Obligations
from neverlost.explorer.symbolic.any_bounds.proof import answered, prove_for_any_bounds
from neverlost.explorer.symbolic.induction import MEANING, Effort
from neverlost.explorer.symbolic.solving import QueryResult
from neverlost.explorer.symbolic.terms import UntranslatableError
from neverlost.model.core import Meaning, require
from neverlost.model.published.base import Offset, Partition, Replica, first_mismatch, has_offset, same_record
from neverlost.spec.published.any_bounds import KIP_320_ANY_BOUNDS, is_first_mismatch

Search = Callable[[Partition, Replica, Replica], int]
ROUNDS = (1.0, 4.0)


def one_too_few(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    for offset in s.each(Offset):
        if (
            has_offset(s, leader, offset)
            and has_offset(s, follower, offset)
            and same_record(s, leader, follower, offset)
        ):
            end = offset
    return end


def forgets_where_the_follower_ends(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    for offset in s.each(Offset):
        if has_offset(s, leader, offset) and same_record(s, leader, follower, offset):
            end = offset + 1
    return end


def starts_at_one(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 1
    for offset in s.each(Offset):
        if (
            has_offset(s, leader, offset)
            and has_offset(s, follower, offset)
            and same_record(s, leader, follower, offset)
        ):
            end = offset + 1
    return end


def counts(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    for offset in s.each(Offset):
        if (
            has_offset(s, leader, offset)
            and has_offset(s, follower, offset)
            and same_record(s, leader, follower, offset)
        ):
            end = end + 1
    return end


def returns_in_its_loop(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    for offset in s.each(Offset):
        if not has_offset(s, leader, offset):
            return end
        if has_offset(s, follower, offset) and same_record(s, leader, follower, offset):
            end = offset + 1
    return end


def refuses(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    for offset in s.each(Offset):
        require(has_offset(s, follower, offset))
        end = offset + 1
    return end


def has_no_loop(s: Partition, leader: Replica, follower: Replica) -> int:
    return s.log_end[leader]


def carries_two(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    last = 0
    for offset in s.each(Offset):
        if same_record(s, leader, follower, offset):
            end = last
            last = offset
    return end


def goes_elsewhere(s: Partition, leader: Replica, follower: Replica) -> int:
    end = 0
    for replica in s.each(Replica):
        if has_offset(s, replica, end):
            end = 1
    return end


def stated_of(function: Search) -> Meaning:
    return Meaning(function=function, says=is_first_mismatch, up_to=Offset)


def answers(function: Search) -> dict[str, set[QueryResult]]:
    """For each moment that the meaning has to be true at, what was answered."""
    unbounded = replace(KIP_320_ANY_BOUNDS, meanings=(stated_of(function),))
    obligations = Obligations(unbounded, unbounded.traced.property_named("strong_isr"), (), {})
    instances, before = Instances(obligations.translation.space), obligations.translation.before
    found: dict[str, set[QueryResult]] = {}
    for each in obligations.meanings():
        query = answered(each, instances, before, ROUNDS)
        assert query.kind == MEANING
        found.setdefault(query.step, set()).add(query.result)
    return found


def test_the_first_mismatch_of_two_logs_is_what_is_stated_of_it() -> None:
    assert answers(first_mismatch) == {
        "before its loop": {QueryResult.HOLDS},
        "after a round of its loop": {QueryResult.HOLDS},
    }


@pytest.mark.parametrize(
    ("function", "when"),
    [
        (one_too_few, "after a round of its loop"),
        (forgets_where_the_follower_ends, "after a round of its loop"),
        (counts, "after a round of its loop"),
        (starts_at_one, "before its loop"),
    ],
)
def test_a_function_that_finds_something_else_is_found_out(function: Search, when: str) -> None:
    assert QueryResult.FAILS in answers(function)[when]


@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        (returns_in_its_loop, "it may not refuse, return early, change the state"),
        (refuses, "it may not refuse, return early, change the state"),
        (has_no_loop, "change one of them in one loop over Offset, and return it"),
        (goes_elsewhere, "change one of them in one loop over Offset, and return it"),
        (carries_two, "let its loop change end alone"),
    ],
)
def test_what_is_no_search_is_refused_with_its_place(function: Search, remedy: str) -> None:
    with pytest.raises(
        UntranslatableError, match=rf"test_meanings.py:\d+: the meaning of {function.__name__} .*{remedy}"
    ):
        answers(function)


def test_nothing_is_proven_with_a_meaning_that_is_not_true() -> None:
    unbounded = replace(KIP_320_ANY_BOUNDS, meanings=(*KIP_320_ANY_BOUNDS.meanings, stated_of(counts)))
    proof = prove_for_any_bounds(unbounded, "strong_isr", effort=Effort(rounds=ROUNDS))
    assert proof.verdict == "undecided"
    assert {query.kind for query in (*proof.failing, *proof.unknown)} == {MEANING}
