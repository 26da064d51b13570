"""The five published replication protocols as profiles, each a delta over the one before, with the properties that they claim.

Source: hachikuji/kafka-specification; the invariants are those of module KafkaReplication.
"""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Profile, Story, always, contains, is_subset, sometimes
from neverlost.model.published import before_fencing, kip_320, kip_320_first_try
from neverlost.model.published.base import (
    Epoch,
    Offset,
    Partition,
    RecordId,
    Replica,
    ReplicaSet,
    become_leader,
    controller_elect_leader,
    controller_shrink_isr,
    has_offset,
    initial,
    leader_write,
    presumes_leadership,
    same_record,
)

from .lemmas import LEMMAS
from .picture import PARTITION


def holds_what_is_exposed(s: Partition, leader: Replica, replica: Replica) -> bool:
    """Does the replica hold every record below the leader's high watermark, as the leader does?"""
    for offset in s.each(Offset):
        if offset < s.high_watermark[leader]:
            if not has_offset(s, leader, offset) or not has_offset(s, replica, offset):
                return False
            if not same_record(s, leader, replica, offset):
                return False
    return True


def all_hold_what_is_exposed(s: Partition, leader: Replica, members: ReplicaSet) -> bool:
    """Does every member hold every record below the leader's high watermark, as the leader does?"""
    for replica in s.each(Replica):
        if contains(members, replica) and not holds_what_is_exposed(s, leader, replica):
            return False
    return True


def log_well_formed(s: Partition, replica: Replica) -> bool:
    """Is every slot below the log end a record, and every other slot empty?"""
    for offset in s.each(Offset):
        inside = has_offset(s, replica, offset)
        if (s.record_id[replica][offset] >= 0) != inside or (s.record_epoch[replica][offset] >= 0) != inside:
            return False
    return True


@always("Every variable stays within its type: logs without holes, high watermarks, epochs and ISRs in range.")
def type_ok(s: Partition) -> bool:
    for replica in s.each(Replica):
        if not log_well_formed(s, replica):
            return False
        if not 0 <= s.high_watermark[replica] <= s.size(Offset) or not 0 <= s.log_end[replica] <= s.size(Offset):
            return False
        if not -1 <= s.leader_epoch[replica] < s.size(Epoch) or not -1 <= s.leader[replica] < s.size(Replica):
            return False
        if not is_subset(s.isr[replica], s.all_of(Replica)):
            return False
    for epoch in s.each(Epoch):
        if not -1 <= s.request_leader[epoch] < s.size(Replica) or not is_subset(
            s.request_isr[epoch], s.all_of(Replica)
        ):
            return False
    return (
        0 <= s.next_epoch <= s.size(Epoch)
        and 0 <= s.next_record <= s.size(RecordId)
        and -1 <= s.controller_leader < s.size(Replica)
        and -1 <= s.controller_epoch < s.size(Epoch)
        and is_subset(s.controller_isr, s.all_of(Replica))
    )


def _record(state: Partition, replica: int, offset: int) -> str:
    return f"{state.record_id[replica][offset]}@{state.record_epoch[replica][offset]}"


def _missing(state: Partition, isr_of: str) -> tuple[Replica, Replica, int] | None:
    """(presumed leader, member of an ISR, offset): the first record below the leader's high watermark that the member lacks."""
    for leader in state.each(Replica):
        members = state.controller_isr if isr_of == "controller" else state.isr[leader]
        for member in state.each(Replica):
            if not presumes_leadership(state, leader) or not contains(members, member):
                continue
            for offset in range(state.high_watermark[leader]):
                held = offset < state.log_end[leader] and offset < state.log_end[member]
                if not held or not same_record(state, leader, member, offset):
                    return leader, member, offset
    return None


def _loss(isr_of: str) -> Story:
    """The story of a committed record that a member of an ISR does not have."""

    def story(states: Sequence[Partition]) -> str:
        last = states[-1]
        found = _missing(last, isr_of)
        if found is None:
            return ""
        leader, member, offset = found
        step = next(
            i for i, s in enumerate(states) if s.high_watermark[leader] > offset and presumes_leadership(s, leader)
        )
        leader_name, member_name = (Replica.show(replica, last.bounds) for replica in (leader, member))
        who, record = "the leader itself" if member == leader else "", f"The record at offset {offset}"
        if not who:
            who = (
                "a member of the controller's ISR" if isr_of == "controller" else f"a member of {leader_name}'s own ISR"
            )
        if offset < states[step].log_end[leader]:
            identity, epoch = states[step].record_id[leader][offset], states[step].record_epoch[leader][offset]
            record = f"Record {_record(states[step], leader, offset)} (id {identity}, written in leader epoch {epoch})"
        held = f"record {_record(last, member, offset)} instead" if offset < last.log_end[member] else "nothing"
        loss = (
            f": if {member_name} is elected leader, the record is lost" if contains(last.controller_isr, member) else ""
        )
        return (
            f"{record} was committed: at step {step} leader {leader_name} moved its high watermark past it."
            f" At step {len(states) - 1} {member_name}, {who}, has {held} at offset {offset}{loss}."
        )

    return story


