"""What must happen at last, if every broker that lives goes on and the controller does its work."""

from __future__ import annotations

from neverlost.model.core import eventually
from neverlost.model.kafka.replication import broker, controller, leader
from neverlost.model.kafka.replication.state import Partition, Replica, Value

from .properties import is_true_leader

PROGRESS = (
    broker.fetch,
    broker.become_leader,
    broker.become_follower,
    leader.grant_isr,
    leader.refuse_isr,
    leader.learn_isr,
    leader.hear_of_isr,
    controller.fence_follower,
    controller.fail_over,
    controller.lose_leader,
    controller.elect,
)
"""What nobody puts off for ever. Not among it: that a leader drops a slow follower, that what died returns, that requests time out."""


def a_produce_waits(s: Partition) -> bool:
    """Does a delayed produce wait at the true leader?"""
    for replica in s.each(Replica):
        if is_true_leader(s, replica):
            for value in s.each(Value):
                if s.waiting_at[value] == replica:
                    return True
    return False


def something_is_not_exposed(s: Partition) -> bool:
    """Has the true leader a record that it does not expose yet?"""
    for replica in s.each(Replica):
        if is_true_leader(s, replica) and s.high_watermark[replica] < s.log_end[replica]:
            return True
    return False


@eventually(
    "A produce that waits at the true leader is answered, unless that leader is deposed or dies.",
    after=a_produce_waits,
    weak=PROGRESS,
)
def produce_completes(s: Partition) -> bool:
    return not a_produce_waits(s)


@eventually(
    "What the true leader has is exposed to consumers, unless that leader is deposed or dies.",
    after=something_is_not_exposed,
    weak=PROGRESS,
)
def high_watermark_catches_up(s: Partition) -> bool:
    return not something_is_not_exposed(s)
