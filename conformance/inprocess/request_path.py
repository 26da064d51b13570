"""The path of a request: connections, the request channel, and a pool of handlers (R-PROD-4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .delayed_produce import Responses
from .errors import ErrorCode
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
class RequestChannel:
    """Requests that wait for a handler. Each connection has one request in work; its others wait behind that."""

    waiting: deque[Request] = field(default_factory=deque)
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


class HandlerPool:
    """Handlers that take requests from the channel. Each has at most one request; their order is not fixed."""

    def __init__(self, channel: RequestChannel, handle: Callable[[Request], None], *, size: int = 8) -> None:
        self._channel, self._handle = channel, handle
        self.in_hand: list[Request | None] = [None] * size

    def moves(self) -> list[Callable[[], None]]:
        """What may happen next: an idle handler takes a request, or a busy one handles its request."""
        found: list[Callable[[], None]] = []
        free = [number for number, request in enumerate(self.in_hand) if request is None]
        takeable = any(request.connection not in self._channel.muted for request in self._channel.waiting)
        if free and takeable:
            found.append(partial(self._take, free[0]))
        for number, request in enumerate(self.in_hand):
            if request is not None:
                found.append(partial(self._finish, number))
        return found

    def _take(self, number: int) -> None:
        self.in_hand[number] = self._channel.take()

    def _finish(self, number: int) -> None:
        request = self.in_hand[number]
        self.in_hand[number] = None
        if request is not None:
            self._handle(request)

    def run(self) -> None:
        """Continue until nothing is left to do."""
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

    def handle(self, request: Request) -> None:
        """Answer a request, at once or later."""
        body = request.body
        match body:
            case ProduceRequest():
                self._handle_produce(request, body)
            case FetchRequest():
                self._manager.fetch(body, lambda found: self._answer(request, FetchResponse(partitions=found)))
            case EpochEndRequest():
                self._answer(request, self._manager.epoch_end(body))
            case LogEndRequest():
                self._answer(request, self._manager.log_end(body))
            case MetadataRequest():
                self._answer(request, self._metadata(body))
            case _:
                self._handle_other(request, body)

    def _handle_produce(self, request: Request, produce: ProduceRequest) -> None:
        """With acks=0 the broker never responds; an error closes the connection, the producer's only sign (R-PROD-4)."""

        def respond(responses: Responses) -> None:
            if produce.acks != ACKS_NONE:
                self._answer(request, ProduceResponse(partitions=responses))
                return
            self._channel.answered(request)
            if any(one.error is not ErrorCode.NONE for one in responses.values()):
                request.close()

        self._manager.append(produce, respond)

    def _handle_other(self, request: Request, body: object) -> None:
        if type(body) not in self.others:
            self._channel.answered(request)
            request.close()
            return
        self.others[type(body)](body, partial(self._answer, request))

    def _answer(self, request: Request, response: object) -> None:
        self._channel.answered(request)
        request.respond(response)
