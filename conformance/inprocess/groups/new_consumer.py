"""The consumer of the new protocol (KIP-848: AsyncKafkaConsumer, AbstractMembershipManager, CommitRequestManager).

Simplified: an answer to a heartbeat counts for commits as soon as the application's thread has reconciled; in Kafka as soon as it is
there. A consumer that sends a commit has heard by then that it is not in the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import ErrorCode
from .consumer import CommitFailed, Config, Consumer, Listener
from .consumer_group import HeartbeatResponse
from .coordinator import GroupCoordinator
from .source import SourcePartition

NO_EPOCH = -1
"""The epoch of a commit that names none (OffsetCommitRequestData.generationIdOrMemberEpoch)."""


class StillKnown(Exception):
    """The group has a member that was taken for expelled."""


class NewConsumer(Consumer):
    """A member by ConsumerGroupHeartbeat. Its member id is of its own making, and lasts as long as the process."""

    new_protocol = True

    def __init__(
        self,
        config: Config,
        coordinator: GroupCoordinator,
        sources: Sequence[SourcePartition],
        listener: Listener,
        *,
        process: int,
    ) -> None:
        super().__init__(config, coordinator, sources, listener)
        self.member = f"{config.client_id}-{process}"
        self.epoch = 0
        """The epoch of the last answer, which heartbeats name; 0 joins."""
        self.reconciled_epoch = 0
        """The epoch that commits name."""
        self._target: frozenset[int] = frozenset()
        self._meanwhile: set[int] = set()
        """What was assigned while the committed offsets of others were to be fetched."""

    def returns_records(self) -> bool:
        """There is no barrier: poll returns records of what is assigned."""
        return True

    def heartbeat(self, *, full: bool) -> None:
        """ConsumerGroupHeartbeat; a full request says what the member owns, as the one after a reconciliation does."""
        owned = frozenset(self.assigned) if full else None
        self.answered(self.coordinator.consumer.heartbeat(self.member, self.epoch, owned))

    def heartbeat_without_news(self) -> None:
        """A heartbeat in the coordinator's epoch that changes nothing there: the answer has the member's assignment."""
        known = self.coordinator.consumer.members[self.member]
        self.answered(HeartbeatResponse(epoch=known.epoch, assigned=frozenset(known.assigned)))

    def yet_to_take(self) -> Sequence[int]:
        """What is assigned, and not yet the member's own."""
        return sorted(self._target - set(self.assigned))

    def heartbeat_while_taking(self) -> HeartbeatResponse:
        """A full request while onPartitionsAssigned runs: what is being taken is not in it. Its answer waits for the callback."""
        return self.coordinator.consumer.heartbeat(self.member, self.epoch, frozenset(self.assigned))

    def answered(self, response: HeartbeatResponse) -> None:
        """The answer to a heartbeat."""
        if response.error is not ErrorCode.NONE:
            self._fenced()
            return
        self.epoch = response.epoch
        if response.assigned is not None:
            waits = self.release.resets_unfetched and not self._target.issubset(self.assigned)
            self._meanwhile &= response.assigned
            self._meanwhile |= response.assigned - self._target - set(self.assigned) if waits else set()
            self._target = response.assigned

    def _end_epoch(self) -> None:
        """The member is in no epoch, and has no assignment that it has yet to follow."""
        self.epoch, self._target, self._meanwhile = 0, frozenset(), set()

    def _fenced(self) -> None:
        """The group does not have the member any more: everything is lost (transitionToFenced)."""
        self._end_epoch()
        self.lose()

    def join(self) -> None:
        """A heartbeat with epoch 0, of a member that is new or was fenced."""
        self.answered(self.coordinator.consumer.heartbeat(self.member, 0, frozenset()))

    def join_in_background(self) -> None:
        """A heartbeat is refused, and another joins. Without a listener neither waits for poll (invokeOnPartitionsLostCallback).

        Raises StillKnown if the group has the member.
        """
        refused = self.coordinator.consumer.heartbeat(self.member, self.epoch, None).error
        if refused is ErrorCode.NONE:
            raise StillKnown(self.member)
        self._end_epoch()
        self._drop(list(self.assigned))
        self.join()
        self.reconciled_epoch = self.epoch

    def reconcile(self, *, fetches_in_time: bool = True) -> None:
        """What is not assigned any more is committed and given up, then the rest begins (maybeReconcile, revokeAndAssign).

        Partitions may have come too late for their committed offsets to be fetched with those of others (updateFetchPositions).

        Simplified: an automatic commit is of what is given up; Kafka's has all partitions.
        """
        self.reconciled_epoch = self.epoch
        revoked = sorted(set(self.assigned) - self._target)
        self.commit_last(revoked)
        if revoked:
            self.revoke(revoked)
        for partition in self.yet_to_take():
            if fetches_in_time or partition not in self._meanwhile:
                self.add(partition)
            else:
                self.reset_initializing(partition)
        self._meanwhile.clear()

    def repeat_commit(self, partition: int) -> None:
        """The automatic commit before a reconciliation has failed: the position of now, in the epoch of the last answer.

        That is autoCommitSyncBeforeRebalanceWithRetries. Raises CommitFailed.
        """
        position = self.position(partition)
        assert position is not None
        request = self.commit_request(partition, position.offset, position.epoch)
        error = self.send(replace(request, generation=self.epoch))
        if error is not ErrorCode.NONE:
            raise CommitFailed(error.name)

    def generation_of_commits(self) -> int:
        """The epoch that the member has reconciled; none if it has left or was fenced (onMemberEpochUpdated)."""
        return self.reconciled_epoch if self.member in self.coordinator.consumer.members else NO_EPOCH

    def close(self) -> None:
        """The last commit, the callback, and a heartbeat that leaves (AsyncKafkaConsumer.close, leaveGroupOnClose).

        Simplified: one that is not in the group commits nothing; Kafka's does, with enable.auto.commit.
        """
        if self.member not in self.coordinator.consumer.members:
            self.lose()
            return
        self.commit_last(list(self.assigned))
        self.revoke(self.assigned)
        self.coordinator.consumer.remove(self.member)
