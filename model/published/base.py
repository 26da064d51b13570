"""What all five published protocols share: the state of one partition, the controller, becoming leader, and writing.

Source: hachikuji/kafka-specification, module KafkaReplication; the sections named in the docstrings are its actions.
Modelled: leader election, ISR changes, replication of single records, truncation, requests delivered in any order or never.
Simplified: a request is a fact that every replica may adopt at any later time; followers copy one record per step.
Not modelled: failing brokers, lost data, producers waiting for an acknowledgement, consumers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from neverlost.model.core import (
    NONE,
    Domain,
    Index,
    State,
    SubsetOf,
    action,
    any_of,
    contains,
    only,
    optional,
    per,
    require,
    sends,
    up_to,
    view,
    without,
)


class Replica(Index, bound="replicas", prefix="r", first=1, symmetric=True):
    """A broker that hosts the partition: r1, r2, ..."""


class ReplicaSet(SubsetOf, of=Replica):
    """A set of replicas."""


class Offset(Index, bound="log_size"):
    """A position in a log."""


class RecordId(Index, bound="records"):
    """The id of a record: every record written by a client has its own."""


class Epoch(Index, bound="leader_epochs"):
    """A leader epoch: the controller issues each once, in order."""


class Partition(State):
    """One partition: what each replica holds and believes, what the controller has recorded, and the requests it has sent."""

    log_end = per(Replica, up_to(Offset))
    """The first free offset of the log (exclusive)."""
    record_id = per(Replica, Offset, optional(RecordId))
    """The record at an offset; none at and beyond the log end."""
    record_epoch = per(Replica, Offset, optional(Epoch))
    """The leader epoch that the record was written in."""
    high_watermark = per(Replica, up_to(Offset))
    """Every record below this offset counts as committed: consumers may read it, and it must never be lost."""
    leader = per(Replica, optional(Replica))
    """The leader, as the replica believes."""
    leader_epoch = per(Replica, optional(Epoch))
    """The current leader epoch, as the replica believes."""
    isr = per(Replica, any_of(ReplicaSet))
    """The in-sync replicas, as the replica believes: a leader waits for all of them before it commits a record."""
    controller_leader = optional(Replica)
    """The leader that the controller chose."""
    controller_epoch = optional(Epoch)
    """The leader epoch of the controller's last decision."""
    controller_isr = any_of(ReplicaSet)
    """The in-sync replicas as the controller recorded them: any of them may be elected leader next."""
    next_epoch = up_to(Epoch)
    """The leader epoch that the controller issues next."""
    next_record = up_to(RecordId)
    """The id of the record that is written next."""
    request_leader = per(Epoch, optional(Replica))
    """The leader in the controller's request for an epoch."""
    request_isr = per(Epoch, any_of(ReplicaSet))
    """The in-sync replicas in the controller's request for an epoch."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "controller": ("controller_leader", "controller_epoch", "controller_isr")
    }

    @view(Replica, "log_end", "record_id", "record_epoch", "next_record")
    def log(self, replica: int) -> str:
        """The replica's log: each record as id@epoch, the leader epoch that it was written in."""
        end = self.log_end[replica]
        pairs = list(zip(self.record_id[replica], self.record_epoch[replica], strict=True))
        inside = [f"{i}@{e}" for i, e in pairs[:end]]
        return (
            "[" + ", ".join(inside) + "]" + ("" if pairs[end:] == [(-1, -1)] * (len(pairs) - end) else " and rubbish")
        )

    @view("controller", "request_leader", "request_isr", "next_epoch", each=Epoch)
    def request(self, epoch: int) -> str:
        """The request that the controller sent for a leader epoch; a replica may adopt it much later, or never."""
        if self.next_epoch <= epoch:
            return ""
        leader = Domain("optional", Replica).show(self.request_leader[epoch], self.bounds)
        return f"leader {leader}, isr {ReplicaSet.show(self.request_isr[epoch], self.bounds)}"


def initial(s: Partition) -> None:
    """There is no leader, every log is empty, and the controller counts every replica as in sync."""
    s.controller_isr = s.all_of(Replica)


def presumes_leadership(s: Partition, replica: Replica) -> bool:
    """Does the replica believe that it leads? A deposed leader does not know."""
    return s.leader[replica] == replica


def is_true_leader(s: Partition, replica: Replica) -> bool:
    """Does the replica lead in the controller's own epoch?"""
    return (
        s.controller_leader == replica
        and s.leader[replica] == replica
        and s.leader_epoch[replica] == s.controller_epoch
    )


