"""Who is a voter: every controller of a static quorum, and with `kraft.version` 1 what the VotersRecords of a log say (KIP-853)."""

from __future__ import annotations

from neverlost.model.core import NONE, contains

from .state import BEGINNING, Controller, Controllers, Directory, InFile, Offset, Quorum


def dynamic(s: Quorum) -> bool:
    """Is `kraft.version` 1 finalized, so that a voter is an id with a directory?"""
    return s.reconfigurable and s.kraft_version == 1


def entry_of(s: Quorum, log: Controller, controller: Controller) -> int:
    """With which directory a controller is a voter by somebody's log, uncommitted records included; NONE if it is none.

    Source: KRaftControlRecordStateMachine.lastVoterSet.
    """
    if has_voters_of_file(s, log):
        return s.directory[controller]
    entry = BEGINNING
    if s.alone[log] != NONE:
        entry = s.directory[controller] if controller == s.alone[log] else NONE
    for offset in s.each(Offset):
        if s.log_voter[log][offset] == controller:
            entry = s.log_directory[log][offset]
    return entry


def has_voters_of_file(s: Quorum, log: Controller) -> bool:
    """Has a log no VotersRecord, so that its voters are the ids that the configuration names?

    Source: VoterSetHistory.lastValue. The first voters of a cluster with `kraft.version` 1 have a VotersRecord.
    """
    return s.by_file[log] or (begins_by_file(s, log) and s.log_end[log] == 0)


def begins_by_file(s: Quorum, controller: Controller) -> bool:
    """Does an empty log of this controller have the voters of the configuration? Source: Formatter.DirectoryType.calculate."""
    by_id = s.voters_in_file != InFile.NOT and dynamic(s)
    return by_id and s.directory[controller] != BEGINNING and s.alone[controller] == NONE


def voter_count(s: Quorum, log: Controller) -> int:
    """How many voters somebody's log names."""
    return sum(1 for controller in s.each(Controller) if entry_of(s, log, controller) != NONE)


def matches(s: Quorum, entry: int, directory: Directory) -> bool:
    """Is a controller with this directory meant by an entry of the voters? A static quorum knows ids only. Source: VoterSet."""
    return entry != NONE and (not dynamic(s) or entry == directory)


def is_voter(s: Quorum, log: Controller, controller: Controller) -> bool:
    """Is a controller, with the directory that it has now, a voter by somebody's log? Source: VoterSet.isVoter."""
    return matches(s, entry_of(s, log, controller), s.directory[controller])


def is_majority(s: Quorum, log: Controller, members: Controllers) -> bool:
    """Are the members a majority of the voters that somebody's log names?"""
    count = sum(1 for c in s.each(Controller) if contains(members, c) and entry_of(s, log, c) != NONE)
    return count + count > voter_count(s, log)
