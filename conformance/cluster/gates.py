"""Gates between brokers: a proxy in front of each that knows Kafka's frames, and lets one pass when it is asked to.

Every broker offers the proxy's port to the others. A gate stands for one kind of request from one node to another: it lets everything
pass, or holds each request (or each answer) until it is released, delivered or dropped.
"""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from .processes import PortTakenError
from .releases import ClusterError
from .wire import HOST, read_exactly

T = TypeVar("T")

FETCH, EPOCH_END, CONTROL, ALTER_ISR, METADATA_LOG, HEARTBEAT, REGISTRATION, SHUTDOWN, OTHER = (
    *("fetch", "epoch end", "control", "alter ISR", "metadata log", "heartbeat", "registration", "shutdown", "other"),
)
VOTE, BEGIN_EPOCH, END_EPOCH = "vote", "begin epoch", "end epoch"
"""What controllers send to each other beside fetches of the metadata log (KIP-595)."""
PRODUCE, INIT_PRODUCER_ID, ADD_PARTITIONS, END_TXN, MARKERS, OFFSETS = (
    *("produce", "producer id", "add partitions", "end of a transaction", "markers", "offsets of a transaction"),
)
OFFSET_COMMIT, SYNC_GROUP, GROUP_HEARTBEAT = "offset commit", "sync group", "group heartbeat"
"""What a member of a group commits; how it asks for its assignment, and how it does with the new protocol (KIP-848)."""
FETCH_KEY, LEADER_AND_ISR_KEY, SHUTDOWN_KEY, HEARTBEAT_KEY = 1, 4, 7, 63
KINDS = {
    0: PRODUCE,
    8: OFFSET_COMMIT,
    14: SYNC_GROUP,
    22: INIT_PRODUCER_ID,
    23: EPOCH_END,
    24: ADD_PARTITIONS,
    25: ADD_PARTITIONS,
    26: END_TXN,
    27: MARKERS,
    28: OFFSETS,
    4: CONTROL,
    5: CONTROL,
    6: CONTROL,
    56: ALTER_ISR,
    SHUTDOWN_KEY: SHUTDOWN,
    52: VOTE,
    53: BEGIN_EPOCH,
    54: END_EPOCH,
    62: REGISTRATION,
    63: HEARTBEAT,
    68: GROUP_HEARTBEAT,
}
FLEXIBLE_FROM = {1: 12, 4: 4, 5: 2, 6: 6, 7: 3, 23: 4, 56: 0, 62: 0, 63: 0}
"""From which version of a request its header ends with tagged fields, of which brokers send none."""
FIRST_SHUTDOWN_WITH_BROKER_EPOCH = 2
CONTROLLER = "controller"
"""The destination of what goes to a KRaft controller's own port."""
SOURCES = re.compile(
    r"broker-(\d+)-(?:fetcher|txn-marker-sender)|AddPartitionsManager-client-(\d+)$|raft-client-(\d+)$|id_(\d+)-host|(\d+)$"
)
PRODUCERS, MEMBERS = "producer-", "member-"
"""How the client ids of producers and members of groups begin that are nodes of their own: `producer-p1` is p1."""

Node = int | str
Place = tuple[str, Node | None, Node]


class Answer(Enum):
    """What becomes of the answer to a request that is let through."""

    DELIVERED = "delivered"
    DROPPED = "dropped"
    """The connection is cut in its place: the sender learns nothing."""
    HELD = "held"
    """It waits in the proxy until it is delivered or dropped."""


class Part(Enum):
    """What a gate holds."""

    REQUEST = "request"
    ANSWER = "answer"
    """It has come to the proxy as a whole: what is in it does not change any more."""
    UNREAD_ANSWER = "unread answer"
    """It is left on the broker's side, as on a slow link: what the broker has not sent yet it reads from its log later."""


UNREAD_BYTES, READ_BYTES = 1 << 15, 1 << 20
"""How much of an answer the system is to take from the broker before it is read: while it is left unread, and afterwards."""


class _Closed(Exception):
    pass


