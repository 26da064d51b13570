"""Decisions that the controllers lose: what brokers keep, what they must do, and what becomes of an acknowledged record."""

from __future__ import annotations

import pytest
from oracles.lost_decisions import Partition as ByHand

from neverlost.conformance.adapter import AdapterError
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import BoundsError, Model
from neverlost.model.core.actions import Refused
from neverlost.model.kafka.replication.state import ACKS_ALL, Partition
from neverlost.spec.kafka.replication.versions import VERSIONS, version_named

PROPERTY = "acked_never_lost"
R1, R2, R3 = 0, 1, 2
OF_KRAFT = [v.name for v in VERSIONS if not v.default_settings["ordered_metadata"] and v.name != "kafka-3.1-kraft"]


def losing(version: str, **asked: int) -> Model:
    return version_named(version).bounded(
        **{"acks": ACKS_ALL, "min_isr": 2, "unclean": 0, "lost_decisions": 1, **asked}
    )


def state_after(model: Model, *steps: str) -> Partition:
    state = trace_along(model, [model.parse_step(text) for text in steps]).unpacked()[-1]
    assert isinstance(state, Partition)
    return state


@pytest.mark.parametrize("version", OF_KRAFT)
def test_a_lost_decision_alone_loses_a_record_by_a_clean_election(version: str) -> None:
    trace = explore(losing(version), properties=[PROPERTY], symmetry=True).findings[PROPERTY].trace
    assert trace is not None
    actions = [step.action.name for step in trace.steps]
    assert len(actions) == 10
    assert ("lose_decision" in actions, "fail_over" in actions) == (True, True)
    assert not [name for name in actions if "unclean" in name or "crash" in name]


SHRUNK = [
    "produce(leader=r1, value=0, response=delivered)",
    "shrink_isr(leader=r1, follower=r2)",
    "grant_isr(leader=r1)",
]


def test_a_leader_that_knows_the_lost_isr_keeps_it_and_is_granted_none() -> None:
    model = losing("kafka-4.3")
    known = [*SHRUNK, "learn_isr(leader=r1)", "lose_decision(loss=l1)"]
    state = state_after(model, *known)
    assert (state.controller_isr, state.isr[R1]) == (0b111, 0b101)
    assert (state.newest_epoch, state.may_have_read_lost[0], state.has_read_lost[0]) == (0, 0b111, 0)
    with pytest.raises(Refused):
        state_after(model, *known, "hear_of_isr(leader=r1)")
    with pytest.raises(Refused):
        state_after(model, *known, "shrink_isr(leader=r1, follower=r3)", "grant_isr(leader=r1)")
    with pytest.raises(Refused):
        state_after(model, *known, "lose_decision(loss=l1)")


def test_a_leader_that_has_not_learned_the_lost_isr_is_granted_it_again() -> None:
    state = state_after(
        losing("kafka-4.3"), *SHRUNK, "lose_decision(loss=l1)", "grant_isr(leader=r1)", "learn_isr(leader=r1)"
    )
    assert state.isr[R1] == state.controller_isr == 0b101


MOVED = [
    "move_leader(successor=r2)",
    "become_leader(replica=r2, epoch=1)",
    "become_follower(replica=r3, leader=r2, epoch=1)",
]


def test_who_is_in_a_lost_epoch_hears_of_nothing_until_it_has_ended_and_the_epoch_is_issued_again() -> None:
    model = losing("kafka-4.3", leader_moves=2)
    lost = [*MOVED, "lose_decision(loss=l1)"]
    state = state_after(model, *lost)
    assert (state.newest_epoch, state.controller_leader) == (0, R1)
    assert [state.epoch[r] for r in (R1, R2, R3)] == [0, 1, 1]
    assert (state.has_read_lost[0], state.may_have_read_lost[0]) == (0b110, 0b001)
    again = [*lost, "move_leader(successor=r3)"]
    assert state_after(model, *again).newest_epoch == 1
    assert state_after(model, *again).leader[R2] == R2
    with pytest.raises(Refused):
        state_after(model, *again, "become_follower(replica=r2, leader=r3, epoch=1)")
    ended = [*again, "end_after_loss(replica=r3, checkpoint=0)", "fence_follower(replica=r3)"]
    with pytest.raises(Refused):
        state_after(model, *ended)
    ended = [*lost, "end_after_loss(replica=r2, checkpoint=0)", "fence_follower(replica=r2)", "restart(replica=r2)"]
    state = state_after(model, *ended, "become_follower(replica=r2, leader=r1, epoch=0)")
    assert (state.epoch[R2], state.has_read_lost[0]) == (0, 0b100)


