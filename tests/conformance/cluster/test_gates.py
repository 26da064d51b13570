"""What a gate holds: requests, answers as they were sent, and answers that are left unread; seen with a server that is no broker."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster.gates import FETCH, Gates, Part
from neverlost.conformance.cluster.processes import free_ports
from neverlost.conformance.cluster.wire import HOST, read_exactly

PLACE = (FETCH, 2, 1)
LONG = 64 << 20
"""More than the system keeps of an answer that nobody reads."""
WAIT_SECONDS = 30


class Server:
    """Answers each request with its log as it is when the bytes are sent: the first byte at once, the last one at last."""

    def __init__(self, port: int) -> None:
        self.log, self.size = b"old", 100
        self.asked = threading.Semaphore(0)
        self.has_sent = threading.Semaphore(0)
        self.listening = socket.create_server((HOST, port))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self.listening.accept()
        with suppress(OSError):
            while True:
                (size,) = struct.unpack(">i", read_exactly(connection, 4))
                (correlation,) = struct.unpack_from(">i", read_exactly(connection, size), 4)
                self.asked.release()
                connection.sendall(struct.pack(">ii", 4 + self.size + 3, correlation) + bytes(self.size))
                connection.sendall(self.log)
                self.has_sent.release()


class Follower:
    """Asks through the proxy, as broker 2, and reads answers in a thread of its own."""

    def __init__(self, port: int) -> None:
        self.connection = socket.create_connection((HOST, port))
        self.answers: list[bytes] = []
        self.has_read = threading.Semaphore(0)
        self.is_cut = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self) -> None:
        client = b"broker-2-fetcher-0"
        self._send(struct.pack(">hhih", 1, 12, 7, len(client)) + client + b"\0")

    def control(self) -> None:
        """Tell of a leader, as the controller does."""
        self._send(struct.pack(">hhih", 4, 1, 7, 3) + b"100")

    def _send(self, request: bytes) -> None:
        self.connection.sendall(struct.pack(">i", len(request)) + request)

    def hears_nothing_more(self) -> bool:
        """Is the connection closed?"""
        return self.is_cut.wait(WAIT_SECONDS)

    def _read(self) -> None:
        try:
            self._read_on()
        finally:
            self.is_cut.set()

    def _read_on(self) -> None:
        with suppress(OSError):
            while True:
                (size,) = struct.unpack(">i", read_exactly(self.connection, 4))
                self.answers.append(read_exactly(self.connection, size)[-3:])
                self.has_read.release()


def happened(event: threading.Semaphore) -> bool:
    return event.acquire(timeout=WAIT_SECONDS)


@pytest.fixture
def gates() -> Iterator[Gates]:
    found = Gates()
    yield found
    found.close()


@pytest.fixture
def server() -> Server:
    return Server(*free_ports(1))


@pytest.fixture
def follower(gates: Gates, server: Server) -> Follower:
    (port,) = free_ports(1)
    gates.listen(1, port, server.listening.getsockname()[1])
    return Follower(port)


def test_a_request_that_is_held_has_not_come_to_the_broker(gates: Gates, server: Server, follower: Follower) -> None:
    gates.shut(*PLACE)
    follower.ask()
    gates.waiting(*PLACE)
    assert not server.asked.acquire(blocking=False)
    assert gates.held() == [(PLACE, 1)]
    gates.open(*PLACE)
    assert happened(follower.has_read)
    assert gates.held() == []


def test_an_answer_that_is_held_has_what_was_in_the_log_when_it_was_sent(
    gates: Gates, server: Server, follower: Follower
) -> None:
    gates.shut(*PLACE, Part.ANSWER)
    follower.ask()
    gates.wait(lambda: gates.gate(*PLACE).answers, WAIT_SECONDS, "a held answer")
    assert happened(server.has_sent)
    server.log = b"new"
    assert follower.answers == []
    gates.open(*PLACE)
    assert happened(follower.has_read)
    assert follower.answers == [b"old"]


def test_an_answer_that_is_left_unread_brings_what_is_in_the_log_when_it_is_read(
    gates: Gates, server: Server, follower: Follower
) -> None:
    server.size = LONG
    gates.shut(*PLACE, Part.UNREAD_ANSWER)
    follower.ask()
    gates.wait(lambda: gates.gate(*PLACE).answers, WAIT_SECONDS, "an unread answer")
    assert not server.has_sent.acquire(blocking=False)
    server.log = b"new"
    gates.open(*PLACE)
    assert happened(follower.has_read)
    assert follower.answers == [b"new"]


def test_a_request_that_waited_passes_while_its_answer_is_held(
    gates: Gates, server: Server, follower: Follower
) -> None:
    gates.shut(*PLACE)
    follower.ask()
    gates.waiting(*PLACE)
    gates.shut(*PLACE, Part.ANSWER)
    gates.open(*PLACE, Part.REQUEST)
    gates.wait(lambda: gates.gate(*PLACE).answers, WAIT_SECONDS, "a held answer")
    assert follower.answers == []
    assert gates.gate(*PLACE).holds == {Part.ANSWER}
    gates.open(*PLACE, Part.ANSWER)
    assert happened(follower.has_read)


def test_an_answer_passes_whose_request_came_before_answers_were_held(
    gates: Gates, server: Server, follower: Follower
) -> None:
    server.size = LONG
    gates.shut(*PLACE, Part.UNREAD_ANSWER)
    follower.ask()
    gates.wait(lambda: gates.gate(*PLACE).answers, WAIT_SECONDS, "an unread answer")
    gates.open(*PLACE)
    gates.shut(*PLACE, Part.ANSWER)
    assert happened(follower.has_read)


def test_the_controller_is_cut_off_from_a_broker_whose_session_has_ended_until_it_is_back(
    gates: Gates, server: Server, follower: Follower
) -> None:
    gates.gone.add(1)
    follower.control()
    assert follower.hears_nothing_more()
    assert not server.asked.acquire(blocking=False)


def test_what_others_ask_a_broker_whose_session_has_ended_passes(
    gates: Gates, server: Server, follower: Follower
) -> None:
    gates.gone.add(1)
    follower.ask()
    assert happened(server.asked)
