"""Elections: who asks for votes, who grants them, who leads, and who follows."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, only, require, sends, with_member

from .log import append, last_epoch, log_is_up_to_date
from .state import Controller, Epoch, Offset, Quorum, Role
from .voters import entry_of, is_majority, is_voter, matches, voter_count


def forget_memory(s: Quorum, controller: Controller) -> None:
    """Votes and what a leader knows of others are only in memory, and only for one state in the quorum."""
    s.votes[controller] = EMPTY
    for other in s.each(Controller):
        s.known_end[controller][other] = 0
        s.known_directory[controller][other] = 0


def enter(s: Quorum, controller: Controller, role: int, epoch: int, leader: int) -> None:
    """A controller changes its state. A vote is for one epoch. Source: QuorumState.durableTransitionTo, memoryTransitionTo."""
    if s.epoch[controller] != epoch:
        s.voted[controller] = NONE
        s.voted_directory[controller] = NONE
    s.role[controller] = role
    s.epoch[controller] = epoch
    s.leader[controller] = leader
    forget_memory(s, controller)


def may_grant(s: Quorum, voter: Controller, candidate: Controller) -> bool:
    """May a voter grant a vote to a candidate of its epoch? The first one whose log is not behind its own, and that one again.

    Source: QuorumState.unattachedOrProspectiveCanGrantVote; up to 3.9 UnattachedState, VotedState and FollowerState.canGrantVote.
    """
    if s.role[voter] != Role.UNATTACHED and s.role[voter] != Role.PROSPECTIVE:
        return False
    if s.voted[voter] != NONE:
        known = s.voted_directory[voter]
        return s.voted[voter] == candidate and (known == NONE or known == s.directory[candidate])
    if s.leader[voter] != NONE:
        return False
    return log_is_up_to_date(s, candidate, voter)


def may_pre_grant(s: Quorum, voter: Controller, candidate: Controller) -> bool:
    """Would a voter vote for a prospective candidate? Anybody does but a leader, if the candidate's log is not behind its own.

    Source: canGrantVote of each state with isPreVote. A follower that has fetched from its leader refuses; it may miss the leader at
    any time, and does not refuse then.
    """
    return s.role[voter] != Role.LEADER and log_is_up_to_date(s, candidate, voter)


def is_asked(s: Quorum, voter: Controller, candidate: Controller) -> bool:
    """Does a vote request of this candidate reach a voter that it has not heard from yet, and that does not know a newer epoch?"""
    return (
        s.up[voter]
        and s.up[candidate]
        and voter != candidate
        and not s.unflushed[voter]
        and entry_of(s, candidate, voter) != NONE
        and not contains(s.votes[candidate], voter)
        and s.epoch[candidate] >= s.epoch[voter]
    )


def hear_epoch(s: Quorum, controller: Controller, epoch: int) -> None:
    """A newer epoch ends what was: a leader leads no more."""
    if epoch > s.epoch[controller]:
        enter(s, controller, Role.UNATTACHED, epoch, NONE)


def skips_an_epoch(s: Quorum, controller: Controller) -> bool:
    """Does a controller that has resigned enter a new epoch before it asks? The only voter does not, as it starts by that.

    Source: KafkaRaftClient.pollResigned and initialize.
    """
    return s.role[controller] == Role.RESIGNED and voter_count(s, controller) > 1


@action("KIP-996, KafkaRaftClient.transitionToProspective")
def ask_before(s: Quorum, controller: Controller) -> None:
    """A voter that misses its leader, or has none, asks whether it would be elected. If it has resigned it enters a new epoch first."""
    require(s.pre_vote)
    require(s.up[controller])
    require(s.role[controller] != Role.LEADER and s.role[controller] != Role.PROSPECTIVE)
    require(is_voter(s, controller, controller))
    require(not skips_an_epoch(s, controller) or s.epoch[controller] + 1 < s.size(Epoch))

    if skips_an_epoch(s, controller):
        enter(s, controller, Role.PROSPECTIVE, s.epoch[controller] + 1, NONE)
    else:
        enter(s, controller, Role.PROSPECTIVE, s.epoch[controller], s.leader[controller])
    s.votes[controller] = only(controller)


@action(
    "KIP-996, KafkaRaftClient.handleVoteRequest",
    sends("candidate", "voter", "would you vote for me after epoch {epoch[candidate]}?"),
)
def pre_vote(s: Quorum, voter: Controller, candidate: Controller) -> None:
    """A prospective candidate asks a voter, which hears of its epoch, and grants or refuses."""
    require(s.role[candidate] == Role.PROSPECTIVE)
    require(is_asked(s, voter, candidate))
    require(s.epoch[candidate] > s.epoch[voter] or may_pre_grant(s, voter, candidate))

    hear_epoch(s, voter, s.epoch[candidate])
    if matches(s, entry_of(s, candidate, voter), s.directory[voter]) and may_pre_grant(s, voter, candidate):
        s.votes[candidate] = with_member(s.votes[candidate], voter)


@action("KIP-996, KafkaRaftClient.prospectiveTransitionAfterElectionLoss")
def stop_asking(s: Quorum, controller: Controller) -> None:
    """A prospective candidate without a majority follows its leader again, if it knows one."""
    require(s.up[controller])
    require(s.role[controller] == Role.PROSPECTIVE)
    require(s.leader[controller] != controller)

    if s.leader[controller] != NONE:
        enter(s, controller, Role.FOLLOWER, s.epoch[controller], s.leader[controller])
    else:
        enter(s, controller, Role.UNATTACHED, s.epoch[controller], NONE)


@action("KIP-595, KafkaRaftClient.transitionToCandidate")
def stand(s: Quorum, controller: Controller) -> None:
    """A voter starts an election in the next epoch, and votes for itself: from 4.0 on if a majority would elect it."""
    require(s.up[controller])
    require(s.role[controller] != Role.LEADER)
    require(s.epoch[controller] + 1 < s.size(Epoch))
    require(is_voter(s, controller, controller))
    require(not s.pre_vote or s.role[controller] == Role.PROSPECTIVE)
    require(not s.pre_vote or is_majority(s, controller, s.votes[controller]))

    enter(s, controller, Role.CANDIDATE, s.epoch[controller] + 1, NONE)
    vote_for(s, controller, controller)
    s.votes[controller] = only(controller)


def vote_for(s: Quorum, voter: Controller, candidate: Controller) -> None:
    """A vote is on disk before it is answered. Source: FileQuorumStateStore.writeElectionStateToFile, which syncs."""
    s.voted[voter] = candidate
    if s.votes_name_directory:
        s.voted_directory[voter] = s.directory[candidate]


@action(
    "KIP-595, KafkaRaftClient.handleVoteRequest",
    sends("candidate", "voter", "asks for a vote in epoch {epoch[candidate]}"),
)
def vote(s: Quorum, voter: Controller, candidate: Controller) -> None:
    """A candidate asks a voter, which hears of the epoch, and grants or refuses."""
    require(s.role[candidate] == Role.CANDIDATE)
    require(is_asked(s, voter, candidate))
    require(s.epoch[candidate] > s.epoch[voter] or may_grant(s, voter, candidate))

    hear_epoch(s, voter, s.epoch[candidate])
    if matches(s, entry_of(s, candidate, voter), s.directory[voter]) and may_grant(s, voter, candidate):
        vote_for(s, voter, candidate)
        s.votes[candidate] = with_member(s.votes[candidate], voter)


@action("KIP-595, KafkaRaftClient.onBecomeLeader")
def win(s: Quorum, controller: Controller) -> None:
    """A candidate with the votes of a majority leads. It knows no high watermark yet, and writes a leader change record."""
    require(s.up[controller])
    require(s.role[controller] == Role.CANDIDATE)
    require(is_majority(s, controller, s.votes[controller]))
    require(s.log_end[controller] < s.size(Offset))

    enter(s, controller, Role.LEADER, s.epoch[controller], controller)
    s.high_watermark[controller] = 0
    append(s, controller, NONE, NONE, NONE)


@action("KIP-595, BeginQuorumEpoch", sends("leader", "controller", "leads epoch {epoch[leader]}"))
def follow(s: Quorum, controller: Controller, leader: Controller) -> None:
    """A controller hears who leads its epoch or a newer one, and follows. Source: KafkaRaftClient.maybeTransition."""
    require(s.up[controller] and s.up[leader])
    require(s.role[leader] == Role.LEADER)
    require(controller != leader)
    require(not s.unflushed[controller])
    require(
        s.epoch[controller] < s.epoch[leader]
        or (s.epoch[controller] == s.epoch[leader] and s.leader[controller] == NONE)
    )

    enter(s, controller, Role.FOLLOWER, s.epoch[leader], leader)
    if not s.keeps_vote:
        s.voted[controller] = NONE
        s.voted_directory[controller] = NONE


def go_on_from_disk(s: Quorum, controller: Controller) -> None:
    """A controller starts in the state that its file quorum-state and its log tell.

    A log with records of a newer epoch than the file says that the file is lost or old. A leader has resigned, as its log may have
    lost what was not flushed; a candidate goes on with its election. Source: QuorumState.initialize.
    """
    if s.epoch[controller] < last_epoch(s, controller):
        enter(s, controller, Role.UNATTACHED, last_epoch(s, controller), NONE)
    elif s.leader[controller] == controller:
        s.role[controller] = Role.RESIGNED
    elif s.voted[controller] == controller and is_own_vote(s, controller):
        s.role[controller] = Role.CANDIDATE
        s.leader[controller] = NONE
        s.votes[controller] = only(controller)
    elif s.leader[controller] != NONE:
        s.role[controller] = Role.FOLLOWER


def is_own_vote(s: Quorum, controller: Controller) -> bool:
    """Is a vote for this id a vote for this directory? Source: ElectionState.isVotedCandidate."""
    known = s.voted_directory[controller]
    return known == NONE or known == s.directory[controller]
