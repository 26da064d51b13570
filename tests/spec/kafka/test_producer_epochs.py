"""Further epochs of an idempotent producer (KAFKA-15591): what is written out of order, what twice, and what partitions recognise."""

from __future__ import annotations

import pytest

from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import BoundsError, Model
from neverlost.model.core.actions import Refused
from neverlost.model.kafka.replication.state import ACKNOWLEDGED, ACKS_ALL, ACKS_ONE, REFUSED, UNKNOWN, Partition
from neverlost.spec.kafka.replication.versions import VERSIONS, version_named

R1, R2 = 0, 1
JAVA = {"acks": ACKS_ALL, "min_isr": 2, "idempotence": 1, "pipelined": 1, "retries": 2, "leader_moves": 1}
"""Java's producer as it is by default from 3.0 on, and a preferred election."""
IN_KRAFT = [v.name for v in VERSIONS if not v.default_settings["ordered_metadata"] and v.name != "kafka-3.1-kraft"]


def renumbering(version: str = "kafka-4.1", **asked: int) -> Model:
    return version_named(version).bounded(**{**JAVA, "log_size": 3, "producer_epochs": 1, **asked})


def state_after(model: Model, *steps: str) -> Partition:
    state = trace_along(model, [model.parse_step(text) for text in steps]).unpacked()[-1]
    assert isinstance(state, Partition)
    return state


FIRST_REFUSED = (
    "move_leader(successor=r2)",
    "refuse_as_not_leader(broker=r2, value=0)",
    "become_leader(replica=r2, epoch=1)",
    "produce(leader=r2, value=1, response=delivered)",
)
"""Value 0 is refused by a broker that becomes the leader then, and has value 1."""
EPOCH = "begin_producer_epoch(leader=r2, value=0, producer_epoch=p1)"
AGAIN = "retry(leader=r2, value=0, response=delivered)"
REPLICATED = (
    "become_follower(replica=r1, leader=r2, epoch=1)",
    "become_follower(replica=r3, leader=r2, epoch=1)",
    *("fetch(follower=r1, leader=r2, response=delivered)",) * 3,
    *("fetch(follower=r3, leader=r2, response=delivered)",) * 3,
)


def test_the_first_record_is_written_behind_the_second_one() -> None:
    state = state_after(renumbering(), *FIRST_REFUSED, EPOCH, AGAIN)
    assert list(state.record_value[R2]) == [1, 0, -1]
    assert list(state.numbered_anew[0][R2]) == [0, 1, 0]


def test_a_record_without_an_answer_is_written_before_the_first_one_and_after_it() -> None:
    """What brokers and clients of 4.1.1 and 4.4.0 were seen to do."""
    state = state_after(
        renumbering(),
        *(*FIRST_REFUSED, "time_out(value=1)", EPOCH, AGAIN),
        *(*REPLICATED, "retry(leader=r2, value=1, response=delivered)"),
    )
    assert state.delivery[0] == ACKNOWLEDGED
    assert list(state.record_value[R2]) == [1, 0, 1]


def test_a_record_is_written_twice_after_the_one_before_it_is_given_up() -> None:
    model = renumbering(producer_epochs=2)
    another = "begin_producer_epoch(leader=r2, value=1, producer_epoch=p2)"
    again = "retry(leader=r2, value=1, response=delivered)"
    steps = (*FIRST_REFUSED, "time_out(value=1)", EPOCH)
    with pytest.raises(Refused):
        state_after(model, *steps, again)
    assert list(state_after(model, *steps, another, again).record_value[R2]) == [1, 1, -1]
    with pytest.raises(Refused):
        state_after(model, *steps, another, AGAIN)


def test_no_epoch_begins_once_the_second_record_is_acknowledged() -> None:
    model = renumbering()
    acknowledged = (*FIRST_REFUSED, *REPLICATED)
    assert state_after(model, *acknowledged).delivery[1] == ACKNOWLEDGED
    with pytest.raises(Refused):
        state_after(model, *acknowledged, EPOCH)
    state = state_after(model, *acknowledged, AGAIN)
    assert state.delivery[0] == REFUSED
    assert state.log_end[R2] == 1


def test_no_epoch_begins_for_a_record_that_the_leader_accepts() -> None:
    with pytest.raises(Refused):
        state_after(renumbering(), *FIRST_REFUSED[:3], EPOCH)


