"""The coordinator of consumer groups: who reads what, and how far (R-CONS-1). Offsets are records of an internal topic.

Simplified: the coordinator itself assigns partitions, by ranges, as soon as a member joins or leaves; the other members learn
that the generation is over at their next request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .delayed_produce import Responses
from .errors import BrokerError, ErrorCode
from .log import Record
from .messages import ACKS_ALL, ProduceRequest
from .protocol import TopicPartition
from .replica_manager import ReplicaManager
from .timing_wheel import TimerTask

COMMIT_TIMEOUT_MS = 5_000


@dataclass(frozen=True, kw_only=True)
class JoinGroup:
    """A consumer wants a part of the partitions; without a member id it is new."""

    group: str
    member: str | None
    partitions: tuple[TopicPartition, ...]
    session_timeout_ms: int = 10_000


@dataclass(frozen=True, kw_only=True)
class Joined:
    """The member's id, the generation of the group, and the member's partitions in it."""

    error: ErrorCode = ErrorCode.NONE
    member: str = ""
    generation: int = -1
    assigned: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Heartbeat:
    """A member is live; it may also say that it leaves."""

    group: str
    member: str
    generation: int
    leaves: bool = False


@dataclass(frozen=True, kw_only=True)
class OffsetCommit:
    """A consumer has read up to these offsets; without a member it belongs to no generation."""

    group: str
    offsets: Mapping[TopicPartition, int]
    member: str | None = None
    generation: int = -1


@dataclass(frozen=True, kw_only=True)
class OffsetFetch:
    """A request for the committed offsets of these partitions."""

    group: str
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, kw_only=True)
class Offsets:
    """Committed offsets; a partition without one is left out."""

    offsets: Mapping[TopicPartition, int]
    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, kw_only=True)
class GroupAnswer:
    """The outcome of a heartbeat or a commit."""

    error: ErrorCode = ErrorCode.NONE


@dataclass
class _Group:
    generation: int = 0
    partitions: tuple[TopicPartition, ...] = ()
    members: dict[str, TimerTask] = field(default_factory=dict)
    """Each member with the end of its session."""
    timeouts: dict[str, int] = field(default_factory=dict)
    joined: int = 0


class GroupCoordinator:
    """Groups in memory, offsets in the internal topic: the next leader of its partition finds them there."""

    def __init__(self, manager: ReplicaManager, offsets_topic: str) -> None:
        self._manager, self._partition = manager, TopicPartition(topic=offsets_topic)
        self._groups: dict[str, _Group] = {}

    def handlers(self) -> dict[type, Callable[[Any, Callable[[object], None]], None]]:
        """What the coordinator does with each kind of request."""
        return {
            JoinGroup: lambda request, respond: respond(self.join(request)),
            Heartbeat: lambda request, respond: respond(self.heartbeat(request)),
            OffsetFetch: lambda request, respond: respond(self.fetch_offsets(request)),
            OffsetCommit: self.commit,
        }

    def join(self, request: JoinGroup) -> Joined:
        """A new member starts a generation; a member of the group gets its partitions in the current one."""
        group = self._groups.setdefault(request.group, _Group())
        if request.member is not None and request.member not in group.members:
            return Joined(error=ErrorCode.UNKNOWN_MEMBER_ID)
        member = request.member
        if member is None:
            group.joined += 1
            member = f"{request.group}-{group.joined}"
            group.partitions = tuple(sorted({*group.partitions, *request.partitions}))
            group.generation += 1
        group.timeouts[member] = request.session_timeout_ms
        self._extend_session(request.group, member)
        return Joined(member=member, generation=group.generation, assigned=self._assigned(group, member))

    def _assigned(self, group: _Group, member: str) -> tuple[TopicPartition, ...]:
        """Consecutive partitions for each member; the first members get one more if they do not divide evenly."""
        position, count = list(group.members).index(member), len(group.members)
        share, more = divmod(len(group.partitions), count)
        start = position * share + min(position, more)
        return group.partitions[start : start + share + (position < more)]

    def _extend_session(self, name: str, member: str) -> None:
        group = self._groups[name]
        if member in group.members:
            group.members[member].cancel()
        deadline = self._manager.clock.now_ms + group.timeouts[member]
        group.members[member] = self._manager.timer.add(deadline, lambda: self._remove(name, member))

    def _remove(self, name: str, member: str) -> None:
        group = self._groups[name]
        group.members.pop(member).cancel()
        group.generation += 1

    def heartbeat(self, request: Heartbeat) -> GroupAnswer:
        """The member's session continues, or it learns that its generation is over, or it leaves."""
        error = self._refusal(request.group, request.member, request.generation)
        if error is ErrorCode.NONE and request.leaves:
            self._remove(request.group, request.member)
        elif error is not ErrorCode.UNKNOWN_MEMBER_ID:
            self._extend_session(request.group, request.member)
        return GroupAnswer(error=error)

    def _refusal(self, name: str, member: str, generation: int) -> ErrorCode:
        group = self._groups.get(name)
        if group is None or member not in group.members:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.NONE if generation == group.generation else ErrorCode.ILLEGAL_GENERATION

    def commit(self, request: OffsetCommit, respond: Callable[[object], None]) -> None:
        """Write the offsets to the internal topic as a produce request does, and answer when they are replicated.

        A member of an earlier generation is refused: another may have its partitions by now.
        """
        if request.member is not None:
            error = self._refusal(request.group, request.member, request.generation)
            if error is not ErrorCode.NONE:
                respond(GroupAnswer(error=error))
                return
        records = tuple(
            Record(key=f"{request.group} {tp.topic} {tp.partition}", value=str(offset))
            for tp, offset in request.offsets.items()
        )
        produce = ProduceRequest(acks=ACKS_ALL, timeout_ms=COMMIT_TIMEOUT_MS, records={self._partition: records})

        def answer(responses: Responses) -> None:
            respond(GroupAnswer(error=_as_coordinator(responses[self._partition].error)))

        self._manager.append(produce, answer, internal_allowed=True)

    def fetch_offsets(self, request: OffsetFetch) -> Offsets:
        """The latest offset of each partition below the high watermark of the internal topic."""
        try:
            replica = self._manager.replica(self._partition)
            replica.led()
        except BrokerError as error:
            return Offsets(offsets={}, error=_as_coordinator(error.code))
        keys = {f"{request.group} {tp.topic} {tp.partition}": tp for tp in request.partitions}
        found = {}
        for entry in replica.log.read(0, replica.high_watermark):
            if entry.record.key in keys:
                found[keys[entry.record.key]] = int(entry.record.value)
        return Offsets(offsets=found)


def _as_coordinator(error: ErrorCode) -> ErrorCode:
    """A broker that does not lead the internal topic's partition is not the group's coordinator."""
    elsewhere = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return ErrorCode.NOT_COORDINATOR if error in elsewhere else error