def test_a_follower_takes_records_of_another_leader_of_its_epoch_for_its_own() -> None:
    """r2 led epoch 1, which is lost, and r3 leads it after: their first records differ, and no fetch shows it."""
    model = losing("kafka-4.0", leader_moves=2, min_isr=1, pipelined=1)
    steps = [
        "move_leader(successor=r2)", "become_leader(replica=r2, epoch=1)", "produce(leader=r2, value=0, response=delivered)",
        "lose_decision(loss=l1)", "end_after_loss(replica=r2, checkpoint=0)", "fence_follower(replica=r2)",
        "restart(replica=r2)", "move_leader(successor=r3)", "become_leader(replica=r3, epoch=1)",
        "produce(leader=r3, value=1, response=delivered)", "become_follower(replica=r2, leader=r3, epoch=1)",
    ]  # fmt: skip
    state = state_after(model, *steps, "fetch(follower=r2, leader=r3, response=delivered)")
    assert (state.log_end[R2], state.record_value[R2][0], state.record_value[R3][0]) == (1, 0, 1)
    assert state.known_end[R3][R2] == 1


def test_a_follower_whose_log_ends_in_a_newer_epoch_than_the_leaders_is_out_of_range() -> None:
    model = losing("kafka-4.0", leader_moves=1, min_isr=1)
    steps = [
        "move_leader(successor=r2)", "become_leader(replica=r2, epoch=1)", "produce(leader=r2, value=0, response=delivered)",
        "lose_decision(loss=l1)", "end_after_loss(replica=r2, checkpoint=0)", "fence_follower(replica=r2)",
        "restart(replica=r2)", "become_follower(replica=r2, leader=r1, epoch=0)",
    ]  # fmt: skip
    fetch = "fetch(follower=r2, leader=r1, response=delivered)"
    assert state_after(model, *steps, fetch).log_end[R2] == 0
    with pytest.raises(Refused):
        state_after(model, *steps, "produce(leader=r1, value=1, response=delivered)", fetch)


@pytest.mark.thorough
def test_with_min_isr_3_a_lost_decision_alone_loses_nothing() -> None:
    assert (
        explore(losing("kafka-4.3", min_isr=3), properties=[PROPERTY], symmetry=True).findings[PROPERTY].trace is None
    )


def test_a_verdict_says_what_it_assumes_of_lost_decisions() -> None:
    assert "the controllers lose no decision" in losing("kafka-4.3", lost_decisions=0).proviso
    assert "every broker that has read a lost decision notices that" in losing("kafka-4.3").proviso
    assert "the controllers lose no decision" not in losing("kafka-4.3").proviso


@pytest.mark.parametrize(
    ("version", "asked", "why"),
    [
        ("kafka-2.8", {}, "what ZooKeeper may lose is not in the model"),
        ("kafka-3.9-zk", {}, "what ZooKeeper may lose is not in the model"),
        ("kafka-3.1-kraft", {}, "what KRaft did then as a preview is not in the model"),
        ("kafka-4.3", {"delays": 1}, "only one at a time. Lower one bound: delays 0 or lost_decisions 0 would do"),
    ],
)
def test_what_the_model_does_not_have_is_refused(version: str, asked: dict[str, int], why: str) -> None:
    with pytest.raises(BoundsError, match=why):
        losing(version, **asked)


def test_in_process_brokers_lose_no_decision() -> None:
    with pytest.raises(AdapterError, match="leave lost_decisions at 0"):
        InProcessAdapter(losing("kafka-4.3"))


@pytest.mark.parametrize(
    "asked",
    [
        {"brokers": 2, "epochs": 2},
        {"brokers": 2, "epochs": 3, "moves": 1},
        {"brokers": 2, "epochs": 3, "moves": 1, "min_isr": 2},
        pytest.param({"brokers": 3, "epochs": 2, "min_isr": 2}, marks=pytest.mark.thorough),
    ],
)
def test_a_search_by_hand_meets_the_same_states_on_every_level(asked: dict[str, int]) -> None:
    counts, lost = ByHand(**asked).levels()
    model = version_named("kafka-4.0").bounded(
        acks=ACKS_ALL, min_isr=asked.get("min_isr", 1), unclean=0, replicas=asked["brokers"], log_size=1, values=1,
        leader_epochs=asked["epochs"], leader_moves=asked.get("moves", 0), lost_decisions=1,
    )  # fmt: skip
    assert list(explore(model, properties=[]).levels) == counts
    trace = explore(model, properties=[PROPERTY]).findings[PROPERTY].trace
    assert (None if trace is None else len(trace.steps)) == lost
