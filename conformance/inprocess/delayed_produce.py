"""A produce request with acks=all that waits for the high watermark (R-DP-1, R-DP-2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .errors import BrokerError, ErrorCode
from .messages import PartitionResponse
from .protocol import TopicPartition
from .purgatory import DelayedOperation
from .replica import Replica

Responses = Mapping[TopicPartition, PartitionResponse]


@dataclass(kw_only=True)
class Awaited:
    """One partition of the request: which high watermark it waits for, and its outcome once it no longer waits."""

    base_offset: int
    required_offset: int
    outcome: ErrorCode | None = None


class DelayedProduce(DelayedOperation):
    """Completes when no partition is pending any more; then `respond` gets all outcomes."""

    def __init__(
        self,
        *,
        delay_ms: int,
        awaited: Mapping[TopicPartition, Awaited],
        settled: Responses,
        find: Callable[[TopicPartition], Replica],
        respond: Callable[[Responses], None],
    ) -> None:
        super().__init__(delay_ms)
        self.awaited, self._settled, self._find, self._respond = dict(awaited), dict(settled), find, respond

    def try_complete(self) -> bool:
        for partition, one in self.awaited.items():
            if one.outcome is None:
                one.outcome = self._outcome(partition, one.required_offset)
        if any(one.outcome is None for one in self.awaited.values()):
            return False
        return self.force_complete()

    def _outcome(self, partition: TopicPartition, required_offset: int) -> ErrorCode | None:
        """The outcome of one partition: A and B, it is not here or not led here; C.1, an error; C.2, the high watermark (R-DP-1)."""
        try:
            replica = self._find(partition)
            isr = replica.led().isr
        except BrokerError as error:
            return error.code
        except Exception:
            return ErrorCode.UNKNOWN_SERVER_ERROR
        if replica.high_watermark < required_offset:
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
