"""Why KIP-320 keeps what is committed: lemmas that hold in every reachable state and that every action preserves together.

Two of them carry the proof. A presumed leader can move its high watermark only while its ISR covers whoever may lead after it
(fencing); and a record below a high watermark was committed in some epoch, and from then on whoever may lead has it (commitment).
The others say what requests, epochs and logs are, so that these two follow. None says that record ids are unique.
"""

from __future__ import annotations

from neverlost.model.core import EMPTY, contains, is_subset, lemma
from neverlost.model.published.base import (
    Epoch,
    Offset,
    Partition,
    Replica,
    ReplicaSet,
    has_offset,
    is_true_leader,
    presumes_leadership,
    same_record,
)
from neverlost.model.published.kip_320 import follows_in_epoch


@lemma("The controller writes a request for an epoch only as it issues the epoch, and issues epochs in order.")
def no_request_for_an_epoch_not_issued(s: Partition, epoch: Epoch) -> bool:
    """An epoch that is not issued yet has no request: neither leader nor ISR."""
    return epoch < s.next_epoch or (s.request_leader[epoch] < 0 and is_subset(s.request_isr[epoch], EMPTY))


@lemma("Each decision of the controller takes the next epoch, and nothing else changes the controller's epoch.")
def controller_is_in_the_last_epoch_issued(s: Partition) -> bool:
    """The controller's epoch is the last one issued."""
    return s.controller_epoch == s.next_epoch - 1


@lemma("A decision on a leader is sent as a request in the same step; changes of the ISR leave the leader as it is.")
def last_request_names_the_controllers_leader(s: Partition) -> bool:
    """The request of the controller's epoch names the leader that the controller chose; before any, there is none."""
    if s.controller_epoch < 0:
        return s.controller_leader < 0
    return s.request_leader[s.controller_epoch] == s.controller_leader


@lemma(
    "The controller sends leader and ISR of its own decision, in which the leader is in the ISR; requests never change."
)
def requested_leader_is_in_the_requested_isr(s: Partition, epoch: Epoch) -> bool:
    """The leader in a request is in the ISR of that request."""
    return s.request_leader[epoch] < 0 or contains(s.request_isr[epoch], s.request_leader[epoch])


@lemma(
    "Without a new epoch only the true leader changes the controller's ISR, and it is no leader before it is in the epoch."
)
def isr_stays_as_requested_until_the_leader_is_in_its_epoch(s: Partition) -> bool:
    """Until the controller's leader is in the controller's epoch, the controller's ISR is the one it requested."""
    if s.controller_epoch < 0:
        return True
    if s.controller_leader >= 0 and s.leader_epoch[s.controller_leader] == s.controller_epoch:
        return True
    return s.controller_isr == s.request_isr[s.controller_epoch]


@lemma("Leader and epoch are adopted together; to write or to fetch, a replica has to have a leader.")
def replica_without_epoch_is_blank(s: Partition, replica: Replica) -> bool:
    """A replica that is in no epoch yet has no leader and an empty log."""
    return s.leader_epoch[replica] >= 0 or (s.leader[replica] < 0 and s.log_end[replica] == 0)


@lemma("Leader and epoch are adopted together from one request, one that names a leader, and requests never change.")
def replica_obeys_the_request_of_its_epoch(s: Partition, replica: Replica) -> bool:
    """A replica in an epoch obeys a leader: the one that the request of the epoch names."""
    epoch = s.leader_epoch[replica]
    return epoch < 0 or (s.leader[replica] >= 0 and s.leader[replica] == s.request_leader[epoch])


@lemma(
    "To follow a leader into an epoch, a replica has to find it in that epoch, and no replica goes back to an older one."
)
def leader_enters_its_epoch_first(s: Partition, leader: Replica, follower: Replica) -> bool:
    """Nobody is in an epoch under a leader that has not reached the epoch."""
    return s.leader[follower] != leader or s.leader_epoch[leader] >= s.leader_epoch[follower]


@lemma(
    "A leader that enters the controller's epoch finds the ISR as requested; from then on only it changes the controller's ISR"
    " within the epoch, and its own in the same step."
)
def true_leader_has_the_controllers_isr(s: Partition, leader: Replica) -> bool:
    """The ISR of the true leader is the controller's."""
    return not is_true_leader(s, leader) or s.isr[leader] == s.controller_isr


