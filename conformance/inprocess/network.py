"""Messages in flight: from one end to another they arrive in order, else in any order, and each may be lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Envelope:
    """A message in flight. Two with the same content are two messages."""

    source: str
    target: str
    body: object


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request; the reply has the same number. A caller that has several connections to the same end names the one that it uses."""

    number: int
    body: object
    connection: str = ""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The response to a request."""

    number: int
    body: object


@dataclass(frozen=True, kw_only=True)
class Closed:
    """The connection was closed: no reply will come to the request of this number."""

    number: int


class Network:
    """The messages in flight, and who receives them. An end that is not attached closes the connection of a caller."""

    def __init__(self) -> None:
        self.in_flight: list[Envelope] = []
        self._ends: dict[str, Callable[[Envelope], None]] = {}
        self._calls = 0

    def attach(self, name: str, take: Callable[[Envelope], None]) -> None:
        """From now on `take` receives the messages to `name`."""
        self._ends[name] = take

    def detach(self, name: str) -> None:
        """Messages to `name` have no receiver any more."""
        self._ends.pop(name, None)

    def attached(self, name: str) -> bool:
        return name in self._ends

    def send(self, source: str, target: str, body: object) -> Envelope:
        """Send a message."""
        envelope = Envelope(source, target, body)
        self.in_flight.append(envelope)
        return envelope

    def call(self, source: str, target: str, body: object, connection: str = "") -> Envelope:
        """Send a request, with its own number."""
        self._calls += 1
        return self.send(source, target, Call(number=self._calls, body=body, connection=connection))

    def next_of_each_pair(self) -> list[Envelope]:
        """The messages that may arrive next: the oldest from each end to each other."""
        found: dict[tuple[str, str], Envelope] = {}
        for envelope in self.in_flight:
            found.setdefault((envelope.source, envelope.target), envelope)
        return list(found.values())

    def deliver(self, envelope: Envelope) -> None:
        """The message arrives. A call to an end that does not exist is closed; any other message to it is lost."""
        self.lose(envelope)
        take = self._ends.get(envelope.target)
        if take is not None:
            take(envelope)
        elif isinstance(envelope.body, Call):
            self.send(envelope.target, envelope.source, Closed(number=envelope.body.number))

    def lose(self, envelope: Envelope) -> None:
        """The message never arrives."""
        self.in_flight = [other for other in self.in_flight if other is not envelope]

    def lose_all(self, *, source: str | None = None, target: str | None = None) -> None:
        """Lose every message from `source` and to `target`; without one of them, from or to anywhere."""
        self.in_flight = [
            e
            for e in self.in_flight
            if not ((source is None or e.source == source) and (target is None or e.target == target))
        ]
