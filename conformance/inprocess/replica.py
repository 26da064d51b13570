"""One broker's replica of a partition: its log and high watermark, and its part as leader or follower."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .clock import VirtualClock
from .disk import Disk
from .epoch_history import EpochEnd
from .errors import BrokerError, ErrorCode
from .following import Following
from .in_sync_replicas import InSyncReplicas
from .leadership import Follower, Leadership
from .log import Entry, Record, Slice
from .messages import ACKS_ALL, CONSUMER, FetchedPartition, FetchPosition, LeaderAndIsr
from .producer_state import ProducerTable
from .protocol import Protocol, TopicPartition, TopicSettings, Truncation


@dataclass(frozen=True, kw_only=True)
class Site:
    """The place of a replica: its broker, disk and clock, and its version and topic."""

    broker: int
    partition: TopicPartition
    replicas: tuple[int, ...]
    disk: Disk
    clock: VirtualClock
    protocol: Protocol
    settings: TopicSettings


def _nobody_waits() -> None:
    """Ignore the event: nothing waits for it."""


class Replica:
    """What a broker has of a partition, and what it believes about it. It starts from the disk, and knows no leader."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.log = site.disk.log(site.partition)
        self.high_watermark = site.disk.checkpointed(site.partition)
        self.leader: int | None = None
        self.leader_epoch: int | None = None
        self.leadership: Leadership | None = None
        self.following: Following | None = None
        self.followers: dict[int, Follower] = {}
        """What the broker notes of the others while it leads."""
        self.producers = ProducerTable(self.log)
        self.on_high_watermark: Callable[[], None] = _nobody_waits
        self.on_append: Callable[[], None] = _nobody_waits

    def hear(self, news: LeaderAndIsr) -> bool:
        """Adopt a decision of the controller, unless a newer one came before (R-META-1). Was it adopted?

        In the leader's own epoch, the ISR may be new (KAFKA-15021): then the leader's own request came too late. One that the leader
        knows takes its request back in KRaft, although the controller may still grant it.
        """
        if self.leader_epoch is not None and news.leader_epoch <= self.leader_epoch:
            return self._hear_of_isr(news)
        before = (self.leader, self.leader_epoch)
        known_ends: dict[int, int] = {}
        if self.leadership is not None and self.site.protocol.keeps_known_ends:
            known_ends = self.leadership.known_ends()
        self.leader, self.leader_epoch = news.leader, news.leader_epoch
        followed = self.following
        self.leadership = self.following = None
        if news.leader == self.site.broker:
            self._lead(news, known_ends)
            return True
        if self.site.protocol.late_counts_are_lost:
            self.followers = {}
        if news.leader is not None:
            self.following = Following(self, news.leader, news.leader_epoch, before, followed)
        return True

    def _hear_of_isr(self, news: LeaderAndIsr) -> bool:
        leadership = self.leadership
        if leadership is None or news.leader_epoch != self.leader_epoch:
            return False
        known = leadership.isr.partition_epoch
        if news.partition_epoch < known or (
            news.partition_epoch == known and not self.site.protocol.takes_back_proposals
        ):
            return False
        leadership.isr = leadership.isr.recorded(news.isr, news.partition_epoch)
        self.advance_high_watermark()
        return True

    def _lead(self, news: LeaderAndIsr, known_ends: Mapping[int, int]) -> None:
        """Lead with the present log and the present, perhaps stale, high watermark (R-HW-2)."""
        for replica in self.site.replicas:
            if replica != self.site.broker:
                noted = self.followers.setdefault(replica, Follower())
                noted.begin(known_ends.get(replica, 0), self.site.clock.now_ms)
        self.leadership = Leadership(
            broker=self.site.broker,
            epoch=news.leader_epoch,
            log=self.log,
            isr=InSyncReplicas(committed=news.isr, partition_epoch=news.partition_epoch),
            followers=self.followers,
        )
        self.advance_high_watermark()

    def led(self) -> Leadership:
        """The leadership. Raises BrokerError with NOT_LEADER_OR_FOLLOWER if another leads."""
        if self.leadership is None:
            raise BrokerError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{self.site.partition} is led by {self.leader}")
        return self.leadership

    def append_as_leader(self, records: tuple[Record, ...], acks: int) -> tuple[int, int]:
        """Append records in the leader's epoch. Returns the first and the last offset (R-PROD-2, R-PROD-3).

        Raises BrokerError if this is not the leader, the ISR is too small for acks=all, or a sequence is out of order.
        """
        leadership = self.led()
        if acks == ACKS_ALL and len(leadership.isr.committed) < self.site.settings.min_isr:
            raise BrokerError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"the ISR has {len(leadership.isr.committed)} members, min.insync.replicas is {self.site.settings.min_isr}",
            )
        offsets = [self._append_once(record, leadership.epoch) for record in records]
        self.on_append()
        self.advance_high_watermark()
        return offsets[0], offsets[-1]

    def _append_once(self, record: Record, epoch: int) -> int:
        """Append the record, or find it if the log already has it (R-CLIENT-3)."""
        if record.stamp is not None:
            known = self.producers.duplicate_of(record.stamp)
            if known is not None:
                return known
            self.producers.check(record.stamp)
        return self._write(Entry(record, epoch))

    def _write(self, entry: Entry) -> int:
        offset = self.site.disk.append(self.site.partition, entry, flush=self.site.settings.flush_every_record)
        if entry.record.stamp is not None:
            self.producers.note(entry.record.stamp, offset)
        return offset

    def append_as_follower(self, entries: tuple[Entry, ...], leader_high_watermark: int) -> None:
        """Append what was fetched, and adopt the high watermark, but only up to this log's end (R-FETCH-2)."""
        for entry in entries:
            self._write(entry)
        self.high_watermark = min(leader_high_watermark, self.log.end)

    def truncate(self, end: int) -> None:
        """Cut the log, and the high watermark with it; rebuild the state of producers from what is left."""
        if end < self.log.end:
            self.log.truncate(end)
            self.producers = ProducerTable(self.log)
        self.high_watermark = min(self.high_watermark, self.log.end)

    def advance_high_watermark(self) -> bool:
        """Expose what every member of the maximal ISR has; within a leadership it never decreases (R-HW-1). Did it grow?"""
        leadership = self.leadership
        if leadership is None or not leadership.may_expose(self.site.protocol, self.site.settings.min_isr):
            return False
        end = leadership.smallest_known_end()
        if end <= self.high_watermark:
            return False
        self.high_watermark = end
        self.on_high_watermark()
        return True

    def fetched_by(self, known: Follower, log_end: int, broker_epoch: int | None = None) -> None:
        """A follower's fetch shows its log end; if that is news, the high watermark may advance (R-FETCH-1)."""
        now_ms = self.site.clock.now_ms
        if self.led().knows_end(known, log_end, broker_epoch=broker_epoch, now_ms=now_ms):
            self.advance_high_watermark()

    def read(self, reader: int, position: FetchPosition) -> FetchedPartition:
        """Read for a follower up to the log end, for a consumer below the high watermark (R-DF-1), or say why not.

        Raises BrokerError if this is not the leader, or the reader believes in another epoch (KIP-320).
        """
        self.led()
        self._check_epoch(position.leader_epoch)
        diverging = None if reader == CONSUMER else self.diverging(position)
        if diverging is None and position.offset > self.log.end:
            return FetchedPartition(error=ErrorCode.OFFSET_OUT_OF_RANGE, log_end=self.log.end)
        limit = self._readable_end(position) if reader == CONSUMER else self.log.end
        last = min(limit, position.offset + position.max_records)
        found = FetchedPartition(
            high_watermark=self.high_watermark,
            log_end=self.log.end,
            leader_epoch=self.leader_epoch,
            follower=self.followers.get(reader),
            diverging=diverging,
        )
        if diverging is not None or last <= position.offset:
            return found
        part = Slice(log=self.log, start=position.offset, end=last)
        if self.site.protocol.responses_keep_bytes:
            return replace(found, entries=part.read())
        return replace(found, part=part)

    def _readable_end(self, position: FetchPosition) -> int:
        """The high watermark; before KAFKA-9835 one record more, if that record is appended while the fetch reads up to the log end."""
        races = position.meets_append and self.site.protocol.reads_past_high_watermark
        return self.high_watermark + 1 if races and position.offset < self.high_watermark else self.high_watermark

    def _check_epoch(self, believed: int | None) -> None:
        if believed is None or self.leader_epoch is None or not self.site.protocol.fences_fetches:
            return
        if believed < self.leader_epoch:
            raise BrokerError(ErrorCode.FENCED_LEADER_EPOCH, f"epoch {believed} is older than {self.leader_epoch}")
        if believed > self.leader_epoch:
            raise BrokerError(ErrorCode.UNKNOWN_LEADER_EPOCH, f"epoch {believed} is newer than {self.leader_epoch}")

    def diverging(self, position: FetchPosition) -> EpochEnd | None:
        """Where the reader's log diverges from this one; None if it does not, or the version does not check (R-TRUNC-4)."""
        if self.site.protocol.truncation is not Truncation.ON_FETCH or position.last_fetched_epoch is None:
            return None
        end = self.log.epochs.end_for(position.last_fetched_epoch, self.log.end)
        parted = end.epoch < position.last_fetched_epoch or end.end < position.offset
        return end if parted else None

    def epoch_end(self, epoch: int, believed: int | None) -> EpochEnd | None:
        """Where an epoch ends in the leader's log (R-TRUNC-2); from KIP-279 on the newest epoch up to it (R-TRUNC-3).

        None if the leader does not know: the epoch is newer than its own; before KAFKA-7415 and by KIP-101, the epoch is newer or
        older than all of the log.
        Raises BrokerError as `read` does.
        """
        self.led()
        self._check_epoch(believed)
        epochs = self.log.epochs
        by_last_epoch = self.site.protocol.truncation is Truncation.LAST_EPOCH
        if (by_last_epoch or not self.site.protocol.notes_epoch_at_start) and not epochs.spans(epoch):
            return None
        if self.leader_epoch is not None and epoch > self.leader_epoch:
            return None
        if not by_last_epoch:
            return epochs.end_for(epoch, self.log.end)
        following = epochs.start_of_first_after(epoch)
        return EpochEnd(epoch, self.log.end if following is None else following)
