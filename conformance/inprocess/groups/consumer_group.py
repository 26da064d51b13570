"""The new protocol at the coordinator (KIP-848: GroupMetadataManager, ConsumerGroup, CurrentAssignmentBuilder)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from ..errors import ErrorCode
from .assignor import Assignment, round_robin
from .release import Release


class MemberState(Enum):
    """The states of a member (MemberState)."""

    STABLE = "stable"
    UNREVOKED_PARTITIONS = "has yet to give partitions up"
    UNRELEASED_PARTITIONS = "waits for partitions of others"


@dataclass(frozen=True, kw_only=True)
class HeartbeatResponse:
    """The answer to ConsumerGroupHeartbeat; an assignment only if it has changed, or if the request said everything."""

    error: ErrorCode = ErrorCode.NONE
    epoch: int = 0
    assigned: frozenset[int] | None = None


@dataclass(kw_only=True)
class ConsumerGroupMember:
    """A member as the coordinator has it. Each partition comes with the epoch in which it was assigned."""

    epoch: int = 0
    state: MemberState = MemberState.STABLE
    assigned: dict[int, int] = field(default_factory=dict)
    pending_revocation: dict[int, int] = field(default_factory=dict)

    def has(self, partition: int) -> bool:
        """Is the partition the member's, perhaps until it has given it up (ConsumerGroup.currentPartitionEpoch)?"""
        return partition in self.assigned or partition in self.pending_revocation


class ConsumerGroup:
    """A group with its epoch, its target assignment and its members."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self.epoch = 0
        self.members: dict[str, ConsumerGroupMember] = {}
        self._partitions: tuple[int, ...] = ()
        self._target: Assignment = {}
        self._target_epoch = 0

    def metadata_changed(self, partitions: Iterable[int]) -> None:
        """The topic has other partitions, and the group a new epoch (onNewMetadataImage, updateSubscriptionMetadata)."""
        self._partitions = tuple(partitions)
        self.epoch += 1

    def heartbeat(self, name: str, epoch: int, owned: frozenset[int] | None) -> HeartbeatResponse:
        """ConsumerGroupHeartbeat: with epoch 0 a member joins. `owned` is None if it has not changed (consumerGroupHeartbeat)."""
        joins = epoch == 0
        if joins and name in self.members:
            known = self.members[name]
            return HeartbeatResponse(epoch=known.epoch, assigned=frozenset(known.assigned))
        if joins:
            self.members[name] = ConsumerGroupMember()
            self.epoch += 1
        refusal = self._refusal(name, epoch, owned)
        if refusal is not ErrorCode.NONE:
            return HeartbeatResponse(error=refusal)
        if self.epoch > self._target_epoch:
            self._target, self._target_epoch = round_robin(self._partitions, self.members), self.epoch
        member = self.members[name]
        before = dict(member.assigned)
        if joins and not self._release.assigns_when_joining:
            member.epoch, member.state = self.epoch, MemberState.UNRELEASED_PARTITIONS
        else:
            self._reconcile(name, member, owned)
        tells = joins or owned is not None or member.assigned != before
        return HeartbeatResponse(epoch=member.epoch, assigned=frozenset(member.assigned) if tells else None)

    def _refusal(self, name: str, epoch: int, owned: frozenset[int] | None) -> ErrorCode:
        """Is the request of a member in its epoch (throwIfConsumerGroupMemberEpochIsInvalid)?"""
        if name not in self.members:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if epoch > self.members[name].epoch:
            return ErrorCode.FENCED_MEMBER_EPOCH
        return ErrorCode.NONE

    def _reconcile(self, name: str, member: ConsumerGroupMember, owned: frozenset[int] | None) -> None:
        """The member's next assignment (CurrentAssignmentBuilder.build)."""
        epoch = member.epoch
        if member.state is MemberState.STABLE and member.epoch == self._target_epoch:
            return
        if member.state is MemberState.UNREVOKED_PARTITIONS:
            if owned is None or not owned.isdisjoint(member.pending_revocation):
                return
            epoch += self._release.raises_epoch_while_revoking
        self._compute_next(name, member, epoch, owned)

    def _compute_next(self, name: str, member: ConsumerGroupMember, epoch: int, owned: frozenset[int] | None) -> None:
        """What the member keeps, gives up and gets (computeNextAssignment)."""
        target = self._target.get(name, set())
        kept = {partition: since for partition, since in member.assigned.items() if partition in target}
        revoked = {partition: since for partition, since in member.assigned.items() if partition not in target}
        wanted = target - set(kept)
        free = {partition for partition in wanted if self._is_free(name, partition)}
        if revoked and (owned is None or not owned.isdisjoint(revoked)):
            member.state, member.epoch = MemberState.UNREVOKED_PARTITIONS, epoch
            member.assigned, member.pending_revocation = kept, revoked
            return
        member.state = MemberState.UNRELEASED_PARTITIONS if wanted - free else MemberState.STABLE
        member.epoch = self._target_epoch
        member.assigned = {**kept, **dict.fromkeys(free, self._target_epoch)}
        member.pending_revocation = {}

    def _is_free(self, name: str, partition: int) -> bool:
        """Has no other member the partition? What the member itself has given up is free for it."""
        return not any(member.has(partition) for other, member in self.members.items() if other != name)

    def validate_commit(self, name: str, epoch: int, partition: int) -> ErrorCode:
        """May the member commit (ConsumerGroup.validateOffsetCommit, createAssignmentEpochValidator)?

        A request without an epoch may come from a tool, which commits for a group without members.
        """
        if epoch < 0 and not self.members:
            return ErrorCode.NONE
        member = self.members.get(name)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if epoch == member.epoch:
            return ErrorCode.NONE
        since = {**member.pending_revocation, **member.assigned}.get(partition)
        if self._release.epoch_of_partition and since is not None and since <= epoch < member.epoch:
            return ErrorCode.NONE
        return ErrorCode.STALE_MEMBER_EPOCH

    def remove(self, name: str) -> None:
        """A member leaves, or its session has expired (consumerGroupFenceMember)."""
        del self.members[name]
        self.epoch += 1
