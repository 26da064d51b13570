"""A lock service with leases and fencing tokens, its clients and a storage: code of a service, which knows nothing of models.

docs/how-to/from-your-code.md makes a model of it, finds the mistake in `LockService`, and proves and tests `DurableLockService`.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from threading import Lock

LEASE_SECONDS = 10.0

Clock = Callable[[], float]
Disk = MutableMapping[str, int]


@dataclass(frozen=True)
class Lease:
    """The lock for one client until a time. Each lease has a greater token than those before."""

    token: int
    ends_at: float


class LockService:
    """Gives one lock to one client at a time. Who holds it is kept in memory only: a lease ends by itself."""

    def __init__(self, clock: Clock, disk: Disk) -> None:
        self.clock, self.disk = clock, disk
        self.next_token = 1
        self._leased_to: str | None = None
        self._ends_at = 0.0
        self._lock = Lock()

    @property
    def holder(self) -> str | None:
        """The client whose lease has not ended."""
        return self._leased_to if self.clock() < self._ends_at else None

    def acquire(self, client: str) -> Lease | None:
        """A lease, unless another client has one."""
        with self._lock:
            if self.holder is not None:
                return None
            token = self.draw_token()
            self._leased_to, self._ends_at = client, self.clock() + LEASE_SECONDS
            return Lease(token, self._ends_at)

    def release(self, client: str) -> None:
        """Give the lock back before the lease ends."""
        with self._lock:
            if self.holder == client:
                self._leased_to = None

    def draw_token(self) -> int:
        """The next token."""
        token = self.next_token
        self.next_token += 1
        return token


class DurableLockService(LockService):
    """The corrected service: the counter of tokens is on disk before a token is given out."""

    def __init__(self, clock: Clock, disk: Disk) -> None:
        super().__init__(clock, disk)
        self.next_token = disk.get("next_token", 1)

    def draw_token(self) -> int:
        """The next token."""
        token = super().draw_token()
        self.disk["next_token"] = self.next_token
        return token


@dataclass(frozen=True)
class Write:
    """What a client sends to the storage."""

    token: int
    client: str
    text: str


class NoLock(Exception):
    """A client without a lease wants to write."""


class Outdated(Exception):
    """The storage has accepted a write with a greater token."""


class Client:
    """Writes while it holds the lock. A thread of its own, the keeper, calls `keep` all the time."""

    def __init__(self, name: str, clock: Clock, send: Callable[[Write], None]) -> None:
        self.name, self.clock, self.send = name, clock, send
        self.lease: Lease | None = None

    def acquire(self, service: LockService) -> bool:
        """Ask for the lock. True if this client now has it."""
        if self.lease is None:
            self.lease = service.acquire(self.name)
            return self.lease is not None
        return False

    def keep(self) -> None:
        """Drop a lease that has ended."""
        if self.lease is not None and self.clock() >= self.lease.ends_at:
            self.lease = None

    def release(self, service: LockService) -> None:
        """Give the lock back."""
        self.lease = None
        service.release(self.name)

    def write(self, text: str) -> None:
        """Send a write to the storage."""
        if self.lease is None:
            raise NoLock(self.name)
        self.send(Write(self.lease.token, self.name, text))


class Storage:
    """Accepts no write that is older than one that it has accepted."""

    def __init__(self) -> None:
        self.newest = 0
        self.accepted: list[Write] = []

    def receive(self, write: Write) -> None:
        """Accept a write. Raises Outdated."""
        if write.token < self.newest:
            raise Outdated(f"{write.token} after {self.newest}")
        self.newest = write.token
        self.accepted.append(write)
