"""Every guard of the published protocols carries weight: without it, a golden row changes or a property fails.

A mutant is a protocol in which one `require`, or one part of an `and` or `or`, is gone. It is killed when a
search of a profile that uses the function differs from a golden row, or when an action leaves a domain. Those that survive stand
below with the reason; one that is killed after all must not stand there.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sampling import quick_one_in

from neverlost.conformance.mutants.conditions import condition_mutants
from neverlost.conformance.mutants.mutant import GUARD, Mutant
from neverlost.explorer.search import Limits, explore
from neverlost.model import published
from neverlost.model.core import ModelError, Profile
from neverlost.spec.golden import GoldenRow, golden_rows
from neverlost.spec.published.profiles import PROFILES

SURVIVORS = {
    "base.is_true_leader: s.controller_leader == replica": (
        "an epoch has one leader: who leads in the controller's epoch is its leader"
    ),
    "base.is_true_leader: s.leader[replica] == replica": (
        "whom the controller made leader in an epoch leads once it is in that epoch"
    ),
    "base.same_record: s.record_id[one][offset] == s.record_id[other][offset]": (
        "an epoch's leader writes an offset once, so the epoch tells the id"
    ),
    "base.same_record: s.record_epoch[one][offset] == s.record_epoch[other][offset]": (
        "an id is written once, so it tells the epoch"
    ),
    "base.first_mismatch: has_offset(s, leader, offset)": (
        "beyond its end a log is blank, so there it differs from any record of the follower"
    ),
    "base.first_mismatch: has_offset(s, follower, offset)": (
        "beyond its end a log is blank, so there it differs from any record of the leader"
    ),
    "before_fencing.is_caught_up: end == 0": "asked for offset -1, which every log has passed",
    "before_fencing.is_caught_up: has_offset(s, leader, end - 1)": (
        "it is asked about the leader's log end and its high watermark, both within its log"
    ),
    "before_fencing.end_of_last_epoch: has_offset(s, leader, offset)": (
        "a blank slot has epoch -1, which is above no epoch"
    ),
    "kip_320.follows_in_epoch: presumes_leadership(s, leader)": (
        "who follows a replica in an epoch learnt from the request of that epoch that it leads"
    ),
    "kip_320.follows_in_epoch: s.leader[follower] == leader": (
        "an epoch has one leader: who is in the leader's epoch follows it"
    ),
    "kip_320_first_try.is_caught_up_in_epoch: has_offset(s, leader, end - 1)": (
        "a blank slot has epoch -1, which no record has"
    ),
    "kip_320_first_try.is_caught_up_in_epoch: has_offset(s, follower, end - 1)": (
        "a blank slot has epoch -1, which no record has"
    ),
    "kip_320_first_try.high_watermark_reached_epoch: has_offset(s, leader, end)": (
        "a blank slot has epoch -1, which no leader has"
    ),
    "kip_320_first_try.diverges: end > s.log_end[leader]": "beyond the leader's end the epochs differ: one is -1",
}
"""Only parts of conditions: a `require` that changes nothing is to be removed, not explained."""

TELLING = (
    {"replicas": 2, "log_size": 1, "records": 1, "leader_epochs": 1},
    {"replicas": 2, "log_size": 1, "records": 1, "leader_epochs": 2},
    {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 1},
    {"replicas": 2, "log_size": 1, "records": 2, "leader_epochs": 2},
    {"replicas": 2, "log_size": 2, "records": 2, "leader_epochs": 2},
)
"""Bounds of the replication protocols at which mutants show themselves, the cheapest first."""


def telling_rows(profile: Profile) -> list[GoldenRow]:
    rows = [r for r in golden_rows() if r.profile == profile.name and not r.symmetry]
    if "leader_epochs" not in profile.bound_names:
        return sorted((r for r in rows if r.distinct <= 300), key=lambda row: row.distinct)
    return [row for bounds in TELLING for row in rows if dict(row.bounds) == bounds]


def differs(profile: Profile, row: GoldenRow) -> bool:
    """Does a search of the profile differ from the row? One that goes on beyond twice its states does."""
    limits = Limits(states=2 * row.distinct)
    try:
        result = explore(profile.bounded(**row.bounds), engine="interpreted", until="all", limits=limits)
    except ModelError:
        return True
    if (result.distinct, result.generated, result.levels) != (row.distinct, row.generated, row.levels):
        return True
    return any(
        (found.verdict, found.violating_states) != (row.findings[name].verdict, row.findings[name].violating_states)
        for name, found in result.findings.items()
    )


MUTATED = {profile.name: condition_mutants(profile) for profile in PROFILES}
MUTANTS = list(dict.fromkeys(mutant for mutants in MUTATED.values() for mutant in mutants))


@pytest.mark.parametrize("mutant", quick_one_in(6, MUTANTS, lambda mutant: mutant.label))
def test_a_protocol_without_one_of_its_guards_is_another_protocol(mutant: Mutant) -> None:
    profiles = [(profile, MUTATED[profile.name][mutant]) for profile in PROFILES if mutant in MUTATED[profile.name]]
    cases = [(row, mutated) for profile, mutated in profiles for row in telling_rows(profile)]
    cases.sort(key=lambda case: case[0].distinct)
    killed = any(differs(mutated, row) for row, mutated in cases)
    if mutant.label in SURVIVORS:
        assert not killed, f"it is killed: remove it from SURVIVORS ({SURVIVORS[mutant.label]})"
    else:
        assert killed, (
            "no golden row tells the mutant from the protocol: remove the guard, or say in SURVIVORS why it stays"
        )


def test_every_explained_survivor_is_a_mutant_and_no_require() -> None:
    parts = {m.label for m in MUTANTS if m.kind != GUARD}
    assert set(SURVIVORS) <= parts


def test_every_require_of_the_published_protocols_has_a_mutant() -> None:
    written = sum(
        file.read_text(encoding="utf-8").count("    require(") for file in Path(published.__file__).parent.glob("*.py")
    )
    assert sum(m.kind == GUARD for m in MUTANTS) == written > 50