class Frame:
    """One request on its way, its place in its connection, and its answer as soon as there is one."""

    def __init__(self, connection: Connection, data: bytes) -> None:
        self.connection, self.data, self.at = connection, bytearray(data), time.monotonic()
        self.key, self.version, self.correlation = struct.unpack_from(">hhi", data)
        size = -1 if self._has_no_client else struct.unpack_from(">h", data, 8)[0]
        self.client = data[10 : 10 + size].decode("latin1") if size > 0 else ""
        self.body = 10 + max(size, 0) + (self.version >= FLEXIBLE_FROM.get(self.key, 1 << 15))
        if self._has_no_client:
            self.body = 8
        self.kind, self.source = self._origin()
        self.released: Answer | None = None
        self.answer_is_held: set[Part] = set()
        self.reply: bytes | None = None

    def wait(self) -> None:
        """From now on it waits to be released."""
        self.released = None

    @property
    def names_broker_epoch(self) -> bool:
        """Does a request to the controller say in which epoch its broker is registered, after the broker's id?"""
        return self.kind == ALTER_ISR or (self.kind == SHUTDOWN and self.version >= FIRST_SHUTDOWN_WITH_BROKER_EPOCH)

    @property
    def _has_no_client(self) -> bool:
        """Has the header no client id? Only the first request for a controlled shutdown, of 0.8, has none."""
        return bool(self.key == SHUTDOWN_KEY and self.version == 0)

    def _origin(self) -> tuple[str, Node | None]:
        kind = KINDS.get(self.key, OTHER)
        if self.client.startswith("ReplicaFetcherThread") or self._has_no_client:
            # Up to 0.10 the client id names the leader, and the body begins with the follower; or there is no client id.
            (source,) = struct.unpack_from(">i", self.data, self.body)
            return (FETCH if self.key == FETCH_KEY else kind), source
        for begins in (PRODUCERS, MEMBERS):
            if self.client.startswith(begins):
                return kind, self.client.removeprefix(begins)
        found = SOURCES.match(self.client)
        if self.key == FETCH_KEY and found:
            kind = (
                METADATA_LOG
                if self.client.startswith("raft-")
                else FETCH
                if self.client.startswith("broker-")
                else OTHER
            )
        return kind, int(next(group for group in found.groups() if group)) if found else None

    @property
    def place(self) -> Place:
        """The gate that it comes to."""
        return self.kind, self.source, self.connection.destination


class Connection:
    """A connection of one node to another, through the proxy."""

    def __init__(self, incoming: socket.socket, outgoing: socket.socket, destination: Node) -> None:
        self.incoming, self.outgoing, self.destination = incoming, outgoing, destination
        self.source: Node | None = None
        self.sent: deque[Frame] = deque()
        self.closed = self.deserted = False

    def take(self, count: int) -> None:
        """Have the system take so many bytes of answers that are not read yet."""
        self.outgoing.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, count)

    def desert(self) -> None:
        """Cut it at the end of its sender; what is on its way stays there."""
        self.deserted = True
        with suppress(OSError):
            self.incoming.shutdown(socket.SHUT_RDWR)
        self.incoming.close()

    def close(self) -> None:
        """Cut it at both ends."""
        self.closed = True
        for end in (self.incoming, self.outgoing):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@dataclass
class Gate:
    """What waits at a gate; open until it holds something."""

    holds: set[Part] = field(default_factory=set)
    requests: list[Frame] = field(default_factory=list)
    answers: list[Frame] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        """Do requests wait here?"""
        return Part.REQUEST in self.holds


@dataclass
class Session:
    """What a broker's last heartbeat said: its epoch, and how far it has read the metadata."""

    broker_epoch: int
    offset: int
    beats: int
    """How many heartbeats there were."""


