"""The classic protocol at the coordinator (GroupCoordinator, GroupMetadata; from 4.0 on ClassicGroup in GroupMetadataManager)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from ..errors import ErrorCode
from .assignor import Subscription


class GroupState(Enum):
    """The states of a group (GroupState, ClassicGroupState)."""

    EMPTY = "empty"
    PREPARING_REBALANCE = "preparing a rebalance"
    COMPLETING_REBALANCE = "completing a rebalance"
    STABLE = "stable"


@dataclass(frozen=True, kw_only=True)
class JoinResponse:
    """The answer to JoinGroup; the leader gets all members."""

    error: ErrorCode = ErrorCode.NONE
    member: str = ""
    generation: int = -1
    members: Mapping[str, Subscription] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SyncResponse:
    """The answer to SyncGroup."""

    error: ErrorCode = ErrorCode.NONE
    assigned: frozenset[int] = frozenset()


@dataclass(kw_only=True)
class ClassicMember:
    """A member as the coordinator has it (MemberMetadata)."""

    subscription: Subscription
    is_new: bool = True
    respond: Callable[[JoinResponse], None] | None = None
    """Whom to answer, while it waits for others to join."""
    assigned: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class GroupRecord:
    """What the log has of a group: its last generation, and each member of it with its assignment (GroupMetadataValue)."""

    generation: int = 0
    leader: str | None = None
    members: Mapping[str, tuple[Subscription, frozenset[int]]] = field(default_factory=dict)


class ClassicGroup:
    """A group with its members, its generation and its state."""

    def __init__(self) -> None:
        self.state = GroupState.EMPTY
        self.generation = 0
        self.members: dict[str, ClassicMember] = {}
        self.leader: str | None = None
        self.has_subscribed: bool | None = None
        """Have the members of the last generation subscribed to the topic (subscribedTopics)? None before the first."""
        self.empty_generations: list[int] = []
        """Generations that began without a member."""
        self.record = GroupRecord()
        self._ids = 0

    def new_member_id(self, client_id: str) -> str:
        """An id that no member has had (generateMemberId). Simplified: a new member joins with it at once (KIP-394)."""
        self._ids += 1
        return f"{client_id}-{self._ids}"

    def join(self, member: str, subscription: Subscription, respond: Callable[[JoinResponse], None]) -> None:
        """JoinGroup of a member that is new if the group does not know it (doCurrentMemberJoinGroup, addMemberAndRebalance)."""
        known = self.members.get(member)
        if known is None:
            self.members[member] = ClassicMember(subscription=subscription, respond=respond)
            self.prepare_rebalance()
            return
        same = known.subscription == subscription
        is_follower = member != self.leader
        if (self.state is GroupState.STABLE and is_follower and same) or (
            self.state is GroupState.COMPLETING_REBALANCE and same
        ):
            respond(self._joined(member))
            return
        known.subscription, known.respond = subscription, respond
        self.prepare_rebalance()

    def _joined(self, member: str) -> JoinResponse:
        members = {name: one.subscription for name, one in self.members.items()} if member == self.leader else {}
        return JoinResponse(member=member, generation=self.generation, members=members)

    def prepare_rebalance(self) -> None:
        """All are to join again (maybePrepareRebalance)."""
        self.state = GroupState.PREPARING_REBALANCE

    def try_complete_join(self) -> bool:
        """If all have joined, there is a new generation (tryCompleteJoin, onCompleteJoin); False if not.

        The purgatory looks when who drives the group says so, and when its last member is gone.
        """
        waiting = {name: one for name, one in self.members.items() if one.respond is not None}
        if self.state is not GroupState.PREPARING_REBALANCE or len(waiting) < len(self.members):
            return False
        self.generation += 1
        self.has_subscribed = bool(self.members)
        if not self.members:
            self.state, self.leader = GroupState.EMPTY, None
            self.empty_generations.append(self.generation)
            self._write()
            return True
        self.state = GroupState.COMPLETING_REBALANCE
        if self.leader not in self.members:
            self.leader = next(iter(self.members))
        for name, one in waiting.items():
            respond, one.respond, one.is_new = one.respond, None, False
            if respond is not None:
                respond(self._joined(name))
        return True

    def sync(self, member: str, generation: int, assignment: Mapping[str, set[int]] | None) -> SyncResponse | None:
        """SyncGroup, of the leader with the assignment (doSyncGroup). None: it waits for the leader's."""
        refusal = self._refusal(member, generation)
        if refusal is not ErrorCode.NONE:
            return SyncResponse(error=refusal)
        if self.state is GroupState.PREPARING_REBALANCE:
            return SyncResponse(error=ErrorCode.REBALANCE_IN_PROGRESS)
        if self.state is GroupState.COMPLETING_REBALANCE and member == self.leader and assignment is not None:
            for name, one in self.members.items():
                one.assigned = frozenset(assignment.get(name, ()))
            self.state = GroupState.STABLE
            self._write()
        if self.state is GroupState.STABLE:
            return SyncResponse(assigned=self.members[member].assigned)
        return None

    def _write(self) -> None:
        """A generation that is stable or empty is written (storeGroup)."""
        self.record = GroupRecord(
            generation=self.generation,
            leader=self.leader,
            members={name: (one.subscription, one.assigned) for name, one in self.members.items()},
        )

    def load(self, record: GroupRecord) -> None:
        """Another coordinator reads the record. Of a rebalance since it knows nothing (loadGroup)."""
        self.record, self.generation, self.leader = record, record.generation, record.leader
        self.members = {
            name: ClassicMember(subscription=subscription, assigned=assigned, is_new=False)
            for name, (subscription, assigned) in record.members.items()
        }
        self.state = GroupState.STABLE if self.members else GroupState.EMPTY

    def _refusal(self, member: str, generation: int) -> ErrorCode:
        if member not in self.members:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.NONE if generation == self.generation else ErrorCode.ILLEGAL_GENERATION

    def heartbeat(self, member: str, generation: int) -> ErrorCode:
        """Heartbeat (handleHeartbeat)."""
        refusal = self._refusal(member, generation)
        if refusal is ErrorCode.NONE and self.state is GroupState.PREPARING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        return refusal

    def validate_commit(self, member: str, generation: int) -> ErrorCode:
        """May the member commit (validateOffsetCommit, doCommitOffsets)? Who owns a partition is not asked."""
        refusal = self._refusal(member, generation)
        if refusal is ErrorCode.NONE and self.state is GroupState.COMPLETING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        return refusal

    def expire_heartbeat(self, member: str) -> bool:
        """Nothing was heard of a member for long (onExpireHeartbeat). One that waits for others is expected to be silent, unless it
        is new (MemberMetadata.hasSatisfiedHeartbeat)."""
        known = self.members[member]
        if known.respond is not None and not known.is_new:
            return False
        self.remove(member)
        return True

    def remove(self, member: str) -> None:
        """LeaveGroup, of the member or of an operator's tool (removeMemberAndUpdateGroup)."""
        removed = self.members.pop(member)
        if removed.respond is not None:
            removed.respond(JoinResponse(error=ErrorCode.UNKNOWN_MEMBER_ID))
        self.prepare_rebalance()
        if self.leader == member:
            self.leader = next(iter(self.members), None)
        if not self.members:
            self.try_complete_join()
