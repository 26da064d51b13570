"""What a proof rests on that the controllers lose no decision while no voter loses its files: lemmas that are an inductive invariant.

The argument, in short, is Raft's. A majority has voted in each epoch that had a leader, so it has no other one, and every record of the
epoch is in the log of its leader. A leader commits a record of its own epoch only if a majority has fetched it before it left that
epoch (`is_hopeless`). So whoever was elected later was elected by one who had the record, and has it too.

A controller whose directory was lost with `kraft.version` 1 is gone (`is_gone`): it never votes or counts again. One voter may be
removed, if the controllers are an odd number: a majority of all but one is one of all then.
"""

from __future__ import annotations

from neverlost.model.core import NONE, contains, lemma
from neverlost.model.kafka.quorum.log import is_as_committed, last_epoch
from neverlost.model.kafka.quorum.replicating import is_committed
from neverlost.model.kafka.quorum.state import BEGINNING, Controller, Decision, Offset, Quorum, Role
from neverlost.model.kafka.quorum.voters import dynamic, matches

from .assumptions import kept
from .properties import same_record


def is_more_than_half(s: Quorum, count: int) -> bool:
    """Are so many controllers a majority of all?"""
    return count + count > s.size(Controller)


def is_gone(s: Quorum, controller: Controller) -> bool:
    """Has a controller another directory than the one that it was a voter with?"""
    return s.directory[controller] != BEGINNING


def is_removal(s: Quorum, controller: Controller, offset: Offset) -> bool:
    """Does a record remove a voter?"""
    return s.log_voter[controller][offset] >= 0 and s.log_directory[controller][offset] < 0


def has_chosen(s: Quorum, voter: Controller, epoch: int) -> bool:
    """Can the controller vote for nobody new in this epoch? It has voted, follows, is in a later epoch, or gone."""
    if is_gone(s, voter) or s.epoch[voter] > epoch:
        return True
    return s.epoch[voter] == epoch and (s.voted[voter] != NONE or s.leader[voter] != NONE)


def chosen(s: Quorum, epoch: int) -> int:
    """How many can vote for nobody new in this epoch."""
    return sum(1 for c in s.each(Controller) if has_chosen(s, c, epoch))


def stands(s: Quorum, controller: Controller) -> bool:
    """Is a controller a candidate, or may become one again in its epoch when it restarts?"""
    return s.voted[controller] == controller and s.leader[controller] != controller and not is_gone(s, controller)


def has_vote_of(s: Quorum, candidate: Controller, voter: Controller) -> bool:
    """Has a candidate the vote of this voter?"""
    return s.role[candidate] == Role.CANDIDATE and contains(s.votes[candidate], voter)


def has_promise_of(s: Quorum, candidate: Controller, voter: Controller) -> bool:
    """Has a candidate the vote of this voter, or would have it again if it asked again after a restart?"""
    if has_vote_of(s, candidate, voter):
        return True
    if is_gone(s, voter) or s.epoch[voter] != s.epoch[candidate]:
        return False
    return s.voted[voter] == candidate and s.leader[voter] == NONE


def is_lost_for(s: Quorum, candidate: Controller, voter: Controller) -> bool:
    """Has a voter chosen otherwise in the candidate's epoch, so that it never votes for it?"""
    return (
        not has_vote_of(s, candidate, voter)
        and has_chosen(s, voter, s.epoch[candidate])
        and (is_gone(s, voter) or s.epoch[voter] != s.epoch[candidate] or s.voted[voter] != candidate)
    )


def lost_for(s: Quorum, candidate: Controller) -> int:
    """How many never vote for a candidate."""
    return sum(1 for c in s.each(Controller) if is_lost_for(s, candidate, c))


def cannot_win(s: Quorum, candidate: Controller) -> bool:
    """Has a majority chosen otherwise in a candidate's epoch?"""
    return is_more_than_half(s, lost_for(s, candidate))


def is_own(s: Quorum, leader: Controller, offset: Offset) -> bool:
    """Is there a record of a leader's own epoch?"""
    return s.role[leader] == Role.LEADER and s.log_epoch[leader][offset] == s.epoch[leader]


