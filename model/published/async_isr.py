"""ISR changes in flight: the leader asks, the controller answers, and both may be out of date.

Source: hachikuji/kafka-specification, module AsyncIsr, which is unbounded; the bounds `log_size` (the largest offset of the leader) and
`versions` (how many versions the controller may issue, the first included) make it finite.
Modelled: offsets, the two ISRs and their versions, requests and updates that may arrive late. Not modelled: records, leader changes.
"""

from __future__ import annotations

from neverlost.model.core import (
    EMPTY,
    NONE,
    Index,
    State,
    SubsetOf,
    action,
    any_of,
    contains,
    flag,
    optional,
    per,
    require,
    sends,
    up_to,
    with_member,
    without,
)

LEADER = 0
"""r1 leads throughout; the other replicas are alike."""


class Replica(Index, bound="replicas", prefix="r", first=1, symmetric=True, distinguished=1):
    """A broker that hosts the partition; r1 leads."""


class ReplicaSet(SubsetOf, of=Replica):
    """A set of replicas."""


class Offset(Index, bound="log_size"):
    """A position in a log."""


class Version(Index, bound="versions"):
    """A version of the ISR, issued by the controller, counted from 0."""


class AsyncIsr(State):
    """The state of the controller and the leader, and the messages between them."""

    controller_isr = any_of(ReplicaSet)
    controller_version = any_of(Version)
    leader_isr = any_of(ReplicaSet)
    leader_version = any_of(Version)
    pending_isr = any_of(ReplicaSet)
    pending_version = optional(Version)
    log_end = per(Replica, up_to(Offset))
    requested = per(Version, ReplicaSet, flag())
    update_isr = per(Version, any_of(ReplicaSet))


def initial(s: AsyncIsr) -> None:
    """Controller and leader agree that every replica is in sync; the logs are empty."""
    s.controller_isr = s.all_of(Replica)
    s.leader_isr = s.all_of(Replica)


def in_maximal_isr(s: AsyncIsr, replica: Replica) -> bool:
    """Is the replica in the leader's ISR, or in a change of it that is in flight?"""
    return contains(s.leader_isr, replica) or contains(s.pending_isr, replica)


def high_watermark(s: AsyncIsr) -> int:
    """The smallest log end over the maximal ISR."""
    smallest = s.log_end[LEADER]
    for replica in s.each(Replica):
        if in_maximal_isr(s, replica):
            smallest = min(smallest, s.log_end[replica])
    return smallest


def decide(s: AsyncIsr, isr: ReplicaSet) -> None:
    """The controller issues an ISR under the next version and sends it to the leader."""
    version = s.controller_version + 1
    require(version < s.size(Version))

    s.controller_isr = isr
    s.controller_version = version
    s.update_isr[version] = isr


def ask(s: AsyncIsr, isr: ReplicaSet) -> None:
    """The leader asks for an ISR, and counts its members as in sync from now on."""
    s.requested[s.leader_version][isr] = True
    for replica in s.each(Replica):
        if contains(isr, replica):
            s.pending_isr = with_member(s.pending_isr, replica)
    s.pending_version = s.leader_version


@action("AsyncIsr, ControllerShrinkIsr", sends("controller", "r1", "{replica} out of the ISR"))
def controller_shrink_isr(s: AsyncIsr, replica: Replica) -> None:
    """The controller considers a follower dead and drops it from the ISR."""
    require(replica != LEADER)
    require(contains(s.controller_isr, replica))

    decide(s, without(s.controller_isr, replica))


@action("AsyncIsr, ControllerHandleRequest", sends("controller", "r1", "ISR {isr}"))
def controller_handle_request(s: AsyncIsr, isr: ReplicaSet) -> None:
    """The controller grants a request that was made under its current version."""
    require(s.requested[s.controller_version][isr])

    decide(s, isr)


@action("AsyncIsr, LeaderRequestShrinkIsr", sends("r1", "controller", "{replica} out of the ISR"))
def leader_request_shrink_isr(s: AsyncIsr, replica: Replica) -> None:
    """The leader asks to drop a follower."""
    require(replica != LEADER)
    require(contains(s.leader_isr, replica))

    ask(s, without(s.leader_isr, replica))


@action("AsyncIsr, LeaderRequestExpandIsr", sends("r1", "controller", "{replica} into the ISR"))
def leader_request_expand_isr(s: AsyncIsr, replica: Replica) -> None:
    """The leader asks to add a follower that has reached the high watermark."""
    require(not contains(s.leader_isr, replica))
    require(s.log_end[replica] >= high_watermark(s))

    ask(s, with_member(s.leader_isr, replica))


@action("AsyncIsr, LeaderWrite")
def leader_write(s: AsyncIsr) -> None:
    """The leader appends one record."""
    require(s.log_end[LEADER] < s.size(Offset))

    s.log_end[LEADER] += 1


@action("AsyncIsr, LeaderHandleUpdate", sends("controller", "r1", "ISR of version {version}"))
def leader_handle_update(s: AsyncIsr, version: Version) -> None:
    """The leader adopts a newer ISR; it has no change of its own in flight any more."""
    require(version > s.leader_version)
    require(version <= s.controller_version)

    s.leader_isr = s.update_isr[version]
    s.leader_version = version
    s.pending_isr = EMPTY
    s.pending_version = NONE


@action("AsyncIsr, FollowerReplicate", sends("r1", "replica", "the next record"))
def follower_replicate(s: AsyncIsr, replica: Replica) -> None:
    """A follower copies one record."""
    require(s.log_end[replica] < s.log_end[LEADER])

    s.log_end[replica] += 1
