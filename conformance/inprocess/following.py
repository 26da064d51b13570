"""What a follower does in one leader epoch: cut its log as its version does, then fetch (R-TRUNC, R-FETCH-2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .epoch_history import EpochEnd
from .errors import ErrorCode
from .log import Entry
from .messages import (
    EpochEndRequest,
    EpochEndResponse,
    FetchedPartition,
    FetchPosition,
    LogEndRequest,
    LogEndResponse,
)
from .protocol import Truncation

if TYPE_CHECKING:
    from .replica import Replica


class Following:
    """A broker that follows a leader in an epoch. It does not fetch before its log is cut."""

    def __init__(
        self,
        replica: Replica,
        leader: int,
        epoch: int,
        before: tuple[int | None, int | None],
        unfinished: Following | None = None,
    ) -> None:
        self.replica, self.leader, self.epoch = replica, leader, epoch
        self.truncating = False
        self.out_of_range = False
        self.led: int | None = None
        self._begin(*before)
        self.asks_anew = self.truncating
        """Does the follower ask because of this leader epoch, and not only because it has not cut its log since an earlier one?"""
        if unfinished is not None and unfinished.truncating:
            self.truncating = self.truncating or unfinished.leader == leader
            self.led = self.led if unfinished.led is None else unfinished.led

    def _begin(self, leader_before: int | None, epoch_before: int | None) -> None:
        """Cut at this broker's own high watermark, or ask the leader where (R-TRUNC-1..4).

        A follower that keeps its leader in the next epoch cuts nothing, until fencing makes every epoch a new beginning; from
        KAFKA-7164 on, this no longer applies to a follower that has missed an epoch in between. One that has yet to cut its log as
        its leader says still has to.
        """
        replica, protocol = self.replica, self.replica.site.protocol
        changed = leader_before != self.leader
        if protocol.notes_epoch_at_start and leader_before == replica.site.broker:
            self.led = epoch_before
        missed = protocol.notices_missed_epoch and epoch_before is not None and self.epoch > epoch_before + 1
        match protocol.truncation:
            case Truncation.TO_HIGH_WATERMARK:
                if changed:
                    replica.truncate(replica.high_watermark)
            case Truncation.LAST_EPOCH | Truncation.SHARED_EPOCH:
                self.truncating = changed or missed or protocol.fences_fetches
            case Truncation.ON_FETCH:
                pass

    def settle_if_empty(self) -> None:
        """An empty log has no epoch to ask about, and nothing to cut."""
        if self.replica.log.end == 0:
            self.truncating = False

    def epoch_end_request(self) -> EpochEndRequest | None:
        """What to ask the leader before fetching; None once the log is cut."""
        replica = self.replica
        from_the_tail = replica.site.protocol.truncation is Truncation.SHARED_EPOCH
        asked = replica.log.epochs.newest() if from_the_tail else replica.log.last_epoch()
        if not self.truncating or asked is None:
            return None
        if self.led is not None:
            asked = max(asked, self.led)
        return EpochEndRequest(partition=replica.site.partition, epoch=asked, leader_epoch=self.epoch)

    def take_epoch_end(self, response: EpochEndResponse) -> None:
        """Cut where the leader says; at this broker's own high watermark if the leader does not know the epoch (KIP-101).

        If the leader names an epoch that this log does not have, the follower asks for the next older one (KIP-279). After an error
        the follower asks again.
        """
        if response.error is not ErrorCode.NONE:
            return
        self.led = None
        if response.found is None:
            self.replica.truncate(self.replica.high_watermark)
            self.truncating = False
        elif self.replica.site.protocol.truncation is Truncation.LAST_EPOCH:
            self.replica.truncate(response.found.end)
            self.truncating = False
        else:
            self.truncating = not self._cut_to(response.found)

    def _cut_to(self, theirs: EpochEnd) -> bool:
        """Cut to where an epoch ends in both logs; if this log lacks it, to the end of the next older one. Is that final?

        Before KAFKA-7415, a log that also lacks an older one is cut to where the leader's epoch ends.
        """
        epochs = self.replica.log.epochs
        if (
            not self.replica.site.protocol.notes_epoch_at_start
            and epochs.largest_up_to(theirs.epoch, theirs.end) is None
        ):
            self.replica.truncate(theirs.end)
            return True
        ours = epochs.end_for(theirs.epoch, self.replica.log.end)
        if ours.epoch == theirs.epoch:
            self.replica.truncate(min(ours.end, theirs.end))
            return True
        self.replica.truncate(ours.end)
        return self.replica.log.end == 0

    def fetch_position(self, max_records: int = 1000) -> FetchPosition:
        """The follower's log end, the epoch in which it follows, and the epoch of its last record."""
        log = self.replica.log
        return FetchPosition(
            offset=log.end, leader_epoch=self.epoch, last_fetched_epoch=log.last_epoch(), max_records=max_records
        )

    def is_ready_for(self, asked: FetchPosition) -> bool:
        """Does a response to this request still count? The log must end where it did, and from 1.1 on it must be cut.

        From KAFKA-18991 on, it must be a response to a request of this leader epoch.
        """
        protocol = self.replica.site.protocol
        if asked.offset != self.replica.log.end:
            return False
        if not protocol.responses_know_epoch:
            return True
        if protocol.truncation in (Truncation.LAST_EPOCH, Truncation.SHARED_EPOCH):
            return not self.truncating
        return asked.leader_epoch == self.epoch

    def take_fetched(self, fetched: FetchedPartition) -> None:
        """Append what was fetched; cut the log where it diverges from the leader's, or reaches beyond it.

        Up to 1.0 a follower may get records of an earlier request before it has cut its log. Then it goes on fetching, and never cuts.
        """
        if fetched.diverging is not None:
            self._cut_to(fetched.diverging)
        elif fetched.error is ErrorCode.OFFSET_OUT_OF_RANGE:
            self._leave_range(fetched.log_end)
        elif fetched.error is ErrorCode.NONE:
            accepted = self._accepted(fetched.entries)
            self.replica.append_as_follower(accepted, fetched.high_watermark)
            self.truncating = self.truncating and not accepted

    def _accepted(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """The records before the first one that is refused: of a newer epoch than the follower's, from KAFKA-18723 on."""
        protocol, last = self.replica.site.protocol, self.replica.log.last_epoch()
        for position, entry in enumerate(entries):
            newer = entry.leader_epoch > self.epoch
            older = last is not None and entry.leader_epoch < last
            if (newer and protocol.refuses_newer_records) or (older and protocol.refuses_older_records):
                return entries[:position]
            last = entry.leader_epoch
        return entries

    def _leave_range(self, leader_end: int) -> None:
        """Cut where the leader's log ends; up to 0.9.0.0 a separate request asks for that end, which may have grown by then."""
        self.out_of_range = self.replica.site.protocol.starts_over
        if not self.out_of_range:
            self.replica.truncate(leader_end)

    def log_end_request(self) -> LogEndRequest | None:
        """The request to the leader after a fetch beyond its log."""
        return LogEndRequest(partition=self.replica.site.partition) if self.out_of_range else None

    def take_log_end(self, response: LogEndResponse) -> None:
        """Cut where the leader's log ends; drop the whole log if the leader's has grown that far meanwhile (KAFKA-2143)."""
        if response.error is ErrorCode.NONE:
            self.out_of_range = False
            self.replica.truncate(response.end if response.end < self.replica.log.end else 0)