def has_fetched(s: Quorum, leader: Controller, controller: Controller, offset: Offset) -> bool:
    """Does a leader count another controller for a record?"""
    return matches(s, BEGINNING, s.known_directory[leader][controller]) and s.known_end[leader][controller] > offset


def has_left(s: Quorum, leader: Controller, controller: Controller, offset: Offset) -> bool:
    """Will a leader never count this controller for a record? It is in a later epoch, or gone, and has not fetched so far."""
    later = is_gone(s, controller) or s.epoch[controller] > s.epoch[leader]
    return later and not has_fetched(s, leader, controller, offset)


def is_hopeless(s: Quorum, leader: Controller, offset: Offset) -> bool:
    """Can a leader never commit a record any more, because a majority has left?"""
    return is_more_than_half(s, sum(1 for c in s.each(Controller) if has_left(s, leader, c, offset)))


def was_committed_at_once(s: Quorum, offset: Offset) -> bool:
    """Was a record committed in its own epoch? What is before it was committed with it, or earlier."""
    return offset < s.committed_end and s.committed_epoch[offset] == s.committed_in[offset]


def keeps(s: Quorum, controller: Controller, offset: Offset) -> bool:
    """Has a controller what was committed, in an epoch in which it only follows those who have it; or is it gone?"""
    return is_gone(s, controller) or (
        s.epoch[controller] >= s.committed_epoch[offset]
        and s.log_epoch[controller][offset] == s.committed_epoch[offset]
    )


@lemma("What may not happen is not left.")
def what_may_not_happen_is_not_left(s: Quorum) -> bool:
    return (
        (s.quorum_state_losses > 0 or s.quorum_state_losses_left == 0)
        and (s.restored_copies > 0 or s.restored_copies_left == 0)
        and (s.disk_losses > 0 or s.disk_losses_left == 0)
        and (s.borrowed_copies > 0 or s.borrowed_copies_left == 0)
        and s.voter_changes_left <= s.voter_changes
        and (s.power_losses > 0 or s.power_losses_left == 0)
        and (s.crashes > 0 or s.crashes_left == 0)
    )


@lemma("A directory is new only where one may be lost or replaced.")
def no_directory_is_new_without_a_loss(s: Quorum, controller: Controller) -> bool:
    return s.disk_losses > 0 or s.borrowed_copies > 0 or not is_gone(s, controller)


@lemma("No record changes the voters before an operator removes one.")
def no_record_changes_voters_before_an_operator_does(s: Quorum, controller: Controller, offset: Offset) -> bool:
    if not kept(s) or (s.voter_changes > 0 and s.voter_changes_left == 0):
        return True
    return s.log_voter[controller][offset] < 0


@lemma(
    "One voter is removed at most, so a majority of the voters of any log is one of all controllers, if these are an odd number."
)
def one_voter_is_removed(s: Quorum, controller: Controller, offset: Offset, other: Offset) -> bool:
    if not kept(s) or offset == other:
        return True
    return not is_removal(s, controller, offset) or not is_removal(s, controller, other)


@lemma("A voter that is added has the directory with which it began.")
def voters_are_added_as_they_began(s: Quorum, controller: Controller, offset: Offset) -> bool:
    return not kept(s) or s.log_directory[controller][offset] <= BEGINNING


@lemma("No log begins with other voters.")
def no_log_begins_with_other_voters(s: Quorum, controller: Controller) -> bool:
    return not kept(s) or (s.alone[controller] < 0 and not s.by_file[controller])


@lemma("Nothing is left to the operating system by a killed process where power may be lost too.")
def nothing_is_left_to_the_operating_system(s: Quorum, controller: Controller) -> bool:
    return not kept(s) or s.cached[controller] == 0


@lemma("What is not flushed is only told apart where power may be lost.")
def all_is_flushed_where_power_lasts(s: Quorum, controller: Controller) -> bool:
    return s.power_losses > 0 or not s.unflushed[controller]


