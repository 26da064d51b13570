"""Clients in processes of their own, of Kafka's own library or another, which obey commands that come through a socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from .cluster import Cluster
from .processes import JavaProcess
from .releases import ClusterError, RunnableRelease
from .wire import HOST

START_SECONDS = 60.0


class Call:
    """A call of a library that was made, and what it said."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self.error = self.said = ""

    def end(self, error: str = "", said: str = "") -> None:
        """It has returned, with an error or none, and with what it says."""
        self.error, self.said = error, said
        self._ended.set()

    @property
    def has_ended(self) -> bool:
        """Has it returned?"""
        return self._ended.is_set()

    def wait(self, seconds: float) -> str:
        """The error that it returns with, or an empty text. Raises ClusterError if it does not return in time."""
        if not self._ended.wait(seconds):
            raise ClusterError(f"a call of the client did not return within {seconds:g} s")
        return self.error


class SteeredClient:
    """A program that gets its settings, a topic and a port, and obeys commands that come through a socket there.

    `start` starts it with these arguments. It reads commands, each behind a number, and answers with the number, the name of an error
    or none, and what it says.
    """

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        settings: Mapping[str, str],
        topic: str,
        start: Callable[[list[str]], JavaProcess],
    ) -> None:
        properties = cluster.folder / f"{name}.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
        self._calls: dict[str, Call] = {}
        with socket.create_server((HOST, 0)) as server:
            server.settimeout(1)
            self.process = start([str(properties), topic, str(server.getsockname()[1])])
            self._connection = cluster.until(lambda: self._accepted(server), START_SECONDS, "the start of the client")
        threading.Thread(target=self._listen, daemon=True).start()

    @staticmethod
    def _accepted(server: socket.socket) -> socket.socket:
        connection, _ = server.accept()
        connection.settimeout(None)
        return connection

    def _listen(self) -> None:
        # Where the process is killed, the connection is reset.
        with suppress(OSError), self._connection.makefile(encoding="utf-8") as lines:
            for line in lines:
                number, _, answer = line.rstrip("\n").partition(" ")
                error, _, said = answer.partition(" ")
                self._calls[number].end(error, said)

    def call(self, command: str, *arguments: str) -> Call:
        """Make a call, and do not wait."""
        number, call = str(len(self._calls)), Call()
        self._calls[number] = call
        self._connection.sendall(f"{' '.join([number, command, *arguments])}\n".encode())
        return call

    def kill(self) -> None:
        """End the process without a further request."""
        self._connection.close()
        self.process.kill()


class JavaClient(SteeredClient):
    """One in Java, on the class path of the brokers' own release, or of another. `more` are options of Java."""

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        source: str,
        settings: Mapping[str, str],
        topic: str,
        release: RunnableRelease | None = None,
        *,
        more: Sequence[str] = (),
    ) -> None:
        def start(arguments: list[str]) -> JavaProcess:
            return cluster.run_java(name, source, arguments, more=more, other=release)

        super().__init__(cluster, name, settings, topic, start)
