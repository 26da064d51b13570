"""Messages on their way: between two ends they arrive in order, between others in any order, and any may be lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Envelope:
    """A message on its way. Two with the same contents are two messages."""

    source: str
    target: str
    body: object


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request; the reply has the same number."""

    number: int
    body: object


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
    """What is in flight, and who takes it in. An end that is not attached closes the connection of whoever calls it."""

    def __init__(self) -> None:
        self.in_flight: list[Envelope] = []
        self._ends: dict[str, Callable[[Envelope], None]] = {}
        self._calls = 0

    def attach(self, name: str, take: Callable[[Envelope], None]) -> None:
        """From now on messages to `name` are taken in by `take`."""
        self._ends[name] = take

    def detach(self, name: str) -> None:
        """Nobody takes in messages to `name` any more."""
        self._ends.pop(name, None)

    def attached(self, name: str) -> bool:
        return name in self._ends

    def send(self, source: str, target: str, body: object) -> Envelope:
        """Put a message on its way."""
        envelope = Envelope(source, target, body)
        self.in_flight.append(envelope)
        return envelope

    def call(self, source: str, target: str, body: object) -> Envelope:
        """Put a request on its way, under a number of its own."""
        self._calls += 1
        return self.send(source, target, Call(number=self._calls, body=body))

    def next_of_each_pair(self) -> list[Envelope]:
        """The messages that may arrive next: between two ends the oldest."""
        found: dict[tuple[str, str], Envelope] = {}
        for envelope in self.in_flight:
            found.setdefault((envelope.source, envelope.target), envelope)
        return list(found.values())

    def deliver(self, envelope: Envelope) -> None:
        """The message arrives. A call to an end that is not there is closed; another message is lost."""
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