@lemma("A log has records up to its end, and nothing behind it.")
def a_log_ends_at_its_end(s: Quorum, controller: Controller, offset: Offset) -> bool:
    if not kept(s):
        return True
    if offset < s.log_end[controller]:
        return s.log_epoch[controller][offset] != 0
    nothing = s.log_decision[controller][offset] == NONE and s.log_voter[controller][offset] == NONE
    return nothing and s.log_epoch[controller][offset] == 0


@lemma("A leader appends records of its own epoch, and takes no older ones: epochs never decrease along a log.")
def epochs_never_decrease_along_a_log(s: Quorum, controller: Controller, offset: Offset, later: Offset) -> bool:
    if not kept(s) or later <= offset or later >= s.log_end[controller]:
        return True
    return s.log_epoch[controller][offset] <= s.log_epoch[controller][later]


@lemma("A controller has heard of the epoch of every record that it has.")
def no_record_has_a_newer_epoch_than_its_controller(s: Quorum, controller: Controller, offset: Offset) -> bool:
    return not kept(s) or s.log_epoch[controller][offset] <= s.epoch[controller]


@lemma("A controller that is down has no state in the quorum.")
def who_is_down_has_no_role(s: Quorum, controller: Controller) -> bool:
    return not kept(s) or s.up[controller] or s.role[controller] == Role.UNATTACHED


@lemma("A leader is a voter that names itself, and its last record is of its epoch.")
def a_leader_has_begun_its_epoch(s: Quorum, leader: Controller) -> bool:
    if not kept(s) or s.role[leader] != Role.LEADER:
        return True
    return s.leader[leader] == leader and not is_gone(s, leader) and last_epoch(s, leader) == s.epoch[leader]


@lemma("A leader's epoch is not the one before the first election.")
def a_leader_was_elected(s: Quorum, controller: Controller) -> bool:
    return not kept(s) or s.leader[controller] == NONE or s.epoch[controller] != 0


@lemma("A candidate is a voter that has voted for itself, and knows no leader.")
def a_candidate_has_voted_for_itself(s: Quorum, candidate: Controller) -> bool:
    if not kept(s) or s.role[candidate] != Role.CANDIDATE:
        return True
    return s.voted[candidate] == candidate and s.leader[candidate] == NONE and not is_gone(s, candidate)


@lemma("Who asks for votes, or for votes before an election, is a voter.")
def who_asks_is_a_voter(s: Quorum, controller: Controller) -> bool:
    return not kept(s) or s.role[controller] != Role.PROSPECTIVE or not is_gone(s, controller)


@lemma("A follower follows another controller.")
def a_follower_follows(s: Quorum, controller: Controller) -> bool:
    return not kept(s) or s.role[controller] != Role.FOLLOWER or s.leader[controller] != NONE


@lemma("Votes are for voters; with kraft.version 1 they name the directory.")
def votes_are_for_voters(s: Quorum, controller: Controller) -> bool:
    if not kept(s) or not dynamic(s) or not s.votes_name_directory:
        return True
    return s.voted[controller] == NONE or s.voted_directory[controller] == BEGINNING


@lemma("A vote is on disk before it is told: who has voted for a candidate stays with it in its epoch.")
def votes_are_kept(s: Quorum, candidate: Controller, voter: Controller) -> bool:
    if not kept(s) or not has_vote_of(s, candidate, voter):
        return True
    if is_gone(s, voter) or s.epoch[voter] > s.epoch[candidate]:
        return True
    if s.epoch[voter] < s.epoch[candidate]:
        return False
    followed = not s.keeps_vote and s.voted[voter] == NONE and s.leader[voter] != NONE
    return s.voted[voter] == candidate or followed


@lemma("Nobody votes in an epoch that its candidate has not begun.")
def a_candidate_began_the_epoch_of_a_vote(s: Quorum, voter: Controller, candidate: Controller) -> bool:
    if not kept(s) or s.voted[voter] != candidate or is_gone(s, candidate):
        return True
    return s.epoch[voter] <= s.epoch[candidate]


