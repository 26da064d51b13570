"""Controlled shutdowns: what a rolling restart loses, and what an eligible replica keeps."""

from __future__ import annotations

import pytest

from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import trace_along
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model
from neverlost.model.core.actions import Refused
from neverlost.model.kafka.replication.state import ACKS_ALL, Partition
from neverlost.spec.kafka.replication.versions import version_named

PROPERTY = "acked_never_lost"
DURABLE = {"acks": ACKS_ALL, "min_isr": 2, "unclean": 0}
R1, R2 = 0, 1


def shut_down_at_most(version: str, **faults: int) -> Model:
    return version_named(version).bounded(**DURABLE, **faults)


def state_after(model: Model, steps: list[str]) -> Partition:
    state = trace_along(model, [model.parse_step(text) for text in steps]).unpacked()[-1]
    assert isinstance(state, Partition)
    return state


@pytest.mark.parametrize("version", ["kafka-0.11", "kafka-2.1", "kafka-4.1"])
def test_one_shutdown_loses_nothing(version: str) -> None:
    found = explore(shut_down_at_most(version, shutdowns=1), properties=[PROPERTY], symmetry=True)
    assert (found.complete, found.findings[PROPERTY].verdict == Verdict.VIOLATED) == (True, False)
    assert found.generated_by_action["shut_down"] > 0


def test_two_shutdowns_and_a_preferred_election_lose_an_acknowledged_record_of_4_1_as_released() -> None:
    found = explore(shut_down_at_most("kafka-4.1", shutdowns=2, leader_moves=1), properties=[PROPERTY], symmetry=True)
    trace = found.findings[PROPERTY].trace
    assert trace is not None
    actions = [step.action.name for step in trace.steps]
    assert (len(actions), actions.count("hand_over"), actions.count("move_leader")) == (11, 2, 1)


@pytest.mark.thorough
def test_with_the_fix_they_lose_nothing() -> None:
    model = shut_down_at_most("kafka-4.1", shutdowns=2, leader_moves=1, keeps_known_ends=0)
    found = explore(model, properties=[PROPERTY], symmetry=True)
    assert (found.complete, found.findings[PROPERTY].verdict == Verdict.VIOLATED) == (True, False)


R1_IS_LEFT_ALONE = ["leave_isr(replica=r3)", "leave_isr(replica=r2)", "shut_down(replica=r2)"]


def test_an_eligible_replica_that_shut_down_cleanly_stays_eligible_and_one_that_crashed_does_not() -> None:
    model = shut_down_at_most("kafka-4.1", shutdowns=3, crashes=1)
    stopped = state_after(model, R1_IS_LEFT_ALONE)
    assert stopped.controller_isr == 1 << R1
    assert stopped.eligible & 1 << R2
    assert state_after(model, [*R1_IS_LEFT_ALONE, "restart(replica=r2)"]).eligible & 1 << R2
    crashed = [*R1_IS_LEFT_ALONE[:2], "crash(replica=r2, checkpoint=0)", "restart(replica=r2)"]
    assert not state_after(model, crashed).eligible & 1 << R2


def test_a_crash_after_a_clean_restart_counts_as_a_crash() -> None:
    model = shut_down_at_most("kafka-4.1", shutdowns=3, crashes=1, pauses=1)
    back = [*R1_IS_LEFT_ALONE, "restart(replica=r2)"]
    again = ["crash(replica=r2, checkpoint=0)", "fence_follower(replica=r2)", "restart(replica=r2)"]
    assert not state_after(model, back + again).eligible & 1 << R2


def test_a_leader_whom_nobody_may_succeed_shuts_down_as_a_leader() -> None:
    model = shut_down_at_most("kafka-2.1", shutdowns=3, replicas=2)
    alone = ["leave_isr(replica=r2)", "shut_down(replica=r2)", "shut_down(replica=r1)"]
    state = state_after(model, alone)
    assert (state.controller_leader, list(state.up)) == (R1, [False, False])


def test_a_leader_that_another_may_succeed_does_not_shut_down_before_it_has_handed_over() -> None:
    model = shut_down_at_most("kafka-2.1", shutdowns=1)
    with pytest.raises(Refused):
        state_after(model, ["shut_down(replica=r1)"])


def test_a_broker_that_is_shutting_down_does_not_come_back_to_life_and_hears_of_its_successor() -> None:
    model = shut_down_at_most("kafka-2.1", shutdowns=1)
    handed_over = ["hand_over(leader=r1, successor=r2)"]
    with pytest.raises(Refused):
        state_after(model, [*handed_over, "unfence(replica=r1)"])
    heard = ["become_leader(replica=r2, epoch=1)", "become_follower(replica=r1, leader=r2, epoch=1)"]
    state = state_after(model, handed_over + heard)
    assert (state.leader[R1], state.up[R1]) == (R2, True)
