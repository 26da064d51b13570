"""Messages that come late or once more: brokers and controller go by the newest, and a stepped cluster lets the others come."""

from __future__ import annotations

import pytest
from mutants.inprocess_mutation import planted
from mutants.surviving_mutants import SURVIVORS
from partition_by_hand import PARTITION, ThreeBrokers

from neverlost.conformance.inprocess.messages import ACKS_LEADER
from neverlost.conformance.inprocess.protocol import KAFKA_2_0

WRONG = {mutant.name: mutant for mutant in SURVIVORS}


def follower_of_another() -> ThreeBrokers:
    """2 has asked 1 for a record, and follows 3 when the answer comes."""
    brokers = ThreeBrokers()
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.fetch(2, PARTITION, lose_answer=True)
    brokers.controller.move_leader(PARTITION, 3)
    brokers.hear(2, PARTITION)
    return brokers


@pytest.mark.rule("R-FETCH-2")
def test_the_answer_of_a_leader_that_is_not_followed_any_more_is_not_applied() -> None:
    assert follower_of_another().values(2) == []


def test_such_an_answer_does_come() -> None:
    with planted(WRONG["an answer to a fetch of an earlier leader epoch is applied"]):
        assert follower_of_another().values(2) == ["a@0"]


def rejoined() -> ThreeBrokers:
    """1 has dropped 2 and taken it back, and the request by which it was dropped comes to the controller once more."""
    brokers = ThreeBrokers()
    brokers.shrink(1, 2)
    brokers.change(1, frozenset({1, 2, 3}))
    assert brokers.decide_isr_again(1)
    return brokers


@pytest.mark.rule("R-ISR-2")
def test_a_request_of_an_older_partition_epoch_changes_no_isr() -> None:
    assert rejoined().controller.records[PARTITION].isr == {1, 2, 3}


def test_such_a_request_does_come() -> None:
    with planted(WRONG["a request for an ISR of an older partition epoch is granted"]):
        assert rejoined().controller.records[PARTITION].isr == {1, 3}


def leads_again() -> ThreeBrokers:
    """1 has asked for an ISR in an earlier leader epoch, was refused too late to hear of it, and asks again in a later one."""
    brokers = ThreeBrokers()
    brokers.brokers[1].running.isr_changes.change(brokers.of(1), frozenset({1, 2}))
    brokers.controller.move_leader(PARTITION, 2)
    assert brokers.decide_isr_again(1)
    brokers.controller.move_leader(PARTITION, 1)
    brokers.all_hear(PARTITION)
    brokers.brokers[1].running.isr_changes.change(brokers.of(1), frozenset({1, 3}))
    assert brokers.learn_again(1)
    return brokers


@pytest.mark.rule("R-ISR-2")
def test_the_answer_to_a_request_of_an_earlier_leader_epoch_is_not_taken() -> None:
    assert leads_again().of(1).led().isr.proposed == {1, 3}


def test_such_a_refusal_does_come() -> None:
    with planted(WRONG["an answer to an ISR request of an earlier leader epoch is taken"]):
        assert leads_again().of(1).led().isr.proposed is None


def parted() -> ThreeBrokers:
    """1 has a record of epoch 0 that 2, which leads since, has not."""
    brokers = ThreeBrokers(KAFKA_2_0)
    brokers.produce(1, "a", acks=ACKS_LEADER)
    brokers.controller.move_leader(PARTITION, 2)
    brokers.hear(2, PARTITION)
    brokers.produce(2, "b", acks=ACKS_LEADER)
    brokers.hear(1, PARTITION)
    return brokers


@pytest.mark.rule("R-TRUNC-2")
def test_a_follower_asks_again_where_to_cut_after_an_error() -> None:
    assert parted().values(1) == []


def test_such_an_error_does_come() -> None:
    with planted(WRONG["an error to the question where an epoch ends settles it"]):
        assert parted().values(1) == ["a@0"]
