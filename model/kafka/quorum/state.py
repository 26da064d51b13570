"""The state of the quorum, what may be configured, and how many faults may happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from neverlost.model.core import (
    NONE,
    Index,
    State,
    SubsetOf,
    any_of,
    budget,
    counter,
    flag,
    optional,
    per,
    setting,
    up_to,
    view,
)


class Controller(Index, bound="controllers", prefix="c", first=1, symmetric=True):
    """A controller: c1, c2, ... At the start all are voters."""


class Controllers(SubsetOf, of=Controller):
    """A set of controllers."""


class Epoch(Index, bound="epochs", more=1):
    """An epoch of the quorum; 0 is the one before the first election."""


class Offset(Index, bound="log_size"):
    """An offset of the metadata log."""


class Decision(Index, names=("shrink", "fail-over")):
    """What the active controller decides of a partition that b1 leads, with b1 and b2 in the ISR: b2 leaves the ISR, or b2 leads."""


class Role(Index, names=("unattached", "prospective", "candidate", "leader", "follower", "resigned")):
    """The state of a controller in its quorum. One that is down has none, which is written as unattached."""


class Directory(Index, members=3):
    """A metadata directory of a controller: the one that it began with, and those that it was formatted with later."""


class KraftVersion(Index, names=("0", "1")):
    """The finalized `kraft.version`."""


class Format(Index, names=("no-initial-controllers", "initial-controllers", "standalone")):
    """How a directory is formatted when it was lost, by the option of `kafka-storage format`."""


class Wait(Index, names=("at-once", "majority", "settled")):
    """What an operator waits for before a formatted controller is started."""


class InFile(Index, names=("not", "since-the-format", "since-an-upgrade")):
    """Does the configuration name voters with `kraft.version` 1 too, and since when has the cluster that level?"""


class Count(Index, members=2):
    """A small number: of faults, of changes."""


CONTROLLER, OPERATOR = "controller", "operator"
"""Whose a fault is."""

BEGINNING = 0
"""The directory that every voter has at the start."""


class Quorum(State):
    """The quorum: what each controller has on disk and in memory, what was committed, and what b1 has acknowledged."""

    reconfigurable = setting(flag(), off="static_only")
    """Does the release know `kraft.version` 1, with directory ids and changes of voters (KIP-853)?"""
    votes_name_directory = setting(flag(), off="votes_name_id")
    """Do votes name the directory of a candidate beside its id?"""
    pre_vote = setting(flag(), off="no_pre_vote")
    """Does a voter ask whether it would be elected before it starts a new epoch (KIP-996)?"""
    keeps_vote = setting(flag(), off="drops_vote")
    """Does a controller remember its vote when it follows the leader of the epoch?"""
    kraft_version = setting(any_of(KraftVersion))
    """The finalized `kraft.version`; releases that do not know 1 have 0."""
    can_join = setting(flag(), off="cannot_join")
    """Does the release know `controller.quorum.auto.join.enable`?"""
    auto_join = setting(flag(), off="no_auto_join")
    """Does a controller whose directory is no voter replace its old entry by itself (`controller.quorum.auto.join.enable`)?"""
    formats = setting(any_of(Format))
    """How a lost directory is formatted again: with a new id, as no voter; with the id that it had, which is named as an initial
    controller; or with a new id as the only voter. With `kraft.version` 0 it has a new id, and is a voter by the configuration."""
    formatted_starts = setting(any_of(Wait))
    """When a formatted controller is started: at once; when a majority of the controllers has what is committed, as the documentation
    asks for; or when the others also all follow one leader of the newest epoch."""
    voters_in_file = setting(any_of(InFile))
    """With `kraft.version` 1: does the configuration name voters too, by id (`controller.quorum.voters`)?

    They are those of a log without a VotersRecord, which is how a directory begins that is formatted with a new id, as no voter. After
    an upgrade of `kraft.version` every other log has one.
    """
    crashes = budget(up_to(Count), singular="crash", whose=CONTROLLER)
    """How many times a controller's process may die."""
    power_losses = budget(up_to(Count), singular="power loss", whose=CONTROLLER)
    """How many times a controller's machine may lose power."""
    disk_losses = budget(up_to(Count), singular="disk loss", whose=CONTROLLER)
    """How many times a controller may lose its metadata directory, which is then formatted again."""
    quorum_state_losses = budget(up_to(Count), singular="quorum state loss", whose=OPERATOR)
    """How many times the file quorum-state of a controller may be deleted."""
    restored_copies = budget(up_to(Count), singular="restored copy", whose=OPERATOR)
    """How many times a controller's directory may be replaced by an older copy of itself."""
    borrowed_copies = budget(up_to(Count), singular="borrowed copy", whose=OPERATOR)
    """How many times a controller's directory may be replaced by a copy of another controller's."""
    voter_changes = budget(up_to(Count), singular="voter change")
    """How many voters an operator may remove or add (`kafka-metadata-quorum`)."""

    up = per(Controller, flag())
    """Is the process running?"""
    directory = per(Controller, any_of(Directory))
    """The directory that the controller has now."""
    epoch = per(Controller, any_of(Epoch))
    """The newest epoch that it has heard of; in its file quorum-state."""
    role = per(Controller, any_of(Role))
    """Its state in the quorum."""
    log_end = per(Controller, up_to(Offset))
    """Where its metadata log ends."""
    log_epoch = per(Controller, Offset, any_of(Epoch))
    """The epoch of each record."""
    high_watermark = per(Controller, up_to(Offset))
    """The high watermark that it knows."""
    unflushed = per(Controller, flag())
    """Is the last record not on disk yet? A leader counts itself before it flushes (KafkaRaftClient.flushLeaderLog)."""
    cached = per(Controller, up_to(Offset))
    """How many of the last records only the operating system has, as a process was killed before it flushed them."""
    by_file = per(Controller, flag())
    """Was its log begun by a leader with the voters of the configuration?"""
    formatted = per(Controller, flag())
    """Is it down with a directory that was formatted and never used? Only told where people wait with the start."""
    leader = per(Controller, optional(Controller))
    """The leader of that epoch, if it has heard of one; in its file quorum-state."""
    voted = per(Controller, optional(Controller))
    """For whom it has voted in that epoch; in its file quorum-state."""
    voted_directory = per(Controller, optional(Directory))
    """With which directory that candidate was; none if the vote does not name it."""
    votes = per(Controller, any_of(Controllers))
    """Of a prospective or a candidate: who has granted it a vote."""
    log_decision = per(Controller, Offset, optional(Decision))
    """The decision that a record holds, if it is one."""
    log_voter = per(Controller, Offset, optional(Controller))
    """The controller whose entry a VotersRecord changes, if it is one."""
    log_directory = per(Controller, Offset, optional(Directory))
    """The directory with which that controller is a voter from there on; none if it is removed."""
    alone = per(Controller, optional(Controller))
    """The only voter in the voter set that its log begins with, if that was formatted so."""
    known_end = per(Controller, Controller, up_to(Offset))
    """Of a leader: from which offset each controller has fetched last."""
    known_directory = per(Controller, Controller, any_of(Directory))
    """Of a leader: with which directory it did so."""
    sent = per(Decision, flag())
    """Was the decision made once? The broker that asks for it does so once."""
    committed_end = up_to(Offset)
    """Up to where a leader has exposed records as committed."""
    committed_epoch = per(Offset, any_of(Epoch))
    """The epoch of what was committed first at each offset."""
    committed_decision = per(Offset, optional(Decision))
    """The decision that was committed first at each offset."""
    committed_voter = per(Offset, optional(Controller))
    """Whose entry the VotersRecord changes that was committed first at each offset."""
    committed_in = per(Offset, any_of(Epoch))
    """The epoch of the leader that committed it."""
    replaced = flag()
    """Has a leader committed something else where something was committed?"""
    acknowledged = flag()
    """Has b1 acknowledged a record that only b1 has, because the ISR is b1?"""
    record_lost = flag()
    """Was b2, which does not have that record, made leader as a member of the ISR?"""
    crashes_left = counter(crashes)
    """How many times a process still may die."""
    power_losses_left = counter(power_losses)
    """How many times power still may be lost."""
    disk_losses_left = counter(disk_losses)
    """How many times a directory still may be lost."""
    quorum_state_losses_left = counter(quorum_state_losses)
    """How many times the file quorum-state still may be deleted."""
    restored_copies_left = counter(restored_copies)
    """How many times a directory still may be replaced by an older copy."""
    borrowed_copies_left = counter(borrowed_copies)
    """How many times a directory still may be replaced by another controller's."""
    voter_changes_left = counter(voter_changes)
    """How many voters an operator still may remove or add."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "metadata": (
            "sent",
            "committed_end",
            "committed_epoch",
            "committed_decision",
            "committed_voter",
            "committed_in",
            "replaced",
        ),
        "partition": ("acknowledged", "record_lost"),
    }

    @view(Controller, "log_end", "log_epoch", "log_decision", "log_voter", "log_directory")
    def log(self, controller: int) -> str:
        """The metadata log as text: `[shrink in epoch 1 | leader change in epoch 2]`."""
        return f"[{' | '.join(record(self, controller, offset) for offset in range(self.log_end[controller]))}]"


def record(s: Quorum, controller: int, offset: int) -> str:
    """A record of a log as text: `fail-over in epoch 2`."""
    decision, voter = s.log_decision[controller][offset], s.log_voter[controller][offset]
    what = "leader change" if decision == NONE else Decision.names[decision]
    if voter != NONE:
        directory = s.log_directory[controller][offset]
        name = Controller.show(voter, s.bounds)
        what = f"removes {name}" if directory == NONE else f"adds {name}, directory {directory}"
    return f"{what} in epoch {s.log_epoch[controller][offset]}"
