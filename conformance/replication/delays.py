"""Exchanges that last over a change of leadership or of the ISR: what a walk through the model has begun, and what is left of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neverlost.model.core import NONE
from neverlost.model.kafka.replication.state import (
    LATE_CHECK,
    LATE_CUT,
    LATE_LOOK,
    LATE_NEWS,
    LATE_PRODUCE,
    LATE_RECORD,
    LATE_REQUEST,
    LATE_SLICE,
    LATE_TRUNCATION,
    OVER,
    UNUSED,
)

from ..adapter import NotPerformed
from ..inprocess.delayed_produce import DelayedProduce
from ..inprocess.exchanges import HeldRequest, LateResponse
from ..inprocess.fetchers import broker_name
from ..inprocess.messages import AlterPartitionRequest
from ..inprocess.network import Envelope
from ..inprocess.replica import Replica
from ..inprocess.stepped_cluster import SteppedCluster
from .clients import PARTITION, Sender


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What can be seen of an exchange; None for what cannot."""

    kind: int
    broker: int = NONE
    follower: int = NONE
    offset: int | None = 0
    end: int | None = 0
    value: int = NONE
    epoch: int = NONE


@dataclass(frozen=True, kw_only=True)
class HeldProduce:
    """A value is appended, and its delayed produce not made yet."""

    held: HeldRequest
    value: int
    awaited: Callable[[], bool]
    """Does the producer still wait for the outcome?"""

    def seen(self) -> Seen | None:
        """What is left of it; None if it is over. What it will wait for, only its handler knows."""
        if not self.held.open or not self.awaited():
            return None
        return Seen(kind=LATE_PRODUCE, broker=self.held.broker.broker - 1, offset=None, value=self.value)


@dataclass(frozen=True, kw_only=True)
class HeldFetch:
    """A fetch is checked, and not counted yet."""

    held: HeldRequest
    follower: int

    def seen(self) -> Seen | None:
        """What is left of it; None if it is over. Where it will be noted, only its handler knows."""
        if not self.held.open:
            return None
        offset = self.held.position(PARTITION).offset
        return Seen(
            kind=LATE_CHECK, broker=self.held.broker.broker - 1, follower=self.follower, offset=offset, end=None
        )


@dataclass(frozen=True, kw_only=True)
class Response:
    """The response to a fetch is on its way."""

    late: LateResponse
    follower: int

    def seen(self) -> Seen | None:
        """What is left of it; None if it is over."""
        content = self.late.content()
        if content is None:
            return None
        kind, end, value, epoch = LATE_RECORD, content.high_watermark, NONE, NONE
        if content.diverging is not None:
            kind, end, epoch = LATE_CUT, content.diverging.end, content.diverging.epoch
        elif content.part is not None:
            kind = LATE_SLICE
        elif content.entries:
            value, epoch = int(content.entries[0].record.value), content.entries[0].leader_epoch
        return Seen(
            kind=kind,
            broker=self.late.broker.broker - 1,
            follower=self.follower,
            offset=self.late.position().offset,
            end=end,
            value=value,
            epoch=epoch,
        )


@dataclass(frozen=True, kw_only=True)
class Truncation:
    """A follower has heard of its leader, and is to ask it where to cut its log."""

    hosted: Callable[[], Replica | None]
    leader: int
    follower: int

    def seen(self) -> Seen | None:
        """What is left of it; None if it is over."""
        replica = self.hosted()
        following = None if replica is None else replica.following
        if replica is None or following is None or not following.truncating or following.leader != self.leader + 1:
            return None
        led = NONE if following.led is None or replica.site.protocol.fences_fetches else following.led
        return Seen(kind=LATE_TRUNCATION, broker=self.leader, follower=self.follower, epoch=led)


@dataclass(frozen=True, kw_only=True)
class Look:
    """A thread looks at a delayed produce, and has not seen the high watermark yet."""

    produce: DelayedProduce
    broker: int
    value: int
    waiting: Callable[[], bool]
    """Does the delayed produce still wait at a running broker?"""

    def seen(self) -> Seen | None:
        """What is left of it; None if it is over."""
        if not self.produce.looked_at or not self.waiting():
            return None
        end = self.produce.awaited[PARTITION].required_offset
        return Seen(kind=LATE_LOOK, broker=self.broker - 1, offset=end, value=self.value)


