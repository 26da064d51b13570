"""The path of a request: connections, the request channel, and a pool of handlers (R-PROD-4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .delayed_produce import Responses
from .errors import ErrorCode
from .log import FileTooShort
from .messages import (
    ACKS_NONE,
    EpochEndRequest,
    FetchRequest,
    FetchResponse,
    LogEndRequest,
    MetadataRequest,
    ProduceRequest,
    ProduceResponse,
)
from .replica_manager import ReplicaManager


@dataclass(eq=False, kw_only=True)
class Request:
    """A request, and how to answer it: with a response, with none (acks=0), or by closing the connection."""

    connection: str
    body: object
    respond: Callable[[object], None]
    close: Callable[[], None]


@dataclass(eq=False)
class QueuedResponse:
    """A response that a network thread has not sent yet."""

    request: Request
    body: object


@dataclass(eq=False)
class RequestChannel:
    """Requests that wait for a handler, and responses that wait for a network thread.

    Each connection has one request in work; its others wait behind that, until its response is sent.
    """

    waiting: deque[Request] = field(default_factory=deque)
    queued: list[QueuedResponse] = field(default_factory=list)
    muted: set[str] = field(default_factory=set)
    unanswered: dict[int, Request] = field(default_factory=dict)

    def receive(self, request: Request) -> None:
        self.waiting.append(request)
        self.unanswered[id(request)] = request

    def take(self) -> Request | None:
        """The oldest request whose connection is free; its connection is muted until it is answered."""
        for request in self.waiting:
            if request.connection not in self.muted:
                self.waiting.remove(request)
                self.muted.add(request.connection)
                return request
        return None

    def answered(self, request: Request) -> None:
        """The request is done: the next of its connection may be taken."""
        self.unanswered.pop(id(request), None)
        self.muted.discard(request.connection)

    def respond(self, request: Request, body: object) -> None:
        """A handler has the response; a network thread sends it later."""
        self.queued.append(QueuedResponse(request, body))

    def send(self, response: QueuedResponse) -> None:
        """A network thread sends the response, with what is in the file now. If the file is too short, the connection breaks."""
        self.queued.remove(response)
        self.answered(response.request)
        body = response.body
        try:
            sent = body.sent() if isinstance(body, FetchResponse) else body
        except FileTooShort:
            response.request.close()
            return
        response.request.respond(sent)


@dataclass(eq=False)
class Work:
    """A request in a handler's hand, and what is left to do for it: other threads run between the steps."""

    request: Request
    steps: Iterator[None]
    held: bool = False
    """Does the handler not continue for now, as when another partition's lock or a slow disk stops it?"""


class HandlerPool:
    """Handlers that take requests from the channel. Each has at most one request; their order is not fixed."""

    def __init__(self, channel: RequestChannel, handle: Callable[[Request], Iterator[None]], *, size: int = 8) -> None:
        self._channel, self._handle = channel, handle
        self.in_hand: list[Work | None] = [None] * size

    def moves(self) -> list[Callable[[], object]]:
        """What may happen next: an idle handler takes a request, or a busy one does the next step of its request."""
        found: list[Callable[[], object]] = []
        free = [number for number, work in enumerate(self.in_hand) if work is None]
        takeable = any(request.connection not in self._channel.muted for request in self._channel.waiting)
        if free and takeable:
            found.append(partial(self._take, free[0]))
        found += [partial(self.advance, work) for work in self.in_hand if work is not None and not work.held]
        return found

    def _take(self, number: int) -> Work | None:
        request = self._channel.take()
        work = None if request is None else Work(request, self._handle(request))
        self.in_hand[number] = work
        return work

    def advance(self, work: Work) -> None:
        """Do the next step for a request; after the last one its handler is idle."""
        try:
            next(work.steps)
        except StopIteration:
            self.drop(work)

    def drop(self, work: Work) -> None:
        """The handler does nothing more for the request."""
        self.in_hand = [None if one is work else one for one in self.in_hand]

    def begin(self) -> Work | None:
        """An idle handler takes the oldest request, does its first step, and is held up then. None if the request is done by that."""
        work = self._take(self.in_hand.index(None))
        if work is None:
            return None
        self.advance(work)
        work.held = True
        return work if work in self.in_hand else None

    def run(self) -> None:
        """Continue until nothing is left to do, except for requests that are held up."""
        while moves := self.moves():
            moves[0]()


class RequestHandlers:
    """What a broker does with each kind of request."""

    def __init__(
        self, manager: ReplicaManager, channel: RequestChannel, metadata: Callable[[MetadataRequest], object]
    ) -> None:
        self._manager, self._channel, self._metadata = manager, channel, metadata
        self.others: dict[type, Callable[[Any, Callable[[object], None]], None]] = {}
        """What other parts of the broker, such as the group coordinator, do with their requests."""

    def handle(self, request: Request) -> Iterator[None]:
        """The steps that answer a request, at once or later."""
        body = request.body
        match body:
            case ProduceRequest():
                yield from self._handle_produce(request, body)
            case FetchRequest():
                yield from self._manager.fetch(
                    body, lambda found: self._answer(request, FetchResponse(partitions=found))
                )
            case EpochEndRequest():
                self._answer(request, self._manager.epoch_end(body))
            case LogEndRequest():
                self._answer(request, self._manager.log_end(body))
            case MetadataRequest():
                self._answer(request, self._metadata(body))
            case _:
                self._handle_other(request, body)

    def _handle_produce(self, request: Request, produce: ProduceRequest) -> Iterator[None]:
        """With acks=0 the broker never responds; an error closes the connection, the producer's only sign (R-PROD-4)."""

        def respond(responses: Responses) -> None:
            if produce.acks != ACKS_NONE:
                self._answer(request, ProduceResponse(partitions=responses))
                return
            self._channel.answered(request)
            if any(one.error is not ErrorCode.NONE for one in responses.values()):
                request.close()

        return self._manager.appending(produce, respond)

    def _handle_other(self, request: Request, body: object) -> None:
        if type(body) not in self.others:
            self._channel.answered(request)
            request.close()
            return
        self.others[type(body)](body, partial(self._answer, request))

    def _answer(self, request: Request, response: object) -> None:
        self._channel.respond(request, response)
