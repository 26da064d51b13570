"""What the lemmas assume of the settings: where one is not so, no proof says anything."""

from __future__ import annotations

from neverlost.model.core import lemma
from neverlost.model.kafka.quorum.faults import has_new_id
from neverlost.model.kafka.quorum.state import Controller, Format, InFile, Quorum
from neverlost.model.kafka.quorum.voters import dynamic


@lemma(
    "No file quorum-state is deleted, and no directory is replaced by an older copy of itself: what was promised is not forgotten."
)
def keeps_promises(s: Quorum) -> bool:
    return s.quorum_state_losses == 0 and s.restored_copies == 0


@lemma(
    "No directory is lost or replaced by another's, or voters have directory ids (kraft.version 1), no configuration names voters by id"
    " beside them, and a formatted directory has a new id and no voters of its own."
)
def keeps_directories(s: Quorum) -> bool:
    return (s.disk_losses == 0 and s.borrowed_copies == 0) or tells_directories_apart(s)


@lemma(
    "At most one voter is removed, of an odd number of controllers, and none joins by itself with another directory."
)
def keeps_voters(s: Quorum) -> bool:
    return changes_one_voter(s) and not joins_with_another_directory(s)


@lemma("No power is lost, or there is more than one controller: a leader counts itself before it flushes.")
def is_not_alone_without_power(s: Quorum) -> bool:
    return s.power_losses == 0 or s.size(Controller) > 1


@lemma(
    "No power is lost, or no process is killed: one that starts again shows a log as its own that it has not flushed."
)
def flushes_what_it_tells(s: Quorum) -> bool:
    return s.power_losses == 0 or s.crashes == 0


ASSUMPTIONS = (keeps_promises, keeps_directories, keeps_voters, is_not_alone_without_power, flushes_what_it_tells)


def tells_directories_apart(s: Quorum) -> bool:
    """Is a controller that lost its directory never taken for the voter that it was, nor takes itself for one?"""
    named = s.voters_in_file != InFile.NOT
    return dynamic(s) and has_new_id(s) and s.formats == Format.NO_INITIAL_CONTROLLERS and not named


def changes_one_voter(s: Quorum) -> bool:
    """Is a majority of the voters always one of all controllers?"""
    return not dynamic(s) or s.voter_changes == 0 or (s.voter_changes == 1 and s.size(Controller) % 2 == 1)


def joins_with_another_directory(s: Quorum) -> bool:
    """May a controller that has lost its directory become a voter by itself?"""
    return dynamic(s) and s.can_join and s.auto_join == 1 and (s.disk_losses > 0 or s.borrowed_copies > 0)


def kept(s: Quorum) -> bool:
    """Is all of that so?"""
    files = s.quorum_state_losses == 0 and s.restored_copies == 0
    directories = (s.disk_losses == 0 and s.borrowed_copies == 0) or tells_directories_apart(s)
    voters = changes_one_voter(s) and not joins_with_another_directory(s)
    flushed = s.power_losses == 0 or (s.size(Controller) > 1 and s.crashes == 0)
    return files and directories and voters and flushed