@dataclass(frozen=True, kw_only=True)
class AboutIsr:
    """Metadata of an ISR that its leader has yet to read, or a request for one that it has forgotten, and that may still be granted."""

    kind: int
    envelope: Envelope
    leader: int
    follower: int
    """The member that the leader has forgotten to have asked for; NONE if it gets the answer first."""
    lasts: Callable[[], bool]
    """Is the metadata still to be read, or may the request still be granted?"""

    def seen(self) -> Seen | None:
        """What is left of it; None if it is over."""
        return Seen(kind=self.kind, broker=self.leader - 1, follower=self.follower) if self.lasts() else None


Exchange = HeldProduce | HeldFetch | Response | Truncation | Look | AboutIsr


class Exchanges:
    """The exchange of each delay of the model. Once it is over it stays so."""

    def __init__(self, cluster: SteppedCluster, sender: Sender, delays: int) -> None:
        self._cluster, self._sender = cluster, sender
        self._begun: list[Exchange | None] = [None] * delays
        self._over = [False] * delays

    def _begin(self, delay: int, exchange: Exchange) -> None:
        self._begun[delay] = exchange

    def append(self, broker: int, value: int, delay: int) -> None:
        """A broker appends a value; its handler is held up then."""
        held = self._sender.send_and_hold(broker, value)
        self._begin(delay, HeldProduce(held=held, value=value, awaited=lambda: self._sender.waits_for(held)))

    def check(self, follower: int, delay: int) -> None:
        """A leader checks a follower's fetch; its handler is held up then."""
        held = self._cluster.fetch_and_hold(follower, PARTITION)
        if held is None:
            raise NotPerformed(f"broker {follower} does not fetch now")
        self._begin(delay, HeldFetch(held=held, follower=follower - 1))

    def go_on(self, delay: int) -> None:
        """The handler of a request goes on."""
        exchange = self._begun[delay]
        if not isinstance(exchange, HeldProduce | HeldFetch) or not exchange.held.open:
            raise NotPerformed("no handler is held up with this request any more")
        self._cluster.go_on(exchange.held)

    def answer(self, follower: int, delay: int) -> None:
        """A leader handles a follower's fetch. Only what is read from the log's file when it is sent waits for that."""
        late = self._cluster.fetch_and_wait(follower, PARTITION, max_records=1)
        if late is None:
            raise NotPerformed(f"broker {follower} does not fetch now")
        exchange = Response(late=late, follower=follower - 1)
        self._begin(delay, exchange)
        content = late.content()
        if content is not None and content.part is None:
            self._cluster.send_late(late)
        if content is not None and content.diverging is not None and not self._cluster.protocol.cuts_know_epoch:
            self._cluster.check_late(late)

    def send(self, delay: int) -> None:
        """A network thread sends a response."""
        self._cluster.send_late(self._response(delay))

    def receive(self, delay: int) -> None:
        """A follower gets a response."""
        self._cluster.receive_late(self._response(delay))

    def _response(self, delay: int) -> LateResponse:
        exchange = self._begun[delay]
        if not isinstance(exchange, Response) or not exchange.late.open:
            raise NotPerformed("this response cannot arrive any more")
        return exchange.late

    def await_response(self, follower: int, leader: int) -> bool:
        """Does a follower wait for a leader's response to an earlier fetch?"""
        return any(
            isinstance(one, Response)
            and one.late.open
            and (one.late.follower, one.late.broker.broker) == (broker_name(follower), leader)
            for one in self._begun
        )

    def hear(self, follower: int, leader: int, delay: int) -> None:
        """A broker has heard of another leader, and has yet to ask it where to cut its log."""
        self._settle()
        for earlier, one in enumerate(self._begun):
            if isinstance(one, Truncation) and one.follower == follower - 1:
                self._over[earlier] = True
        self._begin(
            delay,
            Truncation(
                hosted=lambda: self._cluster.hosted(follower, PARTITION), leader=leader - 1, follower=follower - 1
            ),
        )

    def cut_a_round(self, follower: int, delay: int) -> None:
        """A follower fetches, and cuts its log where one response says."""
        self._cluster.fetch(follower, PARTITION, max_records=1)
        self._over[delay] = True

    def begin_look(self, broker: int, value: int, delay: int) -> None:
        """A thread begins to look at a delayed produce."""
        waiting = self._sender.delayed(value)
        if waiting is None:
            raise NotPerformed(f"no produce request with value {value} waits anywhere")
        produce = waiting[1]
        self._cluster.begin_look(broker, PARTITION, produce)
        self._begin(
            delay,
            Look(
                produce=produce,
                broker=broker,
                value=value,
                waiting=lambda: self._sender.in_purgatory(value) == (broker, produce),
            ),
        )

    def end_look(self, delay: int) -> None:
        """The thread ends its look."""
        exchange = self._begun[delay]
        if not isinstance(exchange, Look) or exchange.seen() is None:
            raise NotPerformed("no thread looks at this delayed produce any more")
        self._cluster.end_look(exchange.broker, exchange.produce)

    def delay_news(self, leader: int, delay: int) -> None:
        """The metadata of an ISR will reach its leader late."""
        self._begin_news(delay, leader, NONE, self._cluster.delay_isr_news(leader, PARTITION))

    def _begin_news(self, delay: int, leader: int, follower: int, envelope: Envelope) -> None:
        news = AboutIsr(
            kind=LATE_NEWS,
            envelope=envelope,
            leader=leader,
            follower=follower,
            lasts=lambda: self._cluster.is_to_read(envelope),
        )
        self._begin(delay, news)

    def take_back(self, follower: int, delay: int) -> None:
        """A leader reads late metadata of an ISR that it knows, and so forgets what it has asked for."""
        news = self._about_isr(delay, LATE_NEWS)
        leader, request = news.leader, self._cluster.take_back(news.leader, news.envelope)
        self._begin(
            delay,
            AboutIsr(
                kind=LATE_REQUEST,
                envelope=request,
                leader=leader,
                follower=follower - 1,
                lasts=lambda: self._may_be_granted(leader, request),
            ),
        )

    def _about_isr(self, delay: int, kind: int) -> AboutIsr:
        exchange = self._begun[delay]
        if not isinstance(exchange, AboutIsr) or exchange.kind != kind or exchange.seen() is None:
            raise NotPerformed("this metadata or request of an ISR is over")
        return exchange

    def _may_be_granted(self, leader: int, request: Envelope) -> bool:
        replica, body = self._cluster.hosted(leader, PARTITION), request.body
        leads = replica is not None and replica.leadership is not None
        return leads and isinstance(body, AlterPartitionRequest) and self._cluster.controller.may_grant(body)

    def grant(self, delay: int) -> None:
        """The controller decides on what a leader has forgotten to have asked for."""
        request = self._about_isr(delay, LATE_REQUEST)
        news = self._cluster.grant_late(request.leader, PARTITION, request.envelope)
        self._begin_news(delay, request.leader, request.follower, news)

    def time_out(self, value: int) -> bool:
        """The producer waits no more for a value whose delayed produce is not made yet. False if there is none."""
        for one in self._begun:
            if isinstance(one, HeldProduce) and one.value == value and one.seen() is not None:
                self._sender.give_up(value)
                self._cluster.go_on(one.held)
                return True
        return False

    def _settle(self) -> list[Seen]:
        """What is left of each exchange. One that has come to its end does not begin anew."""
        found = []
        for delay, exchange in enumerate(self._begun):
            seen = Seen(kind=UNUSED) if exchange is None else exchange.seen()
            if seen is None or self._over[delay]:
                self._over[delay] = True
                seen = Seen(kind=OVER)
            found.append(seen)
        return found

    def observe(self) -> dict[str, Any]:
        """What is seen of every exchange."""
        found = self._settle()
        return {
            "late_kind": [seen.kind for seen in found],
            "late_broker": [seen.broker for seen in found],
            "late_follower": [seen.follower for seen in found],
            "late_offset": [seen.offset for seen in found],
            "late_end": [seen.end for seen in found],
            "late_value": [seen.value for seen in found],
            "late_epoch": [seen.epoch for seen in found],
        }