@lemma(
    "The leader in a request is in the requested ISR, and no leader drops itself. So a high watermark moves only where a leader"
    " still presumes to lead: that is asked of the members of the ISR, and the leader is one of them."
)
def believed_leader_is_in_the_isr(s: Partition, replica: Replica) -> bool:
    """The ISR that a replica knows contains the leader that it believes in."""
    return s.leader[replica] < 0 or contains(s.isr[replica], s.leader[replica])


def some_member_is_beyond(s: Partition, members: ReplicaSet, epoch: int) -> bool:
    """Is a member of the set already in a later epoch?"""
    for replica in s.each(Replica):
        if contains(members, replica) and s.leader_epoch[replica] > epoch:
            return True
    return False


@lemma(
    "A request is sent with at most the controller's ISR, which is that of the request before it unless the leader in that request"
    " has changed it: then this leader is in a later epoch, and it was in the deposed leader's ISR. From then on the deposed leader"
    " never again finds its whole ISR in its own epoch, so its high watermark stays where it is."
)
def presumed_leader_covers_later_requests_or_is_fenced(s: Partition, leader: Replica, later: Epoch) -> bool:
    """The ISR of a presumed leader covers that of each later request, or some member of it is already in a later epoch."""
    return (
        not presumes_leadership(s, leader)
        or later <= s.leader_epoch[leader]
        or some_member_is_beyond(s, s.isr[leader], s.leader_epoch[leader])
        or is_subset(s.request_isr[later], s.isr[leader])
    )


def is_awaited(s: Partition, epoch: int) -> bool:
    """Has the leader that the request of the epoch names not reached the epoch yet?"""
    leader = s.request_leader[epoch]
    return leader >= 0 and s.leader_epoch[leader] < epoch


@lemma(
    "Likewise: the controller by itself only shrinks the ISR; it grows through a leader in a later epoch, and the first of those"
    " was in the requested ISR."
)
def awaited_leader_covers_later_requests_or_is_fenced(s: Partition, epoch: Epoch, later: Epoch) -> bool:
    """The same for later requests: the ISR of a request that its leader has not adopted covers theirs, or a member is beyond."""
    return (
        not is_awaited(s, epoch)
        or later <= epoch
        or some_member_is_beyond(s, s.request_isr[epoch], epoch)
        or is_subset(s.request_isr[later], s.request_isr[epoch])
    )


@lemma(
    "Only the leader of an epoch writes records of it, while it is in the epoch; it never goes back to an older one."
)
def leader_reached_the_epoch_of_each_record(s: Partition, replica: Replica, offset: Offset) -> bool:
    """A record of an epoch exists only once the leader of that epoch is in it."""
    if not has_offset(s, replica, offset) or s.record_epoch[replica][offset] < 0:
        return True
    leader = s.request_leader[s.record_epoch[replica][offset]]
    return leader >= 0 and s.leader_epoch[leader] >= s.record_epoch[replica][offset]


@lemma("Only the leader of an epoch writes records of it, and it cuts its log only when it leaves the epoch.")
def leader_has_every_record_of_its_epoch(s: Partition, leader: Replica, replica: Replica, offset: Offset) -> bool:
    """While a replica leads an epoch, each record of that epoch in any log is in its own, at the same offset."""
    return (
        not presumes_leadership(s, leader)
        or not has_offset(s, replica, offset)
        or s.record_epoch[replica][offset] != s.leader_epoch[leader]
        or (has_offset(s, leader, offset) and same_record(s, leader, replica, offset))
    )


@lemma(
    "A new record is the only one of its epoch at its offset, for the leader has all of them; a copied one lies on a prefix of the"
    " log that it comes from."
)
def logs_match(s: Partition, one: Replica, other: Replica, earlier: Offset, later: Offset) -> bool:
    """Two logs with records of the same epoch at an offset are the same up to there, that record included."""
    return (
        earlier > later
        or not has_offset(s, one, later)
        or not has_offset(s, other, later)
        or s.record_epoch[one][later] != s.record_epoch[other][later]
        or same_record(s, one, other, earlier)
    )


