"""All replicas of one broker: appends and reads for requests, and what waits for them in purgatory (R-PROD, R-DP, R-DF)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .clock import VirtualClock
from .delayed_fetch import DelayedFetch, Fetched, enough, read_all
from .delayed_produce import Awaited, DelayedProduce, Responses
from .errors import BrokerError, ErrorCode, StorageError
from .isr_changes import IsrChanges
from .leadership import Follower
from .messages import (
    ACKS_ALL,
    ACKS_LEADER,
    ACKS_NONE,
    CONSUMER,
    EpochEndRequest,
    EpochEndResponse,
    FetchedPartition,
    FetchRequest,
    LeaderAndIsr,
    LogEndRequest,
    LogEndResponse,
    PartitionResponse,
    ProduceRequest,
)
from .protocol import Protocol, TopicPartition
from .purgatory import Purgatory
from .replica import Replica
from .timer import Timer


class BrokerHalted(Exception):
    """The broker's process ends because its disk failed."""


@dataclass(frozen=True, kw_only=True)
class _Appended:
    """The outcome of an append to one partition; offset and leader epoch only if something was appended."""

    response: PartitionResponse
    required_offset: int | None = None
    leader_epoch: int | None = None


class ReplicaManager:
    """The partitions of one broker, and its two purgatories: of produce and of fetch requests."""

    def __init__(self, *, protocol: Protocol, clock: VirtualClock, isr_changes: IsrChanges) -> None:
        self.protocol, self.clock, self.isr_changes = protocol, clock, isr_changes
        self.timer = Timer(start=clock.now_ms)
        self.produces = Purgatory(clock, self.timer)
        self.fetches = Purgatory(clock, self.timer)
        self.replicas: dict[TopicPartition, Replica] = {}
        self.elsewhere: set[TopicPartition] = set()
        self.internal_topics: set[str] = set()
        self.joins_isr_by_fetch = True
        """Does the fetch that shows that a follower has caught up add it to the ISR, as in brokers?"""

    def host(self, replica: Replica) -> None:
        """Add a replica of a partition to the broker."""
        partition = replica.site.partition
        self.replicas[partition] = replica
        replica.on_high_watermark = lambda: self._high_watermark_grew(partition)
        replica.on_append = lambda: self._appended(partition)

    def stop_hosting(self, partition: TopicPartition) -> None:
        """Remove the broker's replica of a partition; what waits there is answered (R-DP-1, case A)."""
        self.replicas.pop(partition, None)
        self._leadership_changed(partition)

    def replica(self, partition: TopicPartition) -> Replica:
        """The replica. Raises BrokerError: unknown here, or known to be elsewhere (R-PROD-1)."""
        if partition in self.replicas:
            return self.replicas[partition]
        if partition in self.elsewhere:
            raise BrokerError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{partition} is on other brokers")
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{partition} is not known here")

    def hear(self, news: LeaderAndIsr) -> bool:
        """Adopt a decision of the controller; try again what waited for the former leadership (R-DP-3)."""
        if not self.replica(news.partition).hear(news):
            return False
        self._leadership_changed(news.partition)
        return True

    def _high_watermark_grew(self, partition: TopicPartition) -> None:
        self.produces.check_and_complete(partition)
        self.fetches.check_and_complete(partition)

    def _appended(self, partition: TopicPartition) -> None:
        """Followers wait for the log end; every append wakes them (R-PROD-3)."""
        self.fetches.check_and_complete(partition)

    def _leadership_changed(self, partition: TopicPartition) -> None:
        self.produces.check_and_complete(partition)
        self.fetches.check_and_complete(partition)

    def append(
        self, request: ProduceRequest, respond: Callable[[Responses], None], *, internal_allowed: bool = False
    ) -> None:
        """Append to every partition that accepts it, and respond: at once, or with acks=all when it is replicated (R-PROD-4)."""
        for _ in self.appending(request, respond, internal_allowed=internal_allowed):
            pass

    def appending(
        self, request: ProduceRequest, respond: Callable[[Responses], None], *, internal_allowed: bool = False
    ) -> Iterator[None]:
        """The steps of `append`: an append in the lock of each partition, and only then the delayed produce (KAFKA-1148).

        Other threads run wherever this yields, so leadership may change meanwhile.
        """
        if request.acks not in (ACKS_NONE, ACKS_LEADER, ACKS_ALL):
            refused = PartitionResponse(error=ErrorCode.INVALID_REQUIRED_ACKS)
            respond(dict.fromkeys(request.records, refused))
            return
        appended = {}
        for partition in request.records:
            appended[partition] = self._append_to(partition, request, internal_allowed)
            yield
        self._respond_when_replicated(request, appended, respond)

    def _append_to(self, partition: TopicPartition, request: ProduceRequest, internal_allowed: bool) -> _Appended:
        """Append to one partition, or return its error (R-PROD-1, R-PROD-2, R-PROD-5)."""
        try:
            if partition.topic in self.internal_topics and not internal_allowed:
                raise BrokerError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"clients do not write to {partition.topic}")
            replica = self.replica(partition)
            first, last = replica.append_as_leader(request.records[partition], request.acks)
        except BrokerError as error:
            return _Appended(response=PartitionResponse(error=error.code))
        except StorageError as error:
            if self.protocol.halts_on_storage_error:
                raise BrokerHalted(str(error)) from error
            return _Appended(response=PartitionResponse(error=ErrorCode.KAFKA_STORAGE_ERROR))
        except Exception:
            return _Appended(response=PartitionResponse(error=ErrorCode.UNKNOWN_SERVER_ERROR))
        done = PartitionResponse(error=ErrorCode.NONE, base_offset=first)
        return _Appended(response=done, required_offset=last + 1, leader_epoch=replica.leader_epoch)

    def _respond_when_replicated(
        self,
        request: ProduceRequest,
        appended: Mapping[TopicPartition, _Appended],
        respond: Callable[[Responses], None],
    ) -> None:
        awaited = {
            partition: Awaited(
                base_offset=one.response.base_offset,
                required_offset=one.required_offset,
                leader_epoch=one.leader_epoch,
            )
            for partition, one in appended.items()
            if one.required_offset is not None
        }
        if request.acks != ACKS_ALL or not awaited:
            respond({partition: one.response for partition, one in appended.items()})
            return
        settled = {partition: one.response for partition, one in appended.items() if partition not in awaited}
        produce = DelayedProduce(request=request, awaited=awaited, settled=settled, find=self.replica, respond=respond)
        self.produces.try_complete_else_watch(produce, awaited)

    def fetch(self, request: FetchRequest, respond: Callable[[Fetched], None]) -> Iterator[None]:
        """The steps of reading for a follower or a consumer; if there is too little, the response comes later (R-DF-1).

        A follower's response has the high watermark from before this fetch counted (R-FETCH-2). The log is read, and the follower's
        leader epoch checked, in one lock; the fetch is counted in another, and leadership may change between the two.
        """

        def read(partition: TopicPartition) -> FetchedPartition:
            return self.replica(partition).read(request.replica, request.positions[partition])

        found = read_all(request, read)
        if request.replica != CONSUMER:
            yield
            self._count_fetch(request, found)
        if request.max_wait_ms <= 0 or enough(request, found):
            respond(found)
            return
        fetch = DelayedFetch(request=request, read=read, respond=respond)
        self.fetches.try_complete_else_watch(fetch, request.positions)

    def _count_fetch(self, request: FetchRequest, found: Fetched) -> None:
        """The leader learns the follower's log end, unless the logs diverge; then the follower may join the ISR (R-FETCH-1).

        2.8.0 counts a follower's fetch even if the logs diverge (KAFKA-13141).
        """
        for partition, fetched in found.items():
            counts = fetched.diverging is None or self.protocol.counts_diverging_fetch
            if fetched.error is ErrorCode.NONE and counts and self._leads_since(partition, fetched):
                replica = self.replicas[partition]
                known = self._noted(replica, request.replica, fetched)
                replica.fetched_by(known, request.positions[partition].offset, request.broker_epoch)
                if self.joins_isr_by_fetch:
                    self.isr_changes.add_caught_up(replica, request.replica, known)

    def _noted(self, replica: Replica, follower: int, fetched: FetchedPartition) -> Follower:
        """Where a fetch is noted: up to 3.2 that is looked up now, by the follower's number; from 3.3 on the check has found it."""
        if self.protocol.late_counts_are_lost and fetched.follower is not None:
            return fetched.follower
        return replica.followers[follower]

    def _leads_since(self, partition: TopicPartition, fetched: FetchedPartition) -> bool:
        """Does the broker lead the partition, since its log was read or again? In no release that must be in the same epoch."""
        replica = self.replicas.get(partition)
        if replica is None or replica.leadership is None:
            return False
        return not self.protocol.fetches_know_epoch or replica.leader_epoch == fetched.leader_epoch

    def epoch_end(self, request: EpochEndRequest) -> EpochEndResponse:
        """Where an epoch ends in the log of the leader (R-TRUNC-2)."""
        try:
            replica = self.replica(request.partition)
            found = replica.epoch_end(request.epoch, request.leader_epoch)
        except BrokerError as error:
            return EpochEndResponse(error=error.code)
        return EpochEndResponse(found=found)

    def log_end(self, request: LogEndRequest) -> LogEndResponse:
        """Where the leader's log ends."""
        try:
            replica = self.replica(request.partition)
            replica.led()
        except BrokerError as error:
            return LogEndResponse(error=error.code)
        return LogEndResponse(end=replica.log.end)

    def checkpoint(self) -> None:
        """Checkpoint every high watermark, as brokers do now and then (R-CRASH-1)."""
        for partition, replica in self.replicas.items():
            replica.site.disk.checkpoint(partition, replica.high_watermark)

    def drop_slow_followers(self) -> None:
        """Check the ISRs of all partitions that this broker leads (R-ISR-1)."""
        for replica in self.replicas.values():
            self.isr_changes.drop_slow(replica)
