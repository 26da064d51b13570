"""What fails, what operators do to directories, and how a controller comes back. Every fault has a budget."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .elections import enter, go_on_from_disk
from .log import cut, diverges, is_as_committed, last_epoch, take
from .replicating import copy_next, go_down, is_answered, tell_end
from .state import Controller, Directory, Format, Offset, Quorum, Role, Wait
from .voters import dynamic


def forget_vote_and_epoch(s: Quorum, controller: Controller, epoch: int) -> None:
    """The file quorum-state says nothing, or is as old as the log."""
    enter(s, controller, Role.UNATTACHED, epoch, NONE)
    s.voted[controller] = NONE
    s.voted_directory[controller] = NONE


def change_directory(s: Quorum, controller: Controller) -> None:
    """A directory that is formatted, or comes from another controller, has another id, where anybody looks at ids.

    Source: storage.Formatter; with `--initial-controllers` the id is the one that is named there.
    """
    require(has_directory_left(s, controller))
    if has_new_id(s):
        s.directory[controller] += 1


def has_new_id(s: Quorum) -> bool:
    """Does a formatted directory have another id than before, for those who look at ids?"""
    return s.votes_name_directory and not (dynamic(s) and s.formats == Format.INITIAL_CONTROLLERS)


def has_directory_left(s: Quorum, controller: Controller) -> bool:
    """Does the model have an id for another directory of a controller?"""
    return not has_new_id(s) or s.directory[controller] + 1 < s.size(Directory)


@action("R-CRASH-1")
def crash(s: Quorum, controller: Controller) -> None:
    """A controller's process dies; its disk survives, and what the operating system has still to write."""
    require(s.crashes_left > 0)
    require(s.up[controller])

    s.crashes_left -= 1
    if s.unflushed[controller]:
        s.cached[controller] += 1
    go_down(s, controller)


@action("R-CRASH-1, KafkaRaftClient.appendAsFollower")
def crash_before_flush(s: Quorum, controller: Controller, leader: Controller) -> None:
    """A follower's process dies when it has appended a record, and has not flushed its log. It flushes nothing when it starts again,
    but with the next record that it appends; until then only the operating system may have the record.

    It is another crash only while power may be lost. Source: LogLoader.recoverLog, KafkaRaftClient.initialize and appendAsFollower.
    """
    require(s.crashes_left > 0)
    require(s.power_losses_left > 0)
    require(is_answered(s, controller, leader))
    require(not diverges(s, controller, leader))
    require(s.log_end[controller] < s.log_end[leader])

    s.crashes_left -= 1
    cached = s.cached[controller]
    tell_end(s, controller, leader)
    copy_next(s, controller, leader)
    s.cached[controller] = cached + 1
    go_down(s, controller)


@action("R-CRASH-1, KafkaRaftClient.flushLeaderLog")
def power_loss(s: Quorum, controller: Controller) -> None:
    """A controller loses power, and so the record that it has not flushed. Votes and epochs are synced before they are told."""
    require(s.power_losses_left > 0)
    require(s.up[controller])

    s.power_losses_left -= 1
    cut(s, controller, s.log_end[controller] - s.cached[controller] - (1 if s.unflushed[controller] else 0))
    go_down(s, controller)


@action("KafkaRaftClient.flushLeaderLog")
def flush(s: Quorum, controller: Controller) -> None:
    """A leader flushes its log, in the same pass of its thread in which it appended: it handles no request in between."""
    require(s.unflushed[controller])

    s.unflushed[controller] = False
    s.cached[controller] = 0


@action("KIP-595, QuorumState.initialize")
def restart(s: Quorum, controller: Controller) -> None:
    """A controller starts with what is on its disk. With `kraft.version` 0 its file does not say for which directory it has voted."""
    require(not s.up[controller])
    require(not s.formatted[controller] or a_majority_has_committed(s))
    require(not s.formatted[controller] or s.formatted_starts != Wait.SETTLED or is_settled(s, controller))

    s.up[controller] = True
    s.formatted[controller] = False
    if not dynamic(s):
        s.voted_directory[controller] = NONE
    go_on_from_disk(s, controller)


