"""Four protocols, each written twice: as a model, from the guide alone, and as a search by hand that counts its states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from oracles import lease, lock, raft, ring

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import Profile

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = {
    "ring": "chang_roberts.py:CHANG_ROBERTS",
    "raft": "raft_election.py:RAFT_ELECTION",
    "lock": "lock_service.py:LOCK_SERVICE",
    "lease": "leader_lease.py:LEADER_LEASE",
}
Chosen = Mapping[str, int]
ROWS: list[tuple[str, Chosen, Callable[[], tuple[Any, ...]]]] = [
    ("ring", {"nodes": 3}, lambda: ring.search(3)),
    ("ring", {"nodes": 3, "losses": 2}, lambda: ring.search(3, 2)),
    ("ring", {"nodes": 4}, lambda: ring.search(4)),
    ("ring", {"nodes": 3, "swallows_smaller": 0}, lambda: ring.search(3, forwards=True)),
    ("ring", {"nodes": 3, "checks_id": 0}, lambda: ring.search(3, any_id=True)),
    ("raft", {"terms": 1, "crashes": 2}, lambda: raft.search(3, 1, 2)),
    ("raft", {"terms": 2}, lambda: raft.search(3, 2)),
    ("raft", {"servers": 2, "terms": 2, "crashes": 1}, lambda: raft.search(2, 2, 1)),
    ("raft", {"terms": 1, "crashes": 1, "writes_vote": 0}, lambda: raft.search(3, 1, 1, forgets=True)),
    ("raft", {"terms": 1, "votes_once": 0}, lambda: raft.search(3, 1, twice=True)),
    ("lock", {}, lambda: lock.search(2, 2, 1, 0)),
    ("lock", {"tokens": 3, "service_crashes": 1}, lambda: lock.search(2, 3, 1, 1)),
    ("lock", {"checks_tokens": 0}, lambda: lock.search(2, 2, 1, 0, fenced=False)),
    ("lock", {"keeps_counter": 0, "service_crashes": 1}, lambda: lock.search(2, 2, 1, 1, durable=False)),
    ("lease", {"nodes": 2}, lambda: lease.search(2, 3, 2, 1, 0)),
    ("lease", {"nodes": 2, "crashes": 1}, lambda: lease.search(2, 3, 2, 1, 1)),
    ("lease", {"nodes": 2, "margin": 1}, lambda: lease.search(2, 3, 1, 1, 0)),
    ("lease", {"nodes": 2, "keeps_grants": 0}, lambda: lease.search(2, 3, 2, 1, 0, grants_early=True)),
    ("lease", {"nodes": 2, "from_request": 0}, lambda: lease.search(2, 3, 2, 1, 0, from_answer=True)),
]
VIOLATED: list[tuple[str, Chosen, str, int]] = [
    ("ring", {"swallows_smaller": 0}, "largest_leads", 7),
    ("ring", {"checks_id": 0}, "one_leader", 8),
    ("raft", {"crashes": 1, "writes_vote": 0}, "election_safety", 10),
    ("raft", {"votes_once": 0}, "election_safety", 9),
    ("lock", {"checks_tokens": 0}, "no_stale_write", 7),
    ("lock", {"keeps_counter": 0, "service_crashes": 1}, "one_writer_for_a_token", 7),
    ("lease", {"nodes": 2, "keeps_grants": 0}, "one_serves", 10),
    ("lease", {"nodes": 2, "from_request": 0}, "one_serves", 16),
]
"""The mistakes, and the length of the shortest run to a violation."""

PROVEN = [
    ("ring", "one_leader"),
    ("raft", "election_safety"),
    ("raft", "votes_stand"),
    ("lock", "no_stale_write"),
    ("lock", "one_writer_for_a_token"),
    ("lease", "one_serves"),
]


@pytest.fixture(scope="module")
def models() -> dict[str, Profile]:
    return {name: profile_from_file(f"{EXAMPLES}/{reference}") for name, reference in MODELS.items()}


@pytest.mark.parametrize(
    ("name", "chosen", "by_hand"), ROWS, ids=[f"{name} {dict(chosen)}" for name, chosen, _ in ROWS]
)
def test_the_model_has_as_many_states_and_levels_as_a_search_by_hand(
    name: str, chosen: Chosen, by_hand: Callable[[], tuple[Any, ...]], models: dict[str, Profile]
) -> None:
    result = explore(models[name].bounded(**chosen), until="all")
    states, levels, *_ = by_hand()
    assert (result.complete, result.distinct, len(result.levels)) == (True, states, levels)


@pytest.mark.parametrize(("name", "chosen", "prop", "length"), VIOLATED)
def test_each_mistake_is_found_after_so_many_steps(
    name: str, chosen: Chosen, prop: str, length: int, models: dict[str, Profile]
) -> None:
    trace = explore(models[name].bounded(**chosen), properties=[prop]).findings[prop].trace
    assert trace is not None
    assert len(trace.steps) == length


def test_searches_by_hand_find_the_mistakes_after_as_many_steps() -> None:
    assert raft.search(3, 2, 1, forgets=True)[2] == 10
    assert raft.search(3, 2, twice=True)[2] == 9
    assert lock.search(2, 2, 1, 0, fenced=False)[2]["no_stale_write"] == 7
    assert lock.search(2, 2, 1, 1, durable=False)[2]["one_writer_for_a_token"] == 7
    assert lease.search(2, 3, 2, 1, 0, grants_early=True)[2] == 10
    assert lease.search(2, 3, 2, 1, 0, from_answer=True)[2] == 16


@pytest.mark.parametrize("name", MODELS)
def test_without_mistakes_every_property_holds(name: str, models: dict[str, Profile]) -> None:
    smaller = {"nodes": 2} if name == "lease" else {}
    result = explore(models[name].bounded(**smaller), until="all")
    asserted = {prop.name: result.findings[prop.name].verdict for prop in models[name].properties}
    assert set(asserted.values()) == {"holds"}, asserted


@pytest.mark.parametrize(("name", "prop"), PROVEN)
def test_the_main_properties_are_proven_from_the_lemmas_beside_them(
    name: str, prop: str, models: dict[str, Profile]
) -> None:
    assert prove(models[name].bounded(), prop).verdict == "proven"
