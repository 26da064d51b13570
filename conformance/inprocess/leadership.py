"""What a leader knows and decides in one leader epoch: its followers, its ISR, its high watermark (R-HW, R-ISR)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .in_sync_replicas import InSyncReplicas
from .log import Log
from .protocol import Protocol


@dataclass
class Follower:
    """A leader's knowledge of a follower, only from that follower's fetches (R-FETCH-1)."""

    log_end: int = 0
    caught_up_ms: int = 0
    """When it was last known to have caught up."""
    broker_epoch: int | None = None
    """The registration under which it last fetched; None before its first fetch (KIP-903)."""

    def begin(self, log_end: int, now_ms: int) -> None:
        """A leader epoch begins, with this knowledge."""
        self.log_end, self.caught_up_ms, self.broker_epoch = log_end, now_ms, None


class Leadership:
    """One broker's leadership in one epoch. It starts with no knowledge of its followers, or with what was known before."""

    def __init__(
        self,
        *,
        broker: int,
        epoch: int,
        log: Log,
        isr: InSyncReplicas,
        followers: Mapping[int, Follower],
    ) -> None:
        self.broker, self.epoch, self.log, self.isr = broker, epoch, log, isr
        self.followers = followers
        self.starts_at = log.end

    def known_ends(self) -> dict[int, int]:
        """The log end of each follower, as its fetches have shown."""
        return {replica: follower.log_end for replica, follower in self.followers.items()}

    def knows_end(self, known: Follower, log_end: int, *, broker_epoch: int | None, now_ms: int) -> bool:
        """A fetch shows a follower's log end. Returns whether that is news (R-FETCH-1)."""
        known.broker_epoch = broker_epoch
        if log_end >= self.log.end:
            known.caught_up_ms = now_ms
        news = known.log_end != log_end
        known.log_end = log_end
        return news

    def smallest_known_end(self) -> int:
        """The smallest log end over the maximal ISR, this broker's own included (R-HW-1)."""
        members = [self.followers[replica].log_end for replica in self.isr.maximal if replica != self.broker]
        return min([self.log.end, *members])

    def may_expose(self, protocol: Protocol, min_isr: int) -> bool:
        """May the high watermark advance at all? Not below min ISR, from KAFKA-15583 on (R-HW-1)."""
        return not protocol.strict_min_isr or len(self.isr.committed) >= min_isr

    def lags(self, follower: int) -> bool:
        """Is the follower, as far as the leader knows, behind the leader's log end (R-ISR-1)?"""
        return self.followers[follower].log_end < self.log.end

    def too_slow(self, now_ms: int, max_lag_ms: int, *, also_caught_up: bool) -> frozenset[int]:
        """The members that have not caught up for too long (R-ISR-1); up to 2.0, also silent ones that have caught up."""
        members = [replica for replica in self.isr.committed if replica != self.broker]
        return frozenset(
            replica
            for replica in members
            if (also_caught_up or self.lags(replica)) and now_ms - self.followers[replica].caught_up_ms > max_lag_ms
        )

    def may_join(self, follower: int, known: Follower, high_watermark: int, *, guards_epoch_start: bool) -> bool:
        """May the follower join the ISR? It has reached the high watermark and the start of the epoch (R-ISR-2, KAFKA-7128)."""
        known_end = known.log_end
        return (
            follower not in self.isr.committed
            and self.isr.proposed is None
            and known_end >= high_watermark
            and (not guards_epoch_start or known_end >= self.starts_at)
        )

    def broker_epochs(self, isr: frozenset[int]) -> dict[int, int]:
        """The registrations under which members of an ISR last fetched, as far as they did (KIP-903)."""
        known = {replica: self.followers[replica].broker_epoch for replica in isr if replica != self.broker}
        return {replica: epoch for replica, epoch in known.items() if epoch is not None}