def a_majority_has_committed(s: Quorum) -> bool:
    """Does a majority of the controllers have everything that is committed? `kafka-metadata-quorum describe --replication` shows it.

    Source: KAFKA-14205, the section on formatting controllers in Kafka's documentation.
    """
    held = sum(1 for c in s.each(Controller) if has_committed(s, c))
    return held + held > s.size(Controller)


def is_settled(s: Quorum, formatted: Controller) -> bool:
    """Do all other controllers run, lead or follow, in one epoch, so that nobody asks for votes in it any more?"""
    return any(s.role[c] == Role.LEADER and all_others_follow(s, formatted, c) for c in s.each(Controller))


def all_others_follow(s: Quorum, formatted: Controller, leader: Controller) -> bool:
    """Does every controller but the formatted one and the leader follow this leader?"""
    for c in s.each(Controller):
        if c != formatted and c != leader:
            if s.role[c] != Role.FOLLOWER or s.leader[c] != leader or s.epoch[c] != s.epoch[leader]:
                return False
    return True


def has_committed(s: Quorum, controller: Controller) -> bool:
    """Does a log have everything that was committed first?"""
    return all(is_as_committed(s, controller, o) for o in s.each(Offset) if o < s.committed_end)


@action("R-CRASH-1, KAFKA-14077")
def disk_loss(s: Quorum, controller: Controller) -> None:
    """A controller loses its metadata directory, log and quorum-state, and the directory is formatted again.

    Source: storage.Formatter.writeDynamicQuorumSnapshot; with `kraft.version` 1 the directory may begin with a voter set.
    """
    require(s.disk_losses_left > 0)

    s.disk_losses_left -= 1
    go_down(s, controller)
    cut(s, controller, 0)
    forget_vote_and_epoch(s, controller, 0)
    change_directory(s, controller)
    s.alone[controller] = controller if dynamic(s) and s.formats == Format.STANDALONE else NONE
    s.formatted[controller] = s.formatted_starts != Wait.AT_ONCE


@action("R-CRASH-1, QuorumState.readElectionState")
def quorum_state_loss(s: Quorum, controller: Controller) -> None:
    """The file quorum-state of a controller is deleted, and nothing else. The controller makes a new one when it starts."""
    require(s.quorum_state_losses_left > 0)

    s.quorum_state_losses_left -= 1
    go_down(s, controller)
    forget_vote_and_epoch(s, controller, 0)


@action("R-CRASH-1")
def restore_copy(s: Quorum, controller: Controller, end: Offset) -> None:
    """A controller's directory is replaced by an older copy of itself: its log is shorter, its epoch and vote those of that time."""
    require(s.restored_copies_left > 0)
    require(end <= s.log_end[controller])

    s.restored_copies_left -= 1
    go_down(s, controller)
    cut(s, controller, end)
    forget_vote_and_epoch(s, controller, last_epoch(s, controller))
    s.formatted[controller] = False


@action("R-CRASH-1")
def borrow_copy(s: Quorum, controller: Controller, source: Controller) -> None:
    """A controller's directory is replaced by a copy of one that runs: log, epoch, leader and vote; meta.properties gets the own id."""
    require(s.borrowed_copies_left > 0)
    require(controller != source)
    require(s.up[source])

    s.borrowed_copies_left -= 1
    go_down(s, controller)
    cut(s, controller, 0)
    enter(s, controller, Role.UNATTACHED, s.epoch[source], s.leader[source])
    s.voted[controller] = s.voted[source]
    s.voted_directory[controller] = s.voted_directory[source]
    for offset in s.each(Offset):
        take(s, controller, source, offset)
    s.log_end[controller] = s.log_end[source]
    s.alone[controller] = s.alone[source]
    s.by_file[controller] = s.by_file[source]
    s.formatted[controller] = False
    change_directory(s, controller)