@always(
    "Every member of a presumed leader's own ISR has every record below that leader's high watermark.",
    story=_loss("leader"),
)
def weak_isr(s: Partition) -> bool:
    for leader in s.each(Replica):
        if presumes_leadership(s, leader) and not all_hold_what_is_exposed(s, leader, s.isr[leader]):
            return False
    return True


@always(
    "Every member of the controller's ISR has every record below any presumed leader's high watermark.",
    story=_loss("controller"),
)
def strong_isr(s: Partition) -> bool:
    for leader in s.each(Replica):
        if presumes_leadership(s, leader) and not all_hold_what_is_exposed(s, leader, s.controller_isr):
            return False
    return True


@always("There is no leader, or the leader is in the ISR.")
def leader_in_isr(s: Partition) -> bool:
    return s.controller_leader < 0 or contains(s.controller_isr, s.controller_leader)


@always("The leader is in the ISR, word for word as published: false whenever there is no leader, so at the start.")
def leader_in_isr_as_published(s: Partition) -> bool:
    return s.controller_leader >= 0 and contains(s.controller_isr, s.controller_leader)


@sometimes("A record is committed: a presumed leader has moved its high watermark past it.")
def a_record_is_committed(s: Partition) -> bool:
    for replica in s.each(Replica):
        if presumes_leadership(s, replica) and s.high_watermark[replica] > 0:
            return True
    return False


@sometimes("Two replicas presume to lead at once: one of them is deposed and does not know.")
def a_deposed_leader_goes_on(s: Partition) -> bool:
    for one in s.each(Replica):
        for other in s.each(Replica):
            if one != other and presumes_leadership(s, one) and presumes_leadership(s, other):
                return True
    return False


TRUNCATE_TO_HIGH_WATERMARK = Profile(
    name="published/truncate-to-high-watermark",
    family="published",
    statement="Before KIP-101: a new follower cuts its log to its own high watermark.",
    state=Partition,
    initial=initial,
    actions=(
        controller_elect_leader,
        controller_shrink_isr,
        become_leader,
        leader_write,
        before_fencing.leader_shrink_isr,
        before_fencing.leader_expand_isr,
        before_fencing.leader_advance_high_watermark,
        before_fencing.follower_replicate,
        before_fencing.become_follower_truncate_to_high_watermark,
    ),
    properties=(type_ok, weak_isr, strong_isr, leader_in_isr, a_record_is_committed),
    probes=(leader_in_isr_as_published, a_deposed_leader_goes_on),
    picture=PARTITION,
    default_bounds={"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 2},
)

KIP_101 = TRUNCATE_TO_HIGH_WATERMARK.replacing(
    "published/kip-101",
    "KIP-101: a new follower cuts its log where the leader's log leaves the follower's last epoch.",
    become_follower_truncate_to_high_watermark=before_fencing.become_follower_truncate_kip_101,
)

KIP_279 = KIP_101.replacing(
    "published/kip-279",
    "KIP-279: a new follower cuts its log after the last record that it and the leader agree on.",
    become_follower_truncate_kip_101=before_fencing.become_follower_truncate_kip_279,
)

KIP_320_FIRST_TRY = KIP_279.replacing(
    "published/kip-320-first-try",
    "KIP-320 as first proposed: the epochs of records are compared, and divergence is found while fetching.",
    leader_shrink_isr=kip_320_first_try.leader_shrink_isr_better_fencing,
    leader_expand_isr=kip_320_first_try.leader_expand_isr_better_fencing,
    leader_advance_high_watermark=kip_320_first_try.improved_leader_advance_high_watermark,
    follower_replicate=kip_320_first_try.follower_fetch,
    become_follower_truncate_kip_279=kip_320_first_try.become_follower,
).adding(kip_320_first_try.follower_truncate)

KIP_320 = KIP_279.replacing(
    "published/kip-320",
    "KIP-320: leader and follower exchange nothing unless they are in the same leader epoch.",
    leader_shrink_isr=kip_320.fenced_leader_shrink_isr,
    leader_expand_isr=kip_320.fenced_leader_expand_isr,
    leader_advance_high_watermark=kip_320.fenced_leader_advance_high_watermark,
    follower_replicate=kip_320.fenced_follower_fetch,
    become_follower_truncate_kip_279=kip_320.fenced_become_follower_and_truncate,
    lemmas=LEMMAS,
)
