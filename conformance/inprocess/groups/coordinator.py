"""The coordinator of a group: its members by the one protocol or the other, and its offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import ErrorCode
from .classic_group import ClassicGroup, GroupState
from .consumer_group import ConsumerGroup
from .offsets import RETENTION_MS, OffsetAndMetadata, OffsetsLog, OffsetStore
from .release import Expiry, Release


@dataclass(frozen=True, kw_only=True)
class OffsetCommit:
    """A commit for one partition; `generation` is a generation, or in the new protocol a member's epoch."""

    member: str
    generation: int
    partition: int
    offset: int
    leader_epoch: int | None = None


class GroupCoordinator:
    """A broker that leads the partition of `__consumer_offsets`."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.now_ms = 0
        self.classic = ClassicGroup()
        self.consumer = ConsumerGroup(release)
        self.offsets = OffsetStore(OffsetsLog())
        self.empty_since_ms = 0
        """When the classic group became empty last (currentStateTimestamp)."""

    def commit(self, request: OffsetCommit, *, new_protocol: bool, in_time: bool = True) -> ErrorCode:
        """OffsetCommit. `in_time`: is what is written replicated before offsets.commit.timeout.ms?"""
        if new_protocol:
            error = self.consumer.validate_commit(request.member, request.generation, request.partition)
        else:
            error = self.classic.validate_commit(request.member, request.generation)
        if error is ErrorCode.NONE:
            replays = new_protocol or self.release.replays_writes
            self.store(request.partition, request.offset, request.leader_epoch, takes_over=in_time or replays)
            if not in_time:
                error = ErrorCode.COORDINATOR_NOT_AVAILABLE if replays else ErrorCode.REQUEST_TIMED_OUT
        return error

    def store(self, partition: int, offset: int, leader_epoch: int | None, *, takes_over: bool = True) -> None:
        """An offset that is accepted is written."""
        value = OffsetAndMetadata(offset=offset, leader_epoch=leader_epoch, committed_at_ms=self.now_ms)
        self.offsets.commit(partition, value, takes_over=takes_over)

    def fetch_offset(self, partition: int) -> OffsetAndMetadata | None:
        """OffsetFetch."""
        return self.offsets.offsets.get(partition)

    def remove_classic(self, member: str) -> None:
        """LeaveGroup."""
        self.classic.remove(member)
        self._note_empty()

    def expire_heartbeat(self, member: str) -> bool:
        """The session of a member of a classic group has ended; False if its silence is expected."""
        expired = self.classic.expire_heartbeat(member)
        self._note_empty()
        return expired

    def _note_empty(self) -> None:
        if self.classic.state is GroupState.EMPTY:
            self.empty_since_ms = self.now_ms

    def expire_offsets(self, *, new_protocol: bool) -> None:
        """The task that runs from time to time: it drops offsets that are expired (GroupMetadata.removeExpiredOffsets)."""
        if new_protocol:
            if not self.consumer.members:
                self.offsets.expire(self._is_old)
            return
        classic, expiry = self.classic, self.release.expiry
        if expiry is Expiry.BY_COMMIT:
            self.offsets.expire(self._is_old)
        elif classic.state is GroupState.EMPTY:
            if self.now_ms - self.empty_since_ms >= RETENTION_MS:
                self.offsets.expire(lambda value: True)
        elif expiry is Expiry.EMPTY_OR_NOT_SUBSCRIBED and classic.has_subscribed is False:
            self.offsets.expire(self._is_old)

    def _is_old(self, value: OffsetAndMetadata) -> bool:
        return self.now_ms - value.committed_at_ms >= RETENTION_MS

    def moved(self, first_read: Mapping[int, int]) -> None:
        """Another broker reads the log. Simplified: it knows the members as the one before did, also in a rebalance."""
        self.offsets = OffsetStore(self.offsets.log)
        self.offsets.load(first_read=first_read, keeps_first=self.release.loads_first_part_only)

    def partitions_changed(self, partitions: Iterable[int]) -> None:
        """The new protocol's groups hear of new partitions (onNewMetadataImage, and the next heartbeat)."""
        self.consumer.metadata_changed(partitions)
