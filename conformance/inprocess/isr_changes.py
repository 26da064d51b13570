"""How a leader changes its ISR: by an atomic write, or by asking the controller (R-ISR-1, R-ISR-2, KIP-497)."""

from __future__ import annotations

from typing import Protocol as Interface

from .leadership import Follower, Leadership
from .messages import AlterPartitionResponse
from .protocol import TopicPartition
from .replica import Replica


class IsrRecorder(Interface):
    """Records the ISR of partitions, from the leader's side."""

    def write(self, partition: TopicPartition, leadership: Leadership, isr: frozenset[int]) -> int | None:
        """Record it at once, if the controller still has this leader. Returns the new partition epoch, None if not."""

    def ask(self, partition: TopicPartition, leadership: Leadership, isr: frozenset[int]) -> None:
        """Ask for it to be recorded; the answer comes later."""


class IsrChanges:
    """Shrinks and expands the ISRs of the partitions that a broker leads."""

    def __init__(self, recorder: IsrRecorder, max_lag_ms: int) -> None:
        self._recorder, self._max_lag_ms = recorder, max_lag_ms

    def drop_slow(self, replica: Replica) -> None:
        """Drop the followers that have not caught up for replica.lag.time.max.ms (R-ISR-1)."""
        leadership = replica.leadership
        if leadership is not None and leadership.isr.proposed is None:
            also_caught_up = replica.site.protocol.drops_caught_up
            slow = leadership.too_slow(replica.site.clock.now_ms, self._max_lag_ms, also_caught_up=also_caught_up)
            if slow:
                self.change(replica, leadership.isr.committed - slow)

    def add_caught_up(self, replica: Replica, follower: int, known: Follower) -> None:
        """Add a follower that has reached the high watermark and the start of the epoch, as far as is noted of it (R-ISR-2)."""
        leadership = replica.leadership
        guards = replica.site.protocol.guards_epoch_start
        if leadership is not None and leadership.may_join(
            follower, known, replica.high_watermark, guards_epoch_start=guards
        ):
            self.change(replica, leadership.isr.committed | {follower})

    def change(self, replica: Replica, isr: frozenset[int]) -> None:
        """Get another ISR recorded. Until it is, the high watermark waits for the members of both (KIP-497)."""
        leadership, partition = replica.led(), replica.site.partition
        if replica.site.protocol.asks_for_isr:
            leadership.isr = leadership.isr.proposing(isr)
            self._recorder.ask(partition, leadership, isr)
        else:
            partition_epoch = self._recorder.write(partition, leadership, isr)
            if partition_epoch is None:
                return
            leadership.isr = leadership.isr.recorded(isr, partition_epoch)
        replica.advance_high_watermark()

    def take_answer(self, replica: Replica, answer: AlterPartitionResponse) -> None:
        """Handle the controller's answer to a change. Ignore an answer to a leadership of another epoch, and an older ISR."""
        leadership = replica.leadership
        if leadership is None or leadership.epoch != answer.leader_epoch or leadership.isr.proposed is None:
            return
        if answer.error:
            leadership.isr = leadership.isr.refused()
            return
        if answer.partition_epoch <= leadership.isr.partition_epoch:
            return
        leadership.isr = leadership.isr.recorded(answer.isr, answer.partition_epoch)
        if replica.site.protocol.rechecks_high_watermark:
            replica.advance_high_watermark()
