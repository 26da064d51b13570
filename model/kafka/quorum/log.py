"""The metadata log of a controller: its end, where it agrees with another, appending, cutting, and what a leader commits."""

from __future__ import annotations

from neverlost.model.core import NONE

from .state import Controller, Decision, InFile, Offset, Quorum
from .voters import begins_by_file, entry_of, matches, voter_count


def last_epoch(s: Quorum, controller: Controller) -> int:
    """The epoch of the last record of a log; 0 if it is empty."""
    if s.log_end[controller] == 0:
        return 0
    return s.log_epoch[controller][s.log_end[controller] - 1]


def log_is_up_to_date(s: Quorum, candidate: Controller, voter: Controller) -> bool:
    """Is the candidate's log at least as far as the voter's, by its last epoch, then by its end?

    Source: KafkaRaftClient.handleVoteRequest, OffsetAndEpoch.compareTo.
    """
    if s.voters_in_file == InFile.SINCE_AN_UPGRADE and is_blank(s, candidate) and not is_blank(s, voter):
        return False
    theirs = last_epoch(s, candidate)
    mine = last_epoch(s, voter)
    return theirs > mine or (theirs == mine and s.log_end[candidate] >= s.log_end[voter])


def is_blank(s: Quorum, controller: Controller) -> bool:
    """Has a log not even what all logs begin with after an upgrade of `kraft.version`, a VotersRecord?"""
    return begins_by_file(s, controller) and s.log_end[controller] == 0


def end_for_epoch(s: Quorum, controller: Controller, epoch: int) -> int:
    """Where the records of a log end that are of this epoch or an earlier one."""
    end = 0
    for offset in s.each(Offset):
        if offset < s.log_end[controller] and s.log_epoch[controller][offset] <= epoch:
            end = offset + 1
    return end


def epoch_before(s: Quorum, controller: Controller, end: int) -> int:
    """The epoch of the record before an offset; 0 at the start of a log."""
    if end == 0:
        return 0
    return s.log_epoch[controller][end - 1]


def agreed_end(s: Quorum, follower: Controller, leader: Controller) -> int:
    """Where the leader's records end that are of the follower's last epoch or of an earlier one.

    Source: KafkaMetadataLog.endOffsetForEpoch.
    """
    return end_for_epoch(s, leader, last_epoch(s, follower))


def diverges(s: Quorum, follower: Controller, leader: Controller) -> bool:
    """Does the leader find that its log does not go on from the end of the follower's? Source: ReplicatedLog.validateOffsetAndEpoch."""
    end = agreed_end(s, follower, leader)
    return epoch_before(s, leader, end) != last_epoch(s, follower) or end < s.log_end[follower]


def end_to_keep(s: Quorum, follower: Controller, leader: Controller) -> int:
    """Where a follower cuts its log that diverges. Source: ReplicatedLog.truncateToEndOffset."""
    theirs = agreed_end(s, follower, leader)
    epoch = epoch_before(s, leader, theirs)
    if epoch == 0:
        return theirs
    mine = end_for_epoch(s, follower, epoch)
    if epoch_before(s, follower, mine) == epoch:
        return min(mine, theirs)
    return mine


def cut(s: Quorum, controller: Controller, end: int) -> None:
    """A log loses what is at this offset and behind it."""
    for offset in s.each(Offset):
        if offset >= end:
            s.log_epoch[controller][offset] = 0
            s.log_decision[controller][offset] = NONE
            s.log_voter[controller][offset] = NONE
            s.log_directory[controller][offset] = NONE
    s.cached[controller] = max(0, end - (s.log_end[controller] - s.cached[controller]))
    s.log_end[controller] = end
    if end == 0:
        s.by_file[controller] = False
        if s.alone[controller] != controller:
            s.alone[controller] = NONE


