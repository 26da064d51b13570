"""A broker's fetchers: they fetch each partition that it follows from its leader, one request at a time (R-FETCH-1)."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ErrorCode
from .following import Following
from .messages import EpochEndResponse, FetchPosition, FetchRequest, FetchResponse, LogEndResponse
from .network import Call, Closed, Envelope, Network, Reply
from .protocol import TopicPartition
from .replica import Replica

BACKOFF_MS = 100
"""replica.fetch.backoff.ms"""


def broker_name(broker: int) -> str:
    """The broker's end of the network."""
    return f"broker-{broker}"


@dataclass(eq=False, kw_only=True)
class Asked:
    """What a fetcher thread waits for: the response of a leader, to a request while the partition followed it in an epoch."""

    partition: TopicPartition
    following: Following
    position: FetchPosition
    checked: bool = False
    """Has the thread seen already that the response counts?"""


class Fetchers:
    """A thread for each leader sends the next request for each partition followed there, and handles the response.

    Other partitions keep the threads alive. A thread waits for one response for a partition at a time, also while the partition
    leaves it, and when it is back; then a response to a request of an earlier leader epoch may come.
    """

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
        self._asked: dict[int, Asked] = {}
        self._not_before_ms: dict[TopicPartition, int] = {}
        self._given_up = 0

    def busy(self, partition: TopicPartition) -> bool:
        """Does the thread for the partition's leader still wait for a response, in whatever leader epoch it has asked?"""
        following = self._replicas[partition].following
        return following is not None and (partition, following.leader) in [
            (asked.partition, asked.following.leader) for asked in self._asked.values()
        ]

    def send(self, partition: TopicPartition, *, max_records: int = 1000) -> Envelope | None:
        """Ask the leader where to cut the log, or for records; None if the partition is not followed, or a response is outstanding."""
        following = self._replicas[partition].following
        if following is None or self.busy(partition):
            return None
        following.settle_if_empty()
        position = following.fetch_position(max_records)
        body: object = (
            following.epoch_end_request()
            or following.log_end_request()
            or FetchRequest(
                replica=self._broker,
                positions={partition: position},
                broker_epoch=self._broker_epoch,
                max_wait_ms=self._wait_ms,
            )
        )
        name = broker_name(self._broker)
        connection = f"{name} registered {self._broker_epoch}, connection {self._given_up}"
        envelope = self._network.call(name, broker_name(following.leader), body, connection)
        if isinstance(envelope.body, Call):
            self._asked[envelope.body.number] = Asked(partition=partition, following=following, position=position)
        return envelope

    def ready(self, now_ms: int) -> list[TopicPartition]:
        """The partitions whose next request may be sent: followed, no response outstanding, and no backoff after an error."""
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
        """Handle a response, or that none will come. Ignore what the partition does not wait for now; after an error, back off."""
        asked = self._asked.pop(reply.number, None)
        if asked is None:
            return
        following = self._replicas[asked.partition].following
        if following is None or following.leader != asked.following.leader:
            return
        same_epoch = following is asked.following
        error = ErrorCode.NONE
        match reply:
            case Reply(body=FetchResponse(partitions=fetched)):
                if asked.checked or following.is_ready_for(asked.position):
                    following.take_fetched(fetched[asked.partition])
                    error = fetched[asked.partition].error
            case Reply(body=EpochEndResponse() as answer):
                if same_epoch:
                    following.take_epoch_end(answer)
                    error = answer.error
            case Reply(body=LogEndResponse() as end):
                if same_epoch:
                    following.take_log_end(end)
                    error = end.error
            case _:
                error = ErrorCode.NETWORK_EXCEPTION
        if error is not ErrorCode.NONE:
            self._not_before_ms[asked.partition] = now_ms + BACKOFF_MS

    def check_early(self, partition: TopicPartition) -> None:
        """The thread that waits for a response looks now whether it counts, and frees the lock before it obeys."""
        following = self._replicas[partition].following
        for asked in self._asked.values():
            if following is not None and asked.partition == partition and asked.following is following:
                asked.checked = following.is_ready_for(asked.position)

    def give_up(self, partition: TopicPartition) -> None:
        """Stop waiting for the response of a partition's leader, as after a socket timeout. The next request has another connection."""
        following = self._replicas[partition].following
        if following is None:
            return
        waiting = (partition, following.leader)
        self._asked = {
            n: asked for n, asked in self._asked.items() if (asked.partition, asked.following.leader) != waiting
        }
        self._given_up += 1
