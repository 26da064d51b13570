"""A consumer of a group: polls, processes, commits, and rejoins when the group rebalances (R-CONS-1, R-CONS-2)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ..errors import ErrorCode
from ..group_coordinator import GroupAnswer, Heartbeat, Joined, JoinGroup, OffsetCommit, OffsetFetch, Offsets
from ..log import Record
from ..messages import CONSUMER, FetchPosition, FetchRequest, FetchResponse
from ..protocol import OFFSETS_TOPIC, TopicPartition
from .metadata import ClientMetadata
from .wire import ConnectionLost, NoResponse, Wire


class CommitMode(Enum):
    """When offsets are committed: by the program, or by the consumer itself at the next poll (R-CONS-2)."""

    BY_PROGRAM = "by program"
    AUTO = "auto"


class CommitFailed(Exception):
    """The offsets were not recorded: what was processed will be processed again."""


class GroupConsumer:
    """One member of a group. It passes what it polls to the program, in order, partition by partition."""

    def __init__(
        self,
        *,
        group: str,
        name: str,
        wire: Wire,
        metadata: ClientMetadata,
        partitions: Sequence[TopicPartition],
        mode: CommitMode = CommitMode.BY_PROGRAM,
        timeout_ms: int = 1_000,
    ) -> None:
        self.group, self._name, self._wire, self._metadata = group, name, wire, metadata
        self._partitions, self._mode, self._timeout_ms = tuple(partitions), mode, timeout_ms
        self._member: str | None = None
        self._generation = -1
        self.assigned: tuple[TopicPartition, ...] = ()
        self.positions: dict[TopicPartition, int] = {}

    def _exchange(self, partition: TopicPartition, body: object) -> object | None:
        """Ask the leader of a partition; None if there is none or it does not answer; then refresh the metadata."""
        leader = self._metadata.leader(partition)
        try:
            return self._wire.exchange(f"{self._name}-{partition.topic}", leader, body, self._timeout_ms)
        except (ConnectionLost, NoResponse):
            self.refresh()
            return None

    def refresh(self) -> None:
        """Ask who leads what."""
        self._metadata.refresh(sorted({tp.topic for tp in self._partitions} | {OFFSETS_TOPIC}))

    def _ask_coordinator(self, body: object) -> object | None:
        return self._exchange(TopicPartition(topic=OFFSETS_TOPIC), body)

    def join(self) -> bool:
        """Become a member, or join the new generation; every partition starts from the committed offset (R-CONS-1)."""
        self.refresh()
        joined = self._ask_coordinator(JoinGroup(group=self.group, member=self._member, partitions=self._partitions))
        if not isinstance(joined, Joined):
            return False
        if joined.error is not ErrorCode.NONE:
            self._member = None
            return False
        self._member, self._generation, self.assigned = joined.member, joined.generation, joined.assigned
        return self._start_from_committed()

    def _start_from_committed(self) -> bool:
        answer = self._ask_coordinator(OffsetFetch(group=self.group, partitions=self.assigned))
        if not isinstance(answer, Offsets) or answer.error is not ErrorCode.NONE:
            return False
        self.positions = {tp: answer.offsets.get(tp, 0) for tp in self.assigned}
        return True

    def heartbeat(self) -> bool:
        """Say that this member is live. If its generation is over, it joins the new one. Is it a member now?"""
        if self._member is None:
            return self.join()
        beat = Heartbeat(group=self.group, member=self._member, generation=self._generation)
        answer = self._ask_coordinator(beat)
        if isinstance(answer, GroupAnswer) and answer.error is ErrorCode.NONE:
            return True
        if isinstance(answer, GroupAnswer) and answer.error is ErrorCode.UNKNOWN_MEMBER_ID:
            self._member = None
        return self.join()

    def leave(self) -> None:
        """Give the partitions back."""
        if self._member is not None:
            beat = Heartbeat(group=self.group, member=self._member, generation=self._generation, leaves=True)
            self._ask_coordinator(beat)
            self._member, self.assigned, self.positions = None, (), {}

    def poll(self, max_records: int = 500) -> list[tuple[TopicPartition, int, Record]]:
        """The next records below the high watermarks. With auto-commit this commits what the previous poll returned (R-CONS-2).

        The commit does not depend on what the program has done with these records.
        """
        if self._mode is CommitMode.AUTO and self.positions:
            self.commit()
        found = []
        for partition in self.assigned:
            for entry in self._fetch(partition, max_records):
                found.append((partition, self.positions[partition], entry))
                self.positions[partition] += 1
        return found

    def _fetch(self, partition: TopicPartition, max_records: int) -> list[Record]:
        position = FetchPosition(offset=self.positions[partition], max_records=max_records)
        response = self._exchange(partition, FetchRequest(replica=CONSUMER, positions={partition: position}))
        if not isinstance(response, FetchResponse):
            return []
        fetched = response.partitions[partition]
        if fetched.error is not ErrorCode.NONE:
            self.refresh()
        return [entry.record for entry in fetched.entries]

    def commit(self, positions: dict[TopicPartition, int] | None = None) -> None:
        """Commit offsets, by default the positions of the polls. Raises CommitFailed."""
        offsets = dict(self.positions if positions is None else positions)
        request = OffsetCommit(group=self.group, offsets=offsets, member=self._member, generation=self._generation)
        answer = self._ask_coordinator(request)
        if not isinstance(answer, GroupAnswer) or answer.error is not ErrorCode.NONE:
            why = answer.error.name if isinstance(answer, GroupAnswer) else "no answer"
            raise CommitFailed(f"{why}: the offsets {offsets} were not recorded")