@lemma(
    "A follower enters the epoch with what it shares with the leader and copies the next record each time; the leader's log only"
    " grows while it leads."
)
def follower_has_a_prefix_of_its_leaders_log(s: Partition, leader: Replica, follower: Replica, offset: Offset) -> bool:
    """A follower in its leader's epoch has a prefix of the leader's log."""
    return (
        not follows_in_epoch(s, leader, follower)
        or not has_offset(s, follower, offset)
        or (has_offset(s, leader, offset) and same_record(s, leader, follower, offset))
    )


@lemma(
    "A follower enters the epoch without records of it, and learns the high watermark from the leader, whose own never falls"
    " while it leads."
)
def follower_exposes_records_of_its_epoch_after_the_leader(
    s: Partition, leader: Replica, follower: Replica, offset: Offset
) -> bool:
    """A follower's high watermark covers a record of the epoch it is in only if its leader's does."""
    return (
        not follows_in_epoch(s, leader, follower)
        or offset >= s.high_watermark[follower]
        or s.record_epoch[follower][offset] != s.leader_epoch[follower]
        or offset < s.high_watermark[leader]
    )


def has_kept(s: Partition, member: Replica, replica: Replica, offset: int, epoch: int) -> bool:
    """Is the member in the epoch or a later one, and does it hold the replica's record?"""
    return s.leader_epoch[member] >= epoch and has_offset(s, member, offset) and same_record(s, replica, member, offset)


def all_have_kept(s: Partition, members: ReplicaSet, replica: Replica, offset: int, epoch: int) -> bool:
    """Is every member in the epoch or a later one, and does it hold the replica's record?"""
    for member in s.each(Replica):
        if contains(members, member) and not has_kept(s, member, replica, offset, epoch):
            return False
    return True


def was_committed_in(s: Partition, replica: Replica, offset: int, epoch: Epoch) -> bool:
    """May the replica's record have been committed in the epoch: do all that may lead from then on hold it for good?"""
    if not s.record_epoch[replica][offset] <= epoch <= s.leader_epoch[replica]:
        return False
    leader = s.request_leader[epoch]
    if leader < 0 or not has_kept(s, leader, replica, offset, epoch):
        return False
    if not all_have_kept(s, s.controller_isr, replica, offset, epoch):
        return False
    for later in s.each(Epoch):
        if later > epoch and not all_have_kept(s, s.request_isr[later], replica, offset, epoch):
            return False
    for other in s.each(Replica):
        if presumes_leadership(s, other) and s.leader_epoch[other] >= epoch:
            if not all_have_kept(s, s.isr[other], replica, offset, epoch):
                return False
    return True


@lemma(
    "A leader commits a record when its whole ISR is in its epoch and holds it; not being fenced, that ISR covers whoever may lead"
    " later. Who follows these cuts nothing that they hold, and who joins the ISR holds all that was committed before it."
)
def exposed_record_was_committed_in_some_epoch(s: Partition, replica: Replica, offset: Offset) -> bool:
    """For each record below a high watermark there is an epoch in which it was committed, so that none of these is without it.

    In that epoch or a later one, and holding the record, are: the leader that the request of the epoch names, all of the
    controller's ISR, the ISR of every later request, and the ISR of every presumed leader in that epoch or a later one.
    """
    if offset >= s.high_watermark[replica]:
        return True
    for epoch in s.each(Epoch):
        if was_committed_in(s, replica, offset, epoch):
            return True
    return False


LEMMAS = (
    no_request_for_an_epoch_not_issued,
    controller_is_in_the_last_epoch_issued,
    last_request_names_the_controllers_leader,
    requested_leader_is_in_the_requested_isr,
    isr_stays_as_requested_until_the_leader_is_in_its_epoch,
    replica_without_epoch_is_blank,
    replica_obeys_the_request_of_its_epoch,
    leader_enters_its_epoch_first,
    true_leader_has_the_controllers_isr,
    believed_leader_is_in_the_isr,
    presumed_leader_covers_later_requests_or_is_fenced,
    awaited_leader_covers_later_requests_or_is_fenced,
    leader_reached_the_epoch_of_each_record,
    leader_has_every_record_of_its_epoch,
    logs_match,
    follower_has_a_prefix_of_its_leaders_log,
    follower_exposes_records_of_its_epoch_after_the_leader,
    exposed_record_was_committed_in_some_epoch,
)
"""The controller, replicas and requests, fencing, logs, commitment: what a lemma rests on mostly stands above it."""