@lemma("Nobody votes for two candidates of one epoch.")
def nobody_votes_twice(s: Quorum, candidate: Controller, other: Controller, voter: Controller) -> bool:
    if not kept(s) or candidate == other or s.epoch[candidate] != s.epoch[other]:
        return True
    return not has_vote_of(s, candidate, voter) or not has_vote_of(s, other, voter)


@lemma("A majority has chosen in the epoch of each record.")
def a_majority_chose_in_the_epoch_of_a_record(s: Quorum, holder: Controller, offset: Offset) -> bool:
    if not kept(s) or s.log_epoch[holder][offset] == 0:
        return True
    return is_more_than_half(s, chosen(s, s.log_epoch[holder][offset]))


@lemma("A majority has chosen in an epoch whose leader somebody knows.")
def a_majority_chose_a_known_leader(s: Quorum, knowing: Controller) -> bool:
    if not kept(s) or s.leader[knowing] == NONE:
        return True
    return is_more_than_half(s, chosen(s, s.epoch[knowing]))


@lemma("A majority has chosen in the epoch of what was committed.")
def a_majority_chose_in_the_epoch_of_the_committed(s: Quorum, offset: Offset) -> bool:
    if not kept(s) or s.committed_epoch[offset] == 0:
        return True
    return is_more_than_half(s, chosen(s, s.committed_epoch[offset]))


@lemma("In the epoch of a record nobody else is elected: a majority has chosen otherwise.")
def nobody_is_elected_in_the_epoch_of_a_record(
    s: Quorum, candidate: Controller, holder: Controller, offset: Offset
) -> bool:
    if not kept(s) or not stands(s, candidate) or s.log_epoch[holder][offset] != s.epoch[candidate]:
        return True
    return cannot_win(s, candidate)


@lemma("In an epoch whose leader somebody knows nobody else is elected: a majority has chosen otherwise.")
def nobody_is_elected_beside_a_known_leader(s: Quorum, candidate: Controller, knowing: Controller) -> bool:
    if not kept(s) or not stands(s, candidate):
        return True
    if s.leader[knowing] == NONE or s.epoch[knowing] != s.epoch[candidate]:
        return True
    return cannot_win(s, candidate)


@lemma("In the epoch of what was committed nobody else is elected: a majority has chosen otherwise.")
def nobody_is_elected_in_the_epoch_of_the_committed(s: Quorum, candidate: Controller, offset: Offset) -> bool:
    if not kept(s) or not stands(s, candidate):
        return True
    if s.committed_epoch[offset] == 0 or s.committed_epoch[offset] != s.epoch[candidate]:
        return True
    return cannot_win(s, candidate)


@lemma("An epoch has one leader, whoever knows it.")
def an_epoch_has_one_leader(s: Quorum, one: Controller, other: Controller) -> bool:
    if not kept(s) or s.epoch[one] != s.epoch[other]:
        return True
    return s.leader[one] == NONE or s.leader[other] == NONE or s.leader[one] == s.leader[other]


@lemma("A leader has every record of its epoch that anybody has, as it has appended them.")
def a_leader_has_the_records_of_its_epoch(s: Quorum, leader: Controller, holder: Controller, offset: Offset) -> bool:
    if not kept(s) or s.role[leader] != Role.LEADER or s.log_epoch[holder][offset] != s.epoch[leader]:
        return True
    return s.log_epoch[leader][offset] == s.epoch[leader]


@lemma("A leader has every record of its epoch that was committed, as it has appended them.")
def a_leader_has_what_was_committed_of_its_epoch(s: Quorum, leader: Controller, offset: Offset) -> bool:
    if not kept(s) or s.role[leader] != Role.LEADER or s.committed_epoch[offset] != s.epoch[leader]:
        return True
    return s.log_epoch[leader][offset] == s.epoch[leader]


