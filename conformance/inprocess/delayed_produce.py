"""A produce request with acks=all that waits for the high watermark (R-DP-1, R-DP-2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .errors import BrokerError, ErrorCode
from .in_sync_replicas import InSyncReplicas
from .messages import PartitionResponse, ProduceRequest
from .protocol import TopicPartition
from .purgatory import DelayedOperation
from .replica import Replica

Responses = Mapping[TopicPartition, PartitionResponse]


@dataclass(kw_only=True)
class Awaited:
    """One partition of the request: which high watermark it waits for, and its outcome once it no longer waits."""

    base_offset: int
    required_offset: int
    leader_epoch: int | None
    """The leader epoch of the append."""
    outcome: ErrorCode | None = None


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What a thread has seen of a partition before it looks at the high watermark."""

    partition: TopicPartition
    replica: Replica
    isr: InSyncReplicas


class DelayedProduce(DelayedOperation):
    """Completes when no partition is pending any more; then `respond` gets all outcomes."""

    def __init__(
        self,
        *,
        request: ProduceRequest,
        awaited: Mapping[TopicPartition, Awaited],
        settled: Responses,
        find: Callable[[TopicPartition], Replica],
        respond: Callable[[Responses], None],
    ) -> None:
        super().__init__(request.timeout_ms)
        self.request = request
        self.awaited, self._settled, self._find, self._respond = dict(awaited), dict(settled), find, respond
        self._held: _Look | None = None

    @property
    def looked_at(self) -> bool:
        """Is a thread held up while it looks?"""
        return self._held is not None

    def begin_look(self, partition: TopicPartition) -> None:
        """A thread looks who leads a partition and at its ISR, and is held up then. It has the operation to itself, but no other lock.

        Raises LookupError if the broker does not lead the partition.
        """
        try:
            replica = self._find(partition)
            self._held = _Look(partition=partition, replica=replica, isr=replica.led().isr)
        except BrokerError as error:
            raise LookupError(f"the look at {partition} is over: {error}") from error

    def end_look(self) -> None:
        """The thread goes on, with the high watermark as it is now. Then those look that have waited for it."""
        look, self._held = self._held, None
        if look is not None and not self.completed:
            one = self.awaited[look.partition]
            one.outcome = self._judged(look.replica, look.isr, one)
            self.try_complete()

    def try_complete(self) -> bool:
        if self._held is not None:
            return False
        for partition, one in self.awaited.items():
            if one.outcome is None:
                one.outcome = self._outcome(partition, one)
        if any(one.outcome is None for one in self.awaited.values()):
            return False
        return self.force_complete()

    def _outcome(self, partition: TopicPartition, one: Awaited) -> ErrorCode | None:
        """The outcome of one partition: A and B, it is not here or not led here; C.1, an error; C.2, the high watermark (R-DP-1)."""
        try:
            replica = self._find(partition)
            isr = replica.led().isr
        except BrokerError as error:
            return error.code
        except Exception:
            return ErrorCode.UNKNOWN_SERVER_ERROR
        return self._judged(replica, isr, one)

    def _judged(self, replica: Replica, isr: InSyncReplicas, one: Awaited) -> ErrorCode | None:
        """What the high watermark says of a partition. In no release the leader epoch of the append is compared (KAFKA-1148)."""
        if replica.site.protocol.produces_know_epoch and replica.leader_epoch != one.leader_epoch:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if replica.high_watermark < one.required_offset:
            return None
        enough = len(isr.maximal) >= replica.site.settings.min_isr
        return ErrorCode.NONE if enough else ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND

    def on_expiration(self) -> None:
        """Nothing more than completing: pending partitions were answered as timed out (R-DP-2)."""

    def on_complete(self) -> None:
        outcomes = {
            partition: PartitionResponse(
                error=ErrorCode.REQUEST_TIMED_OUT if one.outcome is None else one.outcome, base_offset=one.base_offset
            )
            for partition, one in self.awaited.items()
        }
        self._respond({**self._settled, **outcomes})