def take(s: Quorum, controller: Controller, source: Controller, offset: Offset) -> None:
    """A log gets the record that another has at this offset. At the beginning of a log are its first voters."""
    if offset == 0:
        s.alone[controller] = s.alone[source]
        s.by_file[controller] = s.by_file[source]
    s.log_epoch[controller][offset] = s.log_epoch[source][offset]
    s.log_decision[controller][offset] = s.log_decision[source][offset]
    s.log_voter[controller][offset] = s.log_voter[source][offset]
    s.log_directory[controller][offset] = s.log_directory[source][offset]


def append(s: Quorum, leader: Controller, decision: int, voter: int, directory: int) -> None:
    """A leader appends a record of its epoch. It counts itself at once, and flushes then.

    Source: KafkaRaftClient.flushLeaderLog and LeaderState.updateLocalState. The record is only told apart from flushed ones while
    power may be lost: nothing else takes it.
    """
    if s.log_end[leader] == 0:
        s.by_file[leader] = begins_by_file(s, leader)
    s.log_epoch[leader][s.log_end[leader]] = s.epoch[leader]
    s.log_decision[leader][s.log_end[leader]] = decision
    s.log_voter[leader][s.log_end[leader]] = voter
    s.log_directory[leader][s.log_end[leader]] = directory
    s.log_end[leader] += 1
    if s.power_losses_left > 0:
        s.unflushed[leader] = True
    commit(s, leader)


def commit(s: Quorum, leader: Controller) -> None:
    """The high watermark rises to what a majority of the voters has, if that is beyond the start of the leader's epoch.

    Source: LeaderState.maybeUpdateHighWatermark. What is committed is compared with what was committed there before.
    """
    end = majority_end(s, leader)
    if end > s.high_watermark[leader]:
        s.high_watermark[leader] = end
    for offset in s.each(Offset):
        if offset < s.high_watermark[leader]:
            expose(s, leader, offset)
    s.committed_end = max(s.committed_end, s.high_watermark[leader])


def majority_end(s: Quorum, leader: Controller) -> int:
    """Up to where a majority of the voters has the leader's log, as far as it knows; 0 if nothing of its epoch is below."""
    found = 0
    for offset in s.each(Offset):
        if offset < s.log_end[leader] and s.log_epoch[leader][offset] == s.epoch[leader]:
            held = sum(1 for c in s.each(Controller) if counts_for(s, leader, c, offset))
            if held + held > voter_count(s, leader):
                found = offset + 1
    return found


def counts_for(s: Quorum, leader: Controller, controller: Controller, offset: Offset) -> bool:
    """Is a controller a voter by the leader's log that has this record, as far as the leader knows?

    Source: LeaderState.getOrCreateReplicaState: a fetch counts for the voter whose id and directory it names.
    """
    entry = entry_of(s, leader, controller)
    if controller == leader:
        return matches(s, entry, s.directory[leader])
    return matches(s, entry, s.known_directory[leader][controller]) and s.known_end[leader][controller] > offset


def expose(s: Quorum, leader: Controller, offset: Offset) -> None:
    """A leader exposes a record as committed. The partition's b2 leads by it, if it is a fail-over: then what only b1 has is lost."""
    if offset < s.committed_end:
        if not is_as_committed(s, leader, offset):
            s.replaced = True
    else:
        s.committed_epoch[offset] = s.log_epoch[leader][offset]
        s.committed_decision[offset] = s.log_decision[leader][offset]
        s.committed_voter[offset] = s.log_voter[leader][offset]
        s.committed_in[offset] = s.epoch[leader]
    if s.log_decision[leader][offset] == Decision.FAIL_OVER and s.acknowledged:
        s.record_lost = True


def is_as_committed(s: Quorum, controller: Controller, offset: Offset) -> bool:
    """Does a log have at this offset what was committed there first?"""
    return (
        s.log_epoch[controller][offset] == s.committed_epoch[offset]
        and s.log_decision[controller][offset] == s.committed_decision[offset]
        and s.log_voter[controller][offset] == s.committed_voter[offset]
    )