@lemma("Records of an epoch begin at one offset in all logs that go on so far: where its leader's log ended.")
def an_epoch_begins_at_one_offset(s: Quorum, one: Controller, other: Controller, offset: Offset, later: Offset) -> bool:
    if not kept(s) or later < offset or s.log_epoch[one][offset] == 0:
        return True
    return s.log_epoch[one][offset] != s.log_epoch[other][later] or (
        s.log_epoch[other][offset] == s.log_epoch[one][offset]
    )


@lemma("Records of an epoch begin where they do in what was committed.")
def an_epoch_begins_where_it_was_committed(s: Quorum, holder: Controller, offset: Offset, later: Offset) -> bool:
    if not kept(s) or later < offset:
        return True
    if s.committed_epoch[offset] != 0 and s.committed_epoch[offset] == s.log_epoch[holder][later]:
        if s.log_epoch[holder][offset] != s.committed_epoch[offset]:
            return False
    if s.log_epoch[holder][offset] != 0 and s.log_epoch[holder][offset] == s.committed_epoch[later]:
        return s.committed_epoch[offset] == s.log_epoch[holder][offset]
    return True


@lemma("Where two logs have the same epoch they have the same record, and the same epoch before it.")
def logs_agree(s: Quorum, one: Controller, other: Controller, offset: Offset, before: Offset) -> bool:
    if not kept(s) or s.log_epoch[one][offset] == 0 or s.log_epoch[one][offset] != s.log_epoch[other][offset]:
        return True
    if not same_record(s, one, other, offset):
        return False
    return before + 1 != offset or s.log_epoch[one][before] == s.log_epoch[other][before]


@lemma("Where a log has the epoch of what was committed it has the same record, and the same epoch before it.")
def a_log_agrees_with_what_was_committed(s: Quorum, holder: Controller, offset: Offset, before: Offset) -> bool:
    if not kept(s) or s.committed_end <= offset or s.log_epoch[holder][offset] != s.committed_epoch[offset]:
        return True
    if not is_as_committed(s, holder, offset):
        return False
    return before + 1 != offset or s.log_epoch[holder][before] == s.committed_epoch[before]


@lemma("A leader knows others up to the end of its log, and not itself.")
def what_a_leader_knows_is_within_its_log(s: Quorum, leader: Controller, controller: Controller) -> bool:
    if not kept(s) or s.role[leader] != Role.LEADER:
        return True
    if leader == controller:
        return s.known_end[leader][controller] == 0
    return s.known_end[leader][controller] <= s.log_end[leader]


@lemma("Who has fetched from a leader was in its epoch, and never goes back.")
def who_has_fetched_was_in_the_epoch(s: Quorum, leader: Controller, controller: Controller) -> bool:
    if not kept(s) or s.role[leader] != Role.LEADER or s.known_end[leader][controller] == 0:
        return True
    return is_gone(s, controller) or s.epoch[controller] >= s.epoch[leader]


@lemma("Only a leader has a record that it has not flushed, which nobody has acknowledged.")
def nobody_has_fetched_beyond_what_is_flushed(s: Quorum, leader: Controller, controller: Controller) -> bool:
    if not kept(s) or not s.unflushed[leader]:
        return True
    return (
        s.role[leader] == Role.LEADER and s.log_end[leader] > 0 and s.known_end[leader][controller] < s.log_end[leader]
    )


@lemma("A record that its leader has not flushed is not committed by it, as somebody else has to have it.")
def what_is_not_flushed_is_not_committed(s: Quorum, leader: Controller, offset: Offset) -> bool:
    if not kept(s) or not s.unflushed[leader] or offset + 1 != s.log_end[leader]:
        return True
    return not was_committed_at_once(s, offset) or s.log_epoch[leader][offset] != s.committed_epoch[offset]


@lemma("Who has fetched a record of a leader keeps it, or the leader cannot commit it any more.")
def who_has_fetched_keeps_it(s: Quorum, leader: Controller, controller: Controller, offset: Offset) -> bool:
    if not kept(s) or not is_own(s, leader, offset) or not has_fetched(s, leader, controller, offset):
        return True
    kept_it = is_gone(s, controller) or s.log_epoch[controller][offset] == s.epoch[leader]
    return kept_it or is_hopeless(s, leader, offset)


