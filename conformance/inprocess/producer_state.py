"""What a broker remembers about idempotent producers: the last five batches of each (R-CLIENT-3)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from .errors import BrokerError, ErrorCode
from .log import Log, ProducerStamp

REMEMBERED_BATCHES = 5


@dataclass
class _Producer:
    epoch: int
    batches: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=REMEMBERED_BATCHES))
    """The latest sequences with their offsets; the oldest is forgotten first."""


class ProducerTable:
    """The producers of one log. It follows from the log, and is rebuilt from it after a truncation or a restart."""

    def __init__(self, log: Log) -> None:
        self._producers: dict[int, _Producer] = {}
        for offset, entry in enumerate(log.entries):
            if entry.record.stamp is not None:
                self.note(entry.record.stamp, offset)

    def note(self, stamp: ProducerStamp, offset: int) -> None:
        """A record of the producer is in the log; a newer producer epoch restarts the numbers."""
        known = self._producers.get(stamp.producer_id)
        if known is None or known.epoch != stamp.producer_epoch:
            known = self._producers[stamp.producer_id] = _Producer(stamp.producer_epoch)
        known.batches.append((stamp.sequence, offset))

    def duplicate_of(self, stamp: ProducerStamp) -> int | None:
        """The offset at which the same record is in the log already, if it is remembered."""
        known = self._producers.get(stamp.producer_id)
        if known is None or known.epoch != stamp.producer_epoch:
            return None
        return next((offset for sequence, offset in reversed(known.batches) if sequence == stamp.sequence), None)

    def check(self, stamp: ProducerStamp) -> None:
        """Refuse a record that is not next. A log without records of the producer accepts any sequence.

        Raises BrokerError with OUT_OF_ORDER_SEQUENCE_NUMBER for a gap or an older sequence, INVALID_PRODUCER_EPOCH for an
        older producer.
        """
        known = self._producers.get(stamp.producer_id)
        if known is None:
            return
        if stamp.producer_epoch < known.epoch:
            raise BrokerError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer epoch {stamp.producer_epoch} is older than {known.epoch}",
            )
        expected = 0 if stamp.producer_epoch > known.epoch else known.batches[-1][0] + 1
        if stamp.sequence != expected:
            raise BrokerError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, f"sequence {stamp.sequence} came where {expected} is due"
            )
