"""How voters are removed and added: by an operator, or with auto-join by the controllers themselves (KIP-853)."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .log import append
from .state import Controller, Offset, Quorum, Role
from .voters import dynamic, entry_of, is_voter, voter_count


def may_change_voters(s: Quorum, leader: Controller) -> bool:
    """Has a leader committed a record of its epoch, and is no change of the voters under way?

    Source: steps 1 to 4 of AddVoterHandler and RemoveVoterHandler.
    """
    if not s.up[leader] or s.role[leader] != Role.LEADER or s.unflushed[leader]:
        return False
    if s.high_watermark[leader] == 0 or s.by_file[leader]:
        return False
    for offset in s.each(Offset):
        if offset >= s.high_watermark[leader] and s.log_voter[leader][offset] != NONE:
            return False
    return s.log_end[leader] < s.size(Offset)


def is_observer(s: Quorum, leader: Controller, controller: Controller) -> bool:
    """Does a controller that is no voter by the leader's log follow it, and has it fetched from it?"""
    return (
        s.up[controller]
        and s.role[controller] == Role.FOLLOWER
        and s.leader[controller] == leader
        and s.epoch[controller] == s.epoch[leader]
        and not is_voter(s, leader, controller)
        and s.known_directory[leader][controller] == s.directory[controller]
    )


@action("KIP-853, RemoveRaftVoter")
def remove_voter(s: Quorum, leader: Controller, controller: Controller) -> None:
    """An operator removes a voter, whether it runs or not, and whatever its directory is now. The last voter cannot be removed."""
    require(dynamic(s))
    require(s.voter_changes_left > 0)
    require(may_change_voters(s, leader))
    require(entry_of(s, leader, controller) != NONE)
    require(voter_count(s, leader) > 1)

    s.voter_changes_left -= 1
    append(s, leader, NONE, controller, NONE)


@action("KIP-853, AddRaftVoter")
def add_voter(s: Quorum, leader: Controller, controller: Controller) -> None:
    """An operator adds a controller that follows the leader, with the directory that it has."""
    require(dynamic(s))
    require(s.voter_changes_left > 0)
    require(may_change_voters(s, leader))
    require(entry_of(s, leader, controller) == NONE)
    require(is_observer(s, leader, controller))

    s.voter_changes_left -= 1
    append(s, leader, NONE, controller, s.directory[controller])


@action("KIP-853, KAFKA-19078, KafkaRaftClient.pollFollowerAsObserver")
def remove_old_entry(s: Quorum, leader: Controller, controller: Controller) -> None:
    """With auto-join, a controller whose id is a voter with another directory has that entry removed."""
    require(dynamic(s) and s.can_join and s.auto_join)
    require(may_change_voters(s, leader))
    require(entry_of(s, leader, controller) != NONE)
    require(is_observer(s, leader, controller))
    require(voter_count(s, leader) > 1)

    append(s, leader, NONE, controller, NONE)


@action("KIP-853, KAFKA-19078, KafkaRaftClient.pollFollowerAsObserver")
def join(s: Quorum, leader: Controller, controller: Controller) -> None:
    """With auto-join, a controller that is no voter is added by itself."""
    require(dynamic(s) and s.can_join and s.auto_join)
    require(may_change_voters(s, leader))
    require(entry_of(s, leader, controller) == NONE)
    require(is_observer(s, leader, controller))

    append(s, leader, NONE, controller, s.directory[controller])
