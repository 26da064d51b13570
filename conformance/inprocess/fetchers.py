"""A broker's fetchers: they fetch each partition that it follows from its leader, one request at a time (R-FETCH-1)."""

from __future__ import annotations

from .errors import ErrorCode
from .following import Following
from .messages import EpochEndResponse, FetchRequest, FetchResponse, LogEndResponse
from .network import Call, Closed, Envelope, Network, Reply
from .protocol import TopicPartition
from .replica import Replica

BACKOFF_MS = 100
"""replica.fetch.backoff.ms"""


def broker_name(broker: int) -> str:
    """The broker's end of the network."""
    return f"broker-{broker}"


class Fetchers:
    """Sends the next request for each followed partition, and handles the reply, unless the leader changed meanwhile."""

    def __init__(
        self,
        *,
        broker: int,
        broker_epoch: int,
        network: Network,
        replicas: dict[TopicPartition, Replica],
        wait_ms: int,
    ) -> None:
        self._broker, self._broker_epoch, self._network = broker, broker_epoch, network
        self._replicas, self._wait_ms = replicas, wait_ms
        self._asked: dict[int, tuple[TopicPartition, Following]] = {}
        self._not_before_ms: dict[TopicPartition, int] = {}

    def busy(self, partition: TopicPartition) -> bool:
        """Is a reply for the partition still outstanding?"""
        following = self._replicas[partition].following
        return (partition, following) in self._asked.values()

    def send(self, partition: TopicPartition, *, max_records: int = 1000) -> Envelope | None:
        """Ask the leader where to cut the log, or for records; None if the partition is not followed, or a reply is outstanding."""
        following = self._replicas[partition].following
        if following is None or self.busy(partition):
            return None
        body: object = (
            following.epoch_end_request()
            or following.log_end_request()
            or FetchRequest(
                replica=self._broker,
                positions={partition: following.fetch_position(max_records)},
                broker_epoch=self._broker_epoch,
                max_wait_ms=self._wait_ms,
            )
        )
        envelope = self._network.call(broker_name(self._broker), broker_name(following.leader), body)
        if isinstance(envelope.body, Call):
            self._asked[envelope.body.number] = (partition, following)
        return envelope

    def ready(self, now_ms: int) -> list[TopicPartition]:
        """The partitions whose next request may be sent: followed, no reply outstanding, and no backoff after an error."""
        return [
            partition
            for partition, replica in self._replicas.items()
            if replica.following is not None
            and not self.busy(partition)
            and self._not_before_ms.get(partition, 0) <= now_ms
        ]

    def backing_off(self, now_ms: int) -> list[int]:
        """The times at which the backoff of partitions ends."""
        return [time_ms for time_ms in self._not_before_ms.values() if time_ms > now_ms]

    def take(self, reply: Reply | Closed, now_ms: int) -> None:
        """Handle a reply, or that none will come. Ignore a reply to an earlier epoch; after an error, back off."""
        partition, following = self._asked.pop(reply.number, (None, None))
        if partition is None or following is None or self._replicas[partition].following is not following:
            return
        match reply:
            case Reply(body=FetchResponse(partitions=fetched)):
                following.take_fetched(fetched[partition])
                error = fetched[partition].error
            case Reply(body=EpochEndResponse() as answer):
                following.take_epoch_end(answer)
                error = answer.error
            case Reply(body=LogEndResponse() as end):
                following.take_log_end(end)
                error = end.error
            case _:
                error = ErrorCode.NETWORK_EXCEPTION
        if error is not ErrorCode.NONE:
            self._not_before_ms[partition] = now_ms + BACKOFF_MS

    def give_up(self, partition: TopicPartition) -> None:
        """Stop waiting for the reply for a partition in the current leader epoch, as after a socket timeout."""
        waiting = (partition, self._replicas[partition].following)
        self._asked = {number: asked for number, asked in self._asked.items() if asked != waiting}
