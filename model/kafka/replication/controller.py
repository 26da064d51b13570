"""The controller: who leads, who is in sync, who is fenced. Each decision on a leader starts a new leader epoch."""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, action, contains, only, require, with_member, without

from .decisions import catch_up, remember_decision
from .delays import end_exchanges_about_isr
from .state import NO_SHRINK, DirectoryMove, Epoch, LostDecision, MinIsrChange, Partition, Replica, ReplicaSet


def count(s: Partition, replicas: ReplicaSet) -> int:
    """How many replicas are in the set."""
    size = 0
    for replica in s.each(Replica):
        if contains(replicas, replica):
            size += 1
    return size


def issues_to(s: Partition, leader: Replica) -> bool:
    """Is the broker the leader of the controller's newest epoch, and has it heard of that epoch?"""
    return s.controller_leader == leader and s.epoch[leader] == s.newest_epoch and s.leader[leader] == leader


def min_isr_of_controller(s: Partition) -> int:
    """The min ISR that the controller takes for every partition of a topic: at most the number of replicas of partition 0."""
    if s.lone_first_partition:
        return 1
    return s.min_isr


def record_isr(s: Partition, isr: ReplicaSet) -> None:
    """The controller records an ISR. A replica that leaves an ISR below min ISR stays eligible (R-ELECT-3, KIP-966)."""
    if s.size(LostDecision) > 0:
        remember_decision(s)
    if s.elr:
        if count(s, isr) >= min_isr_of_controller(s):
            s.eligible = EMPTY
            s.last_leader = NONE
        else:
            for replica in s.each(Replica):
                if contains(s.controller_isr, replica):
                    s.eligible = with_member(s.eligible, replica)
            for replica in s.each(Replica):
                if contains(isr, replica):
                    s.eligible = without(s.eligible, replica)
    s.controller_isr = isr
    if s.size(LostDecision) > 0:
        catch_up(s)
    end_exchanges_about_isr(s)


def issue_epoch(s: Partition, leader: int, isr: ReplicaSet) -> None:
    """The controller decides on a leader and an ISR in a new leader epoch, which brokers hear of one by one."""
    require(s.newest_epoch + 1 < s.size(Epoch))

    record_isr(s, isr)
    s.newest_epoch += 1
    s.controller_leader = leader
    s.metadata_leader[s.newest_epoch] = leader
    s.metadata_isr[s.newest_epoch] = isr
    forget_metadata(s)


def forget_metadata(s: Partition) -> None:
    """Forget what no broker can hear of any more: epochs that every broker has passed, except the newest."""
    for epoch in s.each(Epoch):
        if epoch < s.newest_epoch and not ahead_of_a_broker(s, epoch):
            s.metadata_leader[epoch] = NONE
            s.metadata_isr[epoch] = EMPTY


def ahead_of_a_broker(s: Partition, epoch: Epoch) -> bool:
    """Is any broker in an earlier epoch, so that it may still hear of this one?"""
    for replica in s.each(Replica):
        if s.epoch[replica] != NONE and s.epoch[replica] < epoch:
            return True
    return False


def lose_news(s: Partition, replica: Replica) -> None:
    """News on its way to a broker that hears of epochs in turn is lost; it will hear of the newest epoch, or of one in between."""
    if s.ordered_metadata and s.epoch[replica] != NONE and s.epoch[replica] + 1 < s.newest_epoch:
        s.out_of_turn = with_member(s.out_of_turn, replica)


def seems_dead(s: Partition, replica: Replica) -> bool:
    """Has the broker's session ended? It has if the broker is down, or was silent for too long."""
    return not contains(s.fenced, replica) and (not s.up[replica] or contains(s.silent, replica))


def a_member_is_live(s: Partition, replicas: ReplicaSet, but: Replica) -> bool:
    """Does the controller consider a member of the set other than `but` live?"""
    for replica in s.each(Replica):
        if replica != but and contains(replicas, replica) and not contains(s.fenced, replica):
            return True
    return False


def may_succeed(s: Partition, successor: Replica, leader: Replica) -> bool:
    """May the successor replace a leader that died? It must be a live member of the ISR; from KIP-966 on, else of the ELR."""
    return (
        successor != leader
        and not contains(s.fenced, successor)
        and (
            contains(s.controller_isr, successor)
            or (contains(s.eligible, successor) and not a_member_is_live(s, s.controller_isr, leader))
        )
    )


def remaining_isr(s: Partition, replica: Replica) -> ReplicaSet:
    """The ISR after a member's death. The last member stays, except with KIP-966, which keeps it in the ELR."""
    if s.controller_isr == only(replica) and not s.elr:
        return s.controller_isr
    return without(s.controller_isr, replica)


def elects_uncleanly(s: Partition) -> bool:
    """Does the controller elect a replica outside the ISR if it must? KRaft to 3.8 never does (KAFKA-12670)."""
    return s.unclean and not s.ignores_unclean


def fence(s: Partition, replica: Replica) -> None:
    """The controller considers the broker dead."""
    s.fenced = with_member(s.fenced, replica)
    if s.up[replica]:
        s.silent = without(s.silent, replica)


def void_proposal(s: Partition, leader: int) -> None:
    """Refuse a request for another ISR if the controller has changed the ISR since, even if it is again what the leader knows."""
    if issues_to(s, leader) and s.controller_isr == s.isr[leader]:  # type: ignore[arg-type]
        s.proposed_isr[leader] = EMPTY


