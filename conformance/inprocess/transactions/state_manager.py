"""The coordinator's log and what it has in memory of it (TransactionStateManager, TransactionLog)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..errors import BrokerError, ErrorCode
from .metadata import NO_EPOCH, TransactionMetadata, Transit


@dataclass(kw_only=True)
class _Append:
    transit: Transit
    respond: Callable[[], None] | None


class TransactionStateManager:
    """The metadata of one transactional id, by what is in the partition of `__transaction_state` that a coordinator leads."""

    def __init__(self, log: list[Transit], coordinator_epoch: int) -> None:
        self.log, self.coordinator_epoch = log, coordinator_epoch
        self.metadata: TransactionMetadata | None = None
        self._appends: list[_Append] = []
        if log:
            self.metadata = self._loaded(log[-1])

    def _loaded(self, value: Transit) -> TransactionMetadata:
        """What the last value says (loadTransactionMetadata)."""
        metadata = TransactionMetadata()
        metadata.pending_state = value.state
        metadata.complete_transition(value)
        return metadata

    def known(self) -> TransactionMetadata:
        """The metadata. Raises BrokerError with INVALID_PRODUCER_ID_MAPPING if the transactional id is new."""
        if self.metadata is None:
            raise BrokerError(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "the transactional id is unknown")
        return self.metadata

    def known_or_new(self) -> TransactionMetadata:
        """The metadata, made if the transactional id is new (putTransactionStateIfNotExists)."""
        if self.metadata is None:
            self.metadata = TransactionMetadata()
        return self.metadata

    def append(self, transit: Transit, respond: Callable[[], None] | None = None) -> None:
        """Append to the log; memory follows when it is replicated, and then `respond` is called (appendTransactionToLog).

        The epoch before the newest is in memory only (TransactionLog.valueToBytes).
        """
        self._appends.append(_Append(transit=transit, respond=respond))

    @property
    def awaits_replication(self) -> bool:
        """Is there an append that is not replicated?"""
        return bool(self._appends)

    def replicate(self) -> None:
        """The first append that is not replicated is replicated, and answered."""
        done = self._appends.pop(0)
        self.log.append(replace(done.transit, last_producer_epoch=NO_EPOCH))
        self.known().complete_transition(done.transit)
        if done.respond is not None:
            done.respond()
