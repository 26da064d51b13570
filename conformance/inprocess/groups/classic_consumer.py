"""The classic consumer (KafkaConsumer to 3.9, ClassicKafkaConsumer: ConsumerCoordinator, AbstractCoordinator)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ..errors import ErrorCode
from .assignor import NO_GENERATION, Assignor, Subscription
from .classic_group import JoinResponse, SyncResponse
from .consumer import CommitFailed, Config, Consumer, Listener
from .coordinator import GroupCoordinator
from .source import SourcePartition


class ClientState(Enum):
    """The states of a member, as itself believes (AbstractCoordinator.MemberState)."""

    UNJOINED = "unjoined"
    PREPARING_REBALANCE = "waits for others"
    COMPLETING_REBALANCE = "waits for its assignment"
    STABLE = "stable"


class ClassicConsumer(Consumer):
    """A member by JoinGroup, SyncGroup and Heartbeat. `metadata` are the partitions that the group knows of."""

    new_protocol = False

    def __init__(
        self,
        config: Config,
        coordinator: GroupCoordinator,
        sources: Sequence[SourcePartition],
        listener: Listener,
        *,
        cooperative: bool,
        metadata: list[int],
    ) -> None:
        super().__init__(config, coordinator, sources, listener)
        self._cooperative, self._metadata = cooperative, metadata
        self._assignor = Assignor(cooperative=cooperative, ignores_old_generations=self.release.ignores_old_generations)
        self.state = ClientState.UNJOINED
        self.member = ""
        self._generation = NO_GENERATION
        self.assigned_in = NO_GENERATION
        """The generation of the last assignment (ConsumerGroupMetadata)."""
        self._needs_join_prepare = True

    def returns_records(self) -> bool:
        """To 2.4 poll returns nothing while the group rebalances, and then what the consumer has kept (KAFKA-8421)."""
        joins = self.state in (ClientState.PREPARING_REBALANCE, ClientState.COMPLETING_REBALANCE)
        return self.release.polls_in_rebalance or not joins

    def heartbeat(self) -> ErrorCode:
        """Heartbeat, and its answer (HeartbeatResponseHandler)."""
        error = self.coordinator.classic.heartbeat(self.member, self._generation)
        if error in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION):
            self._reset_generation(error)
        return error

    def _reset_generation(self, error: ErrorCode) -> None:
        """The consumer is in no group. Simplified: it prepares to join anew in every release, as from 2.7.2 on (KAFKA-12983), and keeps
        its id where its generation alone is wrong."""
        if error is not ErrorCode.ILLEGAL_GENERATION:
            self.member = ""
        self.state, self._generation = ClientState.UNJOINED, NO_GENERATION
        self._needs_join_prepare = True

    def join(self, *, committed_before: bool = False) -> None:
        """The consumer prepares, and sends JoinGroup (joinGroupIfNeeded, sendJoinGroupRequest).

        `committed_before`: an earlier poll has sent the last commit, and others have returned records since (KAFKA-14196). Raises
        CommitFailed if the consumer returns none meanwhile.
        """
        if committed_before and self.release.commits_before_revoking:
            raise CommitFailed("poll returns nothing until the last commit is answered")
        if self._needs_join_prepare:
            self._prepare(committed_before=committed_before)
            self._needs_join_prepare = False
        self.state = ClientState.PREPARING_REBALANCE
        classic = self.coordinator.classic
        names_generation = self._cooperative or self.release.names_generation
        subscription = Subscription(
            owned=frozenset(self.assigned if self._cooperative else ()),
            generation=self.assigned_in if names_generation else NO_GENERATION,
        )
        self.member = self.member or classic.new_member_id(self.config.client_id)
        classic.join(self.member, subscription, self.joined)

    def _prepare(self, *, committed_before: bool) -> None:
        """The last commit, and what is given up before the consumer joins (onJoinPrepare)."""
        if not committed_before:
            self.commit_last(list(self.assigned))
        if self._generation == NO_GENERATION:
            self.lose()
        elif not self._cooperative:
            self.revoke(self.assigned)

    def joined(self, response: JoinResponse) -> None:
        """The answer to JoinGroup; a leader assigns the partitions, and sends SyncGroup (onLeaderElected)."""
        if response.error is not ErrorCode.NONE:
            self._reset_generation(response.error)
            return
        self.member, self._generation = response.member, response.generation
        self.state = ClientState.COMPLETING_REBALANCE
        if response.members:
            assignment = self._assignor.assign(self._metadata, response.members)
            self.coordinator.classic.sync(self.member, self._generation, assignment)

    def sync(self) -> bool:
        """SyncGroup; False if there is no assignment (SyncGroupResponseHandler)."""
        response = self.coordinator.classic.sync(self.member, self._generation, None)
        return response is not None and self.synced(response)

    def synced(self, response: SyncResponse) -> bool:
        """The answer to SyncGroup; False if it is an error."""
        if response.error is not ErrorCode.NONE:
            if response.error is not ErrorCode.REBALANCE_IN_PROGRESS:
                self._reset_generation(response.error)
            return False
        self.state = ClientState.STABLE
        self._needs_join_prepare = True
        self._complete(response.assigned)
        return True

    def _complete(self, assigned: frozenset[int]) -> None:
        """What is not assigned any more is given up, without an automatic commit; the rest begins (onJoinComplete)."""
        revoked = set(self.assigned) - assigned
        if revoked:
            self.revoke(revoked)
        self.assigned_in = self._generation
        for partition in sorted(assigned - set(self.assigned)):
            self.add(partition)

    def generation_of_commits(self) -> int:
        """No commit goes out of a consumer that joins (sendOffsetCommitRequest, generationIfStable)."""
        if self.state is not ClientState.STABLE:
            raise CommitFailed(f"the consumer is {self.state.value}")
        return self._generation

    def close(self) -> None:
        """The last commit, the callback, and LeaveGroup (ConsumerCoordinator.close, onLeavePrepare)."""
        self.commit_last(list(self.assigned))
        if self.state is ClientState.STABLE:
            self.revoke(self.assigned)
        else:
            self.lose()
        if self.member in self.coordinator.classic.members:
            self.coordinator.remove_classic(self.member)
