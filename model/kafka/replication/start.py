"""The initial state of every run."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE

from .state import FIRST_LEADER, Delay, LostDecision, Partition, Replica


def initial(s: Partition) -> None:
    """r1 leads epoch 0, every broker is up and in sync, and nothing is written."""
    for replica in s.each(Replica):
        s.up[replica] = True
        s.epoch[replica] = 0
        s.leader[replica] = FIRST_LEADER
    s.isr[FIRST_LEADER] = s.all_of(Replica)
    s.controller_isr = s.all_of(Replica)
    s.controller_leader = FIRST_LEADER
    s.metadata_leader[0] = FIRST_LEADER
    s.metadata_isr[0] = EMPTY
    s.last_leader = NONE
    for loss in s.each(LostDecision):
        s.earlier_epoch[loss] = NONE
        s.earlier_leader[loss] = NONE
        s.earlier_last_leader[loss] = NONE
    for delay in s.each(Delay):
        s.late_broker[delay] = NONE
        s.late_follower[delay] = NONE
        s.late_value[delay] = NONE
        s.late_epoch[delay] = NONE
    s.retries_left = s.retries
    s.crashes_left = s.crashes
    s.power_losses_left = s.power_losses
    s.disk_losses_left = s.disk_losses
    s.leader_moves_left = s.leader_moves
    s.pauses_left = s.pauses
    s.shutdowns_left = s.shutdowns
    s.controller_changes_left = s.controller_changes
    s.lost_responses_left = s.lost_responses
    s.consumer_crashes_left = s.consumer_crashes
