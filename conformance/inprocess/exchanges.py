"""What lasts in a stepped cluster: requests that a handler is held up with, and responses on their way to followers."""

from __future__ import annotations

from dataclasses import dataclass

from .broker import Broker, Process
from .messages import FetchedPartition, FetchPosition, FetchRequest, FetchResponse
from .network import Call, Envelope, Network, Reply
from .protocol import TopicPartition
from .request_path import QueuedResponse, Work


@dataclass(eq=False, kw_only=True)
class HeldRequest:
    """A request whose handler has done the first step, and is held up."""

    broker: Broker
    process: Process
    call: Envelope
    work: Work

    @property
    def open(self) -> bool:
        """Is the handler still to continue?"""
        return self.broker.process is self.process and self.work in self.process.pool.in_hand

    def position(self, partition: TopicPartition) -> FetchPosition:
        """What a fetch asked for. Raises TypeError for another request."""
        return position_of(self.call, partition)

    def drop(self) -> None:
        """The handler does nothing more for the request."""
        if self.open:
            self.process.pool.drop(self.work)
            self.process.channel.answered(self.work.request)


@dataclass(eq=False, kw_only=True)
class LateResponse:
    """A leader's response to a follower's fetch: not sent yet, or sent and not arrived.

    One that is `lost` may only come when it does not count any more.
    """

    network: Network
    broker: Broker
    process: Process
    follower: str
    partition: TopicPartition
    leader_epoch: int | None
    """The leader epoch that the follower was in when it asked."""
    call: Envelope
    queued: QueuedResponse
    lost: bool = False
    checked: bool = False
    """Has the follower looked already whether it counts?"""

    @property
    def unsent(self) -> bool:
        """Does it wait for a network thread of the leader?"""
        return self.broker.process is self.process and self.queued in self.process.channel.queued

    @property
    def reply(self) -> Envelope | None:
        """The response in the network; None before it is sent, and once it has arrived or is lost."""
        number = number_of(self.call)
        found = [e for e in self.network.in_flight if isinstance(e.body, Reply) and e.body.number == number]
        return found[0] if found else None

    @property
    def open(self) -> bool:
        """May it still arrive?"""
        return self.unsent or self.reply is not None

    def position(self) -> FetchPosition:
        """What the follower asked for."""
        return position_of(self.call, self.partition)

    def content(self) -> FetchedPartition | None:
        """What it says of the partition; None if it cannot arrive any more."""
        reply = self.reply
        body = self.queued.body if self.unsent else None
        if reply is not None and isinstance(reply.body, Reply):
            body = reply.body.body
        return body.partitions[self.partition] if isinstance(body, FetchResponse) else None

    def lose(self) -> None:
        """It never arrives."""
        if self.unsent:
            self.process.channel.queued.remove(self.queued)
            self.process.channel.answered(self.queued.request)
        reply = self.reply
        if reply is not None:
            self.network.lose(reply)


def number_of(envelope: Envelope) -> int:
    """The number of a call. Raises TypeError for another message."""
    if not isinstance(envelope.body, Call):
        raise TypeError(f"{envelope.body!r} is no call")
    return envelope.body.number


def position_of(call: Envelope, partition: TopicPartition) -> FetchPosition:
    """What a fetch asks for. Raises TypeError for another message."""
    if not isinstance(call.body, Call) or not isinstance(call.body.body, FetchRequest):
        raise TypeError(f"{call.body!r} is no fetch")
    return call.body.body.positions[partition]
