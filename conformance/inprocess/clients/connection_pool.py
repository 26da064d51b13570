"""The 0.8.2 producer's pool: one connection per broker, all new after each refresh of the metadata (R-CLIENT-2)."""

from __future__ import annotations

from collections.abc import Iterable


class UnknownBroker(Exception):
    """The pool has no connection to the broker."""


class ConnectionPool:
    """Names of connections by broker; a rebuilt connection has another name."""

    def __init__(self, client: str) -> None:
        self._client, self._made = client, 0
        self._connections: dict[int, str] = {}

    def rebuild(self, brokers: Iterable[int]) -> None:
        """Close every connection to these brokers and open new ones; others are kept."""
        for broker in brokers:
            self._made += 1
            self._connections[broker] = f"{self._client}-{self._made}"

    def connection(self, broker: int) -> str:
        """The connection to a broker. Raises UnknownBroker."""
        if broker not in self._connections:
            known = ", ".join(map(str, sorted(self._connections))) or "none"
            raise UnknownBroker(f"no connection to broker {broker}; there are connections to {known}")
        return self._connections[broker]