@lemma(
    "A candidate of a later epoch that is promised the vote of one who has fetched a record has it too, or one of the two fails."
)
def a_later_candidate_has_what_its_voters_fetched(
    s: Quorum, candidate: Controller, voter: Controller, leader: Controller, offset: Offset
) -> bool:
    if not kept(s) or not is_own(s, leader, offset) or s.epoch[candidate] <= s.epoch[leader]:
        return True
    if not stands(s, candidate) or not has_promise_of(s, candidate, voter):
        return True
    if not has_fetched(s, leader, voter, offset) or s.log_epoch[candidate][offset] == s.epoch[leader]:
        return True
    return is_hopeless(s, leader, offset) or cannot_win(s, candidate)


@lemma("A log with records of a later epoch has a record of a leader, or it cannot be committed any more.")
def a_later_log_has_what_may_be_committed(
    s: Quorum, leader: Controller, offset: Offset, holder: Controller, later: Offset
) -> bool:
    if not kept(s) or not is_own(s, leader, offset) or s.log_epoch[holder][later] <= s.epoch[leader]:
        return True
    return s.log_epoch[holder][offset] == s.epoch[leader] or is_hopeless(s, leader, offset)


@lemma("Where something of a later epoch is committed, so is a record of a leader, or it cannot be committed any more.")
def what_was_committed_later_has_what_may_be_committed(
    s: Quorum, leader: Controller, offset: Offset, later: Offset
) -> bool:
    if not kept(s) or not is_own(s, leader, offset) or s.committed_epoch[later] <= s.epoch[leader]:
        return True
    return s.committed_epoch[offset] == s.epoch[leader] or is_hopeless(s, leader, offset)


@lemma("What is committed has an epoch, and was committed in that one or later.")
def what_is_committed_has_an_epoch(s: Quorum, offset: Offset) -> bool:
    if not kept(s):
        return True
    if offset < s.committed_end:
        return s.committed_epoch[offset] != 0 and s.committed_epoch[offset] <= s.committed_in[offset]
    return s.committed_epoch[offset] == 0 and s.committed_decision[offset] == NONE


@lemma("Epochs never decrease along what is committed.")
def epochs_never_decrease_along_the_committed(s: Quorum, offset: Offset, later: Offset) -> bool:
    if not kept(s) or later <= offset or later >= s.committed_end:
        return True
    return s.committed_epoch[offset] <= s.committed_epoch[later]


@lemma("A leader commits up to a record of its epoch: older ones are committed by that.")
def old_records_are_committed_by_a_new_one(s: Quorum, offset: Offset) -> bool:
    if not kept(s) or s.committed_end <= offset:
        return True
    for later in s.each(Offset):
        if offset <= later and was_committed_at_once(s, later) and s.committed_in[later] == s.committed_in[offset]:
            return True
    return False


@lemma("A majority keeps what was committed.")
def a_majority_keeps_the_committed(s: Quorum, offset: Offset) -> bool:
    if not kept(s) or not was_committed_at_once(s, offset):
        return True
    return is_more_than_half(s, sum(1 for c in s.each(Controller) if keeps(s, c, offset)))


@lemma("A log with records of a later epoch has what was committed.")
def a_later_log_has_the_committed(s: Quorum, holder: Controller, offset: Offset, later: Offset) -> bool:
    if not kept(s) or not was_committed_at_once(s, offset):
        return True
    if s.log_epoch[holder][later] <= s.committed_epoch[offset]:
        return True
    return s.log_epoch[holder][offset] == s.committed_epoch[offset]