def test_an_answer_to_a_record_that_has_a_new_number_counts() -> None:
    state = state_after(renumbering(), *FIRST_REFUSED, EPOCH, *REPLICATED)
    assert (state.delivery[0], state.delivery[1]) == (REFUSED, ACKNOWLEDGED)


def test_what_is_written_in_the_new_epoch_is_recognised_also_by_the_next_leader() -> None:
    model = renumbering(leader_moves=2, retries=3)
    moved = ("move_leader(successor=r1)", "become_leader(replica=r1, epoch=2)")
    unanswered = "retry(leader=r2, value=0, response=lost)"
    steps = (*FIRST_REFUSED, EPOCH, unanswered, *REPLICATED, *moved)
    state = state_after(model, *steps)
    assert list(state.numbered_anew[0][R1]) == list(state.numbered_anew[0][R2]) == [0, 1, 0]
    assert state.delivery[0] == UNKNOWN
    assert state_after(model, *steps, "retry(leader=r1, value=0, response=delivered)").log_end[R1] == 2


def test_a_record_that_a_follower_cuts_takes_its_epoch_along() -> None:
    model = renumbering(leader_moves=2)
    moved = ("move_leader(successor=r1)", "become_leader(replica=r1, epoch=2)")
    state = state_after(
        model,
        *(*FIRST_REFUSED, EPOCH, AGAIN, *moved),
        *("become_follower(replica=r2, leader=r1, epoch=2)", "fetch(follower=r2, leader=r1, response=delivered)"),
    )
    assert state.log_end[R2] == 0
    assert not any(state.numbered_anew[0][R2])


def test_a_producer_does_not_go_back_to_a_deposed_leader() -> None:
    model = renumbering()
    with pytest.raises(Refused):
        state_after(model, *FIRST_REFUSED[:3], "produce(leader=r1, value=1, response=delivered)")
    plain = renumbering(producer_epochs=0)
    assert state_after(plain, *FIRST_REFUSED[:3], "produce(leader=r1, value=1, response=delivered)").log_end[R1] == 1


@pytest.mark.parametrize("version", IN_KRAFT)
def test_a_leader_move_changes_the_order_and_has_a_record_written_twice(version: str) -> None:
    model = renumbering(version, log_size=2, retries=1, producer_epochs=2)
    found = explore(model, properties=["written_in_order", "written_once"], symmetry=True, until="each").findings
    lengths = {name: len(finding.trace.steps) for name, finding in found.items() if finding.trace is not None}
    assert lengths == {"written_in_order": 6, "written_once": 7}


def test_one_request_at_a_time_keeps_the_order_and_writes_once() -> None:
    model = renumbering(log_size=2, retries=1, producer_epochs=0, pipelined=0)
    found = explore(model, properties=["written_in_order", "written_once"], symmetry=True).findings
    assert (found["written_in_order"].verdict, found["written_once"].verdict) == ("holds", "holds")


def test_too_few_replicas_in_sync_refuse_the_first_record_without_any_fault() -> None:
    model = renumbering(log_size=2, retries=1, leader_moves=0)
    trace = explore(model, properties=["written_in_order"], symmetry=True).findings["written_in_order"].trace
    assert trace is not None
    assert [step.action.name for step in trace.steps].count("shrink_isr") == 2
    alone = renumbering(log_size=2, retries=1, leader_moves=0, min_isr=1)
    found = explore(alone, properties=["written_in_order"], symmetry=True).findings
    assert found["written_in_order"].verdict == "holds"


@pytest.mark.parametrize("fault", ["crashes", "power_losses", "disk_losses", "pauses"])
def test_a_lone_replica_writes_out_of_order_and_twice_after_any_fault(fault: str) -> None:
    lone = {"replicas": 1, "min_isr": 1, "log_size": 2, "retries": 1, "leader_moves": 0, "producer_epochs": 2}
    model = renumbering(**lone, **{fault: 1})
    found = explore(model, properties=["written_in_order", "written_once"], until="each").findings
    assert (found["written_in_order"].verdict, found["written_once"].verdict) == ("violated", "violated")


@pytest.mark.parametrize("other", [{"idempotence": 0}, {"pipelined": 0}, {"acks": ACKS_ONE}], ids=str)
def test_only_an_idempotent_producer_with_several_requests_in_flight_begins_epochs(other: dict[str, int]) -> None:
    with pytest.raises(BoundsError, match="begins producer epochs only with"):
        renumbering(**other)
