"""A client's connections into a simulated cluster: while the client waits, the cluster runs."""

from __future__ import annotations

from ..cluster import Cluster
from ..fetchers import broker_name
from ..network import Call, Closed, Envelope, Reply
from .wire import ConnectionLost, NoResponse


class SimulatedWire:
    """Exchanges messages with brokers; blocks by letting the cluster run."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._answers: dict[int, Reply | Closed] = {}
        self._closed: set[str] = set()

    def _take(self, envelope: Envelope) -> None:
        match envelope.body:
            case Reply() as reply:
                self._answers[reply.number] = reply
            case Closed() as closed:
                self._answers[closed.number] = closed
                self._closed.add(envelope.target)

    def _call(self, connection: str, broker: int, body: object) -> int:
        if not self._cluster.network.attached(connection):
            self._cluster.network.attach(connection, self._take)
        envelope = self._cluster.network.call(connection, broker_name(broker), body)
        if not isinstance(envelope.body, Call):
            raise TypeError(f"{envelope.body!r} is no call")
        return envelope.body.number

    def exchange(self, connection: str, broker: int, body: object, timeout_ms: int) -> object:
        self._closed.discard(connection)
        number = self._call(connection, broker, body)
        self._cluster.scheduler.run_until(lambda: number in self._answers, timeout_ms)
        match self._answers.pop(number, None):
            case Reply(body=answer):
                return answer
            case Closed():
                raise ConnectionLost(f"broker {broker} closed the connection {connection}")
            case _:
                raise NoResponse(f"broker {broker} did not answer within {timeout_ms} ms")

    def send(self, connection: str, broker: int, body: object) -> None:
        if connection in self._closed:
            self._closed.discard(connection)
            raise ConnectionLost(f"broker {broker} closed the connection {connection}")
        self._call(connection, broker, body)

    def sleep(self, delay_ms: int) -> None:
        self._cluster.run_for(delay_ms)

    def now_ms(self) -> int:
        return self._cluster.clock.now_ms