@lemma(
    "A candidate of a later epoch without what was committed is not elected: a majority has it, and does not vote for it."
)
def nobody_is_elected_without_the_committed(s: Quorum, candidate: Controller, offset: Offset) -> bool:
    if not kept(s) or not was_committed_at_once(s, offset) or not stands(s, candidate):
        return True
    if s.epoch[candidate] <= s.committed_epoch[offset]:
        return True
    if s.log_epoch[candidate][offset] == s.committed_epoch[offset]:
        return True
    refusing = sum(1 for c in s.each(Controller) if keeps(s, c, offset) and not has_promise_of(s, candidate, c))
    return is_more_than_half(s, refusing) or cannot_win(s, candidate)


@lemma("What is below a leader's high watermark is committed, and in its log.")
def what_is_below_a_high_watermark_is_committed(s: Quorum, leader: Controller, offset: Offset) -> bool:
    if not kept(s) or s.role[leader] != Role.LEADER:
        return True
    if s.high_watermark[leader] > s.committed_end or s.high_watermark[leader] > s.log_end[leader]:
        return False
    return offset >= s.high_watermark[leader] or s.log_epoch[leader][offset] == s.committed_epoch[offset]


@lemma("An active controller decides once in its log.")
def a_log_has_one_decision(s: Quorum, controller: Controller, offset: Offset, other: Offset) -> bool:
    if not kept(s) or offset == other:
        return True
    return s.log_decision[controller][offset] < 0 or s.log_decision[controller][other] < 0


@lemma("One decision is committed.")
def one_decision_is_committed(s: Quorum, offset: Offset, other: Offset) -> bool:
    if not kept(s) or offset == other:
        return True
    return s.committed_decision[offset] < 0 or s.committed_decision[other] < 0


@lemma("b1 acknowledges a record alone only if that is committed.")
def acknowledged_on_a_committed_decision(s: Quorum) -> bool:
    return not kept(s) or not s.acknowledged or is_committed(s, Decision.SHRINK)


LEMMAS = (
    what_may_not_happen_is_not_left,
    no_directory_is_new_without_a_loss,
    no_record_changes_voters_before_an_operator_does,
    one_voter_is_removed,
    voters_are_added_as_they_began,
    no_log_begins_with_other_voters,
    nothing_is_left_to_the_operating_system,
    all_is_flushed_where_power_lasts,
    a_log_ends_at_its_end,
    epochs_never_decrease_along_a_log,
    no_record_has_a_newer_epoch_than_its_controller,
    who_is_down_has_no_role,
    a_leader_has_begun_its_epoch,
    a_leader_was_elected,
    a_candidate_has_voted_for_itself,
    who_asks_is_a_voter,
    a_follower_follows,
    votes_are_for_voters,
    votes_are_kept,
    a_candidate_began_the_epoch_of_a_vote,
    nobody_votes_twice,
    a_majority_chose_in_the_epoch_of_a_record,
    a_majority_chose_a_known_leader,
    a_majority_chose_in_the_epoch_of_the_committed,
    nobody_is_elected_in_the_epoch_of_a_record,
    nobody_is_elected_beside_a_known_leader,
    nobody_is_elected_in_the_epoch_of_the_committed,
    an_epoch_has_one_leader,
    a_leader_has_the_records_of_its_epoch,
    a_leader_has_what_was_committed_of_its_epoch,
    an_epoch_begins_at_one_offset,
    an_epoch_begins_where_it_was_committed,
    logs_agree,
    a_log_agrees_with_what_was_committed,
    what_a_leader_knows_is_within_its_log,
    who_has_fetched_was_in_the_epoch,
    nobody_has_fetched_beyond_what_is_flushed,
    what_is_not_flushed_is_not_committed,
    who_has_fetched_keeps_it,
    a_later_candidate_has_what_its_voters_fetched,
    a_later_log_has_what_may_be_committed,
    what_was_committed_later_has_what_may_be_committed,
    what_is_committed_has_an_epoch,
    epochs_never_decrease_along_the_committed,
    old_records_are_committed_by_a_new_one,
    a_majority_keeps_the_committed,
    a_later_log_has_the_committed,
    nobody_is_elected_without_the_committed,
    what_is_below_a_high_watermark_is_committed,
    a_log_has_one_decision,
    one_decision_is_committed,
    acknowledged_on_a_committed_decision,
)
