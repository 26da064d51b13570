"""What must hold of the quorum, and what shows that something can happen at all."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import NONE, always, sometimes, suffices
from neverlost.model.kafka.quorum.faults import has_directory_left
from neverlost.model.kafka.quorum.log import is_as_committed
from neverlost.model.kafka.quorum.replicating import is_committed
from neverlost.model.kafka.quorum.state import Controller, Decision, Epoch, Offset, Quorum, Role, record
from neverlost.model.kafka.quorum.voters import entry_of


def name_of(s: Quorum, controller: int) -> str:
    """`c2`."""
    return Controller.show(controller, s.bounds)


def leaders(s: Quorum) -> list[int]:
    """Who believes to lead."""
    return [c for c in range(len(s.up)) if s.role[c] == Role.LEADER]


def two_leaders_story(states: Sequence[Quorum]) -> str:
    """Which two controllers lead which epoch."""
    last = states[-1]
    one, other = next((a, b) for a in leaders(last) for b in leaders(last) if a < b and last.epoch[a] == last.epoch[b])
    return f"{name_of(last, one)} and {name_of(last, other)} both lead epoch {last.epoch[one]}."


@always("No two controllers lead the same epoch.", story=two_leaders_story)
def one_leader_per_epoch(s: Quorum) -> bool:
    for one in s.each(Controller):
        for other in s.each(Controller):
            if one != other and s.role[one] == Role.LEADER and s.role[other] == Role.LEADER:
                if s.epoch[one] == s.epoch[other]:
                    return False
    return True


def same_record(s: Quorum, one: Controller, other: Controller, offset: Offset) -> bool:
    """Do two logs have the same at an offset?"""
    return (
        s.log_epoch[one][offset] == s.log_epoch[other][offset]
        and s.log_decision[one][offset] == s.log_decision[other][offset]
        and s.log_voter[one][offset] == s.log_voter[other][offset]
        and s.log_directory[one][offset] == s.log_directory[other][offset]
    )


def mismatch_story(states: Sequence[Quorum]) -> str:
    """Which records of one epoch differ in two logs."""
    last = states[-1]
    for offset in range(len(last.committed_in)):
        for one in range(len(last.up)):
            for other in range(one + 1, len(last.up)):
                within = offset < min(last.log_end[one], last.log_end[other])
                if within and last.log_epoch[one][offset] == last.log_epoch[other][offset]:
                    mine, theirs = record(last, one, offset), record(last, other, offset)
                    if mine != theirs:
                        has = f"{name_of(last, one)} has {mine}, {name_of(last, other)} has {theirs}"
                        return f"At offset {offset} {has}: one epoch, two records."
    return "Two logs have the same record, and something else before it."


@always(
    "Where two logs have a record of the same epoch at the same offset, they are the same up to there.",
    story=mismatch_story,
)
def log_matching(s: Quorum) -> bool:
    for one in s.each(Controller):
        for other in s.each(Controller):
            if not logs_match(s, one, other):
                return False
    return True


def logs_match(s: Quorum, one: Controller, other: Controller) -> bool:
    """Are two logs the same up to the last offset at which both have a record of the same epoch?"""
    same = True
    for offset in s.each(Offset):
        epoch = s.log_epoch[one][offset]
        if not same_record(s, one, other, offset):
            if epoch != 0 and epoch == s.log_epoch[other][offset]:
                return False
            same = False
        elif epoch != 0 and not same:
            return False
    return True


def lacks_story(states: Sequence[Quorum]) -> str:
    """Who leads without which committed record."""
    last = states[-1]
    for leader in leaders(last):
        for offset in range(last.committed_end):
            old = last.committed_in[offset] < last.epoch[leader]
            if old and not is_as_committed(last, Controller(leader), Offset(offset)):
                step = next(n for n, s in enumerate(states) if s.committed_end > offset)
                has = record(last, leader, offset) if offset < last.log_end[leader] else "nothing"
                what = (
                    f"What was committed at offset {offset} in step {step} is not in the log of {name_of(last, leader)}"
                )
                return f"{what}, the leader of epoch {last.epoch[leader]}, which has {has} there."
    return ""


@always("A leader has every record that was committed in an earlier epoch.", story=lacks_story)
def leader_completeness(s: Quorum) -> bool:
    for leader in s.each(Controller):
        if s.role[leader] == Role.LEADER:
            for offset in s.each(Offset):
                if offset < s.committed_end and s.committed_in[offset] < s.epoch[leader]:
                    if not is_as_committed(s, leader, offset):
                        return False
    return True


def replaced_story(states: Sequence[Quorum]) -> str:
    """Which committed record was replaced by which."""
    last = states[-1]
    for leader in leaders(last):
        for offset in range(min(last.committed_end, last.high_watermark[leader])):
            if not is_as_committed(last, Controller(leader), Offset(offset)):
                decision = last.committed_decision[offset]
                what = "A committed record" if decision == NONE else f"The decision {Decision.names[decision]}"
                step = next(n for n, s in enumerate(states) if s.committed_end > offset)
                by = f"{name_of(last, leader)} has committed {record(last, leader, offset)} at offset {offset} instead"
                return f"{what}, committed in step {step}, is lost: {by}."
    return ""


@always("A committed record of the metadata is never replaced by another.", story=replaced_story)
def committed_never_lost(s: Quorum) -> bool:
    return not s.replaced


def record_lost_story(states: Sequence[Quorum]) -> str:
    """How the loss of a decision became the loss of a record."""
    step = next(n for n, s in enumerate(states) if s.acknowledged)
    return (
        f"b1 acknowledged a record at step {step}, when the ISR was b1 alone. At step {len(states) - 1} the controllers, which do not"
        " know that any more, have made b2 leader, cleanly: b2 does not have the record, and it is lost."
    )


@always("No acknowledged record of the partition is lost by a clean election.", story=record_lost_story)
def acked_never_lost(s: Quorum) -> bool:
    return not s.record_lost


def gone_story(states: Sequence[Quorum]) -> str:
    """Which committed record nobody has any more."""
    last = states[-1]
    for offset in range(last.committed_end):
        if not any(is_as_committed(last, Controller(c), Offset(offset)) for c in range(len(last.up))):
            return f"No controller has what was committed at offset {offset}."
    return ""


@always("What was committed is in the log of some controller.", story=gone_story)
def committed_is_held(s: Quorum) -> bool:
    for offset in s.each(Offset):
        if offset < s.committed_end and not any(is_as_committed(s, c, offset) for c in s.each(Controller)):
            return False
    return True


@sometimes("A controller leads.")
def elected(s: Quorum) -> bool:
    return any(s.role[c] == Role.LEADER for c in s.each(Controller))


@sometimes("A decision is committed.")
def decision_committed(s: Quorum) -> bool:
    return is_committed(s, Decision.SHRINK)


@sometimes("A record is acknowledged on the strength of a decision.")
def acknowledged(s: Quorum) -> bool:
    return s.acknowledged


@sometimes("A clean fail-over is committed.")
def failed_over(s: Quorum) -> bool:
    return is_committed(s, Decision.FAIL_OVER)


@sometimes("A controller leads in a later epoch than somebody who was elected before it.")
def elected_again(s: Quorum) -> bool:
    return any(
        s.role[c] == Role.LEADER and s.committed_end > 0 and s.epoch[c] > s.committed_in[0] for c in s.each(Controller)
    )


@sometimes("Two controllers believe that they lead, in different epochs: one of them is cut off (KAFKA-15489).")
def two_believe_to_lead(s: Quorum) -> bool:
    for one in s.each(Controller):
        for other in s.each(Controller):
            if one != other and s.role[one] == Role.LEADER and s.role[other] == Role.LEADER:
                return True
    return False


@sometimes("A controller with a new directory is a voter again, and this is committed.")
def voter_again(s: Quorum) -> bool:
    for controller in s.each(Controller):
        for leader in s.each(Controller):
            if s.role[leader] == Role.LEADER and s.directory[controller] != 0:
                if entry_of(s, leader, controller) == s.directory[controller] and voters_committed(s, leader):
                    return True
    return False


def voters_committed(s: Quorum, leader: Controller) -> bool:
    """Is no change of the voters under way?"""
    return not any(s.log_voter[leader][o] != NONE and o >= s.high_watermark[leader] for o in s.each(Offset))


@suffices("epochs", "Whoever starts an election has an epoch left for it.")
def epochs_suffice(s: Quorum) -> bool:
    return all(s.epoch[c] + 1 < s.size(Epoch) for c in s.each(Controller))


@suffices("directory ids", "A controller whose directory may still be lost or replaced has an id left for a new one.")
def directories_suffice(s: Quorum) -> bool:
    if s.disk_losses_left == 0 and s.borrowed_copies_left == 0:
        return True
    return all(has_directory_left(s, c) for c in s.each(Controller))


@suffices("log size", "A leader has an offset left for the next record.")
def log_suffices(s: Quorum) -> bool:
    return all(s.role[c] != Role.LEADER or s.log_end[c] < s.size(Offset) for c in s.each(Controller))
