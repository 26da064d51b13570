"""The controllers lose a decision: they go back to what they had decided before, and brokers keep what they know."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, require, without

from .controller import forget_metadata, issues_to
from .decisions import forget_decision, is_next_loss, may_have_to_end, note_readers
from .delays import end_exchanges_about_isr
from .faults import go_down
from .state import End, Epoch, LostDecision, Partition, Replica


@action("R-META-1, KIP-595, KIP-631")
def lose_decision(s: Partition, loss: LostDecision) -> None:
    """By a mishap in their quorum the controllers lose their last decision about the partition, and all that they decided after it.

    Leader, leader epoch, ISR and ELR are for them as they were before. The next decision has the number of the lost one, because
    records of a change do not name epochs: who replays one counts on (PartitionRegistration.merge).
    """
    require(not s.ordered_metadata)
    require(is_next_loss(s, loss))
    require(s.earlier_epoch[loss] != NONE)

    epoch = s.earlier_epoch[loss]
    if s.controller_leader != NONE and epoch == s.newest_epoch:
        if issues_to(s, s.controller_leader) and s.isr[s.controller_leader] == s.controller_isr:
            s.leader_knows_lost[loss] = 1
    note_readers(s, loss, epoch)
    s.newest_epoch = epoch
    s.controller_leader = s.earlier_leader[loss]
    s.controller_isr = s.earlier_isr[loss]
    s.eligible = s.earlier_eligible[loss]
    s.last_leader = s.earlier_last_leader[loss]
    forget_decision(s, loss)
    withdraw_metadata(s)
    unfence_members(s)
    end_exchanges_about_isr(s)


def withdraw_metadata(s: Partition) -> None:
    """Nobody can hear of the lost decision any more; who has not heard of the one before still can."""
    for epoch in s.each(Epoch):
        if epoch > s.newest_epoch:
            s.metadata_leader[epoch] = NONE
            s.metadata_isr[epoch] = EMPTY
    s.metadata_leader[s.newest_epoch] = s.controller_leader
    s.metadata_isr[s.newest_epoch] = EMPTY
    if s.controller_leader != NONE and s.epoch[s.controller_leader] < s.newest_epoch:
        s.metadata_isr[s.newest_epoch] = s.controller_isr
    forget_metadata(s)


def unfence_members(s: Partition) -> None:
    """That a broker was fenced is lost with the decision that came of it; a new active controller gives it a whole session."""
    for replica in s.each(Replica):
        if s.up[replica] or s.controller_leader == replica or contains(s.controller_isr, replica):
            s.fenced = without(s.fenced, replica)


@action("R-META-1, KIP-595, KIP-631")
def end_after_loss(s: Partition, replica: Replica, checkpoint: End) -> None:
    """A broker is told to cut its metadata log below what it knows to be committed, and its process ends. Its logs survive."""
    require(may_have_to_end(s, replica))
    require(checkpoint <= s.high_watermark[replica])
    require(
        checkpoint == s.high_watermark[replica]
        or (s.misses_restarts and s.controller_changes > 0)
        or s.registers_unfenced
    )

    s.high_watermark[replica] = checkpoint
    go_down(s, replica)
