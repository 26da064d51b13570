"""What partitions forget, lose, or show too early."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .partition import has_open
from .state import Fate, Partition, Transactions, Txn


@action("R-TXN-16, ProducerStateManager.isProducerExpired")
def expire_producer(s: Transactions, partition: Partition) -> None:
    """A partition without an open transaction forgets the producer: its epoch, its sequence numbers, its coordinator's epoch."""
    require(s.expirations_left > 0)
    require(s.seen_epoch[partition] != NONE)
    require(not has_open(s, partition))

    s.expirations_left -= 1
    s.seen_epoch[partition] = NONE
    s.expected[partition] = 0
    s.seen_coordinator[partition] = 0


def reopens(s: Transactions, partition: Partition) -> bool:
    """Did the marker at the end of the log end a record?"""
    for txn in s.each(Txn):
        if s.ended_last[txn][partition]:
            return True
    return False


@action("KAFKA-20716")
def lose_marker(s: Transactions, partition: Partition) -> None:
    """A partition loses the marker at the end of its log. The coordinator does not know: the transaction is open again.

    Which coordinator wrote the marker before is not known here, so that more of its late markers are accepted than in Kafka.
    """
    require(s.lost_markers > 0)
    require(s.lost_markers_left > 0)
    require(reopens(s, partition))

    s.lost_markers_left -= 1
    for txn in s.each(Txn):
        if s.ended_last[txn][partition]:
            s.record[txn][partition] = Fate.OPEN
            s.ended_last[txn][partition] = False
            s.seen_epoch[partition] = s.txn_epoch[txn]
            s.expected[partition] = s.number[txn][partition] + 1
    s.seen_coordinator[partition] = 0


@action("R-TXN-17, KAFKA-9807, Log.read")
def read_early(s: Transactions, txn: Txn, partition: Partition) -> None:
    """A fetch of committed records is answered an open one: the high watermark moved while it looked for open transactions."""
    require(s.early_reads_left > 0 and s.reads_above_stable)
    require(s.record[txn][partition] == Fate.OPEN)

    s.early_reads_left -= 1
    s.read_early[txn][partition] = True
