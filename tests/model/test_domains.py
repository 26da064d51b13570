"""Domains: how values are shown, renamed, and combined as sets."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.model.core import EMPTY, Index, SubsetOf, contains, is_subset, only, with_member, without
from neverlost.model.core.domains import Domain


class Ship(Index, bound="ships", prefix="s", first=1, symmetric=True, distinguished=1):
    pass


class Fleet(SubsetOf, of=Ship):
    pass


class Hour(Index, bound="hours"):
    pass


BOUNDS = {"ships": 4, "hours": 3}
MEMBERS = st.sets(st.integers(0, 9))
MEMBER = st.integers(0, 9)


def mask(members: set[int]) -> Fleet:
    return Fleet(sum(2**m for m in members))


@given(MEMBERS, MEMBER)
def test_the_set_helpers_do_what_sets_do(members: set[int], member: int) -> None:
    assert contains(mask(members), member) == (member in members)
    assert with_member(mask(members), member) == mask(members | {member})
    assert without(mask(members), member) == mask(members - {member})
    assert only(member) == mask({member})


@given(MEMBERS, MEMBERS)
def test_one_set_is_a_subset_of_another_when_all_its_members_are(one: set[int], other: set[int]) -> None:
    assert is_subset(mask(one), mask(other)) == (one <= other)


def test_the_empty_set_has_no_member() -> None:
    assert not any(contains(EMPTY, member) for member in range(10))


@pytest.mark.parametrize(
    ("domain", "size", "low", "shown", "described"),
    [
        (Domain("member", Ship), 4, 0, ["s1", "s2", "s3", "s4"], "Ship"),
        (Domain("optional", Ship), 5, -1, ["none", "s1", "s2", "s3", "s4"], "Ship or none"),
        (Domain("up_to", Hour), 4, 0, ["0", "1", "2", "3"], "0..hours"),
        (Domain("flag"), 2, 0, ["no", "yes"], "yes or no"),
    ],
    ids=["member", "optional", "up to", "flag"],
)
def test_a_domain_knows_its_values_and_how_people_write_them(
    domain: Domain, size: int, low: int, shown: list[str], described: str
) -> None:
    assert (domain.size(BOUNDS), domain.low) == (size, low)
    assert [domain.show(value, BOUNDS) for value in range(low, low + size)] == shown
    assert domain.describe() == described


def test_a_set_is_shown_by_its_members() -> None:
    assert Fleet.size(BOUNDS) == 16
    assert [Fleet.show(v, BOUNDS) for v in (0b0000, 0b0001, 0b1010)] == ["{}", "{s1}", "{s2, s4}"]
    assert Domain("member", Fleet).describe() == "a set of Ship"


def test_a_count_is_described_with_its_bound_where_one_is_given() -> None:
    assert Domain("up_to", Hour).describe(BOUNDS) == "0..3"


@given(MEMBERS.map(lambda members: {m % 4 for m in members}), st.sampled_from(list(permutations(range(4)))))
def test_renaming_a_set_renames_its_members(members: set[int], permutation: tuple[int, ...]) -> None:
    assert Fleet.renamed(mask(members), permutation) == mask({permutation[m] for m in members})


def test_only_members_of_renamed_domains_are_renamed() -> None:
    renaming = {Ship: (0, 2, 3, 1)}
    assert Domain("member", Ship).renamed(1, renaming) == 2
    assert Domain("optional", Ship).renamed(-1, renaming) == -1
    assert Domain("up_to", Ship).renamed(1, renaming) == 1
    assert Domain("member", Hour).renamed(1, renaming) == 1
    assert Domain("flag").renamed(1, renaming) == 1
    assert Domain("member", Fleet).renamed(0b0110, renaming) == 0b1100