class Gates:
    """The proxies of a cluster, with a gate for every kind of request between two nodes.

    `watch` sees every frame with its answer, for a recording; an exception there ends the connection.
    """

    def __init__(self, watch: Callable[[Frame], None] | None = None) -> None:
        self.changed = threading.Condition()
        self.watch = watch
        self.sessions: dict[int, Session] = {}
        self.broker_epochs: dict[int, int] = {}
        """The epochs of brokers that were registered again in their name, which they do not know, for requests to the controller."""
        self.gone: set[Node] = set()
        """Nodes that get no more of the controller's requests: it has yet to see that their session has ended, and would send again."""
        self._gates: dict[Place, Gate] = {}
        self._connections: set[Connection] = set()
        self._listening: list[socket.socket] = []

    def listen(self, destination: Node, port: int, target: int) -> None:
        """Take connections on a port, for the node that listens on `target`."""
        try:
            server = socket.create_server((HOST, port), backlog=64)
        except OSError as error:
            raise PortTakenError(f"port {port} of {HOST} cannot be listened on: {error.strerror}") from error
        self._listening.append(server)
        threading.Thread(target=self._accept, args=(server, destination, target), daemon=True).start()

    def close(self) -> None:
        """Cut every connection, and take no more."""
        for server in self._listening:
            # A thread that waits in accept() would keep the port taken after close().
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
        for connection in list(self._connections):
            self._cut(connection)

    def gate(self, kind: str, source: Node, destination: Node) -> Gate:
        """The gate between two nodes for a kind of request."""
        return self._gates.setdefault((kind, source, destination), Gate())

    def held(self) -> list[tuple[Place, int]]:
        """The gates that hold something, each with how many requests and answers wait there."""
        with self.changed:
            return [
                (place, len(gate.requests) + len(gate.answers)) for place, gate in self._gates.items() if gate.holds
            ]

    def shut(self, kind: str, source: Node, destination: Node, part: Part = Part.REQUEST) -> None:
        """Hold every such request from now on, or the answer to every such request that comes from now on."""
        with self.changed:
            self.gate(kind, source, destination).holds.add(part)

    def open(self, kind: str, source: Node, destination: Node, part: Part | None = None) -> None:
        """Let everything pass, or the part that is named, and what of it waits there."""
        with self.changed:
            gate = self.gate(kind, source, destination)
            gate.holds -= set(Part) if part is None else {part}
            freed = gate.requests if part in (None, Part.REQUEST) else []
            for frame in [*freed, *([] if part is Part.REQUEST else gate.answers)]:
                frame.released = Answer.DELIVERED
            self.changed.notify_all()

    def open_all(self) -> None:
        """Open every gate."""
        for place in list(self._gates):
            kind, source, destination = place
            if source is not None:
                self.open(kind, source, destination)

    def release(self, frame: Frame, answer: Answer = Answer.DELIVERED) -> None:
        """Let a request that waits pass, or an answer that is held, and say what becomes of the answer."""
        with self.changed:
            frame.released = answer
            self.changed.notify_all()

    def wait(self, look: Callable[[], T | None], seconds: float, what: str) -> T:
        """Wait until something is there. Raises ClusterError that says what did not come."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                found = look()
                if found:
                    return found
                left = end - time.monotonic()
                if left <= 0:
                    raise ClusterError(f"{what} did not come within {seconds:g} s")
                self.changed.wait(min(left, 0.2))

    def wait_a_while(self, look: Callable[[], bool], seconds: float) -> None:
        """Wait until something is so, but not longer."""
        with suppress(ClusterError):
            self.wait(look, seconds, "")

    def waiting(self, kind: str, source: Node, destination: Node, seconds: float = 10) -> Frame:
        """The first request that waits at a gate."""
        gate = self.gate(kind, source, destination)
        return self.wait(
            lambda: next(iter(gate.requests), None), seconds, f"a request ({kind}) of {source} to {destination}"
        )

    def answered(self, frame: Frame, seconds: float = 10) -> bytes:
        """The answer to a request that was let through, delivered or not."""
        return self.wait(lambda: frame.reply, seconds, f"the answer to {frame.kind} of {frame.source}")

    def hold_up(self, frame: Frame) -> None:
        """Leave a request that waits on its way until it is released by itself, and cut its sender off, who can only send it again."""
        with self.changed:
            self._gates[frame.place].requests.remove(frame)
        frame.connection.desert()

    def cut_waiting(self, kind: str, source: Node, destination: Node) -> None:
        """Cut the connections of what waits at a gate, so that the sender asks anew with what it knows now."""
        with self.changed:
            frames = list(self.gate(kind, source, destination).requests)
        for frame in frames:
            self._cut(frame.connection)

    def source_died(self, node: int) -> None:
        """Cut every connection that a dead node has made; an answer of it that is held stays on its way."""
        for connection in list(self._connections):
            if node == connection.source:
                self._cut(connection)

    def node_died(self, node: int) -> None:
        """Cut every connection of a node that is dead, as its machine would."""
        for connection in list(self._connections):
            if node in (connection.source, connection.destination):
                self._cut(connection)

    def _accept(self, server: socket.socket, destination: Node, target: int) -> None:
        while True:
            try:
                incoming, _ = server.accept()
            except OSError:
                return
            try:
                outgoing = socket.create_connection((HOST, target), timeout=5)
            except OSError:
                incoming.close()
                continue
            outgoing.settimeout(None)
            for end in (incoming, outgoing):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(incoming, outgoing, destination)
            with self.changed:
                self._connections.add(connection)
            for run in (self._requests, self._answers):
                threading.Thread(target=self._until_closed, args=(run, connection), daemon=True).start()

    def _until_closed(self, run: Callable[[Connection], None], connection: Connection) -> None:
        try:
            run(connection)
        except (OSError, _Closed, struct.error):
            pass
        finally:
            self._cut(connection)

    def _cut(self, connection: Connection) -> None:
        connection.close()
        with self.changed:
            self._connections.discard(connection)
            for gate in self._gates.values():
                gate.requests[:] = [frame for frame in gate.requests if frame.connection is not connection]
                gate.answers[:] = [frame for frame in gate.answers if frame.connection is not connection]
            self.changed.notify_all()

    def _requests(self, connection: Connection) -> None:
        while True:
            frame = Frame(connection, _read(connection.incoming))
            connection.source = connection.source if frame.source is None else frame.source
            if frame.kind == CONTROL and connection.destination in self.gone:
                raise _Closed
            if frame.key == HEARTBEAT_KEY:
                broker, epoch, offset = struct.unpack_from(">iqq", frame.data, frame.body)
                with self.changed:
                    before = self.sessions.get(broker)
                    self.sessions[broker] = Session(epoch, offset, 1 if before is None else before.beats + 1)
                    self.changed.notify_all()
            with self.changed:
                gate = self._gates.setdefault(frame.place, Gate())
                if gate.closed:
                    self._hold(gate.requests, frame)
                connection.sent.append(frame)
                frame.answer_is_held = gate.holds & {Part.ANSWER, Part.UNREAD_ANSWER}
            if Part.UNREAD_ANSWER in frame.answer_is_held:
                connection.take(UNREAD_BYTES)
            if frame.names_broker_epoch and frame.source in self.broker_epochs:
                struct.pack_into(">q", frame.data, frame.body + 4, self.broker_epochs[frame.source])
            connection.outgoing.sendall(struct.pack(">i", len(frame.data)) + frame.data)
            if connection.deserted:
                # A broker may drop a request whose connection is closed at once.
                self.answered(frame)

    def _answers(self, connection: Connection) -> None:
        while True:
            size, correlation = struct.unpack(">ii", read_exactly(connection.outgoing, 8))
            with self.changed:
                frame = next((sent for sent in connection.sent if sent.correlation == correlation), None)
                if frame is not None:
                    while connection.sent.popleft() is not frame:
                        pass
                    if self._waits(frame, Part.UNREAD_ANSWER):
                        self._hold(self._gates[frame.place].answers, frame)
                        connection.take(READ_BYTES)
            reply = struct.pack(">i", correlation) + read_exactly(connection.outgoing, size - 4)
            with self.changed:
                if frame is not None:
                    frame.reply = reply
                    self.changed.notify_all()
                    gate = self._gates[frame.place]
                    asked_for = frame.released is Answer.HELD and gate.closed
                    if asked_for or self._waits(frame, Part.ANSWER):
                        self._hold(gate.answers, frame)
                    if frame.released is Answer.DROPPED:
                        raise _Closed
            if frame is not None and self.watch is not None:
                self.watch(frame)
            connection.incoming.sendall(struct.pack(">i", len(reply)) + reply)

    def _waits(self, frame: Frame, part: Part) -> bool:
        """Is the answer to a request held at its gate, and was it when the request passed?"""
        return part in frame.answer_is_held & self._gates[frame.place].holds

    def _hold(self, queue: list[Frame], frame: Frame) -> None:
        """Keep the frame in a queue of its gate until it is released. The lock is held."""
        frame.wait()
        queue.append(frame)
        self.changed.notify_all()
        while frame.released is None and not frame.connection.closed:
            self.changed.wait()
        if frame.connection.closed:
            raise _Closed
        if frame in queue:
            queue.remove(frame)
        self.changed.notify_all()


def _read(end: socket.socket) -> bytes:
    (size,) = struct.unpack(">i", read_exactly(end, 4))
    return read_exactly(end, size)