def has_offset(s: Partition, replica: Replica, offset: int) -> bool:
    """Does the replica hold a record at the offset?"""
    return offset < s.log_end[replica]


def same_record(s: Partition, one: Replica, other: Replica, offset: int) -> bool:
    """Do two replicas hold the same record at an offset, by id and epoch?"""
    return (
        s.record_id[one][offset] == s.record_id[other][offset]
        and s.record_epoch[one][offset] == s.record_epoch[other][offset]
    )


def first_mismatch(s: Partition, leader: Replica, follower: Replica) -> int:
    """The offset after the last record that two logs agree on, searched from the tail; 0 if they agree on none (KIP-279)."""
    end = 0
    for offset in s.each(Offset):
        if (
            has_offset(s, leader, offset)
            and has_offset(s, follower, offset)
            and same_record(s, leader, follower, offset)
        ):
            end = offset + 1
    return end


def send_new_epoch(s: Partition, leader: int, isr: ReplicaSet) -> None:
    """The controller decides on a leader and ISR in a new epoch, and sends it to every replica."""
    require(s.next_epoch < s.size(Epoch))

    s.controller_leader = leader
    s.controller_epoch = s.next_epoch
    s.controller_isr = isr
    s.request_leader[s.next_epoch] = leader
    s.request_isr[s.next_epoch] = isr
    s.next_epoch += 1


def update_isr(s: Partition, leader: Replica, isr: ReplicaSet) -> None:
    """The true leader changes the ISR: one atomic write at the controller, fenced by the leader epoch, without a new one."""
    require(is_true_leader(s, leader))

    s.controller_isr = isr
    s.isr[leader] = isr


def append_from_leader(s: Partition, follower: Replica, leader: Replica) -> None:
    """The follower copies the leader's record at its own log end and learns the leader's high watermark."""
    offset = s.log_end[follower]
    require(has_offset(s, leader, offset))

    s.record_id[follower][offset] = s.record_id[leader][offset]
    s.record_epoch[follower][offset] = s.record_epoch[leader][offset]
    s.log_end[follower] = offset + 1
    s.high_watermark[follower] = min(s.high_watermark[leader], offset + 1)


def truncate(s: Partition, replica: Replica, end: int) -> None:
    """Cut a log so that it ends at `end`; the high watermark is never beyond the log."""
    for offset in s.each(Offset):
        if offset >= end:
            s.record_id[replica][offset] = NONE
            s.record_epoch[replica][offset] = NONE
    s.log_end[replica] = end
    s.high_watermark[replica] = min(s.high_watermark[replica], end)


def adopt(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A replica adopts epoch, leader and ISR from the controller's request."""
    s.leader[replica] = s.request_leader[epoch]
    s.leader_epoch[replica] = epoch
    s.isr[replica] = s.request_isr[epoch]


@action("KafkaReplication, ControllerElectLeader")
def controller_elect_leader(s: Partition, replica: Replica) -> None:
    """The controller makes another member of the ISR leader, in a new epoch; the old leader may be alive and well."""
    require(contains(s.controller_isr, replica))
    require(s.controller_leader != replica)

    send_new_epoch(s, replica, s.controller_isr)


@action("KafkaReplication, ControllerShrinkIsr")
def controller_shrink_isr(s: Partition, replica: Replica) -> None:
    """The controller considers a replica dead: it drops it from the ISR, and as leader; the last member stays in the ISR."""
    require(contains(s.controller_isr, replica))

    if s.controller_leader != replica:
        send_new_epoch(s, s.controller_leader, without(s.controller_isr, replica))
    elif s.controller_isr == only(replica):
        send_new_epoch(s, NONE, s.controller_isr)
    else:
        send_new_epoch(s, NONE, without(s.controller_isr, replica))


@action("KafkaReplication, BecomeLeader", sends("controller", "replica", "lead in epoch {epoch}"))
def become_leader(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A replica learns that it leads in a newer epoch. Its log stays as it is, and so does its own, perhaps stale, high watermark."""
    require(s.request_leader[epoch] == replica)
    require(epoch > s.leader_epoch[replica])

    adopt(s, replica, epoch)


@action("KafkaReplication, LeaderWrite")
def leader_write(s: Partition, replica: Replica) -> None:
    """A presumed leader appends the next record with its own epoch, even if it is deposed."""
    require(presumes_leadership(s, replica))
    require(s.next_record < s.size(RecordId))
    offset = s.log_end[replica]
    require(offset < s.size(Offset))

    s.record_id[replica][offset] = s.next_record
    s.record_epoch[replica][offset] = s.leader_epoch[replica]
    s.log_end[replica] = offset + 1
    s.next_record += 1