def drop_follower(s: Partition, replica: Replica) -> None:
    """A broker that does not lead leaves the ISR, unless it is the last member."""
    if remaining_isr(s, replica) != s.controller_isr:
        if s.epoch_per_shrink == NO_SHRINK and s.controller_leader != NONE:
            record_isr(s, remaining_isr(s, replica))
            void_proposal(s, s.controller_leader)
        else:
            issue_epoch(s, s.controller_leader, remaining_isr(s, replica))


def replace_leader(s: Partition, leader: Replica, successor: Replica) -> None:
    """The successor becomes leader; a successor from outside the ISR becomes its only member."""
    if contains(s.controller_isr, successor):
        issue_epoch(s, successor, without(s.controller_isr, leader))
    else:
        issue_epoch(s, successor, only(successor))


@action("R-ELECT-1, R-ELECT-3")
def fence_follower(s: Partition, replica: Replica) -> None:
    """The controller considers a follower dead and drops it from the ISR, unless it is the last member."""
    require(seems_dead(s, replica))
    require(s.controller_leader != replica)

    fence(s, replica)
    drop_follower(s, replica)


@action("R-ELECT-1, R-ELECT-3")
def fail_over(s: Partition, leader: Replica, successor: Replica) -> None:
    """The controller considers the leader dead and elects a live member of the ISR; from KIP-966 on, else of the ELR."""
    require(s.controller_leader == leader)
    require(seems_dead(s, leader))
    require(may_succeed(s, successor, leader))

    fence(s, leader)
    replace_leader(s, leader, successor)


@action("R-ELECT-1, R-ELECT-3")
def lose_leader(s: Partition, leader: Replica) -> None:
    """The controller considers the leader dead, and no replica may succeed it: the partition is without a leader."""
    require(s.controller_leader == leader)
    require(seems_dead(s, leader))
    require(not a_member_is_live(s, s.controller_isr, leader))
    require(not a_member_is_live(s, s.eligible, leader))
    require(not elects_uncleanly(s) or not a_member_is_live(s, s.all_of(Replica), leader))

    fence(s, leader)
    issue_epoch(s, NONE, remaining_isr(s, leader))
    if s.elr:
        s.last_leader = leader


@action("R-ELECT-1, R-ELECT-3")
def elect(s: Partition, successor: Replica) -> None:
    """A partition without a leader gets one: a live member of the ISR, else of the ELR, else the last known leader."""
    require(s.controller_leader == NONE)
    require(not contains(s.fenced, successor))
    require(
        contains(s.controller_isr, successor)
        or (contains(s.eligible, successor) and not a_member_is_live(s, s.controller_isr, successor))
        or (s.controller_isr == EMPTY and s.eligible == EMPTY and s.last_leader == successor)
    )

    if contains(s.controller_isr, successor):
        issue_epoch(s, successor, s.controller_isr)
    else:
        issue_epoch(s, successor, only(successor))


@action("R-ELECT-2")
def elect_unclean(s: Partition, successor: Replica) -> None:
    """The first live replica of a partition without a leader is elected; it alone is the ISR, and what only others have is lost."""
    require(elects_uncleanly(s))
    require(s.controller_leader == NONE)
    require(not contains(s.fenced, successor))
    require(not contains(s.controller_isr, successor) and not a_member_is_live(s, s.controller_isr, successor))
    require(not contains(s.eligible, successor) and not a_member_is_live(s, s.eligible, successor))

    issue_epoch(s, successor, only(successor))
    s.eligible = EMPTY


@action("R-ELECT-1, R-ELECT-2")
def fail_over_unclean(s: Partition, leader: Replica, successor: Replica) -> None:
    """The controller considers the leader dead and, because no eligible replica is live, elects any live one in the same decision."""
    require(elects_uncleanly(s))
    require(s.controller_leader == leader)
    require(seems_dead(s, leader))
    require(successor != leader)
    require(not contains(s.fenced, successor))
    require(not a_member_is_live(s, s.controller_isr, leader))
    require(not a_member_is_live(s, s.eligible, leader))

    fence(s, leader)
    issue_epoch(s, successor, only(successor))
    s.eligible = EMPTY


@action("R-ELECT-1")
def move_leader(s: Partition, successor: Replica) -> None:
    """The controller makes another live member of the ISR leader although nothing failed, as a preferred election does."""
    require(s.leader_moves_left > 0)
    require(s.controller_leader != NONE)
    require(s.controller_leader != successor)
    require(contains(s.controller_isr, successor))
    require(not contains(s.fenced, successor))

    s.leader_moves_left -= 1
    issue_epoch(s, successor, s.controller_isr)


@action("R-META-1")
def change_controller(s: Partition) -> None:
    """Another broker becomes the controller; what its predecessor still had to send to brokers is lost."""
    require(s.controller_changes_left > 0)
    require(s.ordered_metadata)

    s.controller_changes_left -= 1
    for replica in s.each(Replica):
        lose_news(s, replica)


@action("KIP-966, KAFKA-16540")
def set_min_isr(s: Partition, change: MinIsrChange) -> None:
    """An operator gives `min.insync.replicas` another value: the controller clears the eligible replicas of the topic."""
    require(s.elr)
    require(not s.min_isr_was_set[change])

    s.min_isr_was_set[change] = 1
    s.eligible = EMPTY
    s.last_leader = NONE


@action("KIP-966, KIP-858")
def move_directory(s: Partition, move: DirectoryMove) -> None:
    """A replica moves to another log directory, and the controller notes it: in 4.1 and 4.2 it clears the eligible replicas."""
    require(s.elr)
    require(s.directory_moves_clear_elr)
    require(not s.directory_was_moved[move])

    s.directory_was_moved[move] = 1
    s.eligible = EMPTY
