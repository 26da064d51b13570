"""How a client talks to brokers: a request, and its response or none."""

from __future__ import annotations

from typing import Protocol


class ConnectionLost(Exception):
    """The broker closed the connection, or does not exist."""


class NoResponse(Exception):
    """No response came in time: request or response was lost, or the broker is slow. The client cannot know which."""


class Wire(Protocol):
    """What a client needs from its environment."""

    def exchange(self, connection: str, broker: int, body: object, timeout_ms: int) -> object:
        """Send a request and wait for its response. Raises ConnectionLost or NoResponse."""

    def send(self, connection: str, broker: int, body: object) -> None:
        """Send a request that gets no response. Raises ConnectionLost if the connection was closed before."""

    def sleep(self, delay_ms: int) -> None:
        """Let time pass."""

    def now_ms(self) -> int:
        """The current time."""
